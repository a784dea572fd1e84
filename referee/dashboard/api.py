"""The JSON API (``/api/v1``): what the pages use, for other programs as well; described by ``/api/v1/openapi.json``."""

import io
import json
import re
import unicodedata
import uuid
from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, Response, jsonify, request, send_file

from calibration.errors import UnusableInputError
from referee.dashboard.context import body, context, field, find_match, only, state_answer, texts, who
from referee.dashboard.openapi import document
from referee.dashboard.stats import statistics
from referee.dashboard.summary import all_events
from referee.desk import OpenMatch, again
from referee.exports import to_cmn, to_csv
from referee.keyboard import words_for
from referee.live_picture import smaller
from vision.cameras import list_cameras

api = Blueprint("api", __name__, url_prefix="/api/v1")
NAME_LONGEST = 40
CLOCK_MOST = 180
PLAYER_LONGEST = 60
TURNS = ("LRE", "LRO", "RLE", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
"""Kinds of characters that turn the direction of the writing around them."""

SMALL_WIDTH = 1280
"""Width in pixels of a picture that is only looked at."""


@api.get("/openapi.json")
def openapi() -> Response:
    """The description of this API."""
    return jsonify(document())


@api.get("/cameras")
def cameras() -> Response:
    """The cameras that this machine names, and the videos of the setting ``media``."""
    found = [{"source": str(c.index), "name": c.name} for c in list_cameras()]
    return jsonify(cameras=found + [{"source": p.name, "name": p.name} for p in context().hall.media()])


@api.get("/matches")
def matches() -> Response:
    """The stored matches, the one changed last first."""
    rows = context().hall.desk.rows(limit=min(500, request.args.get("limit", 100, int)), game=request.args.get("game"))
    told = [
        {
            "id": row.id,
            "game": row.game,
            "title": row.title,
            "begun": row.begun,
            "changed": row.changed,
            "entries": row.events,
            "score": row.result.get("score", {}),
            "winners": row.result.get("winners"),
        }
        for row in rows
    ]
    return jsonify(matches=told)


@api.post("/matches")
def begin() -> Response:
    """Begin a match, with a camera if one is named."""
    data = body("game", "options", "about", "title", "source", "sample")
    hall = context().hall
    if data.get("sample") is True:
        return state_answer(hall.begin_sample(), 201)
    options, about = field(data, "options", dict, {}), field(data, "about", dict, {})
    source = field(data, "source", str, "")
    if source:
        hall.named(source)  # what can't be followed begins no match
    if isinstance(players := options.get("players"), list):
        options = options | {"players": [_clean(p)[:PLAYER_LONGEST] if isinstance(p, str) else p for p in players]}
    title = _clean(field(data, "title", str, ""))
    match = hall.desk.create(field(data, "game", str), options, _checked_about(about), title)
    if source:
        hall.attach_named(match, source)
    return state_answer(match, 201)


def _checked_about(about: dict[str, Any]) -> dict[str, Any]:
    """Names, colours and title as short texts, the clock in minutes; nothing else is kept."""
    out: dict[str, Any] = {}
    only(about, ("names", "colours", "title", "clock_minutes"), "about.")
    for name in ("names", "colours"):
        given = field(about, name, dict, {})
        out[name] = {str(k)[:NAME_LONGEST]: _clean(v)[:NAME_LONGEST].strip() for k, v in list(given.items())[:12]}
    title = _clean(about.get("title") or "")[: 2 * NAME_LONGEST]
    minutes = field(about, "clock_minutes", int, 0)
    clock = {"clock_minutes": minutes} if 1 <= minutes <= CLOCK_MOST else {}
    return out | clock | ({"title": title} if title else {})


def _clean(text: object) -> str:
    """A name or title in one line: what breaks lines, turns the writing round or isn't writing at all is left out.

    Joiners stay: pictures of people and several scripts are made with them.
    """
    kept = (" " if c.isspace() else c for c in str(text) if c.isspace() or unicodedata.category(c) not in ("Cc", "Cs"))
    return " ".join("".join(c for c in kept if unicodedata.bidirectional(c) not in TURNS).split())


@api.get("/matches/<identifier>")
def state(identifier: str) -> Response:
    """A match as the screen shows it."""
    return state_answer(find_match(identifier))


@api.get("/matches/<identifier>/events")
def events(identifier: str) -> Response:
    """Every event of a match in words; the state holds the newest."""
    return jsonify(all_events(find_match(identifier), texts()))


@api.post("/matches/<identifier>/events")
def note(identifier: str) -> Response:
    """Keep an event: as JSON (``event``) or as it would be typed (``text``)."""
    match, data = find_match(identifier), body("event", "text")
    match.note(_event(match, data), _at(match), who(data), field(data, "revision", int, None))
    return state_answer(match, 201)


@api.post("/matches/<identifier>/rulings")
def rule(identifier: str) -> Response:
    """Rule on an entry: another event in its place, before it, or none (it is struck out)."""
    match, data = find_match(identifier), body("event", "text", "target", "before", "why")
    event = _event(match, data) if data.get("event") is not None or data.get("text") else None
    match.rule(
        event,
        _at(match),
        who(data),
        target=field(data, "target", int, None),
        before=field(data, "before", bool, False),
        why=str(field(data, "why", str, "")).strip()[:500] or None,
        expected=field(data, "revision", int, None),
    )
    return state_answer(match, 201)


@api.post("/matches/<identifier>/takebacks")
def take_back(identifier: str) -> Response:
    """Take back an entry."""
    match, data = find_match(identifier), body("target", "why")
    why = str(field(data, "why", str, "")).strip()[:500] or None
    match.take_back(field(data, "target", int), _at(match), who(data), why, field(data, "revision", int, None))
    return state_answer(match, 201)


@api.post("/matches/<identifier>/undo")
def undo(identifier: str) -> Response:
    """Take back the last entry in force."""
    match, data = find_match(identifier), body()
    match.undo(_at(match), who(data), field(data, "revision", int, None))
    return state_answer(match, 201)


@api.post("/matches/<identifier>/redo")
def redo(identifier: str) -> Response:
    """Bring back what was undone last."""
    match, data = find_match(identifier), body()
    match.redo(_at(match), who(data), field(data, "revision", int, None))
    return state_answer(match, 201)


@api.post("/matches/<identifier>/answers")
def answer(identifier: str) -> Response:
    """Answer an open question by the number of its answer, or leave it as it is (``choice`` null)."""
    match, data = find_match(identifier), body("key", "choice")
    key, choice = field(data, "key", str), field(data, "choice", int, None)
    if choice is None:
        match.dismiss(key, who(data))
    else:
        match.answer(key, choice, _at(match), who(data))
    return state_answer(match, 201)


@api.post("/matches/<identifier>/again")
def another(identifier: str) -> Response:
    """Begin another match like this one."""
    game, options, about = again(find_match(identifier))
    return state_answer(context().hall.desk.create(game, options, about), 201)


@api.get("/matches/<identifier>/help")
def typed_help(identifier: str) -> Response:
    """What may be typed now."""
    match = find_match(identifier)
    return jsonify(help=words_for(match.log.engine).help(match.log.state))


@api.get("/matches/<identifier>/log.jsonl")
def log(identifier: str) -> Response:
    """The match log's file, also of a match that can't be opened: what is whole in it can still be read."""
    try:
        match = find_match(identifier)
    except UnusableInputError:
        text = context().hall.desk.store.text(identifier)
        return _download(text, "application/jsonl", f"match-{identifier[:8]}.log.jsonl")
    return _file(match.text(), "application/jsonl", match, "log.jsonl")


@api.get("/matches/<identifier>/sheet.csv")
def csv(identifier: str) -> Response:
    """The score sheet as CSV."""
    match = find_match(identifier)
    return _file(to_csv(match.log), "text/csv", match, "csv")


@api.get("/matches/<identifier>/match.cmn.json")
def cmn(identifier: str) -> Response:
    """A finished match of crokinole in Crokinole Match Notation."""
    match = find_match(identifier)
    begun = context().hall.desk.store.begun(match.id)
    date = datetime.fromtimestamp(begun, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    record = to_cmn(match.log, record_id=str(uuid.UUID(match.id)), date=date, teams=_teams(match))
    return _file(json.dumps(record, indent=2, ensure_ascii=False) + "\n", "application/json", match, "cmn.json")


def _teams(match: OpenMatch) -> tuple[tuple[str, ...], ...] | None:
    """The players' names by side; two who play together share the name of their side, ``Ann & Bob``."""
    setup = getattr(match.log.engine, "setup", None)
    if setup is None or setup.players not in ("2", "4"):
        return None
    sides = [match.log.name_of(side) for side in setup.sides]
    if setup.players == "2":
        return tuple((side,) for side in sides)
    pairs = [[part.strip() for part in re.split(r"\s*[&/+,;]\s*", side)] for side in sides]
    return tuple(
        (pair[0], pair[1]) if len(pair) == 2 and all(pair) else (f"{side} 1", f"{side} 2")
        for side, pair in zip(sides, pairs, strict=True)
    )


def _file(text: str, kind: str, match: OpenMatch, ending: str) -> Response:
    return _download(text, kind, f"{match.log.engine.game}-{match.id[:8]}.{ending}")


def _download(text: str, kind: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, mimetype=kind, headers=headers)


@api.get("/matches/<identifier>/evidence/<digest>")
def evidence(identifier: str, digest: str) -> Response:
    """A picture that a call rests on, by the hash that the entry names; ``small=1``: reduced for the screen."""
    match = find_match(identifier)
    content, kind = context().hall.desk.evidence.get(match.id, digest)
    if "small" in request.args and kind == "image/jpeg":
        content, digest = smaller(content, SMALL_WIDTH), digest + "-small"
    # by parts where a browser asks for them: some play no video otherwise
    answer = send_file(io.BytesIO(content), mimetype=kind, conditional=True, etag=digest)
    answer.headers["Cache-Control"] = "private, max-age=86400"
    return answer


@api.get("/statistics")
def stats() -> Response:
    """Counts over all stored matches."""
    return jsonify(statistics(context().hall.desk))


def _event(match: OpenMatch, data: dict[str, Any]) -> Any:
    if data.get("event") is not None:
        return match.event_of(data["event"])
    text = str(field(data, "text", str)).strip()[:500]
    if not text:
        raise UnusableInputError("field 'text' is empty", code="bad_request")
    try:
        return words_for(match.log.engine).parse(text, match.log.state)
    except (TypeError, ValueError) as error:
        raise UnusableInputError(str(error), code="bad_event") from error


def _at(match: OpenMatch) -> float:
    return context().hall.at(match)

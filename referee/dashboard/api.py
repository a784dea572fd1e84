"""The JSON API (``/api/v1``): what the pages use, for other programs as well; described by ``/api/v1/openapi.json``."""

import io
import json
import uuid
from datetime import UTC, datetime
from typing import Any

import numpy as np
from flask import Blueprint, Response, jsonify, request, send_file

from calibration.errors import NotFoundError, UnusableInputError
from referee.board_by_hand import Found, handles, look_for_board, view_from_handles
from referee.dashboard.context import body, context, field, find_match, texts, who
from referee.dashboard.openapi import document
from referee.dashboard.stats import statistics
from referee.desk import OpenMatch, again
from referee.exports import to_cmn, to_csv
from referee.keyboard import words_for
from referee.live import LiveTable
from vision.cameras import list_cameras
from vision.frames import Frame

api = Blueprint("api", __name__, url_prefix="/api/v1")
NAME_LONGEST = 40
CLOCK_MOST = 180


def _state(match: OpenMatch, status: int = 200) -> Response:
    text = context().state_text(match, texts().language)
    return Response(text, status, mimetype="application/json")


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
    data = body()
    hall = context().hall
    if data.get("sample") is True:
        return _state(hall.begin_sample(), 201)
    options, about = field(data, "options", dict, {}), field(data, "about", dict, {})
    source = field(data, "source", str, "")
    match = hall.desk.create(field(data, "game", str), options, _checked_about(about), field(data, "title", str, ""))
    if source:
        hall.attach_named(match, source)
    return _state(match, 201)


def _checked_about(about: dict[str, Any]) -> dict[str, Any]:
    """Names, colours and title as short texts, the clock in minutes; nothing else is kept."""
    out: dict[str, Any] = {}
    for name in ("names", "colours"):
        given = field(about, name, dict, {})
        out[name] = {str(k)[:NAME_LONGEST]: str(v).strip()[:NAME_LONGEST] for k, v in list(given.items())[:12]}
    title = str(about.get("title") or "").strip()[: 2 * NAME_LONGEST]
    minutes = field(about, "clock_minutes", int, 0)
    clock = {"clock_minutes": minutes} if 1 <= minutes <= CLOCK_MOST else {}
    return out | clock | ({"title": title} if title else {})


@api.get("/matches/<identifier>")
def state(identifier: str) -> Response:
    """A match as the screen shows it."""
    return _state(find_match(identifier))


@api.post("/matches/<identifier>/events")
def note(identifier: str) -> Response:
    """Keep an event: as JSON (``event``) or as it would be typed (``text``)."""
    match, data = find_match(identifier), body()
    match.note(_event(match, data), _at(match), who(data), field(data, "revision", int, None))
    return _state(match, 201)


@api.post("/matches/<identifier>/rulings")
def rule(identifier: str) -> Response:
    """Rule on an entry: another event in its place, before it, or none (it is struck out)."""
    match, data = find_match(identifier), body()
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
    return _state(match, 201)


@api.post("/matches/<identifier>/takebacks")
def take_back(identifier: str) -> Response:
    """Take back an entry."""
    match, data = find_match(identifier), body()
    why = str(field(data, "why", str, "")).strip()[:500] or None
    match.take_back(field(data, "target", int), _at(match), who(data), why, field(data, "revision", int, None))
    return _state(match, 201)


@api.post("/matches/<identifier>/undo")
def undo(identifier: str) -> Response:
    """Take back the last entry in force."""
    match, data = find_match(identifier), body()
    match.undo(_at(match), who(data), field(data, "revision", int, None))
    return _state(match, 201)


@api.post("/matches/<identifier>/redo")
def redo(identifier: str) -> Response:
    """Bring back what was undone last."""
    match, data = find_match(identifier), body()
    match.redo(_at(match), who(data), field(data, "revision", int, None))
    return _state(match, 201)


@api.post("/matches/<identifier>/answers")
def answer(identifier: str) -> Response:
    """Answer an open question by the number of its answer, or leave it as it is (``choice`` null)."""
    match, data = find_match(identifier), body()
    key, choice = field(data, "key", str), field(data, "choice", int, None)
    if choice is None:
        match.dismiss(key, who(data))
    else:
        match.answer(key, choice, _at(match), who(data))
    return _state(match, 201)


@api.post("/matches/<identifier>/again")
def another(identifier: str) -> Response:
    """Begin another match like this one."""
    game, options, about = again(find_match(identifier))
    return _state(context().hall.desk.create(game, options, about), 201)


@api.post("/matches/<identifier>/source")
def attach(identifier: str) -> Response:
    """Follow the match through a camera, a stream, a video or a folder; null: through none."""
    match, data = find_match(identifier), body()
    source = field(data, "source", str, None)
    if source is None:
        context().hall.detach(match)
    else:
        context().hall.attach_named(match, source)
    return _state(match, 201)


@api.post("/matches/<identifier>/find-board")
def find_board(identifier: str) -> Response:
    """The board or the camera was moved: look for the board anew."""
    match = find_match(identifier)
    table = context().hall.table(match)
    if table is None:
        raise UnusableInputError("no camera follows this match", code="no_camera")
    table.find_again()
    return _state(match, 201)


@api.get("/matches/<identifier>/view")
def view(identifier: str) -> Response:
    """Where the board lies in the newest picture: rings and the four points to drag; ``find=1``: look for it now."""
    table, frame = _table_and_frame(find_match(identifier))
    found = Found(table.view)
    if found.view is None or "find" in request.args:
        found = look_for_board(frame)
    return jsonify(_view_json(found, frame))


@api.post("/matches/<identifier>/view")
def set_view(identifier: str) -> Response:
    """The board lies where these four points (``handles``, pixels) are on its outermost line."""
    match = find_match(identifier)
    points = field(body(), "handles", list)
    table, frame = _table_and_frame(match)
    try:
        px = np.array(points, dtype=np.float64)
    except (TypeError, ValueError):
        raise UnusableInputError("field 'handles' isn't four points", code="bad_request") from None
    made = view_from_handles(px, frame.pixels.shape[1], frame.pixels.shape[0])
    table.board_is(made)
    match.touched()
    answer = jsonify(_view_json(Found(made), frame))
    answer.status_code = 201
    return answer


def _table_and_frame(match: OpenMatch) -> tuple[LiveTable, Frame]:
    table = context().hall.table(match)
    frame = None if table is None else table.picture.frame
    if table is None:
        raise NotFoundError("no camera follows this match", code="no_camera")
    if frame is None:
        raise NotFoundError("there is no picture yet", code="no_picture")
    return table, frame


def _view_json(found: Found, frame: Frame) -> dict[str, Any]:
    height, width = frame.pixels.shape[:2]
    told: dict[str, Any] = {"width": width, "height": height, "found": found.view is not None, "why": found.why}
    if found.view is not None:
        radii = [*found.view.board.radii, *([found.view.board.hole] if found.view.board.hole else [])]
        told["rings"] = [found.view.circle_px(radius).round(1).tolist() for radius in radii]
        told["handles"] = handles(found.view).round(1).tolist()
    return told


@api.get("/matches/<identifier>/help")
def typed_help(identifier: str) -> Response:
    """What may be typed now."""
    match = find_match(identifier)
    return jsonify(help=words_for(match.log.engine).help(match.log.state))


@api.get("/matches/<identifier>/log.jsonl")
def log(identifier: str) -> Response:
    """The match log's file."""
    match = find_match(identifier)
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
    names = match.log.about.get("names")
    setup = getattr(match.log.engine, "setup", None)
    if not isinstance(names, dict) or setup is None or len(setup.seats) != 2:
        return None
    return tuple((str(names.get(side) or side),) for side in setup.sides)


def _file(text: str, kind: str, match: OpenMatch, ending: str) -> Response:
    name = f"{match.log.engine.game}-{match.id[:8]}.{ending}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, mimetype=kind, headers=headers)


@api.get("/matches/<identifier>/evidence/<digest>")
def evidence(identifier: str, digest: str) -> Response:
    """A picture that a call rests on, by the hash that the entry names."""
    match = find_match(identifier)
    content, kind = context().hall.desk.evidence.get(match.id, digest)
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

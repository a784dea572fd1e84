"""The pages: home, set-up, the live page, scoreboard, overlay, joining, statistics."""

import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import segno
from flask import Blueprint, Response, g, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from calibration.errors import NotFoundError
from referee.dashboard.context import LANGUAGE_COOKIE, context, find_match, texts
from referee.dashboard.guard import COOKIE
from referee.dashboard.stats import statistics
from referee.dashboard.texts import LANGUAGES, NAMES
from referee.desk import OpenMatch, title_of
from referee.hall import SAMPLE, samples_folder
from referee.rules import GAMES
from vision.cameras import SourceName, list_cameras

pages = Blueprint("pages", __name__)
JS_GROUPS = (
    "app",
    "setup",
    "act",
    "live",
    "place",
    "category",
    "set",
    "doubt",
    "camera",
    "said",
    "sheet",
    "colour",
    "fix",
)
COLOURS = ("black", "natural", "red", "blue", "green", "white", "yellow", "brown")
YEAR_SECONDS = 365 * 24 * 3600


@pages.after_request
def keep_language(response: Response) -> Response:
    """A language that is named in the address is kept, as if it were chosen; a display of its own keeps nothing."""
    named = request.args.get("lang", "")
    if named in LANGUAGES and request.endpoint not in ("pages.board", "pages.overlay"):
        response.set_cookie(LANGUAGE_COOKIE, named, samesite="Lax", max_age=YEAR_SECONDS)
    return response


def _page(name: str, **values: Any) -> str:
    return render_template(
        name,
        t=texts(),
        role=g.role,
        languages=NAMES,
        js_texts=texts().group(*JS_GROUPS),
        local=context().gate.local,
        **values,
    )


@pages.get("/")
def home() -> str:
    """The matches, and what can be begun."""
    rows = [
        {
            "id": row.id,
            "game": row.game,
            "title": row.title or row.id[:8],
            "begun": datetime.fromtimestamp(row.begun, UTC),
            "score": " – ".join(str(n) for n in row.result.get("score", {}).values()),
            "over": bool(row.result.get("winners")),
        }
        for row in context().hall.desk.rows(limit=100)
    ]
    return _page("home.html", rows=rows)


@pages.get("/new")
def new() -> str:
    """The set-up of a match."""
    return _page("new.html", games=list(GAMES), colours=COLOURS, cameras=list_cameras(), media=context().hall.media())


@pages.get("/match/<identifier>")
def live(identifier: str) -> str:
    """The live page of a match."""
    match = find_match(identifier)
    return _page("live.html", match=match, title=title_of(match.log), has_cmn=_has_cmn(match))


def _has_cmn(match: OpenMatch) -> bool:
    setup = getattr(match.log.engine, "setup", None)
    return setup is not None and setup.players in ("2", "4")


@pages.get("/match/<identifier>/camera")
def camera(identifier: str) -> str:
    """The camera of a match: its picture, the board found in it, accepted or corrected."""
    match = find_match(identifier)
    cameras, media = list_cameras(), context().hall.media()
    table = context().hall.table(match)
    chosen = None if table is None else table.source.name
    option = None if chosen is None else _option(chosen, [str(camera.index) for camera in cameras], media)
    return _page(
        "camera.html",
        match=match,
        title=title_of(match.log),
        cameras=cameras,
        media=media,
        option=option,
        shown="" if chosen is None else chosen.shown,
    )


def _option(chosen: SourceName, cameras: list[str], media: list[Path]) -> str:
    """Which entry of the list of sources a source is; "" for one that can't be named in the browser."""
    if chosen.kind == "stream":
        return "other"
    if chosen.kind == "usb":
        return chosen.secret if chosen.secret in cameras else ""
    if Path(chosen.secret).parent == samples_folder():
        return SAMPLE
    return chosen.shown if Path(chosen.secret) in media else ""


@pages.get("/board")
@pages.get("/match/<identifier>/board")
def board(identifier: str = "current") -> str:
    """The scoreboard alone, for a TV."""
    match = find_match(identifier)
    return _page("board.html", match=match, title=title_of(match.log))


@pages.get("/overlay")
@pages.get("/match/<identifier>/overlay")
def overlay(identifier: str = "current") -> str:
    """A transparent scoreboard for OBS; ``size``, ``side``, ``back`` and ``text`` by query."""
    match = find_match(identifier)
    return _page("overlay.html", match=match, title=title_of(match.log))


@pages.get("/statistics")
def stats() -> str:
    """Counts over all matches."""
    return _page("stats.html", **statistics(context().hall.desk))


@pages.get("/join")
def join() -> str:
    """The QR codes to join by phone."""
    gate = context().gate
    codes = {"viewer": f"{gate.address}/join/{gate.viewer}"}
    if g.role == "keeper":
        codes["keeper"] = f"{gate.address}/join/{gate.keeper}"
    return _page("join.html", codes=codes, address=gate.address)


@pages.get("/join/<kind>.svg")
def code(kind: str) -> Response:
    """A QR code as a picture: of the viewer's address, or the scorekeeper's for who is one."""
    gate = context().gate
    allowed = {"viewer": gate.viewer} | ({"keeper": gate.keeper} if g.role == "keeper" else {})
    if kind not in allowed:
        raise NotFoundError("there is no such code", code="no_page")
    out = io.BytesIO()
    segno.make(f"{gate.address}/join/{allowed[kind]}", error="m").save(
        out, kind="svg", scale=8, border=3, light="white"
    )
    return Response(out.getvalue(), mimetype="image/svg+xml")


@pages.get("/join/<token>")
def enter(token: str) -> AnyResponse:
    """Come in by a token: it is kept in a cookie and leaves the address."""
    answer = redirect(url_for("pages.home"))
    if context().gate.role(token) != "nobody":
        answer.set_cookie(COOKIE, token, httponly=True, samesite="Strict", max_age=7 * 24 * 3600)
    return answer


@pages.get("/language/<language>")
def language(language: str) -> AnyResponse:
    """Choose a language; back to the page that asked."""
    back = request.args.get("back", "/")
    # only a path of our own: "//elsewhere" would leave
    safe = back if back.startswith("/") and not back.startswith(("//", "/\\")) else "/"
    answer = make_response(redirect(safe))
    if language in LANGUAGES:
        answer.set_cookie(LANGUAGE_COOKIE, language, samesite="Lax", max_age=YEAR_SECONDS)
    return answer

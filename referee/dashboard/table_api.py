"""The part of the JSON API that is about a live table: its source, where the board lies, and what is read on it."""

from typing import Any

import numpy as np
from flask import Blueprint, Response, jsonify, request

from calibration.errors import NotFoundError, UnusableInputError
from calibration.view import BoardView
from referee.board_by_hand import Found, handles, look_for_board, view_from_handles
from referee.dashboard.context import body, context, field, find_match, state_answer, who
from referee.desk import OpenMatch
from referee.live import LiveTable
from referee.officials import Correction, Lain, Place
from referee.officials.crokinole_ruling import shown
from vision.frames import Frame
from vision.overlay import base_outline

table_api = Blueprint("table_api", __name__, url_prefix="/api/v1/matches/<identifier>")
VALUES = (0, 5, 10, 15)
STATES = ("board", "hole", "leaning")
FARTHEST_MM = 1000.0
"""No disc lies farther from the board's middle than this."""


@table_api.post("/source")
def attach(identifier: str) -> Response:
    """Follow the match through a camera, a stream, a video or a folder; null: through none."""
    match, data = find_match(identifier), body("source")
    source = field(data, "source", str, None)
    if source is None:
        context().hall.detach(match)
    else:
        context().hall.attach_named(match, source)
    return state_answer(match, 201)


@table_api.post("/find-board")
def find_board(identifier: str) -> Response:
    """The board or the camera was moved: look for the board anew."""
    match = find_match(identifier)
    table = context().hall.table(match)
    if table is None:
        raise UnusableInputError("no camera follows this match", code="no_camera")
    table.find_again()
    return state_answer(match, 201)


@table_api.get("/view")
def view(identifier: str) -> Response:
    """Where the board lies in the newest picture: rings and the four points to drag; ``find=1``: look for it now."""
    table, frame = _table_and_frame(find_match(identifier))
    found = Found(table.view)
    if found.view is None or "find" in request.args:
        found = look_for_board(frame)
    return jsonify(_view_json(found, frame))


@table_api.post("/view")
def set_view(identifier: str) -> Response:
    """The board lies where these four points (``handles``, pixels) are on its outermost line."""
    match = find_match(identifier)
    points = field(body("handles"), "handles", list)
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
        told["rings"] = _rings(found.view)
        told["handles"] = handles(found.view).round(1).tolist()
    return told


@table_api.get("/reading")
def reading(identifier: str) -> Response:
    """What the camera takes to lie on the table now, disc by disc, with its place in the picture."""
    match = find_match(identifier)
    table, frame = _table_and_frame(match)
    view, discs = table.lain()
    told = {"width": frame.pixels.shape[1], "height": frame.pixels.shape[0], "revision": match.revision}
    told |= {"at": round(frame.timestamp, 2), "discs": []}
    if view is None:
        return jsonify(told)
    told["rings"] = _rings(view)
    sides = _sides(match) if discs else {}
    told["discs"] = [_disc_json(sides, view, lain) for lain in discs]
    return jsonify(told)


def _rings(view: BoardView) -> list[Any]:
    radii = [*view.board.radii, *([view.board.hole] if view.board.hole else [])]
    return [view.circle_px(radius).round(1).tolist() for radius in radii]


def _sides(match: OpenMatch) -> dict[int | None, str]:
    """Whose the discs on the board are, by the log's numbers, also those of a round that is recorded already."""
    _, state = shown(match.log)
    return {d.id: state.setup.sides[d.side] for d in state.board}


def _disc_json(sides: dict[int | None, str], view: BoardView, lain: Lain) -> dict[str, Any]:
    disc = lain.disc
    px = view.to_px(np.array([disc.mm]), 0.0 if disc.state == "hole" else view.board.disc_height)[0]
    inner = disc.value == 10 and any(c.line == "15/10" and c.inner_gap_mm <= 0 for c in disc.lines)
    return {
        "disc": disc.id,
        "number": lain.number,
        "side": sides.get(lain.number),
        "colour": disc.colour,
        "state": disc.state,
        "value": disc.value,
        "inner": inner,
        "mm": [round(v, 1) for v in disc.mm],
        "px": px.round(1).tolist(),
        "outline": base_outline(view, disc).round(1).tolist(),
        "ruled": lain.ruled,
    }


@table_api.post("/reading")
def correct(identifier: str) -> Response:
    """Correct one disc of the reading by a ruling: where it lies, what it is worth, whose it is, that it isn't there.

    Without ``disc``: one of ``side`` lies there that the camera doesn't see.
    """
    match, data = find_match(identifier), body("disc", "side", "value", "state", "mm", "px", "inner", "there", "why")
    table, _ = _table_and_frame(match)
    correction = _correction(table, data)
    why = str(field(data, "why", str, "")).strip()[:500] or _words(correction)
    table.correct(correction, who(data), why, field(data, "revision", int, None))
    return state_answer(match, 201)


def _correction(table: LiveTable, data: dict[str, Any]) -> Correction:
    disc, side = field(data, "disc", int, None), field(data, "side", str, None)
    value, state = field(data, "value", int, None), field(data, "state", str, None)
    if value is not None and value not in VALUES:
        raise UnusableInputError(f"field 'value' is {value}, expected one of {VALUES}", code="bad_request")
    if state is not None and state not in STATES:
        raise UnusableInputError(f"field 'state' is {state[:20]!r}, expected one of {STATES}", code="bad_request")
    mm = _mm(table, data)
    place = None
    if mm is not None or value is not None or state is not None:
        place = Place(mm, value, None if state == "board" else state, field(data, "inner", bool, False))
    there = field(data, "there", bool, True)
    if (disc is None and (side is None or mm is None)) or (there and place is None and side is None):
        raise UnusableInputError(
            "a correction names a disc and its place, value, side, or that it isn't there; or a side and a place",
            code="bad_request",
        )
    return Correction(disc, place, side, there)


def _mm(table: LiveTable, data: dict[str, Any]) -> tuple[float, float] | None:
    """The place on the board that was meant, told in mm or as a point of the picture."""
    name = "mm" if data.get("mm") is not None else "px"
    given = field(data, name, list, None)
    if given is None:
        return None
    numbers = [v for v in given if isinstance(v, int | float) and not isinstance(v, bool) and abs(v) < 1e5]
    view = table.view
    if len(given) != 2 or len(numbers) != 2 or view is None:
        raise UnusableInputError(f"field {name!r} isn't a place on a board that is seen", code="bad_request")
    x, y = numbers if name == "mm" else view.to_mm(np.array([numbers]), view.board.disc_height)[0]
    if not np.hypot(x, y) <= FARTHEST_MM:
        raise UnusableInputError(f"field {name!r} lies beside the board", code="bad_request")
    return float(x), float(y)


def _words(correction: Correction) -> str:
    """The correction in words, as the log keeps it."""
    what = "a disc that wasn't seen" if correction.disc is None else "the reading of a disc"
    if not correction.there:
        return f"{what}: nothing lies there"
    parts = [] if correction.side is None else [f"it is {correction.side}"]
    place = correction.place
    if place is not None and place.mm is not None:
        parts.append(f"it lies at ({place.mm[0]:.0f}, {place.mm[1]:.0f}) mm")
    if place is not None and place.state is not None:
        parts.append(f"it lies {'in the hole' if place.state == 'hole' else 'leaning into the hole'}")
    elif place is not None and place.value is not None:
        parts.append(f"it is worth {place.value}" + (", touching the 15 line" if place.inner else ""))
    return f"{what}: {', '.join(parts)}"

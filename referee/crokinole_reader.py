"""From one picture of a crokinole board to its reading: board, discs, contacts, points, in this order.

Everything inside works in pixels of the :class:`~vision.frames.Frame`; ``referee.crokinole_json`` turns them into those
of the picture as shown.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from calibration.boards import DISC_DIAMETER_MM
from calibration.errors import NotFoundError
from calibration.hints import BoardHints, NoBoard
from calibration.scale import Scale
from calibration.solve import find_board
from calibration.view import BoardView
from referee.crokinole_score import Score, score_position
from vision.contacts import Measured, measure_after
from vision.disc_values import valued
from vision.discs import read_discs
from vision.frames import Frame
from vision.readings import Cover, Disc, DiscsSeen

if TYPE_CHECKING:
    from calibration.profiles import CameraFile, TableFile

DIRECTIONS = ("right", "upper right", "top", "upper left", "left", "lower left", "bottom", "lower right")
"""Places around the board's centre in a picture, anticlockwise from the right."""


@dataclass(frozen=True, eq=False)
class CrokinoleReading:
    """One picture read: view and discs in pixels of ``frame``; ``stages_ms`` says what each stage took.

    ``measured``: lines and discs that the gaps are of; None where no disc lies flat on the surface. ``covers``: what
    lies over the surface and may hide discs.
    """

    frame: Frame
    view: BoardView
    discs: tuple[Disc, ...]
    score: Score
    warnings: tuple[str, ...] = ()
    stages_ms: dict[str, float] = field(default_factory=dict)
    measured: Measured | None = None
    covers: tuple[Cover, ...] = ()


def shown_view(frame: Frame, view: BoardView) -> BoardView:
    """Convert a view in the frame's pixels to one in pixels of the picture as shown."""
    return view.resized(*frame.scale, frame.width, frame.height)


def hints_for(
    frame: Frame,
    hints: BoardHints | None = None,
    camera: "CameraFile | None" = None,
) -> BoardHints:
    """Complete ``hints`` by a camera profile, at the frame's scale, or else by the focal length that the file names."""
    hints = hints or BoardHints()
    if camera is not None:
        (sx, sy), (height, width) = frame.scale, frame.pixels.shape[:2]
        return replace(hints, camera=camera.camera().resized(1 / sx, 1 / sy, width, height))
    if hints.camera is not None or hints.focal_px is not None:
        return hints
    return replace(hints, focal_px=frame.focal_px)


def view_from_table(frame: Frame, table: "TableFile") -> BoardView:
    """Return a saved set-up as a view in the frame's pixels."""
    view, (sx, sy) = table.view(), frame.scale
    height, width = frame.pixels.shape[:2]
    view = view.resized(1 / sx, 1 / sy, width, height)
    return replace(view, scale=replace(view.scale, detail="--table"))


def solve_view(frame: Frame, hints: BoardHints) -> BoardView:
    """Find and solve the board; raises NotFoundError (no_board, board_unsure) with the reason."""
    found = find_board(frame.pixels, hints)
    if isinstance(found, NoBoard):
        other = "; dice are read with --game yacht or krakatoa" if found.code == "no_board" else ""
        raise NotFoundError(f"{frame.source}: {found.reason}{other}", code=found.code)
    if not frame.holds(found.circle_px(found.board.shooting)):
        message = f"{frame.source}: the file is cut off, and the board isn't whole in what is left"
        raise NotFoundError(message, code="board_unsure")
    return found


def scaled_by_discs(view: BoardView, seen: DiscsSeen, disc_mm: float | None) -> tuple[BoardView, DiscsSeen]:
    """Give a board of unknown scale its millimetres: its discs have the diameter ``disc_mm``, or the usual one.

    Without a disc to measure, the shooting line keeps its assumed radius.
    """
    if not seen.discs:
        return view, seen
    diameter = disc_mm or DISC_DIAMETER_MM
    factor = diameter / 2 / seen.disc_radius_mm
    view = view.scaled(factor, Scale("disc", detail=f"disc diameter {diameter:g} mm{'' if disc_mm else ' (assumed)'}"))
    view = view.with_discs(diameter / 2)
    discs = tuple(replace(d, mm=(d.mm[0] * factor, d.mm[1] * factor), sigma_mm=d.sigma_mm * factor) for d in seen.discs)
    spread = seen.disc_radius_sigma_mm * factor
    covers = tuple(c.scaled(factor) for c in seen.covers)
    return view, replace(seen, discs=discs, disc_radius_mm=diameter / 2, disc_radius_sigma_mm=spread, covers=covers)


def cover_notes(frame: Frame, view: BoardView, covers: Sequence[Cover]) -> tuple[str, ...]:
    """Where in the picture as shown something covers the board, in words."""
    if not covers:
        return ()
    centre, *places = frame.to_shown(view.to_px(np.array([(0.0, 0.0), *(c.mm for c in covers)])))
    notes = []
    for cover, (right, down) in zip(covers, np.array(places) - centre, strict=True):
        if math.hypot(*cover.mm) < view.board.fifteen:
            where = "in the middle"
        else:
            where = f"at the {DIRECTIONS[round(math.degrees(math.atan2(-down, right)) / 45) % 8]}"
        notes.append(f"something covers the board {where} (outlined in the overlay)")
    return tuple(dict.fromkeys(notes))


def other_discs(view: BoardView, measured: Measured | None) -> tuple[str, ...]:
    """That a tournament board's discs have another size than its own, in words: perhaps it is a smaller or larger one.

    Its lines stand as a tournament board's do; that says nothing of its size.
    """
    if measured is None or view.discs_given or not view.tournament or view.tournament_discs(measured.shared.radius):
        return ()
    across = 2 * measured.shared.radius
    return (
        f"the discs measure {across:.1f} mm across if this is a tournament board, whose own have {DISC_DIAMETER_MM:g}; "
        "if it isn't one, give --shooting-line or --disc-mm for right millimetres",
    )


def read_crokinole(
    frame: Frame, hints: BoardHints | None = None, view: BoardView | None = None, *, load_ms: float | None = None
) -> CrokinoleReading:
    """Read one picture; ``view`` stands for a board solved before (a fixed camera's).

    ``hints`` are in the frame's pixels and completed by what its file says; ``load_ms``: what loading it took, for the
    record. Raises NotFoundError with the code no_board or board_unsure.
    """
    stages = {} if load_ms is None else {"load": load_ms}
    start = time.perf_counter()

    def lap(name: str) -> None:
        nonlocal start
        now = time.perf_counter()
        stages[name] = 1000 * (now - start)
        start = now

    unused = () if hints is None else hints.unused(saved=view is not None)
    if view is None:
        view = solve_view(frame, hints_for(frame, hints))
    lap("board")
    seen = read_discs(frame.pixels, view)
    lap("discs")
    if not view.scale.known:
        view, seen = scaled_by_discs(view, seen, None if hints is None else hints.disc_mm)
    radius = seen.disc_radius_mm, seen.disc_radius_sigma_mm
    discs, measured = measure_after(None, frame.pixels, view, seen.discs, radius=radius)
    discs = tuple(valued(d, seen.disc_radius_mm, view.board) if d.state == "board" else d for d in discs)
    lap("contacts")
    score = score_position(discs, seen.maybe, view.camera.share_outside(view.board.shooting), seen.covers)
    covers = cover_notes(frame, view, seen.covers)
    notes = (*frame.warnings, *view.warnings, *seen.warnings, *other_discs(view, measured), *covers, *unused)
    return CrokinoleReading(frame, view, discs, score, notes, stages, measured, seen.covers)

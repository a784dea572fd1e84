"""Turns a board's axes: as the JSON format defines them, or as they lay when the board was seen before."""

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.scale import Scale
from calibration.view import BoardView
from vision.frames import Frame
from vision.lens import Gray, Lens, quadrant_turn, turn_between, turned, upright_turn
from vision.video import as_luma

TURN_BELIEVED = 0.12
"""From this agreement of two pictures of one board on, the turn found between them is believed."""


@dataclass(frozen=True, slots=True)
class Sizing:
    """The size of a board as its first discs gave it: a factor for its mm, and the discs' radius then."""

    factor: float
    disc_radius: float
    scale: Scale

    def of(self, view: BoardView) -> BoardView:
        """The view, its millimetres as yet assumed, with those that the discs gave."""
        return view.scaled(self.factor, self.scale).with_discs(self.disc_radius)


def aligned(view: BoardView, frame: Frame, sizing: Sizing | None, before: tuple[Lens, Gray] | None) -> BoardView:
    """The view with its axes as the JSON format defines them: y up in the picture, quadrant lines on the diagonals.

    ``before``: the board as it was seen before; its axes are kept, whatever the camera does.
    """
    if sizing is not None:
        view = sizing.of(view)
    view = turned(view, upright_turn(view))
    gray = np.asarray(cv2.cvtColor(frame.pixels, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    turn = quadrant_turn(gray, view)
    if turn is not None:
        view = turned(view, turn)
    if before is None:
        return view
    lens, looked = before
    luma, to_plane = as_luma(frame)
    now = Lens(view, to_plane).look(luma)
    quarter = np.pi / 2
    steps = None if turn is None else (0.0, quarter, -quarter, 2 * quarter)
    by, agreement = turn_between(looked, now, lens, steps)
    if agreement < TURN_BELIEVED:
        return view
    if steps is not None:
        by = round(by / quarter) * quarter
    view = turned(view, by)
    return view.with_discs(lens.view.board.disc_radius)

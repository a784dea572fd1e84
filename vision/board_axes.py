"""How the axes of a board that was found lie: as the contract has them, and as before where it was seen before."""

from dataclasses import replace

import cv2
import numpy as np

from calibration.view import BoardView
from vision.frames import Frame
from vision.lens import Gray, Lens, quadrant_turn, turn_between, turned, upright_turn
from vision.video import as_luma

TURN_BELIEVED = 0.12
"""Agreement of two pictures of one board from which the turn between them is believed."""
Scale = tuple[float, float, str]
"""Factor for a board's millimetres, the discs' radius in mm then, and what gave them; "" while none did."""


def aligned(view: BoardView, frame: Frame, scale: Scale, before: tuple[Lens, Gray] | None) -> BoardView:
    """The view with its axes as the contract has them: y up in the picture, quadrant lines on the diagonals.

    ``before``: the board as it was seen before: its axes stay, whatever the camera.
    """
    if scale[2]:
        view = view.scaled(scale[0], scale[2])
        view = replace(view, board=replace(view.board, disc_radius=scale[1]))
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
    return replace(view, board=replace(view.board, disc_radius=lens.view.board.disc_radius))

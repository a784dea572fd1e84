"""The board where people say that it lies: four points on its outermost line, dragged onto the picture.

Four points of a circle in known directions fix the plane; the focal length is the one with which they fit best.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import BUILT_IN
from calibration.camera import Camera
from calibration.errors import UnusableInputError
from calibration.hints import NoBoard
from calibration.scale import Scale
from calibration.solve import find_board
from calibration.view import BoardView
from vision.frames import Frame

AZIMUTHS = np.radians([-90.0, 0.0, 90.0, 180.0])
"""Where the four points lie on the line: nearest the picture's bottom edge, right, far, left."""

FOCALS = np.geomspace(0.6, 2.4, 25)
"""Focal lengths tried, in the picture's longer side: wide phones to short telephotos."""

WORST_PX = 0.02
"""In shares of the picture's longer side: four points that no camera's view of a circle fits to this are refused."""

SMALLEST = 0.05
"""Of the picture's area: smaller boards can't be read."""


@dataclass(frozen=True)
class Found:
    """Result of the search for the board: the view, or the reason in words why there is none."""

    view: BoardView | None
    why: str = ""


def look_for_board(frame: Frame) -> Found:
    """Find the board in a frame."""
    found = find_board(frame.pixels)
    return Found(None, found.reason) if isinstance(found, NoBoard) else Found(found, "; ".join(found.warnings))


def handles(view: BoardView) -> NDArray[np.float64]:
    """Pixels (4, 2) of the four points on the outermost line."""
    return view.to_px(_points(view.board.shooting))


def view_from_handles(px: NDArray[np.float64], width: int, height: int) -> BoardView:
    """The view under which the outermost line runs through the four points (4, 2); refuses what no camera sees."""
    px = np.asarray(px, dtype=np.float64)
    wrong = UnusableInputError("the four points aren't on one circle as a camera sees it; drag them onto the line")
    if px.shape != (4, 2) or not np.isfinite(px).all() or np.abs(px).max() > 4 * max(width, height):
        raise wrong
    # in the order of the points the quadrangle must turn one way, and enclose something
    if not cv2.isContourConvex(px.astype(np.float32).reshape(-1, 1, 2)):
        raise wrong
    if cv2.contourArea(px.astype(np.float32)) < SMALLEST * width * height:
        raise wrong
    board = BUILT_IN["nca"]
    mm = np.column_stack([_points(board.shooting), np.zeros(4)])
    best: tuple[float, Camera] | None = None
    for share in FOCALS:
        focal = share * max(width, height)
        K = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
        solved, rvec, tvec = cv2.solvePnP(mm, px, K, np.zeros(5), flags=cv2.SOLVEPNP_IPPE)
        if not solved or float(np.asarray(tvec)[2, 0]) <= 0:
            continue
        camera = Camera(K, np.zeros(5), np.ravel(rvec), np.ravel(tvec), width, height, assumed=("set by hand",))
        miss = float(np.sqrt(((camera.project(mm) - px) ** 2).sum(axis=1).mean()))
        if camera.centre[2] > 0 and (best is None or miss < best[0]):
            best = (miss, camera)
    if best is None or best[0] > WORST_PX * max(width, height):
        raise wrong
    return BoardView(best[1], board, Scale("by_hand", detail="set by hand"), best[0], ("the board was set by hand",))


def _points(radius: float) -> NDArray[np.float64]:
    return radius * np.column_stack([np.cos(AZIMUTHS), np.sin(AZIMUTHS)])

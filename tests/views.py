"""Views of a tournament board through a camera that stands over it."""

import numpy as np

from calibration.boards import BUILT_IN
from calibration.camera import Camera
from calibration.scale import NCA_SCALE
from calibration.view import BoardView


def view_from_above(width: int, height: int, *, focal: float, away: float, tilt_deg: float = 0.0) -> BoardView:
    """A picture of that size in pixels, its middle over the board's; ``focal`` in pixels, ``away`` in mm."""
    K = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
    turn = np.array([np.pi - np.radians(tilt_deg), 0.0, 0.0])
    camera = Camera(K, np.zeros(5), turn, np.array([0.0, 0.0, away]), width, height)
    return BoardView(camera, BUILT_IN["nca"], NCA_SCALE, 0.1)

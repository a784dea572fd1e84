"""Whether a camera still stands where a saved view says: the line edges are looked for where they should be."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from calibration.boards import NCA_SHOOTING_MM
from calibration.circle_edges import circle_edges
from calibration.sampling import Image, build_pyramid
from calibration.view import BoardView

CHECK_WINDOW_MM = 4.0
CHECK_COVERAGE = 0.5
CHECK_RESIDUAL_PX = 1.2
"""The board is where the view says if more than this share of its line edges is found, and their RMS distance stays
below this. Once the camera has moved by 2 px or more, edges scatter over the whole window of CHECK_WINDOW_MM."""


@dataclass(frozen=True)
class Fit:
    """How well a saved view fits a new picture: share of line edges seen where expected, and their RMS distance in px.

    ``fault``: what keeps it from fitting; None where nothing does.
    """

    coverage: float
    residual_px: float
    fault: Literal["nothing_there", "moved"] | None

    @property
    def ok(self) -> bool:
        """Whether the board still lies where the view says."""
        return self.fault is None


def check_view(image: Image, view: BoardView) -> Fit:
    """Whether the board still lies where ``view`` (of this picture's size) says; image uint8 BGR."""
    pyramid = build_pyramid(image)
    scale = view.board.shooting / NCA_SHOOTING_MM
    cam = view.camera.scaled(1 / scale)
    seen, looked, squares, count = 0, 0, 0.0, 0
    width = max(1.2, 0.8 / cam.px_per_unit())
    for radius in view.board.radii:
        edges = circle_edges(pyramid, cam, radius / scale, "ridge", CHECK_WINDOW_MM, 120, width)
        seen, looked = seen + len(edges.angles), looked + edges.looked
        off = edges.offsets * edges.scale
        squares, count = squares + float((np.clip(off, -3, 3) ** 2).sum()), count + len(off)
    coverage = seen / looked if looked else 0.0
    residual = float(np.sqrt(squares / count)) if count else float("inf")
    if coverage <= CHECK_COVERAGE:
        return Fit(coverage, residual, "nothing_there")
    return Fit(coverage, residual, None if residual < CHECK_RESIDUAL_PX else "moved")

"""Does a set-up that was solved before still fit the picture? The lines are looked for where it says they are."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.circle_edges import circle_edges
from calibration.locate import build_pyramid
from calibration.view import BoardView

WINDOW_MM = 9.0
"""Lines are looked for this far beside their place: a knock moves them by less, and no other line is near."""

DIRECTIONS = 120
FILTER_MM = 1.5

MOVED_MM = 1.0
"""Typical distance of the lines above which the set-up no longer fits: beyond any wobble of painted lines (0.3 mm)."""

SEEN_SHARE = 0.35
"""Share of directions in which a line must be found; discs, arms and reflections hide up to half of one."""


@dataclass(frozen=True)
class Fit:
    """``offset_mm``: median distance of the lines found from their place; ``seen``: share of directions found."""

    offset_mm: float
    seen: float

    @property
    def found(self) -> bool:
        """Whether there are lines to speak of near where they should be."""
        return self.seen >= SEEN_SHARE

    @property
    def ok(self) -> bool:
        """Whether the set-up still fits."""
        return self.found and self.offset_mm <= MOVED_MM


def still_fits(image: NDArray[np.uint8], view: BoardView) -> Fit:
    """Compare a picture (H, W, 3) BGR uint8 with a view in its pixels."""
    pyramid = build_pyramid(image)
    offsets: list[NDArray[np.float64]] = []
    seen: list[float] = []
    for radius in view.board.radii:
        edges = circle_edges(pyramid, view.camera, radius, "ridge", WINDOW_MM, DIRECTIONS, FILTER_MM)
        offsets.append(np.abs(edges.offsets))
        seen.append(edges.coverage)
    every = np.concatenate(offsets)
    return Fit(float(np.median(every)) if len(every) else float("inf"), float(np.mean(seen)))

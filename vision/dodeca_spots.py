"""Which of a dodeca's spots is the one on top: that which is foreshortened as the other dodecas' top spots are.

All top faces of a table lie in one plane, so their round spots appear as one ellipse, whatever way each dodeca is
turned; the faces beside a top one slant by 63 degrees and show others. A find that lies between two spots, or on a
wrong one, is moved to the spot near it that fits.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice_nets import Found

Floats = NDArray[np.float64]

NEAR = 0.5
"""Way in sizes across flats within which a find's true spot may lie: the spots beside the top one lie 0.5 away."""
WINDOW = 0.75
"""Radius in sizes of what is looked at."""
VIVID, STRONG = 0.95, 0.5
"""A spot's pixels have at least this share of the colourfulness (largest less smallest channel) of the most vivid ones,
those at this quantile."""
AREAS = (0.02, 0.22)
"""Areas of spots in sizes squared: a disc of radius 0.13 to 0.25, foreshortened to a half."""
FILLED = 0.8
"""Share of its ellipse that a spot covers at least."""
SHAPE_SIGMA, WAY_SIGMA = 0.13, 0.16
"""Standard deviations of a top spot's shape about the common one, and of the finder's error in sizes."""
FEWEST = 3
"""Dodecas that must agree before there is a common shape."""
MISFIT, MISFIT_CHANCE = 9.0, 0.1
"""Largest misfit of a shape (three standard deviations), and what a misfit takes from the logarithm of the chance."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A coloured ellipse: its middle in pixels and its shape, ((xx - yy), 2 xy) / (xx + yy) of its second moments."""

    x: float
    y: float
    shape: tuple[float, float]


def spots_near(picture: NDArray[np.uint8], found: Found) -> list[Spot]:
    """The coloured ellipses near a find."""
    reach = int(WINDOW * found.edge) + 2
    h, w = picture.shape[:2]
    x0, y0 = max(0, int(found.x) - reach), max(0, int(found.y) - reach)
    part = picture[y0 : max(y0, min(h, int(found.y) + reach + 1)), x0 : max(x0, min(w, int(found.x) + reach + 1))]
    if min(part.shape[:2]) < 4:
        return []
    colourful = part.max(axis=2).astype(np.float32) - part.min(axis=2)
    gy, gx = np.mgrid[0 : part.shape[0], 0 : part.shape[1]]
    inside = np.hypot(gx - (found.x - x0), gy - (found.y - y0)) < WINDOW * found.edge
    if not inside.any():
        return []
    level = STRONG * float(np.quantile(colourful[inside], VIVID))
    count, labels, stats, middles = cv2.connectedComponentsWithStats((inside & (colourful > level)).astype(np.uint8))
    spots = []
    for label in range(1, count):
        area = stats[label, cv2.CC_STAT_AREA] / found.edge**2
        away = np.hypot(middles[label, 0] + x0 - found.x, middles[label, 1] + y0 - found.y)
        if not AREAS[0] < area < AREAS[1] or away > NEAR * found.edge:
            continue
        y, x = np.nonzero(labels == label)
        xx, xy, yy = np.cov(x, y)[[0, 0, 1], [0, 1, 1]] + (1 / 12, 0, 1 / 12)
        ellipse = 4 * np.pi * np.sqrt(max(xx * yy - xy * xy, 1e-9)) / found.edge**2
        if area > FILLED * ellipse:
            total = xx + yy
            shape = float((xx - yy) / total), float(2 * xy / total)
            spots.append(Spot(float(middles[label, 0]) + x0, float(middles[label, 1]) + y0, shape))
    return spots


def settled(picture: NDArray[np.uint8], finds: Sequence[Found]) -> list[Found]:
    """Finds moved to the spots that fit, their chances less where the shape doesn't."""
    near = [spots_near(picture, f) for f in finds]
    ways = [
        np.array([np.hypot(s.x - f.x, s.y - f.y) / f.edge for s in spots]) for f, spots in zip(finds, near, strict=True)
    ]
    shapes = [np.array([s.shape for s in spots]).reshape(-1, 2) for spots in near]
    firsts = [shape[way.argmin()] for shape, way in zip(shapes, ways, strict=True) if len(way)]
    if len(firsts) < FEWEST:
        return list(finds)
    common = np.median(firsts, axis=0)
    moved = list(finds)
    for _ in range(2):
        chosen = []
        for i, f in enumerate(finds):
            if not near[i]:
                continue
            misfit = np.minimum(np.square((shapes[i] - common) / SHAPE_SIGMA).sum(axis=1), MISFIT)
            k = int((misfit + np.square(ways[i] / WAY_SIGMA)).argmin())
            chosen.append(shapes[i][k])
            moved[i] = replace(
                f, x=near[i][k].x, y=near[i][k].y, chance=f.chance * float(np.exp(-MISFIT_CHANCE * misfit[k]))
            )
        common = np.median(chosen, axis=0)
    return moved

"""Where a die's face ends: whether a square around a find is of one colour inside its rim and of another one outside.

Printed pips look like a die's, but a playing card goes on around them; a die's face ends on all four sides, at its
other faces or at the table. A second opinion that doesn't hang on training.
"""

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice_nets import CROP_EDGES, CROP_PX, crop
from vision.dice_pips import FLATTENED, TURNS, foreshortened

Float32 = NDArray[np.float32]

TURN_SLACK = 1
"""Steps (7.5 degrees) by which the rim may be turned against the pips."""
SIZES = (0.75, 0.83, 0.92, 1.0, 1.1, 1.2)
"""Sizes tried, in the find's: what the networks leave open on dice unlike those that they learnt."""
INSIDE, OUTSIDE = (0.74, 0.82, 0.9), (1.12, 1.22, 1.32)
"""Distances from the middle, in half edges, of the two bands that are compared: beyond the pips, which reach to 0.75,
and beyond a rounded edge."""
ALONG = np.linspace(-0.66, 0.66, 9)
"""Where along a side they are compared, in half edges."""
FEW = len(OUTSIDE) * len(ALONG) // 4
"""Points of the outer band that may look like the face: a fourth of them. A mean would be content with half a side, as
where a square stands askew on a card."""
NOISE = 8.0
"""Grey levels by which one band may differ anyway: grain, and the way that light falls off over a face."""


@cache
def _places() -> tuple[Float32, Float32]:
    """Pixels x and y of the crop (flattenings, sizes, turns, 4 sides, 2 bands, points)."""
    unit, middle = CROP_PX / CROP_EDGES / 2, (CROP_PX - 1) / 2
    quarters = np.pi / 2 * np.arange(4)[None, :, None, None, None]
    turns = (np.pi / 2 / TURNS * np.arange(TURNS))[:, None, None, None, None] + quarters
    across = np.array([INSIDE, OUTSIDE])[None, None, :, :, None]
    x = across * np.cos(turns) - ALONG * np.sin(turns)
    y = across * np.sin(turns) + ALONG * np.cos(turns)
    sizes = np.array(SIZES)[:, None, None, None, None]
    xs, ys = (sizes * part.reshape(TURNS, 4, 2, -1) for part in (x, y))
    flats = np.array(FLATTENED)[:, None, None, None, None, None]
    return (
        np.asarray(middle + unit * np.broadcast_to(xs, (len(FLATTENED), *xs.shape)), np.float32),
        np.asarray(middle + unit * flats * ys, np.float32),
    )


def rim_contrast(
    picture: NDArray[np.uint8], x: float, y: float, edge: float, flat: float, turn: int | None = None
) -> float:
    """How clearly the face at (x, y), ``edge`` pixels, ends on all four sides: that of the faintest one.

    Difference of the bands' colours over what the inner band varies by, for the best of the squares tried. ``flat``:
    about how much the face is foreshortened; ``turn``: which of the TURNS its pips have, where known.
    """
    near = foreshortened(flat)
    turns = np.arange(TURNS) if turn is None else (turn + np.arange(-TURN_SLACK, TURN_SLACK + 1)) % TURNS
    xs, ys = (part[near][:, :, turns] for part in _places())
    sides = xs.shape[3:]
    rows = xs.size // int(np.prod(sides))
    patch = crop(picture, x, y, edge)
    seen = cv2.remap(patch, xs.reshape(rows, -1), ys.reshape(rows, -1), cv2.INTER_LINEAR)
    bands = np.asarray(seen, np.float32).reshape(rows, *sides, 3)
    inner = bands[:, :, 0].mean(axis=2, keepdims=True)
    varies = bands[:, :, 0].reshape(rows, -1, 3).std(axis=1).mean(axis=-1)
    away = np.abs(bands[:, :, 1] - inner).mean(axis=-1)
    contrast = np.partition(away, FEW, axis=2)[:, :, FEW].min(axis=1)
    return float((contrast / (NOISE + varies)).max())

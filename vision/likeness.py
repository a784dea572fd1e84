"""How much a place on the board looks as it did in an earlier picture, and by how much what lies there has shifted."""

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.lens import Gray, Lens

PATCH_MM = 26.0
"""Half the side of the patch that is compared about a disc."""
RIM_MM = 3.0
"""What is compared reaches this far beyond the disc's outline, where its edge and shadow are."""
GAIN_RANGE = (0.75, 1.33)
"""Factors by which light may change the contrast between two rests; a larger change means another object."""
ALIGN_STEPS = 6
"""Gauss-Newton steps in which a patch is followed."""
ALIGN_FARTHEST_MM = 7.0
"""Farther than this a disc isn't followed by its pixels alone."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How a patch of one picture looks in another.

    ``same``: correlation (-1..1) with nothing moved; ``moved``: after the best shift that was tried; ``shift`` in mm;
    ``step``: mean change in grey levels over the disc, light taken out.
    """

    same: float
    moved: float
    shift: tuple[float, float]
    step: float

    @property
    def far(self) -> float:
        """Length of the shift in mm."""
        return math.hypot(*self.shift)


def likeness(
    before: Gray, after: Gray, lens: Lens, mm: tuple[float, float], radius: float, follow_from: float = math.inf
) -> Likeness:
    """Compare the patch about a board point in two squares (FINE, FINE) uint8 of ``lens``.

    Where it has changed by ``follow_from`` grey levels or more, it is looked for nearby, which takes long, and its
    shift is told.
    """
    half = round(PATCH_MM / lens.mm_per_px)
    x, y = lens.to_px(np.array([mm]))[0]
    cx, cy = (int(np.clip(round(v), half + 8, lens.size - half - 9)) for v in (x, y))
    box = (slice(cy - half, cy + half + 1), slice(cx - half, cx + half + 1))
    a = cv2.GaussianBlur(before[box].astype(np.float32), (0, 0), 1.0)
    wide = (slice(cy - half - 8, cy + half + 9), slice(cx - half - 8, cx + half + 9))
    whole = cv2.GaussianBlur(after[wide].astype(np.float32), (0, 0), 1.0)
    yy, xx = np.mgrid[-half : half + 1, -half : half + 1]
    away = np.hypot(xx - (x - cx), yy - (y - cy)) * lens.mm_per_px
    weight = np.clip((radius + RIM_MM - away) / 2.0, 0.0, 1.0)
    inner = slice(8, -8)
    same, step = _agreement(a, whole[inner, inner], weight)
    if step < follow_from:
        return Likeness(same, same, (0.0, 0.0), step)
    gy, gx = np.gradient(a)
    shift = np.zeros(2)
    best, best_shift = same, shift.copy()
    for _ in range(ALIGN_STEPS):
        grid_x = (xx + half + 8 + shift[0]).astype(np.float32)
        grid_y = (yy + half + 8 + shift[1]).astype(np.float32)
        b = cv2.remap(whole, grid_x, grid_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        agreement, _ = _agreement(a, b, weight)
        if agreement > best:
            best, best_shift = agreement, shift.copy()
        w = np.sqrt(weight).ravel()
        columns = np.stack([a.ravel(), np.ones(a.size, np.float32), gx.ravel(), gy.ravel()], axis=1) * w[:, None]
        gain, _, dx, dy = np.linalg.lstsq(columns, b.ravel() * w, rcond=None)[0]
        if abs(gain) < 0.2:
            break
        # b(x) = gain * a(x - d) = gain * a - gain * grad a . d
        shift = shift - np.array([dx, dy]) / gain
        if np.hypot(*shift) * lens.mm_per_px > ALIGN_FARTHEST_MM:
            break
    moved = (float(best_shift[0] * lens.mm_per_px), float(-best_shift[1] * lens.mm_per_px))
    return Likeness(float(same), float(best), moved, step)


def _agreement(a: NDArray[Any], b: NDArray[Any], weight: NDArray[np.float64]) -> tuple[float, float]:
    """Weighted correlation of two patches, and the RMS difference left once gain and level are taken out."""
    total = weight.sum()
    if total <= 0:  # nothing of it is in the picture
        return 0.0, 0.0
    ma, mb = float((weight * a).sum() / total), float((weight * b).sum() / total)
    da, db = a - ma, b - mb
    va, vb = float((weight * da * da).sum() / total), float((weight * db * db).sum() / total)
    cov = float((weight * da * db).sum() / total)
    r = cov / math.sqrt(max(va, 0.25) * max(vb, 0.25))
    gain = float(np.clip(math.sqrt(max(vb, 1.0) / max(va, 1.0)), *GAIN_RANGE))
    return r, math.sqrt(max(gain * gain * va + vb - 2 * gain * cov, 0.0))

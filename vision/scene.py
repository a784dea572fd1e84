"""Whether the camera still shows the same scene: cuts, zooms and knocks change the picture as a whole."""

import math
from collections import deque

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.differences import upper_median
from vision.lens import Gray

BLOCKS = (32, 18)
"""The whole picture in blocks (columns, rows), for noticing that the camera has changed."""
BLOCK_STEP = 10.0
"""Grey levels by which a block has changed."""
SCENE_SHARE = 0.15
"""Share of blocks that change in a cut (0.86), a zoom (0.73) or a bump (0.23); everything else stays below 0.06."""
SCENE_LAG_S, SHAKE_LAG_S = 0.2, 0.1
"""A cut is a change against the picture this long before, a shake a shift against one this long before."""
SHAKE_PX = 0.2
"""A knock shifts the whole picture, thinned to some 256 columns, by this many pixels within SHAKE_LAG_S; hands, discs,
changing light and bands of flicker leave it where it was (0.02 px at most)."""
SHIFT_EVERY_S = 0.05
"""A shift is looked for no more often than this, since that takes some milliseconds."""
LOW_PASS = 15
DETAIL_CLIP = 0.3
"""Detail is what stands out from the mean over LOW_PASS pixels, in logarithms of grey levels so that light cancels. It
is capped here, so that a bright sleeve counts no more than a painted line."""
SHIFT_STEPS = 4
STRONG = 3.0
"""Squared gradients that count as edges, in multiples of the picture's median."""
REDUCED = 4
"""Shifts of several pixels are seen in pictures reduced so many times."""


class SceneGate:
    """Notices that the whole picture has changed."""

    def __init__(self) -> None:
        self._past: deque[tuple[float, NDArray[np.float32], Gray]] = deque()
        self.changed_at = -math.inf
        self._shift = (-math.inf, False)

    def look(self, luma: Gray, at: float) -> bool:
        """Take in a luma plane (h, w) uint8; True while a cut, a zoom or a bump is going on."""
        step = max(1, luma.shape[1] // 256)
        thin = np.array(luma[::step, ::step])
        # whole pixels a block, the remainder at two edges left out: that takes a tenth of the time
        whole = thin[: max(thin.shape[0] // BLOCKS[1], 1) * BLOCKS[1], : max(thin.shape[1] // BLOCKS[0], 1) * BLOCKS[0]]
        blocks = cv2.resize(whole, BLOCKS, interpolation=cv2.INTER_AREA).astype(np.float32)
        while len(self._past) > 1 and self._past[1][0] <= at - SCENE_LAG_S:
            self._past.popleft()
        changed = False
        if self._past:
            before = self._past[0][1]
            gain = upper_median((before + 8) / (blocks + 8))
            share = float(np.mean(np.abs(blocks * gain - before) > BLOCK_STEP))
            changed = share > SCENE_SHARE
        self._past.append((at, blocks, thin))
        if changed:
            self.changed_at = at
        return changed

    def shifted(self) -> bool:
        """Whether the picture has just shifted as a whole: the camera is being knocked or moved."""
        at, _, now = self._past[-1]
        if at - self._shift[0] < SHIFT_EVERY_S:
            return self._shift[1]
        self._shift = (at, self._shifts(at, now))
        return self._shift[1]

    def _shifts(self, at: float, now: Gray) -> bool:
        before = next((p[2] for p in reversed(self._past) if p[0] <= at - SHAKE_LAG_S), self._past[0][2])
        if before.shape != now.shape:
            return False
        if math.hypot(*shift_between(before, now)) >= SHAKE_PX:
            return True
        size = (max(now.shape[1] // REDUCED, 16), max(now.shape[0] // REDUCED, 16))
        before, now = (np.asarray(cv2.resize(p, size, interpolation=cv2.INTER_AREA), np.uint8) for p in (before, now))
        return math.hypot(*shift_between(before, now)) * REDUCED >= 1.0


def shift_between(before: Gray, now: Gray) -> tuple[float, float]:
    """Shift (x, y) in pixels of most of a picture (h, w) uint8 from ``before`` to ``now``; valid up to about one pixel.

    Robust least squares on gradients: what doesn't move along with most of the picture loses its weight.
    """
    a, b = _detail(before), _detail(now)
    gx, gy = (a[1:-1, 2:] - a[1:-1, :-2]) / 2, (a[2:, 1:-1] - a[:-2, 1:-1]) / 2
    change = b[1:-1, 1:-1] - a[1:-1, 1:-1]
    strong = gx * gx + gy * gy
    # edges say where things are, the rest is noise
    some = strong > min(float(strong.mean()), STRONG * upper_median(strong))
    slopes, change = np.column_stack([gx[some], gy[some]]).astype(np.float64), change[some].astype(np.float64)
    if len(change) < 16:
        return 0.0, 0.0
    shift: NDArray[np.float64] = np.zeros(2)
    for _ in range(SHIFT_STEPS):
        off = np.abs(change + slopes @ shift)
        weight = 1 / (1 + (off / (2 * (1.4826 * upper_median(off) + 1e-4))) ** 2)
        weighted = slopes * weight[:, None]
        shift = np.asarray(-np.linalg.solve(weighted.T @ slopes + 1e-9 * np.eye(2), weighted.T @ change), np.float64)
    return float(shift[0]), float(shift[1])


def _detail(picture: Gray) -> NDArray[np.float32]:
    """What stands out of its surroundings (h, w), in logarithms of grey levels."""
    logs = np.log(picture.astype(np.float32) + 8)
    clear = np.clip(logs - cv2.blur(logs, (LOW_PASS, LOW_PASS)), -DETAIL_CLIP, DETAIL_CLIP)
    return np.asarray(cv2.GaussianBlur(clear, (0, 0), 1.0), dtype=np.float32)

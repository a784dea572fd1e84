"""Whether the camera still shows what it showed: cuts, zooms and knocks change the picture as a whole."""

import math
from collections import deque

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.lens import Gray

BLOCKS = (32, 18)
"""The whole picture in blocks (columns, rows), for noticing that the camera has changed."""
BLOCK_STEP = 10.0
"""Grey levels by which a block has changed."""
SCENE_SHARE = 0.15
"""Share of blocks that change in a cut (0.86), a zoom (0.73) or a bump (0.23); everything else stays below 0.06."""
SCENE_LAG_S = 0.2
SHAKE_LAG_S = 0.1
SHAKE_PX, SHAKE_AGREES = 0.25, 0.3
"""A knock shifts the whole picture, thinned to some 256 columns, by so many pixels within SHAKE_LAG_S, with so much
agreement; what moves on the board or above it leaves the rest where it was (at most 0.1 px)."""


class SceneGate:
    """Notices that the whole picture has changed."""

    def __init__(self) -> None:
        self._past: deque[tuple[float, NDArray[np.float32], Gray]] = deque()
        self.changed_at = -math.inf

    def look(self, luma: Gray, at: float) -> bool:
        """Take in a luma plane (h, w) uint8; True while a cut, a zoom or a bump is going on."""
        step = max(1, luma.shape[1] // 256)
        thin = np.array(luma[::step, ::step])
        blocks = cv2.resize(thin, BLOCKS, interpolation=cv2.INTER_AREA).astype(np.float32)
        while len(self._past) > 1 and self._past[1][0] <= at - SCENE_LAG_S:
            self._past.popleft()
        changed = False
        if self._past:
            before = self._past[0][1]
            ratio = ((before + 8) / (blocks + 8)).ravel()
            gain = float(np.partition(ratio, ratio.size // 2)[ratio.size // 2])
            share = float(np.mean(np.abs(blocks * gain - before) > BLOCK_STEP))
            changed = share > SCENE_SHARE
        self._past.append((at, blocks, thin))
        if changed:
            self.changed_at = at
        return changed

    def shifted(self) -> bool:
        """Whether the picture has shifted as a whole of late: the camera is being knocked or moved."""
        at, _, now = self._past[-1]
        before = next((p[2] for p in reversed(self._past) if p[0] <= at - SHAKE_LAG_S), self._past[0][2])
        if before.shape != now.shape:
            return False
        window = cv2.createHanningWindow(now.shape[::-1], cv2.CV_32F)
        # the pictures are handed over as copies: the function multiplies them by the window in place
        (dx, dy), agrees = cv2.phaseCorrelate(before.astype(np.float32), now.astype(np.float32), window)
        return agrees >= SHAKE_AGREES and math.hypot(dx, dy) >= SHAKE_PX

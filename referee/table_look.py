"""What is wrong with the picture, in one word: dark, blurred, covered, moved. It never changes a score.

Works on the brightness at a low resolution, so that it costs next to nothing at any frame size.
"""

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frames import Frame

Look = Literal["good", "dark", "blurred", "exposure", "covered", "moved"]

BLOCKS = (32, 18)
LUMA_WIDTH = 320
CHANGED = 22.0
"""A block has changed if it differs from the calm table by this many grey levels: more than noise and flicker."""

COVERED_SHARE = 0.18
MOVED_SHARE = 0.15
CUT_SHARE = 0.7
"""Shares of changed blocks: hands and discs change up to 0.06, a bump 0.23, another place 0.73 and more; a head over
the board, which moves, lies between."""

STILL_SHARE = 0.02
MOVED_SECONDS = 3.0
COVERED_SECONDS = 0.8
BLUR_SHARE = 0.4
EXPOSURE_SHARE = 0.15
LEARN = 0.05


@dataclass(frozen=True, slots=True)
class Light:
    """Measures of one picture: mean brightness, sharpness, shares of blocks unlike the calm table and the last."""

    brightness: float
    sharpness: float
    changed: float
    moving: float


class TableLook:
    """Follows the picture; :attr:`look` is the word for now."""

    def __init__(self, dark_below: float, blurred_below: float) -> None:
        self._dark, self._blurred = dark_below, blurred_below
        self._calm: NDArray[np.float32] | None = None
        self._last: NDArray[np.float32] | None = None
        self._sharp = 0.0
        self._since: dict[str, float] = {}
        self.look: Look = "good"
        self.light = Light(0.0, 0.0, 0.0, 0.0)

    def see(self, frame: Frame) -> Look:
        """Look at one frame."""
        height, width = frame.pixels.shape[:2]
        small_size = (LUMA_WIDTH, max(1, round(LUMA_WIDTH * height / width)))
        small = cv2.resize(frame.pixels, small_size, interpolation=cv2.INTER_NEAREST)
        luma = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
        blocks = np.asarray(cv2.resize(luma, BLOCKS, interpolation=cv2.INTER_AREA), dtype=np.float32)
        brightness = float(blocks.mean())
        sharpness = float(cv2.Laplacian(luma, cv2.CV_32F).var())
        # a lamp or an exposure that changes everything alike is no change of the table
        level = blocks - np.float32(np.median(blocks))
        changed = 0.0 if self._calm is None else _share(level, self._calm)
        moving = 0.0 if self._last is None else _share(level, self._last)
        before = self.light.brightness
        self.light = Light(brightness, sharpness, changed, moving)
        self._last = level
        self.look = self._judge(frame.timestamp, before)
        if self.look == "good" and (self._calm is None or changed < MOVED_SHARE):
            self._calm = level if self._calm is None else (1 - LEARN) * self._calm + LEARN * level
            self._sharp = sharpness if not self._sharp else (1 - LEARN) * self._sharp + LEARN * sharpness
        return self.look

    def forget(self) -> None:
        """The board was found anew: what lies there now is the calm table."""
        self._calm = None
        self._sharp = 0.0
        self._since.clear()

    def _judge(self, at: float, before: float) -> Look:
        light = self.light
        if light.brightness < self._dark:
            return "dark"
        if light.sharpness < max(self._blurred, BLUR_SHARE * self._sharp):
            return "blurred"
        if before > self._dark and abs(light.brightness / before - 1) > EXPOSURE_SHARE and light.changed < MOVED_SHARE:
            return "exposure"
        still_elsewhere = light.changed > MOVED_SHARE and light.moving < STILL_SHARE
        if self._lasts("moved", still_elsewhere, at, MOVED_SECONDS):
            return "moved"
        covered = COVERED_SHARE < light.changed < CUT_SHARE
        return "covered" if self._lasts("covered", covered, at, COVERED_SECONDS) else "good"

    def _lasts(self, name: str, holds: bool, at: float, seconds: float) -> bool:
        if not holds:
            self._since.pop(name, None)
            return False
        return at - self._since.setdefault(name, at) >= seconds


def _share(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    return float((np.abs(a - b) > CHANGED).mean())

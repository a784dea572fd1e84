"""Where two pictures of the same resting thing differ, changes of light and coding noise left out."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Mask = NDArray[np.uint8]

LEAST_STEP, MOST_STEP = 6.0, 14.0
"""Grey levels by which the mean over 3 x 3 pixels has changed: coding noise stays below the first, and a disc of the
board's own colour that has moved by half a millimetre shows the second at its rim."""
NOISE_TIMES = 6.0
"""Between these two limits, a change must exceed the usual change, where nothing has happened, by this factor."""
LIGHT_SHARE, LIGHT_CLIP = 0.2, 12
"""Light is estimated over windows of this share of the picture's width; a pixel may bend the estimate by so many grey
levels at most."""
SPECK_PX = 14
"""Changes of fewer pixels are coding noise: a disc that moves by half a millimetre changes more at its rim."""
OFFSET = 8.0
"""Grey levels added before light is taken as a factor: the darkest pixels tell little about it."""
THINNED = 8
"""The overall change of exposure is estimated from every eighth row and column."""


def differs(before: Picture, now: Picture, where: Mask) -> Mask:
    """1 (n, n) where two pictures (n, n[, 3]) uint8 differ, of those pixels at which ``where`` isn't 0."""
    step = np.zeros(before.shape[:2], np.float32)
    window = (2 * round(LIGHT_SHARE * len(before) / 2) + 1,) * 2
    for a, b in zip(cv2.split(before), cv2.split(now), strict=True):
        thin = [p[::THINNED, ::THINNED].astype(np.float32) + OFFSET for p in (a, b)]
        gain = float(np.median(thin[1] / thin[0]))
        d = cv2.subtract(cv2.convertScaleAbs(a, alpha=gain, beta=OFFSET * (gain - 1)), b, dtype=cv2.CV_16S)
        light = cv2.blur(np.clip(d, -LIGHT_CLIP, LIGHT_CLIP), window)
        mean = cv2.blur(cv2.subtract(d, light, dtype=cv2.CV_32F), (3, 3))
        np.maximum(step, np.abs(mean), out=step)
    noise = 1.4826 * float(np.median(step[::4, ::4]))
    mask = (step > min(max(NOISE_TIMES * noise, LEAST_STEP), MOST_STEP)).astype(np.uint8) & where
    return without_specks(mask, SPECK_PX)


def upper_median(values: NDArray[Any]) -> float:
    """The upper median of numbers of any shape, found without sorting them all; 1 where there are none."""
    flat = values.ravel()
    return float(np.partition(flat, flat.size // 2)[flat.size // 2]) if flat.size else 1.0


def without_specks(mask: Mask, least_px: int) -> Mask:
    """The mask (n, n) without its patches of fewer pixels."""
    out = np.zeros_like(mask)
    if cv2.countNonZero(mask) < least_px:
        return out
    x, y, w, h = cv2.boundingRect(mask)  # most of two pictures is alike
    box = (slice(y, y + h), slice(x, x + w))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask[box], connectivity=8)
    keep = stats[:, cv2.CC_STAT_AREA] >= least_px
    keep[0] = False
    out[box] = keep[labels]
    return out

"""Sampling a picture along the board: an image pyramid, and rays of samples out from the board's centre."""

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array, Camera

Image = NDArray[np.uint8]

SMALLEST_LEVEL = 500
"""Longest side in px below which the pyramid isn't continued."""

LEVEL_BIAS = 0.3
"""Of an octave: a sample may be 1.6 px wide before the next coarser level is taken; less aliases, more blurs thin
lines."""

SPACED = 4
"""The spacing of samples in the picture is measured on every fourth ray only."""

NARROWEST_LEVEL = 8
"""Smaller side in pixels that a level has at least: strips are not halved to nothing."""


def build_pyramid(image: Image) -> list[Image]:
    """The picture (uint8 BGR) at 1, 1/2, 1/4 ... of its size; pixel centres at integers in each."""
    levels = [image]
    while max(levels[-1].shape) > SMALLEST_LEVEL and min(levels[-1].shape[:2]) >= 2 * NARROWEST_LEVEL:
        h, w = levels[-1].shape[:2]
        levels.append(
            np.asarray(cv2.resize(levels[-1], (w // 2, h // 2), interpolation=cv2.INTER_AREA), dtype=np.uint8)
        )
    return levels


def sample_rays(
    pyramid: list[Image], cam: Camera, angles: Array, radii: Array
) -> tuple[Image, tuple[Array, Array], NDArray[np.bool_]]:
    """Sample the picture at board points given by angles (N,) in radians and radii (M,).

    Returns BGR samples (N, M, 3), their pixels' x and y (N, M) in the full picture, and which lie in the frame (N, M).
    The pyramid's level is chosen so that neighbouring samples along a ray are about a pixel apart in it.
    """
    x, y = cam.pixels_of(np.cos(angles)[:, None] * radii, np.sin(angles)[:, None] * radii)
    some = slice(None, None, SPACED)
    spacing = float(np.median(np.hypot(np.diff(x[some], axis=1), np.diff(y[some], axis=1))))
    level = int(np.clip(np.floor(np.log2(max(spacing, 1.0)) + LEVEL_BIAS), 0, len(pyramid) - 1))
    inside = (x > 1) & (y > 1) & (x < cam.width - 2) & (y < cam.height - 2)
    s = 0.5**level
    at = [(v * s + (s - 1) / 2).astype(np.float32) for v in (x, y)]
    return np.asarray(cv2.remap(pyramid[level], at[0], at[1], cv2.INTER_LINEAR), dtype=np.uint8), (x, y), inside


def between(values: Array, at: Array) -> Array:
    """Rows (N, M, C) of samples interpolated at fractional places (N, K): (N, K, C); the ends go on beyond them."""
    low = np.clip(np.floor(at).astype(int), 0, values.shape[1] - 2)
    share = np.clip(at - low, 0, 1)[..., None]
    row = np.arange(len(values))[:, None]
    return np.asarray(values[row, low] * (1 - share) + values[row, low + 1] * share)

"""Where a painted line begins and ends, from the mean colour profile across it.

A line is left | ink | right in light; lens, pixels, gloss, tone curve and sharpening make a smooth dip of it. A line
hardly wider than the blur can't be told from a narrower, darker one, so what a camera may have done is drawn by chance
in training (``training/train_lines.py``) and what that leaves open is in the network's sigmas.
"""

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array
from vision.networks import answer

OUTPUTS = 2
MIDDLE_UNIT_MM = 0.3
MIDDLE_MAX_MM = 0.6
"""Largest error of a calibrated radius that training has seen."""
LOG_SIGMA_MIN = -5.0
SPAN_MIN = 5.0
"""Grey values by which a profile must range: less shows no line."""
UNKNOWN = (0.3, 0.5)
"""Standard deviation of a middle in mm and of a log width where no line is seen."""


def network_input(profiles: Array, detail: Array) -> NDArray[np.float32]:
    """Input (N, 3 S + 4) of the network for profiles (N, S, 3) in 0..255 and pixels a millimetre across (N,).

    Values about each profile's own middle and range, which go in beside the detail: as curves they look alike.
    """
    value = profiles / 255
    low, high = value.min(axis=(1, 2)), value.max(axis=(1, 2))
    span = np.maximum(high - low, 1e-3)
    shape = (value - low[:, None, None]) / span[:, None, None] * 2 - 1
    rest = np.column_stack([np.log(detail), low * 2 - 1, high * 2 - 1, np.log(span)])
    return np.concatenate([shape.reshape(len(profiles), -1), rest], axis=1).astype(np.float32)


def read_lines(profiles: Array, detail: Array) -> tuple[Array, Array]:
    """Middles in mm and log widths (N, 2) of lines with profiles (N, S, 3) in 0..255, and their sigmas (N, 2)."""
    said = answer("lines", network_input(profiles, detail)).astype(np.float64)
    sigma = np.exp(np.clip(said[:, OUTPUTS:], LOG_SIGMA_MIN, 2.0))
    seen = np.ptp(profiles, axis=(1, 2)) >= SPAN_MIN
    return said[:, :OUTPUTS] * [MIDDLE_UNIT_MM, 1.0], np.where(seen[:, None], sigma, UNKNOWN)

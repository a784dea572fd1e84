"""Where painted lines begin and end, from mean colour profiles across all three lines of a board together.

A line is a box of ink between two levels of board; lens, pixels, gloss, tone curve and sharpening turn it into a smooth
dip. By its own profile, a line hardly wider than the blur can't be told from a narrower, darker one. But all lines of a
board have one width and ink, seen by one camera at several distances, here on wood and there beside a filled ring. So a
small network looks at them together. Training draws by chance what a camera may have done
(``training/train_lines.py``); what that leaves open is in the network's sigmas.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array
from vision.networks import answer

LINES, GROUPS = 3, 3
"""Lines of a board, and mean profiles a line, ordered by how many pixels a mm of it got."""
PROFILES = LINES * GROUPS
MIDDLE_UNIT_MM = 0.3
MIDDLE_MAX_MM = 0.6
"""Largest error of a calibrated radius that training has seen."""
LOG_SIGMA = (-5.0, 2.0)
"""Bounds of the log of a standard deviation, as in training."""
SPAN_MIN = 5.0
"""Grey values by which a profile must range: less shows no line."""


@dataclass(frozen=True)
class Profiles:
    """Mean profiles across the lines of a board, GROUPS a line in order of their detail.

    ``colour`` (PROFILES, S, 3) BGR in 0..255, ``detail`` (PROFILES,) in pixels a millimetre across the line,
    ``seen`` (LINES,): whether enough of a line shows; what belongs to others is not used.
    """

    colour: Array
    detail: Array
    seen: NDArray[np.bool_]


@dataclass(frozen=True)
class LinesRead:
    """What the network says, each with its standard uncertainty.

    ``middle`` (PROFILES,) in mm off the calibrated radius; ``log_width`` of all lines in mm.
    """

    middle: Array
    middle_sigma: Array
    log_width: float
    log_width_sigma: float


def network_input(boards: Profiles) -> NDArray[np.float32]:
    """Input (N, 3 S + 5, PROFILES, 1) of the network for N boards: ``colour`` (N, PROFILES, S, 3) and so on.

    Values about each profile's own middle and range, which go in beside the detail: as curves they look alike.
    """
    value = boards.colour / 255
    low, high = value.min(axis=(2, 3)), value.max(axis=(2, 3))
    span = np.maximum(high - low, 1e-3)
    shape = (value - low[..., None, None]) / span[..., None, None] * 2 - 1
    rest = np.stack([np.log(boards.detail), low * 2 - 1, high * 2 - 1, np.log(span)], axis=-1)
    seen = np.repeat(boards.seen, GROUPS, axis=1)[..., None]
    every = np.concatenate([np.concatenate([shape.reshape(*value.shape[:2], -1), rest], axis=-1) * seen, seen], axis=-1)
    return np.ascontiguousarray(every.transpose(0, 2, 1)[..., None], dtype=np.float32)


def read_lines(board: Profiles) -> LinesRead:
    """Read the lines of one board."""
    one = Profiles(board.colour[None], board.detail[None], board.seen[None])
    said = answer("lines", network_input(one)).reshape(2, PROFILES + 1).astype(np.float64)
    sigma = np.exp(np.clip(said[1], *LOG_SIGMA))
    return LinesRead(said[0, :-1] * MIDDLE_UNIT_MM, sigma[:-1], float(said[0, -1]), float(sigma[-1]))

"""Which dice lean: those whose axis points another way than the axes of the dice that lie flat on the same table.

From above a cocked die and a flat one look alike; what tells them apart is the company they are in. The reader gives,
for each die, where its foot (the middle of the face opposite the top one) appears; of dice that lie flat these offsets
belong to one normal of the table, seen by one camera. The normal is chosen among those that the dice themselves
propose, for each of several focal lengths, and each die is weighed: flat, within the reader's error, or leaning any
way. Which focal length it is stays open: each counts as far as it explains the dice.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FOCALS = (0.8, 1.2, 2.0, 4.0)
"""Focal lengths tried, in the picture's longer sides: wide phones to telephoto."""
FLAT_SIGMA = 0.07
"""Error of a foot's offset in edges, either way, of dice."""
ERRORS = (0.9, FLAT_SIGMA), (0.1, 0.2)
"""Shares of dice with their errors: a tenth are unlike any that the reader knows (on drawn dice that it wasn't taught
on, a tenth of the feet are off by more than 0.25). With one error of 0.06 for all, flat ones of photographs were taken
to lean."""
LEAN_SIGMA = 0.4
"""Spread of the offsets of leaning dice about the flat one: leaning by 24 degrees moves the foot by sin 24 = 0.4."""
ROLL_SIGMA = 0.25
"""How far the table's normal may point sideways in the picture (sine): cameras are held about level."""
LEAST = 0.02
"""What the reader's own opinion may say at most, either way."""


def proposed(foot: Floats, place: Floats) -> Floats:
    """Axes (N, 2), x and y in the camera's frame, of dice with feet at ``foot`` (N, 2) edges from their tops.

    ``place``: tops (N, 2) from the picture's middle in focal lengths.
    """
    axis = -foot
    for _ in range(4):  # the perspective's part depends on the axis itself
        axis = -foot - place * _towards(axis)[:, None]
    return axis


def expected(axis: Floats, place: Floats) -> Floats:
    """Offsets (M, N, 2) of the feet in edges of flat dice at places (N, 2) for axes (M, 2) of the table."""
    return np.asarray(-axis[:, None] - place[None] * _towards(axis)[:, None, None])


def _towards(axis: Floats) -> Floats:
    """Third component (N,), towards the camera, of unit axes of which two are known."""
    return np.asarray(np.sqrt(np.clip(1 - np.square(axis).sum(axis=-1), 0.0, 1.0)))


def leaning(
    foot: Floats,
    points: Floats,
    opinion: Floats,
    width: int,
    height: int,
    errors: tuple[tuple[float, float], ...] = ERRORS,
) -> Floats:
    """Probabilities (N,) that dice lean, from their feet (N, 2) in edges, their tops (N, 2) in pixels of the picture
    and the reader's own opinion (N,) of each; ``errors``: shares of the dice and the errors of their feet."""
    p = np.clip(opinion, LEAST, 1 - LEAST)
    if len(foot) < 2:
        return np.asarray(p)
    worths, shares = [], []
    for focal in FOCALS:
        place = (points - (width / 2, height / 2)) / (focal * max(width, height))
        axes = proposed(foot, place)
        away = np.square(foot[None] - expected(axes, place)).sum(axis=-1)
        flat = np.log(1 - p) + np.logaddexp.reduce([np.log(q) + _log_density(away, s) for q, s in errors])
        lean = np.log(p) + _log_density(away, LEAN_SIGMA)
        worth = np.logaddexp(flat, lean).sum(axis=1) - 0.5 * np.square(axes[:, 0] / ROLL_SIGMA)
        k = int(worth.argmax())
        worths.append(float(worth[k]))
        shares.append(1 / (1 + np.exp(np.clip(flat[k] - lean[k], -60, 60))))
    weights = np.exp(np.array(worths) - max(worths))
    return np.asarray(weights @ np.array(shares) / weights.sum())


def _log_density(away: Floats, sigma: float) -> Floats:
    """Of squared distances ``away`` from the middle of a round bell of two dimensions, but for a constant."""
    return np.asarray(-away / (2 * sigma**2) - 2 * np.log(sigma))

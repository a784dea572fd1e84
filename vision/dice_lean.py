"""Which dice lean: those whose axis points another way than the axes of the dice that lie flat on the same table.

From above a cocked die and a flat one look alike; what tells them apart is the company they are in. The reader gives,
for each die, where its foot (the middle of the face opposite the top one) appears, and its pips how its top is slanted
(vision/dice_slant.py); of dice that lie flat both belong to one normal of the table, seen by one camera. The normal is
chosen among those that the dice themselves propose, for each of several focal lengths, and each die is weighed: flat,
within the errors of both, or leaning any way. Which focal length it is stays open: each counts as far as it explains
the dice.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.dice_slant import Slant, slants

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
"""Spread, in edges, of a leaning die's foot about a flat one's: leaning by 24 degrees moves it by sin 24 = 0.4."""
ROLL_SIGMA = 0.25
"""How far the table's normal may point sideways in the picture (sine): cameras are held about level."""
LEAST = 0.02
"""The reader's own probability of leaning is kept this far from 0 and from 1."""
ASTRAY, ASTRAY_SIGMA = 0.08, 0.35
"""Share of slants that are off by any amount, fits to another layout than the face's, and their spread."""
SMALL = 1e-30
"""A density below this is as good as none."""
FEET_STEP, FEET_REACH = 0.05, 1.2
"""Feet of leaning dice that are weighed, in edges: every 0.05, below their errors, as far as any foot can lie: 1, and
more towards the rim of a wide picture."""


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
    seen: Sequence[Slant | None] = (),
) -> Floats:
    """Probabilities (N,) that dice lean.

    From their feet (N, 2) in edges, their tops (N, 2) in pixels of the picture, the reader's own ``opinion`` (N,) of
    each and the slants ``seen`` of all faces, where they are known at all. ``errors``: shares of the dice and the
    errors of their feet.
    """
    p = np.clip(opinion, LEAST, 1 - LEAST)
    if len(foot) < 2:
        return np.asarray(p)
    steps = np.arange(-FEET_REACH, FEET_REACH + FEET_STEP / 2, FEET_STEP)
    feet = np.stack(np.meshgrid(steps, steps), axis=-1)
    at_feet = _by_feet(feet - foot[:, None, None], errors)
    worths, shares = [], []
    for focal in FOCALS:
        place = (points - (width / 2, height / 2)) / (focal * max(width, height))
        could = _turned_here(feet, place)
        here = at_feet * could
        for i, slant in enumerate(seen):
            here[i] *= _by_slant(slant, feet, place[i])
        best = feet.reshape(-1, 2)[here.reshape(len(foot), -1).argmax(axis=1)]
        axes = np.concatenate([proposed(foot, place), proposed(best, place)])
        there = expected(axes, place)
        at_there = _by_feet(foot - there, errors)
        for i, slant in enumerate(seen):
            at_there[:, i] *= _by_slant(slant, there[:, i], place[i])
        flat = np.log(np.maximum((1 - p) * at_there, SMALL))
        lean = np.log(np.maximum(p * _over_all(here, could, steps, there), SMALL))
        worth = np.logaddexp(flat, lean).sum(axis=1) - 0.5 * np.square(axes[:, 0] / ROLL_SIGMA)
        k = int(worth.argmax())
        worths.append(float(worth[k]))
        shares.append(1 / (1 + np.exp(np.clip(flat[k] - lean[k], -60, 60))))
    weights = np.exp(np.array(worths) - max(worths))
    return np.asarray(weights @ np.array(shares) / weights.sum())


def _turned_here(feet: Floats, place: Floats) -> NDArray[np.bool_]:
    """Which feet (y, x, 2) tops that face the camera can have at places (N, 2): (N, y, x)."""
    across = np.einsum("yxk,nk->nyx", feet, place)
    steep = np.square(feet).sum(axis=-1) - np.square(across) / (1 + np.square(place).sum(axis=-1))[:, None, None]
    return np.asarray(steep < (1 + FEET_STEP / 2) ** 2)


def _by_feet(off: Floats, errors: tuple[tuple[float, float], ...]) -> Floats:
    """Density (...) of feet that are off by (..., 2) edges."""
    away = np.square(off).sum(axis=-1)
    return np.asarray(sum(share * _density(away, sigma) for share, sigma in errors))


def _by_slant(slant: Slant | None, feet: Floats, place: Floats) -> Floats:
    """Density (...) of a face's slant if its foot lies at ``feet`` (..., 2); 1 where none is known."""
    if slant is None:
        return np.ones(feet.shape[:-1])
    x, y = np.moveaxis(slant.seen - slants(feet, place), -1, 0)
    (a, b), (_, c) = np.linalg.inv(slant.error)
    near = np.exp(-0.5 * (a * x * x + 2 * b * x * y + c * y * y)) / np.sqrt(np.linalg.det(slant.error))
    return np.asarray((1 - ASTRAY) * near + ASTRAY * _density(x * x + y * y, ASTRAY_SIGMA))


def _over_all(here: Floats, could: NDArray[np.bool_], steps: Floats, flat: Floats) -> Floats:
    """Density (M, N) of what is seen of leaning dice, over all feet that they could have.

    ``here``: densities (N, y, x) for feet at ``steps`` in edges, either way, where feet ``could`` lie (N, y, x);
    ``flat``: where they would lie if the dice lay flat (M, N, 2).
    """
    x, y = np.exp(-np.square(flat.T[..., None] - steps) / (2 * LEAN_SIGMA**2))  # (N, M, steps) each
    sums, all_ = (((y @ each) * x).sum(axis=-1).T for each in (here, could.astype(np.float64)))
    return np.asarray(sums / np.maximum(all_, SMALL))


def _density(away: Floats, sigma: float) -> Floats:
    """Density, up to a constant factor, of a round normal law in two dimensions at squared distances ``away``."""
    return np.asarray(np.exp(-away / (2 * sigma**2)) / sigma**2)

"""The focal length of a camera that looks straight down, where circles can hardly separate it from the distance.

When focal length, distance and tilt change together, the fit to the edges hardly changes: the objective has a long,
flat, bent valley in which least squares may stop anywhere. So the focal length is held at several values and everything
else is fitted at each (the profile likelihood; Venzon & Moolgavkar, "A method for computing profile-likelihood-based
confidence intervals", 1988); the minimum of a parabola through the best three is the answer.
"""

from dataclasses import dataclass, replace

import numpy as np

from calibration.adjust import Adjusted, Observations, Priors, adjust, compared
from calibration.camera import Array

FLAT_DEG = 17.0
"""Largest tilt at which the search is needed; beyond it the circles give the focal length to about 2 %."""
SPREAD = 0.25
"""Spacing of the first three values (natural logarithm): about as much as cameras differ."""
STEPS, DAMPING = 8, 1e-6
"""Least squares at each value: number of steps, and hardly any damping, since principal point and tilt form a valley
of their own."""
MORE = 4
"""At most so many values are tried after the first three."""
NEAR = 0.015
"""A value this close (natural logarithm) to one already tried isn't worth another fit: the focal length can be known to
10 % at best."""


@dataclass(frozen=True, eq=False)
class _Tried:
    """Fits with the focal length held, in the order of its logarithm ``at``."""

    at: list[float]
    fits: list[Adjusted]

    def with_one(self, at: float, fit: Adjusted) -> "_Tried":
        k = int(np.searchsorted(self.at, at))
        return _Tried([*self.at[:k], at, *self.at[k:]], [*self.fits[:k], fit, *self.fits[k:]])


def settled(fit: Adjusted, obs: Observations, priors: Priors) -> Adjusted:
    """Return the fit whose focal length agrees best with edge places and priors, everything else fitted to it.

    ``fit``: where the search begins. Deterministic.
    """
    start = float(np.log(fit.camera.K[0, 0]))
    tried = _Tried([start], [_held(fit, start, obs, priors)])
    for at in (start - SPREAD, start + SPREAD):
        tried = tried.with_one(at, _held(tried.fits[0 if at < start else -1], at, obs, priors))
    costs = compared(tried.fits, obs, priors)
    for _ in range(MORE):
        at = _next(tried.at, costs)
        if min(abs(at - known) for known in tried.at) < NEAR:
            break
        near = tried.fits[int(np.argmin(np.abs(np.array(tried.at) - at)))]
        tried = tried.with_one(at, _held(near, at, obs, priors))
        costs = compared(tried.fits, obs, priors)
    best = tried.fits[int(np.argmin(costs))]
    return adjust(best.camera, best.radii, obs, priors, steps=0)


def _held(fit: Adjusted, at: float, obs: Observations, priors: Priors) -> Adjusted:
    """Fit everything else with the logarithm of the focal length held at ``at``."""
    camera = fit.camera.at_focal(float(np.exp(at)))
    return adjust(camera, fit.radii, obs, replace(priors, log_focal_sigma=0.0), STEPS, DAMPING)


def _next(at: list[float], costs: Array) -> float:
    """Return the value to try next.

    It is the minimum of a parabola through the best one and its neighbours; a best one at an end is stepped beyond.
    """
    k = int(np.argmin(costs))
    if k == 0:
        return at[0] - SPREAD
    if k == len(at) - 1:
        return at[-1] + SPREAD
    (a, b, c), (fa, fb, fc) = at[k - 1 : k + 2], costs[k - 1 : k + 2]
    below = (b - a) * (fb - fc) - (b - c) * (fb - fa)
    return b if abs(below) < 1e-12 else float(b - 0.5 * ((b - a) ** 2 * (fb - fc) - (b - c) ** 2 * (fb - fa)) / below)

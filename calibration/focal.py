"""The focal length of a camera that looks straight down, where circles hardly tell it from the distance.

Along a change of focal length, distance and tilt together the edges' fit hardly changes: a valley, long, flat and bent,
in which steps of least squares come to a halt anywhere. So the focal length is held at several values, everything else
fitted at each (the profile of the likelihood; Venzon & Moolgavkar, "A method for computing profile-likelihood-based
confidence intervals", 1988), and the least of a parabola through the best three taken.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.adjust import Adjusted, Observations, Priors, adjust, compared

FLAT_DEG = 17.0
"""A camera that looks down more steeply than this is searched: farther aside a focal length is known to some 2 %."""
SPREAD = 0.25
"""Steps of the first three values, in the logarithm: about what cameras differ by."""
STEPS, DAMPING = 8, 1e-6
"""Of least squares at each value, hardly damped: principal point and tilt make a valley of their own."""
MORE = 4
"""Values tried after the first three at most."""
NEAR = 0.015
"""A value so near, in the logarithm, to one that was tried changes nothing: known it is to a tenth at best."""


@dataclass(frozen=True, eq=False)
class _Tried:
    """Fits with the focal length held, by its logarithm, in order."""

    at: list[float]
    fits: list[Adjusted]

    def with_one(self, at: float, fit: Adjusted) -> "_Tried":
        k = int(np.searchsorted(self.at, at))
        return _Tried([*self.at[:k], at, *self.at[k:]], [*self.fits[:k], fit, *self.fits[k:]])


def settled(fit: Adjusted, fixed: NDArray[np.bool_], obs: Observations, priors: Priors) -> Adjusted:
    """The fit whose focal length, everything else fitted to it, agrees best with edge places and priors.

    ``fit``: from where the search begins; ``fixed`` (C,): circles whose radii stay. Deterministic.
    """
    start = float(np.log(fit.camera.K[0, 0]))
    tried = _Tried([start], [_held(fit, start, fixed, obs, priors)])
    for at in (start - SPREAD, start + SPREAD):
        tried = tried.with_one(at, _held(tried.fits[0 if at < start else -1], at, fixed, obs, priors))
    costs = compared(tried.fits, fixed, obs, priors)
    for _ in range(MORE):
        at = _next(tried.at, costs)
        if min(abs(at - known) for known in tried.at) < NEAR:
            break
        near = tried.fits[int(np.argmin(np.abs(np.array(tried.at) - at)))]
        tried = tried.with_one(at, _held(near, at, fixed, obs, priors))
        costs = compared(tried.fits, fixed, obs, priors)
    best = tried.fits[int(np.argmin(costs))]
    return adjust(best.camera, best.radii, fixed, obs, priors, steps=0)


def _held(fit: Adjusted, at: float, fixed: NDArray[np.bool_], obs: Observations, priors: Priors) -> Adjusted:
    """Everything else fitted with the logarithm of the focal length held at ``at``."""
    camera = fit.camera.at_focal(float(np.exp(at)))
    return adjust(camera, fit.radii, fixed, obs, replace(priors, log_focal_sigma=0.0), STEPS, DAMPING)


def _next(at: list[float], costs: NDArray[np.float64]) -> float:
    """Where to look next: the least of a parabola through the best value and its neighbours, or beyond the end."""
    k = int(np.argmin(costs))
    if k == 0:
        return at[0] - SPREAD
    if k == len(at) - 1:
        return at[-1] + SPREAD
    (a, b, c), (fa, fb, fc) = at[k - 1 : k + 2], costs[k - 1 : k + 2]
    below = (b - a) * (fb - fc) - (b - c) * (fb - fa)
    return b if abs(below) < 1e-12 else float(b - 0.5 * ((b - a) ** 2 * (fb - fc) - (b - c) ** 2 * (fb - fa)) / below)

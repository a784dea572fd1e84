"""Bundle adjustment of one camera over concentric circles: pose, focal length, lens and the circles' own radii.

The residual of an edge place is the distance in pixels, along the radius, of its point on the board from its circle.
A turn about the board's normal and a common scale can't be seen in circles; both stay as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array, Camera
from calibration.derivatives import radii_seen

CAMERA_NAMES = ("turn_x", "turn_y", "x", "y", "log_z", "log_focal", "k1", "k2", "cx", "cy")
POSE = 5
"""The first five of CAMERA_NAMES are always free: two turns, two shifts as shares of the distance, and the logarithm of
the distance. The distance grows with the focal length, so that the board keeps its size in the picture and a step of
``log_focal`` changes only what the picture hardly shows."""

CAUCHY_PX = 0.6
"""Residual in pixels beyond which an edge place counts less and less: discs, posts and hands over a line."""

CORRELATED = 50.0
"""Neighbouring edge places share their errors (grain, hand-painted lines): so many count as one against the priors."""

NOISE_FLOOR_PX = 0.03
"""Edge places are never taken to be more precise than this (RMS), however smooth the picture."""

STEPS, TRIES = 8, 5
"""Gauss-Newton steps at most, and dampings tried for each of them (ten times as much every time)."""
DAMPING, DAMPING_LEAST = 1e-4, 1e-9
"""Levenberg-Marquardt damping of the first step, and its floor. With less, the first step from a rough start goes
astray; near the solution, damping only slows down what circles hardly determine: focal length and principal point."""
CONVERGED = 1e-5
"""Relative decrease of the objective below which no further step is taken."""


@dataclass(frozen=True)
class Priors:
    """Prior values and standard deviations of the parameters, which circles alone may not determine.

    ``log_focal``: logarithm of the focal length in px; ``radius``, ``radius_sigma`` (C,): the circles' radii in mm;
    ``k1``, ``k2``: the lens's radial terms, about 0; ``centre``: the principal point in px, about the picture's middle.
    A sigma of 0 holds a parameter where it starts, an infinite one leaves it free. At least one radius must be held,
    since circles don't show their scale.
    """

    log_focal: float
    log_focal_sigma: float
    radius: Array
    radius_sigma: Array
    k1_sigma: float = 0.0
    k2_sigma: float = 0.0
    centre_sigma: float = 0.0


@dataclass(frozen=True)
class Observations:
    """Edge places of all circles: pixels (N, 2), circle numbers (N,), px per mm along the radius (N,), weights (N,)."""

    px: Array
    circle: NDArray[np.int64]
    scale: Array
    weight: Array


@dataclass(frozen=True)
class Adjusted:
    """A camera with circle radii (C,) in mm, the covariance of all free parameters, and how well edges fit.

    ``residuals`` (N,) in px are in the order of the observations; ``rms_px`` is their weighted RMS. ``free`` names the
    parameters in the order of ``covariance``: those of CAMERA_NAMES that were free, then ``radius_0``, ``radius_1`` ...
    of the circles.
    """

    camera: Camera
    radii: Array
    rms_px: float
    residuals: Array = field(repr=False)
    free: tuple[str, ...]
    covariance: Array = field(repr=False)


def move(cam: Camera, x: Array) -> Camera:
    """Move the camera by parameters x (10,) in the order of CAMERA_NAMES."""
    turn = np.asarray(cv2.Rodrigues(np.array([x[0], x[1], 0.0]))[0], dtype=np.float64)
    stretch = np.exp(x[4] + x[5])  # the board's centre stays on its ray while the distance changes
    z = cam.tvec[2] * stretch
    t = np.array([cam.tvec[0] * stretch + x[2] * z, cam.tvec[1] * stretch + x[3] * z, z])
    K = cam.K.copy()
    K[0, 0] *= np.exp(x[5])
    K[1, 1] *= np.exp(x[5])
    K[0, 2] += x[8]
    K[1, 2] += x[9]
    dist = cam.dist.copy()
    dist[:2] += x[6:8]
    rvec = np.asarray(cv2.Rodrigues(turn @ cam.rotation)[0], dtype=np.float64).ravel()
    return replace(cam, K=K, dist=dist, rvec=rvec, tvec=t)


class _Problem:
    """The free parameters of one adjustment: which they are, what is known of them beforehand, the residuals."""

    def __init__(self, cam: Camera, obs: Observations, priors: Priors) -> None:
        if priors.radius_sigma.all():
            raise ValueError("no circle's radius is held: circles alone have no scale")
        spread = np.array([priors.log_focal_sigma, priors.k1_sigma, priors.k2_sigma, *[priors.centre_sigma] * 2])
        self.obs = obs
        self.camera_free = np.concatenate([np.arange(POSE), POSE + np.nonzero(spread > 0)[0]])
        self.radius_free = np.nonzero(priors.radius_sigma > 0)[0]
        self.middle = cam.middle
        self.log_focal = priors.log_focal
        self.mean_radius = priors.radius[self.radius_free]
        self.sigma = np.concatenate([np.full(POSE, np.inf), spread[spread > 0], priors.radius_sigma[self.radius_free]])
        self.spread_free = spread > 0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the free parameters, in order."""
        return (*(CAMERA_NAMES[i] for i in self.camera_free), *(f"radius_{i}" for i in self.radius_free))

    def residuals(self, cam: Camera, radii: Array) -> tuple[Array, Array]:
        """Distances (N,) in px of the edge places from their circles, and derivatives (N, P) by the free parameters."""
        seen, by_camera = radii_seen(cam, self.obs.px)
        by_radius = np.where(self.obs.circle[:, None] == self.radius_free, -1.0, 0.0)
        jacobian = np.hstack([by_camera[:, self.camera_free], by_radius]) * self.obs.scale[:, None]
        return (seen - radii[self.obs.circle]) * self.obs.scale, jacobian

    def departure(self, cam: Camera, radii: Array) -> Array:
        """How far each free parameter lies from its prior value, 0 for the pose."""
        lens = np.array([np.log(cam.K[0, 0]) - self.log_focal, *cam.dist[:2], *(cam.K[:2, 2] - self.middle)])
        return np.concatenate([np.zeros(POSE), lens[self.spread_free], radii[self.radius_free] - self.mean_radius])

    def cost(self, res: Array, cam: Camera, radii: Array, width: float, prior_weight: float) -> float:
        """The objective: Cauchy's loss, of a width in px, of residuals (N,) in px, and departures from the priors."""
        data = (self.obs.weight * width**2 * np.log1p((res / width) ** 2)).sum()
        return float(data + prior_weight * ((self.departure(cam, radii) / self.sigma) ** 2).sum())

    def step(self, cam: Camera, radii: Array, d: Array) -> tuple[Camera, Array]:
        """Camera and radii moved by d (P,)."""
        x = np.zeros(len(CAMERA_NAMES))
        x[self.camera_free] = d[: len(self.camera_free)]
        moved = radii.copy()
        moved[self.radius_free] += d[len(self.camera_free) :]
        return move(cam, x), moved


def adjust(
    cam: Camera,
    radii: Array,
    obs: Observations,
    priors: Priors,
    steps: int = STEPS,
    damping: float = DAMPING,
) -> Adjusted:
    """Fit camera and radii to edge places by at most ``steps`` damped Gauss-Newton steps with Cauchy weights.

    ``cam`` and ``radii`` (C,) in mm are where it starts. With no steps it tells how well the start fits, and the
    covariance there. Raises ValueError where the priors hold no radius.
    """
    problem = _Problem(cam, obs, priors)
    r = np.asarray(radii, dtype=np.float64).copy()
    res, J = problem.residuals(cam, r)
    for _ in range(steps):
        width = cauchy_width(res)
        w = obs.weight / (1 + (res / width) ** 2)
        prior_weight = _prior_weight(_rms(res, w))
        A = (J * w[:, None]).T @ J + np.diag(prior_weight / problem.sigma**2)
        g = (J * w[:, None]).T @ res + prior_weight * problem.departure(cam, r) / problem.sigma**2
        before = problem.cost(res, cam, r, width, prior_weight)
        gain = 0.0
        for _ in range(TRIES):
            d = -np.linalg.solve(A + damping * np.diag(np.diag(A) + 1e-12), g)
            moved, moved_r = problem.step(cam, r, d)
            moved_res, moved_J = problem.residuals(moved, moved_r)
            gain = before - problem.cost(moved_res, moved, moved_r, width, prior_weight)
            if np.isfinite(gain) and gain > 0:
                cam, r, res, J = moved, moved_r, moved_res, moved_J
                damping = max(damping / 5, DAMPING_LEAST)
                break
            damping *= 10
        if not gain > CONVERGED * before:
            break
    w = obs.weight / (1 + (res / cauchy_width(res)) ** 2)
    information = (J * w[:, None]).T @ J / _prior_weight(_rms(res, w)) + np.diag(1 / problem.sigma**2)
    covariance = np.asarray(np.linalg.pinv(information, hermitian=True), dtype=np.float64)
    return Adjusted(cam, r, _rms(res, w), res, problem.names, covariance)


def compared(fits: Sequence[Adjusted], obs: Observations, priors: Priors) -> Array:
    """Costs (F,) of several fits to the same places by one measure, that of the first: twice a negative log odds."""
    first = fits[0]
    width, weight = cauchy_width(first.residuals), _prior_weight(first.rms_px)
    out = []
    for fit in fits:
        problem = _Problem(fit.camera, obs, priors)
        out.append(problem.cost(fit.residuals, fit.camera, fit.radii, width, weight) / weight)
    return np.array(out)


def cauchy_width(residuals: Array) -> float:
    """Residual in pixels beyond which a place counts less: larger where the residuals (N,) are large as a whole."""
    return max(CAUCHY_PX, 2.0 * 1.4826 * float(np.median(np.abs(residuals))))


def _prior_weight(rms: float) -> float:
    """Weight of a prior's squared departure, in sigmas, against squared residuals in px; ``rms`` in px."""
    return CORRELATED * max(rms, NOISE_FLOOR_PX) ** 2


def _rms(residuals: Array, weights: Array) -> float:
    """Weighted root mean square."""
    return float(np.sqrt((weights * residuals**2).sum() / max(float(weights.sum()), 1e-9)))

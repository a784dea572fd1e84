"""Bundle adjustment of one camera over concentric circles: pose, focal length, lens and the circles' own radii.

The residual of an edge place is the distance in pixels, along the radius, of its point on the board from its circle.
A turn about the board's normal and a common scale can't be seen in circles; both stay as they are.
"""

from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from calibration.camera import Array, Camera

POSE = 5  # rotation about the camera's x and y as seen by the board, two of place, distance
NAMES = ("turn_x", "turn_y", "x", "y", "log_z", "log_focal", "k1", "k2", "cx", "cy")

CAUCHY_PX = 0.6
"""Residual in pixels beyond which an edge place counts less and less: discs, posts and hands over a line."""

CORRELATED = 50.0
"""Neighbouring edge places err together (grain, hand-painted lines): this many count as one against the priors."""

NOISE_FLOOR_PX = 0.03
"""No edge place is trusted beyond this, however smooth the picture."""

STEPS = 8
DAMPING = 1e-4


@dataclass(frozen=True)
class Priors:
    """Prior values and standard deviations of what circles alone may not settle.

    ``log_focal`` is of the focal length in px; ``k1``, ``k2`` are the lens's radial terms; ``centre`` in px is how far
    the principal point may lie from the picture's middle. A sigma of 0 holds a parameter. ``radius`` and ``radius_sigma``
    (C,) in mm say what the circles' radii should be; an infinite sigma says nothing.
    """

    log_focal: float
    log_focal_sigma: float = 0.35
    k1: float = 0.0
    k1_sigma: float = 0.0
    k2_sigma: float = 0.0
    centre_sigma: float = 0.0
    radius: Array | None = None
    radius_sigma: Array | None = None


@dataclass(frozen=True)
class Adjusted:
    """A camera with circle radii (C,) in mm, the covariance of all free parameters, and how well edges fit.

    ``residuals`` (N,) in px and ``weights`` (N,) in 0..1 are in the order of the observations; ``rms_px`` is the
    weighted RMS. ``free`` names the parameters in the order of ``covariance``.
    """

    camera: Camera
    radii: Array
    rms_px: float
    residuals: Array = field(repr=False)
    weights: Array = field(repr=False)
    free: tuple[str, ...] = ()
    covariance: Array | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Observations:
    """Edge places of all circles: pixels (N, 2), circle numbers (N,), px a mm along the radius (N,), weights (N,)."""

    px: Array
    circle: np.ndarray[tuple[int], np.dtype[np.int64]]
    scale: Array
    weight: Array


def move(cam: Camera, x: Array) -> Camera:
    """The camera moved by parameters x (10,) in the order of NAMES."""
    R = cv2.Rodrigues(np.array([x[0], x[1], 0.0]))[0] @ cam.rotation
    z = cam.tvec[2] * np.exp(x[4])
    t = np.array([cam.tvec[0] + x[2] * z, cam.tvec[1] + x[3] * z, z])
    # keep the board's centre on its ray while the distance changes
    t[:2] += cam.tvec[:2] * (np.exp(x[4]) - 1)
    K = cam.K.copy()
    K[0, 0] *= np.exp(x[5])
    K[1, 1] *= np.exp(x[5])
    K[0, 2] += x[8]
    K[1, 2] += x[9]
    dist = cam.dist.copy()
    dist[0] += x[6]
    dist[1] += x[7]
    return replace(cam, K=K, dist=dist, rvec=cv2.Rodrigues(R)[0].ravel(), tvec=t)


def adjust(cam: Camera, radii: Array, fixed: Array, obs: Observations, priors: Priors) -> Adjusted:
    """Fit camera and radii to edge places by Gauss-Newton with Cauchy weights.

    radii: (C,) starting values in mm; fixed: (C,) bool, radii that stay (at least one: the scale).
    """
    start = cam
    sig = np.array(
        [0.0] * POSE + [priors.log_focal_sigma, priors.k1_sigma, priors.k2_sigma] + [priors.centre_sigma] * 2
    )
    free_cam = np.array([True] * POSE + [bool(s > 0) for s in sig[POSE:]])
    free_rad = np.nonzero(~fixed)[0]
    idx = np.nonzero(free_cam)[0]
    n = len(idx) + len(free_rad)
    middle = np.array([(start.width - 1) / 2, (start.height - 1) / 2])

    r_mean = radii if priors.radius is None else priors.radius
    r_sigma = np.full(len(radii), np.inf) if priors.radius_sigma is None else priors.radius_sigma

    def prior_terms(c: Camera) -> tuple[Array, Array]:
        values = np.array(
            [
                np.log(c.K[0, 0]) - priors.log_focal,
                c.dist[0] - priors.k1,
                c.dist[1],
                c.K[0, 2] - middle[0],
                c.K[1, 2] - middle[1],
            ]
        )
        return values, sig[POSE:]

    def residuals(c: Camera, r: Array) -> Array:
        p = c.to_plane(obs.px)
        return np.asarray((np.hypot(p[:, 0], p[:, 1]) - r[obs.circle]) * obs.scale)

    r = radii.astype(np.float64).copy()
    lam = DAMPING
    res = residuals(cam, r)

    def cost(e: Array, c: Camera, r: Array, width: float) -> float:
        v, s = prior_terms(c)
        held = s > 0
        v, s = np.append(v[held], r - r_mean), np.append(s[held], r_sigma)
        return float((obs.weight * width**2 * np.log1p((e / width) ** 2)).sum() + ((v / s) ** 2).sum() * prior_weight)

    J = np.zeros((len(res), n))
    prior_weight = 0.0
    width = CAUCHY_PX
    w = np.ones(len(res))
    for _ in range(STEPS):
        width = max(CAUCHY_PX, 2.0 * 1.4826 * float(np.median(np.abs(res))))
        w = obs.weight / (1 + (res / width) ** 2)
        noise = max(float(np.sqrt((w * res**2).sum() / max(w.sum(), 1e-9))), NOISE_FLOOR_PX)
        prior_weight = CORRELATED * noise**2
        for k, i in enumerate(idx):
            h = 1e-6 if i not in (8, 9) else 1e-3
            x = np.zeros(len(NAMES))
            x[i] = h
            J[:, k] = (residuals(move(cam, x), r) - res) / h
        for k, i in enumerate(free_rad):
            J[:, len(idx) + k] = np.where(obs.circle == i, -obs.scale, 0.0)
        A = (J * w[:, None]).T @ J
        g = (J * w[:, None]).T @ res
        v, s = prior_terms(cam)
        for k, i in enumerate(idx):
            if i >= POSE:
                A[k, k] += prior_weight / s[i - POSE] ** 2
                g[k] += prior_weight * v[i - POSE] / s[i - POSE] ** 2
        for k, i in enumerate(free_rad, start=len(idx)):
            A[k, k] += prior_weight / r_sigma[i] ** 2
            g[k] += prior_weight * (r[i] - r_mean[i]) / r_sigma[i] ** 2
        before = cost(res, cam, r, width)
        done = False
        for _try in range(5):
            d = -np.linalg.solve(A + lam * np.diag(np.diag(A) + 1e-12), g)
            x = np.zeros(len(NAMES))
            x[idx] = d[: len(idx)]
            r2 = r.copy()
            r2[free_rad] += d[len(idx) :]
            moved = move(cam, x)
            res2 = residuals(moved, r2)
            after = cost(res2, moved, r2, width)
            if np.isfinite(after) and after < before:
                cam, r, res = moved, r2, res2
                lam = max(lam / 5, 1e-9)
                done = before - after < 1e-5 * before
                break
            lam *= 10
        else:
            break
        if done:
            break
    weights = w / np.maximum(obs.weight, 1e-9)
    rms = float(np.sqrt((w * res**2).sum() / max(w.sum(), 1e-9)))
    noise = max(rms, NOISE_FLOOR_PX) * np.sqrt(CORRELATED)
    v, s = prior_terms(cam)
    info = (J * w[:, None]).T @ J / noise**2
    for k, i in enumerate(idx):
        if i >= POSE:
            info[k, k] += 1 / s[i - POSE] ** 2
    for k, i in enumerate(free_rad, start=len(idx)):
        info[k, k] += 1 / r_sigma[i] ** 2
    names = tuple(NAMES[i] for i in idx) + tuple(f"radius_{i}" for i in free_rad)
    return Adjusted(cam, r, rms, res, weights, names, np.linalg.pinv(info, hermitian=True))

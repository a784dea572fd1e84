"""The board unrolled: polar pictures about a hypothetical centre, and what stands in circles in them.

A pose of a circle with a known focal length follows from its ellipse up to a choice of two (Kanatani & Liu, "3D
interpretation of conics and orthogonality", 1993). Unrolled by the right pose, every circle of the board is a straight
line: its mean over the angle stands out from grain, discs and glare, which do not repeat around the board.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arcs import Ellipse
from calibration.camera import Array, Camera, resizing
from calibration.sampling import Image, sample_rays

Float32 = NDArray[np.float32]

RIDGE_REACH = (2, 3)
"""Samples to either side that a ridge is compared with: thin lines and thick ones."""

STEP_REACH = 3
CLIP_NOISE = 2.5
"""Responses saturate at about this many times the picture's median, so that glare can't outvote the lines."""

NOISE_FLOOR = 0.8
"""Least noise assumed, in grey levels, so that rounding in a noiseless rendering isn't taken for evidence."""

MIN_SEEN = 0.3
"""Share of a circle's angles that must lie in the frame for it to be judged."""


@dataclass(frozen=True)
class Profile:
    """What stands in circles: radii (M,) and, at each, agreement in 0..1 of ridges and of steps over the angle.

    ``seen`` (M,) is the share of angles inside the frame.
    """

    radii: Array
    ridge: Array
    step: Array
    seen: Array


def poses_of_circle(
    e: Ellipse, scale: float, focal_px: float, width: int, height: int, aside: tuple[float, float] = (0.0, 0.0)
) -> list[Camera]:
    """The two cameras that see a circle of radius 1 (board units) as ellipse ``e`` (found at ``scale`` of full
    size); ``aside``: how far in px the principal point lies from the picture's middle.
    """
    f = focal_px
    cx, cy = (width - 1) / 2 + aside[0], (height - 1) / 2 + aside[1]
    K = np.array([[f, 0, cx], [0, f, cy], [0, 0, 1.0]])
    # full-size pixel -> working pixel (centres at integers in both)
    S = resizing(scale, scale)
    Q = K.T @ S.T @ e.conic() @ S @ K
    values, vectors = np.linalg.eigh((Q + Q.T) / 2)
    if values[0] > 0 or values[1] < 0:  # want one negative, two positive
        return []
    l3, l2, l1 = values
    v3, v1 = vectors[:, 0], vectors[:, 2]
    s1, s3 = np.sqrt(max(l1 - l2, 0) / (l1 - l3)), np.sqrt(max(l2 - l3, 0) / (l1 - l3))
    poses = []
    for sign in (1.0, -1.0):
        n = sign * s1 * v1 + s3 * v3
        if n[2] > 0:
            n = -n  # the board's normal points towards the camera
        # centre of the circle: direction Q^-1 n, distance so that the radius is 1
        d = np.linalg.solve(Q, n)
        d = d / d[2]
        # a point on the circle at right angles to the line of sight's projection fixes the distance
        u = np.cross(n, d)
        u /= np.linalg.norm(u)
        # |d k + u|^T Q |d k + u| = 0 solved for k > 0
        a, b, c = d @ Q @ d, 2 * d @ Q @ u, u @ Q @ u
        root = np.sqrt(max(b * b - 4 * a * c, 0.0))
        ks = [k for k in ((-b + root) / (2 * a), (-b - root) / (2 * a)) if k > 0]
        if not ks:
            continue
        poses.append(camera_from_normal(n, max(ks) * d, K, width, height))
    return poses


def camera_from_normal(n: Array, centre: Array, K: Array, width: int, height: int) -> Camera:
    """Return the camera over a board given in camera axes, its x axis to the right in the picture.

    ``n`` (3,): the board's unit normal; ``centre`` (3,): its centre.
    """
    x = np.array([1.0, 0.0, 0.0]) - n[0] * n
    x /= np.linalg.norm(x)
    R = np.column_stack([x, np.cross(n, x), n])
    rvec = np.asarray(cv2.Rodrigues(R)[0], dtype=np.float64).ravel()
    return Camera(K, np.zeros(5), rvec, np.asarray(centre, dtype=np.float64), width, height)


def hypotheses(e: Ellipse, scale: float, width: int, height: int, focals: Array) -> list[Camera]:
    """Return cameras for an ellipse that differ in where they put the circle's centre.

    They range over focal lengths and the two poses of each.
    """
    kept: list[Camera] = []
    places: list[Array] = []
    reach = 0.035 * e.b / scale
    for f in focals:
        for cam in poses_of_circle(e, scale, float(f), width, height):
            p = cam.project(np.zeros((1, 3)))[0]
            if all(np.hypot(*(p - q)) > reach for q in places):
                kept.append(cam)
                places.append(p)
    return kept


def unroll(pyramid: list[Image], cam: Camera, radii: Array, angles: int) -> tuple[Float32, NDArray[np.bool_]]:
    """Polar picture (angles, M, 3) in Lab (float32, 0..255) about the board's centre, and the samples in the frame."""
    around = np.asarray(np.arange(angles) * (2 * np.pi / angles), dtype=np.float64)
    flat, _, seen = sample_rays(pyramid, cam, around, radii)
    return cv2.cvtColor(flat, cv2.COLOR_BGR2LAB).astype(np.float32), seen


def profile(polar: Float32, seen: NDArray[np.bool_], radii: Array) -> Profile:
    """Agreement of ridges and steps over the angle at each radius of a polar picture (see :class:`Profile`)."""
    share = seen.mean(0)
    weight = seen.astype(np.float32) / np.maximum(seen.sum(0), 1)
    ridge = np.zeros(len(radii))
    for reach in RIDGE_REACH:
        around = np.zeros(2 * reach + 1, np.float32)
        around[[0, reach, -1]] = -0.5, 1.0, -0.5
        ridge = np.maximum(ridge, _agreement(_filtered(polar, around), weight))
    ones = np.ones(STEP_REACH, np.float32)  # whole numbers, so that an even surface gives 0 without rounding
    steps = _filtered(polar, np.concatenate([-ones, np.zeros(1, np.float32), ones])) / np.float32(STEP_REACH)
    step = _agreement(steps, weight)
    blind = share < MIN_SEEN
    ridge[blind] = step[blind] = 0
    return Profile(radii, ridge, step, share)


def _filtered(polar: Float32, kernel: Float32) -> Float32:
    """A polar picture (N, M, 3) filtered along its rays by ``kernel`` (K,), K odd; 0 where that reaches beyond them."""
    reach = len(kernel) // 2
    out = np.asarray(cv2.filter2D(polar, -1, kernel[None]), dtype=np.float32)
    out[:, :reach] = out[:, -reach:] = 0
    return out


def _agreement(response: Float32, weight: Float32) -> Array:
    """Return how strongly a response (N, M, 3) agrees over the angle at each radius (M,).

    It is the absolute mean over the angle in units of the noise, saturating, of the best channel.
    """
    noise = np.maximum(NOISE_FLOOR, np.median(np.abs(response[::2, ::2]).reshape(-1, 3), axis=0))
    x = response / (CLIP_NOISE * noise).astype(np.float32)
    z = x / np.sqrt(1 + x * x)  # saturates, yet keeps the strongest place the largest
    return np.asarray(np.abs((z * weight[..., None]).sum(0)).max(1), dtype=np.float64)

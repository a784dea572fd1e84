"""Sub-pixel places of one circle line, or of a step in brightness, around the board.

Along each of many directions the picture is sampled across the expected radius, in colour; a line answers a ridge filter,
an edge a step filter (derivatives of a Gaussian, as in Steger, "An unbiased detector of curvilinear structures", 1998).
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array, Camera

SUB_ANGLES = 3
"""Neighbouring directions averaged for one edge place: grain is shorter than a line is smooth."""

SUB_SPREAD = 0.35
"""Share of the angular step over which they are spread."""

NOISE_MARGIN_MM = 9.0
"""Sampled on both sides beyond the window, so that the noise is judged beside the line and not on it."""

MIN_STRENGTH = 3.0
"""Peaks below this many times the noise of the responses are no edge places."""


@dataclass(frozen=True)
class CircleEdges:
    """Edge places of one circle: angles (N,) that answered, pixels (N, 2), radial scale (N,) px/mm, strength (N,).

    ``looked`` is how many directions lay in the frame, ``offsets`` (N,) the distance in mm from the expected radius,
    ``contrast`` (3,) the mean ridge or step in Lab.
    """

    angles: Array
    px: Array
    scale: Array
    strength: Array
    offsets: Array
    looked: int
    contrast: Array

    @property
    def coverage(self) -> float:
        """Share of the directions in the frame that answered."""
        return len(self.angles) / self.looked if self.looked else 0.0


def kernel(kind: str, sigma: float, reach: int) -> NDArray[np.float32]:
    """Negative second (``ridge``) or first (``step``) derivative of a Gaussian, ``sigma`` in samples; 1-D float32."""
    x = np.arange(-reach, reach + 1, dtype=np.float64)
    g = np.exp(-0.5 * (x / sigma) ** 2)
    if kind == "ridge":
        k = (1 - (x / sigma) ** 2) * g
        k -= k.mean()
        k /= k[k > 0].sum()
    else:
        k = x / sigma * g
        k /= k[k > 0].sum()
    return k.astype(np.float32)


def sample_radially(
    pyramid: list[NDArray[np.uint8]], cam: Camera, angles: Array, radii: Array
) -> tuple[NDArray[np.float32], Array, NDArray[np.bool_]]:
    """Lab samples (N, M, 3), their pixels (N, M, 2) and which lie in the frame, along board directions at radii (M,)."""
    points = np.zeros((len(angles), len(radii), 3))
    points[..., 0] = np.cos(angles)[:, None] * radii
    points[..., 1] = np.sin(angles)[:, None] * radii
    px = cam.project(points.reshape(-1, 3)).reshape(len(angles), len(radii), 2)
    spacing = float(np.median(np.hypot(*np.moveaxis(np.diff(px, axis=1), -1, 0))))
    level = int(np.clip(np.floor(np.log2(max(spacing, 1.0)) + 0.3), 0, len(pyramid) - 1))
    s = 0.5**level
    inside = (px[..., 0] > 1) & (px[..., 1] > 1) & (px[..., 0] < cam.width - 2) & (px[..., 1] < cam.height - 2)
    at = (px * s + (s - 1) / 2).astype(np.float32)
    flat = cv2.remap(
        pyramid[level], np.ascontiguousarray(at[..., 0]), np.ascontiguousarray(at[..., 1]), cv2.INTER_LINEAR
    )
    lab = cv2.cvtColor(np.asarray(flat, dtype=np.float32) / 255, cv2.COLOR_BGR2LAB)
    return np.asarray(lab, dtype=np.float32), px, inside


def circle_edges(
    pyramid: list[NDArray[np.uint8]],
    cam: Camera,
    radius: float,
    kind: str,
    window: float,
    count: int,
    sigma: float,
    samples: int = 72,
) -> CircleEdges:
    """Find one circle's edge places within ``window`` mm of ``radius``.

    kind: ``ridge`` (a line, its middle) or ``step``. count: directions around the board. sigma: width of the filter in mm.
    """
    reach_mm = 2.5 * sigma
    step = 2 * (window + NOISE_MARGIN_MM + reach_mm) / samples
    reach = max(2, round(reach_mm / step))
    radii = radius + (np.arange(samples + 1) - samples / 2) * step
    base = np.arange(count) * (2 * np.pi / count)
    sub = (np.arange(SUB_ANGLES) - (SUB_ANGLES - 1) / 2) * (SUB_SPREAD * 2 * np.pi / count)
    angles = (base[:, None] + sub).ravel()
    lab, px, inside = sample_radially(pyramid, cam, angles, radii)
    lab = lab.reshape(count, SUB_ANGLES, samples + 1, 3).mean(1)
    px = px.reshape(count, SUB_ANGLES, samples + 1, 2)[:, SUB_ANGLES // 2]
    seen = inside.reshape(count, SUB_ANGLES, samples + 1).all((1, 2))
    k = kernel(kind, max(sigma / step, 0.8), reach)
    resp = cv2.filter2D(lab.reshape(count, -1, 3), -1, k[None, :], borderType=cv2.BORDER_REPLICATE)
    resp = resp.reshape(count, samples + 1, 3)[:, reach:-reach]
    px, radii = px[:, reach:-reach], radii[reach:-reach]
    if seen.sum() < 8:
        none = np.zeros(0)
        return CircleEdges(none, np.zeros((0, 2)), none, none, none, int(seen.sum()), np.zeros(3))
    scalar = _project(resp, seen)
    noise = 1.4826 * float(np.median(np.abs(scalar[seen]))) + 1e-3
    beside = np.abs(radii - radius) > window
    scalar[:, beside] = -np.inf
    peak = np.argmax(scalar, axis=1)
    rows = np.arange(count)
    strength = scalar[rows, peak] / noise
    ok = seen & (strength > MIN_STRENGTH)
    ok &= np.isfinite(scalar[rows, peak - 1]) & np.isfinite(scalar[rows, np.minimum(peak + 1, len(radii) - 1)])
    rows, peak = rows[ok], peak[ok]
    y0, y1, y2 = scalar[rows, peak - 1], scalar[rows, peak], scalar[rows, peak + 1]
    shift = np.clip((y0 - y2) / (2 * (y0 - 2 * y1 + y2) - 1e-9), -0.5, 0.5)
    f = shift[:, None]
    near = np.where(f >= 0, px[rows, np.minimum(peak + 1, len(radii) - 1)], px[rows, peak - 1])
    at = px[rows, peak] + np.abs(f) * (near - px[rows, peak])
    scale = np.hypot(*(px[rows, peak + 1] - px[rows, peak - 1]).T) / (2 * step)
    contrast = resp[rows, peak].mean(0) if len(rows) else np.zeros(3)
    offsets = radii[peak] + shift * step - radius
    return CircleEdges(base[rows], at, scale, strength[ok], offsets, int(seen.sum()), contrast)


def _project(resp: NDArray[np.float32], seen: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Responses (N, M, 3) along the colour direction in which this circle stands out, positive on it."""
    some = resp[seen]
    size = (some**2).sum(-1)
    best = np.argmax(size, axis=1)
    strongest = some[np.arange(len(some)), best]
    _, vectors = np.linalg.eigh(strongest.T @ strongest)
    v = vectors[:, 2]
    scalar = resp @ v
    if scalar[seen].max(1).sum() < (-scalar[seen]).max(1).sum():
        scalar = -scalar
    return np.asarray(scalar, dtype=np.float32)

"""Sub-pixel places of one circle line, or of a step in brightness, around the board.

Along each of many directions the picture is sampled across the expected radius, in colour. A line responds to a ridge
filter, an edge to a step filter (derivatives of a Gaussian, as in Steger, "An unbiased detector of curvilinear
structures", 1998).
"""

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array, Camera
from calibration.sampling import Image, between, sample_rays

EdgeKind = Literal["ridge", "step"]
"""A line, found by its middle; a step in brightness or colour."""

SUB_ANGLES = 3
"""Neighbouring directions averaged for one edge place: grain is shorter than a line is smooth."""

SUB_SPREAD = 0.35
"""Share of the angular step over which they are spread."""

NOISE_MARGIN_MM = 9.0
"""Width sampled on either side of the window, so that the noise is estimated beside the line and not on it."""

STEPS = 60
"""Steps across the radius, over window, margin and filter."""
FILTER_REACH = 2.5
"""Sigmas to which the filter reaches on either side."""

MIN_STRENGTH = 3.0
"""A peak must exceed the noise of the responses (MAD) by this factor to be an edge place."""


FLANK_MM = 3.0
"""What shows beside a line on either side is looked at so far."""
BLURS_PX, WIDTHS_MM = (0.6, 1.2), (1.0, 1.7, 2.6, 4.0)
"""Blurs of lenses and codecs, and widths of lines, that are tried."""
ASIDE_LEAST_MM = 0.3
"""Where the filter is off by less its answer stays: it scatters less than the fit's, and so much is found and made up
for where a line's own edges are measured."""
UNEVEN = 0.3
"""Sides that differ by less than this share of the ink's contrast don't move the filter's answer."""


@dataclass(frozen=True)
class CircleEdges:
    """Edge places of one circle: angles (N,) that answered, pixels (N, 2), radial scale (N,) px/mm, strength (N,).

    ``looked`` is how many directions lay in the frame, ``offsets`` (N,) the distance in mm from the expected radius.
    """

    angles: Array
    px: Array
    scale: Array
    strength: Array
    offsets: Array
    looked: int

    @property
    def coverage(self) -> float:
        """Share of the directions in the frame that answered."""
        return len(self.angles) / self.looked if self.looked else 0.0


def kernel(kind: EdgeKind, sigma: float, reach: int) -> NDArray[np.float32]:
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


def circle_edges(
    pyramid: list[Image],
    cam: Camera,
    radius: float,
    kind: EdgeKind,
    window: float,
    count: int,
    sigma: float,
) -> CircleEdges:
    """Find one circle's edge places within ``window`` mm of ``radius``.

    ``count``: directions around the board; ``sigma``: width of the filter in mm.
    """
    reach_mm = FILTER_REACH * sigma
    step = 2 * (window + NOISE_MARGIN_MM + reach_mm) / STEPS
    reach = max(2, round(reach_mm / step))
    radii = np.asarray(radius + (np.arange(STEPS + 1) - STEPS / 2) * step, dtype=np.float64)
    base = np.asarray(np.arange(count) * (2 * np.pi / count), dtype=np.float64)
    sub = (np.arange(SUB_ANGLES) - (SUB_ANGLES - 1) / 2) * (SUB_SPREAD * 2 * np.pi / count)
    bgr, at, inside = sample_rays(pyramid, cam, (base[:, None] + sub).ravel(), radii)
    seen = np.asarray(inside.reshape(count, -1).all(1), dtype=np.bool_)
    lab = _lab(bgr.reshape(count, SUB_ANGLES, STEPS + 1, 3))
    resp = _responses(lab, kernel(kind, max(sigma / step, 0.8), reach))
    px = np.stack([v[SUB_ANGLES // 2 :: SUB_ANGLES] for v in at], axis=-1)[:, reach:-reach]
    radii = radii[reach:-reach]
    if seen.sum() < 8:
        none = np.zeros(0)
        return CircleEdges(none, np.zeros((0, 2)), none, none, none, int(seen.sum()))
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
    if kind == "ridge":
        detail = np.hypot(*(px[rows, peak + 1] - px[rows, peak - 1]).T) / (2 * step)
        aside = _aside(lab[rows], peak + reach + shift, step, float(np.median(detail)) if len(rows) else 1.0, 3 * sigma)
        moved = peak + shift + aside / step
        peak = np.clip(np.rint(moved).astype(int), 1, len(radii) - 2)
        shift = np.clip(moved - peak, -1.0, 1.0)
    f = shift[:, None]
    near = np.where(f >= 0, px[rows, np.minimum(peak + 1, len(radii) - 1)], px[rows, peak - 1])
    places = px[rows, peak] + np.abs(f) * (near - px[rows, peak])
    scale = np.hypot(*(px[rows, peak + 1] - px[rows, peak - 1]).T) / (2 * step)
    offsets = radii[peak] + shift * step - radius
    return CircleEdges(base[rows], places, scale, strength[ok], offsets, int(seen.sum()))


def _lab(bgr: Image) -> NDArray[np.float32]:
    """Lab (N, M, 3) along rays (N, SUB_ANGLES, M, 3) uint8, each averaged with its close neighbours."""
    n, _, m, _ = bgr.shape
    lab = cv2.cvtColor(bgr.reshape(-1, m, 3).astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    return np.asarray(lab.reshape(n, SUB_ANGLES, m, 3).mean(1), dtype=np.float32)


def _responses(lab: NDArray[np.float32], k: NDArray[np.float32]) -> NDArray[np.float32]:
    """Responses (N, M, 3) along rays (N, M + K - 1, 3) to a filter k (K,), K odd, where all its samples are there."""
    filtered = cv2.filter2D(lab, -1, k[None, :], borderType=cv2.BORDER_REPLICATE)
    return np.asarray(filtered, dtype=np.float32)[:, len(k) // 2 : lab.shape[1] - len(k) // 2]


def _aside(lab: NDArray[np.float32], at: Array, step: float, detail: float, most: float) -> float:
    """How far in mm a line's middle lies beyond where the ridge filter puts it.

    Beside a filled ring the filter answers to the step rather than to the line, a filter's width off. So what the rays
    (N, M, 3) show about ``at`` (N,), samples ``step`` mm apart, in the median is compared with a line of ink between
    two levels, blurred, everywhere within ``most`` mm. ``detail``: pixels a mm. Zero where both sides are alike.
    """
    if not len(lab):
        return 0.0
    wide = int(np.ceil((most + FLANK_MM) / step))
    x = np.arange(-wide, wide + 1)
    seen = np.median(between(lab.astype(np.float64), at[:, None] + x), axis=0)
    flank = max(1, round(FLANK_MM / 2 / step))
    sides = seen[:flank].mean(axis=0), seen[-flank:].mean(axis=0)
    apart = float(np.linalg.norm(sides[1] - sides[0]))
    if apart < UNEVEN * float(np.linalg.norm(seen - (sides[0] + sides[1]) / 2, axis=1).max()):
        return 0.0
    blur, width, middle = (
        v.ravel()[:, None]
        for v in np.meshgrid(np.array(BLURS_PX) / detail, WIDTHS_MM, np.arange(-most, most + 1e-9, step / 2))
    )
    inner, outer = (_risen((x * step - middle - side * width / 2) / blur) for side in (-1, 1))
    design = np.stack([1 - inner, inner - outer, outer], axis=2)
    across = design.transpose(0, 2, 1)
    levels = np.linalg.solve(across @ design + 1e-6 * np.eye(3), across @ seen[None])
    best = int(np.argmin(((design @ levels - seen) ** 2).sum(axis=(1, 2))))
    aside = float(middle[best, 0])
    return aside if abs(aside) >= ASIDE_LEAST_MM else 0.0


def _risen(x: Array) -> Array:
    """A step from 0 to 1 at 0, blurred with a standard deviation of one: the logistic curve is near enough."""
    return np.asarray(1 / (1 + np.exp(-1.702 * np.clip(x, -30, 30))))


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

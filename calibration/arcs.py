"""Smooth arcs in a picture and the ellipses that they lie on: where a board's circles may be.

Colour edges are thinned, cut at corners and junctions, and linked into arcs; ellipses are fitted to single arcs
and to pairs of arcs, and counted by the edge pixels that lie on them with the right gradient direction (the
pairing idea is that of arc-support ellipse detectors, e.g. Lu et al., "Arc-support Line Segments Revisited", 2020).
"""

from dataclasses import dataclass, replace
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array

WORK_SIZE = 900
"""Longest side in pixels of the picture that arcs are looked for in: a board of 30 % of the frame is 150 px or more."""

BLUR_SIGMA = 1.2
"""Pixels; below it wood grain and JPEG blocks break arcs, above it a line's two edges fall together."""

CORNER_DEG = 28.0
"""A chain whose gradient turns by more than this within :data:`CORNER_STEP` pixels has a corner there."""

CORNER_STEP = 3
ARC_POINTS = 60
"""Points kept of an arc: an ellipse needs no more."""

ARCS_LOOKED_AT = 250
MIN_SAG = 2.5
MIN_SAG_PX = 0.4
"""An arc's height over its chord, in times its roughness and in pixels, from which it counts as curved."""

FACING_SLACK = 0.1
"""Sine of the angle by which an arc's hollow side may be misjudged."""

RING_SPREAD = 0.25
"""Spread across over spread along an arc beyond which it reaches more than half way round."""

MIN_ARC_PX = 18
MAX_ARCS = 36
MIN_AXIS_PX = 18.0
MAX_ASPECT = 3.4
"""Longest over shortest axis of an ellipse: a circle seen from 73 degrees: no steeper board can be scored."""

ON_ELLIPSE_PX = 1.6
GRADIENT_COS = 0.93
"""Edge gradients within 21 degrees of the ellipse's normal support it."""

MIN_IN_FRAME = 0.4
"""Less of an ellipse in the frame can't be told from an arc of anything."""

CHANCE_SUPPORT = 0.2
MIN_SUPPORT = 0.28
"""Shares of an ellipse that grain and planks alone support, and that make it worth following up."""

SCORED_EDGES = 3000
"""Edge pixels drawn (evenly) to count support; more add time, not certainty."""


@dataclass(frozen=True)
class EdgePixels:
    """Edge pixels: places (N, 2) in working pixels, unit gradients (N, 2), arc labels (N,), 0 = in no arc.

    ``scale`` is the working size over the picture's, ``shape`` the working (height, width).
    """

    points: NDArray[np.float32]
    gradients: NDArray[np.float32]
    labels: NDArray[np.int32]
    scale: float
    shape: tuple[int, int]


@dataclass(frozen=True)
class Ellipse:
    """An ellipse in working pixels: centre, semi-axes (a >= b), turn of the long axis in radians, support in 0..1."""

    cx: float
    cy: float
    a: float
    b: float
    turn: float
    support: float = 0.0

    def conic(self) -> Array:
        """The symmetric matrix (3, 3) with x^T C x = 0 on the ellipse, x homogeneous; negative inside."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        m = np.array([[c, s, -c * self.cx - s * self.cy], [-s, c, s * self.cx - c * self.cy], [0.0, 0.0, 1.0]])
        return np.asarray(m.T @ np.diag([1 / self.a**2, 1 / self.b**2, -1.0]) @ m)


@dataclass(frozen=True)
class Arc:
    """A smooth arc: points (N, 2), their mean, and the unit direction (2,) to its hollow side (0 for a whole ring)."""

    points: NDArray[np.float32]
    middle: NDArray[np.float32]
    inward: NDArray[np.float32]


def colour_gradient(image: NDArray[np.uint8]) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Gradient (dx, dy) of the Lab channel that changes most at each pixel; image uint8 BGR (H, W, 3)."""
    lab = cv2.cvtColor(image, cv2.COLOR_BGR2LAB)
    lab = cv2.GaussianBlur(lab, (0, 0), BLUR_SIGMA)
    best_x, best_y, best = (np.zeros(lab.shape[:2], np.int16) for _ in range(3))
    for k in range(3):
        channel = np.ascontiguousarray(lab[..., k])
        gain = 1.0 if k == 0 else 1.6  # a and b span less of their range than L does
        dx = cv2.Scharr(channel, cv2.CV_16S, 1, 0, scale=gain / 4)
        dy = cv2.Scharr(channel, cv2.CV_16S, 0, 1, scale=gain / 4)
        size = cv2.add(cv2.absdiff(dx, np.zeros_like(dx)), cv2.absdiff(dy, np.zeros_like(dy)))
        mask = cv2.compare(size, best, cv2.CMP_GT)
        cv2.copyTo(dx, mask, best_x)
        cv2.copyTo(dy, mask, best_y)
        cv2.copyTo(size, mask, best)
    return best_x, best_y


def edge_pixels(image: NDArray[np.uint8]) -> EdgePixels:
    """Edge pixels of a picture (uint8 BGR), linked into smooth arcs, in a working size of at most WORK_SIZE."""
    scale = min(1.0, WORK_SIZE / max(image.shape[:2]))
    small = image if scale == 1.0 else cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    dx, dy = colour_gradient(np.asarray(small, dtype=np.uint8))
    size = np.abs(dx.astype(np.int32)) + np.abs(dy.astype(np.int32))
    strong = float(np.percentile(size[::4, ::4], 90))
    high = float(np.clip(strong, 24, 120))
    edges = cv2.Canny(dx, dy, high * 0.4, high)
    ys, xs = np.nonzero(edges)
    gradient = np.column_stack([dx[ys, xs], dy[ys, xs]]).astype(np.float32)
    gradient /= np.linalg.norm(gradient, axis=1, keepdims=True) + np.float32(1e-6)
    gx, gy = gradient[:, 0], gradient[:, 1]
    # cut at corners: compare with the gradient a few pixels further along the edge, both ways
    field_x = np.zeros(edges.shape, np.float32)
    field_y = np.zeros(edges.shape, np.float32)
    field_x[ys, xs], field_y[ys, xs] = gx, gy
    size_k = 2 * CORNER_STEP + 1
    near = cv2.boxFilter((edges > 0).astype(np.float32), -1, (size_k, size_k), normalize=False)
    # double angles, so that both sides of a thin line agree
    c2 = cv2.boxFilter(field_x * field_x - field_y * field_y, -1, (size_k, size_k), normalize=False)
    s2 = cv2.boxFilter(2 * field_x * field_y, -1, (size_k, size_k), normalize=False)
    agree = np.hypot(c2, s2)[ys, xs] / np.maximum(near[ys, xs], 1)
    smooth = agree > np.cos(np.radians(2 * CORNER_DEG))
    kept = np.zeros_like(edges)
    kept[ys[smooth], xs[smooth]] = 255
    _, labels = cv2.connectedComponents(kept, connectivity=8)
    return EdgePixels(
        np.column_stack([xs, ys]).astype(np.float32),
        gradient,
        labels[ys, xs].astype(np.int32),
        scale,
        (small.shape[0], small.shape[1]),
    )


def fit_ellipse(points: NDArray[np.float32]) -> Ellipse | None:
    """Direct ellipse fit (Fitzgibbon, Pilu & Fisher 1999) to points (N, 2); None where it is no plausible circle."""
    (cx, cy), (d1, d2), deg = cv2.fitEllipseDirect(points)
    a, b, turn = d1 / 2, d2 / 2, np.radians(deg)
    if a < b:
        a, b, turn = b, a, turn + np.pi / 2
    if not np.isfinite([cx, cy, a, b]).all() or b < MIN_AXIS_PX or a > MAX_ASPECT * b:
        return None
    return Ellipse(float(cx), float(cy), float(a), float(b), float(turn))


def arc_of(points: NDArray[np.float32]) -> Arc | None:
    """Take points (N, 2) as an arc if they bend steadily: planks, rails and table edges are straight but for
    roughness.
    """
    middle = points.mean(0)
    centred = points - middle
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    t, d = centred @ axes[0], centred @ axes[1]
    if float(np.std(d)) > RING_SPREAD * float(np.std(t)):
        return Arc(points, middle, np.zeros(2, np.float32))
    half = float(np.abs(t).max())
    basis = np.column_stack([np.ones_like(t), t / half, (t / half) ** 2])
    coefficients, *_ = np.linalg.lstsq(basis, d, rcond=None)
    sag, rough = float(coefficients[2]), float(np.std(d - basis @ coefficients))
    if abs(sag) <= max(MIN_SAG * rough, MIN_SAG_PX):
        return None
    return Arc(points, middle, np.asarray(np.sign(sag) * axes[1], dtype=np.float32))


def facing(p: Arc, q: Arc) -> bool:
    """Whether two arcs can lie on one ellipse: each on the hollow side of the other."""
    d = q.middle - p.middle
    slack = -FACING_SLACK * float(np.hypot(d[0], d[1]))
    return bool(d @ p.inward >= slack and -d @ q.inward >= slack)


def ellipse_residuals(e: Ellipse, points: NDArray[np.float32]) -> tuple[Array, Array]:
    """Approximate distances (N,) in px from an ellipse and its unit normals (N, 2) there (Sampson's distance)."""
    c, s = np.cos(e.turn), np.sin(e.turn)
    x, y = points[:, 0] - e.cx, points[:, 1] - e.cy
    u, v = (c * x + s * y) / e.a, (c * y - s * x) / e.b
    rho = np.sqrt(u * u + v * v) + 1e-9
    gu, gv = u / e.a / rho, v / e.b / rho
    slope = np.sqrt(gu * gu + gv * gv) + 1e-12
    normals = np.column_stack([c * gu - s * gv, s * gu + c * gv]) / slope[:, None]
    return (rho - 1) / slope, normals


def support(e: Ellipse, edges: EdgePixels, bins: int = 72) -> tuple[float, NDArray[np.bool_]]:
    """Share of the ellipse in the frame with edges on it (less where little of it is in the frame), and which
    pixels.
    """
    d, n = ellipse_residuals(e, edges.points)
    on = (np.abs(d) < ON_ELLIPSE_PX) & (np.abs((n * edges.gradients).sum(1)) > GRADIENT_COS)
    p = edges.points[on]
    c, s = np.cos(e.turn), np.sin(e.turn)
    x, y = p[:, 0] - e.cx, p[:, 1] - e.cy
    t = np.arctan2((c * y - s * x) / e.b, (c * x + s * y) / e.a)
    filled = np.bincount(((t + np.pi) * (bins / (2 * np.pi))).astype(int) % bins, minlength=bins) > 0
    around = (np.arange(bins) + 0.5) * (2 * np.pi / bins) - np.pi
    ex, ey = e.a * np.cos(around), e.b * np.sin(around)
    px, py = e.cx + c * ex - s * ey, e.cy + s * ex + c * ey
    seen = (px > 0) & (py > 0) & (px < edges.shape[1]) & (py < edges.shape[0])
    if seen.mean() < MIN_IN_FRAME:
        return 0.0, on
    return float(filled[seen].mean() * np.sqrt(seen.mean())), on


def find_ellipses(edges: EdgePixels, limit: int = 14) -> list[Ellipse]:
    """Ellipses in the picture (working pixels), best supported first, near-duplicates left out."""
    counts = np.bincount(edges.labels, minlength=1)
    counts[0] = 0
    order = np.argsort(counts)[::-1][:ARCS_LOOKED_AT]
    arcs: list[Arc] = []
    by_label = edges.points[np.argsort(edges.labels, kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(edges.labels, minlength=1))])
    for label in order:
        if counts[label] < MIN_ARC_PX or len(arcs) == MAX_ARCS:
            break
        p = by_label[starts[label] : starts[label + 1]]
        p = np.ascontiguousarray(p[:: max(1, len(p) // ARC_POINTS)])
        arc = arc_of(p)
        if arc is not None:
            arcs.append(arc)
    step = max(1, len(edges.points) // SCORED_EDGES)
    drawn = EdgePixels(edges.points[::step], edges.gradients[::step], edges.labels[::step], edges.scale, edges.shape)
    found: list[Ellipse] = []
    pairs = [np.concatenate([p.points, q.points]) for p, q in combinations(arcs, 2) if facing(p, q)]
    for pts in [p.points for p in arcs] + pairs:
        e = fit_ellipse(pts)
        if e is None:
            continue
        d, _ = ellipse_residuals(e, pts)
        if float(np.median(np.abs(d))) > ON_ELLIPSE_PX:
            continue
        share, _ = support(e, drawn)
        if share > MIN_SUPPORT:
            found.append(replace(e, support=share))
    found.sort(key=lambda e: -((e.support - CHANCE_SUPPORT) ** 2) * np.sqrt(e.a * e.b))
    return _distinct(found, drawn, limit)


def _distinct(found: list[Ellipse], edges: EdgePixels, limit: int) -> list[Ellipse]:
    """Refit each on the edges that lie on it and drop those that fall together."""
    kept: list[Ellipse] = []
    for e in found:
        if len(kept) == limit:
            break
        if any(_same(e, k) for k in kept):
            continue
        _, on = support(e, edges)
        refit = fit_ellipse(edges.points[on]) if on.sum() >= 12 else None
        if refit is not None:
            share, _ = support(refit, edges)
            better = replace(refit, support=share) if share >= e.support else e
        else:
            better = e
        if not any(_same(better, k) for k in kept):
            kept.append(better)
    return kept


def _same(p: Ellipse, q: Ellipse) -> bool:
    """Whether two ellipses differ by less than some 3 % of their size."""
    size = np.sqrt(q.a * q.b)
    return bool(
        np.hypot(p.cx - q.cx, p.cy - q.cy) < 0.03 * size
        and abs(p.a - q.a) < 0.03 * q.a
        and abs(p.b - q.b) < 0.03 * q.b + 1.0
    )

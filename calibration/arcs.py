"""Smooth arcs in a picture and the ellipses that they lie on: where a board's circles may be.

Colour edges are thinned, cut at corners and junctions, and linked into arcs; ellipses are fitted to single arcs
and to pairs of arcs, and counted by the edge pixels that lie on them with the right gradient direction (the
pairing idea is that of arc-support ellipse detectors, e.g. Lu et al., "Arc-support Line Segments Revisited", 2020).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array

Float32 = NDArray[np.float32]

WORK_SIZE = 900
"""Longest side in pixels of the picture that arcs are looked for in: a board of 30 % of the frame is 150 px or more."""

BLUR_SIGMA = 1.2
"""Pixels; below it wood grain and JPEG blocks break arcs, above it a line's two edges fall together."""

CORNER_DEG = 28.0
"""A chain whose gradient turns by more than this within :data:`CORNER_STEP` pixels has a corner there."""

CORNER_STEP = 3
ARC_POINTS = 60
"""Points of an arc that are kept: an ellipse needs no more."""

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
"""Longest over shortest axis of an ellipse: that of a circle seen at 73 degrees. No board at a steeper angle can be
scored."""

ON_ELLIPSE_PX = 1.6
GRADIENT_COS = 0.93
"""Edge gradients within 21 degrees of the ellipse's normal support it."""

MIN_IN_FRAME = 0.4
"""An ellipse of which a smaller share lies in the frame can't be told from any other arc."""

CHANCE_SUPPORT = 0.2
MIN_SUPPORT = 0.28
"""Support (0..1) that an ellipse gets from grain and planks alone, and from which on it is followed up."""

SCORED_EDGES = 3000
"""Edge pixels drawn (evenly) to count support; more add time, not certainty."""

AT_ONCE = 32
"""Ellipses whose support is counted together: more would no longer fit into the processor's cache."""


@dataclass(frozen=True)
class EdgePixels:
    """Edge pixels: places (N, 2) in working pixels, unit gradients (N, 2), arc labels (N,), 0 = in no arc.

    ``scale`` is the working size over the picture's, ``shape`` the working (height, width).
    """

    points: Float32
    gradients: Float32
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

    points: Float32
    middle: Float32
    inward: Float32


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
    size = sum(np.abs(d[::4, ::4].astype(np.int32)) for d in (dx, dy))
    strong = float(np.percentile(size, 90))
    high = float(np.clip(strong, 24, 120))
    edges = cv2.Canny(dx, dy, high * 0.4, high)
    ys, xs = np.nonzero(edges)
    gradient = np.column_stack([dx[ys, xs], dy[ys, xs]]).astype(np.float32)
    gradient /= np.linalg.norm(gradient, axis=1, keepdims=True) + np.float32(1e-6)
    gx, gy = gradient[:, 0], gradient[:, 1]
    # cut at corners: compare with the gradient a few pixels further along the edge, both ways
    around = (2 * CORNER_STEP + 1, 2 * CORNER_STEP + 1)
    sums = []
    for value in (gx * gx - gy * gy, 2 * gx * gy, np.float32(1)):  # double angles: a thin line's two sides agree
        plane = np.zeros(edges.shape, np.float32)
        plane[ys, xs] = value
        sums.append(cv2.boxFilter(plane, -1, around, normalize=False)[ys, xs])
    agree = np.hypot(sums[0], sums[1]) / np.maximum(sums[2], 1)
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


def fit_ellipse(points: Float32) -> Ellipse | None:
    """Direct ellipse fit (Fitzgibbon, Pilu & Fisher 1999) to points (N, 2); None where it is no plausible circle."""
    (cx, cy), (d1, d2), deg = cv2.fitEllipseDirect(points)
    a, b, turn = d1 / 2, d2 / 2, np.radians(deg)
    if a < b:
        a, b, turn = b, a, turn + np.pi / 2
    if not np.isfinite([cx, cy, a, b]).all() or b < MIN_AXIS_PX or a > MAX_ASPECT * b:
        return None
    return Ellipse(float(cx), float(cy), float(a), float(b), float(turn))


def arc_of(points: Float32) -> Arc | None:
    """Take points (N, 2) as an arc if they bend steadily.

    Planks, rails and table edges are straight but for roughness.
    """
    middle = points.mean(0, dtype=np.float64)
    x, y = points.T - middle[:, None]
    turn = 0.5 * math.atan2(2 * float(x @ y), float(x @ x - y @ y))
    c, s = math.cos(turn), math.sin(turn)
    t, d = c * x + s * y, c * y - s * x
    if float(d @ d) > RING_SPREAD**2 * float(t @ t):
        return Arc(points, np.asarray(middle, np.float32), np.zeros(2, np.float32))
    # a parabola by least squares; neither t nor d has a mean, nor do they go together, along the principal axes
    n = len(points)
    t /= np.abs(t).max()
    t2 = t * t
    s2, bent = float(t2.sum()), float(t2 @ d)
    sag = bent / max(float(t2 @ t2) - s2 * s2 / n - float(t2 @ t) ** 2 / s2, 1e-12)
    rough = math.sqrt(max(float(d @ d) - sag * bent, 0.0) / n)
    if abs(sag) <= max(MIN_SAG * rough, MIN_SAG_PX):
        return None
    hollow = math.copysign(1.0, sag)
    return Arc(points, np.asarray(middle, np.float32), np.array([-s * hollow, c * hollow], np.float32))


def facing(arcs: list[Arc]) -> list[tuple[int, int]]:
    """Pairs of arcs, by number, that can lie on one ellipse: each on the hollow side of the other."""
    if len(arcs) < 2:
        return []
    middle, inward = np.array([a.middle for a in arcs]), np.array([a.inward for a in arcs])
    i, j = np.triu_indices(len(arcs), 1)
    d = middle[j] - middle[i]
    slack = -FACING_SLACK * np.hypot(d[:, 0], d[:, 1])
    kept = ((d * inward[i]).sum(1) >= slack) & (-(d * inward[j]).sum(1) >= slack)
    return list(zip(i[kept].tolist(), j[kept].tolist(), strict=True))


def _measures(ellipses: list[Ellipse]) -> Float32:
    """Centres, semi-axes, cosines and sines of the turns of E ellipses: (6, E, 1)."""
    rows = [(e.cx, e.cy, e.a, e.b, math.cos(e.turn), math.sin(e.turn)) for e in ellipses]
    return np.array(rows, np.float32).T[..., None]


def _round(measures: Float32, x: Float32, y: Float32) -> tuple[Float32, Float32]:
    """Points (..., N) in the axes of ellipses (6, ...) that are circles of radius 1 there."""
    cx, cy, a, b, c, s = measures
    x, y = x - cx, y - cy
    return (c * x + s * y) / a, (c * y - s * x) / b


def distances(ellipses: list[Ellipse], points: Float32) -> Float32:
    """Approximate distances (E, N) in px of points (N, 2), or of own ones (E, N, 2), from E ellipses (Sampson's)."""
    measures = _measures(ellipses)
    u, v = _round(measures, points[..., 0], points[..., 1])
    rho = np.sqrt(u * u + v * v)
    slope = np.hypot(u / measures[2], v / measures[3]) + np.float32(1e-12)
    return np.asarray((rho - 1) * rho / slope, dtype=np.float32)


def supports(
    ellipses: list[Ellipse], edges: EdgePixels, bins: int = 72
) -> tuple[Array, tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Share (E,) of each ellipse in the frame with edges on it (less where little of it is in the frame).

    Also which edge pixels lie on which ellipse: numbers of ellipses (K,) and of pixels (K,).
    """
    row, on = np.nonzero(np.abs(distances(ellipses, edges.points)) < ON_ELLIPSE_PX)
    measures = _measures(ellipses)
    own = measures[:, row, 0]
    u, v = _round(own, edges.points[on, 0], edges.points[on, 1])
    gx, gy = edges.gradients[on].T
    _, _, a, b, c, s = own
    nu, nv = u / a, v / b
    level = np.abs(nu * (c * gx + s * gy) + nv * (c * gy - s * gx)) > GRADIENT_COS * np.hypot(nu, nv)
    row, on = row[level], on[level]
    place = ((np.arctan2(v[level], u[level]) + np.pi) * (bins / (2 * np.pi))).astype(int) % bins
    filled = np.bincount(row * bins + place, minlength=len(ellipses) * bins).reshape(-1, bins) > 0
    around = (np.arange(bins) + 0.5) * (2 * np.pi / bins) - np.pi
    cx, cy, a, b, c, s = measures
    ex, ey = a * np.cos(around), b * np.sin(around)
    px, py = cx + c * ex - s * ey, cy + s * ex + c * ey
    seen = (px > 0) & (py > 0) & (px < edges.shape[1]) & (py < edges.shape[0])
    whole = seen.mean(1)
    share = (filled & seen).sum(1) / np.maximum(seen.sum(1), 1) * np.sqrt(whole)
    return np.where(whole < MIN_IN_FRAME, 0.0, share), (row, on)


def arcs_of(edges: EdgePixels) -> list[Arc]:
    """The longest smooth arcs of a picture, longest first."""
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
        arc = arc_of(np.ascontiguousarray(p[:: max(1, len(p) // ARC_POINTS)]))
        if arc is not None:
            arcs.append(arc)
    return arcs


def fitted(sets: list[Float32]) -> list[Ellipse]:
    """Ellipses fitted to those sets of points (N, 2) whose median distance from theirs is small enough."""
    fits = [(e, points) for points in sets if (e := fit_ellipse(points)) is not None]
    if not fits:
        return []
    counts = np.array([len(points) for _, points in fits])
    filled = np.full((len(fits), int(counts.max()), 2), np.nan, np.float32)
    for row, (_, points) in zip(filled, fits, strict=True):
        row[: len(points)] = points
    off = np.sort(np.abs(distances([e for e, _ in fits], filled)), axis=1)  # what is no number comes last
    rows = np.arange(len(fits))
    median = (off[rows, (counts - 1) // 2] + off[rows, counts // 2]) / 2
    return [e for (e, _), m in zip(fits, median, strict=True) if m <= ON_ELLIPSE_PX]


def find_ellipses(edges: EdgePixels) -> Iterator[Ellipse]:
    """Ellipses in the picture (working pixels), best supported first, near-duplicates left out; found as asked for."""
    arcs = arcs_of(edges)
    step = max(1, len(edges.points) // SCORED_EDGES)
    drawn = EdgePixels(edges.points[::step], edges.gradients[::step], edges.labels[::step], edges.scale, edges.shape)
    pairs = [np.concatenate([arcs[i].points, arcs[j].points]) for i, j in facing(arcs)]
    tried = fitted([arc.points for arc in arcs] + pairs)
    found: list[Ellipse] = []
    for k in range(0, len(tried), AT_ONCE):
        part = tried[k : k + AT_ONCE]
        shares, _ = supports(part, drawn)
        found += [replace(e, support=float(s)) for e, s in zip(part, shares, strict=True) if s > MIN_SUPPORT]
    found.sort(key=lambda e: -((e.support - CHANCE_SUPPORT) ** 2) * np.sqrt(e.a * e.b))
    kept: list[Ellipse] = []
    for e in found:
        if any(_same(e, k) for k in kept):
            continue
        better = _refitted(e, drawn)
        if not any(_same(better, k) for k in kept):
            kept.append(better)
            yield better


def _refitted(e: Ellipse, edges: EdgePixels) -> Ellipse:
    """The ellipse fitted anew to the edges that lie on it, where that has no less support."""
    _, (_, on) = supports([e], edges)
    refit = fit_ellipse(edges.points[on]) if len(on) >= 12 else None
    if refit is None:
        return e
    share = float(supports([refit], edges)[0][0])
    return replace(refit, support=share) if share >= e.support else e


def _same(p: Ellipse, q: Ellipse) -> bool:
    """Whether two ellipses differ by less than some 3 % of their size."""
    size = math.sqrt(q.a * q.b)
    return bool(
        math.hypot(p.cx - q.cx, p.cy - q.cy) < 0.03 * size
        and abs(p.a - q.a) < 0.03 * q.a
        and abs(p.b - q.b) < 0.03 * q.b + 1.0
    )

"""How the painted circle lines really run: their local departure from the true circle.

The calibration gives each line's radius and width as a mean round the board, but lines painted by hand wander by some
tenths of a millimetre. So the profile across each line is compared, bearing by bearing, with its own mean: a shifted
copy differs by the shift times the slope. A low-order Fourier series is fitted to the shifts and shrunk by as much as
their scatter suggests (empirical Bayes); where the shifts are noise, the departure is zero.
"""

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array, resized_px
from calibration.sampling import between
from calibration.view import BoardView
from vision.contact_patch import Cylinders, hidden_ground
from vision.line_net import GROUPS, LINES, MIDDLE_MAX_MM, SPAN_MIN, Profiles, read_lines

BEARINGS = 256
PROFILE_MM = 5.0
"""Half length of a profile across a line: the line, its blur, and enough of the board on both sides."""
PROFILE_STEP_MM = 0.25
SHADOW_MM = 4.0
"""A disc's contact shadow is strongest within this distance (it decays over 0.8, 2.5 and 6 mm): kept out."""
ORDERS = 8
"""Highest order of the Fourier series: a stroke by hand wanders over some centimetres, not millimetres."""
WANDER_MIN_MM = 0.07
"""A smaller departure (RMS round the board) is put down to the wood's grain."""
SHIFT_MAX_MM = 1.5
CONTRAST_MIN = 0.35
"""A profile with less than this share of the mean line's contrast (glare, a post, wear) tells nothing."""
WIDTH_UNKNOWN_MM, MIDDLE_UNKNOWN_MM = 0.7, 0.3
"""Standard uncertainties in mm of a line's width and of its middle where they couldn't be measured."""
EDGE_ONLY, EDGE_MIDDLE_MM, EDGE_SPAN = 0.1, 1.5, 20.0
"""Where a ring is filled in almost the line's own colour, or that is a mixture of those beside it, only an edge shows:
no colour across it lies off the straight way from one side's to the other's by more than the first share of their
difference (by 0.2 or more on all of 81 boards whose lines show). The line then lies somewhere within the second value
(sigma in mm). The third: grey values by which the sides differ at least."""
WIDTH_SHARE = 0.04
"""Relative standard uncertainty of a width that all lines share: strokes differ by some hundredths from each other."""
TONE = 2.4
"""Exponent that turns pixel values into light, accurate enough to compare profiles."""
ENOUGH = 60
"""Bearings needed at least to measure a line's departure."""


@dataclass(frozen=True)
class LineShape:
    """Departure of a line's middle from its mean radius: Fourier coefficients (2 ORDERS + 1,) in mm and covariance.

    The first coefficient is the constant. ``scatter`` is the standard deviation in mm of single shifts about the
    series; a line that isn't told from a true circle has zero coefficients.
    """

    coefficients: Array
    covariance: Array
    scatter: float

    def at(self, bearing: Array) -> tuple[Array, Array]:
        """Departure and its standard uncertainty in mm at bearings (N,) in radians."""
        basis = _basis(np.atleast_1d(bearing))
        variance = np.einsum("ni,ij,nj->n", basis, self.covariance, basis)
        return basis @ self.coefficients, np.sqrt(np.maximum(variance, 0.0))


def _basis(bearing: Array) -> Array:
    m = np.arange(1, ORDERS + 1) * bearing[:, None]
    return np.column_stack([np.ones(len(bearing)), np.cos(m), np.sin(m)])


def true_circle() -> LineShape:
    """The shape of a line that is a circle."""
    n = 2 * ORDERS + 1
    return LineShape(np.zeros(n), np.zeros((n, n)), 0.0)


@dataclass(frozen=True)
class PaintedLine:
    """One circle line as painted: mean radius of its middle and width in mm with their sigmas, and its shape."""

    radius: float
    width: float
    radius_sigma: float
    width_sigma: float
    shape: LineShape

    @property
    def inner(self) -> float:
        """Mean radius of the inner painted edge in mm."""
        return self.radius - self.width / 2

    @property
    def outer(self) -> float:
        """Mean radius of the outer painted edge in mm."""
        return self.radius + self.width / 2


Lines = tuple[PaintedLine, PaintedLine, PaintedLine]


@dataclass(frozen=True)
class Across:
    """What is seen across a board's lines: their shapes, mean ``profiles``, and the bearings that each was made from.

    ``radii`` (LINES,) in mm are those of the view that they were taken about.
    """

    radii: tuple[float, ...]
    shapes: tuple[LineShape, ...]
    profiles: Profiles
    bearings: tuple[Array, ...]


def painted_lines(image: NDArray[np.uint8], factor: float, view: BoardView, others: Cylinders) -> Lines:
    """The three circle lines in a picture reduced by ``factor``; ``others`` are the discs that cover them."""
    seen = look_across(image, factor, view, others)
    edges = only_edges(seen.profiles)
    seen = replace(seen, profiles=replace(seen.profiles, seen=seen.profiles.seen & ~edges))
    said = read_lines(seen.profiles)
    width, width_sigma = float(np.mean(view.board.line_widths)), WIDTH_UNKNOWN_MM
    shown = seen.profiles.seen & (np.ptp(seen.profiles.colour, axis=(1, 2)).reshape(LINES, GROUPS).max(1) >= SPAN_MIN)
    if shown.any():
        width = math.exp(said.log_width)
        width_sigma = width * math.hypot(said.log_width_sigma, WIDTH_SHARE)
    lines = []
    for k, r in enumerate(seen.radii):
        own = slice(k * GROUPS, (k + 1) * GROUPS)
        middle, sigma = _mean(said.middle[own], said.middle_sigma[own])
        if not shown[k] or abs(middle) > MIDDLE_MAX_MM:  # not seen, or what is seen there is no line
            middle, sigma = 0.0, EDGE_MIDDLE_MM if edges[k] else MIDDLE_UNKNOWN_MM
        lines.append(PaintedLine(r + middle, width, sigma, width_sigma, seen.shapes[k]))
    a, b, c = lines
    return a, b, c


def only_edges(boards: Profiles) -> NDArray[np.bool_]:
    """Of which lines (LINES,) no ink is seen, but only where one colour gives way to another."""
    colour = boards.colour.reshape(LINES, GROUPS, -1, 3).mean(axis=1)
    offset = (np.arange(colour.shape[1]) - (colour.shape[1] - 1) / 2) * PROFILE_STEP_MM
    low, high = (colour[:, beside].mean(axis=1) for beside in (offset < -PROFILE_MM / 2, offset > PROFILE_MM / 2))
    way = high - low
    span = np.linalg.norm(way, axis=1)
    near = colour[:, np.abs(offset) < PROFILE_MM / 2] - low[:, None]
    along = np.clip(np.einsum("ksc,kc->ks", near, way) / np.maximum(span**2, 1e-9)[:, None], 0, 1)
    off = np.linalg.norm(near - along[..., None] * way[:, None], axis=2).max(axis=1)
    return np.asarray(boards.seen & (span >= EDGE_SPAN) & (off < EDGE_ONLY * span))


def look_across(image: NDArray[np.uint8], factor: float, view: BoardView, others: Cylinders) -> Across:
    """Look across the three lines; arguments as for :func:`painted_lines`."""
    shapes: list[LineShape] = []
    bearings: list[Array] = []
    length = round(2 * PROFILE_MM / PROFILE_STEP_MM) + 1
    mean, detail = np.zeros((LINES * GROUPS, length, 3)), np.ones(LINES * GROUPS)
    enough = np.zeros(LINES, dtype=np.bool_)
    for k, radius in enumerate(view.board.radii):
        bearing, offset, colour, free, _ = profiles_across(image, factor, view, others, radius)
        enough[k] = free.sum() >= ENOUGH
        if not enough[k]:
            shapes.append(true_circle())
            bearings += [np.zeros(0)] * GROUPS
            continue
        profile = _contrast(linear(colour), offset, view.board.line_widths[k], free)
        shift, ok = _shifts(profile, offset, free)
        shapes.append(_series(bearing[ok], shift[ok]) if ok.sum() >= ENOUGH else true_circle())
        across = detail_across(view, radius, bearing) * factor
        moved = shapes[-1].at(bearing)[0]
        index = np.nonzero(ok if ok.sum() >= ENOUGH else free)[0]
        for g, part in enumerate(np.array_split(index[np.argsort(across[index])], GROUPS)):
            mean[k * GROUPS + g] = np.median(_aligned(colour[part], offset, moved[part]), axis=0)
            detail[k * GROUPS + g] = np.median(across[part])
            bearings.append(bearing[part])
    return Across(view.board.radii, tuple(shapes), Profiles(mean, detail, enough), tuple(bearings))


def _aligned(colour: Array, offset: Array, moved: Array) -> Array:
    """Colours (B, S, 3) of profiles shifted back by ``moved`` (B,) mm."""
    return between(colour, (offset[None] + moved[:, None] - offset[0]) / PROFILE_STEP_MM)


def _mean(values: Array, sigmas: Array) -> tuple[float, float]:
    """Weighted mean of values (N,), and its sigma: one camera saw them all, so their errors don't average out."""
    weight = 1 / sigmas**2
    return float((weight * values).sum() / weight.sum()), float(np.sqrt(1 / weight.mean()))


def detail_across(view: BoardView, radius: float, bearing: Array) -> Array:
    """Pixels a millimetre (B,) along the radius at bearings (B,) of a circle."""
    way = np.column_stack([np.cos(bearing), np.sin(bearing)])
    return np.asarray(np.linalg.norm(view.to_px(way * (radius + 0.5)) - view.to_px(way * (radius - 0.5)), axis=1))


def profiles_across(
    image: NDArray[np.uint8], factor: float, view: BoardView, others: Cylinders, radius: float
) -> tuple[Array, Array, Array, NDArray[np.bool_], Array]:
    """Bearings (B,), offsets (S,), colours (B, S, 3) across a line, and which bearings are free to be used (B,).

    Also the pixels (B, S, 2) of the picture before it was reduced by ``factor``.
    """
    bearing = np.linspace(0, 2 * np.pi, BEARINGS, endpoint=False, dtype=np.float64)
    offset: Array = np.arange(-PROFILE_MM, PROFILE_MM + 1e-9, PROFILE_STEP_MM, dtype=np.float64)
    reach = radius + offset
    points = np.stack([np.cos(bearing)[:, None] * reach, np.sin(bearing)[:, None] * reach], axis=-1)
    px = view.to_px(points.reshape(-1, 2))
    size = np.array([view.camera.width - 1, view.camera.height - 1])
    inside = ((px >= 0) & (px <= size)).all(1).reshape(BEARINGS, -1).all(1)
    small = resized_px(px, factor).astype(np.float32).reshape(BEARINGS, -1, 2)
    colour = cv2.remap(image, small[..., 0], small[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    free = np.asarray(inside & ~hidden_ground(view, points, others, SHADOW_MM).any(1), dtype=np.bool_)
    return bearing, offset, np.asarray(colour, dtype=np.float64), free, px.reshape(BEARINGS, -1, 2)


def linear(colour: Array) -> Array:
    """Light (..., 3) in 0..1 of pixel values in 0..255."""
    return np.asarray((colour / 255) ** TONE)


def _contrast(colour: Array, offset: Array, width: float, free: NDArray[np.bool_]) -> Array:
    """Colours (B, S, 3) projected on the one direction (B, S) in which the line differs most from the board."""
    mean = np.median(colour[free], axis=0)
    on = np.abs(offset) <= max(width / 2, PROFILE_STEP_MM)
    off = np.abs(offset) > width / 2 + 1.5
    way = mean[on].mean(0) - mean[off].mean(0)
    return np.asarray(colour @ (way / max(float(np.linalg.norm(way)), 1e-9)))


def _shifts(profile: Array, offset: Array, free: NDArray[np.bool_]) -> tuple[Array, NDArray[np.bool_]]:
    """Shift (B,) in mm of each profile against the mean one, and where it could be measured (B,).

    Each profile is the mean one, moved, with its own contrast, level and slope; linear in all but the shift, which is
    found in three Gauss-Newton steps.
    """
    mean = np.median(profile[free], axis=0)
    shift: Array = np.zeros(len(profile))
    share = np.zeros(len(profile))
    for _ in range(3):
        moved = offset[None] - shift[:, None]
        copy = np.interp(moved, offset, mean)
        slope = np.interp(moved, offset, np.gradient(mean, PROFILE_STEP_MM))
        level, ramp = np.ones_like(copy), np.broadcast_to(offset / PROFILE_MM, copy.shape)
        design = np.stack([copy - copy.mean(1, keepdims=True), -slope, level, ramp], axis=-1)
        across = design.transpose(0, 2, 1)
        answer = np.linalg.solve(across @ design + 1e-6 * np.eye(4), across @ profile[..., None])[..., 0]
        share = answer[:, 0]
        step = np.where(share > CONTRAST_MIN / 2, answer[:, 1] / np.maximum(share, CONTRAST_MIN / 2), 0.0)
        shift = np.asarray(np.clip(shift + np.clip(step, -0.5, 0.5), -SHIFT_MAX_MM, SHIFT_MAX_MM))
    ok = free & (share > CONTRAST_MIN) & (share < 1 / CONTRAST_MIN) & (np.abs(shift) < SHIFT_MAX_MM - 1e-3)
    return shift, ok


def _series(bearing: Array, shift: Array) -> LineShape:
    """Fit the Fourier series by evidence: prior variances of the wander (less at high orders) and of noise."""
    basis = _basis(bearing)
    order = np.concatenate([[1.0], np.tile(np.arange(1, ORDERS + 1), 2)])
    decay = 1.0 / order
    shift = np.asarray(shift - np.median(shift))
    weight: Array = np.ones(len(shift))
    noise = max(float(1.4826 * np.median(np.abs(shift))), 0.02) ** 2
    wander = noise
    mean: Array = np.zeros(len(decay))
    cov: Array = np.diag(wander * decay)
    pulled = basis * weight[:, None]
    for _ in range(30):
        seen = pulled.T @ basis
        cov = np.asarray(np.linalg.inv(seen / noise + np.diag(1 / (wander * decay))), dtype=np.float64)
        mean = np.asarray(cov @ (pulled.T @ shift) / noise)
        left = shift - basis @ mean
        weight = np.asarray(1 / (1 + left**2 / (4 * noise)), dtype=np.float64)
        pulled = basis * weight[:, None]
        used = float((cov * (pulled.T @ basis)).sum()) / noise
        noise = max(float((weight * left**2).sum() / max(weight.sum() - used, 1.0)), 1e-4)
        wander = max(float(((mean**2 + np.diag(cov)) / decay)[1:].mean()), 1e-7)
    rms = float(np.sqrt((mean[1:] ** 2).sum() / 2))
    if rms < WANDER_MIN_MM:
        return true_circle()
    mean[0] = 0.0
    return LineShape(mean, cov, float(np.sqrt(noise)))

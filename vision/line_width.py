"""The painted width of the circle lines, and where their middle lies, from their mean profiles.

A line is left | ink | right with the ink in place of the board, blurred by lens and pixels. A line hardly wider than
the blur can't be told from a narrower, darker one, so the blur is taken from what pictures have (it hardly differs
between them, in pixels) and all profiles are judged together over a grid of widths and blurs. What the profiles leave
open stays in the width's standard uncertainty. All in linear light, in which blur is a sum.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from calibration.camera import Array

WIDTHS_MM = np.exp(np.linspace(np.log(0.7), np.log(5.5), 20))
WIDTH_LIKELY_MM, WIDTH_LOG_SIGMA = 1.7, 0.35
"""Prior of a painted line's width: makers' lines are 1-4 mm wide."""
BLURS_PX = (0.52, 0.6, 0.69, 0.8, 0.95, 1.2)
BLUR_LIKELY_PX, BLUR_LOG_SIGMA = 0.64, 0.13
"""Standard deviation of the blur of a sharp picture, sampling included, and its spread over pictures."""
MIDDLES_MM = np.linspace(-0.6, 0.6, 13)
NOISE_SHARE = 0.015
"""What the model leaves unexplained of a mean profile (grain, prints), as a share of the profile's range."""
TONE = 2.7
"""Power that turns pixel values to light: sRGB's 2.2, steeper for the S-shaped tone curves that cameras add."""
TONE_SHARE = 0.12
"""Relative standard uncertainty of a width from the tone curve alone: it moves the middle of every edge."""
THIN = 2
"""Every second sample is enough: blur makes neighbours alike."""
CORRELATED = 2.5
"""Neighbouring samples of a profile err together: this many count as one."""
INK_BELOW_BLACK = 0.02
"""Ink darker than black by more than this share of the range is impossible."""


def normal_cdf(x: Array) -> Array:
    """Cumulative normal distribution to 1e-7 (Abramowitz & Stegun 7.1.26): a library for it takes longer to load."""
    t = 1 / (1 + 0.3275911 * np.abs(x) / np.sqrt(2))
    a = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
    tail = t * (a[0] + t * (a[1] + t * (a[2] + t * (a[3] + t * a[4])))) * np.exp(-x * x / 2) / 2
    return np.asarray(np.where(x < 0, tail, 1 - tail))


@dataclass(frozen=True)
class Profiles:
    """Mean profiles (P, S) in linear light over offsets (S,) in mm: of which line (P,), and pixels a mm across (P,)."""

    value: Array
    offset: Array
    line: Array
    detail: Array


@dataclass(frozen=True)
class Strokes:
    """Width in mm of all lines and its sigma; middles (3,) in mm beyond the calibrated radii and their sigmas (3,)."""

    width: float
    width_sigma: float
    middle: Array
    middle_sigma: Array


@lru_cache(maxsize=256)
def _solver(detail: float, blur: float, samples: int, half: float) -> tuple[Array, Array]:
    """Columns (W, M, 3, S) of left, ink and right for all widths and middles, and the inverse normals (W, M, 3, 3)."""
    offset = np.linspace(-half, half, samples)
    spread = blur / detail
    low = normal_cdf((offset - (MIDDLES_MM[None, :, None] - WIDTHS_MM[:, None, None] / 2)) / spread)
    high = normal_cdf((offset - (MIDDLES_MM[None, :, None] + WIDTHS_MM[:, None, None] / 2)) / spread)
    columns = np.stack([np.ones_like(low), low - high, high], axis=2)
    return columns, np.asarray(np.linalg.inv(columns @ columns.swapaxes(2, 3) + 1e-6 * np.eye(3)), dtype=np.float64)


def _misfit(profile: Array, half: float, detail: float, blur: float) -> Array:
    """Sum of squares (W, M) left by the best left, ink and right of each width and middle, over the profile's range."""
    span = float(np.ptp(profile))
    y = (profile - profile.mean()) / span
    columns, inverse = _solver(round(detail, 2), blur, len(y), half)
    side = columns @ y
    best = (inverse @ side[..., None])[..., 0]
    left = float(y @ y) - (best * side).sum(-1)
    level = best[..., 0] + best[..., 1] + float(profile.mean()) / span
    impossible = np.maximum(-INK_BELOW_BLACK - level, 0.0)
    return np.asarray(np.maximum(left, 0.0) + len(y) * 0.2 * impossible**2)


def linear(colour: Array) -> Array:
    """Light (..., 3) in 0..1 of pixel values in 0..255."""
    return np.asarray((colour / 255) ** TONE)


def fit_strokes(profiles: Profiles) -> Strokes | None:
    """Judge all widths and blurs by all profiles; None without a profile that shows anything."""
    lines = [k for k in range(3) if (profiles.line == k).any()]
    if not lines or float(np.ptp(profiles.value, axis=1).min(initial=np.inf)) < 1e-4:
        return None
    half = float(profiles.offset[-1])
    cost = np.zeros((len(BLURS_PX), 3, len(WIDTHS_MM), len(MIDDLES_MM)))
    for value, line, detail in zip(profiles.value, profiles.line, profiles.detail, strict=True):
        for b, blur in enumerate(BLURS_PX):
            cost[b, int(line)] += _misfit(value[::THIN], half, float(detail), float(blur))
    least = cost.min(axis=3).sum(axis=1)
    count = profiles.value[:, ::THIN].size
    noise = max(NOISE_SHARE**2, float(least.min()) / count)
    log_p = -least / (2 * noise * CORRELATED)
    log_p -= ((np.log(BLURS_PX) - np.log(BLUR_LIKELY_PX)) ** 2 / (2 * BLUR_LOG_SIGMA**2))[:, None]
    log_p -= (np.log(WIDTHS_MM) - np.log(WIDTH_LIKELY_MM)) ** 2 / (2 * WIDTH_LOG_SIGMA**2)
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    of_width = p.sum(0)
    width = float(of_width @ WIDTHS_MM)
    step = float(np.diff(np.log(WIDTHS_MM))[0]) * width
    width_sigma = float(np.sqrt(of_width @ (WIDTHS_MM - width) ** 2 + step**2 / 12 + (TONE_SHARE * width) ** 2))
    q = np.exp(-(cost - cost.min(axis=3, keepdims=True)) / (2 * noise * CORRELATED))
    q *= (p[:, None] / q.sum(axis=3))[..., None]
    of_middle = q.sum(axis=(0, 2))
    middle = of_middle @ MIDDLES_MM
    step = float(MIDDLES_MM[1] - MIDDLES_MM[0])
    spread = np.sqrt((of_middle * (MIDDLES_MM - middle[:, None]) ** 2).sum(1) + step**2 / 12)
    unseen = np.array([k not in lines for k in range(3)])
    return Strokes(width, width_sigma, np.where(unseen, 0.0, middle), np.where(unseen, 0.3, spread))

"""Pictures cut out of larger ones: their principal point may lie anywhere, not just near the middle.

In a tilted view the circles show it: no camera with its principal point in the middle sees all of them where they are.
From straight above they hardly do, since a turn of the camera shifts them in the same way. There the picture's shape
may show that it isn't whole; its camera is then solved as if it were, but with larger uncertainties.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.adjust import (
    CORRELATED,
    NOISE_FLOOR_PX,
    Adjusted,
    Observations,
    Priors,
    adjust,
    cauchy_width,
)
from calibration.camera import Array, Camera
from calibration.sampling import Image

SHAPES = (5 / 4, 4 / 3, 3 / 2, 16 / 10, 16 / 9, 2.0, 19.5 / 9, 20 / 9, 21 / 9)
"""Aspect ratios (long over short side) that cameras, phones and broadcasts produce. Square pictures are mostly cut."""
SHAPE_TOLERANCE = 0.01
"""Sizes are rounded to whole blocks of 8 or 16 pixels."""

BLANK_LEVELS = 8
"""Grey levels by which a blank margin (bars, canvases, frames of screenshots) varies at most, JPEG noise included."""
LEAST_MARGIN = 0.02
"""Blank rows or columns at a side are a margin if they make up at least this share of the picture."""

CUT_SIGMA = 0.15
"""Prior standard deviation of a cut picture's principal point, in units of its longest side."""

CUT_LONGER, CUT_SPREAD = 0.3, 0.35
"""Mean and standard deviation of how much a cut lengthens the focal length against the sides (natural logarithm)."""

PAINTED_MM = 0.25
"""Painted circles depart by about this much from true, concentric ones: no smaller misfit tells of the camera."""

CUT_ODDS = 18.0
"""Twice the logarithm of the odds that the edges must give for a cut: one picture of ten is one (4.4), and its
principal point may lie in (0.15 / 0.006)^2 times as many places (12.9)."""

CUT_STEPS = 20
"""Least-squares steps for a cut picture: focal length, tilt and principal point form a long valley, and fewer steps
stop before its bottom."""

FAR_ASIDE = 0.05
"""A principal point found at least this far from the middle (in longest sides) is where the next search starts."""


def camera_shaped(width: int, height: int) -> bool:
    """Whether cameras take pictures of this shape; others were likely cut."""
    ratio = max(width, height) / min(width, height)
    return any(abs(ratio / usual - 1) < SHAPE_TOLERANCE for usual in SHAPES)


def whole(cam: Camera) -> bool:
    """Whether a picture looks like a camera's whole picture: of a usual shape, and without margins."""
    return cam.content is None and camera_shaped(cam.width, cam.height)


def content_of(image: Image) -> tuple[float, float, float, float] | None:
    """Left, upper, right and lower edge in px of what lies within blank margins of an image (H, W, 3) uint8.

    None without margins, and of a picture that is all blank.
    """
    (bottom, right), top, left = image.shape[:2], 0, 0
    for _ in range(2):  # what a margin above or below hides of those at the sides shows once it is off
        part = image[top:bottom]
        above, below = _blank_rows(part[:, left:right]), _blank_rows(part[::-1, left:right])
        if above + below >= len(part):
            return None
        top, bottom = top + above, bottom - below
        part = image[top:bottom].transpose(1, 0, 2)[left:right]
        before, behind = _blank_rows(part), _blank_rows(part[::-1])
        left, right = left + before, right - behind
    return (left, top, right, bottom) if (bottom - top, right - left) != image.shape[:2] else None


def _blank_rows(image: Image) -> int:
    """How many rows from the first on are of one colour; 0 where they are too few to be a margin."""
    if not _blank(image[:1], image[0, 0]).all():
        return 0
    rows = _blank(image, image[0, 0])
    count = len(rows) if rows.all() else int(np.argmin(rows))
    return count if count >= LEAST_MARGIN * len(rows) else 0


def _blank(rows: Image, colour: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which of rows (N, M, 3) are of a colour (3,) from end to end."""
    low, high = (np.clip(colour.astype(int) + d, 0, 255).astype(np.uint8) for d in (-BLANK_LEVELS, BLANK_LEVELS))
    return np.asarray(((rows >= low) & (rows <= high)).all(axis=(1, 2)))


def fitted(cam: Camera, radii: Array, obs: Observations, known: Priors, cut: bool | None) -> tuple[Adjusted, bool]:
    """Camera and circles fitted to the edges, and whether the picture is taken for one that was cut.

    ``cam`` and ``radii`` (C,) in mm are where the fit starts; ``known``: the priors of a picture that wasn't cut.
    ``cut``: what it is taken for, or None to let the edges decide: as a cut one they must fit better by more than the
    odds against a cut.
    """
    size = max(cam.width, cam.height)
    wide = widened(known, cam)
    if cut:
        return adjust(cam, radii, obs, wide), True
    fit = adjust(cam.centred(), radii, obs, known)
    if cut is not None:
        return fit, False
    if len(obs.px) * (fit.rms_px / _painted_px(obs)) ** 2 < CUT_ODDS * CORRELATED:  # no other fit can be so much better
        return fit, False
    aside = np.linalg.norm(cam.K[:2, 2] - cam.middle)
    start = (cam, radii) if aside > FAR_ASIDE * size else (fit.camera, fit.radii)
    other = adjust(*start, obs, wide, steps=CUT_STEPS)
    return (other, True) if _better_by(other, fit, obs) > CUT_ODDS else (fit, False)


def widened(known: Priors, cam: Camera) -> Priors:
    """The priors of a picture that was cut out of a larger one."""
    size = max(cam.width, cam.height)
    return replace(
        known, centre_sigma=CUT_SIGMA * size, log_focal=known.log_focal + CUT_LONGER, log_focal_sigma=CUT_SPREAD
    )


def _painted_px(obs: Observations) -> float:
    """How far painted circles are off, in pixels of this picture."""
    return PAINTED_MM * float(np.median(obs.scale))


def _better_by(fit: Adjusted, other: Adjusted, obs: Observations) -> float:
    """How much better ``fit`` agrees with the edges than ``other``: twice a log odds, by the noise of ``fit``."""
    width = cauchy_width(fit.residuals)
    own, others = (np.log1p((f.residuals / width) ** 2) for f in (fit, other))
    gain = float((obs.weight * width**2 * (others - own)).sum())
    return gain / (CORRELATED * max(fit.rms_px, NOISE_FLOOR_PX, _painted_px(obs)) ** 2)

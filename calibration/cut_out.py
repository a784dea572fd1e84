"""Pictures cut out of larger ones: their principal point lies anywhere, not near the middle.

Seen from aside, the circles tell: no camera with its principal point in the middle sees them all where they are. Seen
from straight above they hardly do, for a turn of the camera shifts them likewise. There the picture's shape may tell
that it isn't whole; its camera is then solved as if it was, but known less.
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

SHAPES = (5 / 4, 4 / 3, 3 / 2, 16 / 10, 16 / 9, 2.0, 19.5 / 9, 20 / 9, 21 / 9)
"""Long over short side of what cameras, phones and broadcasts give. Squares are mostly cut."""
SHAPE_TOLERANCE = 0.01
"""Sizes are rounded to whole blocks of 8 or 16 pixels."""

CUT_SIGMA = 0.15
"""Prior spread of the principal point of a picture that was cut, in its longest sides."""

CUT_LONGER, CUT_SPREAD = 0.3, 0.35
"""How much longer its focal length is, in the logarithm, as its sides are shorter, and how much that differs."""

PAINTED_MM = 0.25
"""Painted circles are off by this from true and concentric ones; a misfit no larger tells nothing of the camera."""

CUT_ODDS = 18.0
"""Twice the logarithm of the odds that the edges must give for a cut: one picture of ten is one (4.4), and its
principal point may lie in (0.15 / 0.006)^2 times as many places (12.9)."""

FAR_ASIDE = 0.05
"""A principal point found so far aside before, in longest sides, is where the next search for a cut starts."""


def camera_shaped(width: int, height: int) -> bool:
    """Whether cameras take pictures of this shape; others were likely cut."""
    ratio = max(width, height) / min(width, height)
    return any(abs(ratio / usual - 1) < SHAPE_TOLERANCE for usual in SHAPES)


def fitted(
    cam: Camera, radii: Array, fixed: NDArray[np.bool_], obs: Observations, known: Priors, cut: bool | None
) -> tuple[Adjusted, bool]:
    """Camera and circles fitted to the edges, and whether the picture is taken for one that was cut.

    radii: (C,) starting values in mm; fixed: (C,) radii that stay; ``known``: what is known where it wasn't cut.
    ``cut``: what it is taken for, or None if the edges shall say: they must fit so much better that it outweighs how
    seldom pictures are cut.
    """
    size = max(cam.width, cam.height)
    wide = widened(known, cam)
    if cut:
        return adjust(cam, radii, fixed, obs, wide), True
    fit = adjust(cam.centred(), radii, fixed, obs, known)
    if cut is not None:
        return fit, False
    painted = PAINTED_MM * float(np.median(obs.scale))
    if len(obs.px) * (fit.rms_px / painted) ** 2 < CUT_ODDS * CORRELATED:  # no other fit can be so much better
        return fit, False
    aside = np.linalg.norm(cam.K[:2, 2] - cam.middle)
    start = (cam, radii) if aside > FAR_ASIDE * size else (fit.camera, fit.radii)
    other = adjust(*start, fixed, obs, wide, steps=20)
    return (other, True) if _better_by(other, fit, obs) > CUT_ODDS else (fit, False)


def widened(known: Priors, cam: Camera) -> Priors:
    """What is known of a picture that was cut."""
    size = max(cam.width, cam.height)
    return replace(
        known, centre_sigma=CUT_SIGMA * size, log_focal=known.log_focal + CUT_LONGER, log_focal_sigma=CUT_SPREAD
    )


def _better_by(fit: Adjusted, other: Adjusted, obs: Observations) -> float:
    """How much better ``fit`` agrees with the edges than ``other``: twice a log odds, by the noise of ``fit``."""
    width = cauchy_width(fit.residuals)
    own, others = (np.log1p((f.residuals / width) ** 2) for f in (fit, other))
    gain = float((obs.weight * width**2 * (others - own)).sum())
    return gain / (CORRELATED * max(fit.rms_px, NOISE_FLOOR_PX, PAINTED_MM * float(np.median(obs.scale))) ** 2)

"""How light falls over the board, so that one side's faces have one colour in the sun and in the shade.

What is painted on a board runs in rings about its centre: lines, filled rings, bare wood between them. Where a place is
darker or brighter than most others at its distance from the centre, that is therefore the light: a shadow's edge, a
lamp. The ratio is taken over more than a disc's surroundings, so that grain, prints and reflections hardly count.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.disc_canonical import PX_PER_MM, SIZE, CanonicalFrame

TURNS, STEP_PX = 120, 2
"""In how many directions from the centre the light is sampled, and how far apart the samples lie."""
REACH = 1.04
"""How far out light is sampled, in radii of the shooting line: every board still has its surface there."""
AROUND = 3.0
"""A disc's light is taken from what lies within so many of its radii."""
COVER = 1.3
"""Samples within this many radii of a disc's place show disc, wall or contact shadow, not the board."""
CENTRAL_PX = 10.0
"""Samples closer to the centre than this show the hole."""
FEWEST = 20
"""Samples of bare surface that are needed at least to estimate the light at a place."""
DARKEST = 0.03
"""Added to brightness (0..1) before ratios are taken: black stays black."""
UNEVEN, SHADED = 0.6, 0.3
"""Spread of the light from disc to disc (natural logarithm). Up to the first (a factor of 1.8 in grey values) it
changes faces less than reflections do, as measured on drawn and real pictures in half shade, and is left alone. From
the second on, where the faces of one side differ much, it may have made two sides of one, or one of two."""


@dataclass(frozen=True)
class Light:
    """Light at N discs: ``ratios`` (N, 3), logarithms of BGR over what is usual at that distance from the centre."""

    ratios: NDArray[np.float64]

    def range(self, of: NDArray[np.bool_]) -> float:
        """By how much (logarithm) the light at the brightest of some discs (N,) exceeds that at the darkest."""
        return float(np.ptp(self.ratios[of].mean(axis=1))) if of.any() else 0.0

    def evened(self, lab: NDArray[np.float64]) -> NDArray[np.float64]:
        """Faces' Lab (N, 3), L in 0..100, as they would look in the light that most of the board lies in."""
        bgr = cv2.cvtColor(lab[None].astype(np.float32), cv2.COLOR_Lab2BGR)[0]
        even = np.clip((bgr + DARKEST) * np.exp(-self.ratios) - DARKEST, 0.0, 1.0)
        return np.asarray(cv2.cvtColor(even[None].astype(np.float32), cv2.COLOR_BGR2Lab)[0], dtype=np.float64)


def light_at(picture: NDArray[np.uint8], frame: CanonicalFrame, discs: NDArray[np.float64], radius_px: float) -> Light:
    """The light at discs (N, 2), in pixels of a canonical picture (SIZE, SIZE, 3) uint8 BGR, of the given radius."""
    middle = (SIZE - 1) / 2
    farthest = REACH * frame.shooting * PX_PER_MM
    covered = np.zeros((SIZE, SIZE), np.uint8)
    for x, y in discs:
        cv2.circle(covered, (round(x), round(y)), round(COVER * radius_px), 1, -1)
    rings = (round(farthest / STEP_PX), TURNS), (middle, middle), farthest
    seen = cv2.warpPolar(picture, *rings, cv2.INTER_LINEAR).astype(np.float64) / 255
    bare = cv2.warpPolar(covered, *rings, cv2.INTER_NEAREST) == 0
    brightness = np.log(seen + DARKEST)
    bare_only = np.where(bare[..., None], brightness, np.nan)
    bare_only[:, ~bare.any(axis=0)] = 0.0
    ratio = brightness - np.nanmedian(bare_only, axis=0)
    away, turn = np.arange(rings[0][0])[None, :] * STEP_PX, (np.arange(TURNS) * (2 * np.pi / TURNS))[:, None]
    at_x, at_y = away * np.cos(turn), away * np.sin(turn)
    bare &= away >= CENTRAL_PX
    out = np.zeros((len(discs), 3))
    for k, (x, y) in enumerate(discs - middle):
        inwards = min(1.0, (farthest - radius_px) / max(float(np.hypot(x, y)), 1e-6))  # the ditch: by what is nearest
        near = bare & (np.hypot(at_x - x * inwards, at_y - y * inwards) < AROUND * radius_px)
        if np.count_nonzero(near) >= FEWEST:
            out[k] = np.median(ratio[near], axis=0)
    return Light(out)

"""Read six-sided dice with pips: the uppermost face of each and the colour of its body.

A network finds the top faces at any scale (vision/dice_nets.py); a matched filter counts the pips of each
(vision/dice_pips.py). Where the filter can't tell, the value is None: unknown is better than wrong.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice_nets import CROP_EDGES, CROP_PX, Found, crop, find, network
from vision.dice_pips import pip_scores
from vision.frames import Frame
from vision.readings import Die

LIKELY = 0.45
"""Chance of the finder from which on a find is looked at."""
SIZES = (0.88, 1.0, 1.13)
"""Sizes tried for each find, in the finder's: its own is off by 0.13 (standard deviation of the log)."""
FAR = 0.3
"""What a size other than the finder's costs, for one unit of the log of their ratio."""
LISTED = 0.5
"""Correlation with the best layout from which on a find is listed."""
TOLD = 0.43
"""Product of the finder's chance and that correlation from which on a value is told: it parts tops from sides."""
LEAD = 0.05
"""Lead of the best value's correlation over the next one from which on it is told."""
SAME = 0.5
"""Tops nearer than this share of the larger edge are one die (touching dice seen from 55 degrees are 0.57 apart)."""
INSIDE = 0.85
"""A find this near, in edges, to a die of more than LARGER times its size is a mark on that die."""
LARGER = 1.6
FACE = 0.42
"""Half of the middle part of a crop that surely shows the die, in edges: there its body's colour is taken."""


@dataclass(frozen=True, slots=True)
class Look:
    """One find with what the filter says: place and edge in pixels, correlation with each value 1 to 6."""

    x: float
    y: float
    edge: float
    scores: tuple[float, ...]
    chance: float

    @property
    def weight(self) -> float:
        """What counts where two finds exclude each other: sure, well fitting and large ones first."""
        return self.chance * max(self.scores) * float(np.log(max(self.edge, 2.0)))


def read_dice(frame: Frame) -> tuple[Die, ...]:
    """All dice of a frame, with points in pixels of the picture as shown, from the top of the picture down."""
    found = [f for f in find(network("dice_find"), frame.pixels) if f.chance >= LIKELY]
    looks = [look(frame.pixels, f) for f in found]
    dice = [_die(frame, one) for one in without_doubles([x for x in looks if max(x.scores) >= LISTED])]
    return tuple(sorted(dice, key=lambda d: (d.px[1], d.px[0])))


def look(picture: NDArray[np.uint8], found: Found) -> Look:
    """Hold a find against the layouts in several sizes and keep the best."""
    tried = [(size, pip_scores(picture, found.x, found.y, found.edge * size)) for size in SIZES]
    size, scores = max(tried, key=lambda t: float(t[1].max()) - FAR * abs(np.log(t[0])))
    return Look(found.x, found.y, found.edge * size, tuple(scores.tolist()), found.chance)


def without_doubles(looks: list[Look]) -> list[Look]:
    """Keep one look a die, and none at marks on a larger die; the weightiest first."""
    kept: list[Look] = []
    for one in sorted(looks, key=lambda k: -k.weight):
        for other in kept:
            away = float(np.hypot(one.x - other.x, one.y - other.y))
            small, large = sorted((one.edge, other.edge))
            if away < SAME * large or (large > LARGER * small and away < INSIDE * large):
                break
        else:
            kept.append(one)
    return kept


def _die(frame: Frame, seen: Look) -> Die:
    order = sorted(seen.scores, reverse=True)
    told = seen.chance * order[0] >= TOLD and order[0] - order[1] >= LEAD
    px = frame.to_shown(np.array([[seen.x, seen.y]]))[0]
    shares = np.exp(15.0 * (np.array(seen.scores) - order[0]))
    shares /= shares.sum()
    return Die(
        seen.scores.index(order[0]) + 1 if told else None,
        (float(px[0]), float(px[1])),
        seen.edge * float(np.sqrt(frame.scale[0] * frame.scale[1])),
        "flat",
        body_colour(crop(frame.pixels, seen.x, seen.y, seen.edge)),
        round(float(min(seen.chance + 0.2, 1.0) * shares.max()), 4),
        tuple(round(float(v), 4) for v in shares),
    )


def body_colour(patch: NDArray[np.uint8]) -> str:
    """Word for the colour of a die's body from its crop: that of the larger of the two groups of the face's pixels."""
    half = FACE * CROP_PX / CROP_EDGES
    a, b = int(CROP_PX / 2 - half), int(CROP_PX / 2 + half) + 1
    pixels = patch[a:b, a:b].reshape(-1, 3)
    grey = pixels.mean(axis=1)
    middle = float(cv2.threshold(grey.astype(np.uint8), 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[0])
    bright = grey > middle
    body = pixels[bright if bright.mean() >= 0.5 else ~bright]
    return colour_word(np.median(body, axis=0) if len(body) else np.median(pixels, axis=0))


def colour_word(bgr: NDArray[np.float64]) -> str:
    """Plain English word for a colour (3,) BGR 0..255."""
    b, g, r = (int(v) for v in bgr)
    hue, saturation, value = (int(v) for v in cv2.cvtColor(np.array([[[b, g, r]]], np.uint8), cv2.COLOR_BGR2HSV)[0, 0])
    if value < 60:  # too dark for its hue to be seen
        return "black"
    if saturation < 60:
        return "white" if value > 150 else "grey"
    names = ((8, "red"), (20, "orange"), (34, "yellow"), (88, "green"), (128, "blue"), (150, "purple"), (172, "pink"))
    return next((name for end, name in names if hue < end), "red")

"""Read six-sided dice with pips: the uppermost face of each, whether it leans, the colour of its body.

A network finds the top faces at any scale, a second one reads a crop of each (vision/dice_nets.py), and a matched
filter counts the pips independently (vision/dice_pips.py); pips within a rim (vision/dice_edges.py) speak for dice that
the networks don't know. Which dice lean is told from all of them together (vision/dice_lean.py), by where their feet
appear and how their tops are slanted (vision/dice_slant.py). Where that leaves doubt, the value is None: unknown is
better than wrong.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice_edges import rim_contrast
from vision.dice_lean import leaning
from vision.dice_nets import CROP_EDGES, CROP_PX, Found, aimed, crop, find, find_more, log_odds, read, softmax, views
from vision.dice_pips import pip_fits, pip_scores
from vision.dice_slant import Slant, face_slant
from vision.frames import Frame
from vision.networks import network
from vision.readings import Die

Floats = NDArray[np.float64]

LIKELY = 0.25
"""A find is looked at from this probability (the finder's) on."""
NOTHING, COCKED, AIMS, FOOT = 7, 8, slice(9, 12), slice(12, 14)
"""The reader's outputs: no value (0), values 1 to 6, no top face (7); leaning; offset x, y and log of the size; where
the foot appears, in edges from the top."""
SIZES = (1.0, 0.8, 1.25)
"""Sizes, in the face's, at which a face is read; readings that differ show doubt. At the first one alone where that is
clear. These lie at the ends of what the reader was trained on: on drawn dice the mean over them is wrong a third less
often than over sizes a tenth apart, whose readings are too much alike."""
CHANGES = 2.0
"""How much further looks may still change the log odds of a first look (set by hand)."""
CLEAR = 0.95
"""Probability of a value from which on the reader needs no second opinion."""
TOP_ODDS = (-0.5, 0.8, 1.0)
"""Log odds of a top face: a constant, and weights of the finder's and the reader's own. On drawn pictures
``training/fit_dice_odds.py`` gives (-1.7, 1.6, 0.7); of dice unlike those it learnt the finder is less sure, the reader
hardly, so more than half of the finder's weight has been taken off it, and the reader given more, by hand."""
LAYOUT_SIZES = (0.88, 1.0, 1.13)
"""Sizes tried by the filter, in the face's."""
FAR = 0.3
"""Correlation that is taken off a size unlike the face's, per unit of the logarithm of their ratio."""
PIPS_WEIGHT, READER_FLOOR = 8.0, 0.02
"""Log odds of a value for one unit of correlation; what the reader's probability of a value counts at least."""
FACE_ODDS = 5.0
"""Log odds of a top face that a layout of two or more pips within a rim adds at most; a single round spot adds nothing:
discs, holes and knots look so too. Set by hand with photographs of dice, cards and boards in view: of 1250 doubtful
finds where no dice lie none shows it by half. On drawn dice, whose looks the networks know, it is worth 2."""
LAYOUT_FITS, RIM_SHOWS = (0.6, 0.8), (0.7, 1.4)
"""Correlation with the layout, and contrast of the rim: they count from the first value on, and in full from the
second."""
AS_READ = 0.4
"""Probability of a value, if this is a top face, from which on its layout is looked for: that must only confirm it."""
PLAINLY = 0.8
"""How clearly a find at further sizes must show its face: more looks, more chances to be wrong. At 0.5 a playing card
that was seen slantwise, and so nearly square, passed as a six in one of 219 pictures without dice."""
FACE_SIZES = (0.8, 0.92, 1.06)
"""Sizes, in the find's, at which that layout is looked for."""
LISTED, LISTED_BLANK = 0.0, 2.0
"""Log odds of a top face from which on a find is listed, and those needed where it most likely bears no value."""
SOMEWHERE = 3.7
"""Log odds (40 to one) that one find must have: where nothing surely is a die, nothing is listed. Set by hand with
photographs of dice, cards and boards in view."""
TOGETHER = 6.5
"""... or all finds together: on one table lie dice or none, so what speaks for each speaks for all. Set by hand
likewise: of 140 pictures without dice, drawn and photographed, one find comes to at most 3.2, all together to 6.0."""
SMALLEST = 17.0
"""Edges in pixels of the frame below which nothing is read: dice of 25 pixels across, turned, have 18."""
SURE = 0.5
"""Probability of a value, the doubt about the top face included, from which on it is told."""
FLAT, LEANS = 0.5, 0.6
"""Probabilities of leaning up to which a die's value is told, and from which on it counts as cocked; between, it may be
either, and neither is told."""
SAME = 0.5
"""Tops nearer than this share of the larger edge are one die (touching dice seen from 55 degrees are 0.57 apart)."""
INSIDE = 0.85
"""A find this near, in edges, to a die of more than LARGER times its size is a mark on that die."""
LARGER = 1.6
BESIDE = 1.2
"""How near, in edges, a die's sides lie to its top at most: a face for which only its pips speak is such a side."""
FACE = 0.42
"""Half the side, in edges, of the middle part of a crop that surely shows the die; its body's colour is taken there."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The value that a face bears by its layout of pips, and how clearly it does, 0..1."""

    value: int
    share: float


BARE = Shown(0, 0.0)
"""Nothing that could be told."""


@dataclass(frozen=True, slots=True)
class Look:
    """What finder and reader say of one find: place and edge in pixels, log odds of a top face.

    ``shares``: probabilities of no value and of the values 1 to 6; ``leans``: the reader's of its being cocked;
    ``foot``: where the middle of the lowest face appears, in edges from (x, y). ``bare``: the odds without what its
    pips add.
    """

    x: float
    y: float
    edge: float
    odds: float
    shares: tuple[float, ...]
    leans: float
    foot: tuple[float, float]
    bare: float = 0.0

    @property
    def weight(self) -> float:
        """What counts where two finds exclude each other: likely and large ones first."""
        return self.odds + 0.5 * float(np.log(max(self.edge, 2.0)))


def read_dice(frame: Frame) -> tuple[Die, ...]:
    """All dice of a frame, with points in pixels of the picture as shown, from the top of the picture down."""
    kept = _looks(frame.pixels)
    if not any_dice([one.odds for one in kept]):
        return ()
    height, width = frame.pixels.shape[:2]
    points, feet = np.array([(k.x, k.y) for k in kept]), np.array([k.foot for k in kept])
    seen = [_slant(frame.pixels, one) for one in kept] if len(kept) > 1 else []
    leans = leaning(feet, points, np.array([k.leans for k in kept]), width, height, seen=seen)
    dice = [_die(frame, one, float(p)) for one, p in zip(kept, leans, strict=True)]
    return tuple(sorted(dice, key=lambda d: (d.px[1], d.px[0])))


def _slant(picture: NDArray[np.uint8], seen: Look) -> Slant | None:
    """How a die's top is slanted by the pips of its most likely value."""
    return face_slant(picture, seen.x, seen.y, seen.edge, np.array(seen.foot), 1 + int(np.argmax(seen.shares[1:])))


def _looks(picture: NDArray[np.uint8]) -> list[Look]:
    """What is seen of each die; where no dice are found, large ones are looked for once more, and must show their
    pips."""
    found = promising(picture, find(network("dice_find"), picture, again=True))
    looks = [one for one in (look(picture, *each) for each in found) if one is not None]
    kept = without_doubles(looks)
    if any_dice([one.odds for one in kept]):
        return kept
    more = [each for each in promising(picture, find_more(network("dice_find"), picture)) if each[1].share >= PLAINLY]
    looks += [one for one in (look(picture, *each) for each in more) if one is not None and one.odds > one.bare]
    return without_doubles(looks)


def any_dice(odds: list[float]) -> bool:
    """Whether the finds of a picture, with these log odds, say that dice lie there at all."""
    return max(odds, default=0.0) >= SOMEWHERE or sum(odds) >= TOGETHER


def promising(picture: NDArray[np.uint8], found: list[Found]) -> list[tuple[Found, Shown]]:
    """The finds that a first look doesn't reject, moved to where it sees the face, and what their pips show."""
    net = network("dice_read")
    kept: list[tuple[float, Found, Shown]] = []
    for f in found:
        if f.chance < LIKELY or f.edge < SMALLEST:
            continue
        first = read(net, [crop(picture, f.x, f.y, f.edge)])[0]
        odds = top_odds(f.chance, first[: NOTHING + 1])
        shown = face_shown(picture, f, first) if abs(odds - LISTED) < FACE_ODDS else BARE
        if odds > LISTED - CHANGES or odds + FACE_ODDS * shown.share > LISTED:
            x, y, edge = aimed(f.x, f.y, f.edge, first[AIMS])
            kept.append((odds, Found(x, y, edge, f.chance), shown))
    kept.sort(key=lambda each: -each[0])
    best: list[tuple[float, Found, Shown]] = []
    for odds, f, shown in kept:
        if all(o < odds + CHANGES or np.hypot(f.x - g.x, f.y - g.y) > SAME * max(f.edge, g.edge) for o, g, _ in best):
            best.append((odds, f, shown))
    return [(f, shown) for _, f, shown in best]


def top_odds(chance: float, logits: NDArray[np.float64]) -> float:
    """Log odds of a top face from the finder's chance and the reader's logits (8,)."""
    return TOP_ODDS[0] + TOP_ODDS[1] * log_odds(chance) + TOP_ODDS[2] * log_odds(1 - float(softmax(logits)[NOTHING]))


def look(picture: NDArray[np.uint8], found: Found, shown: Shown = BARE) -> Look | None:
    """Read a face, at all SIZES unless it is clear at once, and compare it with the layouts; None if it is no face."""
    x, y, edge = found.x, found.y, found.edge
    outs = views(network("dice_read"), picture, (x, y, edge), SIZES[:1], (AIMS, FOOT))
    if not _settled(outs):
        more = views(network("dice_read"), picture, (x, y, edge), SIZES[1:], (AIMS, FOOT))
        outs = np.concatenate([outs[:1], more[: len(more) // 2], outs[1:], more[len(more) // 2 :]])  # plain, mirrored
    both = outs.mean(axis=0)
    classes = softmax(outs[:, : NOTHING + 1]).mean(axis=0)
    each = np.array([top_odds(found.chance, out) for out in outs[:, : NOTHING + 1]]).reshape(2, -1).mean(axis=0)
    odds = float(np.log(np.exp(each).mean()))  # it has one of these sizes, each as likely as the others
    shares = classes[:NOTHING] / max(float(classes[:NOTHING].sum()), 1e-9)
    bare = odds
    if shown.value == 1 + shares[1:].argmax():
        odds += FACE_ODDS * shown.share
    if odds < LISTED:
        return None
    x, y, edge = aimed(x, y, edge, both[AIMS])
    if odds < LISTED_BLANK and shares.argmax() == 0:
        return None
    if shares.max() < CLEAR:
        counted = (shares[1:] + READER_FLOOR) * np.exp(PIPS_WEIGHT * _filtered(picture, x, y, edge, both[FOOT]))
        shares[1:] = (1 - shares[0]) * counted / counted.sum()
    leans = float(1 / (1 + np.exp(-both[COCKED])))
    return Look(x, y, edge, odds, tuple(shares.tolist()), leans, (float(both[FOOT][0]), float(both[FOOT][1])), bare)


def _settled(outs: NDArray[np.float64]) -> bool:
    """Whether all views of a face give the same value clearly."""
    classes = softmax(outs[:, : NOTHING + 1])
    values = classes[:, 1:NOTHING]
    return bool((values.max(axis=1) > CLEAR).all() and len(set(values.argmax(axis=1).tolist())) == 1)


def face_shown(picture: NDArray[np.uint8], found: Found, first: Floats) -> Shown:
    """The value that a find's layout of pips shows, and how clearly, if a rim turned like the pips surrounds them.

    ``first``: the reader's outputs. The layout must confirm the value that they give. It is looked for where the finder
    saw the face, since the reader's aims are at their worst on dice unlike those that it was trained on.
    """
    values = softmax(first[1:NOTHING])
    best = int(values.argmax())
    if best == 0 or values[best] < AS_READ:
        return BARE
    flat = _flattened(first[FOOT])
    x, y, edge = found.x, found.y, found.edge
    if rim_contrast(picture, x, y, edge, flat) <= RIM_SHOWS[0]:  # the quicker test
        return BARE
    tried = [pip_fits(picture, x, y, edge * size, flat) for size in FACE_SIZES]
    fits, turns = max(tried, key=lambda each: float(each[0].max()))
    if fits.argmax() != best:
        return BARE
    rim = _ramp(rim_contrast(picture, x, y, edge, flat, int(turns[best])), RIM_SHOWS)
    return Shown(best + 1, rim * _ramp(float(fits[best]), LAYOUT_FITS))


def _ramp(value: float, ends: tuple[float, float]) -> float:
    """0 up to the first end, 1 from the second one on."""
    return min(1.0, max(0.0, (value - ends[0]) / (ends[1] - ends[0])))


def _flattened(foot: Floats) -> float:
    """Foreshortening (cosine of the tilt) of a face: its foot appears as many edges away from it as the tilt's sine."""
    return float(max(0.0, 1 - float(foot @ foot)) ** 0.5)


def _filtered(picture: NDArray[np.uint8], x: float, y: float, edge: float, foot: Floats) -> Floats:
    """The filter's best correlation with each value (6,), the highest one at 0."""
    flat = _flattened(foot)
    scores = [pip_scores(picture, x, y, edge * size, flat) - FAR * abs(np.log(size)) for size in LAYOUT_SIZES]
    best = np.max(scores, axis=0)
    return np.asarray(best - best.max())


def without_doubles(looks: list[Look]) -> list[Look]:
    """Keep one look a die, and none at marks on a larger die; the weightiest first."""
    kept: list[Look] = []
    for one in sorted(looks, key=lambda k: -k.weight):
        for other in kept:
            away = float(np.hypot(one.x - other.x, one.y - other.y))
            small, large = sorted((one.edge, other.edge))
            if away < SAME * large or (large > LARGER * small and away < INSIDE * large):
                break
            if away < BESIDE * large and one.bare < LISTED:
                break
        else:
            kept.append(one)
    return kept


def _die(frame: Frame, seen: Look, leans: float) -> Die:
    values = seen.shares[1:]
    best = int(np.argmax(values))
    top = 1 / (1 + float(np.exp(-seen.odds)))
    sure = top * values[best] >= SURE  # a face that can't be read tells as little of its lean
    cocked = sure and leans > LEANS
    told = sure and leans <= FLAT
    px = frame.to_shown(np.array([[seen.x, seen.y]]))[0]
    return Die(
        best + 1 if told else None,
        (float(px[0]), float(px[1])),
        seen.edge * float(np.sqrt(frame.scale[0] * frame.scale[1])),
        "cocked" if cocked else "flat",
        body_colour(crop(frame.pixels, seen.x, seen.y, seen.edge)),
        round(top * (leans if cocked else values[best]), 4),
        tuple(round(v, 4) for v in values),
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

"""Read Krakatoa's dodecas: the set by the body (white, grey, black), the colour of the spot on the top face.

A network finds the top faces, a second one reads a crop of each: whether it is one at all, the colour of its spot, its
set (vision/dice_nets.py). White, grey and black are relations under a light that nobody knows, so all dodecas of the
picture together have a say in their sets: the ordered split of their bodies' brightness into three groups that lie
apart as white, grey and black dice do. Where a profile says what the colours look like here ("referee calibrate dice"),
bodies and spots are held against it too.
"""

from dataclasses import dataclass, replace
from typing import get_args

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice_lean import leaning
from vision.dice_nets import Found, aimed, find, log_odds, softmax, views
from vision.frames import Frame
from vision.networks import network
from vision.readings import Dodeca, DodecaSet, SpotColour

Floats = NDArray[np.float64]

COLOURS: tuple[SpotColour, ...] = get_args(SpotColour)
SETS: tuple[DodecaSet, ...] = get_args(DodecaSet)

NOTHING, SET_SHARES, AIMS, FOOT = 3, slice(4, 7), slice(7, 10), slice(10, 12)
"""The reader's outputs: colours of the top spot as COLOURS, no top face (3); the set; offset x, y and log of the size;
where the foot appears, in sizes from the top."""
LIKELY = 0.25
"""Chance of the finder from which on a find is looked at."""
TOP_ODDS = (0.0, 0.6, 1.0)
"""Log odds of a top face: a constant, and weights of the finder's and the reader's own."""
PROMISING, LISTED = -2.5, 0.0
"""Log odds from which on a find is looked at a second time, where the first look says that it is; and listed."""
COLOUR_SURE = 0.5
"""Probability from which on a spot's colour is said."""
SAME = 0.54
"""Tops nearer than this share of the larger size are one dodeca: the spots of the faces beside the top lie 0.45 to 0.53
away from it at any tilt, the tops of touching dodecas at least 0.55 (seen from 56 degrees)."""
FEWEST, ASLANT = 4, 0.8
"""Finds that must be there before they outvote one; the probability of leaning, as dice would, from which on a find
isn't a top: dodecas can't lean by themselves, and the faces beside the top slant by 63 degrees."""
FOOT_ERRORS = ((1.0, 0.1),)
"""Error of the foot's offset of a top, in edges: dodecas are all of one kind, of which the reader knows many."""
OF_A_SIZE, ODD_SIZE = 0.9, 1.6
"""Dodecas are of one size: no find is taken as smaller than this share of the median one, and one that differs from it
by more than this factor is none (the far and near ones of a steep view differ by 1.4 from it)."""
SPOT = 0.09
"""Radius of the middle of the spot in sizes across flats (spots reach to 0.2, foreshortened 0.11)."""
RING = (0.18, 0.32)
"""Between these radii, in sizes, lie the top face's rim and its neighbours: body, and parts of their spots."""
BODY_SHARE, BODY_DARK = 0.4, 0.4
"""Share of the ring's pixels, the greyest, that are body; the quantile of their brightness (gloss lies above)."""
PALE = 45
"""Saturation 0..255 below which a spot has no colour."""
STEPS = np.log(np.array([1.0, 0.64, 0.30]))
"""Brightness of white, grey and black bodies to white ones, as pictures show them (gamma included)."""
SPREAD = 0.14
"""Standard deviation of a body's log brightness about its set's: the way it lies to the light."""
STRAY = -4.5
"""Logarithm of the chance of a body that fits no set: a lamp mirrored in it."""
CONTRASTS, CONTRAST = (0.5, 0.65, 0.8, 1.0, 1.2), (0.95, 0.25)
"""Contrasts by which cameras stretch or squeeze STEPS; their mean and standard deviation."""
COMPANY, COMPANY_FLOOR, READER_FLOOR = 0.3, 0.01, 0.003
"""Weight of what the bodies together say about the sets beside the reader's opinion of each, which is right far more
often (mirrored lamps make a black body brighter than a white one); and what the probabilities count at least."""
A_SET, CROWDED = 3, 1.2
"""Dodecas of one set (K1), and what one more of them costs (logarithm): a doubt, not a rule."""
ALL = 9
"""Dodecas of the game (K1): of more finds, the likeliest are taken."""
BROKEN = 1.5
"""What a set costs of which some lie there and some don't: sets are thrown, and left lying, whole (K5)."""
LIGHT = (float(np.log(200.0)), 0.35)
"""Log brightness of white bodies and its standard deviation over pictures: cameras expose for the table."""
BODY_SPREAD, LIGHT_SPREAD = 0.22, 0.3
"""With a profile: standard deviation of a body's log brightness (the way it lies to the light), and of the light."""
HUE_SPREAD = 9.0
"""With a profile: standard deviation of a spot's hue (OpenCV: 180 is the whole circle)."""
SURE = 0.6
"""Probability from which on a set is said."""


@dataclass(frozen=True, slots=True)
class DodecaColours:
    """What the dodecas look like here: BGR 0..255 of the bodies (steam, ash, lava) and spots (yellow, red, blue)."""

    bodies: Floats
    spots: Floats


@dataclass(frozen=True, slots=True)
class Look:
    """One find: place and size across flats in pixels, chance of a top face, colours (3,) BGR of its spot and its body.

    ``colours``, ``sets``: the reader's probabilities (3,) of COLOURS and of SETS; ``foot``: where the middle of the
    lowest face appears, in sizes from (x, y).
    """

    x: float
    y: float
    across: float
    chance: float
    spot: Floats
    body: Floats
    colours: Floats
    sets: Floats
    foot: tuple[float, float]


def read_dodecas(frame: Frame, known: DodecaColours | None = None) -> tuple[Dodeca, ...]:
    """All dodecas of a frame, with points in pixels of the picture as shown, from the top of the picture down."""
    looks = looks_at(frame)
    if not looks:
        return ()
    bodies, spots = np.array([one.body for one in looks]), np.array([one.spot for one in looks])
    company = COMPANY * np.log(sets_of(bodies.mean(axis=1)) + COMPANY_FLOOR)
    sets = np.log(np.array([one.sets for one in looks]) + READER_FLOOR) + company
    colours = np.log(np.array([one.colours for one in looks]) + READER_FLOOR)
    if known is not None:
        sets, colours = sets + body_fit(bodies, known.bodies), colours + spot_fit(spots, known.spots)
    shares = [np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True)) for logs in (sets, colours)]
    dodecas = [_dodeca(frame, *each) for each in zip(looks, *shares, strict=True)]
    return tuple(sorted(dodecas, key=lambda d: (d.px[1], d.px[0])))


def looks_at(frame: Frame) -> list[Look]:
    """The dodecas that are seen in a frame, with what is seen of each."""
    found = [f for f in find(network("dodeca_find"), frame.pixels) if f.chance >= LIKELY]
    seen = [one for one in (look(frame.pixels, f) for f in found) if one is not None]
    kept = without_doubles(standing(seen, *frame.pixels.shape[1::-1]))
    return sorted(kept, key=lambda one: -one.chance)[:ALL]


def standing(looks: list[Look], width: int, height: int) -> list[Look]:
    """Without the finds whose axis points another way than those of the other dodecas: their tops are sides."""
    if len(looks) < FEWEST:
        return looks
    feet, points = np.array([k.foot for k in looks]), np.array([(k.x, k.y) for k in looks])
    opinion = np.array([1 - k.chance for k in looks])
    aslant = leaning(feet, points, opinion, width, height, FOOT_ERRORS)
    return [replace(k, chance=k.chance * float(1 - p)) for k, p in zip(looks, aslant, strict=True) if p < ASLANT]


def without_doubles(looks: list[Look]) -> list[Look]:
    """Keep one look a dodeca, the likeliest first, and none of an odd size."""
    if not looks:
        return []
    usual = float(np.median([one.across for one in looks]))
    kept: list[Look] = []
    for one in sorted(looks, key=lambda k: -k.chance):
        if usual / ODD_SIZE < one.across < usual * ODD_SIZE and all(
            np.hypot(one.x - k.x, one.y - k.y) > SAME * max(one.across, k.across, OF_A_SIZE * usual) for k in kept
        ):
            kept.append(one)
    return kept


def look(picture: NDArray[np.uint8], found: Found) -> Look | None:
    """Read a find, first where the finder saw it and then where the reader did; None where no top face is."""
    net, at = network("dodeca_read"), (found.x, found.y, found.edge)
    for least in (PROMISING, LISTED):
        outs = views(net, picture, at, (1.0,), (AIMS, FOOT))
        classes = softmax(outs[:, : NOTHING + 1]).mean(axis=0)
        odds = TOP_ODDS[0] + TOP_ODDS[1] * log_odds(found.chance) + TOP_ODDS[2] * log_odds(1 - float(classes[NOTHING]))
        if odds < least:
            return None
        at = aimed(*at, outs.mean(axis=0)[AIMS])
    colours = classes[:NOTHING] / max(float(classes[:NOTHING].sum()), 1e-9)
    seen = sampled(picture, at)
    if seen is None:
        return None
    foot = float(outs[:, FOOT.start].mean()), float(outs[:, FOOT.start + 1].mean())
    return Look(*at, float(1 / (1 + np.exp(-odds))), *seen, colours, softmax(outs[:, SET_SHARES]).mean(axis=0), foot)


def sampled(picture: NDArray[np.uint8], at: tuple[float, float, float]) -> tuple[Floats, Floats] | None:
    """Colours (3,) BGR of the spot at a place (x, y, size) and of the body around it; None at the picture's edge."""
    x, y, across = at
    h, w = picture.shape[:2]
    reach = int(RING[1] * across) + 2
    x0, y0 = max(0, int(x) - reach), max(0, int(y) - reach)
    part = picture[y0 : max(y0, min(h, int(y) + reach + 1)), x0 : max(x0, min(w, int(x) + reach + 1))]
    gy, gx = np.mgrid[0 : part.shape[0], 0 : part.shape[1]]
    away = np.hypot(gx - (x - x0), gy - (y - y0)) / across
    inner, ring = part[away < max(SPOT, 1.1 / across)], part[(away > RING[0]) & (away < RING[1])]
    if not len(inner) or len(ring) < 8:
        return None
    spread = ring.max(axis=1).astype(np.float64) - ring.min(axis=1)
    plain = ring[spread <= np.quantile(spread, BODY_SHARE)]
    bright = plain.mean(axis=1)
    level = float(np.quantile(bright, BODY_DARK))
    body = np.median(plain[np.abs(bright - level) <= max(6.0, 0.1 * level)], axis=0)
    return np.asarray(np.median(inner, axis=0), np.float64), np.asarray(body, np.float64)


def sets_of(brightness: Floats) -> Floats:
    """Probabilities (N, 3) of steam, ash and lava for bodies of these brightnesses (N,) under one unknown light.

    Sorted by brightness, the bodies are white first, then grey, then black: every way to cut the order twice is weighed
    by how well all bodies fit, with the light (the brightness of a white body) and the contrast integrated over, and by
    sets being whole: three of each, or none.
    """
    logs = np.log(np.maximum(brightness, 2.0))
    order, count = np.argsort(-logs, kind="stable"), len(logs)
    first, second = (v.ravel() for v in np.meshgrid(np.arange(count + 1), np.arange(count + 1), indexing="ij"))
    first, second = first[first <= second], second[first <= second]
    sizes = np.stack([first, second - first, count - second])
    crowd = CROWDED * np.maximum(sizes - A_SET, 0).sum(axis=0) + BROKEN * ((sizes > 0) & (sizes < A_SET)).sum(axis=0)
    lights = np.linspace(np.log(20.0), np.log(280.0), 80)
    total = np.full(len(first), -np.inf)
    for contrast in CONTRASTS:
        fit = -0.5 * np.square((logs[order][None, :, None] - lights[:, None, None] - contrast * STEPS) / SPREAD)
        sums = np.pad(np.cumsum(np.logaddexp(fit, STRAY), axis=1), ((0, 0), (1, 0), (0, 0)))
        value = sums[:, first, 0] + sums[:, second, 1] - sums[:, first, 1] + sums[:, -1:, 2] - sums[:, second, 2]
        usual = np.square((lights - LIGHT[0]) / LIGHT[1]) + ((contrast - CONTRAST[0]) / CONTRAST[1]) ** 2
        total = np.logaddexp(total, np.logaddexp.reduce(value - 0.5 * usual[:, None] - crowd, axis=0))
    weight = np.exp(total - total.max())
    place = np.arange(count)[None]
    cut = (place >= first[:, None]).astype(int) + (place >= second[:, None])
    chances = np.empty((count, len(SETS)))
    chances[order] = np.stack([(weight[:, None] * (cut == s)).sum(axis=0) for s in range(len(SETS))], axis=1)
    return np.asarray(chances / weight.sum())


def body_fit(bodies: Floats, known: Floats) -> Floats:
    """Log likelihoods (N, 3) of bodies (N, 3) BGR under each set's colour (3, 3), in the light that suits best."""
    seen, there = np.log(np.maximum(bodies.mean(axis=1), 2.0)), np.log(np.maximum(known.mean(axis=1), 2.0))
    lights = np.linspace(-3, 3, 61) * LIGHT_SPREAD
    off = seen[None, :, None] - there - lights[:, None, None]
    fit = -0.5 * np.square(off / BODY_SPREAD)
    fit = np.where(np.isnan(fit), 0.0, fit)
    worth = np.logaddexp.reduce(fit, axis=2).sum(axis=1) - 0.5 * np.square(lights / LIGHT_SPREAD)
    return np.asarray(fit[int(worth.argmax())])


def spot_fit(spots: Floats, known: Floats) -> Floats:
    """Log likelihoods (N, 3) of spots (N, 3) BGR under the known colours (3, 3); alike for a spot without a hue."""
    (hue, strength), (there, _) = _hues(spots), _hues(known)
    off = np.abs(hue[:, None] - there)
    fit = -0.5 * np.square(np.minimum(np.minimum(off, 180 - off), 3 * HUE_SPREAD) / HUE_SPREAD)
    return np.where(strength[:, None] >= PALE, fit, 0.0)


def _hues(bgr: Floats) -> tuple[Floats, Floats]:
    """Hues 0..180 and saturations 0..255 (N,) of colours (N, 3); those that are nan count as grey."""
    safe = np.clip(np.nan_to_num(bgr, nan=128.0), 0, 255).astype(np.uint8)
    hsv = cv2.cvtColor(safe[None], cv2.COLOR_BGR2HSV)[0].astype(np.float64)
    return hsv[:, 0], hsv[:, 1]


def _dodeca(frame: Frame, seen: Look, sets: Floats, colours: Floats) -> Dodeca:
    best, spot = int(sets.argmax()), int(colours.argmax())
    px = frame.to_shown(np.array([[seen.x, seen.y]]))[0]
    return Dodeca(
        SETS[best] if sets[best] >= SURE else None,
        COLOURS[spot] if colours[spot] >= COLOUR_SURE else None,
        (float(px[0]), float(px[1])),
        seen.across * float(np.sqrt(frame.scale[0] * frame.scale[1])),
        round(float(sets[best] * colours[spot]) * min(1.0, 0.5 + seen.chance), 4),
    )

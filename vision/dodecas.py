"""Read Krakatoa's dodecas: the set by the body (white, grey, black), the colour of the spot on the top face.

A network finds the top faces (vision/dice_nets.py); which coloured spot near a find is the one on top, the shape of the
other top spots says (vision/dodeca_spots.py). White, grey and black are relations under a light that nobody
knows, so the sets are told from all dodecas of the picture together: the ordered split of their bodies' brightness into
three groups that lie apart as white, grey and black dice do. The spots' hues are taken against the brightest body,
which holds the light's colour. Where a profile says what the colours look like here ("referee calibrate dice"), bodies
and spots are held against it too.
"""

from dataclasses import dataclass
from typing import get_args

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice_nets import Found, find
from vision.dodeca_spots import settled
from vision.frames import Frame
from vision.networks import network
from vision.readings import Dodeca, DodecaSet, SpotColour

Floats = NDArray[np.float64]

COLOURS: tuple[SpotColour, ...] = get_args(SpotColour)
SETS: tuple[DodecaSet, ...] = get_args(DodecaSet)

LIKELY = 0.42
"""Chance of the finder from which on a find is looked at."""
SAME = 0.6
"""Tops nearer than this share of the larger size are one dodeca: the spots of the faces beside the top lie 0.45 to 0.53
away from it at any tilt, the tops of touching dodecas at least 0.57."""
BESIDE, BETTER = 0.85, 0.55
"""A find within this share of a size beside another one counts only with at least this share of its chance."""
OF_A_SIZE, ODD_SIZE = 0.9, 1.6
"""Dodecas are of one size: no find is taken as smaller than this share of the median one, and one that differs from it
by more than this factor is none (the far and near ones of a steep view differ by 1.4 from it)."""
SPOT = 0.09
"""Radius of the middle of the spot in sizes across flats (spots reach to 0.2, foreshortened 0.11)."""
REACH = 0.16
"""Way in sizes by which the finder's point may be off the spot's middle."""
HALFWAY, SPOT_REACH = 0.45, 0.28
"""Share of the way from the spot's colour to the body's up to which a pixel is spot, within this many sizes of it."""
LESS, TURNED = 0.6, 0.03
"""A find with less than this share of the usual chance must have a spot whose moments differ by no more than this."""
RING = (0.18, 0.32)
"""Between these radii, in sizes, lie the top face's rim and its neighbours: body, and parts of their spots."""
BODY_SHARE, BODY_DARK = 0.4, 0.4
"""Share of the ring's pixels, the greyest, that are body; the quantile of their brightness (gloss lies above)."""
HUES: tuple[tuple[float, float], ...] = ((13.0, 42.0), (165.0, 193.0), (95.0, 130.0))
"""Hues (OpenCV: 0..180, red beyond 180 again) of yellow, red and blue spots."""
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
HUE_SPREAD, HUE_SURE = 9.0, 0.8
"""With a profile: standard deviation of a spot's hue (OpenCV: 180 is the whole circle); how sure a colour must be."""
SURE = 0.6
"""Probability from which on a set is said."""


@dataclass(frozen=True, slots=True)
class DodecaColours:
    """What the dodecas look like here: BGR 0..255 of the bodies (steam, ash, lava) and spots (yellow, red, blue)."""

    bodies: Floats
    spots: Floats


@dataclass(frozen=True, slots=True)
class Look:
    """One find: place and size across flats in pixels, chance, colours (3,) BGR of its spot and its body.

    ``shape``: four times the spot's second moments (xx, yy, xy) in sizes squared; nan where there is no spot.
    """

    x: float
    y: float
    across: float
    chance: float
    spot: Floats
    body: Floats
    shape: Floats


def read_dodecas(frame: Frame, known: DodecaColours | None = None) -> tuple[Dodeca, ...]:
    """All dodecas of a frame, with points in pixels of the picture as shown, from the top of the picture down."""
    looks = looks_at(frame)
    if not looks:
        return ()
    chances = sets_of(np.array([float(one.body.mean()) for one in looks]))
    light = looks[int(np.argmax([one.body.mean() for one in looks]))].body
    colours = [spot_colour(one.spot, light) for one in looks]
    if known is not None:
        logs = np.log(np.maximum(chances, 1e-6)) + body_fit(np.array([one.body for one in looks]), known.bodies)
        chances = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
        colours = known_spots(np.array([one.spot for one in looks]), known.spots)
    dodecas = [_dodeca(frame, *each) for each in zip(looks, chances, colours, strict=True)]
    return tuple(sorted(dodecas, key=lambda d: (d.px[1], d.px[0])))


def looks_at(frame: Frame) -> list[Look]:
    """The dodecas that are seen in a frame, with the colours of their spots and bodies."""
    found = [f for f in find(network("dodeca_find"), frame.pixels) if f.chance >= LIKELY]
    seen = [look(frame.pixels, f) for f in settled(frame.pixels, found)]
    kept = alike(without_doubles([one for one in seen if one is not None]))
    return sorted(kept, key=lambda one: -one.chance)[:ALL]


def without_doubles(looks: list[Look]) -> list[Look]:
    """Keep one look a dodeca, the likeliest first, and none at the spots of its other faces."""
    if not looks:
        return []
    usual = float(np.median([one.across for one in looks]))
    kept: list[Look] = []
    for one in sorted(looks, key=lambda k: -k.chance):
        if not usual / ODD_SIZE < one.across < usual * ODD_SIZE:
            continue
        for other in kept:
            away = float(np.hypot(one.x - other.x, one.y - other.y)) / max(one.across, other.across, OF_A_SIZE * usual)
            if away < SAME or (away < BESIDE and one.chance < BETTER * other.chance):
                break
        else:
            kept.append(one)
    return kept


def alike(looks: list[Look]) -> list[Look]:
    """Without finds that are much less likely than the others and whose spot is turned another way: those of sides."""
    if len(looks) < A_SET:
        return looks
    usual = float(np.median([one.chance for one in looks]))
    shapes = np.array([one.shape for one in looks])
    known = shapes[~np.isnan(shapes[:, 0])]
    if not len(known):
        return looks
    middle = np.median(known, axis=0)
    return [one for one in looks if one.chance > LESS * usual or np.abs(one.shape - middle).sum() < TURNED]


def look(picture: NDArray[np.uint8], found: Found) -> Look | None:
    """Sample spot and body of a find, moved onto the middle of the spot; None where there is no coloured spot."""
    h, w = picture.shape[:2]
    reach = int((RING[1] + REACH) * found.edge) + 2
    x0, y0 = max(0, int(found.x) - reach), max(0, int(found.y) - reach)
    part = picture[y0 : min(h, int(found.y) + reach + 1), x0 : min(w, int(found.x) + reach + 1)]
    if min(part.shape[:2]) < 3:
        return None
    grey_free = part.max(axis=2).astype(np.float64) - part.min(axis=2)
    x, y = _spot_middle(grey_free, found.x - x0, found.y - y0, found.edge)
    gy, gx = np.mgrid[0 : part.shape[0], 0 : part.shape[1]]
    away = np.hypot(gx - x, gy - y) / found.edge
    inner, ring = part[away < max(SPOT, 1.1 / found.edge)], part[(away > RING[0]) & (away < RING[1])]
    if not len(inner) or len(ring) < 8:
        return None
    spread = ring.max(axis=1).astype(np.float64) - ring.min(axis=1)
    plain = ring[spread <= np.quantile(spread, BODY_SHARE)]
    bright = plain.mean(axis=1)
    level = float(np.quantile(bright, BODY_DARK))
    body = np.median(plain[np.abs(bright - level) <= max(6.0, 0.1 * level)], axis=0)
    spot = np.median(inner, axis=0)
    shape = _spot_shape(part, away, spot, body) / found.edge**2
    return Look(x + x0, y + y0, found.edge, found.chance, spot, np.asarray(body, np.float64), shape)


def _spot_shape(part: NDArray[np.uint8], away: Floats, spot: Floats, body: Floats) -> Floats:
    """Four times the second moments (xx, yy, xy), pixels squared, of the patch of the spot's colour, or nan."""
    unlike = np.abs(part - spot).sum(axis=2) / max(float(np.abs(body - spot).sum()), 1.0)
    _, labels = cv2.connectedComponents(((unlike < HALFWAY) & (away < SPOT_REACH)).astype(np.uint8))
    label = int(np.bincount(labels[away <= max(SPOT, float(away.min()))]).argmax())
    y, x = np.nonzero(labels == label)
    if label == 0 or len(x) < 5:
        return np.full(3, np.nan)
    moments = np.cov(x, y) * 4
    return np.array([moments[0, 0], moments[1, 1], moments[0, 1]])


def _spot_middle(colourful: Floats, x: float, y: float, across: float) -> tuple[float, float]:
    """The middle of the coloured patch at a place, which may be off by REACH; the place itself where there is none."""
    gy, gx = np.mgrid[0 : colourful.shape[0], 0 : colourful.shape[1]]
    near = np.hypot(gx - x, gy - y) < REACH * across
    core = np.hypot(gx - x, gy - y) < max(SPOT * across, 1.1)
    if not core.any():
        return x, y
    level = 0.6 * float(np.median(colourful[core]))
    _, labels = cv2.connectedComponents((near & (colourful > level)).astype(np.uint8))
    label = int(np.bincount(labels[core]).argmax())
    patch = labels == label
    if label == 0 or not patch.any():
        return x, y
    return float(gx[patch].mean()), float(gy[patch].mean())


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


def spot_colour(spot: Floats, light: Floats) -> SpotColour | None:
    """Colour of a spot (3,) BGR seen in a light that shows white as ``light`` (3,); None where it has none."""
    balanced = np.clip(spot / np.maximum(light / light.mean(), 0.2), 0, 255).astype(np.uint8)
    hue, saturation, _ = (int(v) for v in cv2.cvtColor(balanced[None, None], cv2.COLOR_BGR2HSV)[0, 0])
    if saturation < PALE:
        return None
    for colour, (low, high) in zip(COLOURS, HUES, strict=True):
        if low <= hue <= high or low <= hue + 180 <= high:
            return colour
    return None


def body_fit(bodies: Floats, known: Floats) -> Floats:
    """Log likelihoods (N, 3) of bodies (N, 3) BGR under each set's colour (3, 3), in the light that suits best."""
    seen, there = np.log(np.maximum(bodies.mean(axis=1), 2.0)), np.log(np.maximum(known.mean(axis=1), 2.0))
    lights = np.linspace(-3, 3, 61) * LIGHT_SPREAD
    off = seen[None, :, None] - there - lights[:, None, None]
    fit = -0.5 * np.square(off / BODY_SPREAD)
    fit = np.where(np.isnan(fit), 0.0, fit)
    worth = np.logaddexp.reduce(fit, axis=2).sum(axis=1) - 0.5 * np.square(lights / LIGHT_SPREAD)
    return np.asarray(fit[int(worth.argmax())])


def known_spots(spots: Floats, known: Floats) -> list[SpotColour | None]:
    """Colours of spots (N, 3) BGR by the known ones (3, 3); None where a spot has no hue or lies between two."""
    (hue, strength), (there, _) = _hues(spots), _hues(known)
    off = np.abs(hue[:, None] - there)
    fit = -0.5 * np.square(np.minimum(np.minimum(off, 180 - off), 3 * HUE_SPREAD) / HUE_SPREAD)
    shares = np.exp(fit - np.logaddexp.reduce(fit, axis=1, keepdims=True))
    sure = (strength >= PALE) & (shares.max(axis=1) >= HUE_SURE)
    return [COLOURS[int(k)] if good else None for k, good in zip(shares.argmax(axis=1), sure, strict=True)]


def _hues(bgr: Floats) -> tuple[Floats, Floats]:
    """Hues 0..180 and saturations 0..255 (N,) of colours (N, 3); those that are nan count as grey."""
    safe = np.clip(np.nan_to_num(bgr, nan=128.0), 0, 255).astype(np.uint8)
    hsv = cv2.cvtColor(safe[None], cv2.COLOR_BGR2HSV)[0].astype(np.float64)
    return hsv[:, 0], hsv[:, 1]


def _dodeca(frame: Frame, seen: Look, chances: Floats, colour: SpotColour | None) -> Dodeca:
    best = int(chances.argmax())
    px = frame.to_shown(np.array([[seen.x, seen.y]]))[0]
    return Dodeca(
        SETS[best] if chances[best] >= SURE else None,
        colour,
        (float(px[0]), float(px[1])),
        seen.across * float(np.sqrt(frame.scale[0] * frame.scale[1])),
        round(float(chances[best]) * min(1.0, 0.5 + seen.chance), 4),
    )

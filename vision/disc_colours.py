"""Sides by colour, without being told the colours: discs' faces in CIE Lab, grouped, each group given a plain word."""

import math
from itertools import permutations

import cv2
import numpy as np
from numpy.typing import NDArray

PROTOTYPES: tuple[tuple[str, tuple[float, float, float]], ...] = (
    ("black", (18.0, 0.0, 0.0)), ("black", (33.0, 1.0, 2.0)), ("black", (8.0, 0.0, 0.0)),
    ("white", (95.0, 0.0, 1.0)), ("white", (84.0, 0.0, 2.0)), ("grey", (60.0, 0.0, 0.0)),
    ("natural", (78.0, 6.0, 24.0)), ("natural", (66.0, 12.0, 32.0)), ("natural", (86.0, 3.0, 18.0)),
    ("natural", (57.0, 10.0, 24.0)),
    ("brown", (32.0, 14.0, 18.0)), ("brown", (43.0, 14.0, 22.0)), ("brown", (24.0, 7.0, 9.0)),
    ("red", (45.0, 60.0, 40.0)), ("red", (35.0, 48.0, 30.0)), ("red", (55.0, 55.0, 28.0)), ("red", (28.0, 36.0, 20.0)),
    ("orange", (65.0, 42.0, 58.0)), ("orange", (55.0, 40.0, 45.0)), ("yellow", (84.0, -2.0, 65.0)),
    ("yellow", (70.0, 2.0, 55.0)),
    ("green", (50.0, -40.0, 28.0)), ("green", (33.0, -25.0, 12.0)), ("green", (65.0, -35.0, 30.0)),
    ("green", (45.0, -18.0, 10.0)), ("turquoise", (60.0, -32.0, -8.0)),
    ("blue", (40.0, 8.0, -42.0)), ("blue", (26.0, 6.0, -25.0)), ("blue", (58.0, -3.0, -35.0)),
    ("purple", (35.0, 32.0, -28.0)), ("purple", (50.0, 28.0, -26.0)), ("purple", (22.0, 20.0, -18.0)),
    ("pink", (70.0, 38.0, 2.0)),
)  # fmt: skip
"""Plain words with the Lab places (L 0..100) that they stand for."""

LAB_WEIGHTS = np.array([0.6, 1.0, 1.0])
"""Light and shade change lightness far more than hue: a step of it counts less."""
TWO_SIDES = 19.0
"""Two sides differ by at least this (weighted Lab): real pairs by 23 and more, faces of one side by less than 19."""
NEARLY_TWO, NEARLY_APART, PAIRS_APART = 10.0, 2.0, 7.5
"""Two groups nearer than that, but at least this far apart and this many times their scatter, with nothing in between,
may be two sides in poor light or one side in two lights: they are taken for two sides, with doubt. Where no face is
alone in its group, the third distance is enough: of 178 sides of real and rendered boards three fall apart so."""
ONE_SIDE = 24.0
"""Faces of a single side differ by less than this from each other; where they differ more, they are taken for two
sides, with doubt."""
THIRD_SIDE = 23.0
"""A third side is rarer: it must differ this much from both others (real ones do by 24 and more) ..."""
THIRD_APART = 7.0
"""... and this many times the scatter: one side in two lights stays one."""
PLAIN_SIGMA, CHANGED_SIGMA, CHANGED = 3.5, 7.0, 0.1
"""Spread of the faces of one side about its middle (weighted Lab): of most, and of the third value's share of them,
which gloss or shade changes. Over 940 faces of real and rendered scenes it tells sides better than one spread does."""
FEW = 3
"""A side of at most so many faces is compared with each of them as the others show it."""
ANY_SIGMA = 40.0
"""Spread of the colours that discs are painted in: what a face that is alone in being of a third side is weighed by."""
BETWEEN, VEIL = 0.2, 0.2
"""A face of two lights that may belong to another side with more than the first probability leaves its side open. A
reflection lightens a changed face by the second share of the way to white (one sigma). Of 814 faces on rendered scenes
99 in 100 dark ones are lighter than their side by 15.6 at most and darker by 4.1, light ones by 8.1 and 9.6."""
SIDES_AT_MOST = 3
STARTS, ROUNDS = 7, 5
"""Groupings tried, and steps of each; one settles in three or four."""
LIGHTS_APART = 1.5
"""Three groups at least ``NEARLY_TWO`` and this many times their scatter apart may be two sides, one in two lights."""
ROUGH_SIGMA, GRAIN = 0.45, 1.0
"""Faces of one side are alike in their texture, whatever the light: the logarithms of their roughness (Lab lightness
within a face, the second value added for noise) differ by .2 to .3 within sides of real and rendered boards, a
varnished side's from a painted one's by 1 and more."""
MIN_SCATTER = 2.0
"""The scatter of one side's faces is never taken as smaller than this: paint, grain and noise."""


def lab_of(pixels: NDArray[np.uint8]) -> NDArray[np.float64]:
    """CIE Lab (N, 3), L in 0..100, of BGR pixels (N, 3) uint8."""
    lab = cv2.cvtColor(pixels.reshape(1, -1, 3).astype(np.float32) / 255, cv2.COLOR_BGR2Lab)
    return np.asarray(lab.reshape(-1, 3), dtype=np.float64)


def _grouped(points: NDArray[np.float64], weights: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    """Group numbers (N,): the best of several groupings about medians; deterministic.

    Each grouping starts from another disc and those farthest, by their weights, from the ones taken before. The
    smallest sum of distances wins, so that one disc under a reflection doesn't found a group of its own.
    """
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
    best, least = np.zeros(len(points), dtype=np.intp), np.inf
    for start in np.unique(np.linspace(0, len(points) - 1, STARTS).astype(int)):
        seeds = [int(start)]
        while len(seeds) < count:
            seeds.append(int(np.argmax(gaps[seeds].min(axis=0) * weights)))
        centres = points[seeds].copy()
        group = np.full(len(points), -1)
        for _ in range(ROUNDS):
            before, group = group, np.argmin(np.linalg.norm(points[:, None] - centres[None], axis=2), axis=1)
            if (group == before).all():
                break
            for k in range(count):
                if (group == k).any():
                    centres[k] = np.median(points[group == k], axis=0)
        cost = float(weights @ np.linalg.norm(points - centres[group], axis=1))
        if cost < least - 1e-9:
            best, least = group, cost
    return best


def _apart(points: NDArray[np.float64], group: NDArray[np.intp], count: int) -> tuple[float, float]:
    """Smallest distance of two groups' medians, and its ratio to the scatter within all groups together."""
    middles = np.array([np.median(points[group == k], axis=0) for k in range(count)])
    scatter = max(MIN_SCATTER, 1.4826 * float(np.median(np.linalg.norm(points - middles[group], axis=1))))
    least = min(float(np.linalg.norm(middles[i] - middles[j])) for i in range(count) for j in range(i))
    return least, least / scatter


def _unlinked(points: NDArray[np.float64], group: NDArray[np.intp]) -> bool:
    """Whether two groups (N,) lie farther from each other than any two parts of one do (single linkage)."""
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
    near = (gaps < gaps[group == 0][:, group == 1].min()).astype(np.float64)
    for k in (0, 1):
        own = near[group == k][:, group == k]
        if not np.linalg.matrix_power(own, len(own)).all():
            return False
    return True


def roughness(lab: NDArray[np.float64]) -> float:
    """How rough a face looks by the Lab of its pixels (N, 3): robust deviation of lightness."""
    low, high = np.percentile(lab[:, 0], (25, 75))
    return float(high - low) / 1.349


def sides_of(
    lab: NDArray[np.float64], rough: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Side number (N,), of 1 to 3 sides, of each disc by its face's Lab (N, 3), and of which (N,) that is open.

    ``rough`` (N,): how rough each face looks; ``weights`` (N,): how far each is trusted. Two groups far apart are two
    sides with doubt if faces lie between them, as a chain of reflections on one side's faces would; so are two that are
    close together but distinct. Where there are three groups of only two sides, two of them are one side in two lights.
    """
    points = lab * LAB_WEIGHTS
    group, unsure = np.zeros(len(points), dtype=np.intp), np.zeros(len(points), dtype=bool)
    for count, least in ((2, TWO_SIDES), (3, THIRD_SIDE)):
        if len(points) < count:
            break
        tried = _grouped(points, weights, count)
        if len(np.unique(tried)) < count:
            break
        gap, times = _apart(points, tried, count)
        if count == 2 and gap >= least:
            group, unsure = tried, np.full(len(points), not _unlinked(points, tried))
        elif count == 2 and gap >= (PAIRS_APART if np.bincount(tried).min() > 1 else NEARLY_TWO):
            distinct = times >= NEARLY_APART and _unlinked(points, tried)
            if distinct or widest(lab, group) > ONE_SIDE:
                group, unsure = tried, np.full(len(points), True)
        elif count == 3 and gap >= least and times >= THIRD_APART:  # may be clear where two, one of them mixed, are not
            group, unsure = tried, np.full(len(points), False)
        elif count == 3 and gap >= NEARLY_TWO and times >= LIGHTS_APART and group.any():
            group, odd = _in_two_lights(lab, rough, group, tried)
            unsure = unsure | odd
    return group, unsure


def _in_two_lights(
    lab: NDArray[np.float64], rough: NDArray[np.float64], two: NDArray[np.intp], three: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Side number (N,), of two, of faces that were put in groups ``two`` and ``three`` (N,), and whose side is open.

    What a reflection whitens may look more like the other side than like its own. So of the three groups the one that
    may be either side's is told by what gloss makes of which, and by what is alike in texture.
    """
    middles = np.array([np.median(lab[three == k], axis=0) for k in range(3)])
    grain = np.array([np.median(np.log(rough[three == k] + GRAIN)) for k in range(3)]) / ROUGH_SIGMA
    veiled = _less_gloss((middles[:, None] - middles[None]) * LAB_WEIGHTS, middles) / CHANGED_SIGMA
    veiled = np.minimum(veiled, veiled.T)
    first = np.array([two[three == k].mean() > 0.5 for k in range(3)])
    lone = int(np.argmax(first != (np.count_nonzero(first) > 1)))
    alike = np.hypot(veiled, grain[:, None] - grain[None])
    sizes = np.bincount(three)
    odd, mate = sorted((k for k in range(3) if k != lone), key=lambda k: (sizes[k], alike[k, lone]))
    if grain[odd] > max(grain[mate], grain[lone]) + 1:  # a shadow's edge or a print across it, which tell nothing
        alike = veiled
    here, there = alike[odd, mate], alike[odd, lone]
    own = lone if there < here else mate
    odds = math.exp(-0.5 * abs(float(here**2 - there**2)))
    return np.where((three == odd) | (three == own), 0, 1), (three == odd) & (odds > BETWEEN)


def widest(lab: NDArray[np.float64], group: NDArray[np.intp]) -> float:
    """The largest difference in weighted Lab of two faces (N, 3) that are of one side by their numbers (N,)."""
    gaps = np.linalg.norm((lab[:, None] - lab[None]) * LAB_WEIGHTS, axis=2)
    return float((gaps * (group[:, None] == group)).max(initial=0.0))


def colour_chances(
    lab: NDArray[np.float64], middles: NDArray[np.float64], own: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Likeliest side (N,) and probability (N, K) of each, of faces of Lab (N, 3), for sides about ``middles`` (K, 3).

    ``own`` (N,): sides as the faces were grouped, -1 for those that were not. Most faces lie close to their side's
    middle; a few are changed by gloss or shade, and of them it is weighed what gloss explains. A face between two sides
    may be a changed one of either: its side is open.
    """
    around = _without_itself(lab, middles, own)
    apart = (lab[:, None] - around) * LAB_WEIGHTS
    plain = (1 - CHANGED) * _bell(np.linalg.norm(apart, axis=2), PLAIN_SIGMA)
    changed = CHANGED * _bell(_less_gloss(apart, around), CHANGED_SIGMA)
    odds = np.maximum(plain + changed, np.finfo(np.float64).tiny)
    if len(middles) == SIDES_AT_MOST:
        lone = alone_in(own)
        odds[lone, own[lone]] = _bell(np.zeros(1), ANY_SIGMA)
    return odds.argmax(axis=1), odds / odds.sum(axis=1, keepdims=True)


def alone_in(own: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which faces (N,) are the only one of their side, by the sides that they were grouped in (N,), -1 for none."""
    return np.asarray(np.count_nonzero(own[:, None] == own, axis=1) == 1) & (own >= 0)


def _without_itself(
    lab: NDArray[np.float64], middles: NDArray[np.float64], own: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Lab (N, K, 3) of sides as each face (N, 3) should see them: a face of a small side draws its middle to itself."""
    around = np.repeat(middles[None], len(lab), axis=0)
    for side in range(len(middles)):
        members = np.nonzero(own == side)[0]
        if 1 < len(members) <= FEW:
            for i in members:
                around[i, side] = np.median(lab[members[members != i]], axis=0)
    return around


def _bell(distances: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """Density, up to a constant, at distances from the middle of a normal distribution in three dimensions."""
    return np.asarray(np.exp(-0.5 * (distances / sigma) ** 2) / sigma**3)


def _less_gloss(apart: NDArray[np.float64], middles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances (N, K) of faces from sides of Lab (K, 3) or (N, K, 3), given how they differ (N, K, 3), less gloss.

    Gloss adds white light to a face, a lot to a dark one and little to a light one, and never takes any away.
    """
    white = (np.array([100.0, 0.0, 0.0]) - middles) * LAB_WEIGHTS
    far = np.linalg.norm(white, axis=-1)
    along = (apart * (white / np.maximum(far, 1e-9)[..., None])).sum(axis=2)
    across = np.sqrt(np.maximum((apart**2).sum(axis=2) - along**2, 0.0))
    veiled = np.where(along > 0, along / np.hypot(1.0, VEIL * far / CHANGED_SIGMA), along)
    return np.asarray(np.hypot(across, veiled))


def words_for(middles: NDArray[np.float64]) -> tuple[str, ...]:
    """Distinct plain colour words for sides with the given Lab (K, 3), the best over all sides together."""
    words = list(dict.fromkeys(w for w, _ in PROTOTYPES))
    scale = np.array([0.7, 1.0, 1.0])
    cost = {
        (k, w): min(float(np.linalg.norm((m - np.array(p)) * scale)) for v, p in PROTOTYPES if v == w)
        for k, m in enumerate(middles)
        for w in words
    }
    near = [sorted(words, key=lambda w, k=k: cost[k, w])[: SIDES_AT_MOST + 1] for k in range(len(middles))]  # type: ignore[misc]
    pool = list(dict.fromkeys(w for n in near for w in n))
    return min(permutations(pool, len(middles)), key=lambda ws: sum(cost[k, w] for k, w in enumerate(ws)))

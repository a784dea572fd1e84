"""Whether a candidate is a disc, and how it lies at the hole: the joint verdict of all witnesses.

On the surface a logistic regression weighs the second network on the canonical picture, the rim network and the edges
(``vision.disc_rim``), and the network that sees the place as a whole (``vision.disc_whole``). It is fitted by
``training/fit_disc_odds.py`` on path-traced scenes that the networks had not seen. About the hole, its own network
(``vision.hole_net``) tells empty, filled and leaning apart.
"""

import math
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array
from calibration.view import BoardView
from vision.contact_patch import prepare
from vision.disc_net import STATES, Candidate
from vision.disc_rim import rims
from vision.disc_whole import whole_odds
from vision.hole_net import hole_odds

WEIGHTS = (0.25, 0.65, 1.5, 0.28)
"""Of the second network's log odds, the rim network's, the edges' support in 0..1, and the log odds of the network that
sees the whole: the first by a fit to every fourth scene, the others by one to all, joined and rounded by hand."""
OFFSET = -0.5
CENTRAL = 0.65
"""A candidate within so many radii of the centre is what lies in the hole."""
BESIDE = 0.46
"""From this many radii from the centre on, a disc can lie flat over the hole's edge; nearer it tips in (a tournament
hole is 1.1 times as wide as a disc)."""
FLOOR_SHARE = 1.07
"""Rims are looked at within this share of the shooting line's radius: beyond it the ditch lies deeper."""
HEIGHTS = (1.0, 0.65)
FROM_ABOVE_DEG = 8.0
"""Heights tried, in those of the board's discs: other makers' discs may be thinner, and from above they look thinner
where the camera is farther away than assumed."""
BEYOND_PRIOR = -1.2
"""Correction to the log odds of a disc whose middle lies beyond the shooting line, against the training scenes: at a
table it is taken off at once (C10), while hands, sleeves and the rail are seen there. Set by hand."""
RIM_TRUSTED = 1.0
"""From these log odds of the rim network on, a candidate's edges are a disc's and tell where it lies."""
TORN, SOFT_PX, TORN_ODDS = 0.5, 1.5, -0.2
"""A candidate that the first networks take for a disc with more than this probability and the others don't is looked at
again with the picture smoothed by so many pixels: a telephone's sharpening draws halos about black discs that look
unlike any rim. Where the others then take it for one too, it stays open with these log odds, just not a disc of the
reading: of such places on pictures that nobody sharpened most show none."""
HOLE_WEIGHT = 0.75
"""Weight of the sum of the log odds of the hole's network and of the others, which err alike; set by hand."""
HOLE_PRIOR = -1.2
"""Correction to the log odds of a disc in the hole of a board at rest, against the training scenes, every other of
which has one: at a table a twenty is taken off at once (C9) and seldom seen. Set by hand."""


def weighed(
    image: NDArray[np.uint8], view: BoardView, candidates: list[Candidate], places: Array, radius: float
) -> tuple[list[Candidate], Array]:
    """Candidates with their chances as all witnesses see them, and their places (N, 2) in mm, moved onto their edges.

    image (H, W, 3) uint8 BGR; places (N, 2) in mm; radius of the discs in mm. The order stays.
    """
    distances = np.hypot(places[:, 0], places[:, 1])
    central = distances < CENTRAL * radius
    surface = np.logical_and(distances < FLOOR_SHARE * view.board.shooting, np.logical_not(central))
    out = list(candidates)
    looked = np.nonzero(surface)[0]
    seen, moves = witnesses(image, view, [candidates[k] for k in looked], places[looked], radius)
    moved = places.copy()
    moved[looked] += moves
    beyond = np.where(distances[looked] > view.board.shooting, BEYOND_PRIOR, 0.0)
    log_odds = _joint(seen) + beyond
    proposed = np.array([candidates[k].chance for k in looked])
    torn = np.nonzero((proposed > TORN) & (log_odds < TORN_ODDS))[0]
    if len(torn):
        soft = np.asarray(cv2.GaussianBlur(image, (0, 0), SOFT_PX), dtype=np.uint8)
        again, _ = witnesses(soft, view, [candidates[k] for k in looked[torn]], places[looked[torn]], radius)
        log_odds[torn[_joint(again) + beyond[torn] > 0]] = TORN_ODDS
    for k, odds in zip(looked, log_odds, strict=True):
        out[k] = with_chance(out[k], float(odds))
    if central.any():
        first = int(np.argmin(np.where(central, distances, np.inf)))
        out[first] = in_hole(out[first], hole_odds(image, view, radius), float(distances[first]) >= BESIDE * radius)
    return out, moved


def _joint(seen: Array) -> Array:
    """Log odds (N,) of a disc by what the witnesses say (N, 4)."""
    return np.asarray(seen @ np.array(WEIGHTS) + OFFSET)


def witnesses(
    image: NDArray[np.uint8], view: BoardView, candidates: list[Candidate], places: Array, radius: float
) -> tuple[Array, Array]:
    """What each witness says of candidates at places (N, 2) in mm: numbers (N, 4) in the order of :data:`WEIGHTS`.

    Also how far (N, 2) in mm the edges move each of them, where a disc's rim is seen.
    """
    known = view.tournament_discs(radius) and view.camera.tilt_deg > FROM_ABOVE_DEG
    heights = [share * view.board.disc_height for share in (HEIGHTS[:1] if known else HEIGHTS)]
    small, factor = prepare(image, view, places)
    seen = rims(small, factor, view, places, radius, heights)
    whole = whole_odds(small, factor, view, places, radius, heights[0])
    moves = np.where((seen.log_odds > RIM_TRUSTED)[:, None], seen.moves, 0.0)
    own = np.array([c.log_odds for c in candidates])
    return np.column_stack([own, seen.log_odds, seen.support, whole]), moves


def with_chance(c: Candidate, log_odds: float) -> Candidate:
    """Return the candidate with another probability that it is a disc, its states in the same proportions."""
    chance = 1 / (1 + math.exp(-log_odds))
    k = chance / max(c.chance, 1e-9)
    a, b, d, e = (p * k for p in c.chances)
    return replace(c, chances=(a, b, d, e))


def with_odds(c: Candidate, log_odds: float) -> Candidate:
    """Return the candidate with its log odds of a disc changed by ``log_odds``."""
    chance = min(max(c.chance, 1e-9), 1 - 1e-9)
    return with_chance(c, math.log(chance / (1 - chance)) + log_odds)


def in_hole(c: Candidate, odds: dict[str, float], beside: bool = False) -> Candidate:
    """Return the candidate at the centre with the joint verdict of the hole's network and of the others.

    ``beside``: it is far enough from the middle to lie flat on the surface, over the hole's edge.
    """
    # nothing can lie flat on the surface right over the hole: what looks so is the hole's floor, or a disc in it
    flat = odds["board"] if beside else 0.0
    stuck = (odds["board"] - flat) / 2
    none, disc = max(odds["none"] + stuck, 1e-6), max(1 - odds["none"] - stuck, 1e-6)
    own = math.log(disc / none)
    odds = odds | {"hole": odds["hole"] + stuck, "board": flat}
    other = math.log(max(c.chance, 1e-6) / max(1 - c.chance, 1e-6))
    chance = 1 / (1 + math.exp(-HOLE_WEIGHT * (own + other) - HOLE_PRIOR * (1 - flat)))
    shares = np.array([max(odds.get(s, 0.0), 1e-6) for s in STATES])
    shares *= chance / shares.sum()
    a, b, d, e = (float(v) for v in shares)
    return replace(c, chances=(a, b, d, e))

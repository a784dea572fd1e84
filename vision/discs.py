"""Reads every disc of one picture over a solved board: its place, state, side and worth."""

import math
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import BoardModel
from calibration.view import BoardView
from vision.covers import covers_of
from vision.disc_canonical import PX_PER_MM
from vision.disc_colours import LAB_WEIGHTS, THIRD_SIDE, alone_in, colour_chances, sides_of, widest, words_for
from vision.disc_faces import Faces, faces_of
from vision.disc_looks import LISTED, OVER_EDGE, Looks, look
from vision.disc_net import STATES, Candidate
from vision.disc_values import plain_contacts, possible, valued
from vision.readings import Disc, DiscsSeen, DiscState

DARK, BRIGHT_PERCENTILE = 50.0, 90
"""A picture whose brightest tenth stays below this grey value is very dark."""
MAYBE = 0.05
"""A candidate at least this probable is named as a reason for doubt."""
PLACE_SIGMA_MM = 0.5
"""A place is never taken as surer than this (canonical mm, each direction): there is more than the networks know."""
DITCH_WEIGHT = 0.5
"""Weight of the colour of a disc in the ditch, in the rail's shade, against 1 on the surface."""
LEAST_TRUST = 0.1
"""Weight of the colour of what is a disc hardly more likely than not, against 1 of a sure one."""
FOUNDERS = 3
"""Sides are found without the hole's content where at least this many discs lie elsewhere."""
ALONE_ODDS = 0.37
"""Factor on the odds of what lies in the hole or leans into it when no other disc lies on the board: boards are shown
bare more often than with a lone twenty. Set by hand, and for single pictures only: whoever follows a match sees
twenties."""
OWN_SIDE_SIGMA, FOREIGN_MOST = 4.0, 4.6
"""Standard deviation (weighted Lab) of faces in the hole from those of their side. Of 35 on rendered scenes none was
off by more than 4.5 flat and 6 leaning; of 20 floors of empty holes two were by less than 10. A face that differs more
is less likely a disc: its log odds fall, by FOREIGN_MOST at most, since the hole lies in the shade."""
SHADED_WIDE = 20.0
"""On a board partly in the shade, faces of one side that differ by more than this (weighted Lab) may be of two."""
SIDES_UNSURE = 0.4
"""Confidence in a disc's side while it is open whether there are one or two sides; set by hand."""
LONE_ODDS = 0.08
"""A single disc of a third colour is more often a print or another object than a side's only disc."""
BARE_MOST = 3.0
"""A face that looks as the bare surface does and unlike all other discs of its side is most likely surface beside a
print, or a whorl of the wood: its log odds fall, by this at most. Of 1235 discs read 11 were like that, of 29 other
things taken for discs 16."""
SURELY = 0.97
"""Only what is at least this surely a disc shows what discs of a side look like: several places of bare surface look
alike."""
COLOUR_POSSIBLE = 0.02
"""A side less probable than this isn't named as one that a disc may belong to."""
EDGE_SIGMA = 0.13
"""The border between surface and ditch (``OVER_EDGE``) is known to about so many of a disc's radii."""


def _states(c: Candidate, distance: float, radius: float, board: BoardModel) -> tuple[tuple[DiscState, float], ...]:
    """Possible states with probabilities, most probable first, of a candidate ``distance`` mm from the centre."""
    shares = dict(zip(STATES, c.chances, strict=True))
    if board.surface is not None:
        beyond = (distance - board.surface) / radius - OVER_EDGE
        shares["board" if beyond > 0 else "ditch"] *= math.exp(-0.5 * (beyond / EDGE_SIGMA) ** 2)
    total = sum(shares.values()) or 1.0
    shares = {s: p / total for s, p in shares.items()}
    if shares["ditch"] < max(shares.values()):
        shares = possible(shares, distance, board, radius)
    total = sum(shares.values()) or 1.0
    ranked = sorted(((s, p / total) for s, p in shares.items()), key=lambda t: -t[1])
    return tuple((s, p) for s, p in ranked if p > 1e-3) or (("board", 1.0),)


def read_discs(image: NDArray[np.uint8], view: BoardView) -> DiscsSeen:
    """Read the discs of an image (H, W, 3) uint8 BGR over a solved board, and what covers it."""
    looks = look(image, view)
    seen = discs_of(image, looks, ALONE_ODDS)
    return replace(seen, covers=covers_of(looks, seen.discs))


def discs_of(image: NDArray[np.uint8], looks: Looks, alone_odds: float = 1.0) -> DiscsSeen:
    """The reading of an image (H, W, 3) uint8 BGR in which discs were looked for already.

    ``alone_odds``: what a disc in the hole with no other on the board is more or less likely than the networks think.
    """
    view, frame = looks.view, looks.frame
    radius, radius_sigma = looks.radius
    mm_per_px = frame.scale / PX_PER_MM
    likely = [k for k, c in enumerate(looks.weighed) if c.chance >= MAYBE]
    candidates, places = [looks.weighed[k] for k in likely], looks.places[likely]
    distances = np.hypot(places[:, 0], places[:, 1])
    states = [_states(c, float(d), radius, view.board) for c, d in zip(candidates, distances, strict=True)]
    tops = np.array([_face_height(s[0][0], view.board.disc_height) for s in states])
    faces = faces_of(looks, candidates, [s[0][0] for s in states], tops)
    chances = _alone(np.array([c.chance for c in candidates]), states, alone_odds)
    likelier = _sides(faces, chances, chances)[2]  # what is bare surface by its looks founds no side of its own
    middles, group, chances, shares = _sides(faces, chances, likelier)
    words = words_for(middles)
    px = _faces_px(view, places, tops)
    discs: list[Disc] = []
    maybe: list[Disc] = []
    for i in sorted(range(len(candidates)), key=lambda i: (bool(faces.ditched[i]), float(distances[i]))):
        if chances[i] < MAYBE:
            continue
        (state, sure), place = states[i][0], (float(places[i, 0]), float(places[i, 1]))
        sigma = max(PLACE_SIGMA_MM * frame.scale, math.hypot(*candidates[i].sigma_px) / math.sqrt(2) * mm_per_px)
        target = discs if chances[i] >= LISTED else maybe
        at, chance = (float(px[i, 0]), float(px[i, 1])), float(chances[i])
        lines = plain_contacts(place, sigma, radius, radius_sigma, view.board) if state == "board" else ()
        found = Disc(len(target) + 1, words[group[i]], at, place, sigma, state, chance, sure, states[i], lines)
        target.append(replace(valued(found, radius, view.board), colours=_colours(words, shares[i])))
    colours = tuple(w for w in words if any(d.colour == w for d in discs))
    return DiscsSeen(tuple(discs), radius, radius_sigma, colours, tuple(maybe), _warnings(image))


def _alone(
    chances: NDArray[np.float64], states: list[tuple[tuple[DiscState, float], ...]], alone_odds: float
) -> NDArray[np.float64]:
    """Chances (N,), with the odds of what lies alone in the hole or leans into it multiplied by ``alone_odds``."""
    where = [s[0][0] for s in states]
    if any(state == "board" and chance >= LISTED for state, chance in zip(where, chances, strict=True)):
        return chances
    return _with_odds(chances, np.where(np.isin(where, ("hole", "leaning")), alone_odds, 1.0))


def _with_odds(chances: NDArray[np.float64], factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Chances (N,) whose odds are multiplied by factors (N,)."""
    odds = chances / np.maximum(1 - chances, 1e-9) * factors
    return np.asarray(odds / (1 + odds))


def _face_height(state: DiscState, height: float) -> float:
    """Height in mm above the surface from a disc's point to its face."""
    return {"board": height, "leaning": height / 2}.get(state, 0.0)


def _sides(
    faces: Faces, chances: NDArray[np.float64], likelier: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Lab (K, 3) of the sides, the side number (N,) of each candidate, their chances (N,) and each side's odds (N, K).

    Sides are found from what is ``likelier`` (N,) a disc than not, outside the hole where there is enough: the hole's
    floor is painted in any colour, and what lies in the hole must have the colour of a side.
    """
    lab, in_hole = faces.lab, faces.in_hole
    founders = likelier >= LISTED
    if np.count_nonzero(founders & ~in_hole) >= FOUNDERS:
        founders = founders & ~in_hole
    if not founders.any():
        middles = lab.mean(axis=0, keepdims=True) if len(lab) else lab
        return middles, np.zeros(len(lab), dtype=np.intp), chances, np.ones((len(lab), 1))
    trust = np.where(faces.ditched, DITCH_WEIGHT, 1.0) * np.maximum(2 * likelier - 1, LEAST_TRUST)
    own, unsure = sides_of(lab[founders], faces.rough[founders], trust[founders])
    flat = ~faces.ditched[founders]
    unsure |= faces.shaded and widest(lab[founders][flat], own[flat]) > SHADED_WIDE
    middles = np.array([np.median(lab[founders][own == k], axis=0) for k in range(int(own.max()) + 1)])
    off = np.linalg.norm((lab[:, None] - middles[None]) * LAB_WEIGHTS, axis=2)
    grouped = np.full(len(lab), -1)
    grouped[founders] = own
    group, shares = colour_chances(lab, middles, grouped)
    strange = 0.5 * (off.min(axis=1) / OWN_SIDE_SIGMA) ** 2 - 0.5
    foreign = np.clip(strange, 0.0, FOREIGN_MOST) * (in_hole & ~founders)
    unlike = 0.5 * (_from_others(off, lab, founders, own, chances >= SURELY) / OWN_SIDE_SIGMA) ** 2 - 0.5
    foreign += np.clip(unlike, 0.0, BARE_MOST) * (faces.bare & ~in_hole)
    odd_one = ~founders & ~in_hole & (off.min(axis=1) > THIRD_SIDE)
    prints = np.where((alone_in(grouped) & (len(middles) > 2)) | (odd_one & (len(middles) > 1)), LONE_ODDS, 1.0)
    doubted = np.full(len(lab), unsure.all())
    doubted[founders] = unsure
    doubted |= faces.dim
    shares[doubted] = SIDES_UNSURE * shares[doubted] + (1 - SIDES_UNSURE) / len(middles)
    return middles, group, _with_odds(chances, np.exp(-foreign) * prints), shares


def _from_others(
    off: NDArray[np.float64],
    lab: NDArray[np.float64],
    founders: NDArray[np.bool_],
    own: NDArray[np.intp],
    surely: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Distance (N,) in weighted Lab of each face (N, 3) from the nearest side as other discs show it.

    ``off`` (N, K) are the distances from the sides as all ``founders`` make them, ``own`` the founders' sides. Infinite
    where no other disc is ``surely`` (N,) one.
    """
    out = off.copy()
    places = np.nonzero(founders)[0]
    for side in range(off.shape[1]):
        shown = places[(own == side) & surely[places]]
        if not len(shown):
            out[:, side] = np.inf
    for i, side in zip(places, own, strict=True):
        others = places[(own == side) & (places != i) & surely[places]]
        middle = np.median(lab[others], axis=0) if len(others) else np.inf
        out[i, side] = np.linalg.norm((lab[i] - middle) * LAB_WEIGHTS)
    return np.asarray(out.min(axis=1))


def _colours(words: tuple[str, ...], shares: NDArray[np.float64]) -> tuple[tuple[str, float], ...]:
    """Sides that a disc may belong to, the likeliest first; none where its side is clear."""
    ranked = sorted(
        ((w, float(p)) for w, p in zip(words, shares, strict=True) if p > COLOUR_POSSIBLE), key=lambda t: -t[1]
    )
    return tuple(ranked) if len(ranked) > 1 else ()


def _faces_px(view: BoardView, places: NDArray[np.float64], heights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centres of the upper faces as they appear: pixels (N, 2) of places (N, 2) in mm at heights (N,)."""
    if len(places) == 0:
        return np.zeros((0, 2))
    return view.camera.project(np.column_stack([places, heights]))


def _warnings(image: NDArray[np.uint8]) -> tuple[str, ...]:
    """What a person should know about how well the discs are seen."""
    step = max(1, len(image) // 200)
    some = np.ascontiguousarray(image[::step, ::step])
    brightest = np.percentile(cv2.cvtColor(some, cv2.COLOR_BGR2GRAY), BRIGHT_PERCENTILE)
    return ("the picture is very dark",) if float(brightest) < DARK else ()

"""Reads every disc of one picture over a solved board: its place, state, side and worth."""

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import BoardModel
from calibration.view import BoardView
from vision.board_light import SHADED, UNEVEN, light_at
from vision.covers import covers_of
from vision.disc_canonical import HALF_MM, PX_PER_MM, SIZE, CanonicalFrame
from vision.disc_colours import LAB_WEIGHTS, THIRD_SIDE, colour_chances, lab_of, roughness, sides_of, widest, words_for
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
FACE = (0.3, 0.72)
"""The face's colour is taken between these shares of its radius: a ring's hole and the bevel stay out."""
INNER, OUTER, STICKER = (0.3, 0.5), (0.65, 0.82), 12.0
"""Where a face's inner part differs by more than this (weighted Lab) from its outer part, a sticker, a print or a wide
hole lies there: the outer part shows the side. Of 1058 plain faces 99 in 100 differ by less than 10."""
PARTLY, PARTS, ALIKE = 7.0, 4, 10.0
"""A face rougher than the first (Lab lightness; plain faces are by less) is partly under gloss or in a shadow, and its
darkest or lightest quarter may show its side's colour, if it is nearer than the third (weighted Lab) to a plain face."""
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
AROUND, BARE, BARE_MOST = (1.3, 1.7), 9.0, 3.0
"""A face nearer than BARE (weighted Lab) to what lies around it, or between the lines elsewhere, and unlike all other
discs of its side, is most likely bare surface beside a print, or a whorl of the wood: its log odds fall, by BARE_MOST
at most. Of 1235 discs read 11 were like that, of 29 other things taken for discs 16."""
SURELY = 0.97
"""Only what is at least this surely a disc shows what discs of a side look like: several places of bare surface look
alike."""
RINGS = (0.2, 0.5, 0.84)
"""Shares of the shooting line's radius that lie between the lines of any board."""
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


def face(
    picture: NDArray[np.uint8],
    frame: CanonicalFrame,
    xy: tuple[float, float],
    radius: float,
    height: float,
    part: tuple[float, float] = FACE,
) -> NDArray[np.float64]:
    """Lab (N, 3) of the face, at ``height`` canonical mm, of a disc with its point at ``xy`` canonical pixels.

    ``part``: from and to how many radii from its middle.
    """
    k = frame.height / (frame.height - height)
    foot = ((frame.foot[0] + HALF_MM) * PX_PER_MM - 0.5, (HALF_MM - frame.foot[1]) * PX_PER_MM - 0.5)
    x, y = (f + (v - f) * k for v, f in zip(xy, foot, strict=True))
    r = radius * k
    wide = r * max(part[1], 1.0)
    x0, x1 = (int(np.clip(v, 0, SIZE - 1)) for v in (x - wide, x + wide + 1))
    y0, y1 = (int(np.clip(v, 0, SIZE - 1)) for v in (y - wide, y + wide + 1))
    yy, xx = np.mgrid[y0 : y1 + 1, x0 : x1 + 1]
    d = np.hypot(xx - x, yy - y) / r
    inside = (d >= part[0]) & (d <= part[1])
    pixels = picture[y0 : y1 + 1, x0 : x1 + 1][inside]
    if len(pixels) == 0:
        pixels = picture[y0 : y0 + 1, x0]
    return lab_of(pixels)


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
    faces = _faces(looks, candidates, [s[0][0] for s in states], tops)
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


@dataclass(frozen=True, eq=False)
class _Faces:
    """What the faces of N candidates look like: CIE Lab (N, 3), evened out where the light over the board is uneven.

    ``rough`` (N,): their texture; ``ditched``, ``in_hole`` (N,): where they most likely lie; ``bare`` (N,): it looks as
    the bare surface does; ``shaded``: some lie in much less light than others, which is only roughly made up for at a
    shadow's edge.
    """

    lab: NDArray[np.float64]
    rough: NDArray[np.float64]
    ditched: NDArray[np.bool_]
    in_hole: NDArray[np.bool_]
    bare: NDArray[np.bool_]
    shaded: bool


def _faces(looks: Looks, candidates: list[Candidate], states: list[DiscState], tops: NDArray[np.float64]) -> _Faces:
    """The faces of N candidates in their likeliest states, at heights ``tops`` (N,) in mm above their points."""
    frame, picture = looks.frame, looks.now
    radius_px = looks.radius[0] / (frame.scale / PX_PER_MM)
    seen = [
        _own_colour(picture, frame, c.xy, radius_px, float(z) / frame.scale)
        for c, z in zip(candidates, tops, strict=True)
    ]
    rough = np.array([roughness(s) for s in seen])
    lab = _unchanged(seen, rough)
    around = [np.median(face(picture, frame, c.xy, radius_px, 0.0, AROUND), axis=0) for c in candidates]
    ground = np.concatenate(
        [np.reshape(around, (-1, 1, 3)), np.tile(_surface(picture, frame), (len(lab), 1, 1))], axis=1
    )
    bare = np.linalg.norm((lab[:, None] - ground) * LAB_WEIGHTS, axis=2).min(axis=1) < BARE
    ditched = np.array([s == "ditch" for s in states], dtype=bool)
    compared = np.array([c.chance >= LISTED for c in candidates], dtype=bool) & ~ditched
    shade = 0.0
    if np.count_nonzero(compared) > 1:
        light = light_at(picture, frame, np.array([c.xy for c in candidates]), radius_px)
        shade = light.range(compared)
        lab = light.evened(lab) if shade > UNEVEN else lab
    in_hole = np.array([s == "hole" for s in states], dtype=bool)
    return _Faces(lab, rough, ditched, in_hole, bare, shade > SHADED)


def _own_colour(
    picture: NDArray[np.uint8], frame: CanonicalFrame, xy: tuple[float, float], radius: float, height: float
) -> NDArray[np.float64]:
    """Lab (N, 3) of what of a face shows its side's colour, given as for :func:`face`."""
    inner, outer = (face(picture, frame, xy, radius, height, part) for part in (INNER, OUTER))
    middle = np.median(inner, axis=0)
    if np.linalg.norm((middle - np.median(outer, axis=0)) * LAB_WEIGHTS) < STICKER:
        return face(picture, frame, xy, radius, height)
    apart = np.linalg.norm((outer - middle) * LAB_WEIGHTS, axis=1)
    return np.asarray(outer[apart >= np.median(apart)])  # a wide sticker reaches into the outer part


def _unchanged(seen: list[NDArray[np.float64]], rough: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lab (N, 3) of faces seen as Lab (M, 3) each: the median, or where gloss or a shadow lies over a part of a face, that
    part of it which is like another face."""
    lab = np.array([np.median(s, axis=0) for s in seen]).reshape(-1, 3)
    plain = lab[rough < PARTLY]
    for i in np.nonzero(rough >= PARTLY)[0]:
        ranked = seen[i][np.argsort(seen[i][:, 0])]
        some = max(1, len(ranked) // PARTS)
        parts = np.array([np.median(part, axis=0) for part in (ranked, ranked[:some], ranked[-some:])])
        far = np.linalg.norm((parts[:, None] - plain) * LAB_WEIGHTS, axis=2).min(axis=1, initial=ALIKE)
        lab[i] = parts[far.argmin()]
    return lab


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


def _surface(picture: NDArray[np.uint8], frame: CanonicalFrame) -> NDArray[np.float64]:
    """Median Lab (3, 3) of the canonical picture's three rings between the lines."""
    turn = np.arange(64) * (np.pi / 32)
    reach = frame.shooting * PX_PER_MM * np.array(RINGS)[:, None]
    x = np.round((SIZE - 1) / 2 + reach * np.cos(turn)).astype(int)
    y = np.round((SIZE - 1) / 2 + reach * np.sin(turn)).astype(int)
    return np.array([np.median(lab_of(ring), axis=0) for ring in picture[y, x]])


def _face_height(state: DiscState, height: float) -> float:
    """Height in mm above the surface from a disc's point to its face."""
    return {"board": height, "leaning": height / 2}.get(state, 0.0)


def _sides(
    faces: _Faces, chances: NDArray[np.float64], likelier: NDArray[np.float64]
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
    alone = founders.copy()
    alone[founders] = (np.bincount(own) == 1)[own]
    odd_one = ~founders & ~in_hole & (off.min(axis=1) > THIRD_SIDE)
    prints = np.where((alone & (len(middles) > 2)) | (odd_one & (len(middles) > 1)), LONE_ODDS, 1.0)
    doubted = np.full(len(lab), unsure.all())
    doubted[founders] = unsure
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

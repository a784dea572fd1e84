"""Where the discs of a picture may lie, looked for only where it has changed since an earlier picture was read.

Camera and board stay from rest to rest, and so does most of what lies there. A place about which no pixel has changed,
and of which there was no doubt, holds what it held: the networks aren't asked again. What is carried over was read in
the picture that showed it last, and :attr:`Looks.picture` keeps each place as it was read.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import DISC_DIAMETER_MM
from calibration.camera import Array
from calibration.view import BoardView
from vision.differences import differs
from vision.disc_canonical import PX_PER_MM, SIZE, CanonicalFrame, Sampling, frame_of, sampling_of
from vision.disc_net import FLAT_APART, GRID_PX, STATES, WHOLE, Candidate, Mask, Window, candidates_in, within
from vision.disc_odds import weighed, with_odds

LISTED = 0.5
"""A candidate more probable than not is a disc of the reading."""
LOOKED_AT = 0.008
"""A candidate at least this probable by the networks on the canonical picture is looked at more closely."""
FARTHEST = 1.31
"""Nothing beyond this share of the shooting line's radius is a disc of this board: the rail is there."""
RADIUS_SIGMA = 0.035
"""Relative standard uncertainty of one disc's radius by the network; the mean of all discs is better by sqrt(n) ..."""
RADIUS_BIAS = 0.01
"""... down to what all share."""

SIZE_SIGMA, OTHER_SIZES = 0.025, 0.13
"""Standard deviation of the logarithm of a disc's radius about that of all discs, by the network: 0.017 for 919 discs
of rendered scenes and photographs, of which none was off by more than 0.1. Prints and other things that are taken for
discs are spread as the second value says."""
SIZED = 3.0
"""It takes so many discs, and likely ones, that one can be of another size than the rest."""

DITCH = STATES.index("ditch")
OVER_EDGE = 0.45
"""A disc whose middle lies so many of its radii beyond the surface's edge, or farther, has fallen off. Of 73 in the
ditch on rendered scenes every one lies beyond 0.9, of 19 on the surface that looked so none beyond 0.31."""
BALANCED = -0.1
"""A disc stays on the surface only with its middle over it, by so many radii at least."""
USUAL_PX, LARGE = DISC_DIAMETER_MM / 2 * PX_PER_MM, 1.2
"""Radius of common discs in canonical pixels. Where a board's discs are larger by more than this factor, as few were
that the networks were trained on, the board is drawn smaller so that they get the usual radius."""

ABOUT_PX = 16
"""Everything this near to a changed pixel (25 mm) is read anew: all of a disc that a change touches, and its shade."""
EDGE_PX, SAME_PX = 5, 6.0
"""Candidates up to EDGE_PX beyond a zone's border are taken from the new picture too, unless a place that is carried
over lies within SAME_PX: then they are the same one."""
MARGIN_PX = 40
"""What lies farther from a zone hardly matters to the first network: its log odds change by 0.02."""
MOST_SHARE = 0.7
"""If windows would cover more of the picture than this, reading the whole costs no more."""
DOUBT = (0.04, 0.97)
"""Candidates with chances between these, and those whose state is doubtful, are read anew at every rest."""
STATE_DOUBT = 0.06
"""A state is doubtful if all others together are at least this probable."""
RADIUS_HOLDS = 0.05
"""Rims depend on the discs' radius: if that has changed by more than this share, all places are looked at anew (from
one disc it is known to 0.035)."""
CARRIED_MOST = 12
"""After this many pictures in a row the whole is looked at again: what was overlooked gets another chance."""


@dataclass(frozen=True, eq=False)
class Looks:
    """Candidates of one picture.

    ``judged``: by the networks on the canonical picture; ``weighed``: the same ones as all witnesses see them, at
    ``places`` (N, 2) in mm; ``radius`` of the discs with its uncertainty, in mm.

    ``picture``: the canonical one (SIZE, SIZE, 3), each place as it was read last; ``now``: as it is; ``carried``: how
    many pictures in a row weren't looked at as a whole; ``sampling``: of the canonical picture.
    """

    view: BoardView
    frame: CanonicalFrame
    picture: NDArray[np.uint8]
    now: NDArray[np.uint8]
    judged: tuple[Candidate, ...]
    weighed: tuple[Candidate, ...]
    places: Array
    radius: tuple[float, float]
    carried: int = 0
    sampling: Sampling | None = None

    def rescaled(self, view: BoardView) -> "Looks":
        """The same in other millimetres, for the next picture to be read from.

        ``view``: this one's with all lengths multiplied. What the networks made of the canonical picture is kept; the
        other witnesses are asked anew, since discs turn out to have another size in mm.
        """
        factor = view.board.shooting / self.view.board.shooting
        frame = replace(self.frame, scale=self.frame.scale * factor)
        sampling = None if self.sampling is None else replace(self.sampling, frame=frame)
        return replace(
            self, view=view, frame=frame, sampling=sampling, places=self.places * factor, radius=(math.inf, math.inf)
        )


def look(
    image: NDArray[np.uint8],
    view: BoardView,
    before: Looks | None = None,
    once_more: bool = True,
    patient: bool = True,
) -> Looks:
    """Look for discs in an image (H, W, 3) uint8 BGR; ``before``: what was found in an earlier one.

    ``once_more``: look also where there was doubt though nothing has changed; ``patient``: now and then look
    everywhere.
    """
    if before is not None and before.view is not view:
        before = None
    sampling = None if before is None else before.sampling
    if sampling is None or sampling.shape != image.shape[:2]:
        sampling = sampling_of(image.shape[:2], view, frame_of(view) if before is None else before.frame)
    picture = sampling.picture(image)
    if before is None or (patient and before.carried >= CARRIED_MOST):
        return _whole(image, view, sampling, picture)
    zone = changed_zone(before, picture, once_more)
    windows = windows_of(zone)
    if sum(n * n for _, _, n in windows) > MOST_SHARE * SIZE * SIZE:
        return _whole(image, view, sampling, picture)
    looks = _in_part(image, before, picture, zone, windows)
    if _large_px(looks.judged) is not None:
        return _whole(image, view, sampling, picture)
    return replace(looks, sampling=sampling)


def _whole(image: NDArray[np.uint8], view: BoardView, sampling: Sampling, picture: NDArray[np.uint8]) -> Looks:
    frame = sampling.frame
    judged, places = _on_board(view, frame, candidates_in(picture, frame))
    large = _large_px(judged)
    if large is not None:
        frame = frame.shrunk(USUAL_PX / large)
        sampling = sampling_of(sampling.shape, view, frame)
        picture = sampling.picture(image)
        judged, places = _on_board(view, frame, candidates_in(picture, frame))
    radius = _radius(judged, view, frame)
    better, moved = _looked_closely(image, view, frame, judged, places, judged, radius[0])
    return Looks(view, frame, picture, picture, tuple(judged), tuple(better), moved, radius, 0, sampling)


def _in_part(
    image: NDArray[np.uint8], before: Looks, picture: NDArray[np.uint8], zone: Mask, windows: list[Window]
) -> Looks:
    view, frame = before.view, before.frame
    fresh: list[Candidate] = []
    places: Array = np.zeros((0, 2))
    if windows:
        # a disc at the zone's edge may be found a little beside where it was before
        wide = _widened(zone, EDGE_PX)
        fresh, places = _on_board(view, frame, candidates_in(picture, frame, windows, wide))
    stay = [k for k, c in enumerate(before.judged) if not within(zone, c.xy)]
    again = [any(math.dist(before.judged[k].xy, c.xy) < SAME_PX for k in stay) for c in fresh]
    fresh, places = [c for c, known in zip(fresh, again, strict=True) if not known], places[np.logical_not(again)]
    judged = [before.judged[k] for k in stay] + fresh
    radius = _radius(judged, view, frame)
    measured = joint_radius(before.judged) is not None and joint_radius(judged) is not None
    if measured and abs(radius[0] / before.radius[0] - 1) > RADIUS_HOLDS:
        stay, fresh, places = [], judged, frame.to_board(np.array([c.xy for c in judged]))
    better, moved = _looked_closely(image, view, frame, fresh, places, judged, radius[0])
    return Looks(
        view, frame, np.where(zone[..., None] > 0, picture, before.picture), picture, tuple(judged),
        (*[before.weighed[k] for k in stay], *better), np.concatenate([before.places[stay], moved]), radius,
        before.carried + 1,
    )  # fmt: skip


def _looked_closely(
    image: NDArray[np.uint8],
    view: BoardView,
    frame: CanonicalFrame,
    fresh: list[Candidate],
    places: Array,
    every: list[Candidate],
    radius: float,
) -> tuple[list[Candidate], Array]:
    """Candidates at places (N, 2) in mm as all witnesses see them, and where they lie then.

    ``every``: all of the picture, ``fresh`` ones among them; ``radius`` of the discs in mm.
    """
    if not fresh:
        return [], places
    better, moved = weighed(image, view, *grounded(view, frame, fresh, places), radius)
    return of_one_size(better, fresh, every), moved


def _on_board(view: BoardView, frame: CanonicalFrame, candidates: list[Candidate]) -> tuple[list[Candidate], Array]:
    """Those that are worth a closer look and lie on the board, and their places (N, 2) in mm."""
    candidates = [c for c in candidates if c.chance >= LOOKED_AT]
    places = frame.to_board(np.array([c.xy for c in candidates]).reshape(-1, 2))
    near = np.hypot(places[:, 0], places[:, 1]) < FARTHEST * view.board.shooting
    return [c for c, there in zip(candidates, near, strict=True) if there], places[near]


def grounded(
    view: BoardView, frame: CanonicalFrame, candidates: Sequence[Candidate], places: Array
) -> tuple[list[Candidate], Array]:
    """Candidates and places (N, 2) in mm with those put on the surface that seem to lie in the ditch but can't.

    Near the surface's edge both look alike, and where a disc seems to lie depends on how deep it does: its upper face
    is what is seen. One that would reach into another on the surface is left as it is.
    """
    out, places = list(candidates), places.copy()
    ditched = [k for k, c in enumerate(candidates) if c.chances[DITCH] == max(c.chances)]
    edge = view.board.surface
    if edge is None or not ditched:
        return out, places
    high = view.to_mm(view.to_px(places[ditched]), view.board.disc_height)
    for k, place in zip(ditched, high, strict=True):
        radius = candidates[k].radius_px * frame.scale / PX_PER_MM
        fallen = float(np.hypot(*places[k])) >= edge + OVER_EDGE * radius
        others = np.array([c.on_surface for c in out], dtype=bool)
        free = np.linalg.norm(places[others] - place, axis=1).min(initial=np.inf) > FLAT_APART * radius
        if not fallen and free and float(np.hypot(*place)) < edge + BALANCED * radius:
            a, hole, leaning, ditch = out[k].chances
            xy = frame.from_board(place)[0]
            out[k] = replace(out[k], xy=(float(xy[0]), float(xy[1])), chances=(a + ditch, hole, leaning, 0.0))
            places[k] = place
    return out, places


def of_one_size(
    candidates: Sequence[Candidate], alone: Sequence[Candidate], every: Sequence[Candidate]
) -> list[Candidate]:
    """Candidates, those that are of another size than the discs among ``every`` less likely discs.

    ``alone``: the same ones before they were weighed; of those that seemed to lie on the surface the size is known.
    """
    joint = joint_radius(every)
    if joint is None or sum(sum(c.chances[:DITCH]) for c in every if c.on_surface) < SIZED:
        return list(candidates)
    out = []
    for c, before in zip(candidates, alone, strict=True):
        off = math.log(before.radius_px / joint[0])
        odds = 0.5 * off**2 * (1 / OTHER_SIZES**2 - 1 / SIZE_SIGMA**2) + math.log(OTHER_SIZES / SIZE_SIGMA)
        out.append(with_odds(c, min(odds, 0.0)) if before.on_surface else c)
    return out


def joint_radius(candidates: Sequence[Candidate]) -> tuple[float, float] | None:
    """Radius in canonical pixels over all discs seen, and its standard uncertainty; None without any.

    It is the median over those on the surface, or else about the hole, weighted by probability: many discs that are
    half believed because of their uncommon size tell more than one that is sure, or seems to lie in the hole. Discs in
    the ditch don't count: in the rail's shade sizes are read badly.
    """
    for group in ([c for c in candidates if c.on_surface], list(candidates)):
        weights = np.array([sum(c.chances[:DITCH]) for c in group])
        if weights.sum() >= LISTED:
            radii = np.array([c.radius_px for c in group])
            order = np.argsort(radii)
            heavy = np.cumsum(weights[order])
            middle = float(radii[order][np.searchsorted(heavy, heavy[-1] / 2)])
            return middle, middle * float(np.hypot(RADIUS_SIGMA / np.sqrt(max(heavy[-1], 1.0)), RADIUS_BIAS))
    return None


def _large_px(candidates: Sequence[Candidate]) -> float | None:
    """Radius in canonical pixels of discs that are uncommonly large for their board; None for others."""
    joint = joint_radius(candidates)
    return joint[0] if joint is not None and joint[0] > LARGE * USUAL_PX else None


def _radius(candidates: list[Candidate], view: BoardView, frame: CanonicalFrame) -> tuple[float, float]:
    """The discs' radius in mm and its standard uncertainty: the board's where none is seen."""
    joint = joint_radius(candidates)
    if joint is None:
        return view.board.disc_radius, view.board.disc_radius * RADIUS_SIGMA
    return joint[0] * frame.scale / PX_PER_MM, joint[1] * frame.scale / PX_PER_MM


def changed_zone(before: Looks, picture: NDArray[np.uint8], doubts: bool = True) -> Mask:
    """Mask (SIZE, SIZE): 1 about all that differs from ``before`` in a canonical picture, and about ``doubts``."""
    zone = _widened(differs(before.picture, picture, _board(before.frame.shooting)), ABOUT_PX)
    for judged, c in zip(before.judged, before.weighed, strict=True):
        sure = c.chance <= DOUBT[0] or (c.chance >= DOUBT[1] and c.chance - max(c.chances) < STATE_DOUBT)
        if doubts and not sure:
            cv2.circle(zone, (round(judged.xy[0]), round(judged.xy[1])), ABOUT_PX, 1, -1)
    return zone


def _widened(mask: Mask, by_px: int) -> Mask:
    """The mask (SIZE, SIZE) grown by ``by_px``; only its small part that isn't 0 is worked on."""
    out = np.zeros_like(mask)
    x, y, w, h = cv2.boundingRect(mask)
    box = (slice(max(y - by_px, 0), y + h + by_px), slice(max(x - by_px, 0), x + w + by_px))
    if w:
        out[box] = cv2.dilate(mask[box], _disc_shaped(by_px))
    return out


@lru_cache(maxsize=4)
def _board(shooting: float) -> Mask:
    """1 (SIZE, SIZE) where discs may lie, by the shooting line's radius in canonical mm."""
    out = np.zeros((SIZE, SIZE), np.uint8)
    cv2.circle(out, (SIZE // 2, SIZE // 2), round(FARTHEST * shooting * PX_PER_MM), 1, -1)
    return out


def windows_of(zone: Mask) -> list[Window]:
    """Windows that cover a mask (SIZE, SIZE) with MARGIN_PX about it, joined where they would overlap."""
    boxes = [(x, y, x + w, y + h) for x, y, w, h, _ in _parts(zone)]
    joined = True
    while joined:
        joined = False
        for i in range(len(boxes)):
            for j in range(i):
                a, b = boxes[i], boxes[j]
                both = (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))
                if _cost(both) <= _cost(a) + _cost(b):
                    boxes[j] = both
                    del boxes[i]
                    joined = True
                    break
            if joined:
                break
    return [_window(box) for box in boxes]


def _parts(zone: Mask) -> list[tuple[int, int, int, int, int]]:
    left, top, w, h = cv2.boundingRect(zone)
    if not w:
        return []
    _, _, stats, _ = cv2.connectedComponentsWithStats(zone[top : top + h, left : left + w], connectivity=8)
    return [(int(x) + left, int(y) + top, int(w), int(h), int(n)) for x, y, w, h, n in stats[1:]]


def _cost(box: tuple[int, int, int, int]) -> int:
    return _window(box)[2] ** 2


def _window(box: tuple[int, int, int, int]) -> Window:
    """The window about a box (x0, y0, x1, y1), ends excluded."""
    x0, y0, x1, y1 = box
    begin = [(v - MARGIN_PX) // GRID_PX * GRID_PX for v in (x0, y0)]
    end = [-(-(v + MARGIN_PX) // GRID_PX) * GRID_PX for v in (x1, y1)]
    n = max(b - a for a, b in zip(begin, end, strict=True))
    if n >= SIZE:
        return WHOLE
    x, y = (min(max(c, 0), SIZE - n) for c in begin)
    return x, y, n


def _disc_shaped(radius: int) -> Mask:
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1,) * 2), dtype=np.uint8)

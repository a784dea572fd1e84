"""Reads every disc of one picture over a solved board: where it lies, in which state, of which side, worth what."""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.view import BoardView
from vision.disc_canonical import HALF_MM, PX_PER_MM, SIZE, CanonicalFrame, canonical_picture, frame_of
from vision.disc_colours import lab_of, sides_of, words_for
from vision.disc_net import STATES, Candidate, peaks, run_network
from vision.disc_values import plain_contacts, valued
from vision.readings import Disc, DiscsSeen, DiscState

LISTED = 0.4
"""A candidate at least this probable is a disc of the reading."""
MAYBE = 0.12
"""A candidate at least this probable is named as a reason for doubt."""
PLACE_SIGMA_MM = 0.8
"""Standard uncertainty a direction of the network's places, in canonical mm (folds over the path-traced scenes)."""
RADIUS_SIGMA = 0.035
"""Relative standard uncertainty of one disc's radius by the network; the mean of all discs is better by sqrt(n) ..."""
RADIUS_BIAS = 0.01
"""... down to what all share."""
FACE = (0.3, 0.72)
"""The face's colour is taken between these shares of its radius: a ring's hole and the bevel stay out."""
DITCH_WEIGHT = 0.5
"""Trust in the colour of a disc in the ditch, which lies in the rail's shade, against 1 on the surface."""
IN_HOLE = 1.25
"""A disc is in the hole, or leans into it, only where its centre lies within so many radii of it ..."""
FARTHEST = 1.31
"""Nothing farther out than this share of the shooting line's radius is a disc of this board: the rail is there."""


def _states(c: Candidate, distance: float, radius: float) -> tuple[tuple[DiscState, float], ...]:
    """Possible states with probabilities, most probable first, of a candidate ``distance`` from the centre."""
    chances = dict(zip(STATES, c.chances, strict=True))
    if distance > IN_HOLE * radius:
        chances["hole"] = chances["leaning"] = 0.0
    total = sum(chances.values()) or 1.0
    ranked = sorted(((s, p / total) for s, p in chances.items()), key=lambda t: -t[1])
    return tuple((s, p) for s, p in ranked if p > 1e-3) or (("board", 1.0),)


def _radius(candidates: list[Candidate]) -> tuple[float, float] | None:
    """Radius in canonical pixels over all surely seen discs, and its standard uncertainty; None without any."""
    radii = [c.radius_px for c in candidates if c.best >= LISTED and c.chances[0] == c.best]
    radii = radii or [c.radius_px for c in candidates if c.best >= LISTED]
    if not radii:
        return None
    middle = float(np.median(radii))
    return middle, middle * math.hypot(RADIUS_SIGMA / math.sqrt(len(radii)), RADIUS_BIAS)


def _face(
    picture: NDArray[np.uint8], frame: CanonicalFrame, xy: tuple[float, float], radius: float, height: float
) -> NDArray[np.float64]:
    """Median Lab (3,) of the face, at ``height`` canonical mm, of a disc with its point at ``xy`` canonical pixels."""
    k = frame.height / (frame.height - height)
    foot = ((frame.foot[0] + HALF_MM) * PX_PER_MM - 0.5, (HALF_MM - frame.foot[1]) * PX_PER_MM - 0.5)
    x, y = (f + (v - f) * k for v, f in zip(xy, foot, strict=True))
    r = radius * k
    x0, x1 = (int(np.clip(v, 0, SIZE - 1)) for v in (x - r, x + r + 1))
    y0, y1 = (int(np.clip(v, 0, SIZE - 1)) for v in (y - r, y + r + 1))
    yy, xx = np.mgrid[y0 : y1 + 1, x0 : x1 + 1]
    d = np.hypot(xx - x, yy - y) / r
    inside = (d >= FACE[0]) & (d <= FACE[1])
    pixels = picture[y0 : y1 + 1, x0 : x1 + 1][inside]
    if len(pixels) == 0:
        pixels = picture[y0 : y0 + 1, x0]
    return np.asarray(np.median(lab_of(pixels), axis=0))


def read_discs(image: NDArray[np.uint8], view: BoardView) -> DiscsSeen:
    """Read the discs of an image (H, W, 3) uint8 BGR over a solved board."""
    frame = frame_of(view)
    picture = canonical_picture(image, view, frame)
    candidates = [c for c in peaks(run_network(picture, frame)) if c.best >= MAYBE]
    places = frame.to_board(np.array([c.xy for c in candidates]).reshape(-1, 2))
    distances = np.hypot(places[:, 0], places[:, 1])
    within = distances < FARTHEST * view.board.shooting
    candidates = [c for c, w in zip(candidates, within, strict=True) if w]
    places, distances = places[within], distances[within]
    mm_per_px = frame.scale / PX_PER_MM
    joint = _radius(candidates)
    if joint is None:
        radius, radius_sigma = view.board.disc_radius, view.board.disc_radius * RADIUS_SIGMA
    else:
        radius, radius_sigma = (v * mm_per_px for v in joint)
    height = view.board.disc_height
    states = [_states(c, float(d), radius) for c, d in zip(candidates, distances, strict=True)]
    flat_height = {"board": height, "leaning": height / 2, "hole": 0.0, "ditch": 0.0}
    lab = np.array(
        [
            _face(picture, frame, c.xy, radius / mm_per_px, flat_height[s[0][0]] / frame.scale)
            for c, s in zip(candidates, states, strict=True)
        ]
    ).reshape(-1, 3)
    sure = np.array([c.best >= LISTED for c in candidates], dtype=bool)
    on_board = np.array([s[0][0] != "ditch" for s in states], dtype=bool)
    words, group = _named_sides(lab, sure, on_board)
    tops = np.array([flat_height[s[0][0]] for s in states])
    px = _faces_px(view, places, tops)
    discs: list[Disc] = []
    maybe: list[Disc] = []
    order = sorted(range(len(candidates)), key=lambda i: (not on_board[i], float(distances[i])))
    for i in order:
        state = states[i][0]
        place = (float(places[i, 0]), float(places[i, 1]))
        sigma = PLACE_SIGMA_MM * frame.scale
        lines = plain_contacts(place, sigma, radius, radius_sigma, view.board) if state[0] == "board" else ()
        target = discs if sure[i] else maybe
        target.append(
            valued(
                Disc(
                    len(target) + 1, words[group[i]], (float(px[i, 0]), float(px[i, 1])), place, sigma,
                    state[0], candidates[i].best, state[1], states[i], lines,
                ),
                radius, view.board,
            )
        )  # fmt: skip
    return DiscsSeen(tuple(discs), radius, radius_sigma, words if discs else (), tuple(maybe), _warnings(image, view))


def _named_sides(
    lab: NDArray[np.float64], sure: NDArray[np.bool_], on_board: NDArray[np.bool_]
) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Words of the sides, and the side number (N,) of every candidate, sure ones deciding."""
    if not sure.any():
        group = np.zeros(len(lab), dtype=np.intp)
        return (words_for(lab.mean(axis=0)[None]) if len(lab) else ()), group
    weights = np.where(on_board[sure], 1.0, DITCH_WEIGHT)
    own = sides_of(lab[sure], weights)
    middles = np.array([np.median(lab[sure][own == k], axis=0) for k in range(int(own.max()) + 1)])
    group = np.argmin(np.linalg.norm(lab[:, None] - middles[None], axis=2), axis=1)
    group[sure] = own
    return words_for(middles), group


def _faces_px(view: BoardView, places: NDArray[np.float64], heights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centres of the upper faces as they appear: pixels (N, 2) of places (N, 2) in mm at heights (N,)."""
    if len(places) == 0:
        return np.zeros((0, 2))
    return view.camera.project(np.column_stack([places, heights]))


def _warnings(image: NDArray[np.uint8], view: BoardView) -> tuple[str, ...]:
    """What a person should know about how well the surface is seen."""
    h, w = image.shape[:2]
    px = view.circle_px(view.board.surface or view.board.shooting * 1.08)
    outside = np.mean((px[:, 0] < 0) | (px[:, 1] < 0) | (px[:, 0] > w - 1) | (px[:, 1] > h - 1))
    warnings: list[str] = []
    if outside > 0:
        warnings.append("a part of the board lies outside the picture: discs there are not seen")
    if float(np.percentile(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)[:: max(1, h // 200)], 90)) < 50:
        warnings.append("the picture is very dark")
    return tuple(warnings)

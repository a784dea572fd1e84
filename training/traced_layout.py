"""Measures of path-traced boards and what lies on them by chance: flat, touching, in the hole, leaning into it."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera

Array = NDArray[np.float64]

DISCS, BARE = 9, 2
"""Discs on a board at most, and places near posts and lines that no disc is near."""
EDGE_PX = 40


@dataclass(frozen=True)
class Disc:
    """A disc in place: centre of the solid and axis in mm, its side's number, its state."""

    centre: Array
    axis: Array
    side: int
    state: str


@dataclass(frozen=True)
class Board:
    """Measures in mm; ``lines`` (inner, outer edge) from inside out."""

    lines: tuple[tuple[float, float], ...]
    surface: float
    hole: float
    depth: float
    post: tuple[float, float]
    radius: float
    height: float
    hollow: float


def make_board(rng: np.random.Generator) -> Board:
    """Random measures: half of them a tournament board's."""
    usual = rng.random() < 0.5
    shooting = 304.8 if usual else rng.uniform(250, 310)
    radii = [shooting / 3, shooting * 2 / 3, shooting]
    if not usual:
        radii = [shooting * rng.uniform(0.29, 0.38), shooting * rng.uniform(0.6, 0.73), shooting]
    wide = 1.6 if rng.random() < 0.4 else math.exp(rng.uniform(math.log(0.9), math.log(4.0)))
    radius = 15.875 if rng.random() < 0.4 else rng.uniform(11.5, 20)
    return Board(
        tuple((r - wide / 2, r + wide / 2) for r in radii),
        shooting + rng.uniform(22, 28),
        radius + (1.6 if rng.random() < 0.4 else rng.uniform(0.6, 3.5)),
        9.5 if rng.random() < 0.4 else rng.uniform(5.5, 12),
        (rng.uniform(1.5, 5.0), rng.uniform(8, 24)) if rng.random() < 0.9 else (0.0, 0.0),
        radius,
        9.5 if rng.random() < 0.3 else rng.uniform(6, 13),
        rng.uniform(0.2, 0.5) * radius if rng.random() < 0.12 else 0.0,
    )


def in_hole(rng: np.random.Generator, board: Board, side: int) -> Disc | None:
    """What lies in the hole or over its edge: nothing, a flat disc, a leaning one, or one on the surface close by."""
    kind, a = rng.random(), rng.uniform(0, 2 * np.pi)
    way = np.array([math.cos(a), math.sin(a), 0.0])
    up = np.array([0.0, 0.0, 1.0])
    if kind < 0.28:
        return None
    if kind < 0.52:
        off = rng.uniform(0, max(board.hole - board.radius, 0.1))
        return Disc(off * way + [0, 0, board.height / 2 - board.depth], up, side, "hole")
    if kind < 0.84:
        lean = leaning(rng, board, a, side)
        if lean is not None:
            return lean
    off = rng.uniform(0.75 * board.radius, 2.2 * board.radius)
    return Disc(off * way + [0, 0, board.height / 2], up, side, "board")


def leaning(rng: np.random.Generator, board: Board, a: float, side: int) -> Disc | None:
    """A disc with its lower edge on the hole's floor or wall and its face on the opposite rim, or held just inside."""
    way = np.array([math.cos(a), math.sin(a), 0.0])
    for _ in range(20):
        t = math.radians(rng.uniform(12, 36))
        low = board.depth * (1.0 if rng.random() < 0.7 else rng.uniform(0.5, 1.0))
        within = board.hole - board.radius * math.cos(t)
        if rng.random() < 0.5:
            s, sunk = rng.uniform(0.2, 1.0) * within, low - board.radius * math.sin(t)
        else:
            s = board.hole - (low - board.radius * math.sin(t)) / math.tan(t)
            sunk = (board.hole - s) * math.tan(t)
            if not within <= s < 0.8 * board.radius:
                continue
        axis = math.cos(t) * np.array([0, 0, 1.0]) - math.sin(t) * way
        return Disc(s * way - [0, 0, sunk] + axis * board.height / 2, axis, side, "leaning")
    return None


def on_board(
    rng: np.random.Generator, board: Board, taken: list[Array], camera: Camera, sides: int, most: int = DISCS
) -> list[Disc]:
    """Flat discs, most of them near a line, many touching each other; no more than ``most``."""
    chosen: list[Disc] = []
    for _ in range(300):
        if len(chosen) == most:
            break
        a, kind = rng.uniform(0, 2 * np.pi), rng.random()
        if kind < 0.35 and chosen:
            gap = 2 * board.radius + (0.02 if rng.random() < 0.6 else rng.exponential(3.0))
            p = chosen[int(rng.integers(len(chosen)))].centre[:2] + gap * np.array([math.cos(a), math.sin(a)])
        elif kind < 0.8:
            r = board.lines[int(rng.integers(3))][0] - board.radius + rng.normal(0, 2.5)
            p = r * np.array([math.cos(a), math.sin(a)])
        else:
            r = board.surface * math.sqrt(rng.uniform(0, 1))
            p = r * np.array([math.cos(a), math.sin(a)])
        px = camera.project(np.array([[*p, 0.0]]))[0]
        inside = EDGE_PX < px[0] < camera.width - EDGE_PX and EDGE_PX < px[1] < camera.height - EDGE_PX
        free = board.hole + board.radius < np.hypot(*p) < board.surface - 3
        if inside and free and all(np.hypot(*(p - q[:2])) >= 2 * board.radius + 0.01 for q in taken):
            centre = np.array([*p, board.height / 2])
            chosen.append(Disc(centre, np.array([0.0, 0, 1]), int(rng.integers(sides)), "board"))
            taken.append(centre)
    return chosen


def bare_places(rng: np.random.Generator, board: Board, discs: list[Disc]) -> list[Array]:
    """Places (2,) in mm near posts and lines that no disc is near."""
    places: list[Array] = []
    for _ in range(BARE * 4):
        a, r = rng.uniform(0, 2 * np.pi), board.lines[int(rng.integers(3))][0] + rng.normal(0, 12)
        at = np.array([r * math.cos(a), r * math.sin(a)])
        if len(places) < BARE and all(np.hypot(*(d.centre[:2] - at)) > 2 * board.radius for d in discs):
            places.append(at)
    return places

"""Path-trace holes with what may lie in them, in great number: only the middle of a board is built and rendered.

    python -m training.trace_holes --out FOLDER --count 500 [--first 0]

Needs ``bpy``. Pictures and truth have the form of ``training.trace_boards``; their names begin with ``m``. Seeded.
"""

import math
from pathlib import Path

import numpy as np

from training import traced_world as world
from training.trace_boards import (
    HOLE_HALF_MM,
    SAMPLES,
    build_hole,
    light,
    make_camera,
    put_discs,
    retaken,
    save,
    trace_all,
    truth_of,
    window,
)
from training.traced_layout import Board, Disc, make_board
from training.traced_paint import MIDDLE, Look, paint, paint_middle, unlike

TAKES = 4
"""Pictures of one hole, each with something else in it."""
NEAR = 3
"""Discs beside the hole at most."""


def beside(rng: np.random.Generator, board: Board) -> list[Disc]:
    """Flat discs near the hole that leave room for one in it."""
    chosen: list[Disc] = []
    for _ in range(int(rng.integers(0, 2 * NEAR))):
        r, a = board.radius * rng.uniform(2.1, 3.2), rng.uniform(0, 2 * np.pi)
        at = np.array([r * math.cos(a), r * math.sin(a), board.height / 2])
        if len(chosen) < NEAR and all(np.hypot(*(d.centre - at)[:2]) > 2 * board.radius for d in chosen):
            chosen.append(Disc(at, np.array([0.0, 0, 1]), int(rng.integers(2)), "board"))
    return chosen


def make_holes(seed: int, folder: Path, scratch: Path) -> None:
    """Trace one hole's takes and write them as ``FOLDER/mSEED-K.jpg`` and ``.json``."""
    rng = np.random.default_rng([37, seed])
    board, camera = make_board(rng), make_camera(rng)
    hole = window(camera, np.zeros(2), HOLE_HALF_MM, -board.depth, board.height)
    if hole is None:
        return
    sides = [paint(rng)]
    sides.append(unlike(rng, sides[0]))
    world.fresh(SAMPLES, seed)
    surface = paint(rng)
    picture = paint_middle(rng, Look(surface, unlike(rng, surface, 0.9), board.lines), board.hole)
    top = world.material("surface", surface, rng.uniform(0.15, 0.7), rng.choice([0.0, rng.uniform(0, 1)]))
    world.printed(top, world.picture_of("surface", picture), MIDDLE.half_mm)
    reach = 0.98 * MIDDLE.half_mm
    world.dress(world.turned("surface", np.array([[board.hole, 0.0], [reach, 0.0]]), 512), top)
    body = world.material("body", surface * 0.85, 0.6, 0.0)
    world.dress(world.turned("edge", np.array([[reach, 0.0], [reach, -30.0]]), 128), body)
    build_hole(rng, board, surface, sides, body)
    around = beside(rng, board)
    put_discs(rng, board, around, sides)
    light(rng)
    focus = float(np.linalg.norm(camera.centre))
    world.look_through(camera, rng.uniform(0.6, 4.0) if rng.random() < 0.25 else None, focus * rng.uniform(0.9, 1.1))
    quality = int(rng.integers(80, 98))
    inside: list[world.Thing] = []
    for take in range(TAKES):
        shot, now, inside = retaken(rng, board, sides, around, inside, hole, scratch)
        save(folder, f"m{seed:05d}-{take}", shot, quality, truth_of(board, camera, now, [], [hole]))


if __name__ == "__main__":
    trace_all(__doc__ or "", make_holes, "m{:05d}-0.json", 500)

"""Path-trace discs flat on boards whose lines wander, through wide lenses too, with exact truth: for the gaps.

    python -m training.trace_discs --out FOLDER --count 400 [--first 0]

Like the boards of ``training.trace_boards``, but only discs are rendered, and more of them. Seeded.
"""

from pathlib import Path

import numpy as np

from training import traced_world as world
from training.trace_boards import (
    SAMPLES,
    build,
    develop,
    joined,
    make_camera,
    put_discs,
    save,
    take,
    trace_all,
    truth_of,
)
from training.traced_layout import make_board, on_board
from training.traced_paint import paint, unlike

SHORTEST_WIDE = 0.5
"""Shortest focal length by the picture's width."""
MANY = 16
"""Discs at most."""
HAND_DRAWN = 0.6
"""Share of the scenes whose lines wander."""
WORN = 0.45
"""Chance that a side's discs are bare wood, or another colour, on parts of their walls or all of them."""


def make_discs(seed: int, folder: Path, scratch: Path) -> None:
    """Trace one scene's discs and write ``FOLDER/wSEED.jpg`` and ``.json``."""
    rng = np.random.default_rng([37, seed])
    board, camera = make_board(rng), make_camera(rng, SHORTEST_WIDE)
    sides = [paint(rng)]
    sides.append(unlike(rng, sides[0]))
    world.fresh(SAMPLES, seed)
    discs = on_board(rng, board, [], camera, len(sides), MANY)
    build(rng, board, discs, sides, by_hand=rng.random() < HAND_DRAWN)
    put_discs(rng, board, discs, sides, worn=WORN)
    seen, kept = take(rng, board, camera, discs)
    if kept:
        boxes = joined(kept)
        picture = develop(rng, [(b, world.trace(b, scratch / "window.exr")) for b in boxes])
        save(folder, f"w{seed:05d}", picture, int(rng.integers(80, 98)), truth_of(board, camera, seen, [], boxes))


if __name__ == "__main__":
    trace_all(__doc__ or "", make_discs, "w{:05d}.json", 400)

"""Speed of reading dice and dodecas in a 1920x1080 picture, against the goal of 120 ms on one core.

One core: OpenCV and the linear algebra are held to one thread. The pictures are drawn by the training world, the first
few from the seed on that show five dice or nine dodecas, all in full view, with plain ground beside them: what else
lies there decides how long one takes. Decoding is left out; the mean over the pictures of the median of several
readings in one process.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import cv2
import numpy as np

from training.dice_data import draw
from vision.dice import read_dice
from vision.dodecas import read_dodecas
from vision.frames import Frame, frame_of_pixels

ROOT = Path(__file__).parents[1]
GOAL_MS = 120.0
SEED, PICTURES = 77, 5
SEEN, WHOLE = 5, 0.9
"""Column of the truth that tells the share of a top face in view; from this share on it is wholly there."""


def pictures(dodecas: bool) -> list[Frame]:
    """Drawn pictures of 1920x1080."""
    found: list[Frame] = []
    for seed in count(SEED):
        _, truth = draw(np.random.default_rng(seed), dodecas)
        if len(truth) == (9 if dodecas else 5) and (truth[:, SEEN] > WHOLE).all():
            square, _ = draw(np.random.default_rng(seed), dodecas, 1080)
            wide = cv2.copyMakeBorder(square, 0, 0, 420, 420, cv2.BORDER_REPLICATE)
            found.append(frame_of_pixels(np.asarray(wide, np.uint8), "drawn"))
        if len(found) == PICTURES:
            break
    return found


def measure(read: Callable[[Frame], object], frame: Frame, rounds: int) -> tuple[float, float]:
    """Median milliseconds of a reading by the clock and of processor time."""
    clock, busy = [], []
    for _ in range(rounds + 1):
        start, worked = time.perf_counter(), time.process_time()
        read(frame)
        clock.append(1000 * (time.perf_counter() - start))
        busy.append(1000 * (time.process_time() - worked))
    return statistics.median(clock[1:]), statistics.median(busy[1:])


def main() -> int:
    """Run the measurements; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--save", action="store_true", help="store the figures in benchmarks/results/dice_speed.json")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    figures = []
    for name, read, dodecas in (("dice", read_dice, False), ("dodecas", read_dodecas, True)):
        each = [measure(read, frame, options.rounds) for frame in pictures(dodecas)]
        clock, busy = (statistics.mean(times) for times in zip(*each, strict=True))
        ratio = clock / GOAL_MS
        print(f"{name:8} {clock:6.0f} ms ({busy:.0f} of processor time)   goal {GOAL_MS:.0f}   ratio {ratio:.2f}")
        figures.append({"what": name, "ms": round(clock, 1), "processor_ms": round(busy, 1), "goal_ms": GOAL_MS})
    if options.save:
        target = ROOT / "benchmarks" / "results" / "dice_speed.json"
        target.write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

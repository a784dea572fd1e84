"""Fit how finder and reader are weighed in the odds of a top face: prints TOP_ODDS of ``vision/dice.py``.

    python -m training.fit_dice_odds [--pictures 300]

A logistic regression over the finder's finds in drawn pictures that no network was trained on, as
both networks see them. Needs only what the package needs.
"""

import argparse

import cv2
import numpy as np
from numpy.typing import NDArray

from training.dice_data import draw
from training.dice_samples import SEEN_CUT, SEEN_READ
from training.fit_disc_odds import fitted
from vision.dice import LIKELY, NOTHING, SMALLEST
from vision.dice_nets import crop, find, log_odds, read, softmax
from vision.networks import network

FIRST_SEED = 1_900_000
"""Pictures beyond the cache's (``training.dice_cache``)."""
SAME, SAME_SIZE, APART, OTHER_SIZE = 0.3, 1.5, 0.45, 1.8
"""A find this near (edges) and alike in size is a top face; one beyond both of the others is none; between, either."""


def features(picture: NDArray[np.uint8], truth: NDArray[np.float32]) -> tuple[list[tuple[float, float]], list[int]]:
    """Log odds of finder and reader of each find, and whether it is a top face."""
    rows, labels = [], []
    for f in find(network("dice_find"), picture):
        if f.chance < LIKELY or f.edge < SMALLEST:
            continue
        label = 0
        for x, y, edge, _, _, seen, *_ in truth:
            away, ratio = np.hypot(x - f.x, y - f.y) / edge, abs(np.log(edge / f.edge))
            if away < SAME and ratio < np.log(SAME_SIZE):
                label = 1 if seen >= SEEN_READ else -1 if seen >= SEEN_CUT else 0
            elif away < APART and ratio < np.log(OTHER_SIZE):
                label = max(label, -1) if label != 1 else 1
        if label < 0:
            continue
        first = read(network("dice_read"), [crop(picture, f.x, f.y, f.edge)])[0]
        rows.append((log_odds(f.chance), log_odds(1 - float(softmax(first[: NOTHING + 1])[NOTHING]))))
        labels.append(label)
    return rows, labels


def main() -> None:
    """Draw, look, fit, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--pictures", type=int, default=300)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    rows: list[tuple[float, float]] = []
    labels: list[int] = []
    for k in range(options.pictures):
        picture, truth = draw(np.random.default_rng(FIRST_SEED + k), False, photos=True)
        a, b = features(picture, truth)
        rows += a
        labels += b
    x, y = np.array(rows), np.array(labels, np.float64)
    finder, reader, constant = fitted(x, y)
    loss = np.logaddexp(0, (1 - 2 * y) * (x @ (finder, reader) + constant)).mean()
    words = f"TOP_ODDS = ({constant:.2f}, {finder:.2f}, {reader:.2f})"
    print(f"{words}; {len(y)} finds, {y.mean():.2f} tops, log loss {loss:.3f}")


if __name__ == "__main__":
    main()

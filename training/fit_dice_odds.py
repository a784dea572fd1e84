"""Fit how finder and reader are weighed in the odds of a top face: prints TOP_ODDS of ``vision/dice.py``.

    python -m training.fit_dice_odds [--pictures 300] [--dodecas]            # or of vision/dodecas.py

A logistic regression over the finder's finds in drawn pictures that no network was trained on, as
both networks see them. Needs only what the package needs.
"""

import argparse

import cv2
import numpy as np
from numpy.typing import NDArray

from training.dice_data import draw
from training.dice_samples import SEEN_CUT, SEEN_READ, SEEN_SPOT
from training.fit_disc_odds import fitted
from vision import dice, dodecas
from vision.dice import SMALLEST
from vision.dice_nets import crop, find, log_odds, read, softmax
from vision.networks import network

FIRST_SEED = 1_900_000
"""Pictures beyond the cache's (``training.dice_cache``)."""
SAME, SAME_SIZE, APART, OTHER_SIZE = 0.3, 1.5, 0.45, 1.8
"""A find this near (edges) and alike in size is a top face; one beyond both of the others is none; between, either."""


def features(
    picture: NDArray[np.uint8], truth: NDArray[np.float32], kind: str
) -> tuple[list[tuple[float, float]], list[int]]:
    """Log odds of finder and reader of each find, and whether it is a top face."""
    rows, labels = [], []
    of = dice if kind == "dice" else dodecas
    clear, cut = (SEEN_READ, SEEN_CUT) if kind == "dice" else (SEEN_SPOT, SEEN_SPOT)
    for f in find(network(f"{kind}_find"), picture, again=kind == "dice"):
        if f.chance < of.LIKELY or f.edge < SMALLEST:
            continue
        label = 0
        for x, y, edge, _, _, seen, *_ in truth:
            away, ratio = np.hypot(x - f.x, y - f.y) / edge, abs(np.log(edge / f.edge))
            if away < SAME and ratio < np.log(SAME_SIZE):
                label = 1 if seen >= clear else -1 if seen >= cut or kind == "dodeca" else 0
            elif away < APART and ratio < np.log(OTHER_SIZE):
                label = max(label, -1) if label != 1 else 1
        if label < 0:
            continue
        first = read(network(f"{kind}_read"), [crop(picture, f.x, f.y, f.edge)])[0]
        rows.append((log_odds(f.chance), log_odds(1 - float(softmax(first[: of.NOTHING + 1])[of.NOTHING]))))
        labels.append(label)
    return rows, labels


def main() -> None:
    """Draw, look, fit, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--pictures", type=int, default=300)
    parser.add_argument("--dodecas", action="store_true")
    options = parser.parse_args()
    kind = "dodeca" if options.dodecas else "dice"
    cv2.setNumThreads(1)
    rows: list[tuple[float, float]] = []
    labels: list[int] = []
    for k in range(options.pictures):
        picture, truth = draw(np.random.default_rng(FIRST_SEED + k), options.dodecas, photos=True)
        a, b = features(picture, truth, kind)
        rows += a
        labels += b
    x, y = np.array(rows), np.array(labels, np.float64)
    finder, reader, constant = fitted(x, y)
    loss = np.logaddexp(0, (1 - 2 * y) * (x @ (finder, reader) + constant)).mean()
    words = f"TOP_ODDS = ({constant:.2f}, {finder:.2f}, {reader:.2f})"
    print(f"{words}; {len(y)} finds, {y.mean():.2f} tops, log loss {loss:.3f}")


if __name__ == "__main__":
    main()

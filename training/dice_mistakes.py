"""Places that a finder takes for top faces: what the reader must learn to turn down, or to read.

In the drawn pictures and in those without dice.

python -m training.dice_mistakes drawn/dice vision/weights/dice_find.onnx finds.npy
"""

import argparse
from itertools import chain
from pathlib import Path

import cv2
import numpy as np

from training.dice_cache import stored, without_dice
from vision.dice_nets import find

KEPT = 24
"""Finds kept a picture, the best first."""


def main() -> None:
    """Write an array (finds, 4): number of the picture (below 0: of those without dice), x, y, edge in its pixels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("finder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pictures", type=int)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    net = cv2.dnn.readNetFromONNX(str(args.finder))
    empty = ((-1 - k, sample) for k, sample in enumerate(without_dice()))
    pictures = chain(enumerate(stored(args.folder, 0, args.pictures)), empty)
    rows = [(i, f.x, f.y, f.edge) for i, (picture, _) in pictures for f in find(net, picture)[:KEPT]]
    np.save(args.out, np.array(rows, np.float64))


if __name__ == "__main__":
    main()

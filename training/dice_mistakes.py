"""Places that a finder takes for top faces in the drawn pictures: what the reader must learn to turn down, or to read.

python -m training.dice_mistakes drawn/dice vision/weights/dice_find.onnx finds.npy
"""

import argparse
from pathlib import Path

import cv2
import numpy as np

from training.dice_cache import stored
from vision.dice_nets import find

KEPT = 24
"""Finds kept a picture, the best first."""


def main() -> None:
    """Write an array (finds, 4): number of the picture, x, y, edge in its pixels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("finder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pictures", type=int)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    net = cv2.dnn.readNetFromONNX(str(args.finder))
    rows = [
        (i, f.x, f.y, f.edge)
        for i, (picture, _) in enumerate(stored(args.folder, 0, args.pictures))
        for f in find(net, picture)[:KEPT]
    ]
    np.save(args.out, np.array(rows, np.float64))


if __name__ == "__main__":
    main()

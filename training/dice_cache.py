"""Drawn pictures kept on disk, so that training can go over them again: one JPEG and one truth table a seed.

python -m training.dice_cache FOLDER --pictures 6000 [--dodecas]
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from training.dice_data import COLUMNS, Array, draw
from training.shared_data import SCENES

QUALITY = 96
EMPTY_SIDE = 1000
FIRST_SEED = {False: 1_000_000, True: 2_000_000}
"""Seeds of the dice's and of the dodecas' pictures."""


def fill(folder: Path, dodecas: bool, pictures: int) -> None:
    """Draw the pictures that the folder still lacks."""
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(pictures):
        target = folder / f"{i:06d}.npy"
        if target.exists():
            continue
        picture, truth = draw(np.random.default_rng(FIRST_SEED[dodecas] + i), dodecas, photos=True)
        cv2.imwrite(str(target.with_suffix(".jpg")), picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        np.save(target, truth)


def stored(folder: Path, first: int = 0, last: int | None = None) -> Iterator[tuple[NDArray[np.uint8], Array]]:
    """Pictures (n, n, 3) with truth tables (pieces, 9) from ``first`` up to ``last``."""
    for path in sorted(folder.glob("*.npy"))[first:last]:
        picture = cv2.imread(str(path.with_suffix(".jpg")))
        assert picture is not None, path
        yield np.asarray(picture, np.uint8), np.load(path)


def without_dice() -> Iterator[tuple[NDArray[np.uint8], Array]]:
    """The path-traced boards and composed cards, with empty truth tables, at most EMPTY_SIDE pixels across."""
    for folder in ("crokinole", "crokinole_variants", "cards"):
        for path in sorted((SCENES / folder).glob("*.jpg")):
            picture = cv2.imread(str(path))
            assert picture is not None, path
            scale = min(1.0, EMPTY_SIDE / max(picture.shape[:2]))
            small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            yield np.asarray(small, np.uint8), np.zeros((0, len(COLUMNS)), np.float32)


def main() -> None:
    """Fill a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=int, default=6000)
    parser.add_argument("--dodecas", action="store_true")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    fill(args.folder, args.dodecas, args.pictures)


if __name__ == "__main__":
    main()

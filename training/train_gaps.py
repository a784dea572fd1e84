"""Train the gap network: first on drawings, then on path-traced scenes, judged by three folds over scenes.

    python -m training.train_gaps --cache FOLDER [--folds FOLDER] [--out vision/weights/contacts.onnx]

Needs torch and onnx (any recent version; a CPU is enough) and the scenes under ``$REFEREE_DATA`` (``../shared`` unless
set). Seeded: the same versions on the same machine give the same weights. Fold k leaves out every third scene,
beginning with the k-th; its network goes to ``--folds`` for ``benchmarks/gaps.py``, which uses it on just those scenes.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from training.drawn_boards import draw_scene
from training.gap_data import looks, read_scene, scene_files
from training.gap_net import GapNet, export, predict, train

FOLDS = 3
DRAWN_SCENES, DRAWN_LOOKS = 600, 5
SCENE_LOOKS = 12
BASE_SAMPLES, FOLD_SAMPLES, FINAL_SAMPLES = 130_000, 56_000, 80_000
"""Samples seen by the network trained on drawings, by each fold's, and by the one that is shipped."""

Data = tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.int64]]


def drawn_data() -> Data:
    """Patches and targets of drawn boards; their scene numbers are -1."""
    patches, targets = [], []
    for seed in range(DRAWN_SCENES):
        scene = draw_scene(seed)
        rng = np.random.default_rng([8, seed])
        for _ in range(DRAWN_LOOKS if scene.groups else 0):
            p, t = looks(scene, rng)
            patches.append(p)
            targets.append(t)
    x, y = np.concatenate(patches), np.concatenate(targets)
    return x, y, np.full(len(x), -1)


def scene_data() -> Data:
    """Patches, targets and scene numbers of the path-traced scenes."""
    patches, targets, numbers, number = [], [], [], 0
    for k, path in enumerate(scene_files()):
        scene = read_scene(path)
        if scene is None:
            continue
        rng = np.random.default_rng([7, k])
        for _ in range(SCENE_LOOKS):
            p, t = looks(scene, rng)
            patches.append(p)
            targets.append(t)
            numbers.append(np.full(len(p), number))
        number += 1
    return np.concatenate(patches), np.concatenate(targets), np.concatenate(numbers)


def cached(folder: Path, name: str) -> Data:
    """Data by name, made once and kept in ``folder``."""
    big, small = folder / f"{name}_patches.npy", folder / f"{name}_targets.npz"
    if not small.exists():
        folder.mkdir(parents=True, exist_ok=True)
        patches, targets, numbers = drawn_data() if name == "drawn" else scene_data()
        np.save(big, patches)
        np.savez(small, targets=targets, numbers=numbers)
    kept = np.load(small)
    return np.load(big, mmap_mode="r"), kept["targets"], kept["numbers"]


def mixed(drawn: Data, scenes: Data, held_out: int | None, seed: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """The scenes' samples, without those of a fold, and two thirds as many drawn ones."""
    keep = np.ones(len(scenes[1]), bool) if held_out is None else scenes[2] % FOLDS != held_out
    some = np.random.default_rng(seed).permutation(len(drawn[1]))[: int(keep.sum() * 2 / 3)]
    some.sort()
    x = np.concatenate([scenes[0][keep], drawn[0][some]])
    return x, np.concatenate([scenes[1][keep], drawn[1][some]])


def describe(net: GapNet, patches: NDArray[np.uint8], targets: NDArray[np.float32]) -> str:
    """Median and 95th percentile of the errors in mm of one pass, and the spread of error / sigma."""
    said = predict(net, patches)
    error = np.abs(said[:, :4] - targets)
    z = error / np.exp(said[:, 4:])
    figures = np.median(error, 0), np.percentile(error, 95, axis=0), 1.4826 * np.median(z, 0)
    return "; ".join(f"{n} {v.round(3)}" for n, v in zip(("median", "95 %", "spread"), figures, strict=True))


def main() -> None:
    """Make the data, train the base, the folds and the network that is shipped."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--folds", type=Path, default=Path("training/folds"))
    parser.add_argument("--out", type=Path, default=Path("vision/weights/contacts.onnx"))
    parser.add_argument("--parts", nargs="+", choices=["0", "1", "2", "final"], default=["0", "1", "2", "final"])
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    options.folds.mkdir(parents=True, exist_ok=True)
    drawn = cached(options.cache, "drawn")
    start = options.cache / "base.pt"
    if not start.exists():
        base = train(np.asarray(drawn[0]), drawn[1], BASE_SAMPLES, seed=1)
        torch.save(base.state_dict(), start)
    scenes = cached(options.cache, "scenes")
    for part in options.parts:
        fold = None if part == "final" else int(part)
        net = GapNet()
        net.load_state_dict(torch.load(start))
        x, y = mixed(drawn, scenes, fold, seed=2)
        count = FINAL_SAMPLES if fold is None else FOLD_SAMPLES
        net = train(x, y, count, seed=3, start=net, rate=1.5e-3)
        export(net, options.out if fold is None else options.folds / f"contacts_fold{fold}.onnx")
        if fold is not None:
            judged = np.nonzero(scenes[2] % FOLDS == fold)[0][::6]
            print(f"fold {fold}: {describe(net, scenes[0][judged], scenes[1][judged])}", flush=True)


if __name__ == "__main__":
    main()

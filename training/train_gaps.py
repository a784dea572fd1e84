"""Train the gap network: first on drawings, then on path-traced windows and scenes.

    python -m training.trace_boards --out WINDOWS --count 400
    python -m training.trace_discs --out WINDOWS --count 800
    python -m training.train_gaps --cache FOLDER --windows WINDOWS [--hold-out] [--out vision/weights/contacts.onnx]

Needs torch and onnx (any recent version; a CPU is enough) and the scenes under ``$REFEREE_DATA`` (``../shared`` unless
set). Seeded: the same versions on the same machine give the same weights. With ``--hold-out`` no scene is learnt from:
``benchmarks/gaps.py`` measures by such a network how well new pictures are read.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from training.drawn_boards import draw_scene
from training.gap_data import looks, read_scene, scene_files, window_files
from training.gap_net import OUTPUTS, GapNet, export, loss, predict, train

DRAWN_SCENES, DRAWN_LOOKS = 600, 5
SCENE_LOOKS, WINDOW_LOOKS = 12, 12
DRAWN_SHARE = 0.2
"""Drawn samples by the number of traced ones, once the base is trained."""
BASE_SAMPLES, SAMPLES = 130_000, 220_000
"""Samples seen by the network trained on drawings, and after that."""

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


def scene_data(files: list[Path], count: int) -> Data:
    """Patches, targets and scene numbers of path-traced scenes, each looked at ``count`` times."""
    patches, targets, numbers, number = [], [], [], 0
    for k, path in enumerate(files):
        scene = read_scene(path)
        if scene is None or not scene.groups:
            continue
        rng = np.random.default_rng([7, k])
        for _ in range(count):
            p, t = looks(scene, rng)
            patches.append(p)
            targets.append(t)
            numbers.append(np.full(len(p), number))
        number += 1
    return np.concatenate(patches), np.concatenate(targets), np.concatenate(numbers)


def cached(folder: Path, name: str, windows: Path) -> Data:
    """Data by name, made once and kept in ``folder``."""
    big, small = folder / f"{name}_patches.npy", folder / f"{name}_targets.npz"
    if not small.exists():
        folder.mkdir(parents=True, exist_ok=True)
        if name == "drawn":
            patches, targets, numbers = drawn_data()
        elif name == "scenes":
            patches, targets, numbers = scene_data(scene_files(), SCENE_LOOKS)
        else:
            patches, targets, numbers = scene_data(window_files(windows, "tw"), WINDOW_LOOKS)
        np.save(big, patches)
        np.savez(small, targets=targets, numbers=numbers)
    kept = np.load(small)
    return np.load(big, mmap_mode="r"), kept["targets"], kept["numbers"]


def mixed(drawn: Data, traced: list[Data], seed: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """All traced samples, and a share of drawn ones."""
    count = int(sum(len(d[1]) for d in traced) * DRAWN_SHARE)
    some = np.sort(np.random.default_rng(seed).permutation(len(drawn[1]))[:count])
    x = np.concatenate([*(d[0] for d in traced), drawn[0][some]])
    return x, np.concatenate([*(d[1] for d in traced), drawn[1][some]])


def describe(net: GapNet, patches: NDArray[np.uint8], targets: NDArray[np.float32]) -> str:
    """Median and 95th percentile of the errors in mm of one pass, and the spread of error / sigma."""
    said = predict(net, patches)
    error = np.abs(said[:, :OUTPUTS] - targets)
    z = error / np.exp(said[:, OUTPUTS:])
    likely = loss(torch.from_numpy(said), torch.from_numpy(targets))
    figures = np.median(error, 0), np.percentile(error, 95, axis=0), 1.4826 * np.median(z, 0)
    words = (f"{n} {v.round(3)}" for n, v in zip(("median", "95 %", "spread"), figures, strict=True))
    return f"loss {float(likely):.3f}; {'; '.join(words)}"


def main() -> None:
    """Make the data, train the base on drawings, then the network."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--windows", type=Path, required=True)
    parser.add_argument("--hold-out", action="store_true")
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--out", type=Path, default=Path("vision/weights/contacts.onnx"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    drawn = cached(options.cache, "drawn", options.windows)
    start = options.cache / "base.pt"
    if not start.exists():
        base = train(np.asarray(drawn[0]), drawn[1], BASE_SAMPLES, seed=1)
        torch.save(base.state_dict(), start)
    scenes, windows = (cached(options.cache, name, options.windows) for name in ("scenes", "windows"))
    net = GapNet()
    net.load_state_dict(torch.load(start))
    x, y = mixed(drawn, [windows] if options.hold_out else [windows, scenes], seed=2)
    judged = np.asarray(scenes[0][::6]), scenes[1][::6]
    net = train(x, y, options.samples, seed=3, start=net, rate=1.5e-3, report=lambda n: describe(n, *judged))
    export(net, options.out)
    print(f"on the scenes: {describe(net, *judged)}", flush=True)


if __name__ == "__main__":
    main()

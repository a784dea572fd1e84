"""Train the gap network: first on path-traced windows and drawings, then on the rendered scenes too.

    python -m training.trace_boards --out WINDOWS --count 400
    python -m training.trace_discs --out WINDOWS --count 700
    python -m training.train_gaps --cache FOLDER --windows WINDOWS [--fold 0|1] [--out vision/weights/contacts.onnx]

Needs torch and onnx (any recent version; a CPU is enough: an hour of one core) and the scenes under ``$REFEREE_DATA``
(``../shared`` unless set). Seeded: the same versions on the same machine give the same weights. With ``--fold`` only
every other scene is learnt from: ``benchmarks/gaps.py`` measures by two such networks, each on the scenes that it
doesn't know, how well new pictures are read.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from training.drawn_boards import draw_scene
from training.gap_data import looks, read_scene, scene_files, window_files
from training.gap_net import OUTPUTS, GapNet, export, loss, predict, taken, train
from training.shipped import EXAMPLES, go_on_with

DRAWN_SCENES, DRAWN_LOOKS = 600, 5
SCENE_LOOKS, WINDOW_LOOKS = 30, 12
DRAWN_MOST = 12_000
"""Drawn samples beside the traced ones: they only widen the look of things."""
SAMPLES, SCENE_SAMPLES = 3_000_000, 900_000
"""Samples seen in the first part and, at full count of scenes, in the second."""
RATE, SCENE_RATE = 2e-3, 1.2e-3
SCENE_SHARE = 0.4
"""Share of the second part's samples that scenes give: few, but of the very kind that is read."""
FOLDS = 2

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
    """Patches, targets and the files' own numbers of path-traced scenes, each looked at ``count`` times."""
    patches, targets, numbers = [], [], []
    for k, path in enumerate(files):
        scene = read_scene(path)
        if scene is None or not scene.groups:
            continue
        rng = np.random.default_rng([7, k])
        for _ in range(count):
            p, t = looks(scene, rng)
            patches.append(p)
            targets.append(t)
            numbers.append(np.full(len(p), number_of(path.stem)))
    return np.concatenate(patches), np.concatenate(targets), np.concatenate(numbers)


def number_of(name: str) -> int:
    """Number of a scene by its name: c012 is 12."""
    return int(name[1:])


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


def some(data: Data, count: int, seed: int) -> Data:
    """As many of the samples, by chance."""
    pick = np.sort(np.random.default_rng(seed).permutation(len(data[1]))[:count])
    return np.asarray(data[0][pick]), data[1][pick], data[2][pick]


def joined(parts: list[Data]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Patches and targets of all parts."""
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


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
    """Make the data, train on windows, then with the scenes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--windows", type=Path, required=True)
    parser.add_argument("--fold", type=int, choices=range(FOLDS))
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--start", type=Path, help="an exported network that goes on learning from the windows")
    parser.add_argument("--out", type=Path, default=Path("vision/weights/contacts.onnx"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    drawn, scenes, windows = (cached(options.cache, n, options.windows) for n in ("drawn", "scenes", "windows"))
    known = np.ones(len(scenes[1]), bool) if options.fold is None else scenes[2] % FOLDS == options.fold
    judged = tuple(v[~known if options.fold is not None else known][::24] for v in scenes[:2])
    net, first = GapNet(), options.cache / (f"{options.start.stem}.pt" if options.start else "windows.pt")
    if not first.exists():
        x, y = joined([windows, some(drawn, DRAWN_MOST, 1)])
        if options.start:
            pick = np.random.default_rng(1).choice(len(x), EXAMPLES)
            go_on_with(net, options.start, taken(x[pick]))
        net = train(x, y, options.samples, seed=1, start=net, rate=options.rate, report=lambda n: describe(n, *judged))
        torch.save(net.state_dict(), first)
    net.load_state_dict(torch.load(first))
    own = tuple(v[known] for v in scenes)
    beside = int(len(own[1]) * (1 - SCENE_SHARE) / SCENE_SHARE)
    share = beside / (len(windows[1]) + DRAWN_MOST)
    x, y = joined([own, some(windows, int(share * len(windows[1])), 2), some(drawn, int(share * DRAWN_MOST), 3)])
    samples = int(SCENE_SAMPLES * known.mean())
    net = train(x, y, samples, seed=3, start=net, rate=SCENE_RATE, report=lambda n: describe(n, *judged))
    export(net, options.out)
    print(f"on {'all' if options.fold is None else 'the other'} scenes: {describe(net, *judged)}", flush=True)


if __name__ == "__main__":
    main()

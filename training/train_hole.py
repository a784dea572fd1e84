"""Train the network that tells what lies in the hole.

    python -m training.trace_boards --out WINDOWS --count 400
    python -m training.train_hole --cache FOLDER --windows WINDOWS [--hold-out 1] [--out vision/weights/hole.onnx]

and, with many more holes, the one that tells whether a disc in it lies flat or leans:

    python -m training.trace_holes --out WINDOWS --count 280
    python -m training.train_hole --cache OTHER --windows WINDOWS --kinds thm --out vision/weights/lean.onnx

Each of the two that are shipped is the mean (``training.ensemble``) of one that learnt from three of four scenes and
one from none. Empty holes on photographs are told better by the first, which sees fewer but more varied boards.

Needs torch and onnx. Drawn patches (``training.hole_patches``), path-traced windows (``training.trace_boards``), and
patches cut from the path-traced scenes under ``$REFEREE_DATA`` (``../shared`` unless set); with ``--hold-out N`` every
N-th scene judges instead of teaching: with 1 all of them.
"""

import argparse
import json
from pathlib import Path

import cv2
import numpy as np
import torch
from torch.nn import functional

from training.gap_data import in_window, jittered_view, scene_files, true_view, window_files
from training.hole_patches import drawn_patches, spoilt
from training.patch_net import Data, PatchNet, batch_of, export
from training.teaching import descend
from vision.hole_net import HALF_RADII, PATCH_STATES, hole_patch
from vision.square_patch import network_input

DRAWN, PART = 12_000, 1000
LOOKS = 24
STEPS, BATCH, RATE = 6000, 128, 2e-3
SCENE_SHARE, WINDOW_SHARE = 0.25, 0.45
"""Of each batch; the rest is drawn."""
SMOOTHING = 0.01
"""What is taken from each answer's certainty: more would let no reading be surer than that."""
LEAST_LEAN_DEG = 14.0
"""Discs drawn with less lean in a hole lie as no real disc would."""
BESIDE = (0.7, 2.2)
"""A disc whose middle is so many radii from the hole's lies over its edge or beside it."""


def state_of(truth: dict) -> int | None:
    """Number in PATCH_STATES of what a scene's truth says of its hole; None where that can't be said."""
    radius = (truth["discs"][0] if truth["discs"] else truth["disc"])["diameter"] / 2
    nearest = None
    for disc in truth["discs"]:
        if disc["state"] in ("hole", "leaning"):
            if disc["state"] == "leaning" and disc["tilt_deg"] < LEAST_LEAN_DEG:
                return None
            return PATCH_STATES.index(disc["state"])
        if disc["state"] == "board":
            far = float(np.hypot(*disc["centre_mm"][:2])) / radius
            nearest = far if nearest is None else min(far, nearest)
    if nearest is not None and BESIDE[0] < nearest < BESIDE[1]:
        return PATCH_STATES.index("board")
    return PATCH_STATES.index("none")


def traced(files: list[Path], looks: int) -> Data:
    """Patches of path-traced pictures that show the hole, each looked at many times through slightly wrong views."""
    patches, tangents, classes, numbers = [], [], [], []
    for k, path in enumerate(files):
        truth = json.loads(path.read_text())
        if truth.get("nothing") or "lines" not in truth.get("board", {}):
            continue
        image = cv2.imread(str(path.with_suffix(".jpg")), cv2.IMREAD_COLOR)
        label = state_of(truth)
        view = true_view(truth)
        reach = 2**0.5 * HALF_RADII * view.board.disc_radius
        if image is None or label is None or not in_window(truth, view, np.zeros(2), reach):
            continue
        image = cv2.resize(image, (truth["width"], truth["height"])) if image.shape[1] != truth["width"] else image
        rng = np.random.default_rng([5, k])
        for _ in range(looks):
            radius = view.board.disc_radius * np.exp(rng.normal(0, 0.03))
            patch, tangent = hole_patch(np.asarray(image, np.uint8), jittered_view(view, rng), float(radius))
            patches.append(spoilt(rng, patch))
            tangents.append(tangent)
            classes.append(label)
            numbers.append(k)
    return np.stack(patches), np.array(tangents, np.float32), np.array(classes), np.array(numbers)


def windows(cache: Path, folder: Path, kinds: str) -> Data:
    """Patches of the path-traced windows, made once and kept."""
    file = cache / "hole_windows.npz"
    if not file.exists():
        a, b, c, d = traced(window_files(folder, kinds), LOOKS // 2)
        np.savez(file, a=a, b=b, c=c, d=d)
    kept = np.load(file)
    return kept["a"], kept["b"], kept["c"], kept["d"]


def drawn(cache: Path) -> Data:
    """Drawn patches, made once in parts and kept."""
    parts = []
    for seed in range(DRAWN // PART):
        file = cache / f"hole_{seed}.npz"
        if not file.exists():
            patches, tangents, classes = drawn_patches(seed, PART)
            np.savez(file, patches=patches, tangents=tangents, classes=classes)
        kept = np.load(file)
        parts.append((kept["patches"], kept["tangents"], kept["classes"], np.full(PART, -1)))
    a, b, c, d = (np.concatenate(v) for v in zip(*parts, strict=True))
    return a, b, c, d


def report(net: PatchNet, data: Data) -> str:
    """Share right by class, and log loss, on held-out samples."""
    net.eval()
    with torch.no_grad():
        x = torch.from_numpy(network_input(data[0], data[1]))
        p = torch.softmax(net(x), 1).numpy()
    right = p.argmax(1) == data[2]
    each = [f"{s} {right[data[2] == k].mean():.3f}" for k, s in enumerate(PATCH_STATES) if (data[2] == k).any()]
    loss = -np.log(p[np.arange(len(p)), data[2]] + 1e-9).mean()
    net.train()
    return f"right {right.mean():.3f} ({', '.join(each)}), log loss {loss:.3f}"


def main() -> None:
    """Train, judge, export."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--windows", type=Path, required=True)
    parser.add_argument("--kinds", default="th", help="kinds of windows (training.gap_data.window_files)")
    parser.add_argument("--hold-out", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--out", type=Path, default=Path("vision/weights/hole.onnx"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    cv2.setNumThreads(1)
    options.cache.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    scenes, made = traced(scene_files(), LOOKS), drawn(options.cache)
    rendered = windows(options.cache, options.windows, options.kinds)
    out = scenes[3] % options.hold_out == 0 if options.hold_out else np.zeros(len(scenes[3]), bool)
    held: Data = (scenes[0][out], scenes[1][out], scenes[2][out], scenes[3][out])
    mine = np.nonzero(~out)[0]
    groups = [[mine[scenes[2][mine] == k] for k in range(len(PATCH_STATES))]]
    groups += [[np.nonzero(rendered[2] == k)[0] for k in range(len(PATCH_STATES))]]
    shares = [SCENE_SHARE, WINDOW_SHARE] if len(mine) else [0.0, SCENE_SHARE + WINDOW_SHARE]
    net = PatchNet(len(PATCH_STATES))

    def loss() -> torch.Tensor:
        parts = []
        for data, by_class, share in zip((scenes, rendered), groups, shares, strict=True):
            count = int(BATCH * share) // len(PATCH_STATES)
            if count:
                pick = np.concatenate([rng.choice(group, count) for group in by_class if len(group)])
                parts.append(batch_of(data, pick, rng))
        rest = BATCH - sum(len(p[1]) for p in parts)
        parts.append(batch_of(made, rng.integers(0, len(made[2]), rest), rng))
        x, y = torch.cat([p[0] for p in parts]), torch.cat([p[1] for p in parts])
        return functional.cross_entropy(net(x), y, label_smoothing=SMOOTHING)

    descend(net, loss, options.steps, RATE, lambda: report(net, held) if options.hold_out else "")
    export(net, options.out)


if __name__ == "__main__":
    main()

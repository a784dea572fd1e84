"""Train the second disc network on patches around candidates of the first one.

    python -m training.train_disc_judge --first vision/weights/discs.onnx --minutes 15 --out judge.pt --onnx judge.onnx

As ``training.train_discs``: path-traced scenes (every n-th may be held out) and drawn ones, one process, one thread.
"""

import argparse
import pickle
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from training.averaged import descend_averaged
from training.disc_judge import DiscJudge, export_judge, judge_loss
from training.disc_patches import Places, patches
from training.disc_scenes import make_scene
from training.disc_world import Scene, Textures
from training.train_discs import traced
from vision import disc_net
from vision.disc_canonical import CanonicalFrame
from vision.networks import use_network

RATE, SCENES_A_BATCH = 2e-3, 8
LOW = 0.05
"""The first network's peaks above this are shown as false alarms."""


def alarms(scene: Scene) -> Places:
    """Places (N, 2) in the picture where something is taken for a disc by the first network, or might be."""
    frame = CanonicalFrame(0.0, 1.0, scene.foot, scene.height)
    found = disc_net.peaks(disc_net.run_network(scene.picture, frame), LOW)
    spots = getattr(scene, "spots", [])  # scenes drawn by older versions have none
    xy = np.array([*(c.xy for c in found), *spots]).reshape(-1, 2)
    true = np.array([p.xy for p in scene.pieces]).reshape(-1, 2)
    if len(true) and len(xy):
        xy = xy[np.linalg.norm(xy[:, None] - true[None], axis=2).min(axis=1) > 6]
    return xy


def arguments() -> argparse.Namespace:
    """Command line."""
    p = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    p.add_argument("--first", type=Path, required=True, help="the first network's ONNX file")
    p.add_argument("--minutes", type=float, default=20)
    p.add_argument("--hold-out", type=int, default=0)
    p.add_argument("--stock", type=int, default=700)
    p.add_argument("--share", type=float, default=0.5)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--rate", type=float, default=RATE)
    p.add_argument("--start", type=Path)
    p.add_argument("--drawn", type=Path, nargs="*", default=[])
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--onnx", type=Path)
    return p.parse_args()


def batch(rng: np.random.Generator, chosen: list[tuple[Scene, Places]]) -> tuple[torch.Tensor, ...]:
    """Patches, classes and aims of spoilt views of scenes."""
    x, classes, aims = [], [], []
    for scene, false in chosen:
        parts = patches(rng, scene, false)
        x.extend(parts[0])
        classes.extend(parts[1])
        aims.extend(parts[2])
    return torch.from_numpy(np.stack(x)), torch.tensor(classes), torch.tensor(aims)


def main() -> None:
    """Train, save, export."""
    a = arguments()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)
    first = cv2.dnn.readNetFromONNX(np.frombuffer(a.first.read_bytes(), np.uint8))
    use_network(first, "discs")
    scenes = [(s, alarms(s)) for i, (_, s) in enumerate(traced()) if not a.hold_out or i % a.hold_out]
    textures = Textures(rng)
    drawn = [s for path in a.drawn for s in pickle.loads(path.read_bytes())]
    while len(drawn) < a.stock:
        drawn.append(make_scene(rng, textures))
    stock = [(s, alarms(s)) for s in drawn[: a.stock]]
    print(f"{len(scenes)} traced, {len(stock)} drawn", flush=True)
    net = DiscJudge()
    if a.start:
        net.load_state_dict(torch.load(a.start))

    def loss(net: DiscJudge) -> tuple[torch.Tensor, tuple[float, float, float, int]]:
        sources = [scenes if rng.random() < a.share else stock for _ in range(SCENES_A_BATCH)]
        x, label, aims = batch(rng, [s[int(rng.integers(len(s)))] for s in sources])
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(x.contiguous(memory_format=torch.channels_last))
        entropy, measures = judge_loss(out, label, aims)
        new = make_scene(rng, textures)
        stock[int(rng.integers(len(stock)))] = (new, alarms(new))
        right = (out.flatten(1)[:, :5].argmax(1) == label).float().mean()
        return entropy + 0.3 * measures, (entropy.item(), measures.item(), right.item(), len(x))

    def tell(step: int, done: float, shown: NDArray[np.float64], mean: DiscJudge) -> None:
        e, m, r, n = shown
        print(f"{step} {done:.3f} entropy {e:.4f} measures {m:.4f} right {r:.4f} patches {n:.0f}", flush=True)
        torch.save(mean.state_dict(), a.out)

    mean = descend_averaged(net, loss, a.minutes, a.rate, 50, tell)
    torch.save(mean.state_dict(), a.out)
    if a.onnx:
        export_judge(mean.eval(), a.onnx)


if __name__ == "__main__":
    main()

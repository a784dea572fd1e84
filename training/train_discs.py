"""Train the disc network: drawn scenes from a seeded generator and the path-traced scenes.

    python -m training.train_discs --minutes 60 --hold-out 4 --out fold.pt      judge on every fourth scene
    python -m training.train_discs --minutes 60 --out all.pt --onnx vision/weights/discs.onnx

One process, one thread: new scenes are drawn between the steps until the stock is full, then replaced one by one.
"""

import argparse
import pickle
from itertools import count
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from training.averaged import descend_averaged
from training.disc_data import load_scene, sample
from training.disc_model import DiscNet, export, loss_of
from training.disc_scenes import make_scene
from training.disc_world import Scene, Textures
from training.shared_data import SCENES
from vision.disc_canonical import SIZE

WINDOW, BATCH = 256, 16
RATE = 2e-3
REDRAW = 4
"""Steps after which one drawn scene is replaced by a new one."""


def traced() -> list[tuple[str, Scene]]:
    """All path-traced scenes that show a board, by name."""
    found = []
    for folder in ("crokinole", "crokinole_variants"):
        for path in sorted((SCENES / folder).glob("?[0-9][0-9][0-9].json")):
            scene = load_scene(path)
            if scene is not None:
                found.append((path.stem, scene))
    return found


def arguments() -> argparse.Namespace:
    """Command line."""
    p = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    p.add_argument("--minutes", type=float, default=60)
    p.add_argument("--hold-out", type=int, default=0, help="keep every n-th path-traced scene back")
    p.add_argument("--stock", type=int, default=1000, help="drawn scenes kept at a time")
    p.add_argument("--share", type=float, default=0.5, help="share of path-traced scenes in a batch")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--rate", type=float, default=RATE)
    p.add_argument("--start", type=Path, help="weights to go on from")
    p.add_argument("--drawn", type=Path, nargs="*", default=[], help="pickled lists of drawn scenes to begin with")
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--onnx", type=Path)
    return p.parse_args()


def main() -> None:
    """Train, save, export."""
    a = arguments()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)
    scenes = [s for i, (_, s) in enumerate(traced()) if not a.hold_out or i % a.hold_out]
    stock: list[Scene] = [s for path in a.drawn for s in pickle.loads(path.read_bytes())]
    textures = Textures(rng)
    while len(stock) < a.stock:
        stock.append(make_scene(rng, textures))
    net = DiscNet()
    if a.start:
        net.load_state_dict(torch.load(a.start))
    turns = count()

    def loss(net: DiscNet) -> tuple[torch.Tensor, tuple[float, float]]:
        batch = []
        for _ in range(BATCH):
            source = scenes if rng.random() < a.share else stock
            batch.append(sample(rng, source[int(rng.integers(len(source)))], WINDOW))
        x, heat, aims = (torch.from_numpy(np.stack(v)) for v in zip(*batch, strict=True))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(x.contiguous(memory_format=torch.channels_last))
        focal, off = loss_of(out, heat, aims)
        if next(turns) % REDRAW == 0:
            stock[int(rng.integers(len(stock)))] = make_scene(rng, textures)
        return focal + off, (focal.item(), off.item())

    def tell(step: int, done: float, shown: NDArray[np.float64], mean: DiscNet) -> None:
        print(f"{step} {done:.3f} heat {shown[0]:.4f} aims {shown[1]:.4f}", flush=True)
        torch.save(mean.state_dict(), a.out)

    mean = descend_averaged(net, loss, a.minutes, a.rate, 100, tell)
    torch.save(mean.state_dict(), a.out)
    if a.onnx:
        export(mean.eval(), a.onnx, SIZE)


if __name__ == "__main__":
    main()

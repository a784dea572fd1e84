"""Train the network that sees what covers a board: drawn covers over drawn boards and path-traced ones.

    python -m training.train_cover --minutes 40 --hold-out 4 --out cover.pt --onnx vision/weights/cover.onnx

Every fourth path-traced board is kept back and judged at the end, bare and covered. One process, one thread.
"""

import argparse
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from training.averaged import descend_averaged
from training.covers import draw_covers
from training.disc_data import spoil
from training.disc_model import UNet, export
from training.disc_scenes import make_scene
from training.disc_world import Scene, Textures
from training.train_discs import traced
from vision.cover_net import CELLS, SIDE, away_channel, network_input
from vision.disc_canonical import PX_PER_MM, SHOOTING, SIZE

INPUTS, WIDTHS = 4, (12, 24, 40, 64)
BATCH, RATE = 16, 2e-3
REDRAW, KEPT = 4, 500
"""Steps after which one drawn board is replaced by a new one, and after which the network is judged and kept."""
TRACED_SHARE = 0.6
"""Share of path-traced boards in a batch."""
JUDGED = 1.03
"""Only what lies within so many radii of the shooting line is taught and judged: no disc counts beyond."""
DARK = 0.2
"""Share of pictures taken in little light."""
SMALLEST = 0.74
"""Boards with large discs are looked at smaller, down to this."""


@dataclass(frozen=True)
class Bare:
    """One board: picture (SIDE, SIDE, 3) uint8 BGR, and what is hidden in it already (SIDE, SIDE) float32 in 0..1."""

    picture: NDArray[np.uint8]
    hidden: NDArray[np.float32]


def bare(scene: Scene) -> Bare:
    """A scene at the network's size; where the picture ends counts as hidden."""
    small = np.asarray(cv2.resize(scene.picture, (SIDE, SIDE), interpolation=cv2.INTER_AREA), np.uint8)
    ends = cv2.erode(np.asarray(scene.picture.max(axis=2) == 0, np.uint8) * 255, np.ones((5, 5), np.uint8))
    hidden = ends if scene.hidden is None else np.maximum(ends, scene.hidden)
    return Bare(small, np.asarray(cv2.resize(hidden, (SIDE, SIDE), interpolation=cv2.INTER_AREA), np.float32) / 255)


def sample(
    rng: np.random.Generator, board: Bare, stock: Textures
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Network input (4, SIDE, SIDE), share of each cell that is covered (CELLS, CELLS), and its weight."""
    scale = float(np.exp(rng.normal(0, 0.015))) * (rng.uniform(SMALLEST, 1) if rng.random() < 0.25 else 1)
    middle = (SIDE - 1) / 2
    m = cv2.getRotationMatrix2D((middle, middle), rng.uniform(0, 360), scale)
    m[:, 2] += rng.normal(0, 0.6, 2)
    if rng.random() < 0.5:
        m = m @ np.array([[-1, 0, SIDE - 1], [0, 1, 0], [0, 0, 1.0]])
    edge = cv2.BORDER_REFLECT if rng.random() < 0.5 else cv2.BORDER_CONSTANT
    picture = np.asarray(cv2.warpAffine(board.picture, m, (SIDE, SIDE), borderMode=edge), np.float32)
    hidden = cv2.warpAffine(board.hidden, m, (SIDE, SIDE))
    fresh = draw_covers(rng, stock, picture, scale * SIDE / SIZE * PX_PER_MM)
    covered = cv2.resize(np.maximum(hidden, fresh), (CELLS, CELLS), interpolation=cv2.INTER_AREA)
    spoilt = spoil(rng, np.asarray(np.clip(picture, 0, 255), np.uint8))
    if rng.random() < DARK:
        light = rng.uniform(0.1, 0.6)
        grain = rng.normal(0, rng.uniform(0, 4), spoilt.shape)
        spoilt = np.asarray(np.clip(spoilt * light + grain, 0, 255), np.uint8)
    shooting = scale * SHOOTING * PX_PER_MM * SIDE / SIZE
    away = cv2.resize(away_channel(shooting), (CELLS, CELLS), interpolation=cv2.INTER_AREA) + 1
    return network_input(spoilt, shooting), np.asarray(covered, np.float32), np.asarray(away < JUDGED, np.float32)


def batch_of(
    rng: np.random.Generator, boards: list[Bare], drawn: list[Bare], stock: Textures, share: float = TRACED_SHARE
) -> list[torch.Tensor]:
    """Inputs, covered shares and weights of BATCH samples."""
    picked = [boards if rng.random() < share else drawn for _ in range(BATCH)]
    samples = [sample(rng, some[int(rng.integers(len(some)))], stock) for some in picked]
    return [torch.from_numpy(np.stack(v)) for v in zip(*samples, strict=True)]


def loss_of(net: UNet, batch: list[torch.Tensor]) -> torch.Tensor:
    """Mean cross-entropy over the cells that count."""
    x, covered, weight = batch
    with torch.autocast("cpu", dtype=torch.bfloat16):
        said = net(x.contiguous(memory_format=torch.channels_last))
    each = functional.binary_cross_entropy_with_logits(said.float()[:, 0], covered, reduction="none")
    return (each * weight).sum() / weight.sum()


def judge(net: UNet, boards: list[Bare], drawn: list[Bare], stock: Textures, share: float) -> str:
    """How well covers are seen on boards that weren't taught: of all their cells, and of all bare ones."""
    rng = np.random.default_rng(99)
    net.eval()
    missed = false = covered = free = 0.0
    with torch.no_grad():
        for _ in range(12):
            x, there, weight = batch_of(rng, boards, drawn, stock, share)
            seen = torch.sigmoid(net(x)[:, 0]) > 0.5
            sure = weight > 0
            hid, clear = (there > 0.9) & sure, (there < 0.05) & sure
            missed, covered = missed + float((hid & ~seen).sum()), covered + float(hid.sum())
            false, free = false + float((clear & seen).sum()), free + float(clear.sum())
    net.train()
    return f"missed {missed / max(covered, 1):.4f} of covered cells, false {false / max(free, 1):.5f} of bare ones"


def arguments() -> argparse.Namespace:
    """Command line."""
    p = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    p.add_argument("--minutes", type=float, default=40)
    p.add_argument("--hold-out", type=int, default=4, help="keep every n-th path-traced scene back")
    p.add_argument("--stock", type=int, default=500, help="drawn scenes kept at a time")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--start", type=Path, help="weights to go on from")
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--onnx", type=Path)
    return p.parse_args()


def main() -> None:
    """Train, judge, save, export."""
    a = arguments()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)
    scenes = [bare(s) for _, s in traced()]
    kept = [s for i, s in enumerate(scenes) if i % a.hold_out == 0]
    taught = [s for i, s in enumerate(scenes) if i % a.hold_out]
    stock = Textures(rng)
    drawn = [bare(make_scene(rng, stock)) for _ in range(a.stock)]
    net = UNet(INPUTS, 1, WIDTHS)
    if a.start:
        net.load_state_dict(torch.load(a.start))
    turns = count()

    def loss(net: UNet) -> tuple[torch.Tensor, tuple[float]]:
        found = loss_of(net, batch_of(rng, taught, drawn, stock))
        if next(turns) % REDRAW == 0:
            drawn[int(rng.integers(len(drawn)))] = bare(make_scene(rng, stock))
        return found, (found.item(),)

    def keep(mean: UNet) -> None:
        print("unseen traced:", judge(mean, kept, drawn, stock, 1.0), flush=True)
        torch.save(mean.state_dict(), a.out)
        if a.onnx:
            export(mean.eval(), a.onnx, SIDE, "cover")

    def tell(step: int, done: float, shown: NDArray[np.float64], mean: UNet) -> None:
        print(f"{step} {done:.3f} loss {shown[0]:.4f}", flush=True)
        if step % KEPT == 0:
            keep(mean)

    keep(descend_averaged(net, loss, a.minutes, RATE, 100, tell))


if __name__ == "__main__":
    main()

"""Train the networks that find and read dice and dodecas, on drawn pictures and the path-traced scenes.

    python -m training.dice_cache drawn/dice --pictures 12000
    python -m training.train_dice find dice --drawn drawn/dice --out find.pt --onnx vision/weights/dice_find.onnx
    python -m training.train_dice read dice --drawn drawn/dice --out read.pt --onnx vision/weights/dice_read.onnx

``--hold-out 2`` keeps every second path-traced scene back, to judge by; one process, one thread.
"""

import argparse
import copy
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn

from training.dice_cache import stored, without_dice
from training.dice_data import scenes
from training.dice_model import Finder, Reader, adopt, export_finder, export_reader, find_loss, read_loss
from training.dice_samples import AIMS, DICE_GROUPS, DODECA_GROUPS, Sample, find_sample, read_sample
from training.shared_data import SCENES
from vision.dice_nets import blob

FIND_BATCH, READ_BATCH = 12, 48
RATE, DECAY = 3e-3, 1e-4
WARM = 0.06
"""Share of the steps in which the rate rises; then it falls as a cosine."""
AVERAGING = 0.998
MOVED = 0.04
"""Standard deviation, in edges, by which a find is moved and resized."""
REFILL = 400
"""Steps after which pictures that were drawn meanwhile join in."""
EMPTY = 0.1
"""Share of path-traced boards and composed cards, where no dice lie."""
MINED = 0.35
"""Share of the reader's crops that are a finder's finds, its mistakes among them, where they are known."""


def arguments() -> argparse.Namespace:
    """Command line."""
    p = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    p.add_argument("part", choices=["find", "read"])
    p.add_argument("kind", choices=["dice", "dodecas"])
    p.add_argument("--drawn", type=Path, required=True)
    p.add_argument("--steps", type=int, default=5000)
    p.add_argument("--hold-out", type=int, default=0, help="keep every n-th path-traced scene back")
    p.add_argument("--traced", type=Path, action="append", default=[], help="folders of training.trace_dice")
    p.add_argument("--share", type=float, default=0.15, help="share of the path-traced scenes that are held in common")
    p.add_argument("--own", type=float, default=0.0, help="share of those in the folders --traced")
    p.add_argument(
        "--mistakes", type=Path, help="places (picture, x, y, edge) in the drawn pictures that a finder took"
    )
    p.add_argument("--rate", type=float, default=RATE)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--start", type=Path, help="weights to go on from, .pt or .onnx")
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--onnx", type=Path)
    return p.parse_args()


class Feed:
    """Draws training batches from drawn pictures and path-traced scenes."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.rng = np.random.default_rng(args.seed)
        self.dodecas = args.kind == "dodecas"
        self.drawn: list[Sample] = []
        self.own: dict[Path, list[Sample]] = {folder: [] for folder in args.traced}
        self.refill()
        every = list(scenes(SCENES / args.kind, self.dodecas))
        self.traced = [s for i, s in enumerate(every) if not args.hold_out or i % args.hold_out]
        if args.part == "find":
            self.traced = [halved(s) for s in self.traced]
        self.empty = list(without_dice())
        self.mistakes = np.load(args.mistakes) if args.mistakes else np.zeros((0, 4))

    def refill(self) -> None:
        """Take in the pictures that were drawn and traced since."""
        self.drawn += list(stored(self.args.drawn, len(self.drawn)))
        for folder, known in self.own.items():
            known += list(scenes(folder, self.dodecas, len(known)))
        self.alike = [s for known in self.own.values() for s in known]

    def one(self) -> Sample:
        """Any picture."""
        if self.empty and self.rng.random() < EMPTY:
            return self.empty[int(self.rng.integers(len(self.empty)))]
        for some, share in ((self.traced, self.args.share), (self.alike, self.args.own)):
            if some and self.rng.random() < share:
                return some[int(self.rng.integers(len(some)))]
        return self.drawn[int(self.rng.integers(len(self.drawn)))]

    def find_batch(self) -> list[torch.Tensor]:
        """Windows, heat, aims."""
        got = [find_sample(self.rng, self.one(), self.dodecas) for _ in range(FIND_BATCH)]
        return [
            torch.from_numpy(v)
            for v in (blob(np.stack([g[0] for g in got])), *(np.stack([g[k] for g in got]) for k in (1, 2)))
        ]

    def read_batch(self) -> list[torch.Tensor]:
        """Crops, labels, aims."""
        got = []
        while len(got) < READ_BATCH:
            sample, at = self.one(), None
            if len(self.mistakes) and self.rng.random() < MINED:
                i, x, y, edge = self.mistakes[int(self.rng.integers(len(self.mistakes)))]
                sample = self.drawn[int(i)] if i >= 0 else self.empty[-1 - int(i)]
                x, y, edge = (v + self.rng.normal(0, MOVED) * edge for v in (x, y, edge))
                at = float(x), float(y), float(edge)
            new = read_sample(self.rng, sample, at, self.dodecas)
            if new is not None:
                got.append(new)
        labels = torch.tensor([g[1] for g in got])
        return [torch.from_numpy(blob(np.stack([g[0] for g in got]))), labels, torch.tensor([g[2] for g in got])]


def halved(sample: Sample) -> Sample:
    """A picture of half the size, where its dice are still larger than the finder's, with its truth."""
    picture, truth = sample
    small = cv2.resize(picture, (picture.shape[1] // 2, picture.shape[0] // 2), interpolation=cv2.INTER_AREA)
    less = truth.copy()
    less[:, :2] = (truth[:, :2] + 0.5) / 2 - 0.5
    less[:, 2] /= 2
    return np.asarray(small, np.uint8), less


def main() -> None:
    """Train one network."""
    args = arguments()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(args.seed)
    feed = Feed(args)
    groups = DODECA_GROUPS if feed.dodecas else DICE_GROUPS
    net: nn.Module = Finder() if args.part == "find" else Reader(args.kind, sum(groups) + AIMS)
    if args.start and args.start.suffix == ".onnx":
        adopt(net, args.start, (feed.find_batch() if args.part == "find" else feed.read_batch())[0])
    elif args.start:
        net.load_state_dict(torch.load(args.start))
    net = net.to(memory_format=torch.channels_last)
    mean = copy.deepcopy(net)
    best = torch.optim.AdamW(net.parameters(), args.rate, weight_decay=DECAY)
    plan = torch.optim.lr_scheduler.OneCycleLR(best, args.rate, total_steps=args.steps, pct_start=WARM)
    start, running = time.perf_counter(), 0.0
    for step in range(args.steps):
        if args.part == "find":
            x, heat, aims = feed.find_batch()
            loss = find_loss(run(net, x), heat, aims)
        else:
            x, labels, aims = feed.read_batch()
            loss = read_loss(run(net, x), groups, labels, aims)
        best.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        best.step()
        plan.step()
        keep = min(AVERAGING, (step + 1) / (step + 10))
        with torch.no_grad():
            for a, b in zip(mean.state_dict().values(), net.state_dict().values(), strict=True):
                if a.dtype.is_floating_point:
                    a.lerp_(b, 1 - keep)
                else:
                    a.copy_(b)
        running += loss.item()
        if step % 100 == 99:
            stock = f"{len(feed.drawn)} + {len(feed.alike)}"
            print(
                f"{step + 1} loss {running / 100:.4f} stock {stock} {time.perf_counter() - start:.0f} s",
                flush=True,
            )
            running = 0.0
        if step % REFILL == REFILL - 1:
            feed.refill()
            save(mean, args)
    save(mean, args)


def run(net: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """Apply the network in half precision, which is twice as fast."""
    with torch.autocast("cpu", torch.bfloat16):
        out: torch.Tensor = net(x.contiguous(memory_format=torch.channels_last))
    return out.float()


def save(net: nn.Module, args: argparse.Namespace) -> None:
    """Write the weights, and the ONNX where asked for."""
    torch.save(net.state_dict(), args.out)
    if args.onnx is None:
        return
    if isinstance(net, Finder):
        export_finder(net, args.onnx)
    elif isinstance(net, Reader):
        export_reader(net, args.onnx)


if __name__ == "__main__":
    main()

"""Train the network that tells whether a disc's rim runs around a place.

    python -m training.trace_boards --out WINDOWS --count 400
    python -m training.train_rim --cache FOLDER --windows WINDOWS [--hold-out 1] [--out vision/weights/rim.onnx]

Needs torch and onnx. Patches as the gap network's (``training.gap_data``) of the places of ``training.disc_cases``.
With ``--hold-out N`` every N-th scene is left out: with 1 all of them.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from training.disc_cases import Case, cases_of
from training.gap_net import NARROW, OUTPUTS, WRAP, augmented, taken
from training.shipped import EXAMPLES, go_on_with
from training.teaching import counts_of, descend, disc_loss, told_apart
from vision.contact_patch import ANGLES, CHANNELS, STEPS, Cylinders, prepare
from vision.disc_rim import on_edges
from vision.networks import AT_ONCE

SAMPLES, BATCH_SIZE, RATE = 400_000, 128, 2e-3
SHARES = {"traced": 0.3, "windows": 0.35, "drawn": 0.23, "foreign": 0.12}
"""Of each batch."""
Data = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]


class RimNet(nn.Module):
    """(N, CHANNELS, ANGLES + 2 WRAP, STEPS) in 0..1 to (N, 1) log odds of a disc."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for c, d, stride in ((CHANNELS, 24, (2, 2)), (24, 32, (2, 2)), (32, 48, (1, 1)), (48, NARROW, (1, 1))):
            k = 1 if d == NARROW else 3
            layers += [nn.Conv2d(c, d, k, stride, k // 2, bias=False), nn.BatchNorm2d(d), nn.ReLU()]
        self.features = nn.Sequential(*layers, nn.Dropout(0.15))
        self.dense = nn.Linear(NARROW * ((ANGLES + 2 * WRAP) // 4) * (STEPS // 4), 64)
        self.out = nn.Linear(64, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Run the network."""
        return self.out(functional.relu(self.dense(self.features(x).flatten(1))))


def unrolled(case: Case) -> NDArray[np.uint8]:
    """Patches of a case's places, each moved onto what edges there are."""
    small, factor = prepare(case.image, case.view, case.places)
    n = len(case.places)
    solids = Cylinders(case.places, np.full(n, case.radius), np.full(n, case.height))
    return on_edges(small, factor, case.view, solids)[0]


def cached(folder: Path, name: str, windows: Path) -> Data:
    """Data by name, made once and kept."""
    file = folder / f"rim_{name}.npz"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        cases = list(cases_of(name, windows))
        patches = np.concatenate([unrolled(c) for c in cases])
        kinds = np.concatenate([c.kinds for c in cases])
        numbers = np.repeat([c.scene for c in cases], [len(c.kinds) for c in cases])
        np.savez(file, patches=patches, kinds=kinds, numbers=numbers)
    kept = np.load(file)
    return kept["patches"], kept["kinds"], kept["numbers"]


def report(net: RimNet, data: Data, pick: NDArray[np.int64]) -> str:
    """How well held-out samples are told apart."""
    net.eval()
    p = []
    with torch.no_grad():
        for i in range(0, len(pick), 256):
            p.append(torch.sigmoid(net(taken(data[0][pick[i : i + 256]]))).numpy()[:, 0])
    net.train()
    return told_apart(np.concatenate(p), data[1][pick])


def export(net: RimNet, path: Path) -> None:
    """Write the network as ONNX, for AT_ONCE patches at a time."""
    net.eval()
    example = torch.zeros(AT_ONCE, CHANNELS, ANGLES + 2 * WRAP, STEPS)
    torch.onnx.export(
        net, (example,), str(path), input_names=["patches"], output_names=["odds"], opset_version=13, dynamo=False
    )


def main() -> None:
    """Train, judge, export."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--windows", type=Path, required=True)
    parser.add_argument("--hold-out", type=int, default=0)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--start", type=Path, help="an exported network to go on with")
    parser.add_argument("--member", type=int, default=0, help="which one of it, where it is a mean of several")
    parser.add_argument("--out", type=Path, default=Path("vision/weights/rim.onnx"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(0)
    rng, noise = np.random.default_rng(0), torch.Generator().manual_seed(0)
    data = {name: cached(options.cache, name, options.windows) for name in SHARES}
    numbers = data["traced"][2]
    out = numbers % options.hold_out == 0 if options.hold_out else np.zeros(len(numbers), bool)
    held = np.nonzero(out)[0]
    pools = {name: np.arange(len(d[1])) for name, d in data.items()} | {"traced": np.nonzero(~out)[0]}
    counts = counts_of(SHARES, pools, BATCH_SIZE)
    net = RimNet()
    if options.start:
        some = np.concatenate([d[0][rng.choice(len(d[1]), EXAMPLES)] for d in data.values()])
        go_on_with(net, options.start, taken(some), options.member)
    net = net.to(memory_format=torch.channels_last)

    def loss() -> torch.Tensor:
        picks = [(data[n], rng.choice(pools[n], count)) for n, count in counts.items()]
        x = torch.from_numpy(np.concatenate([d[0][pick] for d, pick in picks]))
        y = torch.from_numpy(np.concatenate([d[1][pick] for d, pick in picks])).float()
        return disc_loss(net, augmented(x, torch.zeros(len(x), OUTPUTS), noise)[0], y)

    def words() -> str:
        return report(net, data["traced"], held[::5]) if len(held) else ""

    descend(net, loss, options.samples // BATCH_SIZE, options.rate, words)
    export(net, options.out)


if __name__ == "__main__":
    main()

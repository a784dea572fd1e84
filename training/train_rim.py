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
from training.gap_net import NARROW, WRAP, augmented
from vision.contact_patch import ANGLES, CHANNELS, STEPS, Cylinders, prepare
from vision.disc_rim import BATCH, on_edges

SAMPLES, BATCH_SIZE, RATE = 400_000, 128, 2e-3
SHARES = {"traced": 0.3, "windows": 0.35, "drawn": 0.23, "foreign": 0.12}
"""Of each batch."""
SMOOTHING = 0.004
"""What is taken from each answer's certainty: more would let no reading be surer than that."""
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
            x = torch.from_numpy(data[0][pick[i : i + 256]]).float() / 255
            p.append(torch.sigmoid(net(torch.cat([x[:, :, -WRAP:], x, x[:, :, :WRAP]], dim=2))).numpy()[:, 0])
    net.train()
    q, y = np.concatenate(p), data[1][pick]
    loss = -np.log(np.where(y == 1, q, 1 - q) + 1e-9).mean()
    missed, false = (q[y == 1] < 0.5).mean(), (q[y == 0] > 0.5).mean()
    return f"held out: discs missed {missed:.4f}, false {false:.4f}, log loss {loss:.4f}"


def export(net: RimNet, path: Path) -> None:
    """Write the network as ONNX, for BATCH patches at a time."""
    net.eval()
    example = torch.zeros(BATCH, CHANNELS, ANGLES + 2 * WRAP, STEPS)
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
    shares = {n: s / sum(v for m, v in SHARES.items() if len(pools[m])) for n, s in SHARES.items() if len(pools[n])}
    net = RimNet().to(memory_format=torch.channels_last)
    steps = options.samples // BATCH_SIZE
    tune = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=2e-3)
    plan = torch.optim.lr_scheduler.OneCycleLR(tune, RATE, total_steps=steps, pct_start=0.1)
    total = 0.0
    for step in range(steps):
        picks = [(data[n], rng.choice(pools[n], round(BATCH_SIZE * share))) for n, share in shares.items()]
        x = torch.from_numpy(np.concatenate([d[0][pick] for d, pick in picks]))
        y = torch.from_numpy(np.concatenate([d[1][pick] for d, pick in picks])).float()
        x, _ = augmented(x, torch.zeros(len(x), 4), noise)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            said = net(x.to(memory_format=torch.channels_last))
        loss = functional.binary_cross_entropy_with_logits(said.float()[:, 0], y * (1 - 2 * SMOOTHING) + SMOOTHING)
        tune.zero_grad()
        loss.backward()
        tune.step()
        plan.step()
        total += float(loss.detach())
        if step % 200 == 199:
            words = report(net, data["traced"], held[::5]) if len(held) else ""
            print(f"{step + 1}/{steps} loss {total / 200:.4f} {words}", flush=True)
            total = 0.0
    export(net, options.out)


if __name__ == "__main__":
    main()

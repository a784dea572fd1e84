"""Train the network that tells whether a place, seen as a whole, shows a disc.

    python -m training.trace_boards --out WINDOWS --count 400
    python -m training.train_whole --cache FOLDER --windows WINDOWS [--hold-out 1] [--out vision/weights/whole.onnx]

Needs torch and onnx. Drawn patches (``training.whole_patches``) and patches of the places of ``training.disc_cases``.
With ``--hold-out N`` every N-th scene judges instead of teaching: with 1 all of them.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from training.disc_cases import Case, cases_of
from training.hole_patches import spoilt
from training.patch_net import Data, PatchNet, batch_of, export
from training.shipped import EXAMPLES, go_on_with
from training.teaching import counts_of, descend, disc_loss, told_apart
from training.whole_patches import cornered, drawn_places
from vision.contact_patch import prepare
from vision.disc_whole import whole_patches
from vision.networks import AT_ONCE
from vision.square_patch import network_input

DRAWN, PART = 30_000, 1000
SHARES = {"traced": 0.28, "windows": 0.27, "drawn": 0.38, "foreign": 0.07}
"""Of each batch."""
WIDTHS, DENSE = (24, 40, 56, 64, 80), 64
SAMPLES, BATCH_SIZE, RATE = 1_000_000, 128, 2e-3


def patches_of(case: Case, rng: np.random.Generator) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Patches (N, PATCH, PATCH, 3) and tangents (N,) of a case's places, as worse cameras would show them."""
    small, factor = prepare(case.image, case.view, case.places)
    patches, tangents = whole_patches(small, factor, case.view, case.places, case.radius, case.height)
    return np.stack([cornered(spoilt(rng, p)) for p in patches]), tangents


def cached(folder: Path, name: str, windows: Path) -> Data:
    """A source's data by its name, made once in parts and kept."""
    parts: list[Data] = []
    for k in range(DRAWN // PART if name == "drawn" else 1):
        file = folder / f"whole_{name}_{k}.npz"
        if not file.exists():
            folder.mkdir(parents=True, exist_ok=True)
            if name == "drawn":
                a, b, c = drawn_places(k, PART)
                d = np.full(PART, -1)
            else:
                rng = np.random.default_rng(len(name))
                each = [(*patches_of(case, rng), case) for case in cases_of(name, windows) if len(case.places)]
                a, b = np.concatenate([e[0] for e in each]), np.concatenate([e[1] for e in each])
                c = np.concatenate([e[2].kinds for e in each])
                d = np.repeat([e[2].scene for e in each], [len(e[2].kinds) for e in each])
            np.savez(file, a=a, b=b, c=c, d=d)
        kept = np.load(file)
        parts.append((kept["a"], kept["b"], kept["c"], kept["d"]))
    a, b, c, d = (np.concatenate(v) for v in zip(*parts, strict=True))
    return a, b, c, d


def report(net: PatchNet, data: Data, pick: NDArray[np.int64]) -> str:
    """How well held-out samples are told apart."""
    net.eval()
    with torch.no_grad():
        parts = [torch.from_numpy(network_input(data[0][p], data[1][p])) for p in np.array_split(pick, 40) if len(p)]
        q = np.concatenate([torch.sigmoid(net(x)).numpy()[:, 0] for x in parts])
    net.train()
    return told_apart(q, data[2][pick])


def main() -> None:
    """Train, judge, export."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--windows", type=Path, required=True)
    parser.add_argument("--hold-out", type=int, default=0)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=Path, help="an exported network to go on with")
    parser.add_argument("--out", type=Path, default=Path("vision/weights/whole.onnx"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    data = {name: cached(options.cache, name, options.windows) for name in SHARES}
    numbers = data["traced"][3]
    out = numbers % options.hold_out == 0 if options.hold_out else np.zeros(len(numbers), bool)
    held = np.nonzero(out)[0][::5]
    pools = {name: np.arange(len(d[2])) for name, d in data.items()} | {"traced": np.nonzero(~out)[0]}
    counts = counts_of(SHARES, pools, BATCH_SIZE)
    net = PatchNet(1, WIDTHS, DENSE)
    if options.start:
        some = [batch_of(d, rng.choice(len(d[2]), EXAMPLES), rng)[0] for d in data.values()]
        go_on_with(net, options.start, torch.cat(some))
    net = net.to(memory_format=torch.channels_last)

    def loss() -> torch.Tensor:
        parts = [batch_of(data[n], rng.choice(pools[n], count), rng) for n, count in counts.items()]
        return disc_loss(net, torch.cat([p[0] for p in parts]), torch.cat([p[1] for p in parts]).float())

    def words() -> str:
        return report(net, data["traced"], held) if len(held) else ""

    descend(net, loss, options.samples // BATCH_SIZE, options.rate, words)
    export(net, options.out, AT_ONCE)


if __name__ == "__main__":
    main()

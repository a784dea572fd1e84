"""Train the network that reads where a board's painted lines begin and end from mean profiles across them.

    python -m training.train_lines [--out vision/weights/lines.onnx]
    python -m training.train_lines --fold 0 --out training/held_out/lines_0.onnx   # taught by every other scene, and 1

Needs torch, onnx and the scenes (REFEREE_DATA); some ten minutes on one core. Most boards are drawn by chance, seeded,
the others are cut from rendered scenes (``training.line_profiles``).
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from training.gap_data import scene_files
from training.line_profiles import Taught, cut, draw
from vision.line_net import GROUPS, LINES, LOG_SIGMA, MIDDLE_UNIT_MM, PROFILES

DRAWN, AT_ONCE = 60_000, 1000
"""Boards drawn before training, and how many at once."""
STEPS, BATCH, RATE, DECAY = 6000, 512, 2e-3, 1e-4
CUT_SHARE, LOOKS = 0.1, 40
"""Share of cut boards in each batch, and looks at each scene: more, and the scenes are learnt by heart."""
DROPOUT = (0.3, 0.15)
HIDDEN = (128, 80, 192, 96)
NOISE = 0.006
NU = 5.0
"""Degrees of freedom of the loss: a few hopeless profiles must not rule."""
WIDTH_WEIGHT = 3.0
"""Weight of the width in the loss against that of a line's middle."""
REPORT_STEPS = 1000


def network(size: int) -> nn.Module:
    """One small network for each profile alike, and one that sees what they made of them all."""
    a, b, c, d = HIDDEN
    return nn.Sequential(
        nn.Conv2d(size, a, 1), nn.ReLU(), nn.Conv2d(a, b, 1), nn.ReLU(), nn.Flatten(),
        nn.Dropout(DROPOUT[0]), nn.Linear(b * PROFILES, c), nn.ReLU(),
        nn.Dropout(DROPOUT[1]), nn.Linear(c, d), nn.ReLU(), nn.Linear(d, 2 * (PROFILES + 1)),
    )  # fmt: skip


def answer(net: nn.Module, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Middles in mm (N, PROFILES), log widths (N,), and the log sigmas of both."""
    said = net(x)
    sigma = said[:, PROFILES + 1 :].clamp(*LOG_SIGMA)
    return said[:, :PROFILES] * MIDDLE_UNIT_MM, said[:, PROFILES], sigma[:, :PROFILES], sigma[:, PROFILES]


def loss_of(net: nn.Module, x: Tensor, middle: Tensor, width: Tensor) -> Tensor:
    """Student-t log likelihood of the answers, unseen lines left out."""
    m, w, m_sigma, w_sigma = answer(net, x)

    def cost(off: Tensor, log_sigma: Tensor) -> Tensor:
        return log_sigma + (NU + 1) / 2 * torch.log1p((off * torch.exp(-log_sigma)) ** 2 / NU)

    seen = (x[:, -1, :, 0] > 0.5).float()
    return ((cost(m - middle, m_sigma) * seen).sum(1) / GROUPS + WIDTH_WEIGHT * cost(w - width, w_sigma)).mean()


def varied(x: Tensor, middle: Tensor) -> tuple[Tensor, Tensor]:
    """The same boards with their lines in another order, and some seen from the other side, with a little noise."""
    n, size = len(x), (x.shape[1] - 5) // 3
    order = torch.argsort(torch.rand(n, LINES), 1)
    index = (order[:, :, None] * GROUPS + torch.arange(GROUPS)).reshape(n, PROFILES)
    x = torch.gather(x, 2, index[:, None, :, None].expand_as(x))
    middle = torch.gather(middle, 1, index)
    back = torch.rand(n) < 0.5
    curves = x[:, : 3 * size].reshape(n, size, 3, PROFILES, 1)
    curves = torch.where(back[:, None, None, None, None], curves.flip(1), curves).reshape(n, 3 * size, PROFILES, 1)
    x = torch.cat([curves, x[:, 3 * size :]], 1)
    return x + NOISE * torch.randn_like(x) * x[:, -1:], torch.where(back[:, None], -middle, middle)


def report(net: nn.Module, name: str, boards: Taught) -> str:
    """How well the widths of boards are read, and the middles of their lines."""
    with torch.no_grad():
        m, w, _, sigma = (t.numpy() for t in answer(net.eval(), torch.from_numpy(boards.x)))
    net.train()
    off, seen = np.abs(np.exp(w) - np.exp(boards.log_width)) / 2, boards.x[:, -1, :, 0] > 0.5
    spread = 1.4826 * np.median(np.abs(w - boards.log_width) / np.exp(sigma))
    width, middle = (
        f"{np.median(v):.3f} / {np.percentile(v, 95):.3f} mm" for v in (off, np.abs(m - boards.middle)[seen])
    )
    return f"{name}: half width {width}, spread {spread:.2f}, middle {middle}"


def main() -> None:
    """Train, judge, export."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--fold", type=int, choices=(0, 1), help="be taught by the scenes of this parity only")
    parser.add_argument("--out", type=Path, default=Path("vision/weights/lines.onnx"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    rng = np.random.default_rng(1)
    parts = [draw(rng, AT_ONCE) for _ in range(DRAWN // AT_ONCE)]
    left_out = [p for p in scene_files() if options.fold is not None and int(p.stem[1:]) % 2 != options.fold]
    own = cut([p for p in scene_files() if p not in left_out], LOOKS)
    judged = ("left out", cut(left_out, 4)) if left_out else ("cut", own)
    drawn = Taught(*(np.concatenate([getattr(p, name) for p in parts]) for name in ("x", "middle", "log_width")))
    pools = [[torch.from_numpy(v) for v in (t.x, t.middle, t.log_width)] for t in (drawn, own)]
    net = network(drawn.x.shape[1])
    tune = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=DECAY)
    plan = torch.optim.lr_scheduler.OneCycleLR(tune, RATE, total_steps=STEPS, pct_start=0.05)
    counts = (BATCH - round(BATCH * CUT_SHARE), round(BATCH * CUT_SHARE))
    for step in range(STEPS):
        picks = [torch.randint(len(pool[0]), (count,)) for pool, count in zip(pools, counts, strict=True)]
        x, middle, width = (torch.cat([pools[k][i][picks[k]] for k in (0, 1)]) for i in range(3))
        loss = loss_of(net, *varied(x, middle), width)
        tune.zero_grad()
        loss.backward()
        tune.step()
        plan.step()
        if step % REPORT_STEPS == REPORT_STEPS - 1:
            print(f"{step + 1} {report(net, *judged)}", flush=True)
    net.eval()
    torch.onnx.export(
        net, (torch.zeros(1, *drawn.x.shape[1:]),), str(options.out), input_names=["profiles"], output_names=["lines"],
        opset_version=13, dynamo=False,
    )  # fmt: skip


if __name__ == "__main__":
    main()

"""How the networks that look at patches are taught, and what those share that tell discs from other things."""

from collections.abc import Callable, Mapping, Sized

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

SMOOTHING = 0.004
"""What is taken from each answer's certainty: more would let no reading be surer than that."""
DECAY, WARM = 2e-3, 0.1
REPORT_STEPS = 250


def descend(net: nn.Module, loss_of: Callable[[], Tensor], steps: int, rate: float, report: Callable[[], str]) -> None:
    """Take ``steps`` steps down the loss of one batch after another; say now and then how it goes."""
    tune = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=DECAY)
    plan = torch.optim.lr_scheduler.OneCycleLR(tune, rate, total_steps=steps, pct_start=WARM)
    total = 0.0
    for step in range(steps):
        loss = loss_of()
        tune.zero_grad()
        loss.backward()
        tune.step()
        plan.step()
        total += float(loss.detach())
        if step % REPORT_STEPS == REPORT_STEPS - 1:
            print(f"{step + 1}/{steps} loss {total / REPORT_STEPS:.4f} {report()}", flush=True)
            total = 0.0


def counts_of(shares: Mapping[str, float], pools: Mapping[str, Sized], size: int) -> dict[str, int]:
    """How many of a batch of ``size`` come from each source by its share, those that are empty left out."""
    total = sum(share for name, share in shares.items() if len(pools[name]))
    return {name: round(size * share / total) for name, share in shares.items() if len(pools[name])}


def disc_loss(net: nn.Module, x: Tensor, there: Tensor) -> Tensor:
    """Cross-entropy of a network's log odds (N, 1) of a disc; ``there`` (N,) is 1 where there is one, else 0."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        said = net(x.contiguous(memory_format=torch.channels_last))
    return functional.binary_cross_entropy_with_logits(said.float()[:, 0], there * (1 - 2 * SMOOTHING) + SMOOTHING)


def told_apart(chance: NDArray[np.float32], there: NDArray[np.int64]) -> str:
    """How well held-out samples are told apart."""
    loss = -np.log(np.where(there == 1, chance, 1 - chance) + 1e-9).mean()
    missed, false = (chance[there == 1] < 0.5).mean(), (chance[there == 0] > 0.5).mean()
    return f"held out: discs missed {missed:.4f}, false {false:.4f}, log loss {loss:.4f}"

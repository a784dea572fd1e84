"""How the fully convolutional networks and the disc judge are taught: for some minutes, with averaged weights."""

import copy
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

Net = TypeVar("Net", bound=nn.Module)
DECAY, CLIP = 1e-4, 5.0
"""Decay of weights, and the largest norm of a step's gradient."""
WARM_STEPS = 100
"""The rate rises over so many steps, then falls along half a cosine until the time is over."""
AVERAGING = 0.998
"""Weights are averaged over some 500 steps."""
SHOWN = 0.98
"""The figures that are told are means over some 50 steps."""

Tell = Callable[[int, float, NDArray[np.float64], Net], None]


def descend_averaged(
    net: Net, loss_of: Callable[[Net], tuple[Tensor, Sequence[float]]], minutes: float, rate: float, every: int,
    tell: Tell[Net],
) -> Net:  # fmt: skip
    """Take steps down the loss of one batch after another; returns the network with averaged weights.

    ``loss_of``: the loss of a fresh batch, and figures to be told. After ``every`` steps ``tell`` gets the step, the
    share of the time that is over, the figures' running means and the averaged network.
    """
    mean = copy.deepcopy(net)
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    tune = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=DECAY)
    begin, step, shown = time.monotonic(), 0, np.zeros(1)
    while (done := (time.monotonic() - begin) / 60 / minutes) < 1:
        for group in tune.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / WARM_STEPS) * (0.5 + 0.5 * np.cos(np.pi * done) + 0.005)
        net.train()
        loss, figures = loss_of(net)
        tune.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), CLIP)
        tune.step()
        average(mean, net, min(AVERAGING, (step + 1) / (step + 20)))
        shown = shown * SHOWN + (1 - SHOWN) * np.array(figures)
        step += 1
        if step % every == 0:
            tell(step, done, shown / (1 - SHOWN**step), mean)
    return mean


def average(mean: nn.Module, net: nn.Module, keep: float) -> None:
    """Move the averaged weights a step towards the present ones, in place."""
    with torch.no_grad():
        for m, n in zip(mean.state_dict().values(), net.state_dict().values(), strict=True):
            if m.dtype.is_floating_point:
                m.mul_(keep).add_(n, alpha=1 - keep)
            else:
                m.copy_(n)

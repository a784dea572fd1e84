"""Networks that go on learning from the weights that are shipped.

What was exported has its normalisation folded into the convolutions; to learn on, each gets one again that leaves its
answers as they were.
"""

from pathlib import Path
from typing import Protocol

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import nn

from training.ensemble import MEMBER

EXAMPLES = 256
"""Samples of each source by which the normalisations are set: enough for their means and spreads."""


class Folded(Protocol):
    """Convolutions, each normalised and cut off below, then two dense layers."""

    features: nn.Sequential
    dense: nn.Linear
    out: nn.Linear


def weights_of(path: Path, member: int = 0) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Weights and biases of each layer of an exported network, in order; ``member``: which one of a mean's."""
    graph = onnx.load(str(path)).graph
    tensors = {t.name: numpy_helper.to_array(t).astype(np.float32) for t in graph.initializer}
    layers = [n for n in graph.node if n.op_type in ("Conv", "Gemm")]
    own = [n for n in layers if any(name.startswith(MEMBER.format(member)) for name in n.input)]
    return [(tensors[n.input[1]], tensors[n.input[2]]) for n in own or layers]


@torch.no_grad()
def go_on_with(net: Folded, path: Path, examples: torch.Tensor, member: int = 0) -> None:
    """Give ``net`` the weights of an exported network of its kind.

    ``examples`` (N, ...): input by which the normalisations get their means and spreads.
    """
    layers = iter(weights_of(path, member))
    x = examples
    modules = list(net.features)
    for k, module in enumerate(modules):
        if isinstance(module, nn.Conv2d):
            weight, bias = (torch.from_numpy(np.array(v)) for v in next(layers))
            module.weight.copy_(weight)
            x = module(x)
            norm = modules[k + 1]
            assert isinstance(norm, nn.BatchNorm2d)
            mean, variance = x.mean((0, 2, 3)), x.var((0, 2, 3), unbiased=False)
            norm.running_mean.copy_(mean)  # type: ignore[union-attr]
            norm.running_var.copy_(variance)  # type: ignore[union-attr]
            norm.weight.copy_(torch.sqrt(variance + norm.eps))
            norm.bias.copy_(bias + mean)
            x = torch.relu(x + bias[:, None, None])
    for dense in (net.dense, net.out):
        weight, bias = (torch.from_numpy(np.array(v)) for v in next(layers))
        dense.weight.copy_(weight)
        dense.bias.copy_(bias)

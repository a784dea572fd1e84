"""The second disc network in PyTorch: one patch in, class, place, radius and their uncertainty out; its ONNX form."""

from pathlib import Path

import onnx
import torch
from onnx import TensorProto, helper
from torch import Tensor, nn
from torch.nn import functional

from training.disc_model import Block, Graph, Step
from vision.disc_net import PATCH
from vision.networks import AT_ONCE

CLASSES, MEASURES = 5, 5
WIDTHS = (16, 24, 48, 64)
FLATTENED = 96
LEAST_LOG_SIGMA = -4.0


class DiscJudge(nn.Module):
    """(B, 5, PATCH, PATCH) to (B, 10, 1, 1): logits of the states and of none, x, y, log radius, two log sigmas."""

    def __init__(self) -> None:
        super().__init__()
        a, b, c, d = WIDTHS
        self.stem = Step(5, a)
        self.fine_in, self.fine = Step(a, b, stride=2), Block(b)
        self.mid_in, self.mid = Step(b, c, stride=2), Block(c)
        self.deep_in, self.deep = Step(c, d, stride=2), Block(d)
        self.flat = nn.Conv2d(d, FLATTENED, PATCH // 8)
        self.last = nn.Conv2d(FLATTENED, CLASSES + MEASURES, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Apply to (B, 5, PATCH, PATCH)."""
        x = self.fine(self.fine_in(self.stem(x)))
        x = self.deep(self.deep_in(self.mid(self.mid_in(x))))
        return self.last(functional.relu(self.flat(x)))


def judge_loss(out: Tensor, classes: Tensor, aims: Tensor) -> tuple[Tensor, Tensor]:
    """Cross-entropy of the classes and Laplace likelihood of the measures (places in units of 4 px) of true discs."""
    out = out.float().flatten(1)
    entropy = functional.cross_entropy(out[:, :CLASSES], classes)
    there = classes < CLASSES - 1
    measured, wanted = out[there, CLASSES : CLASSES + 3], aims[there] / torch.tensor([4.0, 4.0, 1.0])
    log_sigma = out[there, CLASSES + 3 :].clamp(LEAST_LOG_SIGMA, 2.0)
    place = torch.abs(measured[:, :2] - wanted[:, :2])
    likelihood = (place * torch.exp(-log_sigma) + log_sigma).mean()
    radius = torch.abs(measured[:, 2] - wanted[:, 2]).mean()
    return entropy, likelihood + 5 * radius


def export_judge(net: DiscJudge, path: Path) -> None:
    """Write the network as ONNX for AT_ONCE patches at a time with plain operations only."""
    g = Graph()
    x = g.block(g.step(g.step("patches", net.stem), net.fine_in), net.fine)
    x = g.block(g.step(x, net.mid_in), net.mid)
    x = g.block(g.step(x, net.deep_in), net.deep)
    assert net.flat.bias is not None and net.last.bias is not None
    x = g.node("Relu", [g.conv(x, net.flat.weight, net.flat.bias, 1, pad=0)])
    out = g.conv(x, net.last.weight, net.last.bias, 1)
    graph = helper.make_graph(
        g.nodes,
        "disc_judge",
        [helper.make_tensor_value_info("patches", TensorProto.FLOAT, [AT_ONCE, 5, PATCH, PATCH])],
        [helper.make_tensor_value_info(out, TensorProto.FLOAT, [AT_ONCE, CLASSES + MEASURES, 1, 1])],
        g.weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())

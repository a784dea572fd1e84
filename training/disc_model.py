"""The disc network in PyTorch, its loss, and its plain ONNX form with the normalisation folded in."""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn
from torch.nn import functional

INPUTS, HEAT, AIMS = 5, 4, 3
WIDTHS = (16, 32, 64, 96)


class Step(nn.Module):
    """Convolution, normalisation and (perhaps) a rectifier."""

    def __init__(self, inside: int, outside: int, kernel: int = 3, stride: int = 1, rectify: bool = True) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inside, outside, kernel, stride, kernel // 2, bias=False)
        self.norm = nn.BatchNorm2d(outside)
        self.rectify = rectify

    def forward(self, x: Tensor) -> Tensor:
        """Apply to (B, C, H, W)."""
        y = self.norm(self.conv(x))
        return functional.relu(y) if self.rectify else y


class Block(nn.Module):
    """Residual pair of steps."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = Step(width, width), Step(width, width, rectify=False)

    def forward(self, x: Tensor) -> Tensor:
        """Apply to (B, C, H, W)."""
        return functional.relu(x + self.second(self.first(x)))


class UNet(nn.Module):
    """U-shaped network: (B, ``inputs``, H, W) to logits (B, ``outputs``, H / 4, W / 4)."""

    def __init__(self, inputs: int, outputs: int, widths: tuple[int, int, int, int]) -> None:
        super().__init__()
        a, b, c, d = widths
        self.inputs, self.outputs = inputs, outputs
        self.stem = Step(inputs, a, stride=2)
        self.fine_in, self.fine = Step(a, b, stride=2), Block(b)
        self.mid_in, self.mid = Step(b, c, stride=2), nn.Sequential(Block(c), Block(c))
        self.deep_in, self.deep = Step(c, d, stride=2), nn.Sequential(Block(d), Block(d))
        self.up_mid, self.out_mid = Step(d, c, 1, rectify=False), Step(c, c)
        self.up_fine, self.out_fine = Step(c, b, 1, rectify=False), Step(b, b)
        self.head = Step(b, b)
        self.last = nn.Conv2d(b, outputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Apply to (B, 5, H, W)."""
        fine = self.fine(self.fine_in(self.stem(x)))
        mid = self.mid(self.mid_in(fine))
        deep = self.deep(self.deep_in(mid))
        mid = self.out_mid(functional.relu(mid + functional.interpolate(self.up_mid(deep), scale_factor=2.0)))
        fine = self.out_fine(functional.relu(fine + functional.interpolate(self.up_fine(mid), scale_factor=2.0)))
        return self.last(self.head(fine))


class DiscNet(UNet):
    """(B, 5, H, W) to logits of heat and aims (B, 7, H / 4, W / 4)."""

    def __init__(self) -> None:
        super().__init__(INPUTS, HEAT + AIMS, WIDTHS)
        nn.init.constant_(self.last.bias[:HEAT], -4.0)  # type: ignore[index]


def loss_of(out: Tensor, heat: Tensor, aims: Tensor) -> tuple[Tensor, Tensor]:
    """Penalty-reduced focal loss of the heat (CenterNet) and L1 loss of the aims."""
    logits = out[:, :HEAT].float()
    p = torch.sigmoid(logits)
    weight = aims[:, 4:5]
    hit = (heat >= 0.999).float()
    positive = hit * (1 - p) ** 2 * -functional.logsigmoid(logits)
    negative = (1 - hit) * (1 - heat) ** 4 * p**2 * -functional.logsigmoid(-logits)
    count = hit.sum().clamp(min=1)
    focal = ((positive + negative) * weight).sum() / count
    near = aims[:, 3:4]
    off = (torch.abs(out[:, HEAT:].float() - aims[:, :3]) * near * torch.tensor([1.0, 1.0, 1.5]).view(1, 3, 1, 1)).sum()
    return focal, off / near.sum().clamp(min=1)


class Graph:
    """Collects the nodes and weights of an ONNX graph."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.count = 0

    def name(self) -> str:
        """A new name."""
        self.count += 1
        return f"t{self.count}"

    def tensor(self, value: np.ndarray) -> str:  # type: ignore[type-arg]
        """Store a constant."""
        name = self.name()
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, inputs: list[str], **attributes: object) -> str:
        """Append a node and name its output."""
        name = self.name()
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def conv(self, x: str, weight: Tensor, bias: Tensor, stride: int, pad: int | None = None) -> str:
        """Convolution with "same" padding unless ``pad`` is given."""
        k = weight.shape[-1]
        p = k // 2 if pad is None else pad
        w, b = (self.tensor(t.detach().double().numpy().astype(np.float32)) for t in (weight, bias))
        return self.node("Conv", [x, w, b], kernel_shape=[k, k], strides=[stride] * 2, pads=[p] * 4)

    def step(self, x: str, s: Step) -> str:
        """Convolution with the normalisation folded in."""
        n = s.norm
        gain = n.weight / torch.sqrt(n.running_var + n.eps)  # type: ignore[arg-type,operator]
        bias = n.bias - n.running_mean * gain  # type: ignore[operator]
        y = self.conv(x, s.conv.weight * gain.view(-1, 1, 1, 1), bias, s.conv.stride[0])
        return self.node("Relu", [y]) if s.rectify else y

    def block(self, x: str, b: Block) -> str:
        """Residual block."""
        return self.node("Relu", [self.node("Add", [x, self.step(self.step(x, b.first), b.second)])])

    def joined(self, low: str, up: Step, skip: str) -> str:
        """Coarse features, enlarged, added to the finer ones."""
        scales = self.tensor(np.array([1, 1, 2, 2], np.float32))
        y = self.node("Resize", [self.step(low, up), "", scales], mode="nearest",
                      coordinate_transformation_mode="asymmetric", nearest_mode="floor")  # fmt: skip
        return self.node("Relu", [self.node("Add", [skip, y])])


def export(net: UNet, path: Path, size: int, name: str = "discs") -> None:
    """Write the network as ONNX for one picture (1, inputs, size, size) with plain operations only."""
    g = Graph()
    fine = g.block(g.step(g.step("picture", net.stem), net.fine_in), net.fine)
    mid = g.step(fine, net.mid_in)
    for b in net.mid:
        mid = g.block(mid, b)  # type: ignore[arg-type]
    deep = g.step(mid, net.deep_in)
    for b in net.deep:
        deep = g.block(deep, b)  # type: ignore[arg-type]
    mid = g.step(g.joined(deep, net.up_mid, mid), net.out_mid)
    fine = g.step(g.joined(mid, net.up_fine, fine), net.out_fine)
    assert net.last.bias is not None
    out = g.conv(g.step(fine, net.head), net.last.weight, net.last.bias, 1)
    graph = helper.make_graph(
        g.nodes, name,
        [helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, net.inputs, size, size])],
        [helper.make_tensor_value_info(out, TensorProto.FLOAT, [1, net.outputs, size // 4, size // 4])],
        g.weights,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())

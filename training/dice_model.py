"""Finder and reader in PyTorch, their losses, and their plain ONNX form with the normalisation folded in."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from vision.dice_nets import CROP_PX

FIND_WIDTHS = (16, 24, 48, 64)
READ_WIDTHS = {"dice": (32, 64, 96, 48, 192), "dodecas": (24, 40, 64, 32, 96)}
"""Channels at a half, a quarter and an eighth of the crop, squeezed, and of the layer that gathers them."""
FIND_OUT = 4
"""Heat, offsets x and y in cells, log of the size."""
AIMS_WEIGHT = 4.0
"""Weight of the aims' mean error beside the cross entropies."""


class Step(nn.Module):
    """Convolution, normalisation and (perhaps) a rectifier."""

    def __init__(self, inside: int, outside: int, kernel: int = 3, stride: int = 1, rectify: bool = True) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inside, outside, kernel, stride, kernel // 2, bias=False)
        self.norm = nn.BatchNorm2d(outside)
        self.rectify = rectify

    def forward(self, x: Tensor) -> Tensor:
        """Apply to (B, C, H, W)."""
        y: Tensor = self.norm(self.conv(x))
        return functional.relu(y) if self.rectify else y


class Block(nn.Module):
    """Residual pair of steps."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = Step(width, width), Step(width, width, rectify=False)

    def forward(self, x: Tensor) -> Tensor:
        """Apply to (B, C, H, W)."""
        return functional.relu(x + self.second(self.first(x)))


class Finder(nn.Module):
    """U-shaped network: (B, 3, H, W) to maps (B, FIND_OUT, H / 4, W / 4); see vision/dice_nets.py."""

    def __init__(self) -> None:
        super().__init__()
        a, b, c, d = FIND_WIDTHS
        self.stem, self.fine_in, self.fine = Step(3, a, stride=2), Step(a, b, stride=2), Step(b, b)
        self.mid_in, self.mid = Step(b, c, stride=2), Block(c)
        self.deep_in, self.deep = Step(c, d, stride=2), Block(d)
        self.up_mid, self.out_mid = Step(d, c, 1, rectify=False), Step(c, c)
        self.up_fine, self.out_fine = Step(c, b, 1, rectify=False), Step(b, b)
        self.last = nn.Conv2d(b, FIND_OUT, 1)
        assert self.last.bias is not None
        nn.init.constant_(self.last.bias[:1], -4.0)

    def forward(self, x: Tensor) -> Tensor:
        """Apply to (B, 3, H, W)."""
        fine = self.fine(self.fine_in(self.stem(x)))
        mid = self.mid(self.mid_in(fine))
        deep = self.deep(self.deep_in(mid))
        mid = self.out_mid(functional.relu(mid + functional.interpolate(self.up_mid(deep), scale_factor=2.0)))
        fine = self.out_fine(functional.relu(fine + functional.interpolate(self.up_fine(mid), scale_factor=2.0)))
        out: Tensor = self.last(fine)
        return out


class Reader(nn.Module):
    """Crops (B, 3, CROP_PX, CROP_PX) to outputs (B, ``outputs``)."""

    def __init__(self, kind: str, outputs: int) -> None:
        super().__init__()
        a, b, c, squeezed, hidden = READ_WIDTHS[kind]
        self.steps = nn.Sequential(
            Step(3, a, 5, 2), Step(a, a), Step(a, b, stride=2), Block(b),
            Step(b, c, stride=2), Block(c), Step(c, squeezed, 1),
        )  # fmt: skip
        cells = CROP_PX // 8
        self.gather = nn.Conv2d(squeezed, hidden, cells)
        self.drop = nn.Dropout(0.2)
        self.last = nn.Conv2d(hidden, outputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Apply to (B, 3, CROP_PX, CROP_PX)."""
        out: Tensor = self.last(self.drop(functional.relu(self.gather(self.steps(x)))))
        return out.flatten(1)


def find_loss(out: Tensor, heat: Tensor, aims: Tensor) -> Tensor:
    """Penalty-reduced focal loss of the heat (B, H, W) and L1 loss of the aims (B, 5, H, W).

    The aims are offsets x and y, log of the size, where they count, and the heat's weight.
    """
    logits = out[:, 0]
    p = torch.sigmoid(logits)
    hit = (heat >= 0.999).float()
    positive = hit * (1 - p) ** 2 * -functional.logsigmoid(logits)
    negative = (1 - hit) * (1 - heat) ** 4 * p**2 * -functional.logsigmoid(-logits)
    count = hit.sum().clamp(min=1)
    near = aims[:, 3:4]
    off = (torch.abs(out[:, 1:] - aims[:, :3]) * near).sum() / near.sum().clamp(min=1)
    return ((positive + negative) * aims[:, 4]).sum() / count + 0.5 * off


def read_loss(out: Tensor, groups: tuple[int, ...], labels: Tensor, aims: Tensor) -> Tensor:
    """Cross entropy of each group of logits (labels (B, groups), -1 none) and L1 of the aims (B, AIMS), nan none.

    A group of one logit is a yes or no.
    """
    total, at = out.new_zeros(()), 0
    for k, width in enumerate(groups):
        part, label = out[:, at : at + width], labels[:, k]
        known = label >= 0
        if known.any():
            if width == 1:
                total = total + 0.5 * functional.binary_cross_entropy_with_logits(part[known, 0], label[known].float())
            else:
                total = total + functional.cross_entropy(part[known], label[known], label_smoothing=0.02)
        at += width
    known = ~torch.isnan(aims[:, 0])
    if known.any():
        total = total + AIMS_WEIGHT * torch.abs(out[known, at:] - aims[known]).mean()
    return total


def adopt(net: nn.Module, path: Path, pictures: Tensor) -> None:
    """Go on from exported weights, whose normalisation is folded in; ``pictures``: a training batch.

    Each step gets a normalisation that undoes itself on this batch, so that the network says what the exported one
    said. Outputs that the exported one lacks begin at zero.
    """
    graph = onnx.load(str(path)).graph
    stored = {t.name: torch.from_numpy(numpy_helper.to_array(t).copy()) for t in graph.initializer}
    kept = [(stored[n.input[1]], stored[n.input[2]]) for n in graph.node if n.op_type == "Conv"]
    steps = [m for m in net.modules() if isinstance(m, Step)]
    plain = [m for m in net.modules() if isinstance(m, nn.Conv2d) and m.bias is not None]
    if isinstance(net, Finder):
        order = net.mid_in, *_pair(net.mid), net.deep_in, *_pair(net.deep), net.up_mid, net.out_mid, net.up_fine
        steps = [net.stem, net.fine_in, net.fine, *order, net.out_fine]
    assert len(kept) == len(steps) + len(plain), path
    handles = []
    for step, (weight, bias) in zip(steps, kept, strict=False):
        step.conv.weight.data.copy_(weight)
        handles.append(step.conv.register_forward_hook(_undone(step.norm, bias)))
    for conv, (weight, bias) in zip(plain, kept[len(steps) :], strict=True):
        for target, given in ((conv.weight.data, weight), (conv.bias.data, bias)):  # type: ignore[union-attr]
            target.zero_()
            target[: len(given)] = given
    with torch.no_grad():
        net.train()(pictures)
    for handle in handles:
        handle.remove()


def _pair(block: Block) -> tuple[Step, Step]:
    return block.first, block.second


def _undone(norm: nn.BatchNorm2d, bias: Tensor) -> Callable[[nn.Module, tuple[Tensor, ...], Tensor], None]:
    """A hook that makes ``norm`` only add ``bias`` to what it is given now."""

    def hook(_: nn.Module, __: tuple[Tensor, ...], out: Tensor) -> None:
        mean, variance = out.mean(dim=(0, 2, 3)), out.var(dim=(0, 2, 3), unbiased=False)
        norm.running_mean, norm.running_var = mean.clone(), variance.clone()
        norm.weight.data.copy_(torch.sqrt(variance + norm.eps))
        norm.bias.data.copy_(bias + mean)

    return hook


class _Graph:
    """Collects ONNX nodes and weights while walking a network."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def tensor(self, value: NDArray[np.float32]) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(value, np.float32), name))
        return name

    def node(self, kind: str, inputs: list[str], **attributes: object) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def conv(self, x: str, weight: Tensor, bias: Tensor, stride: int = 1, pad: int | None = None) -> str:
        k = weight.shape[2]
        p = k // 2 if pad is None else pad
        parts = [x, self.tensor(weight.detach().numpy()), self.tensor(bias.detach().numpy())]
        return self.node("Conv", parts, kernel_shape=[k, k], strides=[stride] * 2, pads=[p] * 4)

    def step(self, x: str, s: Step) -> str:
        gain = s.norm.weight / torch.sqrt(s.norm.running_var + s.norm.eps)  # type: ignore[operator]
        bias = s.norm.bias - s.norm.running_mean * gain  # type: ignore[operator]
        y = self.conv(x, s.conv.weight * gain.view(-1, 1, 1, 1), bias, s.conv.stride[0])
        return self.node("Relu", [y]) if s.rectify else y

    def block(self, x: str, b: Block) -> str:
        return self.node("Relu", [self.node("Add", [x, self.step(self.step(x, b.first), b.second)])])

    def joined(self, low: str, up: Step, skip: str) -> str:
        scales = self.tensor(np.array([1, 1, 2, 2], np.float32))
        y = self.node("Resize", [self.step(low, up), "", scales], mode="nearest",
                      coordinate_transformation_mode="asymmetric", nearest_mode="floor")  # fmt: skip
        return self.node("Relu", [self.node("Add", [skip, y])])

    def write(self, path: Path, out: str, inside: list[int | str], outside: list[int | str]) -> None:
        graph = helper.make_graph(
            self.nodes, path.stem,
            [helper.make_tensor_value_info("picture", TensorProto.FLOAT, inside)],
            [helper.make_tensor_value_info(out, TensorProto.FLOAT, outside)], self.weights,
        )  # fmt: skip
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
        onnx.checker.check_model(model)
        path.write_bytes(model.SerializeToString())


def export_finder(net: Finder, path: Path) -> None:
    """Write the finder as ONNX for one picture of any size that is a multiple of 16."""
    g = _Graph()
    fine = g.step(g.step(g.step("picture", net.stem), net.fine_in), net.fine)
    mid = g.block(g.step(fine, net.mid_in), net.mid)
    deep = g.block(g.step(mid, net.deep_in), net.deep)
    mid = g.step(g.joined(deep, net.up_mid, mid), net.out_mid)
    fine = g.step(g.joined(mid, net.up_fine, fine), net.out_fine)
    assert net.last.bias is not None
    g.write(
        path,
        g.conv(fine, net.last.weight, net.last.bias),
        [1, 3, "height", "width"],
        [1, FIND_OUT, "rows", "columns"],
    )


def export_reader(net: Reader, path: Path) -> None:
    """Write the reader as ONNX for one crop."""
    g = _Graph()
    x = "picture"
    for s in net.steps:
        x = g.block(x, s) if isinstance(s, Block) else g.step(x, s)  # type: ignore[arg-type]
    assert net.gather.bias is not None and net.last.bias is not None
    x = g.node("Relu", [g.conv(x, net.gather.weight, net.gather.bias, 1, 0)])
    g.write(
        path,
        g.conv(x, net.last.weight, net.last.bias, 1, 0),
        [1, 3, CROP_PX, CROP_PX],
        [1, net.last.out_channels, 1, 1],
    )

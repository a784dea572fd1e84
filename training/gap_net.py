"""The small network that says how far a disc lies from where it was thought to be, its training and its export."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import nn
from torch.nn import functional

from vision import contact_net
from vision.contact_net import LOG_SIGMA_MAX, LOG_SIGMA_MIN, WRAP
from vision.contact_patch import ANGLES, CHANNELS, STEPS

OUTPUTS = len(contact_net.OUTPUTS)
WEIGHTS = (1.0, 1.0, 0.5, 0.5, 0.5)
"""What each output counts."""
NARROW, DENSE = 16, 96
DROPOUT, DECAY = 0.25, 1e-2
REPORT_STEPS = 250
STUDENT_NU = 4.0
"""Degrees of freedom of the loss: errors have heavy tails, and a few hopeless patches must not rule."""


class GapNet(nn.Module):
    """Four convolutions and two dense layers: (N, CHANNELS, ANGLES + 2 WRAP, STEPS) in 0..1 to (N, 2 OUTPUTS).

    Output: the offsets in mm that ``vision.contact_net`` names, then their log sigmas.
    """

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for c, d, stride in (
            (CHANNELS, 24, (2, 1)),
            (24, 32, (1, 2)),
            (32, 48, (2, 2)),
            (48, 48, (1, 1)),
            (48, NARROW, (1, 1)),
        ):
            k = 1 if d == NARROW else 3
            layers += [nn.Conv2d(c, d, k, stride, k // 2, bias=False), nn.BatchNorm2d(d), nn.ReLU()]
        self.features = nn.Sequential(*layers)
        flat = NARROW * ((ANGLES + 2 * WRAP) // 4) * (STEPS // 4)
        self.drop = nn.Dropout(DROPOUT)
        self.dense = nn.Linear(flat, DENSE)
        self.out = nn.Linear(DENSE, 2 * OUTPUTS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Run the network."""
        y = self.drop(self.features(x).flatten(1))
        return self.out(functional.relu(self.dense(y)))


def wrapped(patches: torch.Tensor) -> torch.Tensor:
    """Float patches (N, C, ANGLES, STEPS) with the first and last angles repeated beyond the ends."""
    return torch.cat([patches[:, :, -WRAP:], patches, patches[:, :, :WRAP]], dim=2)


def taken(patches: NDArray[np.uint8]) -> torch.Tensor:
    """Patches (N, C, ANGLES, STEPS) uint8 as the networks take them: floats in 0..1, closed at the seam."""
    return wrapped(torch.from_numpy(patches).float() / 255)


def loss(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Negative log likelihood of Student's t, the place counting most."""
    log_sigma = output[:, OUTPUTS:].clamp(LOG_SIGMA_MIN, LOG_SIGMA_MAX)
    z = (output[:, :OUTPUTS] - target) * torch.exp(-log_sigma)
    each = log_sigma + (STUDENT_NU + 1) / 2 * torch.log1p(z * z / STUDENT_NU)
    return (each * torch.tensor(WEIGHTS)).sum(1).mean()


def _blur(colour: torch.Tensor, amount: torch.Tensor) -> torch.Tensor:
    """Blur (N, 6, A, S) along both axes by a three-tap kernel of weight ``amount`` (N, 1, 1, 1)."""
    for axis, pad in ((2, (0, 0, 1, 1)), (3, (1, 1, 0, 0))):
        wide = functional.pad(colour, pad, mode="replicate")
        n = colour.shape[axis]
        weight = amount if axis == 3 else amount / 3
        colour = (1 - 2 * weight) * colour + weight * (wide.narrow(axis, 0, n) + wide.narrow(axis, 2, n))
    return colour


def augmented(patches: torch.Tensor, target: torch.Tensor, rng: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Mirror, recolour, blur and roughen uint8 patches (N, C, A, S); return floats in 0..1 and the targets to match."""
    n = len(patches)
    x = patches.float() / 255
    target = target.clone()
    flip = torch.rand(n, generator=rng) < 0.5
    back = (-torch.arange(ANGLES)) % ANGLES
    x[flip] = x[flip][:, :, back]
    target[flip] *= torch.tensor(contact_net.MIRRORED)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=rng)

    def uniform(*shape: int) -> torch.Tensor:
        return torch.rand(*shape, generator=rng)

    colour = x[:, :6].reshape(n, 2, 3, ANGLES, STEPS)
    order = torch.argsort(uniform(n, 3), dim=1)
    order[uniform(n) < 0.6] = torch.arange(3)
    colour = torch.gather(colour, 2, order[:, None, :, None, None].expand(-1, 2, -1, ANGLES, STEPS))
    grey = colour.mean(2, keepdim=True)
    saturation = 1 + 0.3 * normal(n, 1, 1, 1, 1)
    saturation[uniform(n) < 0.05] = 0
    colour = grey + saturation.clamp(0, 2) * (colour - grey)
    colour = colour.clamp(1e-3, None) ** torch.exp(0.15 * normal(n, 1, 1, 1, 1))
    colour = colour * torch.exp(0.08 * normal(n, 1, 3, 1, 1) + 0.12 * normal(n, 1, 1, 1, 1)) + 0.03 * normal(
        n, 1, 1, 1, 1
    )
    colour = colour.reshape(n, 6, ANGLES, STEPS)
    colour = _blur(colour, 0.25 * uniform(n, 1, 1, 1) * (uniform(n, 1, 1, 1) < 0.3))
    noise = 0.03 * uniform(n, 1, 1, 1) ** 2 * normal(n, 1, ANGLES, STEPS)
    x[:, :6] = (colour + noise).clamp(0, 1)
    return wrapped(x), target


def train(
    patches: NDArray[np.uint8],
    target: NDArray[np.float32],
    samples: int,
    *,
    seed: int,
    start: GapNet | None = None,
    batch: int = 128,
    rate: float = 2e-3,
    report: Callable[[GapNet], str] | None = None,
) -> GapNet:
    """Train a network, or go on with ``start``, on samples of patches (N, C, A, S) and targets (N, OUTPUTS).

    Deterministic by seed. Convolutions run in bfloat16, which halves the time. ``report`` says now and then how well
    the network does.
    """
    torch.manual_seed(seed)
    rng = torch.Generator().manual_seed(seed)
    net = (start or GapNet()).to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=DECAY)
    steps = samples // batch
    plan = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.1)
    x, y = torch.from_numpy(patches), torch.from_numpy(target)
    order = torch.randperm(len(patches), generator=rng)
    place, total = 0, 0.0
    net.train()
    for step in range(steps):
        if place + batch > len(order):
            order, place = torch.randperm(len(patches), generator=rng), 0
        pick = order[place : place + batch]
        place += batch
        a, b = augmented(x[pick], y[pick], rng)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            output = net(a.to(memory_format=torch.channels_last))
        value = loss(output.float(), b)
        optimiser.zero_grad()
        value.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        plan.step()
        total += float(value.detach())
        if step % REPORT_STEPS == REPORT_STEPS - 1:
            words = report(net.eval()) if report else ""
            net.train()
            print(f"step {step + 1}/{steps} loss {total / REPORT_STEPS:.3f} {words}", flush=True)
            total = 0.0
    return net.eval()


@torch.no_grad()
def predict(net: GapNet, patches: NDArray[np.uint8], batch: int = 256) -> NDArray[np.float32]:
    """Outputs (N, 2 OUTPUTS) of a network for patches (N, C, A, S)."""
    parts = [net(taken(patches[i : i + batch])) for i in range(0, len(patches), batch)]
    return np.asarray(torch.cat(parts).numpy(), dtype=np.float32)


def export(net: GapNet, path: Path) -> None:
    """Write a trained network as ONNX with plain operators only, batch normalisation folded into the convolutions."""
    nodes, tensors, name = [], [], "patches"

    def add(label: str, value: NDArray[np.float32]) -> str:
        tensors.append(numpy_helper.from_array(np.ascontiguousarray(value, dtype=np.float32), label))
        return label

    modules = list(net.features)
    for i in range(0, len(modules), 3):
        conv, norm = modules[i], modules[i + 1]
        gain = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach()
        weight = (conv.weight.detach() * gain[:, None, None, None]).numpy()
        bias = (norm.bias.detach() - norm.running_mean * gain).numpy()
        k, pad = conv.kernel_size[0], conv.padding[0]
        nodes.append(
            helper.make_node(
                "Conv",
                [name, add(f"w{i}", weight), add(f"b{i}", bias)],
                [f"c{i}"],
                kernel_shape=[k, k],
                strides=list(conv.stride),
                pads=[pad] * 4,
            )
        )
        nodes.append(helper.make_node("Relu", [f"c{i}"], [f"r{i}"]))
        name = f"r{i}"
    nodes.append(helper.make_node("Flatten", [name], ["flat"], axis=1))
    nodes.append(
        helper.make_node(
            "Gemm",
            ["flat", add("wd", net.dense.weight.detach().numpy()), add("bd", net.dense.bias.detach().numpy())],
            ["dense"],
            transB=1,
        )
    )
    nodes.append(helper.make_node("Relu", ["dense"], ["hidden"]))
    nodes.append(
        helper.make_node(
            "Gemm",
            ["hidden", add("wo", net.out.weight.detach().numpy()), add("bo", net.out.bias.detach().numpy())],
            ["offsets"],
            transB=1,
        )
    )
    shape = ["N", CHANNELS, ANGLES + 2 * WRAP, STEPS]
    graph = helper.make_graph(
        nodes,
        "gap_net",
        [helper.make_tensor_value_info("patches", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("offsets", TensorProto.FLOAT, ["N", 2 * OUTPUTS])],
        tensors,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())

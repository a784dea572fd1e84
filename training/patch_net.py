"""The network that looks at small square patches, its batches and its export: for holes and for places of discs."""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from vision.square_patch import PATCH, network_input

FLAT_TANGENT = 0.3
"""From more steeply above than this no direction is special."""

Data = tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]
"""Patches (N, PATCH, PATCH, 3), tangents of the view angle (N,), classes (N,), numbers of the scenes (N,)."""


class PatchNet(nn.Module):
    """(N, 4, PATCH, PATCH) to (N, ``outputs``)."""

    def __init__(self, outputs: int, widths: tuple[int, ...] = (24, 32, 48, 48, 64), dense: int = 48) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for c, d, stride in zip((4, *widths), widths, (2, 1, 2, 1, 2), strict=False):
            layers += [nn.Conv2d(c, d, 3, stride, 1, bias=False), nn.BatchNorm2d(d), nn.ReLU()]
        self.features = nn.Sequential(*layers, nn.Dropout(0.2))
        self.dense = nn.Linear(widths[-1] * (PATCH // 8) ** 2, dense)
        self.out = nn.Linear(dense, outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Run the network."""
        return self.out(functional.relu(self.dense(self.features(x).flatten(1))))


def batch_of(data: Data, pick: NDArray[np.int64], rng: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Network input and classes of picked samples, half of them mirrored across the camera's axis, recoloured."""
    patches = data[0][pick]
    flip = rng.random(len(pick)) < 0.5
    patches[flip] = patches[flip, :, ::-1]
    for i in np.nonzero(data[1][pick] < FLAT_TANGENT)[0]:
        patches[i] = np.rot90(patches[i], int(rng.integers(4)))
    swap = rng.random(len(pick)) < 0.3
    patches[swap] = patches[swap][..., rng.permutation(3)]
    x = network_input(patches, data[1][pick])
    x[:, :3] = x[:, :3] * rng.uniform(0.8, 1.2, (len(pick), 1, 1, 1)) + rng.normal(0, 0.08, (len(pick), 3, 1, 1))
    return torch.from_numpy(np.clip(x, -1.2, 1.2).astype(np.float32)), torch.from_numpy(data[2][pick])


def export(net: PatchNet, path: Path, batch: int = 1) -> None:
    """Write the network as ONNX, for ``batch`` patches at a time."""
    net.eval()
    example = torch.zeros(batch, 4, PATCH, PATCH)
    names = {"input_names": ["patch"], "output_names": ["logits"]}
    torch.onnx.export(net, (example,), str(path), **names, opset_version=13, dynamo=False)

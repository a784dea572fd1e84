"""The small network that says how far a disc lies from where it is thought to be, run by OpenCV.

Trained by ``training/train_gaps.py`` on rendered scenes with exact truth (see there); its input are the patches of
``vision.contact_patch``, its output five offsets in mm with their uncertainties. Its answers are used only within the
bounds that its training covered.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array
from vision.contact_patch import ANGLES, Patches
from vision.networks import network, read_network, run

WRAP = 4
"""Angles repeated on either side of a patch, so that the seam of the unrolled ring is no edge."""
WEIGHTS = "contacts"
OUTPUTS = ("towards", "left", "radius", "lean_towards", "lean_left")
"""What the network is asked: how far the middle between the centres of upper and lower ring lies towards the camera and
to its left; how much larger the disc is; how far the upper ring is off against the lower one, along both axes."""
MIRRORED = (1.0, -1.0, 1.0, 1.0, -1.0)
"""Signs of the outputs in a mirror."""
LOG_SIGMA_MIN, LOG_SIGMA_MAX = float(np.log(0.01)), float(np.log(5.0))
"""Bounds of the log of a standard deviation in mm, as in training."""


@dataclass(frozen=True)
class Offsets:
    """What the network says of N discs in mm, ``value`` and ``sigma`` (N, 5): see :data:`OUTPUTS`."""

    value: Array
    sigma: Array


def network_input(patches: Patches) -> NDArray[np.float32]:
    """Input (N, C, ANGLES + 2 WRAP, STEPS) in 0..1 of patches (N, C, ANGLES, STEPS), each ring closed at its seam."""
    wrapped = np.concatenate([patches[:, :, -WRAP:], patches, patches[:, :, :WRAP]], axis=2)
    return np.asarray(wrapped.astype(np.float32) / np.float32(255))


class ContactNet:
    """A loaded network; safe to call from several threads."""

    def __init__(self, net: cv2.dnn.Net) -> None:
        self._net = net

    def __call__(self, patches: Patches, mirror: bool = False) -> Offsets:
        """Read patches (N, C, ANGLES, STEPS) uint8; with ``mirror`` the mean of each patch and its mirror image."""
        if not len(patches):
            return Offsets(np.zeros((0, len(OUTPUTS))), np.ones((0, len(OUTPUTS))))
        if mirror:
            back = (-np.arange(ANGLES)) % ANGLES
            both = self(np.concatenate([patches, patches[:, :, back]]))
            n = len(patches)
            other = both.value[n:] * np.array(MIRRORED)
            sigma = np.sqrt(both.sigma[:n] * both.sigma[n:])
            return Offsets((both.value[:n] + other) / 2, sigma)
        out = run(self._net, network_input(patches)).astype(np.float64).reshape(len(patches), 2, len(OUTPUTS))
        return Offsets(out[:, 0], np.exp(np.clip(out[:, 1], LOG_SIGMA_MIN, LOG_SIGMA_MAX)))


@lru_cache(maxsize=8)
def load(path: Path | None = None) -> ContactNet:
    """The network in ``path``, or the one that comes with the package."""
    return ContactNet(network(WEIGHTS) if path is None else read_network(path))

"""The disc network: the canonical picture in, candidates for discs with their states out.

A small fully convolutional network (weights in ``weights/discs.onnx``, trained by ``training/train_discs.py``) run by
OpenCV. It gives, for each cell of four pixels, the probability that a disc of each state has its point there, the
offset to that point and the disc's radius.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.disc_canonical import CanonicalFrame, guide_channels
from vision.readings import DiscState

STATES: tuple[DiscState, ...] = ("board", "hole", "leaning", "ditch")
STRIDE = 4
"""Pixels of the canonical picture a cell: 6.25 mm, less than half a disc's radius."""
RADIUS_UNIT_PX = 10.0
"""The network gives radii as logarithms of multiples of this."""
FLOOR = 0.05
"""Peaks below this probability are not looked at."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One peak of the network's maps, in canonical pixels.

    ``xy`` is the point of the disc on the board's plane (base centre; upper face's centre in hole and ditch; body's
    centre where it leans), ``chances`` the network's probabilities in the order of :data:`STATES`.
    """

    xy: tuple[float, float]
    radius_px: float
    chances: tuple[float, float, float, float]

    @property
    def best(self) -> float:
        """Probability of the most probable state."""
        return max(self.chances)


@cache
def _network() -> cv2.dnn.Net:
    weights = files("vision").joinpath("weights/discs.onnx").read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(weights, np.uint8))


def run_network(picture: NDArray[np.uint8], frame: CanonicalFrame) -> NDArray[np.float32]:
    """Raw maps (7, n, n) float32 from the canonical picture (SIZE, SIZE, 3) uint8 BGR.

    Four logits of heat in the order of :data:`STATES`, offsets x and y in cells, log of the radius.
    """
    colour = picture.transpose(2, 0, 1).astype(np.float32) / 127.5 - 1
    blob = np.concatenate([colour, guide_channels(frame.foot, frame.height)])[None]
    network = _network()
    network.setInput(np.ascontiguousarray(blob))
    return np.asarray(network.forward()[0], dtype=np.float32)


def peaks(maps: NDArray[np.float32], floor: float = FLOOR) -> list[Candidate]:
    """Local maxima of the heat over all states, most probable first, none within half a disc of a better one."""
    heat = 1 / (1 + np.exp(-maps[:4].astype(np.float64)))
    top = heat.max(axis=0)
    local = top >= cv2.dilate(top, np.ones((3, 3), np.uint8))
    rows, cols = np.nonzero(local & (top > floor))
    order = np.argsort(-top[rows, cols], kind="stable")
    kept: list[Candidate] = []
    for i, j in zip(rows[order], cols[order], strict=True):
        dx, dy, log_radius = (float(v) for v in maps[4:7, i, j])
        x, y = ((j + dx + 0.5) * STRIDE - 0.5, (i + dy + 0.5) * STRIDE - 0.5)
        radius = RADIUS_UNIT_PX * float(np.exp(np.clip(log_radius, -1.0, 1.0)))
        if any(np.hypot(x - k.xy[0], y - k.xy[1]) < 0.8 * min(radius, k.radius_px) for k in kept):
            continue
        box = heat[:, max(0, i - 1) : i + 2, max(0, j - 1) : j + 2].max(axis=(1, 2))
        kept.append(Candidate((x, y), radius, (float(box[0]), float(box[1]), float(box[2]), float(box[3]))))
    return kept

"""A second opinion on every candidate: does a disc's rim run around it?

The picture around a candidate is unrolled along the outline that a disc would have there (``vision.contact_patch``), in
the picture's own detail, which the canonical picture has lost. A small network (``weights/rim.onnx``, trained by
``training/train_rim.py``) and plain edges each judge whether that is a disc's rim; together they give the odds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array
from calibration.view import BoardView
from vision.contact_edges import fit_edges
from vision.contact_net import network_input
from vision.contact_patch import Cylinders, Patches, camera_axes, patches
from vision.networks import answers

SHIFT_MAX_MM = 2.5
"""In each of ROUNDS, a candidate is moved onto its edges by no more than this before its rim is judged."""
ROUNDS = 2


@dataclass(frozen=True)
class Rims:
    """How the rims of N candidates look: the network's log odds (N,), and the edges' support in 0..1 (N,).

    ``moves`` (N, 2) in mm is how far the edges moved each candidate.
    """

    log_odds: Array
    support: Array
    moves: Array


def on_edges(
    image: NDArray[np.uint8], factor: float, view: BoardView, discs: Cylinders, rounds: int = ROUNDS
) -> tuple[Patches, Array, Array]:
    """Move candidates onto their edges: patches there, edges' support (N,), and the moves (N, 2) in mm."""
    nobody = Cylinders(np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    moves = np.zeros((len(discs), 2))
    seen = patches(image, factor, view, discs, nobody)
    for _ in range(rounds):
        ahead, left = camera_axes(view, discs.centres + moves)
        step = np.clip(fit_edges(seen).offset, -SHIFT_MAX_MM, SHIFT_MAX_MM)
        moves = moves + step[:, :1] * ahead + step[:, 1:] * left
        seen = patches(image, factor, view, discs.moved(moves), nobody)
    return seen, fit_edges(seen).support, moves


def rims(
    image: NDArray[np.uint8], factor: float, view: BoardView, places: Array, radius: float, heights: Sequence[float]
) -> Rims:
    """Look at the rims of candidates at ``places`` (N, 2) in mm; radius and heights in mm.

    ``image`` (H, W, 3) uint8 BGR is reduced by ``factor`` (``vision.contact_patch.prepare``). All discs of a picture
    have one height: of those given, the one at which more rims are seen.
    """
    n = len(places)
    if not n:
        return Rims(np.zeros(0), np.zeros(0), np.zeros((0, 2)))
    solids = [Cylinders(places, np.full(n, radius), np.full(n, height)) for height in heights]
    seen, supports, moves = zip(*(on_edges(image, factor, view, s) for s in solids), strict=True)
    log_odds = np.split(_log_odds(np.concatenate(seen)), len(heights))
    looks = [Rims(*look) for look in zip(log_odds, supports, moves, strict=True)]
    return max(looks, key=lambda r: float(np.logaddexp(0.0, r.log_odds).sum()))


def _log_odds(seen: Patches) -> Array:
    """The network's log odds (N,) of patches (N, CHANNELS, ANGLES, STEPS)."""
    return answers("rim", network_input(seen)).reshape(-1).astype(np.float64)

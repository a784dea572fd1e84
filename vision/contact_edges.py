"""A disc's place by plain geometry: the strongest edges along the outline, without anything learned.

Coarser than the network (line calls by edges alone err by 0.3 mm in the middle of the lot and by 1.8 mm at the 95th
percentile, since shadow and bevel shift edges), but wrong in other ways: it tells when the network is grossly astray.
On the far side and the flanks the upper rim ends the disc, on the near side the foot of its wall.
"""

from dataclasses import dataclass

import numpy as np

from calibration.camera import Array
from vision.contact_patch import ANGLES, INSIDE_MM, STEP_MM, STEPS, Patches

NEAR_ARC = np.radians(60)
"""Half of the arc, about the direction to the camera, on which the foot of the wall is the outline."""
REACH_MM = 3.0
"""Edges are looked for this far on either side of the outline."""
EDGE_MIN = 6.0
"""Least change of colour a step, in square-root values, that is an edge and not grain."""
HUBER_MM = 0.4
ROUNDS = 6


@dataclass(frozen=True)
class EdgeFit:
    """Offsets (N, 2) in mm towards the camera and to its left; support (N,) in 0..1: the share that agrees."""

    offset: Array
    support: Array


def fit_edges(patches: Patches) -> EdgeFit:
    """Fit patches (N, C, ANGLES, STEPS): one edge for each angle, a robust mean of what they say of the centre."""
    n = len(patches)
    turn = np.arange(ANGLES) * (2 * np.pi / ANGLES)
    near = np.abs((turn + np.pi) % (2 * np.pi) - np.pi) < NEAR_ARC
    place = (np.arange(1, STEPS - 1)) * STEP_MM - INSIDE_MM
    window = np.nonzero(np.abs(place) <= REACH_MM)[0]
    first, last = window[0], window[-1] + 3  # the steps whose neighbours' differences lie in the window
    colour = patches[:, :6, :, first:last].reshape(n, 2, 3, ANGLES, -1)
    ring = np.where(near[:, None], colour[:, 1], colour[:, 0]).astype(np.float32)
    mask = np.where(near[:, None], patches[:, 7, :, first:last], patches[:, 6, :, first:last]) > 127
    inside = (((ring[..., 2:] - ring[..., :-2]) / 2) ** 2).sum(1)  # exact in float32: squares of halves
    inside[mask[..., 1:-1]] = 0.0
    best = inside.argmax(2)
    middle = np.clip(best, 1, len(window) - 2)
    a, b, c, top = (
        np.sqrt(np.take_along_axis(inside, at[..., None], 2)[..., 0].astype(np.float64))
        for at in (middle - 1, middle, middle + 1, best)
    )
    bend = a - 2 * b + c
    part = np.where(bend < -1e-9, 0.5 * (a - c) / np.where(bend < -1e-9, bend, -1.0), 0.0)
    at = place[window][middle] + np.clip(part, -1, 1) * STEP_MM
    usable = (top > EDGE_MIN).astype(np.float64)
    way = np.column_stack([np.cos(turn), np.sin(turn)])
    offset, weight = np.zeros((n, 2)), usable
    left = at
    for _ in range(ROUNDS):
        normal = np.einsum("na,ai,aj->nij", weight, way, way) + 1e-3 * np.eye(2)
        side = np.einsum("na,ai,na->ni", weight, way, at)
        offset = np.linalg.solve(normal, side[..., None])[..., 0]
        left = at - offset @ way.T
        weight = usable / np.maximum(1.0, np.abs(left) / HUBER_MM)
    support = (usable * (np.abs(left) < 2 * HUBER_MM)).mean(1)
    return EdgeFit(np.asarray(offset), np.asarray(support))

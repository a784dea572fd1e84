"""What lies in the hole: a small network on a fine patch about it.

At the canonical picture's scale (``vision.disc_canonical``) a disc flat in the hole and one leaning into it differ by a
pixel. Here the hole is sampled from the picture itself, sized by the disc's radius, the camera always at the bottom.
Weights, trained by ``training/train_hole.py``: ``hole.onnx`` for what is there, ``lean.onnx`` for whether a disc in the
hole lies flat or leans.
"""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.view import BoardView
from vision.networks import answer
from vision.square_patch import OVERSAMPLE, PATCH, network_input

HALF_RADII = 1.75
"""Half the side in disc radii: the hole, a disc over its edge, and the surface around."""
PATCH_STATES = ("none", "hole", "leaning", "board")
"""Empty; flat in the hole; tilted into it; flat on the surface over or beside its edge."""
_INSIDE = [PATCH_STATES.index("hole"), PATCH_STATES.index("leaning")]


def hole_patch(image: NDArray[np.uint8], view: BoardView, radius_mm: float) -> tuple[NDArray[np.uint8], float]:
    """Patch (PATCH, PATCH, 3) uint8 BGR about the board's centre on the surface's plane, and tan of the view angle.

    ``image`` is (H, W, 3) uint8 BGR; ``radius_mm`` the discs' radius on this board.
    """
    turn = view.towards_camera(np.zeros(2)) + math.pi / 2
    half = HALF_RADII * radius_mm
    fine = 1 if view.px_per_mm(np.zeros(2)) * 2 * half < PATCH else OVERSAMPLE
    big = view.rectify(image, half, PATCH * fine, 0.0, turn)
    patch = big if fine == 1 else cv2.resize(big, (PATCH, PATCH), interpolation=cv2.INTER_AREA)
    return np.asarray(patch, dtype=np.uint8), math.tan(view.view_angle(np.zeros(2)))


def hole_odds(image: NDArray[np.uint8], view: BoardView, radius_mm: float) -> dict[str, float]:
    """Probability of each of :data:`PATCH_STATES`; image (H, W, 3) uint8 BGR."""
    patch, tangent = hole_patch(image, view, radius_mm)
    p = _probabilities("hole", patch, tangent)
    leans = _probabilities("lean", patch, tangent)[_INSIDE]
    p[_INSIDE] = p[_INSIDE].sum() * leans / leans.sum()
    return dict(zip(PATCH_STATES, p.tolist(), strict=True))


def _probabilities(name: str, patch: NDArray[np.uint8], tangent: float) -> NDArray[np.float64]:
    """What a network says of a patch, as the mean of it and its mirror image: (len(PATCH_STATES),)."""
    logits = np.zeros(len(PATCH_STATES))
    for view_of_it in (patch, patch[:, ::-1]):  # mirrored across the camera's axis it is as likely a picture
        given = network_input(view_of_it[None], np.array([tangent], np.float32))
        logits += answer(name, given).reshape(-1).astype(np.float64) / 2
    p = np.exp(logits - logits.max())
    return np.asarray(p / p.sum())

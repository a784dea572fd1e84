"""One more opinion on every candidate: does the place as a whole look like a disc?

The picture about a candidate is redrawn from straight above, in the plane at half a disc's height, sized by the disc's
radius, with the camera always at the bottom. A small network (``weights/whole.onnx``, trained by
``training/train_whole.py``) says whether that is a disc. Where ``vision.disc_rim`` sees only the outline, it sees face,
wall, shadow and surroundings.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array, resized_px
from calibration.view import BoardView
from vision.contact_patch import camera_axes
from vision.networks import answers
from vision.square_patch import OVERSAMPLE, PATCH, network_input

HALF_RADII = 1.6
"""Half the side in disc radii: at 58 degrees from above a disc's face and foot both lie within."""
BEYOND = 128
"""Grey value of the corners, which lie farther away."""

_AXIS = np.arange(PATCH) - (PATCH - 1) / 2
_CORNERS = np.hypot(_AXIS[:, None], _AXIS) > PATCH / 2


def whole_patches(
    image: NDArray[np.uint8], factor: float, view: BoardView, places: Array, radius: float, height: float
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Patches (N, PATCH, PATCH, 3) uint8 BGR about places (N, 2) in mm, and the view angles' tangents (N,).

    ``image`` (H, W, 3) uint8 BGR, reduced by ``factor`` (``vision.contact_patch.prepare``); the discs' radius and
    height in mm.
    """
    n, side = len(places), PATCH * OVERSAMPLE
    ahead, left = camera_axes(view, places)
    # the patch's corners from its upper left one clockwise; the camera is below, so that its right is their left
    signs = np.array([[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]) * HALF_RADII * radius
    corners = places[:, None] + signs[None, :, :1] * left[:, None] - signs[None, :, 1:] * ahead[:, None]
    px = view.to_px(corners.reshape(-1, 2), height / 2).reshape(n, 4, 2)
    px = resized_px(px, factor).astype(np.float32)
    ends = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32) - 0.5
    out = np.zeros((n, PATCH, PATCH, 3), np.uint8)
    for k in range(n):
        turn = cv2.getPerspectiveTransform(ends, px[k])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        fine = cv2.warpPerspective(image, turn, (side, side), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        out[k] = cv2.resize(fine, (PATCH, PATCH), interpolation=cv2.INTER_AREA)
    out[:, _CORNERS] = BEYOND
    eye = view.camera.centre
    return out, (np.linalg.norm(places - eye[:2], axis=1) / eye[2]).astype(np.float32)


def whole_odds(
    image: NDArray[np.uint8], factor: float, view: BoardView, places: Array, radius: float, height: float
) -> Array:
    """The network's log odds (N,) of a disc at each place; arguments as for :func:`whole_patches`."""
    given = network_input(*whole_patches(image, factor, view, places, radius, height))
    return answers("whole", given).reshape(-1).astype(np.float64)

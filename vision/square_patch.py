"""Small square pieces of the picture, redrawn from straight above with the camera at the bottom.

They are what the networks see that look at one place each.
"""

import numpy as np
from numpy.typing import NDArray

PATCH = 56
"""Side of a patch in pixels: near 1 mm each for a usual disc."""
OVERSAMPLE = 2
"""Samples per pixel and axis, so that finer pictures are averaged instead of skipped over."""
TANGENT_MAX = 2.0
"""Tangents of view angles are capped here (63 degrees), as in training."""


def network_input(patches: NDArray[np.uint8], tangents: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the input (N, 4, PATCH, PATCH) of a network.

    It holds the colours, in -1..1, of patches (N, PATCH, PATCH, 3), and how obliquely each is seen: tangents (N,) of
    the view angle.
    """
    colours = patches.transpose(0, 3, 1, 2).astype(np.float32) / 127.5 - 1
    plane = np.minimum(tangents, TANGENT_MAX).astype(np.float32)[:, None, None, None] - 1
    return np.concatenate([colours, np.broadcast_to(plane, (len(patches), 1, PATCH, PATCH))], axis=1)

"""What covers the surface: a small network that tells the board and its pieces from everything that lies over them.

Hands, arms, cups, papers, phones: what they hide can't be read, and no network of discs sees what isn't there. This one
(``weights/cover.onnx``, trained by ``training/train_cover.py``) looks at the canonical picture at half its size and
says of each cell how likely something covers it. Discs, posts, prints, reflections and shadows cover nothing.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.disc_canonical import PX_PER_MM, SIZE
from vision.networks import answer

SIDE = SIZE // 2
"""Side of the network's input in pixels: a disc has a radius of 5."""
STRIDE = 4
"""Pixels of the input a cell."""
BRIGHT_PERCENTILE, BRIGHT, GAIN_MOST = 90, 190.0, 8.0
"""The surface's brightest tenth is brought up to this grey value, by at most this factor, in dark rooms."""
CELLS = SIDE // STRIDE
CELL_PX = SIZE // CELLS
"""Pixels of the canonical picture a cell: 12.5 mm, less than a disc's radius."""


def away_channel(shooting_px: float) -> NDArray[np.float32]:
    """Distance (SIDE, SIDE) of each pixel from the board's centre, in radii of the shooting line, less 1.

    ``shooting_px``: that radius in pixels of the network's input.
    """
    along = np.arange(SIDE, dtype=np.float32) - (SIDE - 1) / 2
    return np.asarray(np.hypot(along[None], along[:, None]) / shooting_px - 1, np.float32)


def network_input(picture: NDArray[np.uint8], shooting_px: float) -> NDArray[np.float32]:
    """Input (4, SIDE, SIDE) of a picture (SIDE, SIDE, 3) uint8 BGR; a dark one is brightened."""
    away = away_channel(shooting_px)
    bright = float(np.percentile(picture.max(axis=2)[away < 0], BRIGHT_PERCENTILE))
    gain = min(max(BRIGHT / max(bright, 1.0), 1.0), GAIN_MOST)
    colours = np.minimum(picture.transpose(2, 0, 1).astype(np.float32) * np.float32(gain / 127.5), 2) - 1
    return np.concatenate([colours, away[None]])


def cover_odds(picture: NDArray[np.uint8], shooting: float) -> NDArray[np.float32]:
    """Log odds (CELLS, CELLS) that something covers a cell of a canonical picture (SIZE, SIZE, 3) uint8 BGR.

    ``shooting``: the shooting line's radius in canonical mm.
    """
    small = np.asarray(cv2.resize(picture, (SIDE, SIDE), interpolation=cv2.INTER_AREA), np.uint8)
    return np.asarray(answer("cover", network_input(small, shooting * PX_PER_MM / 2)[None])[0, 0], np.float32)

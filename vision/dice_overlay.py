"""Dice drawn on their picture: a ring around each top face's point with what was read."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from PIL import Image, ImageDraw

from vision.formats import Pixels
from vision.overlay import HALO, SIDE_RANGE, text

RING = (80, 220, 255)
DOUBT = (60, 60, 255)
"""BGR of rings around what was read and what couldn't be."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One piece: words for a list, short ones for its point (pixels of the picture), its size, whether it was read."""

    words: str
    short: str
    px: tuple[float, float]
    size: float
    known: bool


def draw_marks(image: Pixels, marks: Sequence[Mark]) -> Pixels:
    """Return a new picture (h, w, 3) BGR uint8 with the marks; points and sizes are in pixels of ``image``."""
    factor = float(np.clip(max(image.shape[:2]), *SIDE_RANGE)) / max(image.shape[:2])
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    size = (round(image.shape[1] * factor), round(image.shape[0] * factor))
    canvas = np.asarray(cv2.resize(image, size, interpolation=method), dtype=np.uint8)
    unit = max(canvas.shape[:2]) / SIDE_RANGE[0]
    for m in marks:
        at = (round(m.px[0] * factor), round(m.px[1] * factor))
        radius = max(6, round(0.55 * m.size * factor))
        cv2.circle(canvas, at, radius, HALO, max(1, round(4 * unit)), cv2.LINE_AA)
        cv2.circle(canvas, at, radius, RING if m.known else DOUBT, max(1, round(2 * unit)), cv2.LINE_AA)
    sheet = Image.fromarray(cv2.cvtColor(canvas, cv2.COLOR_BGR2RGB))
    pen = ImageDraw.Draw(sheet)
    for m in marks:
        beside = (m.px[0] * factor + 0.75 * m.size * factor, m.px[1] * factor - 0.55 * m.size * factor)
        fill = (RING if m.known else DOUBT)[::-1]
        text(pen, beside, m.short, float(np.clip(0.6 * m.size * factor, 18 * unit, 44 * unit)), fill)
    return np.asarray(cv2.cvtColor(np.asarray(sheet), cv2.COLOR_RGB2BGR), dtype=np.uint8)

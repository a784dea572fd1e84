"""The pictures of an audited call, all BGR uint8.

The place enlarged, plain and with the solved outlines; the board from above; the solved lines.
"""

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.camera import Array
from calibration.view import BoardView
from referee.audit_call import Call
from referee.crokinole_reader import CrokinoleReading
from vision import overlay
from vision.formats import Pixels

CROP_PX = (1040, 660)
"""Size of an enlarged crop: sharp at 88 mm on paper."""

CROP_MM = 32.0
"""Width of the place that a crop shows: a disc and the line beside it."""

INWARD = 0.25
"""The crop's middle lies this share of the radius from the contact towards the disc's middle."""

WHOLE_PX = 1500
"""Longer side of what is drawn of the whole picture, and of the board from above."""

BAR_MM = 5.0
LINE_INK: overlay.Colour = overlay.LINE_COLOUR
"""The line's inner edge, as in every other overlay."""

DISC_INK: overlay.Colour = (190, 40, 255)
"""The disc's outline: pink, which neither wood nor discs have."""

RIM_INK: overlay.Colour = (60, 190, 255)
"""The upper rim of the disc: amber."""

MARK_INK: overlay.Colour = (255, 255, 255)
ARROW_PX = (14.0, 9.0, 34.0)
"""Length and half width of an arrow head and length of its shaft, in pixels of a crop."""

ARROW_OFF_MM = 0.7
"""The arrows end this far before the edges that they point at, so that nothing covers the gap itself."""


@dataclass(frozen=True, eq=False)
class Enlarged:
    """The window of the frame that a crop shows: its left upper corner in px of the frame, and the enlargement."""

    left: float
    top: float
    factor: float

    def pixels(self, image: Pixels) -> Pixels:
        """The window (CROP_PX), interpolated; what lies outside the picture is grey."""
        shift = 0.5 / self.factor
        back = np.array([[1 / self.factor, 0, self.left + shift], [0, 1 / self.factor, self.top + shift]])
        drawn = cv2.warpAffine(
            image,
            back,
            CROP_PX,
            flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=(128, 128, 128),
        )
        return np.asarray(drawn, dtype=np.uint8)

    def at(self, px: Array) -> Array:
        """Pixels of the frame (N, 2) as pixels of the crop."""
        return np.asarray((px - (self.left, self.top)) * self.factor - 0.5)

    def source(self, image: Pixels) -> Pixels:
        """The window's own pixels as they are in the frame."""
        height, width = image.shape[:2]
        x0, y0 = max(0, math.floor(self.left + 0.5)), max(0, math.floor(self.top + 0.5))
        x1 = min(width, math.ceil(self.left + 0.5 + CROP_PX[0] / self.factor))
        y1 = min(height, math.ceil(self.top + 0.5 + CROP_PX[1] / self.factor))
        return np.ascontiguousarray(image[y0:y1, x0:x1])


def window_of(view: BoardView, call: Call) -> Enlarged:
    """Choose the window for a call."""
    lines = call.outlines
    towards = lines.centre - lines.touch
    middle = view.to_px((lines.touch + INWARD * towards)[None])[0]
    across = CROP_MM * _px_along_width(view, lines.touch)
    factor = CROP_PX[0] / across
    return Enlarged(float(middle[0]) - across / 2, float(middle[1]) - CROP_PX[1] / factor / 2, factor)


def _px_along_width(view: BoardView, mm: Array) -> float:
    """Pixels for a millimetre of the board that appears along the picture's width, at a board point (2,)."""
    px = view.to_px(mm[None])[0]
    sides = view.to_mm(px + np.array([[-0.5, 0.0], [0.5, 0.0]]))
    return 1.0 / float(np.hypot(*(sides[1] - sides[0])))


def drawn_crop(view: BoardView, call: Call, window: Enlarged, plain: Pixels) -> Pixels:
    """The crop ``plain`` with the line's inner edge, the disc's outlines and a bar of :data:`BAR_MM` drawn on it."""
    canvas = plain.copy()
    lines = call.outlines
    _curve(canvas, window, lines.upper_rim(view), RIM_INK, 2.0)
    _curve(canvas, window, view.to_px(lines.ring()), DISC_INK, 2.0)
    edge = view.to_px(lines.edge(lines.inner))
    _curve(canvas, window, np.vstack([edge, edge[::-1]]), LINE_INK, 2.0)
    _arrows(canvas, view, window, call)
    _bar(canvas, BAR_MM * _px_along_width(view, lines.touch) * window.factor)
    return canvas


def _curve(canvas: Pixels, window: Enlarged, px: Array, colour: overlay.Colour, width: float) -> None:
    # the overlay's outline is given unscaled pixels: here those of the crop
    overlay.outline(canvas, window.at(px), 1.0, colour, width)


def _arrows(canvas: Pixels, view: BoardView, window: Enlarged, call: Call) -> None:
    """Two arrows towards each other along the radius: the gap lies between the edges that they point at."""
    lines = call.outlines
    way = np.array([math.cos(lines.bearing), math.sin(lines.bearing)])
    ends = sorted((lines.touch, lines.line_point), key=lambda p: float(np.hypot(*p)))
    for point, side in zip(ends, (-1.0, 1.0), strict=True):
        tip, tail = window.at(view.to_px(np.array([point + side * ARROW_OFF_MM * way, point + side * 9.0 * way])))
        back = (tail - tip) / max(float(np.hypot(*(tail - tip))), 1e-9)
        length, half, shaft = ARROW_PX
        normal = np.array([-back[1], back[0]])
        head = np.array([tip, tip + length * back + half * normal, tip + length * back - half * normal])
        stem = np.array([tip + length * back, tip + (length + shaft) * back])
        for colour, width in ((overlay.HALO, 5.0), (MARK_INK, 2.0)):
            overlay.outline(canvas, stem, 1.0, colour, width)
            overlay.outline(canvas, head, 1.0, colour, width)
        fixed = np.round(head * (1 << overlay.SHIFT)).astype(np.int32)
        cv2.fillConvexPoly(canvas, fixed, MARK_INK, cv2.LINE_AA, overlay.SHIFT)


def _bar(canvas: Pixels, length: float) -> None:
    """A scale of five millimetres, black and white by turns, on a plate in the lower left corner."""
    pad, thick, low = 16, 9, canvas.shape[0]
    size = round(length)
    top = low - 3 * pad - thick
    plate = canvas[top - pad : low - 10, 10 : 10 + size + 2 * pad]
    plate[:] = plate // 4 + 180
    step = length / BAR_MM
    for k in range(int(BAR_MM)):
        x0, x1 = round(10 + pad + k * step), round(10 + pad + (k + 1) * step)
        cv2.rectangle(canvas, (x0, top), (x1 - 1, top + thick), (20, 20, 20), -1 if k % 2 == 0 else 1)
    text = f"{BAR_MM:g} mm"
    (wide, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.75, 2)
    at = (10 + pad + (size - wide) // 2, low - pad - 8)
    cv2.putText(canvas, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.75, (20, 20, 20), 2, cv2.LINE_AA)


def reduced(reading: CrokinoleReading) -> tuple[Pixels, BoardView]:
    """The whole picture at WHOLE_PX at most, and the view of it."""
    image, view = reading.frame.pixels, reading.view
    height, width = image.shape[:2]
    factor = WHOLE_PX / max(width, height)
    if factor >= 1:
        return image, view
    size = (round(width * factor), round(height * factor))
    small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    return small, view.resized(size[0] / width, size[1] / height, *size)


def from_above(small: Pixels, view: BoardView, call: Call) -> Pixels:
    """The board seen straight from above with a ring about the disc; ``small`` and ``view`` from :func:`reduced`."""
    marked = small.copy()
    _mark(marked, view, call)
    board = overlay.rectified(marked, view)
    side = min(board.shape[0], WHOLE_PX // 2)
    return np.asarray(cv2.resize(board, (side, side), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def solved_lines(small: Pixels, view: BoardView, call: Call) -> Pixels:
    """The board in its picture with the inner edges of all lines as solved, and the disc marked."""
    canvas = small.copy()
    for radius in (*view.board.inner_edges, *([view.board.hole] if view.board.hole is not None else [])):
        overlay.outline(canvas, view.circle_px(radius, count=overlay.CIRCLE_POINTS), 1.0, LINE_INK, 1.0)
    _mark(canvas, view, call)
    around = view.circle_px(overlay.BOARD_MARGIN * view.board.usual_surface)
    (x0, y0), (x1, y1) = np.floor(around.min(axis=0)), np.ceil(around.max(axis=0))
    height, width = canvas.shape[:2]
    rows = slice(int(np.clip(y0, 0, height - 2)), int(np.clip(y1, 2, height)))
    columns = slice(int(np.clip(x0, 0, width - 2)), int(np.clip(x1, 2, width)))
    return np.ascontiguousarray(canvas[rows, columns])


def _mark(canvas: Pixels, view: BoardView, call: Call) -> None:
    lines = call.outlines
    unit = max(canvas.shape) / 1000
    ring = replace(lines, radius=1.9 * lines.radius).ring(96)
    overlay.outline(canvas, view.to_px(ring), 1.0, overlay.HALO, 4 * unit)
    overlay.outline(canvas, view.to_px(ring), 1.0, DISC_INK, 2 * unit)

"""The moving picture for the screen: the newest frame, with rings and discs drawn on it, encoded once for all.

A frame is encoded when somebody asks for it, so that a table without viewers costs nothing.
"""

import threading

import cv2
import numpy as np

from referee.officials import Seen
from vision.formats import Pixels
from vision.frames import Frame
from vision.overlay import HALO, LINE_COLOUR, VALUE_COLOURS, base_outline, outline

QUALITY = 78


class LivePicture:
    """Holds the newest frame and its encoded form."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._news = threading.Condition()
        self._number = 0
        self._frame: Frame | None = None
        self._seen: Seen | None = None
        self._encoding = threading.Lock()
        self._encoded: dict[bool, tuple[int, bytes]] = {}

    @property
    def number(self) -> int:
        """Grows with every frame; 0 before the first one."""
        return self._number

    @property
    def frame(self) -> Frame | None:
        """The newest frame."""
        return self._frame

    def show(self, frame: Frame, seen: Seen | None) -> None:
        """This is the newest frame and what was seen in it."""
        with self._news:
            self._frame, self._seen = frame, seen
            self._number += 1
            self._news.notify_all()

    def redraw(self, seen: Seen | None) -> None:
        """The newest frame is seen otherwise now."""
        with self._news:
            if self._frame is not None:
                self._seen = seen
                self._number += 1
                self._news.notify_all()

    def wait(self, number: int, seconds: float) -> int:
        """Wait until there is another frame than ``number``, at most so long; returns the newest one's number."""
        with self._news:
            self._news.wait_for(lambda: self._number != number, seconds)
            return self._number

    def jpeg(self, drawn: bool = True) -> bytes | None:
        """The newest frame as JPEG, with what was seen drawn on it; None before the first one."""
        with self._encoding:
            with self._news:
                number, frame, seen = self._number, self._frame, self._seen
            if frame is None:
                return None
            known = self._encoded.get(drawn)
            if known is None or known[0] != number:
                picture = scaled(frame.pixels, self._width)
                if drawn and seen is not None:
                    picture = draw_seen(picture, seen, picture.shape[1] / frame.pixels.shape[1])
                done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
                assert done
                known = self._encoded[drawn] = (number, bytes(data.tobytes()))
            return known[1]


def scaled(pixels: Pixels, width: int) -> Pixels:
    """The picture, made smaller where it is wider than ``width``."""
    if pixels.shape[1] <= width:
        return pixels.copy()
    height = max(1, round(pixels.shape[0] * width / pixels.shape[1]))
    return np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def smaller(jpeg: bytes, width: int) -> bytes:
    """A JPEG, made smaller where it is wider than ``width``."""
    pixels = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None or pixels.shape[1] <= width:
        return jpeg
    done, data = cv2.imencode(".jpg", scaled(np.asarray(pixels, np.uint8), width), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    assert done
    return bytes(data.tobytes())


def draw_seen(picture: Pixels, seen: Seen, factor: float) -> Pixels:
    """Draw the board's lines and every disc with its value; ``factor``: pixels here for one of the frame."""
    view = seen.view
    if view is None:
        return picture
    unit = picture.shape[1] / 1280
    radii = [*view.board.inner_edges, *([view.board.hole] if view.board.hole else [])]
    for radius in radii:
        outline(picture, view.circle_px(radius, count=180), factor, LINE_COLOUR, max(1.0, 1.6 * unit))
    for disc in seen.discs:
        colour = VALUE_COLOURS.get(disc.value, VALUE_COLOURS[None])
        ring = base_outline(view, disc)
        outline(picture, ring, factor, HALO, 5 * unit)
        outline(picture, ring, factor, colour, 2.6 * unit)
        words = "?" if disc.value is None else str(disc.value)
        _text(picture, words, np.array(disc.px) * factor, 0.8 * max(unit, 0.6), colour)
    return picture


def _text(picture: Pixels, words: str, at: np.ndarray, size: float, colour: tuple[int, int, int]) -> None:
    thick = max(1, round(2 * size))
    (w, h), _ = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
    origin = (round(float(at[0]) - w / 2), round(float(at[1]) + h / 2))
    cv2.putText(picture, words, origin, cv2.FONT_HERSHEY_SIMPLEX, size, HALO, thick + 3, cv2.LINE_AA)
    cv2.putText(picture, words, origin, cv2.FONT_HERSHEY_SIMPLEX, size, colour, thick, cv2.LINE_AA)

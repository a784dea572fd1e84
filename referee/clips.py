"""Short clips of shots: the last seconds of the table, small, kept as pictures until an event asks for them.

Kept as JPEG in memory (some 5 MB), encoded as H.264 only for what really happened, off the table's own thread.
"""

import io
from collections import deque
from fractions import Fraction
from typing import Any

import cv2
import numpy as np

from referee.live_picture import scaled
from vision.formats import Pixels
from vision.frames import Frame

WIDTH = 640
FPS = 12
SECONDS = 9.0
QUALITY = 70
AFTER_SECONDS = 0.4


class ClipRecorder:
    """Remembers the last seconds; :meth:`clip` makes a film of them."""

    def __init__(self) -> None:
        self._pictures: deque[tuple[float, bytes]] = deque()

    def add(self, frame: Frame) -> None:
        """Remember a frame, at most some twelve a second."""
        at = frame.timestamp
        if self._pictures and at < self._pictures[-1][0]:
            self._pictures.clear()  # the source began anew
        if self._pictures and at - self._pictures[-1][0] < 1 / FPS:
            return
        done, data = cv2.imencode(".jpg", scaled(frame.pixels, WIDTH), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        assert done
        self._pictures.append((at, bytes(data.tobytes())))
        while self._pictures and at - self._pictures[0][0] > SECONDS:
            self._pictures.popleft()

    def until(self, at: float) -> list[tuple[float, bytes]]:
        """The pictures up to shortly after a moment."""
        return [item for item in self._pictures if item[0] <= at + AFTER_SECONDS]


def encode(pictures: list[tuple[float, bytes]]) -> bytes | None:
    """An MP4 (H.264) of pictures with their times; None for fewer than two."""
    import av  # noqa: PLC0415 - only where clips are made

    if len(pictures) < 2:
        return None
    out = io.BytesIO()
    start = pictures[0][0]
    first = _pixels(pictures[0][1])
    with av.open(out, "w", format="mp4") as film:
        stream: Any = film.add_stream("libx264", rate=FPS, options={"preset": "veryfast", "crf": "27"})
        stream.pix_fmt, stream.time_base = "yuv420p", Fraction(1, 1000)
        stream.codec_context.time_base = Fraction(1, 1000)
        stream.height, stream.width = first.shape[:2]
        for at, data in pictures:
            pixels = _pixels(data)
            if pixels.shape != first.shape:
                continue  # a source that came back in another size
            frame = av.VideoFrame.from_ndarray(pixels, format="bgr24")
            frame.pts, frame.time_base = round(1000 * (at - start)), Fraction(1, 1000)
            film.mux(stream.encode(frame))
        film.mux(stream.encode())
    return out.getvalue()


def _pixels(data: bytes) -> Pixels:
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert pixels is not None
    even = pixels[: pixels.shape[0] // 2 * 2, : pixels.shape[1] // 2 * 2]  # this coding needs even sizes
    return np.ascontiguousarray(even, dtype=np.uint8)

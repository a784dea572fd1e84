"""A copy of the video with what was seen drawn into it: rings and ids of the discs, and the score."""

import bisect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import av.error
import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import UnusableInputError
from referee.match_json import points_after_shots
from referee.officials.crokinole import Board
from vision.video import VideoFile

VALUE_COLOURS: Mapping[int | None, tuple[int, int, int]] = {
    20: (80, 220, 255), 15: (120, 255, 120), 10: (255, 200, 90), 5: (230, 140, 255), 0: (190, 190, 190),
    None: (60, 60, 255),
}  # fmt: skip
"""BGR by value, bright enough on black and on maple."""
QUALITY = "23"
ENCODERS = ("libx264", "mpeg4")
"""The first of these that this FFmpeg has."""


def annotate(
    source: Path, target: Path, data: Mapping[str, Any], boards: Sequence[Board], progress: Callable[[float], None]
) -> None:
    """Write ``target`` with rings, ids and score burnt in; ``progress`` is told the seconds that are done."""
    times = [b.at for b in boards]
    moving = [(s["start_s"], s["settled_s"]) for s in data["shots"]]
    scores = _scores(data)
    with VideoFile(source) as video:
        try:
            with av.open(str(target), "w") as out:
                stream: Any = None
                for frame in video.frames():
                    picture = frame.pixels.copy()
                    k = bisect.bisect_right(times, frame.timestamp) - 1
                    if k >= 0 and not any(a <= frame.timestamp <= b for a, b in moving):
                        _rings(picture, boards[k])
                    _score(picture, _text_at(scores, frame.timestamp))
                    picture = picture[: picture.shape[0] // 2 * 2, : picture.shape[1] // 2 * 2]
                    if stream is None:
                        stream = _stream(out, picture, video.info.rate)
                    encoded = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="bgr24")
                    encoded.pts = round(frame.timestamp / float(stream.codec_context.time_base))
                    encoded.time_base = stream.codec_context.time_base
                    out.mux(stream.encode(encoded))
                    progress(frame.timestamp)
                if stream is not None:
                    out.mux(stream.encode(None))
        except (av.error.FFmpegError, OSError, ValueError) as error:
            raise UnusableInputError(f"{target}: the video can't be written ({error})") from error


def _stream(out: Any, picture: NDArray[np.uint8], rate: float) -> Any:
    name = next((e for e in ENCODERS if e in av.codecs_available), ENCODERS[-1])
    stream = out.add_stream(name, rate=Fraction(rate).limit_denominator(1001))
    stream.height, stream.width = picture.shape[:2]
    stream.pix_fmt = "yuv420p"
    stream.codec_context.time_base = Fraction(1, 90000 if name == "libx264" else 1000)
    if name == "libx264":
        stream.options = {"crf": QUALITY, "preset": "veryfast"}
    return stream


def _rings(picture: NDArray[np.uint8], board: Board) -> None:
    view = board.view
    width = max(1, round(picture.shape[1] / 640))
    for lies in board.lying:
        disc = lies.disc
        a = np.arange(48) * (2 * np.pi / 48)
        ring = np.array(disc.mm) + view.board.disc_radius * np.column_stack([np.cos(a), np.sin(a)])
        px = np.round(view.to_px(ring) * 16).astype(np.int32)
        cv2.polylines(picture, [px], True, VALUE_COLOURS.get(disc.value, VALUE_COLOURS[None]), width, cv2.LINE_AA, 4)
        x, y = px.mean(axis=0) / 16
        _text(picture, str(lies.id), (round(x), round(y)), picture.shape[1] / 2600)


def _scores(data: Mapping[str, Any]) -> list[tuple[float, str]]:
    """From when on which line of text stands: points of the round as they would count."""
    out = [(0.0, "")]
    for shot, points in zip(data["shots"], points_after_shots(data), strict=True):
        valid = "" if shot["valid"] else f"  {(shot['rule'] or '').replace('_', ' ')}"
        counted = "  ".join(f"{s} {p}" for s, p in points.items())
        out.append((shot["settled_s"], f"round {shot['round']}  shot {shot['number']}  {counted}{valid}"))
    return out


def _text_at(scores: Sequence[tuple[float, str]], at: float) -> str:
    return scores[max(0, bisect.bisect_right([t for t, _ in scores], at) - 1)][1]


def _score(picture: NDArray[np.uint8], words: str) -> None:
    scale = picture.shape[1] / 1600
    _text(picture, words, (round(12 * scale) + 4, round(34 * scale) + 4), scale, centred=False)


def _text(picture: NDArray[np.uint8], words: str, at: tuple[int, int], scale: float, centred: bool = True) -> None:
    if not words:
        return
    width = max(1, round(2 * scale))
    (w, h), _ = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, scale, width)
    place = (at[0] - w // 2, at[1] + h // 2) if centred else at
    cv2.putText(picture, words, place, cv2.FONT_HERSHEY_SIMPLEX, scale, (0, 0, 0), width + 3, cv2.LINE_AA)
    cv2.putText(picture, words, place, cv2.FONT_HERSHEY_SIMPLEX, scale, (255, 255, 255), width, cv2.LINE_AA)

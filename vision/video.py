"""Video files as frames: decoded by FFmpeg, with exact timestamps, upright, with square pixels.

A :class:`VideoFrame` is a :class:`~vision.frames.Frame` whose pixels are converted to BGR when they are first asked
for; its ``luma`` is the decoder's own plane, for whoever only wants to know whether something moves.
"""

import hashlib
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import av
import av.error
import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array
from calibration.errors import UnusableInputError
from vision.ahead import ahead
from vision.frames import ASPECT_RANGE, ASPECT_TOLERANCE, Frame
from vision.spare_frames import SpareFrames, told_by_length

Gray = NDArray[np.uint8]

EIGHT_BIT = ("yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "yuv444p", "yuvj444p", "nv12", "nv21", "gray")
"""Pixel formats whose first plane is luma, a byte a pixel."""
DEEP = {"yuv420p10le": 2, "yuv422p10le": 2, "yuv444p10le": 2, "p010le": 8, "yuv420p12le": 4, "yuv422p12le": 4}
"""Formats whose first plane is luma, two bytes a pixel, and the bits to drop for eight."""
HDR_TRANSFERS = {16: "PQ", 18: "HLG"}
"""Transfer characteristics (ITU-T H.273) of pictures whose brightness isn't meant for ordinary screens."""
DEFAULT_RATE = 30.0
"""Frames a second where a file neither says nor has timestamps."""
AHEAD_BYTES, AHEAD_FRAMES = 96_000_000, 64
"""A recording is decoded at most this far ahead: as long as reading a resting board takes, some 60 ms at 1080p."""
DECODE_FAULTS_AT_MOST = 50
"""Damaged packets in a row after which the rest of a file is given up."""


@dataclass(frozen=True, slots=True)
class VideoInfo:
    """What a file says about itself. ``width``, ``height``: of the picture as shown; ``duration_s``: None if unsaid."""

    path: str
    width: int
    height: int
    duration_s: float | None
    rate: float
    codec: str


@dataclass(frozen=True, slots=True)
class Geometry:
    """From a stored raster (w, h) to the upright picture with square pixels.

    ``turns``: quarter turns clockwise; ``stretched``: the stored raster's size (w, h) once its pixels are square.
    """

    stored: tuple[int, int]
    stretched: tuple[int, int]
    turns: int

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the upright picture."""
        w, h = self.stretched
        return (h, w) if self.turns % 2 else (w, h)

    def upright(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The stored pixels (h, w[, 3]) with square pixels, turned upright."""
        if self.stretched != self.stored:
            pixels = np.asarray(cv2.resize(pixels, self.stretched, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
        if self.turns:
            codes = (cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_COUNTERCLOCKWISE)
            pixels = np.asarray(cv2.rotate(pixels, codes[self.turns - 1]), dtype=np.uint8)
        return pixels

    @lru_cache(maxsize=8)  # noqa: B019 (a file has one or two)
    def to_stored(self) -> Array:
        """Affine map (2, 3) from pixels of the upright picture to those of the stored raster."""
        w, h = self.stretched
        turn = {
            0: [[1, 0, 0], [0, 1, 0]],
            1: [[0, 1, 0], [-1, 0, h - 1]],
            2: [[-1, 0, w - 1], [0, -1, h - 1]],
            3: [[0, -1, w - 1], [1, 0, 0]],
        }[self.turns]
        fx, fy = self.stored[0] / w, self.stored[1] / h
        scale = np.array([[fx, 0, 0.5 * fx - 0.5], [0, fy, 0.5 * fy - 0.5], [0, 0, 1]])
        return np.asarray((scale @ np.vstack([np.array(turn, dtype=np.float64), [0, 0, 1]]))[:2])


class VideoFrame(Frame):
    """A decoded frame whose pixels are converted when they are asked for; units and axes are those of Frame.

    ``to_plane`` (2, 3) maps pixels of the frame to those of ``luma``.
    """

    to_plane: Array

    def __init__(self, raw: Any, geometry: Geometry, source: str, timestamp: float) -> None:
        width, height = geometry.size
        fields: dict[str, Any] = {
            "source": source, "width": width, "height": height, "scale": (1.0, 1.0), "timestamp": timestamp,
            "focal_px": None, "real": None, "warnings": (), "_raw": raw, "_geometry": geometry,
        }  # fmt: skip
        affine = geometry.to_stored()
        if raw.interlaced_frame:  # one field is a picture of one moment; two woven into each other are not
            affine = affine * np.array([[1.0], [0.5]])
        fields["to_plane"] = affine
        for name, item in fields.items():
            object.__setattr__(self, name, item)

    @cached_property
    def pixels(self) -> NDArray[np.uint8]:
        """BGR (H, W, 3) uint8, upright, square pixels."""
        raw: Any = self.__dict__["_raw"]
        stored = np.asarray(raw.to_ndarray(format="bgr24"), dtype=np.uint8)
        if raw.interlaced_frame:
            stored = one_field(stored)
        geometry: Geometry = self.__dict__["_geometry"]
        return np.ascontiguousarray(geometry.upright(stored))

    @cached_property
    def sha256(self) -> str:
        """Hash of the pixels."""
        return hashlib.sha256(self.pixels.data).hexdigest()

    @cached_property
    def luma(self) -> Gray:
        """Luma (h, w) uint8 of the stored raster, one field of it where it is interlaced; a view where it can be."""
        raw: Any = self.__dict__["_raw"]
        plane = luma_plane(raw)
        return plane[::2] if raw.interlaced_frame else plane


def rotation_of(raw: Any) -> int:
    """By how many degrees counter-clockwise a decoded frame is to be turned to stand upright, as the file says."""
    return int(getattr(raw, "rotation", 0) or 0)


def turns_of(rotation: int) -> int:
    """The same in quarter turns clockwise."""
    return round(-rotation / 90) % 4


def upright_pixels(raw: Any) -> NDArray[np.uint8]:
    """BGR (h, w, 3) uint8 of a decoded frame, turned upright; its pixels are taken as square."""
    size = (int(raw.width), int(raw.height))
    stored = np.asarray(raw.to_ndarray(format="bgr24"), dtype=np.uint8)
    return Geometry(size, size, turns_of(rotation_of(raw))).upright(stored)


def luma_plane(raw: Any) -> Gray:
    """Luma (h, w) uint8 of a decoded frame, without converting the picture where its format allows."""
    name, plane = raw.format.name, raw.planes[0]
    if name in EIGHT_BIT:
        rows = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)
        return rows[: raw.height, : raw.width]
    if name in DEEP:
        deep = np.frombuffer(plane, np.uint16).reshape(-1, plane.line_size // 2)[: raw.height, : raw.width]
        return np.asarray(np.minimum(deep >> DEEP[name], 255), dtype=np.uint8)
    return np.asarray(raw.to_ndarray(format="gray"), dtype=np.uint8)


def one_field(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The upper field (every second row) of woven pixels (h, w, 3), the rows between interpolated."""
    out = pixels.copy()
    upper = pixels[::2].astype(np.uint16)
    below = np.vstack([upper[1:], upper[-1:]])
    between = ((upper + below + 1) // 2).astype(np.uint8)
    out[1::2] = between[: len(out[1::2])]
    return out


def as_luma(frame: Frame) -> tuple[Gray, Array]:
    """Luma (h, w) uint8 of any frame and the affine map (2, 3) from the frame's pixels to it."""
    if isinstance(frame, VideoFrame):
        return frame.luma, frame.to_plane
    gray = np.asarray(cv2.cvtColor(frame.pixels, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    return gray, np.array([[1.0, 0, 0], [0, 1.0, 0]])


class VideoFile:
    """An open video file; use it as a context manager, or close it.

    Raises UnusableInputError (unreadable_input, no_video) with one line that says what is wrong. A damaged file is read
    as far as possible, and ``warnings`` then grows while frames are read. ``threads``: how many decode, by default as
    many as FFmpeg likes. ``still``: it is a picture file.
    """

    def __init__(self, path: Path | str, threads: int | None = None) -> None:
        self.path = Path(path)
        self.warnings: list[str] = []
        self._closed = False
        if not self.path.is_file():
            why = "this is a folder; name a video in it" if self.path.is_dir() else "there is no such file"
            raise UnusableInputError(f"{self.path}: {why}", code="unreadable_input")
        try:
            self._container = av.open(str(self.path))
        except (av.error.FFmpegError, OSError, ValueError) as error:
            raise UnusableInputError(
                f"{self.path}: can't be read as a video ({_words(error)}); a file that was cut off before its index"
                " was written can't be read at all",
                code="unreadable_input",
            ) from error
        streams = [s for s in self._container.streams.video if "attached_pic" not in str(s.disposition)]
        if not streams:
            self._container.close()
            raise UnusableInputError(f"{self.path}: has no moving picture", code="no_video")
        self._stream: Any = streams[0]
        self._stream.thread_type = "AUTO"
        if threads is not None:
            self._stream.codec_context.thread_count = threads
        self.still = self._container.format.name.startswith("image2") or self._container.format.name.endswith("_pipe")
        self._start = float((self._container.start_time or 0) / av.time_base)
        self.info = self._about()

    def __enter__(self) -> "VideoFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the file go."""
        self._closed = True
        self._container.close()

    def _about(self) -> VideoInfo:
        stream = self._stream
        first = None
        try:
            first = next(self._container.decode(stream))
        except (av.error.FFmpegError, StopIteration) as error:
            raise UnusableInputError(f"{self.path}: no frame can be decoded", code="unreadable_input") from error
        self._rotation = rotation_of(first)
        self._aspect = self._believed(stream.sample_aspect_ratio)
        width, height = self._geometry(first).size
        if first.interlaced_frame:
            self.warnings.append("the video is interlaced: one field of each frame is used")
        transfer = getattr(first, "color_trc", None)
        if transfer in HDR_TRANSFERS:
            self.warnings.append(
                f"the video is HDR ({HDR_TRANSFERS[transfer]}): its colours are read as they are stored"
            )
        self._container.seek(0)
        duration = None
        if stream.duration is not None:
            duration = float(stream.duration * stream.time_base)
        elif self._container.duration:
            duration = self._container.duration / av.time_base
        rate = float(stream.average_rate or stream.guessed_rate or DEFAULT_RATE)
        return VideoInfo(str(self.path), width, height, duration, rate, stream.codec_context.name)

    def _believed(self, ratio: Fraction | None) -> float:
        aspect = float(ratio) if ratio else 1.0
        if ASPECT_RANGE[0] <= aspect <= ASPECT_RANGE[1]:
            return aspect
        self.warnings.append(f"the file claims pixels {aspect:.2f} times as wide as high; taken as square")
        return 1.0

    def _geometry(self, raw: Any) -> Geometry:
        w, h = int(raw.width), int(raw.height)
        stretched = (w, h)
        if abs(self._aspect - 1) > ASPECT_TOLERANCE:
            stretched = (round(w * self._aspect), h) if self._aspect > 1 else (w, round(h / self._aspect))
        return Geometry((w, h), stretched, turns_of(self._rotation))

    def _seek(self, start: float) -> None:
        try:
            self._container.seek(round((start + self._start) * av.time_base))
        except (av.error.FFmpegError, OSError):  # the file can't be searched: from its beginning
            self._container.seek(0)

    def frames(self, start: float = 0.0, all_of_them: bool = True) -> Iterator[VideoFrame]:
        """Yield all frames from the last key frame before ``start`` seconds on, with strictly growing timestamps.

        Timestamps are seconds from the file's beginning. Damaged parts are skipped and named in ``warnings``. Unless
        ``all_of_them`` are wanted, some that add nothing to their neighbours aren't decoded (``vision.spare_frames``).
        """
        if start > 0:
            self._seek(start)
        last, step, faults, lost = -1.0, 1.0 / self.info.rate, 0, 0
        jump = 0.0
        geometry: Geometry | None = None
        packets = self._container.demux(self._stream)
        context = self._stream.codec_context
        spare = None
        if not all_of_them and context.name == "h264" and told_by_length(bytes(context.extradata or b"")):
            spare = SpareFrames(context.width * context.height, self.info.rate)
        while faults < DECODE_FAULTS_AT_MOST:
            if self._closed:  # FFmpeg would read from memory that is gone
                raise ValueError(f"{self.path}: frames are wanted of a file that was closed")
            try:
                packet = next(packets)
                if spare is not None and packet.size and spare.passes(bytes(packet), packet.is_keyframe, _time(packet)):
                    continue
                decoded = packet.decode()
                faults = 0
            except StopIteration:
                break
            except av.error.FFmpegError:
                faults, lost = faults + 1, lost + 1
                continue
            for raw in decoded:
                at = last + step if raw.time is None else float(raw.time) - self._start + jump
                if at <= last:  # some joined files count anew in the middle
                    jump += last + step - at
                    at = last + step
                last = at
                if geometry is None or geometry.stored != (raw.width, raw.height):
                    geometry = self._geometry(raw)
                yield VideoFrame(raw, geometry, str(self.path), at)
        if lost:
            self.warnings.append(f"{lost} damaged piece{'s' if lost > 1 else ''} of the video skipped")
        expected = self.info.duration_s
        if expected is not None and 0 <= last < expected - max(1.0, 4 * step):
            self.warnings.append(f"the file ends at {last:.1f} s of {expected:.1f} s: it was cut off")

    def frames_ahead(self, start: float = 0.0) -> Generator[VideoFrame]:
        """Yield what :meth:`frames` does, without some frames that add nothing: for whoever follows what moves.

        They are decoded in a thread of its own while earlier ones are looked at. Close the generator before the file.
        """
        frame_bytes = self.info.width * self.info.height * 3 // 2
        return ahead(self.frames(start, all_of_them=False), min(max(AHEAD_BYTES // frame_bytes, 1), AHEAD_FRAMES))


def _time(packet: Any) -> float | None:
    """When the frame of a packet is shown, in seconds; None where it doesn't say."""
    return None if packet.pts is None else float(packet.pts * packet.time_base)


def cut_clip(path: Path, start: float, end: float, out: Path) -> None:
    """Copy the piece of a video from the key frame before ``start`` to ``end`` seconds into ``out``, not re-encoded."""
    with av.open(str(path)) as source:
        zero = (source.start_time or 0) / av.time_base
        stream = source.streams.video[0]
        try:
            source.seek(round((start + zero) * av.time_base))
            with av.open(str(out), "w") as target:
                copy = target.add_stream_from_template(stream)
                first: int | None = None
                for packet in source.demux(stream):
                    if packet.dts is None or packet.pts is None:
                        continue
                    if first is None:
                        first = packet.dts
                    if float(packet.pts * packet.time_base) - zero > end and packet.is_keyframe:
                        break
                    if float(packet.dts * packet.time_base) - zero > end:
                        break
                    packet.dts, packet.pts = packet.dts - first, packet.pts - first
                    packet.stream = copy
                    target.mux(packet)
        except (av.error.FFmpegError, OSError, ValueError) as error:
            raise UnusableInputError(f"{out}: the clip can't be written ({_words(error)})") from error


def _words(error: BaseException) -> str:
    return str(getattr(error, "strerror", None) or error)

"""Sources of live frames: USB cameras, network streams, a video file as if live, a folder of pictures.

A source is named by a short text: ``0`` or ``usb:0`` (a camera by index), a camera's name, ``rtsp://...`` or
``http://...`` (a stream), a path (a video or a folder). Names that may hold a password are shown without it.
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit, urlunsplit

import av
import av.error
import cv2
import numpy as np

from calibration.errors import UnusableInputError
from vision.camera_names import CameraName, list_cameras
from vision.formats import Pixels
from vision.frames import Frame, load_picture
from vision.video import DEFAULT_RATE, VideoFile, upright_pixels

Kind = Literal["usb", "stream", "video", "folder"]

STREAMS = ("rtsp", "rtsps", "http", "https", "rtmp", "udp", "tcp")
PROTOCOLS = "rtp,rtsp,udp,tcp,tls,http,https,rtmp,crypto,httpproxy"
"""Protocols that a stream may lead to: a playlist on the network must not open files of this machine."""

PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")
OPEN_SECONDS = 8.0
READ_SECONDS = 5.0
"""How long a stream may be silent before its library gives it up; the watchdog is a second guard."""

NO_PICTURE = "no picture in it"
STREAM_FAILURES = (av.error.FFmpegError, OSError, ValueError)
FOLLOWED = "a camera, a stream, a video or a folder of pictures can be followed"
FOLDER_FPS = 1.0
BEHIND_SECONDS = 0.3
"""A video that has fallen this far behind its own time goes on from there; a smaller delay is caught up."""


@dataclass(frozen=True, slots=True)
class SourceName:
    """A source as it was asked for. ``secret`` opens it; only ``shown`` may be displayed or logged.

    ``begin``: the second of a video from which it is played.
    """

    kind: Kind
    shown: str
    secret: str
    begin: float = 0.0

    def __repr__(self) -> str:
        return f"SourceName({self.kind}, {self.shown!r})"

    __str__ = __repr__


class Grabber(Protocol):
    """An open source. ``read`` blocks until the next frame; it returns None once the source has ended by itself."""

    def read(self) -> Frame | None:
        """The next frame, upright, with the source's own time."""
        ...

    def close(self) -> None:
        """Let go of the source; a read in another thread may then fail."""
        ...


def without_password(url: str) -> str:
    """A URL with neither user, password nor query, to be shown."""
    parts = urlsplit(url)
    try:
        host, port = parts.hostname or "", f":{parts.port}" if parts.port else ""
    except ValueError:
        host, port = parts.hostname or "", ""
    hidden = "?..." if parts.query else ""
    return urlunsplit((parts.scheme, host + port, parts.path, "", "")) + hidden


def parse_source(text: str, paths: bool = True) -> SourceName:
    """Understand a source's name; raises UnusableInputError that says what is possible.

    Without ``paths`` no file or folder can be named: for names that come from a browser.
    """
    text = text.strip()
    number = re.fullmatch(r"(?:usb:)?(\d{1,2})", text)
    if number:
        return SourceName("usb", f"camera {number[1]}", number[1])
    scheme = re.match(r"([a-z][a-z0-9+]*)://", text.lower())
    if scheme:
        if scheme[1] not in STREAMS:
            raise UnusableInputError(f"{scheme[1]}:// streams can't be read; known are {', '.join(STREAMS)}")
        return SourceName("stream", without_password(text), text)
    path = Path(text).expanduser() if paths else None
    if path and text and path.is_dir():
        return SourceName("folder", path.name, str(path))
    if path and text and path.is_file():
        return SourceName("video", path.name, str(path))
    for camera in list_cameras():
        if text and text.lower() in camera.name.lower():
            return SourceName("usb", camera.name, str(camera.index))
    raise UnusableInputError(
        f"{text[:80]!r} is no camera (0, 1 or part of its name), stream (rtsp:// or http://), video file or folder",
        code="unreadable_input",
    )


def check_source(name: SourceName) -> SourceName:
    """The name again, once a file or folder has shown that it can be followed; cameras and streams may come later.

    Raises UnusableInputError that says what is wrong and what to do.
    """
    if name.kind == "folder":
        Folder(Path(name.secret), name.shown)
    elif name.kind == "video":
        try:
            with VideoFile(Path(name.secret)) as video:
                still = video.still
        except UnusableInputError as error:
            why = "" if error.__cause__ is None else f" ({_cause(error.__cause__)})"
            raise UnusableInputError(f"{name.shown} is no video{why}; {FOLLOWED}", code=error.code) from error
        if still:
            raise UnusableInputError(
                f"{name.shown} is a picture: 'referee read' reads pictures; {FOLLOWED}", code="no_video"
            )
    return name


def open_source(name: SourceName, pace: float = 1.0) -> Grabber:
    """Open a source; the message of the UnusableInputError that it raises holds no password.

    ``pace``: a video is played this many times as fast as it was recorded.
    """
    if name.kind == "usb":
        return UsbCamera(int(name.secret), name.shown)
    if name.kind == "folder":
        return Folder(Path(name.secret), name.shown)
    if name.kind == "video":
        return PacedVideo(Path(name.secret), name.shown, pace, name.begin)
    return Stream(name.secret, name.shown)


def unreachable(shown: str, why: str = "") -> UnusableInputError:
    """The error of a source that can't be opened or was lost."""
    return UnusableInputError(f"{shown} can't be read{f' ({why})' if why else ''}", code="no_camera")


def _frame(pixels: Pixels, source: str, at: float) -> Frame:
    # live frames aren't hashed: that would cost more than all the rest, and evidence is hashed where it is kept
    height, width = pixels.shape[:2]
    return Frame(pixels, source, "", width, height, timestamp=at)


class UsbCamera:
    """A camera at this machine, through OpenCV: by the system's own backend, or any other where that fails."""

    def __init__(self, index: int, shown: str) -> None:
        self._shown = shown
        # OpenCV's backends would each complain about a missing camera; the error below says it once
        if hasattr(cv2, "utils") and hasattr(cv2.utils, "logging"):
            cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
        for backend in (*_backends(), cv2.CAP_ANY):
            self._capture = cv2.VideoCapture(index, backend)
            if self._capture.isOpened():
                break
        else:
            raise unreachable(shown, "not there, or another program uses it")
        # the newest frame wins: as little as possible waits in the driver
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self._start = time.monotonic()

    def read(self) -> Frame | None:
        """The next frame, timed by its arrival: these cameras give no time that can be trusted."""
        found, pixels = self._capture.read()
        if not found or pixels is None:
            raise unreachable(self._shown, "no picture")
        return _frame(np.asarray(pixels, dtype=np.uint8), self._shown, time.monotonic() - self._start)

    def close(self) -> None:
        """Let go of the camera."""
        self._capture.release()


def _backends() -> tuple[int, ...]:
    names = {"linux": ("CAP_V4L2",), "darwin": ("CAP_AVFOUNDATION",), "win32": ("CAP_MSMF", "CAP_DSHOW")}
    import sys  # noqa: PLC0415 - read here so that a test can stand in for another system

    found = (getattr(cv2, name, None) for name in names.get(sys.platform, ()))
    return tuple(value for value in found if isinstance(value, int))


class Stream:
    """A network stream, through PyAV: frames as they come.

    Files are played by :class:`PacedVideo`. The two share how a frame is turned upright and little else: a stream can't
    be searched, needs timeouts, must not open local files, and its end is a failure to recover from.
    """

    def __init__(self, secret: str, shown: str) -> None:
        self._shown = shown
        options = {"rtsp_transport": "tcp", "fflags": "nobuffer", "protocol_whitelist": PROTOCOLS}
        try:
            self._container: Any = av.open(secret, options=options, timeout=(OPEN_SECONDS, READ_SECONDS))
            stream: Any = self._container.streams.video[0]
        except IndexError:
            raise unreachable(shown, NO_PICTURE) from None
        except STREAM_FAILURES as error:
            raise unreachable(shown, _cause(error)) from None
        stream.thread_type = "SLICE"  # threads over several frames would delay each of them
        self._frames: Iterator[Any] = self._container.decode(stream)
        self._first: float | None = None
        self._count = 0

    def read(self) -> Frame | None:
        """The next frame with the stream's own time, from 0."""
        try:
            picture = next(self._frames)
        except StopIteration:
            raise unreachable(self._shown, "the stream has ended") from None
        except STREAM_FAILURES as error:
            raise unreachable(self._shown, _cause(error)) from None
        at = picture.time if picture.time is not None else self._count / DEFAULT_RATE
        self._count += 1
        if self._first is None:
            self._first = at
        return _frame(upright_pixels(picture), self._shown, at - self._first)

    def close(self) -> None:
        """Let go of the stream."""
        self._container.close()


class PacedVideo:
    """A video file played as if it were live: the frames of :class:`~vision.video.VideoFile`, each at its time.

    ``pace``: how many times as fast as it was recorded; ``begin``: from which second on.
    """

    def __init__(self, path: Path, shown: str, pace: float = 1.0, begin: float = 0.0) -> None:
        self._shown, self._pace, self._begin = shown, pace, begin
        try:
            self._file = VideoFile(path)
        except UnusableInputError as error:
            raise unreachable(shown, NO_PICTURE if error.__cause__ is None else _cause(error.__cause__)) from None
        self._frames = self._file.frames(begin)
        self._begun: float | None = None

    def read(self) -> Frame | None:
        """The next frame, once its time has come; None at the end of the file."""
        frame = next((f for f in self._frames if f.timestamp >= self._begin), None)
        if frame is None:
            return None
        if self._begun is None:
            self._begun = time.monotonic() - frame.timestamp / self._pace
        early = self._begun + frame.timestamp / self._pace - time.monotonic()
        if early < -BEHIND_SECONDS:
            self._begun -= early  # go on from here at its pace: nobody wants to see it hurry
        time.sleep(max(0.0, min(early, 1.0)))
        return _frame(frame.pixels, self._shown, frame.timestamp)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _cause(error: BaseException) -> str:
    if isinstance(error, av.error.ExitError):
        return "no answer in time"  # FFmpeg's own word is about its being stopped
    # FFmpeg's messages may hold the URL with its password: only the system's own word is passed on
    return str(getattr(error, "strerror", "") or type(error).__name__)[:60]


class Folder:
    """The pictures of a folder in order of their names, one a second, as if a camera had taken them."""

    def __init__(self, folder: Path, shown: str) -> None:
        self._paths = sorted(p for p in folder.iterdir() if p.suffix.lower() in PICTURES and p.is_file())
        if not self._paths:
            raise unreachable(shown, "no pictures in it; name a video, or a folder of pictures")
        self._next = 0

    def read(self) -> Frame | None:
        """The next picture."""
        if self._next >= len(self._paths):
            return None
        if self._next:
            time.sleep(1 / FOLDER_FPS)
        frame = load_picture(self._paths[self._next])
        self._next += 1
        height, width = frame.pixels.shape[:2]
        at = (self._next - 1) / FOLDER_FPS
        return Frame(frame.pixels, frame.source, frame.sha256, width, height, timestamp=at, focal_px=frame.focal_px)

    def close(self) -> None:
        """Nothing is held open."""


__all__ = ["CameraName", "Grabber", "SourceName", "list_cameras", "open_source", "parse_source", "without_password"]

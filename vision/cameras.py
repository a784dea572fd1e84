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

import cv2
import numpy as np

from calibration.errors import UnusableInputError
from vision.camera_names import CameraName, list_cameras
from vision.formats import Pixels
from vision.frames import Frame, load_picture

Kind = Literal["usb", "stream", "video", "folder"]

STREAMS = ("rtsp", "rtsps", "http", "https", "rtmp", "udp", "tcp")
PROTOCOLS = "rtp,rtsp,udp,tcp,tls,http,https,rtmp,crypto,httpproxy"
"""What a stream may lead to: a playlist on the network must not open files of this machine."""

PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")
OPEN_SECONDS = 8.0
READ_SECONDS = 5.0
"""How long a stream may be silent before its library gives it up; the watchdog is a second guard."""

FOLDER_FPS = 1.0
BEHIND_SECONDS = 0.3
"""A video that is behind its own time by more than this goes on from there; what is less is caught up."""


@dataclass(frozen=True, slots=True)
class SourceName:
    """A source as it was asked for. ``secret`` is what opens it; only ``shown`` may be told or logged.

    ``begin``: seconds of a video at which it is taken up.
    """

    kind: Kind
    shown: str
    secret: str
    begin: float = 0.0

    def __repr__(self) -> str:
        return f"SourceName({self.kind}, {self.shown!r})"

    __str__ = __repr__


class Grabber(Protocol):
    """An open source. ``read`` blocks until the next frame; None: the source has ended by itself."""

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
    """Understand a source's name; raises UnusableInputError saying what is possible.

    Without ``paths`` a file or folder can't be named: so for what comes from a browser.
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


def open_source(name: SourceName, pace: float = 1.0) -> Grabber:
    """Open a source; raises UnusableInputError in words that hold no password.

    ``pace``: how many times as fast as it was taken a video is given out.
    """
    if name.kind == "usb":
        return UsbCamera(int(name.secret), name.shown)
    if name.kind == "folder":
        return Folder(Path(name.secret), name.shown)
    return Stream(name.secret, name.shown, live=name.kind == "stream", pace=pace, begin=name.begin)


def unreachable(shown: str, why: str = "") -> UnusableInputError:
    """The error of a source that can't be opened or was lost."""
    return UnusableInputError(f"{shown} can't be read{f' ({why})' if why else ''}", code="no_camera")


def _frame(pixels: Pixels, source: str, at: float) -> Frame:
    # no hash over every live frame: it would cost more than all the rest; evidence is hashed where it is kept
    height, width = pixels.shape[:2]
    return Frame(pixels, source, "", width, height, timestamp=at)


class UsbCamera:
    """A camera at this machine, by OpenCV; the backend is the system's own, any other where that fails."""

    def __init__(self, index: int, shown: str) -> None:
        self._shown = shown
        # what its many backends print about a camera that isn't there is said once, in our words
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
        """The next frame; its time is that of its arrival, since these cameras give none that can be trusted."""
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
    """A network stream or a video file, by PyAV; a file is given out at its own pace, as if it were live."""

    def __init__(self, secret: str, shown: str, live: bool, pace: float = 1.0, begin: float = 0.0) -> None:
        import av  # noqa: PLC0415 - heavy, and not needed for pictures and USB cameras
        from av.error import FFmpegError  # noqa: PLC0415

        self._shown, self._live, self._pace = shown, live, pace
        self._failures: tuple[type[BaseException], ...] = (FFmpegError, OSError, ValueError)
        options = {"rtsp_transport": "tcp", "fflags": "nobuffer", "protocol_whitelist": PROTOCOLS} if live else {}
        try:
            self._container: Any = av.open(
                secret, options=options, timeout=(OPEN_SECONDS, READ_SECONDS) if live else None
            )
            self._stream: Any = self._container.streams.video[0]
        except IndexError:
            raise unreachable(shown, "no picture in it") from None
        except self._failures as error:
            raise unreachable(shown, _cause(error)) from None
        self._stream.thread_type = "AUTO" if not live else "SLICE"
        self._first: float | None = None
        self._begin = begin
        if begin:
            self._first = float((self._stream.start_time or 0) * (self._stream.time_base or 0))
            self._container.seek(round((self._first + begin) * av.time_base))
        self._frames: Iterator[Any] = self._container.decode(self._stream)
        self._begun: float | None = None
        self._count = 0

    def read(self) -> Frame | None:
        """The next frame with the stream's own time, from 0."""
        while True:
            picture = self._next()
            if picture is None:
                return None
            at = picture.time if picture.time is not None else self._count / 30
            self._count += 1
            if self._first is None:
                self._first = at
            if at - self._first >= self._begin:
                break
        if self._begun is None:
            self._begun = time.monotonic() - (at - self._first) / self._pace
        if not self._live:
            due = self._begun + (at - self._first) / self._pace
            early = due - time.monotonic()
            if early < -BEHIND_SECONDS:
                self._begun -= early  # go on from here at its pace: nobody wants to see it hurry
            time.sleep(max(0.0, min(early, 1.0)))
        pixels = np.asarray(picture.to_ndarray(format="bgr24"), dtype=np.uint8)
        turned = getattr(picture, "rotation", 0) % 360
        if turned:
            turns = {90: cv2.ROTATE_90_COUNTERCLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_CLOCKWISE}
            pixels = np.asarray(cv2.rotate(pixels, turns[turned]), dtype=np.uint8) if turned in turns else pixels
        return _frame(pixels, self._shown, at - self._first)

    def _next(self) -> Any:
        try:
            return next(self._frames)
        except StopIteration:
            if self._live:
                raise unreachable(self._shown, "the stream has ended") from None
            return None
        except self._failures as error:
            raise unreachable(self._shown, _cause(error)) from None

    def close(self) -> None:
        """Let go of the stream."""
        self._container.close()


def _cause(error: BaseException) -> str:
    # FFmpeg's messages may hold the URL with its password: only the system's own word is passed on
    return str(getattr(error, "strerror", "") or type(error).__name__)[:60]


class Folder:
    """The pictures of a folder in the order of their names, one a second, as if a camera had taken them."""

    def __init__(self, folder: Path, shown: str) -> None:
        self._paths = sorted(p for p in folder.iterdir() if p.suffix.lower() in PICTURES and p.is_file())
        if not self._paths:
            raise unreachable(shown, "no pictures in it")
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

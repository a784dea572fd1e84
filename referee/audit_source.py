"""Where the pixels of an audited call come from: a picture file, or one moment of a video.

The original is read and hashed, never written to.
"""

import hashlib
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from calibration.errors import UnusableInputError

if TYPE_CHECKING:
    from vision.frames import Frame

VIDEO_SUFFIXES = frozenset((".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".ts", ".mts", ".3gp", ".mpg", ".mpeg"))
"""Files that hold a moment only together with a time."""

CLIP_SUFFIXES = frozenset((".mp4", ".m4v", ".mov", ".mkv", ".webm"))
"""Containers that a copied clip can keep; others become Matroska, which holds anything."""

CLIP_SECONDS = (4.0, 2.0)
"""The clip reaches this far before and after the audited moment: the shot and the disc at rest."""

TIME_TAGS = ((0x9003, 0x9011), (0x9004, 0x9012), (0x0132, 0x9010))
"""EXIF's time and its offset from UTC: when the picture was taken, digitised, changed."""

_SECONDS = re.compile(r"(?:(?:(\d+):)?(\d{1,2}):)?(\d+(?:\.\d*)?|\.\d+)")


@dataclass(frozen=True, slots=True)
class Target:
    """What was asked for: a file and, for a video, the moment in seconds from its beginning."""

    path: Path
    seconds: float | None = None


@dataclass(frozen=True, eq=False)
class Source:
    """An original as it was read. ``taken``: its own clock's words, None without; ``sha256``: of the whole file."""

    kind: Literal["picture", "video"]
    path: Path
    sha256: str
    size: int
    frame: "Frame"
    taken: str | None = None
    seconds: float | None = None


def parse_target(text: str) -> Target:
    """Understand PICTURE or VIDEO@SECONDS (also @M:SS); a file whose own name has an @ wins.

    Raises UnusableInputError where a video comes without its moment, or the moment can't be read.
    """
    if not text:
        raise UnusableInputError("PICTURE|VIDEO@SECONDS: the name is empty; name a picture, or a video and its moment")
    path = Path(text)
    seconds = None
    if "@" in text and not path.exists():
        name, _, moment = text.rpartition("@")
        match = _SECONDS.fullmatch(moment)
        if match is None:
            raise UnusableInputError(
                f"{text}: {moment!r} is no moment; write seconds or minutes, as in {name}@83.5 or {name}@1:23.5",
                code="bad_option",
            )
        hours, minutes, rest = match.groups()
        path, seconds = Path(name), 3600 * int(hours or 0) + 60 * int(minutes or 0) + float(rest)
    if seconds is None and path.suffix.lower() in VIDEO_SUFFIXES:
        raise UnusableInputError(f"{path}: which moment? Write {path}@SECONDS", code="bad_option")
    return Target(path, seconds)


def load(target: Target) -> Source:
    """Read the picture, or the frame that a player shows at the moment; raises UnusableInputError."""
    if target.seconds is not None:
        return _load_video(target.path, target.seconds)
    from vision.frames import load_picture  # noqa: PLC0415

    frame = load_picture(target.path)
    size = target.path.stat().st_size
    return Source("picture", target.path, frame.sha256, size, frame, _taken(target.path))


def _load_video(path: Path, seconds: float) -> Source:
    from vision.video import VideoFile  # noqa: PLC0415  (FFmpeg is not needed for pictures)

    shown = None
    with VideoFile(path) as video:
        if video.still:
            named_so = path.suffix.lower() in VIDEO_SUFFIXES
            todo = "give it a picture's name" if named_so else f"leave @{seconds:g} out"
            raise UnusableInputError(f"{path}: is a picture, which has no moments; {todo}")
        half = 0.5 / max(video.info.rate, 1.0)
        for frame in video.frames(seconds):
            if shown is not None and frame.timestamp > seconds + half:
                break
            shown = frame
            if frame.timestamp > seconds - half:
                break
        length = video.info.duration_s
    if shown is None:
        raise UnusableInputError(f"{path}: no frame can be decoded there", code="unreadable_input")
    end = shown.timestamp if length is None else length
    if seconds > end + 1.0 or abs(shown.timestamp - seconds) > max(1.0, 4 * half):
        raise UnusableInputError(
            f"{path}: there is no frame at {seconds:g} s; it has frames up to {min(end, shown.timestamp):.2f} s",
            code="bad_option",
        )
    digest, size = hash_file(path)
    return Source("video", path, digest, size, shown, _recorded(path), shown.timestamp)


def hash_file(path: Path) -> tuple[str, int]:
    """SHA-256 and size in bytes of a file; raises UnusableInputError where it can't be read."""
    try:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return digest, path.stat().st_size
    except OSError as error:
        raise UnusableInputError(
            f"{path}: can't be read ({error.strerror or error})", code="unreadable_input"
        ) from error


def _taken(path: Path) -> str | None:
    """When a picture was taken, as EXIF says it: ``2026-05-01 19:30:12 +02:00``."""
    from vision.formats import open_header  # noqa: PLC0415
    from vision.picture_files import opened  # noqa: PLC0415

    with opened(path) as file:
        exif = open_header(file)[0].exif
    for tag, offset in TIME_TAGS:
        text = str(exif.get(tag) or "").strip("\0 ")
        if re.fullmatch(r"\d{4}:\d\d:\d\d \d\d:\d\d:\d\d", text):
            zone = str(exif.get(offset) or "").strip("\0 ")
            return f"{text[:10].replace(':', '-')} {text[11:]}" + (f" {zone}" if zone else "")
    return None


def _recorded(path: Path) -> str | None:
    """When a video was recorded, as its container says it."""
    import av  # noqa: PLC0415

    with av.open(str(path)) as container:
        said = container.metadata.get("creation_time")
    return None if not said else str(said)


def write_clip(source: Source, folder: Path) -> Path:
    """Copy the seconds around a video's moment, as they are coded, into ``folder``; returns the file."""
    from vision.video import cut_clip  # noqa: PLC0415

    assert source.seconds is not None
    suffix = source.path.suffix.lower()
    out = folder / f"clip{suffix if suffix in CLIP_SUFFIXES else '.mkv'}"
    cut_clip(source.path, max(0.0, source.seconds - CLIP_SECONDS[0]), source.seconds + CLIP_SECONDS[1], out)
    return out


def path_from(folder: Path, path: Path) -> str:
    """``path`` as it is reached from ``folder``, with forward slashes; absolute where that can't be."""
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:  # another drive on Windows
        return path.resolve().as_posix()


def moment_text(seconds: float) -> str:
    """Seconds as a player shows them: ``1:23.480``."""
    whole = math.floor(seconds / 60)
    return f"{whole}:{seconds - 60 * whole:06.3f}"

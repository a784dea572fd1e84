"""Scores one video from its first frame to its last; interrupted, it resumes there the next time."""

import hashlib
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import platformdirs

from calibration.errors import NotFoundError, UnusableInputError
from calibration.hints import BoardHints
from referee.log import MatchLog
from referee.match_json import Agreed, MatchResult, conclude, match_log
from referee.officials.crokinole import CrokinoleOfficial
from vision.cores import shared_cores
from vision.video import VideoFile, VideoInfo

Progress = Callable[[float, float | None], None]
"""Told the seconds that are done, and of how many (None: not known)."""


@dataclass(frozen=True)
class Scored:
    """A video as far as it was watched. ``stopped``: seconds at which it was put aside, None where it ended."""

    result: MatchResult
    info: VideoInfo
    official: CrokinoleOfficial
    log: MatchLog
    warnings: list[str]
    stopped: float | None


@dataclass(frozen=True)
class Aside:
    """A job put aside: ``code`` (see :func:`code_mark`) must fit; ``at``: the last frame's seconds."""

    code: str
    at: float
    official: CrokinoleOfficial


def score_video(path: Path, agreed: Agreed, hints: BoardHints, progress: Progress) -> Scored:
    """Watch a video; Ctrl-C (SIGINT) puts it aside between two frames and returns what is known; a second one stops.

    Raises NotFoundError (no_board, board_unsure) where no board was ever found.
    """
    with shared_cores() as threads, VideoFile(path, threads) as video:
        if video.still:
            raise UnusableInputError(f"{path}: this is a picture; 'referee read' reads pictures", code="no_video")
        place = resume_path(path, agreed, hints)
        kept = take_up(place)
        official = CrokinoleOfficial(agreed.discs, 3 if agreed.players == "3" else 2, hints)
        at = -1.0
        if kept is not None:
            official, at = kept.official, kept.at
        stopped: float | None = None
        with interrupts_noted() as asked, closing(video.frames_ahead(max(at, 0.0))) as frames:
            for frame in frames:
                if frame.timestamp <= at:
                    continue
                official.feed(frame)
                at = frame.timestamp
                progress(at, video.info.duration_s)
                if asked():
                    stopped = at
                    put_aside(place, Aside(code_mark(), at, official))
                    break
        official.finish()
        if stopped is None:
            place.unlink(missing_ok=True)
        if official.watch.view is None:
            refusal = official.watch.refusal
            why = "no board was found in it" if refusal is None else refusal.reason
            raise NotFoundError(f"{path}: {why}", code="no_board" if refusal is None else refusal.code)
        result = conclude(official.ledger, official.follower.sides.words(), agreed)
        warnings = [
            *video.warnings,
            *hints.unused(),
            *result.warnings,
            *(f"{at:.1f} s: {why}" for at, why in official.watch.notes),
        ]
        if stopped is not None:
            warnings.append(f"stopped at {stopped:.1f} s; the same command goes on from there")
        return Scored(result, video.info, official, match_log(result, {"video": path.name}), warnings, stopped)


def resume_path(path: Path, agreed: Agreed, hints: BoardHints) -> Path:
    """Where a job on this very file with these options is put aside: the user's own cache."""
    about = path.stat()
    key = f"{path.resolve()} {about.st_size} {about.st_mtime_ns} {agreed} {hints}"
    folder = Path(platformdirs.user_cache_dir("table-referee")) / "score"
    return folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.resume"


def put_aside(place: Path, aside: Aside) -> None:
    """Write a job aside, whole or not at all."""
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = place.with_suffix(".new")
    fresh.write_bytes(pickle.dumps(aside))
    fresh.replace(place)


def take_up(place: Path) -> Aside | None:
    """The job that was put aside there; None where there is none that this version can go on with."""
    if not place.is_file():
        return None
    try:
        kept = pickle.loads(place.read_bytes())
    except Exception:  # noqa: BLE001 - a damaged pickle raises whatever it likes, and none of it is worth more
        return None
    return kept if isinstance(kept, Aside) and kept.code == code_mark() else None


@contextmanager
def interrupts_noted() -> Iterator[Callable[[], bool]]:
    """Hold back a first Ctrl-C, so that it interrupts nothing halfway; yields a function that tells whether it came."""
    asked: list[bool] = []

    def note(number: int, frame: Any) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(True)

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGINT, before)


@cache
def code_mark() -> str:
    """A hash of this program's code and networks: a job resumes only with those that it was begun with."""
    mark = hashlib.sha256()
    for package in ("calibration", "vision", "referee"):
        top = Path(str(files(package)))
        for path in sorted(p for kind in ("*.py", "*.onnx") for p in top.rglob(kind)):
            mark.update(f"{path.relative_to(top)} {path.stat().st_size}".encode())
            mark.update(path.read_bytes())
    return mark.hexdigest()

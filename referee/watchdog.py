"""Keeps a source open: reads it in a thread of its own, keeps the newest frame only, reopens it when it stalls.

Nothing here decides anything about a game. Whoever looks takes the newest frame; a camera's frames that nobody took in
time are counted as dropped, so that it never lags. A video or a folder waits instead: it has time. While a source is
away its last frame stays, with its age.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from calibration.errors import TableError
from referee.settings import DEFAULTS
from vision.cameras import Grabber, SourceName, open_source
from vision.frames import Frame

Condition = Literal["opening", "running", "lost", "ended", "closed"]

PATIENT = ("video", "folder")
"""Kinds of sources that wait for who looks."""
FIRST_PAUSE = 0.5
OPENING_SECONDS = 15.0
log = logging.getLogger(__name__)


STALL_S, LONGEST_PAUSE_S = DEFAULTS.number("stall_seconds"), DEFAULTS.number("retry_most_seconds")


@dataclass(frozen=True, slots=True)
class SourceState:
    """How a source does. ``why``: in words what is wrong; ``retry_in``: seconds until the next try."""

    condition: Condition
    why: str = ""
    frames: int = 0
    dropped: int = 0
    reopened: int = 0
    age: float | None = None
    retry_in: float | None = None


class WatchedSource:
    """A source that comes back. ``opener`` opens it; ``stall`` seconds without a frame count as lost."""

    def __init__(
        self,
        name: SourceName,
        stall: float = STALL_S,
        longest_pause: float = LONGEST_PAUSE_S,
        opener: Callable[[SourceName], Grabber] = open_source,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self._stall, self._longest, self._opener, self._clock = stall, longest_pause, opener, clock
        self._news = threading.Condition()
        self._frame: Frame | None = None
        self._taken = True
        self._number = 0
        self._dropped = self._reopened = 0
        self._condition: Condition = "opening"
        self._why = ""
        self._last: float | None = None
        self._retry_at: float | None = None
        self._offset = 0.0
        self._clock_of = 0
        self._stop = threading.Event()
        self._generation = 0
        self._watchdog = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self._watchdog.start()

    @property
    def state(self) -> SourceState:
        """How it does now."""
        with self._news:
            now = self._clock()
            age = None if self._last is None else now - self._last
            retry = None if self._retry_at is None else max(0.0, self._retry_at - now)
            return SourceState(self._condition, self._why, self._number, self._dropped, self._reopened, age, retry)

    def newest(self, seconds: float) -> Frame | None:
        """The newest frame that wasn't taken yet; waits at most so long, then None."""
        with self._news:
            if not self._news.wait_for(lambda: not self._taken or self._condition in ("ended", "closed"), seconds):
                return None
            if self._taken:
                return None
            self._taken = True
            self._news.notify_all()
            return self._frame

    def close(self) -> None:
        """Stop for good."""
        self._stop.set()
        with self._news:
            self._condition = "closed"
            self._generation += 1
            self._news.notify_all()
        if threading.current_thread() is not self._watchdog:
            self._watchdog.join(timeout=2.0)

    def _watch(self) -> None:
        """Start a reader, look after it, start another one when it fails or stalls."""
        pause = FIRST_PAUSE
        while not self._stop.is_set():
            with self._news:
                self._generation += 1
                generation, before = self._generation, self._number
                self._retry_at = None
            reader = threading.Thread(target=self._read, args=(generation,), name="reader", daemon=True)
            reader.start()
            self._look_after(generation, reader)
            if self._stop.is_set() or self._condition == "ended":
                return
            # a source that gave frames is tried again at once, one that never did less and less often
            pause = FIRST_PAUSE if self._number > before else min(2 * pause, self._longest)
            with self._news:
                self._generation += 1
                self._reopened += 1
                self._retry_at = self._clock() + pause
            why = self._why if self._why.startswith(self.name.shown) else f"{self.name.shown}: {self._why}"
            log.warning("%s; next try in %.1f s", why, pause)
            self._stop.wait(pause)

    def _look_after(self, generation: int, reader: threading.Thread) -> None:
        begun = self._clock()
        while not self._stop.wait(min(0.2, self._stall / 4)):
            with self._news:
                if generation != self._generation or not reader.is_alive():
                    return
                silent = self._clock() - max(begun, self._last or begun)
                # a source may take much longer to open than between two frames
                running = self._last is not None and self._last >= begun
                allowed = self._stall if running else max(2 * self._stall, OPENING_SECONDS)
                if silent > allowed:
                    self._condition, self._why = "lost", f"no picture for {silent:.0f} s"
                    return

    def _read(self, generation: int) -> None:
        """The reader: its own thread, so that a library that hangs holds up nothing else."""
        grabber: Grabber | None = None
        # whatever ends this thread, the source is then lost, not about to open for ever
        why = "its reader ended"
        try:
            grabber = self._opener(self.name)
            while self._deliver(generation, grabber.read()):
                pass
            why = ""
        except TableError as error:
            why = str(error)
        except (OSError, ValueError, RuntimeError) as error:
            log.exception("%s: the reader failed", self.name.shown)
            why = type(error).__name__
        finally:
            if why:
                self._fail(generation, why)
            if grabber is not None:
                grabber.close()

    def _deliver(self, generation: int, frame: Frame | None) -> bool:
        with self._news:
            if frame is not None and self.name.kind in PATIENT:
                self._wait_until_taken(generation)
            if generation != self._generation:
                return False
            if frame is None:
                self._condition, self._why = "ended", "the source has ended"
                self._news.notify_all()
                return False
            self._dropped += not self._taken
            self._frame, self._taken = self._going_on(generation, frame), False
            self._number += 1
            self._last = self._clock()
            self._condition, self._why = "running", ""
            self._news.notify_all()
            return True

    def _wait_until_taken(self, generation: int) -> None:
        """Hold a frame back until the one before was taken; called with the lock held."""
        while not self._taken and generation == self._generation:
            self._last = self._clock()  # it is here, and waits: that is no silence
            self._news.wait(self._stall / 4)

    def _going_on(self, generation: int, frame: Frame) -> Frame:
        """The frame with a time that continues where the source was lost, whatever its own clock says."""
        if generation != self._clock_of:
            self._clock_of = generation
            if self._frame is not None and self._last is not None:
                self._offset = self._frame.timestamp + (self._clock() - self._last) - frame.timestamp
        return replace(frame, timestamp=frame.timestamp + self._offset) if self._offset else frame

    def _fail(self, generation: int, why: str) -> None:
        with self._news:
            if generation == self._generation:
                self._condition, self._why = "lost", why
                self._news.notify_all()

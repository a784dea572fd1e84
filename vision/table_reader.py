"""Reads the board at one rest after another, in a thread of its own, so that a reading may begin before it is wanted.

Each picture is read from what was found in the one before (``vision.disc_looks``), in the order in which they were
given and whether or not a reading is then asked for, so that the same frames always give the same readings.
"""

import logging
import math
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from calibration.view import BoardView
from vision.disc_looks import CARRIED_MOST
from vision.rest import Rest
from vision.table import Known, TableReading, read_table

log = logging.getLogger(__name__)

Radius = tuple[float, float] | None
"""The discs' radius in mm as measured before, with its uncertainty."""


SAME_MOMENT_S = 0.5
"""Within this time of a picture that was read ahead, doubts are not looked at once more where nothing has changed: the
score is waited for, and the next rest looks again."""


@dataclass(frozen=True, eq=False)
class _Begun:
    rest: Rest
    radius: Radius
    reading: "Future[TableReading]"


class TableReader:
    """Reads the rests of one table."""

    def __init__(self) -> None:
        self._known: Known | None = None
        self._drafted_at = -math.inf
        self._hurried = False
        self._thread: ThreadPoolExecutor | None = None
        self._begun: _Begun | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What is kept when a job is put aside: neither the thread nor frames, which belong to an open file."""
        return {**self.__dict__, "_thread": None, "_begun": None}

    def begin(self, rest: Rest, radius: Radius, patient: bool = True) -> None:
        """Begin to read what may turn out to be a rest.

        While another picture is being read this waits for it, so that a file always gives the same. When not
        ``patient`` it does nothing then: whoever watches a camera asks again with the next frame.
        """
        before = self._begun
        if before is not None:
            if not patient and not before.reading.done():
                return
            self._begun = None
            fault = before.reading.exception()
            if fault is not None:  # what is wanted now may be read nevertheless
                log.error("a picture that wasn't wanted after all couldn't be read", exc_info=fault)
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "reader")
        self._begun = _Begun(rest, radius, self._thread.submit(self._read, rest, radius, not patient))

    def begun(self, rest: Rest, radius: Radius) -> bool:
        """Whether this very picture is being read already, or was, with this radius."""
        last = self._begun
        if last is None:
            return False
        return last.rest.frame is rest.frame and last.rest.view is rest.view and last.radius == radius

    def rescale(self, view: BoardView) -> None:
        """The board's millimetres have changed; ``view``: that of the last rest read, with all lengths multiplied."""
        if self._known is not None:
            self._known = Known(self._known.looks.rescaled(view), None)

    def ready(self) -> TableReading | None:
        """The last reading begun, if it is done, succeeded and hasn't been asked for; else None."""
        if self._begun is None or not self._begun.reading.done() or self._begun.reading.exception() is not None:
            return None
        return self._begun.reading.result()

    def read(self, rest: Rest, radius: Radius) -> TableReading:
        """The reading of a rest, which may have been begun; waits for it."""
        if not self.begun(rest, radius):
            self.begin(rest, radius)
        begun, self._begun = self._begun, None
        assert begun is not None and self._thread is not None
        reading = replace(begun.reading.result(), rest=rest)
        if self._hurried and reading.known is not None and reading.known.looks.carried >= CARRIED_MOST:
            self._thread.submit(self._read_whole, rest, radius)
        return reading

    def _read(self, rest: Rest, radius: Radius, draft: bool) -> TableReading:
        at = rest.frame.timestamp
        once_more = at - self._drafted_at > SAME_MOMENT_S
        self._hurried = draft or not once_more
        reading = read_table(rest, radius, self._known, once_more, not self._hurried)
        self._known, self._drafted_at = reading.known, at if draft else -math.inf
        return reading

    def _read_whole(self, rest: Rest, radius: Radius) -> None:
        """Read a whole rest anew once nobody waits for its score: the next one is read from that."""
        self._known = read_table(rest, radius).known

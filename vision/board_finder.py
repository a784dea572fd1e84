"""Looks for the board in frame after frame, with longer and longer pauses while it isn't found."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from calibration.hints import BoardHints, NoBoard
from calibration.solve import find_board
from calibration.view import BoardView
from vision.frames import Frame

RETRIES_S = (0.5, 1.0, 2.0, 4.0)
"""Pauses before the board is looked for again, where it wasn't found."""
Find = Callable[[NDArray[np.uint8], BoardHints], object]


class BoardFinder:
    """Finds one table's board. ``refusal``: why the last search failed, where it gave a reason."""

    def __init__(self, hints: BoardHints, find: Find = find_board) -> None:
        self.hints = hints
        self.refusal: NoBoard | None = None
        self._find = find
        self._retry_at, self._failures = -math.inf, 0

    def pauses(self, at: float) -> bool:
        """Whether it is too soon, ``at`` seconds, to look again after a failure."""
        return at < self._retry_at

    def find(self, frame: Frame) -> BoardView | None:
        """The board's view in a frame; None where it isn't found, and a pause begins."""
        found = self._find(frame.pixels, self.hints)
        if isinstance(found, BoardView):
            self._failures = 0
            return found
        if isinstance(found, NoBoard):
            self.refusal = found
        self._retry_at = frame.timestamp + RETRIES_S[min(self._failures, len(RETRIES_S) - 1)]
        self._failures += 1
        return None

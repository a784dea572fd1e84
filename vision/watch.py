"""Watches a table through time: finds the board, notices cuts, zooms and knocks, and says when it is worth reading.

Discs are read at these moments (``vision.rest``) and no others. This module decides whether the view of the board holds
(:class:`Trust`); while it does, ``vision.rest_finder`` decides which moments are rests.
"""

import math
from collections import deque
from enum import Enum, auto
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from calibration.drift import check_view
from calibration.hints import BoardHints, NoBoard
from calibration.scale import Scale
from calibration.solve import find_board
from calibration.view import BoardView
from vision.board_axes import Sizing, aligned
from vision.board_finder import BoardFinder, Find
from vision.drafts import Moment
from vision.frames import Frame
from vision.lens import Gray, Lens
from vision.motion import Sight
from vision.rest import Rest
from vision.rest_finder import Phase, RestFinder
from vision.scene import SceneGate
from vision.tracks import Start
from vision.video import as_luma

CALM_S = 0.3
"""After a cut the board is looked for once the picture has been calm for this long."""
SWARM = 8
"""This many things that move at once are not discs: the camera has moved."""
SHAKE_MOVERS, SHAKE_NOTICED_S = 3, 0.2
"""A knock shows as at least this many movers and is noticed within this time: what began in it was no shot."""
IDLE_S, IDLE_LOOK_S = 0.5, 0.19
"""Once nothing has stirred for the first, looking once in the second is enough until something does."""
UNTOLD_MM = 6.0
"""What lies this near to a disc that was partly hidden counts as hidden too (its shadow)."""
VIEWS_KEPT = 3
"""The latest views, the present one included: the others are tried again before the board is solved anew."""


class Trust(Enum):
    """Whether the view still shows where the board lies."""

    HOLDS = auto()
    DOUBTED = auto()
    """The picture has changed as a whole: once it is calm the view is checked, and solved anew if it doesn't fit."""
    SHAKEN = auto()
    """The camera was knocked: once the picture is calm the view is solved anew in any case."""


class TableWatch:
    """Follows one table; ``hints`` say what is known of the board. ``view`` is None until the board is found.

    ``drafts``: people wait for the score, so what may turn out to be a rest is offered early (:attr:`drafted`).
    """

    def __init__(self, hints: BoardHints | None = None, find: Find = find_board, drafts: bool = False) -> None:
        self.scene = 0
        self.notes: list[tuple[float, str]] = []
        self.sight: Sight | None = None
        self.sizing: Sizing | None = None
        self._board_finder = BoardFinder(hints or BoardHints(), find)
        self._drafts = drafts
        self._gate = SceneGate()
        self._rests: RestFinder | None = None
        self._trust = Trust.HOLDS
        self._shots_before: list[Start] = []  # those that had begun when the camera was knocked
        self._old: tuple[Lens, Gray] | None = None  # how the board looked, and through which lens, before this view
        self._views: deque[BoardView] = deque(maxlen=VIEWS_KEPT)
        self._passed: list[Frame] = []
        self._looked_at = -math.inf

    @property
    def view(self) -> BoardView | None:
        """Where the board lies; None until it is found."""
        return None if self._rests is None else self._rests.view

    @property
    def lens(self) -> Lens | None:
        """What the board is seen through now; None until it is found."""
        return None if self._rests is None else self._rests.lens

    @property
    def refusal(self) -> NoBoard | None:
        """Why the board wasn't found, where that was said."""
        return self._board_finder.refusal

    @property
    def drafted(self) -> Rest | None:
        """What will be the next rest if nothing stirs any more; its tracks and shots aren't told yet."""
        return None if self._rests is None else self._rests.drafted

    @property
    def seems(self) -> Literal["looking", "resting", "moving", "hand", "settling"]:
        """What the last frame shows, in a word for people."""
        if self._rests is None or self.sight is None:
            return "looking"
        if self.sight.movers:
            return "moving"
        if self._rests.phase is Phase.SHOT:
            return "settling"
        return "hand" if self.sight.hand_mm2 > 0 else "resting"

    def __getstate__(self) -> dict[str, Any]:
        """What is kept when a job is put aside: everything but the frames, which belong to an open file."""
        return {**self.__dict__, "_passed": []}

    def board_moved(self) -> None:
        """Look for the board anew."""
        if self._trust is Trust.HOLDS:
            self._trust = Trust.DOUBTED
        self._views.clear()

    def use(self, view: BoardView, frame: Frame) -> None:
        """Take ``view`` from now on (a saved set-up's); ``frame`` is one that it fits."""
        if self.sizing is not None and not view.scale.known:
            view = self.sizing.of(view)
        self._take(view, frame, as_luma(frame)[1])

    def rescale(self, factor: float, disc_radius: float, scale: Scale) -> None:
        """Multiply the board's millimetres by ``factor``; its discs then have a radius of ``disc_radius`` mm.

        Raises ValueError before the board was found.
        """
        if self._rests is None:
            raise ValueError("the board wasn't found yet: it has no millimetres to multiply")
        before = 1.0 if self.sizing is None else self.sizing.factor
        self.sizing = Sizing(before * factor, disc_radius, scale)
        view = self._rests.view.scaled(factor, scale).with_discs(disc_radius)
        self._rests.rescale(view)
        self._views = deque([view], maxlen=VIEWS_KEPT)
        self._old = None

    def untold(self, places: list[tuple[float, float]]) -> None:
        """Discs at these places (mm) were partly hidden at the last rest: look there again when they are free."""
        if self._rests is None:
            return
        lens = self._rests.lens
        for mm in places:
            self._rests.eye.unsettle(lens.disc_mask(mm, lens.view.board.disc_radius + UNTOLD_MM))

    def feed(self, frame: Frame) -> list[Rest]:
        """Take in the next frame; return the moments worth reading that became known with it."""
        # while nothing stirs, frames are passed over; as soon as something does they are looked at after all, in order
        passed, self._passed = self._passed, []
        if self._idle and self._rests is not None:
            if frame.timestamp - self._looked_at < IDLE_LOOK_S:
                self._passed = [*passed, frame]
                return []
            gray = self._rests.lens.look(as_luma(frame)[0])
            if not self._rests.eye.stirs(gray):
                return self._look(frame, gray)
        out = [rest for f in passed for rest in self._look(f)]
        return out + self._look(frame)

    def finish(self) -> list[Rest]:
        """The source has ended: return the moment that was still waited for, if there is one."""
        passed, self._passed = self._passed, []
        out = [rest for frame in passed for rest in self._look(frame)]
        return out if self._rests is None else out + self._rests.finish()

    @property
    def _idle(self) -> bool:
        """Whether there is nothing to wait for, and nothing has stirred for a while."""
        quiet = self._trust is Trust.HOLDS and self._rests is not None and self._rests.phase is Phase.QUIET
        return quiet and self.sight is not None and self.sight.calm_s >= IDLE_S

    def _look(self, frame: Frame, gray: Gray | None = None) -> list[Rest]:
        """Look at a frame; ``gray``: it through the lens, where that was made already."""
        self._looked_at = at = frame.timestamp
        luma, to_plane = as_luma(frame)
        changing = self._gate.look(luma, at)
        rests = self._rests
        if rests is None:
            if not changing:
                self._search(frame, to_plane)
            return []
        self.sight = sight = rests.look(rests.lens.look(luma) if gray is None else gray, at)
        suspicious = changing or self._trust is not Trust.HOLDS or len(sight.movers) >= SHAKE_MOVERS
        if suspicious and self._gate.shifted():
            return self._knocked(rests, at)
        if changing:
            return self._cut(rests, at)
        if self._trust is Trust.HOLDS and len(sight.movers) >= SWARM:
            # many discs at once, or a key frame: what is under way is kept if the view still fits
            self._trust, self._gate.changed_at = Trust.DOUBTED, at
        if self._trust is Trust.HOLDS:
            return rests.decide(Moment(frame, sight), known=self._old is not None)
        return self._look_again(rests, frame, to_plane) if at - self._gate.changed_at >= CALM_S else []

    def _search(self, frame: Frame, to_plane: NDArray[np.float64]) -> None:
        """Look for the board, which was never found yet."""
        if not self._board_finder.pauses(frame.timestamp):
            self._find(frame, to_plane)

    def _find(self, frame: Frame, to_plane: NDArray[np.float64]) -> bool:
        """Look for the board in a frame and take the view that is found; whether one was."""
        found = self._board_finder.find(frame)
        if found is not None:
            self._take(aligned(found, frame, self.sizing, self._old), frame, to_plane)
        return found is not None

    def _knocked(self, rests: RestFinder, at: float) -> list[Rest]:
        """The camera is being moved: shots that began before are kept; nothing that seems to move now is one."""
        self._gate.changed_at = at
        if self._trust is not Trust.HOLDS:
            rests.forget_motion()
            return []
        last, self._shots_before = rests.knocked(at - SHAKE_NOTICED_S)
        self._trust = Trust.SHAKEN
        return last

    def _cut(self, rests: RestFinder, at: float) -> list[Rest]:
        """The picture is changing as a whole: a shot under way is told as far as it was seen."""
        last = rests.parting() if self._trust is Trust.HOLDS else []
        self._trust, self._shots_before = Trust.DOUBTED, []
        self._gate.changed_at = at
        return last

    def _look_again(self, rests: RestFinder, frame: Frame, to_plane: NDArray[np.float64]) -> list[Rest]:
        """The picture is calm after it changed as a whole: the same view, one known from before, or a new one."""
        at, shaken = frame.timestamp, self._trust is Trust.SHAKEN
        if self._board_finder.pauses(at):
            return []
        if not shaken and check_view(frame.pixels, rests.view).ok:
            self._trust = Trust.HOLDS
            return []
        last = rests.parting()
        if (plate := rests.plate) is not None:
            self._old = (rests.lens, plate)
        for view in () if shaken else reversed(list(self._views)[:-1]):
            if check_view(frame.pixels, view).ok:
                self.notes.append((at, "the camera shows the board as it did before"))
                self._take(view, frame, to_plane)
                return last
        if self._find(frame, to_plane):
            self.notes.append((at, "the camera has moved: the board was solved again"))
        return last

    def _take(self, view: BoardView, frame: Frame, to_plane: NDArray[np.float64]) -> None:
        """Look through ``view`` from this frame on."""
        self.scene += 1
        self._views.append(view)
        lens = Lens(view, to_plane)
        self._rests = RestFinder(view, lens, self.scene, frame.timestamp, self._shots_before, self._drafts)
        self._trust, self._shots_before = Trust.HOLDS, []
        if self._old is not None and not self._rests.take_plate(self._old[1], frame):
            self._old = None

"""Tells, through one view of the table, when it is worth reading: a shot has ended, or hands have changed something.

What is waited for at any time is one :class:`Phase`.
"""

import math
from dataclasses import replace
from enum import Enum, auto
from typing import Any

import numpy as np

from calibration.view import BoardView
from vision.drafts import Draft, Moment
from vision.frames import Frame
from vision.lens import Gray, Lens
from vision.motion import MotionEye, Sight
from vision.rest import Rest
from vision.tracks import Start, shot_start
from vision.video import as_luma

SETTLED_S = 0.115
"""Everything lies still when nothing has moved for this long, three frames at 25 fps: stuttering cameras repeat frames
meanwhile, and what was read too soon is wrong."""
FIRST_CALM_S = 0.25
"""A new view is read once nothing at all has moved in it for this long."""
FIRST_ABSORB_S = 1.0
"""What seems to be a hand at first, and hasn't stirred for this long, is where a hand was in the first frame."""
FREE_MM2 = 120.0
"""A hand that covers less of the surface than this hides nothing."""
REACHING_MM2 = 700.0
"""A hand that covers this much more than it did at its least is reaching in again."""
PATIENCE_S = 2.5
"""A shot is read after this long even if a hand stays over the board."""
ABSORB_S = 4.0
"""What looks like a hand but hasn't stirred for this long is part of the scene."""
CONTENT_MM2 = 200.0
"""The least change on the board that is worth a reading: a quarter of a disc."""
LINE_ZONE_MM = 25.0
"""Changes nearer to the shooting line than this, or beyond it, are discs being placed, unless a shot was seen."""
CUT_SHORT_S = 0.5
"""A shot that had been under way for this long when the camera turned away is read all the same, with a doubt."""
ANOTHER_BOARD = 0.2
"""If a larger share of the surface than this differs from how it looked before a cut, that look can't be used any
more."""


class Phase(Enum):
    """What is waited for while the view holds."""

    FRESH = auto()
    """Nothing was read through this view yet: for a first calm moment."""
    QUIET = auto()
    """Everything lies as it was read: for something to happen."""
    CHANGED = auto()
    """Something lies otherwise than when it was read, and has lain still: for hands to free it."""
    SHOT = auto()
    """A shot was seen to begin: for everything to lie still, free of hands."""


class RestFinder:
    """Finds the rests that one view shows, from frame ``at`` seconds on.

    ``scene``: the view's number; ``shots``: those under way already; ``drafts``: what may turn out to be a rest is
    offered early (:attr:`drafted`).
    """

    def __init__(
        self, view: BoardView, lens: Lens, scene: int, at: float, shots: list[Start], drafts: bool = False
    ) -> None:
        self.view, self.lens, self.eye = view, lens, MotionEye(lens)
        self._scene, self._begun_at, self._drafts = scene, at, drafts
        self._fresh = True
        self._shots = shots
        self._counted: set[tuple[float, float, float]] = set()
        self._first: Moment | None = None
        self._latest: Moment | None = None
        self._best: Moment | None = None  # of those since everything lies still, the one that hands hide least of
        self._still_since = math.inf
        self._draft = Draft()

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the frames, which belong to an open file."""
        return {**self.__dict__, "_best": None, "_draft": Draft(), "_first": None, "_latest": None}

    @property
    def phase(self) -> Phase:
        """What is waited for now."""
        if self._shots:
            return Phase.SHOT
        if self._fresh:
            return Phase.FRESH
        return Phase.QUIET if self._best is None else Phase.CHANGED

    @property
    def drafted(self) -> Rest | None:
        """What will be the next rest if nothing stirs any more; its tracks and shots aren't told yet."""
        if self._draft.moment is None:
            return None
        frame, sight = self._draft.moment
        return Rest(frame, sight.at, sight.at, self.view, self.lens, sight.gray, sight.hand, (), (), self._scene)

    @property
    def plate(self) -> Gray | None:
        """How the board looks through the lens where nothing has changed since it was read; None until it was."""
        return None if self.eye.plate is None or self._fresh else np.rint(self.eye.plate).astype(np.uint8)

    def look(self, gray: Gray, at: float) -> Sight:
        """What a frame shows; ``gray``: it through the lens."""
        return self.eye.look(gray, at)

    def take_plate(self, plate: Gray, frame: Frame) -> bool:
        """Start from how the board looked through this lens before; False if ``frame`` shows another board."""
        # on the board the old plate still holds, and a hand that is there now stands out from it
        gray = self.lens.look(as_luma(frame)[0])
        self.eye.look(gray, frame.timestamp)
        self.eye.settle(plate, 1 - self.lens.field)
        sight = self.eye.look(gray, frame.timestamp)
        differs = float(((sight.hand | sight.changed) & self.lens.surface).sum())
        if differs > ANOTHER_BOARD * float(self.lens.surface.sum()):
            self.eye = MotionEye(self.lens)
            return False
        return True

    def rescale(self, view: BoardView) -> None:
        """The same view with other millimetres."""
        self.view, self.lens = view, self.lens.rescaled(view)
        self.eye.use(self.lens)

    def forget_motion(self) -> None:
        """Nothing of what has moved or lain still until now says anything any more."""
        self._forget_best()
        self._shots, self._latest = [], None
        self.eye.take_tracks()
        self.eye.tracks = []

    def knocked(self, since: float) -> tuple[list[Rest], list[Start]]:
        """The camera was knocked: a rest that was waited for is told now, and the shots that began before ``since``."""
        last = [self._rest(self._best)] if self._best is not None and self._shots else []
        before = [s for s in self._shots if s.at < since]
        self.forget_motion()
        return last, before

    def parting(self) -> list[Rest]:
        """The view is lost: the last that was seen of a shot under way, if anything was."""
        last: list[Rest] = []
        if self._best is not None and self._shots:
            last.append(self._rest(self._best))
        elif self._shots and self._latest is not None and self._latest.sight.at > self._shots[-1].at + CUT_SHORT_S:
            last.append(replace(self._rest(self._latest), cut_short=True))
        self.forget_motion()
        return last

    def finish(self) -> list[Rest]:
        """The source has ended: the moment that was still waited for, if there is one."""
        return [] if self._best is None else [self._rest(self._best)]

    def decide(self, now: Moment, known: bool) -> list[Rest]:
        """What becomes a rest with the next moment; ``known``: how the board looked before this view is known."""
        self._latest, sight = now, now.sight
        calm = min(sight.calm_s, sight.at - self._begun_at)
        # where nothing is known, what seems to be a hand may be what lay there from the start
        ghost = not known and sight.hand_mm2 > FREE_MM2
        if self.phase is Phase.FRESH and calm >= (FIRST_ABSORB_S if ghost else FIRST_CALM_S):
            return [self._rest(now, absorb=ghost)]
        unread = self._fresh and not known
        out = self._begin_shots(now, unread)
        if self.phase is Phase.FRESH and unread:
            return out
        if self.phase in (Phase.SHOT, Phase.FRESH) or self._has_changed(sight):
            return out + self._settles(now)
        self._forget_best()
        if sight.hand_mm2 > FREE_MM2 and sight.calm_s >= ABSORB_S:
            out.append(self._rest(now, absorb=True))
        return out

    def _begin_shots(self, now: Moment, unread: bool) -> list[Rest]:
        """Note the shots that begin now; the rest that must be told before the first of them, if there is one.

        ``unread``: nothing is known yet of what lies there.
        """
        out: list[Rest] = []
        new = self._new_shots()
        if self._first is None and self._fresh:
            self._first = now
        if new:
            if unread and not self._shots and self._first is not None:
                # the video begins in the middle of things: what its first frame shows is all that is known
                out.append(self._rest(self._first, absorb=True))
            elif self._best is not None and not self._shots and self._best.sight.at < new[0].at:
                out.append(self._rest(self._best))
            self._shots += new
        return out

    def _new_shots(self) -> list[Start]:
        out = []
        for track in (*self.eye.done, *self.eye.tracks):
            if track.start in self._counted:
                continue
            start = shot_start(track, self.view.board.shooting)
            if start is not None:
                self._counted.add(track.start)
                out.append(start)
        return out

    def _has_changed(self, sight: Sight) -> bool:
        """Whether enough looks otherwise than when it was read, away from the line, where discs are placed."""
        inner = sight.changed & (self.lens.radius < self.lens.view.board.shooting - LINE_ZONE_MM)
        return float(inner.sum()) * self.lens.mm_per_px**2 >= CONTENT_MM2

    def _settles(self, now: Moment) -> list[Rest]:
        """Whether everything lies still by now, and hides nothing, or nothing that is worth waiting for any longer."""
        sight = now.sight
        still = min(sight.still_s, sight.at - self._begun_at)
        free = sight.hand_mm2 < FREE_MM2
        if self._best is None and self._drafts:
            self._draft.see(now, still, free)
        if still < SETTLED_S:
            return []
        self._still_since = min(self._still_since, sight.at)
        if self._best is None or sight.hand_mm2 <= self._best.sight.hand_mm2 + FREE_MM2 / 2:
            self._best = now
        reaching = bool(self._shots) and sight.hand_mm2 > self._best.sight.hand_mm2 + REACHING_MM2
        late = bool(self._shots) and sight.at - self._still_since > PATIENCE_S
        if free or reaching or late:
            return [self._rest(self._best)]
        return [self._rest(now, absorb=True)] if sight.calm_s >= ABSORB_S else []

    def _forget_best(self) -> None:
        self._best, self._still_since = None, math.inf
        self._draft.forget()

    def _rest(self, moment: Moment, absorb: bool = False) -> Rest:
        """Make a moment a rest, and go on from there; ``absorb``: what looks like a hand in it is part of the scene."""
        frame, sight = moment
        hidden = np.zeros_like(sight.hand) if absorb else sight.hand
        tracks = self.eye.take_tracks()
        rest = Rest(
            frame, sight.at, sight.at - min(sight.still_s, sight.at), self.view, self.lens, sight.gray, hidden,
            tracks, tuple(self._shots), self._scene,
        )  # fmt: skip
        self.eye.settle(sight.gray, hidden)
        self._fresh = False
        self._forget_best()
        self._shots = []
        self._counted = {t.start for t in self.eye.tracks}
        return rest

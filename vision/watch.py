"""Watches a table through time: finds the board, notices cuts, zooms and bumps, and says when it is worth reading.

Whoever reads discs reads them at such a moment (``vision.rest``), and nowhere else.
"""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.drift import check_view
from calibration.hints import BoardHints, NoBoard
from calibration.scale import Scale
from calibration.solve import find_board
from calibration.view import BoardView
from vision.board_axes import Sizing, aligned
from vision.drafts import Draft
from vision.frames import Frame
from vision.lens import Gray, Lens
from vision.motion import MotionEye, Sight
from vision.rest import Rest
from vision.scene import SceneGate
from vision.tracks import Start, shot_start
from vision.video import as_luma

CALM_S = 0.3
"""After a cut the board is looked for once the picture has kept still for this long."""
SWARM = 8
"""So many things that move at once are not discs: the camera has moved."""
SHAKE_MOVERS, SHAKE_NOTICED_S = 3, 0.2
"""A knock shows as so many movers at least, and is noticed within this: what seemed to begin in it was no shot."""
SETTLED_S = 0.115
"""Everything lies still when nothing has moved for this long, three frames of 25 a second: cameras that stutter show
frames alike meanwhile, and what was read too soon is wrong."""
IDLE_S, IDLE_LOOK_S = 0.5, 0.19
"""When nothing has stirred for so long, a look this often is enough until something does."""
FIRST_CALM_S = 0.25
FIRST_ABSORB_S = 1.0
"""What seems to be a hand at the very first, and doesn't stir for this long, is where a hand was in the first frame."""
FREE_MM2 = 120.0
"""A hand that covers less of the surface than this hides nothing."""
REACHING_MM2 = 700.0
"""A hand that covers this much more than at best is reaching in again."""
PATIENCE_S = 2.5
"""A shot is read after this long even if a hand stays over the board."""
ABSORB_S = 4.0
"""What looks like a hand but hasn't stirred for this long is part of the scene."""
CONTENT_MM2 = 200.0
"""A quarter of a disc: the least change of what lies on the board that is worth a reading."""
LINE_ZONE_MM = 25.0
"""What changes nearer to the shooting line than this, or beyond it, is placing, unless a shot was seen."""
CUT_SHORT_S = 0.5
"""A shot that the camera turns away from is read, with a doubt, if it was on its way for this long."""
UNTOLD_MM = 6.0
"""About a disc that was hidden in part, this much beside it counts as hidden too (its shadow)."""
RETRIES_S = (0.5, 1.0, 2.0, 4.0)
"""Pauses before the board is looked for again, where it wasn't found."""
ANOTHER_BOARD = 0.2
"""Where more of the surface than this differs from what was seen before a cut, that is of no more use."""
VIEWS_KEPT = 3
Find = Callable[[NDArray[np.uint8], BoardHints], object]


class TableWatch:
    """Follows one table; ``hints`` say what is known of the board. ``view`` is None until the board is found.

    ``drafts``: people wait for the score, so what may turn out to be a rest is offered before (:attr:`drafted`).
    """

    def __init__(self, hints: BoardHints | None = None, find: Find = find_board, drafts: bool = False) -> None:
        self.hints = hints or BoardHints()
        self.view: BoardView | None = None
        self.scene = 0
        self.notes: list[tuple[float, str]] = []
        self.sight: Sight | None = None
        self.refusal: NoBoard | None = None
        self.sizing: Sizing | None = None
        self._find = find
        self._drafts = drafts
        self._gate = SceneGate()
        self._eye: MotionEye | None = None
        self._lens: Lens | None = None
        self._old: tuple[Lens, Gray] | None = None
        self._views: deque[BoardView] = deque(maxlen=VIEWS_KEPT)
        self._unsure = False
        self._fresh, self._fresh_at = True, -math.inf
        self._first: tuple[Frame, Sight] | None = None
        self._before: tuple[Frame, Sight] | None = None
        self._retry_at, self._retries = -math.inf, 0
        self._best: tuple[float, Frame, Sight] | None = None
        self._draft = Draft()
        self._waiting_since = math.inf
        self._shots: list[Start] = []
        self._counted: set[tuple[float, float, float]] = set()
        self._shaken: list[Start] | None = None
        self._passed: list[Frame] = []
        self._looked_at = -math.inf

    @property
    def lens(self) -> Lens | None:
        """What the board is seen through now; None until it is found."""
        return self._lens

    @property
    def under_way(self) -> bool:
        """Whether a shot was seen to begin whose rest isn't told yet."""
        return bool(self._shots)

    def __getstate__(self) -> dict[str, Any]:
        """What is kept when a job is put aside: everything but the frames, which belong to an open file."""
        return {**self.__dict__, "_best": None, "_draft": Draft(), "_first": None, "_before": None, "_passed": []}

    def board_moved(self) -> None:
        """Look for the board anew."""
        self._unsure = True
        self._views.clear()

    def use(self, view: BoardView, frame: Frame) -> None:
        """Take ``view`` from now on (a saved set-up's); ``frame`` is one that it fits."""
        if self.sizing is not None and not view.scale.known:
            view = self.sizing.of(view)
        self._take(view, frame, as_luma(frame)[1])

    def feed(self, frame: Frame) -> list[Rest]:
        """Take in the next frame; return the moments worth reading that became known with it."""
        # while nothing stirs not every frame is looked at; those passed over are, in order, as soon as something does
        passed, self._passed = self._passed, []
        if self._idle and self._eye is not None and self._lens is not None:
            if frame.timestamp - self._looked_at < IDLE_LOOK_S:
                self._passed = [*passed, frame]
                return []
            gray = self._lens.look(as_luma(frame)[0])
            if not self._eye.stirs(gray):
                return self._look(frame, gray)
        out = [rest for f in passed for rest in self._look(f)]
        return out + self._look(frame)

    @property
    def _idle(self) -> bool:
        """Whether nothing is under way, nothing waited for, and nothing has stirred for a while."""
        waits = self._unsure or self._fresh or self._shots or self._best is not None
        return not waits and self.sight is not None and self.sight.calm_s >= IDLE_S

    def _look(self, frame: Frame, gray: Gray | None = None) -> list[Rest]:
        """Look at a frame; ``gray``: it through the lens, where that was made already."""
        self._looked_at = frame.timestamp
        luma, to_plane = as_luma(frame)
        at = frame.timestamp
        changing = self._gate.look(luma, at)
        if self.view is None:
            if not changing:
                self._search(frame, to_plane)
            return []
        assert self._eye is not None and self._lens is not None
        sight = self._eye.look(self._lens.look(luma) if gray is None else gray, at)
        self.sight = sight
        if (changing or self._unsure or len(sight.movers) >= SHAKE_MOVERS) and self._gate.shifted():
            return self._knocked(at)
        if changing:
            last = [] if self._unsure else self._parting()
            self._unsure, self._shaken, self._before, self._gate.changed_at = True, None, None, at
            return last
        if len(sight.movers) >= SWARM and not self._unsure:
            # many discs at once, or a picture that the coder renews: what is under way is kept if the view still fits
            self._unsure = True
            self._gate.changed_at = at
        if self._unsure:
            return self._look_again(frame, to_plane) if at - self._gate.changed_at >= CALM_S else []
        self._before = (frame, sight)
        return self._decide(frame, sight)

    @property
    def drafted(self) -> Rest | None:
        """What will be the next rest if nothing stirs any more; its tracks and shots aren't told yet."""
        if self._draft.moment is None or self.view is None or self._lens is None:
            return None
        frame, sight = self._draft.moment
        return Rest(frame, sight.at, sight.at, self.view, self._lens, sight.gray, sight.hand, (), (), self.scene)

    def _knocked(self, at: float) -> list[Rest]:
        """The camera is being moved: shots that began before stay known, what seems to move is none of them."""
        last: list[Rest] = []
        if self._shaken is None and not self._unsure:
            if self._best is not None and self._shots:
                last.append(self._rest(*self._best[1:]))
            self._shaken = [s for s in self._shots if s.at < at - SHAKE_NOTICED_S]
        self._forget_motion()
        self._unsure, self._gate.changed_at, self._before = True, at, None
        return last

    def _parting(self) -> list[Rest]:
        """The view is lost: the last that was seen of a shot under way, if anything was; motion is forgotten."""
        last: list[Rest] = []
        if self._best is not None and self._shots:
            last.append(self._rest(*self._best[1:]))
        elif self._shots and self._before is not None and self._before[1].at > self._shots[-1].at + CUT_SHORT_S:
            last.append(replace(self._rest(*self._before), cut_short=True))
        self._forget_motion()
        return last

    def rescale(self, factor: float, disc_radius: float, scale: Scale) -> None:
        """The board's millimetres are to be multiplied by ``factor``; discs then have ``disc_radius`` mm."""
        assert self.view is not None and self._lens is not None and self._eye is not None
        before = 1.0 if self.sizing is None else self.sizing.factor
        self.sizing = Sizing(before * factor, disc_radius, scale)
        view = self.view.scaled(factor, scale)
        self.view = replace(view, board=replace(view.board, disc_radius=disc_radius))
        self._views = deque([self.view], maxlen=VIEWS_KEPT)
        self._lens = self._lens.rescaled(self.view)
        self._eye.use(self._lens)
        self._old = None

    def untold(self, places: list[tuple[float, float]]) -> None:
        """Discs at these places (mm) were hidden in part at the last rest: look there again when they are free."""
        if self._eye is None or self._lens is None:
            return
        for mm in places:
            self._eye.unsettle(self._lens.disc_mask(mm, self._lens.view.board.disc_radius + UNTOLD_MM))

    def finish(self) -> list[Rest]:
        """The source has ended: return the moment that was still waited for, if there is one."""
        passed, self._passed = self._passed, []
        out = [rest for frame in passed for rest in self._look(frame)]
        return out if self._best is None else [*out, self._rest(*self._best[1:])]

    def _search(self, frame: Frame, to_plane: NDArray[np.float64]) -> None:
        if frame.timestamp < self._retry_at:
            return
        found = self._find(frame.pixels, self.hints)
        if isinstance(found, BoardView):
            self._take(aligned(found, frame, self.sizing, self._old), frame, to_plane)
            self._retries = 0
            return
        if isinstance(found, NoBoard):
            self.refusal = found
        self._retry_at = frame.timestamp + RETRIES_S[min(self._retries, len(RETRIES_S) - 1)]
        self._retries += 1

    def _take(self, view: BoardView, frame: Frame, to_plane: NDArray[np.float64]) -> None:
        self.view = view
        self.scene += 1
        self._views.append(view)
        self._lens = Lens(view, to_plane)
        self._eye = MotionEye(self._lens)
        self._unsure, self._fresh, self._fresh_at = False, True, frame.timestamp
        self._forget_motion()
        self._first = None
        self._shots, self._shaken = self._shaken or [], None
        if self._old is not None:
            # on the board the old plate still holds, and a hand that is there now stands out from it
            gray = self._lens.look(as_luma(frame)[0])
            self._eye.look(gray, frame.timestamp)
            self._eye.settle(self._old[1], 1 - self._lens.field)
            sight = self._eye.look(gray, frame.timestamp)
            differs = float(((sight.hand | sight.changed) & self._lens.surface).sum())
            if differs > ANOTHER_BOARD * float(self._lens.surface.sum()):
                self._old, self._eye = None, MotionEye(self._lens)

    def _look_again(self, frame: Frame, to_plane: NDArray[np.float64]) -> list[Rest]:
        """After a change of the whole picture: the same view, one known from before, or a new one."""
        assert self.view is not None and self._eye is not None and self._lens is not None
        if frame.timestamp < self._retry_at:
            return []
        if self._shaken is None and check_view(frame.pixels, self.view).ok:
            self._unsure = False
            return []
        last = self._parting()
        self._remember()
        at = frame.timestamp
        for view in reversed(list(self._views)[:-1]) if self._shaken is None else ():
            if check_view(frame.pixels, view).ok:
                self.notes.append((at, "the camera shows the board as it did before"))
                self._take(view, frame, to_plane)
                return last
        found = self._find(frame.pixels, self.hints)
        if isinstance(found, BoardView):
            self.notes.append((at, "the camera has moved: the board was solved again"))
            self._take(aligned(found, frame, self.sizing, self._old), frame, to_plane)
            self._retries = 0
            return last
        self._retry_at = at + RETRIES_S[min(self._retries, len(RETRIES_S) - 1)]
        self._retries += 1
        return last

    def _remember(self) -> None:
        assert self._eye is not None and self._lens is not None
        if self._eye.plate is not None and not self._fresh:
            self._old = (self._lens, np.rint(self._eye.plate).astype(np.uint8))

    def _forget_best(self) -> None:
        self._best, self._waiting_since = None, math.inf
        self._draft.forget()

    def _forget_motion(self) -> None:
        self._forget_best()
        self._shots = []
        if self._eye is not None:
            self._eye.take_tracks()
            self._eye.tracks = []

    def _decide(self, frame: Frame, sight: Sight) -> list[Rest]:
        """Whether this frame, or the best one of late, is a moment worth reading."""
        assert self._lens is not None
        out: list[Rest] = []
        ghost = self._old is None and sight.hand_mm2 > FREE_MM2
        calm = min(sight.calm_s, sight.at - self._fresh_at)
        if self._fresh and not self._shots and calm >= (FIRST_ABSORB_S if ghost else FIRST_CALM_S):
            return [self._rest(frame, sight, absorb=ghost)]
        waits = self._fresh and self._old is None
        new_shots = self._new_shots()
        if self._first is None and self._fresh:
            self._first = (frame, sight)
        if new_shots:
            if waits and not self._shots and self._first is not None:
                # the video begins in the middle of things: what its first frame shows is all that is known
                out.append(self._rest(*self._first, absorb=True))
            elif self._best is not None and not self._shots and self._best[2].at < new_shots[0].at:
                out.append(self._rest(*self._best[1:]))
            self._shots += new_shots
        shooting = self._lens.view.board.shooting
        inner = sight.changed & (self._lens.radius < shooting - LINE_ZONE_MM)
        content = float(inner.sum()) * self._lens.mm_per_px**2 >= CONTENT_MM2
        if waits and not self._shots:
            return out
        if not content and not self._shots and not self._fresh:
            self._forget_best()
            if sight.hand_mm2 > FREE_MM2 and sight.calm_s >= ABSORB_S:
                out.append(self._rest(frame, sight, absorb=True))
            return out
        return out + self._settles(frame, sight)

    def _settles(self, frame: Frame, sight: Sight) -> list[Rest]:
        """Whether everything lies still by now, and hides nothing, or nothing that is worth waiting for any longer."""
        assert self._lens is not None
        still = min(sight.still_s, sight.at - self._fresh_at)
        free = sight.hand_mm2 < FREE_MM2
        if self._best is None and self._drafts:
            self._draft.see(frame, sight, still, free)
        if still < SETTLED_S:
            return []
        self._waiting_since = min(self._waiting_since, sight.at)
        best, newest = self._best, (frame, sight)
        if best is None or sight.hand_mm2 <= best[0] + FREE_MM2 / 2:
            self._best = best = (newest[1].hand_mm2, *newest)
        reaching = bool(self._shots) and sight.hand_mm2 > best[0] + REACHING_MM2
        late = bool(self._shots) and sight.at - self._waiting_since > PATIENCE_S
        if free or reaching or late:
            return [self._rest(*best[1:])]
        return [self._rest(frame, sight, absorb=True)] if sight.calm_s >= ABSORB_S else []

    def _new_shots(self) -> list[Start]:
        assert self._eye is not None and self._lens is not None
        out = []
        for track in (*self._eye.done, *self._eye.tracks):
            if track.start in self._counted:
                continue
            start = shot_start(track, self._lens.view.board.shooting)
            if start is not None:
                self._counted.add(track.start)
                out.append(start)
        return out

    def _rest(self, frame: Frame, sight: Sight, absorb: bool = False) -> Rest:
        """Make the moment of ``sight`` a rest, and go on from there."""
        assert self._eye is not None and self._lens is not None and self.view is not None
        hidden = np.zeros_like(sight.hand) if absorb else sight.hand
        tracks = self._eye.take_tracks()
        rest = Rest(
            frame, sight.at, sight.at - min(sight.still_s, sight.at), self.view, self._lens, sight.gray, hidden,
            tracks, tuple(self._shots), self.scene,
        )  # fmt: skip
        self._eye.settle(sight.gray, hidden)
        self._fresh = False
        self._forget_best()
        self._shots = []
        self._counted = {t.start for t in self._eye.tracks}
        return rest

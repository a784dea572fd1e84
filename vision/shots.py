"""What a shot did, from rest to rest: which discs moved, vanished or came, and which of them was shot.

A disc was touched when it lies elsewhere than before, or is gone, and no hand took it; tracks say when the shot began,
from where, and which disc is which. Ids are kept through a round. Lengths in mm on the board, times in seconds.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.disc_values import valued, verdict_of
from vision.lens import Gray
from vision.motion import Start
from vision.readings import Disc
from vision.table import Likeness, SeenDisc, Sides, TableReading, hole_disc, likeness

MOVED_MM = 0.5
"""A disc whose pixels lie this far from where they lay was moved: unmoved ones are found again within 0.2 mm."""
MAYBE_MOVED_MM = 0.3
"""Between this and MOVED_MM a person is asked."""
MOVED_BY_READING_MM = 4.0
"""Where the pixels don't tell (another camera, a shadow), places read must differ by this much ..."""
MAYBE_BY_READING_MM = 1.6
"""... and are doubtful from here on."""
LIKE = 0.8
"""Correlation from which a patch is the same one."""
PLACING_MM = 25.0
"""What comes to lie nearer to the shooting line than this, or beyond it, without a shot is being placed."""
AT_LINE_MM = 3.0
"""At first sight a disc that reaches the shooting line by more than this is being placed (C10: none keeps lying there)."""
FIRST, HOLE_AT_FIRST = 0.4, 0.95
"""Probability from which a disc is believed when nothing was seen before, on the board and in the hole."""
QUIET_STEP = 3.0
"""Grey levels below which nothing has changed, whatever the correlation: bare wood has little to correlate."""
PLAIN_STEP = 6.0
"""Grey levels from which a change makes a disc of what the reading only suspects to be one."""
BARE_STEP = 10.0
"""Grey levels up to which a place may differ from its bare look by a shadow or other light."""
KNOWN_BARE = 0.8
"""Share of a place that must have been seen bare to say that it is bare again."""
SHADOW_MM = 9.0
"""Beside a disc the board isn't bare: its shadow and, at a tilt, its body."""
SAME_PLACE_MM = 6.0
COVERED = 0.25
"""A disc is hidden where a hand covers more than this share of its face."""
KEPT_READINGS = 5
LEAVES_MM = 60.0
"""A track this long tells where a disc went."""
HOLE_TRACK_MM = 40.0
"""A track that ends this near to the hole's middle may have ended in it: its front edge or shadow is followed."""
BESIDE_HOLE_MM = 38.0
"""A disc nearer to the hole than this changes how the hole looks: its body hides it, or its shadow falls in."""
SURELY = 0.8
"""A disc this probable is believed even there."""
SUNK_LIKE = 0.6
"""The hole with a disc in it correlates less than this with the empty one."""
TRACK_END_MM = 45.0
"""The track of a disc ends within this of where the disc is read: the track follows its front edge, or its shadow."""
NO_TRACK_S = 0.7
"""A shot whose start wasn't seen began about this long before everything lay still."""
LEFT_AT = 0.95
"""In shooting-line radii: a disc that was shot and lies nowhere was last seen beyond this, on its way out."""
SECOND_SHOT_S = 1.8
"""A shot that begins so long after another is a second one: what is struck has stopped, or nearly, by then."""
SAME_SHOT_S = 0.6
"""Two tracks that begin within this time are one shot."""
GROUP_SURE = 0.75


@dataclass
class TableDisc:
    """A disc that lies on the board: ``group`` is its side's number; ``readings`` the latest ones, newest last."""

    id: int
    group: int
    readings: list[Disc]
    disc: Disc
    group_sure: float = 1.0

    @property
    def mm(self) -> tuple[float, float]:
        """Where it lies."""
        return self.disc.mm


@dataclass(frozen=True, slots=True)
class Change:
    """How the board at one rest differs from the rest before, disc by disc."""

    stayed: tuple[tuple[TableDisc, SeenDisc | None], ...]
    moved: tuple[tuple[TableDisc, tuple[float, float], SeenDisc | None, bool], ...]
    gone: tuple[TableDisc, ...]
    hidden: tuple[TableDisc, ...]
    new: tuple[SeenDisc, ...]


@dataclass(frozen=True, slots=True)
class DiscAfter:
    """Where a disc is after a shot: ``disc`` None when it left the surface. ``before``: None for the shot disc."""

    id: int
    group: int
    disc: Disc | None
    before: Disc | None


@dataclass(frozen=True, slots=True)
class Shot:
    """One shot as it was seen, from rest to rest.

    ``start``: seconds and place where the disc left the shooting line, ``start_seen`` whether its track was seen;
    ``after``: the shot disc and every disc that was moved or left; ``touched``: ids that it touched, ``maybe_touched``
    those that may have been; ``lying``: all discs on the surface and in the hole, (id, group, disc), when everything
    lay still; ``doubts``: in words, what may be wrong; ``strong``: whether the track alone proves a shot.
    """

    start_s: float
    start_mm: tuple[float, float] | None
    start_seen: bool
    settled_s: float
    group: int
    group_sure: float
    disc: int
    after: tuple[DiscAfter, ...]
    touched: tuple[int, ...]
    maybe_touched: tuple[int, ...]
    lying: tuple[tuple[int, int, Disc], ...]
    hidden: tuple[int, ...]
    doubts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Handled:
    """What hands did between two rests: ids taken off, ids pushed about, ids that came without a shot.

    ``elsewhere``: the camera showed something else in between. ``lying``: all discs now, (id, group, disc).
    """

    at: float
    taken: tuple[int, ...]
    pushed: tuple[int, ...]
    came: tuple[int, ...]
    elsewhere: bool
    lying: tuple[tuple[int, int, Disc], ...]


def fused(readings: Sequence[Disc], radius: float, board: object) -> Disc:
    """One disc from several readings of it at rest at one place: means of place and gaps, joint states."""
    last = readings[-1]
    if len(readings) == 1:
        return last
    mm = (float(np.mean([d.mm[0] for d in readings])), float(np.mean([d.mm[1] for d in readings])))
    chances: dict[str, float] = {}
    for d in readings:
        for state, p in d.states or ((d.state, 1.0),):
            chances[state] = chances.get(state, 0.0) + p / len(readings)
    states = tuple(sorted(chances.items(), key=lambda t: -t[1]))
    lines = []
    for line in last.lines:
        same = [c for d in readings for c in d.lines if c.line == line.line]
        gap = float(np.mean([c.gap_mm for c in same]))
        inner = float(np.mean([c.inner_gap_mm for c in same]))
        sigma = float(np.mean([c.sigma_mm for c in same]))
        p = 0.5 * math.erfc(gap / sigma / math.sqrt(2))
        lines.append(replace(line, gap_mm=gap, sigma_mm=sigma, inner_gap_mm=inner, p_touching=p, verdict=verdict_of(p)))
    joined = replace(
        last, mm=mm, states=states, state=states[0][0], state_confidence=states[0][1], lines=tuple(lines),  # type: ignore[arg-type]
        confidence=max(d.confidence for d in readings),
    )  # fmt: skip
    return valued(joined, radius, board)  # type: ignore[arg-type]


class TableFollower:
    """Keeps account of what lies on the board, from reading to reading.

    ``leaving``: ids that the rules take off: that they vanish is no shot's doing. ``regrouped``: ids whose side turned
    out to be another one than was told before.
    """

    def __init__(self, sides: Sides | None = None) -> None:
        self.sides = sides or Sides()
        self.table: dict[int, TableDisc] = {}
        self.leaving: set[int] = set()
        self.next_id = 1
        self.regrouped: dict[int, int] = {}
        self.size_known = False
        self.untold: list[tuple[float, float]] = []
        self.radius: tuple[float, float] | None = None
        self._radii: list[tuple[float, float]] = []
        self._fine: Gray | None = None
        self._unknown: Gray | None = None
        self._bare: Gray | None = None
        self._bare_known: Gray | None = None
        self._scene = -1
        self._ditch: list[tuple[tuple[float, float], int]] = []

    def observe(
        self, reading: TableReading, likely: Callable[[Start | None], int | None] = lambda _: None
    ) -> Shot | Handled:
        """Take in the reading of the next rest; ``likely`` names the side that a shot's start and the turn suggest."""
        self._learn_size(reading)
        change = self.compare(reading)
        sunk = self._sunk_unseen(reading, change)
        if sunk is not None:
            change = replace(change, new=(*change.new, sunk))
        self.untold = [d.mm for d in change.hidden]
        light = self._light(change)
        starts = self._starts(reading)
        newcomers = [(s, *self.sides.group(s, light, self._fine is not None)) for s in change.new]
        self._regroup(change, light)
        ditched = self._new_in_ditch(reading, light)
        outcome: Shot | Handled
        others_gone = [d for d in change.gone if d.id not in self.leaving]
        moved = [m for m in change.moved if m[0].id not in self.leaving]
        edge = LEFT_AT * reading.rest.view.board.shooting
        left = [s for s in starts if s.strong and math.hypot(*s.track.end[1:]) > edge]
        left += [s for s in starts if self._leaves(reading, s, edge)]
        is_shot = bool(newcomers) or bool(left) or bool(starts and (moved or others_gone or ditched))
        elsewhere = reading.rest.scene != self._scene and not starts and self._fine is not None
        if is_shot and self._fine is not None and not elsewhere:
            outcome = self._shot(reading, change, starts, newcomers, ditched, likely)
        else:
            outcome = self._handled(reading, change, newcomers, elsewhere)
        self._keep(reading)
        return outcome

    @staticmethod
    def _leaves(reading: TableReading, start: Start, edge: float) -> bool:
        """Whether something that moved after a shot's start was last seen leaving the surface."""
        for track in reading.rest.tracks:
            _, x, y = track.end
            outward = math.hypot(x, y) - math.hypot(*track.start[1:])
            if track.start[0] >= start.at and math.hypot(x, y) > edge and outward > LEAVES_MM:
                return True
        return False

    def _sunk_unseen(self, reading: TableReading, change: Change) -> SeenDisc | None:
        """A disc in the hole that the reading doesn't list: a track ended there, and the hole looks otherwise than bare."""
        shots = bool(reading.rest.shots)
        if not shots or self._fine is None or reading.rest.scene != self._scene:
            return None
        after = [s.disc.mm for s in reading.discs if s.sure or s in change.new]
        after += [d.mm for d in self.table.values() if d not in change.gone]
        if any(math.hypot(*mm) < BESIDE_HOLE_MM for mm in after):
            return None
        if not any(math.hypot(*t.end[1:]) < HOLE_TRACK_MM and t.reach > LEAVES_MM for t in reading.rest.tracks):
            return None
        if self._covered(reading, (0.0, 0.0)) > COVERED or self._looks_bare(reading, (0.0, 0.0)):
            return None
        like = likeness(self._fine, reading.fine, reading.lens, (0.0, 0.0), reading.rest.view.board.disc_radius)
        if like.same >= SUNK_LIKE or like.step < PLAIN_STEP:
            return None
        return hole_disc(reading)

    def clear(self) -> None:
        """A new round begins: nothing lies on the board."""
        self.table.clear()
        self.leaving.clear()

    @property
    def lying(self) -> tuple[tuple[int, int, Disc], ...]:
        """All discs on the board, (id, group, disc)."""
        return tuple((d.id, d.group, d.disc) for d in self.table.values())

    def compare(self, reading: TableReading) -> Change:
        """How the board differs from the rest before."""
        on_board = [s for s in reading.discs if s.disc.state != "ditch"]
        free = set(range(len(on_board)))
        stayed, moved, gone, hidden = [], [], [], []
        same_scene = self._fine is not None and reading.rest.scene == self._scene
        radius = reading.rest.view.board.disc_radius
        likes = {}
        if same_scene:
            assert self._fine is not None
            likes = {i: likeness(self._fine, reading.fine, reading.lens, d.mm, radius) for i, d in self.table.items()}
        for i, d in self.table.items():
            if self._covered(reading, d.mm) > COVERED:
                hidden.append(d)
                near = self._nearest(on_board, free, d.mm, SAME_PLACE_MM)
                if near is not None:
                    free.discard(near)
                continue
            like = likes.get(i)
            if like is not None and like.step >= QUIET_STEP and self._looks_bare(reading, d.mm):
                gone.append(d)
            elif like is not None and (like.step < QUIET_STEP or (like.same >= LIKE and like.far < MAYBE_MOVED_MM)):
                near = self._nearest(on_board, free, d.mm, SAME_PLACE_MM)
                if near is not None and like.step >= PLAIN_STEP and self._other_side(d, on_board[near]):
                    gone.append(d)
                    continue
                free.discard(-1 if near is None else near)
                stayed.append((d, None if near is None else on_board[near]))
            elif like is not None and like.moved >= LIKE:
                at = (d.mm[0] + like.shift[0], d.mm[1] + like.shift[1])
                near = self._nearest(on_board, free, at, SAME_PLACE_MM)
                free.discard(-1 if near is None else near)
                seen = None if near is None else on_board[near]
                if like.far < MAYBE_MOVED_MM:
                    stayed.append((d, seen))
                else:
                    moved.append((d, at, seen, like.far >= MOVED_MM))
            else:
                near = self._nearest(on_board, free, d.mm, SAME_PLACE_MM)
                if near is None or not on_board[near].sure or self._other_side(d, on_board[near]):
                    gone.append(d)
                    continue
                free.discard(near)
                seen = on_board[near]
                far = math.dist(seen.disc.mm, d.mm)
                if far < MAYBE_BY_READING_MM or not same_scene:
                    stayed.append((d, seen))
                else:
                    moved.append((d, seen.disc.mm, seen, far >= MOVED_BY_READING_MM))
        new = [on_board[k] for k in sorted(free) if self._is_new(reading, on_board[k], same_scene)]
        return Change(tuple(stayed), tuple(moved), tuple(gone), tuple(hidden), tuple(new))

    def _is_new(self, reading: TableReading, seen: SeenDisc, same_scene: bool) -> bool:
        if self._covered(reading, seen.disc.mm) > COVERED:
            return False
        shooting = reading.rest.view.board.shooting
        away = math.hypot(*seen.disc.mm)
        # near the line and beyond it lies what is being placed; a shot that ends there is found by its track
        if away > shooting - PLACING_MM and not reading.rest.shots and self._fine is not None:
            return False
        if self._fine is None:
            # at first sight the hole's floor passes for a disc too easily
            on_board = away < shooting - reading.rest.view.board.disc_radius + AT_LINE_MM
            return on_board and seen.disc.confidence >= (FIRST if seen.disc.state == "board" else HOLE_AT_FIRST)
        if not same_scene:
            return seen.sure if seen.disc.state == "board" else seen.disc.confidence >= HOLE_AT_FIRST
        like = likeness(self._fine, reading.fine, reading.lens, seen.disc.mm, reading.rest.view.board.disc_radius)
        if self._was_unknown(reading, seen.disc.mm):
            return seen.sure and away < shooting
        if like.step < QUIET_STEP or like.same >= LIKE:
            return False
        if self._looks_bare(reading, seen.disc.mm):
            return False
        if self._shaded_hole(reading, seen):
            return False
        return seen.sure or (bool(reading.rest.shots) and like.step >= PLAIN_STEP)

    @staticmethod
    def _shaded_hole(reading: TableReading, seen: SeenDisc) -> bool:
        """Whether a disc beside the hole explains that the hole looks otherwise than before."""
        if math.hypot(*seen.disc.mm) > reading.rest.view.board.disc_radius or seen.disc.confidence >= SURELY:
            return False
        beside = (s for s in reading.discs if s is not seen and s.disc.confidence > seen.disc.confidence)
        return any(math.hypot(*s.disc.mm) < BESIDE_HOLE_MM for s in beside)

    def _looks_bare(self, reading: TableReading, mm: tuple[float, float]) -> bool:
        """Whether a place looks as it did when nothing lay there; False where that was never seen."""
        if self._bare is None or self._bare_known is None:
            return False
        radius = reading.rest.view.board.disc_radius
        face = reading.lens.disc_mask(mm, radius) > 0
        if not face.any() or self._bare_known[face].mean() < KNOWN_BARE:
            return False
        like = likeness(self._bare, reading.fine, reading.lens, mm, radius)
        return like.step < QUIET_STEP or (like.same >= LIKE and like.step < BARE_STEP)

    def _learn_bare(self, reading: TableReading, hidden: Gray) -> None:
        """Remember how the board looks where nothing lies."""
        radius = reading.rest.view.board.disc_radius
        free = (hidden == 0).astype(np.uint8)
        for s in reading.discs:
            if s.sure or any(math.dist(s.disc.mm, d.mm) < SAME_PLACE_MM for d in self.table.values()):
                free &= 1 - reading.lens.disc_mask(s.disc.mm, radius + SHADOW_MM)
        for d in self.table.values():
            free &= 1 - reading.lens.disc_mask(d.mm, radius + SHADOW_MM)
        if self._bare is None or self._bare_known is None or reading.rest.scene != self._scene:
            self._bare, self._bare_known = reading.fine.copy(), free
        else:
            self._bare = np.where(free > 0, reading.fine, self._bare)
            self._bare_known = self._bare_known | free

    def _other_side(self, d: TableDisc, seen: SeenDisc) -> bool:
        """Whether what is seen is surely of another side than the disc that lay there."""
        group, sure = self.sides.group(seen)
        return group != d.group and sure > GROUP_SURE and d.group_sure > GROUP_SURE

    @staticmethod
    def _nearest(discs: Sequence[SeenDisc], free: set[int], mm: tuple[float, float], limit: float) -> int | None:
        best = min(free, key=lambda k: math.dist(discs[k].disc.mm, mm), default=None)
        return best if best is not None and math.dist(discs[best].disc.mm, mm) <= limit else None

    def _covered(self, reading: TableReading, mm: tuple[float, float]) -> float:
        rest = reading.rest
        face = rest.lens.disc_mask(mm, rest.view.board.disc_radius) > 0
        return float(rest.hidden[face].mean()) if face.any() else 0.0

    def _was_unknown(self, reading: TableReading, mm: tuple[float, float]) -> bool:
        if self._unknown is None:
            return False
        face = reading.rest.lens.disc_mask(mm, reading.rest.view.board.disc_radius) > 0
        return bool(face.any() and self._unknown[face].mean() > COVERED)

    def _regroup(self, change: Change, light: np.ndarray | None) -> None:  # type: ignore[type-arg]
        """A disc whose side wasn't clear is looked at again at every rest."""
        for d, seen in change.stayed:
            if seen is None or not seen.sure or d.group_sure >= GROUP_SURE:
                continue
            group, sure = self.sides.group(seen, light)
            if sure >= GROUP_SURE:
                d.group_sure = sure
                if group != d.group:
                    d.group = group
                    self.regrouped[d.id] = group

    def _light(self, change: Change) -> np.ndarray | None:  # type: ignore[type-arg]
        """By how much known faces differ now from their sides' colours (3,); None without any."""
        off = [s.lab - self.sides.middles[d.group] for d, s in change.stayed if s is not None]
        return np.median(np.array(off), axis=0) if off else None

    def _starts(self, reading: TableReading) -> list[Start]:
        out: list[Start] = []
        for s in sorted(reading.rest.shots, key=lambda s: s.at):
            if out and s.at - out[-1].at < SAME_SHOT_S:
                if s.strong and not out[-1].strong:
                    out[-1] = s
                continue
            out.append(s)
        return out

    def _new_in_ditch(self, reading: TableReading, light: np.ndarray | None) -> list[int]:  # type: ignore[type-arg]
        """Groups of the discs in the ditch that didn't lie there before."""
        out = []
        now = []
        for s in reading.discs:
            if s.disc.state == "ditch" and s.sure and self.sides.middles:
                group, _ = self.sides.group(s, light)
                now.append((s.disc.mm, group))
                if all(math.dist(s.disc.mm, mm) > reading.rest.view.board.disc_radius for mm, _ in self._ditch):
                    out.append(group)
        if not any(s.disc.state == "ditch" and self._covered(reading, s.disc.mm) > COVERED for s in reading.discs):
            self._ditch = now
        return out

    def _shot(
        self, reading: TableReading, change: Change, starts: list[Start],
        newcomers: list[tuple[SeenDisc, int, float]], ditched: list[int], likely: Callable[[Start | None], int | None],
    ) -> Shot:  # fmt: skip
        rest = reading.rest
        doubts: list[str] = ["the camera turned away before everything lay still"] if rest.cut_short else []
        strong = [s for s in starts if s.strong]
        start = (strong or starts or [None])[0]  # type: ignore[list-item]
        if len(strong) > 1 and strong[-1].at - strong[0].at > SECOND_SHOT_S:
            doubts.append("two shots seem to have been made without a rest between them")
        missing = [d for d in change.gone if d.id not in self.leaving]
        excess = {}
        for g in range(len(self.sides.middles)):
            excess[g] = sum(1 for _, k, _ in newcomers if k == g) - sum(1 for d in missing if d.group == g)
        suggested = likely(start)
        more = [g for g, n in excess.items() if n > 0]
        group_sure = 1.0
        if len(more) == 1 and excess[more[0]] == 1:
            group = more[0]
            group_sure = min((c for _, k, c in newcomers if k == group), default=1.0)
            if suggested is not None and suggested != group and group_sure < GROUP_SURE:
                doubts.append("the colour of the disc that was shot is not clear")
        elif more:
            group = suggested if suggested in more else more[0]
            doubts.append("more discs came than one shot can bring")
            group_sure = 0.5
        elif suggested is not None:
            group = suggested
        else:
            group = ditched[0] if ditched else 0
            if not ditched:
                group_sure = 0.5
                doubts.append("which side shot wasn't seen")
        shot_disc, pairs, left, extra = self._identify(group, start, missing, newcomers)
        if extra:
            doubts.append("a disc came to lie on the board that nobody is known to have shot")
        new_id = self.next_id
        self.next_id += 1
        after: list[DiscAfter] = []
        touched: list[int] = []
        maybe: list[int] = []
        if shot_disc is None:
            after.append(DiscAfter(new_id, group, None, None))
        else:
            seen, _, sure = shot_disc
            after.append(DiscAfter(new_id, group, seen.disc, None))
            self.table[new_id] = TableDisc(new_id, group, [seen.disc], seen.disc, sure)
        for d, seen in pairs:
            touched.append(d.id)
            after.append(DiscAfter(d.id, d.group, seen.disc, d.disc))
            self._renew(d, seen, fresh=True)
        for d in left:
            touched.append(d.id)
            after.append(DiscAfter(d.id, d.group, None, d.disc))
            self.table.pop(d.id, None)
        for d, at, seen_or_none, sure_moved in change.moved:
            if d.id in self.leaving:
                continue
            (touched if sure_moved else maybe).append(d.id)
            before = d.disc
            place = replace(d.disc, mm=at) if seen_or_none is None else seen_or_none.disc
            self._renew(d, None, fresh=True, place=place)
            after.append(DiscAfter(d.id, d.group, d.disc, before))
        for seen, g, sure in extra:
            self.table[self.next_id] = TableDisc(self.next_id, g, [seen.disc], seen.disc, sure)
            self.next_id += 1
        self._stay(change)
        for d in change.gone:
            self.table.pop(d.id, None) if d.id in self.leaving else None
        gone_by_hand = {d.id for d in change.gone if d.id in self.leaving}
        self.leaving -= gone_by_hand
        for g, s in ((group, shot_disc),):
            if s is not None and s[2] >= GROUP_SURE:
                self.sides.learn(g, s[0].lab)
        return Shot(
            rest.settled - NO_TRACK_S if start is None else start.at, None if start is None else start.xy,
            start is not None, rest.settled, group, group_sure, new_id, tuple(after), tuple(touched), tuple(maybe),
            self.lying, tuple(d.id for d in change.hidden), tuple(doubts),
        )  # fmt: skip

    def _identify(
        self, group: int, start: Start | None, missing: list[TableDisc], newcomers: list[tuple[SeenDisc, int, float]]
    ) -> tuple[
        tuple[SeenDisc, int, float] | None,
        list[tuple[TableDisc, SeenDisc]],
        list[TableDisc],
        list[tuple[SeenDisc, int, float]],
    ]:
        """Which newcomer was shot, which are missing discs at their new places; who left; who is unaccounted for."""
        pool = list(newcomers)
        shot_disc = None
        mine = [n for n in pool if n[1] == group]
        own_missing = [d for d in missing if d.group == group]
        if len(mine) > len(own_missing):
            if start is not None and len(mine) > 1:
                _, x, y = start.track.end
                ranked = sorted(mine, key=lambda n: math.dist(n[0].disc.mm, (x, y)))
                if math.dist(ranked[0][0].disc.mm, (x, y)) < TRACK_END_MM:
                    shot_disc = ranked[0]
            if shot_disc is None:
                # what moved lies nearer to where it lay than what was shot, as a rule
                def cost(n: tuple[SeenDisc, int, float]) -> float:
                    return min((math.dist(n[0].disc.mm, d.mm) for d in own_missing), default=0.0)

                shot_disc = max(mine, key=cost)
        elif mine and start is not None and own_missing:
            _, x, y = start.track.end
            nearest = min(mine, key=lambda n: math.dist(n[0].disc.mm, (x, y)))
            if math.dist(nearest[0].disc.mm, (x, y)) < TRACK_END_MM:
                shot_disc = nearest
        if shot_disc is not None:
            pool.remove(shot_disc)
        pairs: list[tuple[TableDisc, SeenDisc]] = []
        rest = list(missing)
        options = sorted(
            (math.dist(n[0].disc.mm, d.mm), i, j)
            for i, n in enumerate(pool) for j, d in enumerate(missing) if n[1] == d.group
        )  # fmt: skip
        used_n: set[int] = set()
        for _, i, j in options:
            if i not in used_n and missing[j] in rest:
                used_n.add(i)
                rest.remove(missing[j])
                pairs.append((missing[j], pool[i][0]))
        extra = [n for i, n in enumerate(pool) if i not in used_n]
        return shot_disc, pairs, rest, extra

    def _handled(
        self, reading: TableReading, change: Change, newcomers: list[tuple[SeenDisc, int, float]], elsewhere: bool
    ) -> Handled:
        first = self._fine is None or elsewhere
        taken, known = [d.id for d in change.gone], set(self.table)
        for i in taken:
            self.table.pop(i)
        self.leaving -= set(taken)
        pushed = []
        for d, at, seen, sure in change.moved:
            if sure:
                pushed.append(d.id)
            self._renew(d, None, fresh=True, place=replace(d.disc, mm=at) if seen is None else seen.disc)
        self._stay(change)
        if first:
            for seen, g, sure in newcomers:
                self.table[self.next_id] = TableDisc(self.next_id, g, [seen.disc], seen.disc, sure)
                self.sides.learn(g, seen.lab)
                self.next_id += 1
        came = tuple(sorted(set(self.table) - known))
        return Handled(reading.rest.at, tuple(taken), tuple(pushed), came, elsewhere, self.lying)

    def _stay(self, change: Change) -> None:
        for d, seen in change.stayed:
            if seen is not None:
                self._renew(d, seen)
                self.sides.learn(d.group, seen.lab)

    def _renew(self, d: TableDisc, seen: SeenDisc | None, fresh: bool = False, place: Disc | None = None) -> None:
        """Take in one more reading of a disc; ``fresh``: it lies elsewhere than before."""
        reading = place if place is not None else None if seen is None else seen.disc
        if reading is None:
            return
        d.readings = [reading] if fresh else [*d.readings, reading][-KEPT_READINGS:]
        assert self.radius is not None
        d.disc = fused(d.readings, self.radius[0], self._board)

    def _learn_size(self, reading: TableReading) -> None:
        self._board = reading.rest.view.board
        if self.size_known:
            return
        if any(s.sure for s in reading.discs):
            self._radii.append((reading.disc_radius, reading.disc_radius_sigma))
        if self._radii:
            best = min(self._radii, key=lambda r: r[1])[1]
            self.radius = (float(np.median([r for r, _ in self._radii])), best)
        else:
            self.radius = (reading.disc_radius, reading.disc_radius_sigma)

    def _keep(self, reading: TableReading) -> None:
        hidden = np.asarray(
            cv2.resize(reading.rest.hidden, reading.fine.shape[::-1], interpolation=cv2.INTER_NEAREST), dtype=np.uint8
        )
        self._learn_bare(reading, hidden)
        if self._fine is None or reading.rest.scene != self._scene:
            self._fine = reading.fine
            self._unknown = reading.rest.hidden.copy()
        else:
            assert self._unknown is not None
            self._fine = np.where(hidden > 0, self._fine, reading.fine)
            self._unknown = self._unknown & reading.rest.hidden
        self._scene = reading.rest.scene


def closeness(like: Likeness) -> str:
    """A likeness in words, for messages."""
    return f"correlation {like.same:.2f}, {like.moved:.2f} after a shift of {like.far:.2f} mm"

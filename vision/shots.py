"""What a shot did, from rest to rest: which discs moved, vanished or came, and which of them was shot.

A disc was touched if it lies elsewhere than before, or is gone, and no hand took it. Tracks tell when the shot began,
from where, and which disc is which. Ids are kept through a round. Lengths in mm on the board, times in seconds.
"""

import math
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from calibration.boards import BoardModel
from vision.change_clues import COVERED, GROUP_SURE, TRACK_END_MM, covered, light_of
from vision.changes import READ_BEFORE, BoardMemory
from vision.doubts import Doubt, ShotDoubt, doubt
from vision.readings import Disc
from vision.rest import Rest
from vision.shot_losses import unseen_losses
from vision.shot_paths import LEFT_AT, glimpses, leaves, paired, single_starts, which_was_shot
from vision.shot_seen import DiscAfter, Handled, Likely, Lying, Newcomer, OnTable, Shot
from vision.shot_sides import left_there, who_shot
from vision.sides import Sides
from vision.table import Lab, TableReading
from vision.table_discs import Change, TableDisc
from vision.tracks import SHOT_PATH_MM, Start, Track

CLEARED = 3
"""If this many discs vanish at once while none comes, hands took them off: the board is being cleared."""
FINGER_MM = 60.0
"""What seems to be a shot is a hand's finger if it ends this near to a disc that a hand takes off; or, where nothing
else speaks for a shot, if a hand hides a quarter of what lies this near to its end."""
NO_TRACK_S = 0.7
"""A shot whose start wasn't seen began about this long before everything lay still."""
SECOND_SHOT_S = 1.8
"""A shot that begins this long after another is a second one: by then what was struck has stopped, or nearly."""
BEYOND_DOUBT, NO_DISC = 0.95, 0.5
"""Discs that lie plainly there are read with more than the first at every rest. A disc that nobody saw come and that
was read with less is none once it is read with less than the second, though nothing has changed."""
PLACED_MM = 50.0
"""A disc that lay on the line at first sight is the one that was shot if a shot begins within this of it."""
FACES_KEPT = 5


@dataclass
class _Account:
    """What is found out about one shot, step by step. ``board``: the one that it was made on."""

    board: BoardModel
    after: list[DiscAfter] = field(default_factory=list)
    touched: list[int] = field(default_factory=list)
    maybe: list[int] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)


class TableFollower:
    """Keeps account of what lies on the board, from reading to reading.

    ``leaving``: ids that the rules take off, so that no shot made them vanish. ``regrouped``: ids whose side turned out
    to be another than was told. ``untold``: places of discs that a hand hid. ``glimpses``: tracks since the last shot
    that left the board and may have been shots. ``phantoms``: ids of what turned out to be no discs. ``radius``: of the
    discs, in mm, with its uncertainty; ``size_known``: it was measured once and for all.
    """

    def __init__(self, sides: Sides | None = None) -> None:
        self.sides = sides or Sides()
        self.table: dict[int, TableDisc] = {}
        self.leaving: set[int] = set()
        self.regrouped: dict[int, int] = {}
        self.untold: list[tuple[float, float]] = []
        self.radius: tuple[float, float] | None = None
        self.size_known = False
        self.glimpses: list[Track] = []
        self.phantoms: set[int] = set()
        self._memory = BoardMemory()
        self._next_id = 1
        self._radii: list[tuple[float, float]] = []
        self._ditch: list[Disc] = []
        self._faces: dict[int, deque[Lab]] = {}
        self._prints: list[tuple[float, float]] = []

    @property
    def lying(self) -> Lying:
        """All discs on the board."""
        return tuple(OnTable(d.id, d.group, d.disc) for d in self.table.values())

    def new_id(self) -> int:
        """The id of the next disc."""
        self._next_id += 1
        return self._next_id - 1

    def hidden(self, rest: Rest) -> bool:
        """Whether hands hide a disc at a rest that isn't taken in yet."""
        return any(covered(rest, d.mm) > COVERED for d in self.table.values())

    def observe(self, reading: TableReading, likely: Likely = lambda _: None) -> Shot | Handled:
        """Take in the reading of the next rest."""
        self._learn_size(reading)
        first = self._memory.empty
        change = self._memory.compare(reading, self.table, self.sides, self.leaving)
        self.untold = [d.mm for d in change.hidden]
        light = light_of(change, self.sides)
        new = [s for s in change.new if all(math.dist(s.disc.mm, mm) > TRACK_END_MM / 3 for mm in self._prints)]
        newcomers = [Newcomer(s, *self.sides.group(s, light, not first)) for s in new]
        self._unmask(change)
        self._regroup(change, light)
        ditched = self._new_in_ditch(reading, light)
        starts = single_starts(reading.rest.shots)
        elsewhere = not first and reading.rest.scene != self._memory.scene and not starts
        outcome: Shot | Handled
        if first or elsewhere or not self._is_shot(reading, change, starts, newcomers, ditched):
            outcome = self._handled(reading, change, newcomers, first or elsewhere, elsewhere)
        else:
            outcome = self._shot(reading, change, starts, newcomers, ditched, likely)
        if isinstance(outcome, Shot):
            self.glimpses.clear()
        self.glimpses += glimpses(reading, None if isinstance(outcome, Handled) else outcome.start_s)
        self._memory.keep(reading, self.table)
        return outcome

    def glimpsed(self, track: Track, group: int, lying: Lying) -> Shot:
        """A glimpse told as the shot of a side whose disc left the board; ``lying`` lay there before and after."""
        disc = self.new_id()
        return Shot(
            track.start_s, track.start_mm, False, track.end_s, group, 1.0, disc,
            (DiscAfter(disc, group, None, None),), (), (), lying, (), (),
        )  # fmt: skip

    def _is_shot(
        self, reading: TableReading, change: Change, starts: list[Start], newcomers: list[Newcomer], ditched: list[int]
    ) -> bool:
        """Whether a shot was made: a disc came, or a track says so and something confirms it."""
        if newcomers:
            return True
        gone = [d for d in change.gone if d.id not in self.leaving]
        if len(gone) >= CLEARED:
            return False
        if change.struck is not None:
            return True
        taken = [d.mm for d in change.gone if d.id in self.leaving]
        if taken:  # hands were at work: only what no finger can do is a shot
            starts = [s for s in starts if s.strong and all(math.dist(s.track.end_mm, mm) > FINGER_MM for mm in taken)]
        if not starts:
            return False
        if gone or any(m.disc.id not in self.leaving for m in change.moved):
            return True
        starts = [s for s in starts if not self._by_hand(reading, s)]
        told = not taken and (ditched or any(s.strong for s in starts))
        return bool(starts and told) or any(leaves(reading, s) for s in starts)

    def _by_hand(self, reading: TableReading, start: Start) -> bool:
        """Whether a shot that nothing on the board confirms is only a hand's finger.

        It is if it ends at a hand, on the surface or without ever leaving the line where discs are placed; or if it
        ends at a disc that is to be taken off.
        """
        end, shooting = start.track.end_mm, reading.rest.view.board.shooting
        wanted = [self.table[i].mm for i in self.leaving if i in self.table]
        here = math.hypot(*end) <= LEFT_AT * shooting or start.track.least > shooting - SHOT_PATH_MM
        held = here and covered(reading.rest, end, FINGER_MM) > COVERED
        return held or any(math.dist(end, mm) <= FINGER_MM for mm in wanted)

    def _shot(
        self, reading: TableReading, change: Change, starts: list[Start], newcomers: list[Newcomer],
        ditched: list[int], likely: Likely,
    ) -> Shot:  # fmt: skip
        rest, account = reading.rest, _Account(reading.rest.view.board)
        if rest.cut_short:
            account.doubts.append(doubt(ShotDoubt.CUT_SHORT))
        if change.filled:
            account.doubts.append(doubt(ShotDoubt.HOLE_FILLED))
        strong = [s for s in starts if s.strong]
        start = strong[0] if strong else starts[0] if starts else None
        if len(strong) > 1 and strong[-1].at - strong[0].at > SECOND_SHOT_S:
            account.doubts.append(doubt(ShotDoubt.TWO_SHOTS))
        placed = self._placed(reading, change, start)
        missing = [d for d in change.gone if d.id not in self.leaving and d.id not in placed]
        suggested = likely(start)
        left = left_there([d for d in change.gone if d.id in self.leaving], missing, newcomers, suggested)
        self.leaving -= {d.id for d in left}
        missing += left
        group, sure, unclear = who_shot(missing, newcomers, ditched, suggested)
        account.doubts += unclear
        shot_disc = which_was_shot(group, start, missing, newcomers)
        others = [n for n in newcomers if n is not shot_disc]
        pairs = paired(missing, others)
        disc_id = self._add(shot_disc, group, account)
        back = tuple(OnTable(d.id, d.group, d.disc) for d in left)
        self._settle(change, missing, pairs, account)
        began = rest.settled - NO_TRACK_S if change.struck is None else change.struck.start_s
        vanished = [a for a in account.after if a.disc is None]
        if unseen_losses(reading, began if start is None else start.at, [a.group for a in vanished], ditched):
            known = [a.id for a in vanished if a.id != disc_id]
            account.doubts.append(doubt(ShotDoubt.UNSEEN_LOSS, *known) if known else doubt(ShotDoubt.NOT_FOUND))
        extra = [n for n in others if all(n is not found for _, found in pairs)]
        if extra:
            account.doubts.append(doubt(ShotDoubt.NOBODYS))
        for n in extra:
            self._place(n)
        if shot_disc is not None:
            self._faces.setdefault(group, deque(maxlen=FACES_KEPT)).append(shot_disc.seen.lab)
            if shot_disc.sure >= GROUP_SURE:
                self.sides.learn(group, shot_disc.seen.lab)
        return Shot(
            began if start is None else start.at, None if start is None else start.xy,
            start is not None, rest.settled, group, sure, disc_id, tuple(account.after), tuple(account.touched),
            tuple(account.maybe), self.lying, tuple(d.id for d in change.hidden if d.id in self.table),
            tuple(account.doubts), back,
        )  # fmt: skip

    def _placed(self, reading: TableReading, change: Change, start: Start | None) -> set[int]:
        """Drop discs that seemed to lie on the line at first sight but were shot from there now; their ids."""
        board = reading.rest.view.board
        if start is None:
            return set()
        there = [d for d in (*change.gone, *change.hidden) if d.first and math.dist(d.mm, start.xy) < PLACED_MM]
        out = {d.id for d in there if math.hypot(*d.mm) > board.shooting - board.disc_radius}
        for i in out:
            del self.table[i]
        self.phantoms |= out
        return out

    def _add(self, shot_disc: Newcomer | None, group: int, account: _Account) -> int:
        """Enter the shot disc, which may have left the surface; returns its id."""
        if shot_disc is None:
            gone = self.new_id()
            account.after.append(DiscAfter(gone, group, None, None))
            return gone
        disc = self._place(shot_disc._replace(group=group))
        account.after.append(DiscAfter(disc.id, group, disc.disc, None))
        return disc.id

    def _settle(
        self, change: Change, missing: list[TableDisc], pairs: list[tuple[TableDisc, Newcomer]], account: _Account
    ) -> None:
        """Enter where the discs that lay there before are now."""
        for d, found in pairs:
            account.touched.append(d.id)
            account.after.append(DiscAfter(d.id, d.group, found.seen.disc, d.disc))
            self._renew(d, found.seen.disc, account.board, elsewhere=True)
        for d in missing:
            if all(d is not moved for moved, _ in pairs):
                account.touched.append(d.id)
                account.after.append(DiscAfter(d.id, d.group, None, d.disc))
                del self.table[d.id]
        for m in change.moved:
            if m.disc.id in self.leaving:
                continue
            (account.touched if m.sure else account.maybe).append(m.disc.id)
            before = m.disc.disc
            self._renew(m.disc, m.reading, account.board, elsewhere=True)
            account.after.append(DiscAfter(m.disc.id, m.disc.group, m.disc.disc, before))
        self._stay(change, account.board)
        for d in change.gone:
            if d.id in self.leaving:
                self.table.pop(d.id, None)
                self.leaving.discard(d.id)

    def _handled(
        self, reading: TableReading, change: Change, newcomers: list[Newcomer], anew: bool, elsewhere: bool
    ) -> Handled:
        """Hands did something, or (``anew``) the board is seen for the first time, or again after a change of view."""
        taken = [d.id for d in change.gone]
        for i in taken:
            del self.table[i]
        self.leaving -= set(taken)
        for m in change.moved:
            self._renew(m.disc, m.reading, reading.rest.view.board, elsewhere=True)
        self._stay(change, reading.rest.view.board)
        came = [self._place(n) for n in newcomers] if anew else []
        for d, n in zip(came, newcomers, strict=False):
            d.doubted, d.first = n.seen.disc.confidence < BEYOND_DOUBT, True
            self.sides.learn(d.group, n.seen.lab)
        pushed = tuple(m.disc.id for m in change.moved if m.sure)
        return Handled(reading.rest.at, tuple(taken), pushed, tuple(d.id for d in came), elsewhere, self.lying)

    def _place(self, n: Newcomer) -> TableDisc:
        """Enter a disc that came to lie on the board."""
        disc = TableDisc(self.new_id(), n.group, [n.seen.disc], n.seen.disc, n.sure)
        self.table[disc.id] = disc
        return disc

    def _unmask(self, change: Change) -> None:
        """Drop what nobody saw come and is no longer read as a disc though it looks as before: part of the board."""
        for d, seen in change.stayed:
            if d.doubted and (seen is None or seen.disc.confidence < NO_DISC):
                del self.table[d.id]
                self.leaving.discard(d.id)
                self.phantoms.add(d.id)
                self._prints.append(d.mm)
                if faces := self._faces.get(d.group):
                    self.sides.refound(d.group, faces)

    def _stay(self, change: Change, board: BoardModel) -> None:
        """Take in how discs that lie where they lay are read now."""
        for d, seen in change.stayed:
            if seen is not None and d.id in self.table:
                self._renew(d, seen.disc, board)
                self.sides.learn(d.group, seen.lab)

    def _renew(self, d: TableDisc, reading: Disc, board: BoardModel, elsewhere: bool = False) -> None:
        """Join a disc with one more reading of it; ``elsewhere``: it was moved since the last one."""
        if self.radius is None:
            raise ValueError("a disc can't be renewed before the size of the discs is known")
        d.renew(reading, self.radius[0], board, elsewhere)

    def _regroup(self, change: Change, light: Lab | None) -> None:
        """A disc whose side wasn't clear is looked at again at every rest."""
        for d, seen in change.stayed:
            if seen is None or not seen.sure or d.group_sure >= GROUP_SURE:
                continue
            group, sure = self.sides.group(seen, light)
            if sure >= GROUP_SURE:
                d.group_sure = sure
                if group != d.group:
                    d.group = self.regrouped[d.id] = group

    def _new_in_ditch(self, reading: TableReading, light: Lab | None) -> list[int]:
        """Groups of the discs in the ditch that didn't lie there before."""
        lying = [s for s in reading.discs if s.disc.state == "ditch"]
        apart = reading.rest.view.board.disc_radius
        new = [
            s for s in lying
            if s.sure and not any(
                math.dist(s.disc.mm, before.mm) < apart and before.confidence > READ_BEFORE * s.disc.confidence
                for before in self._ditch
            )
        ]  # fmt: skip
        if all(covered(reading.rest, s.disc.mm) <= COVERED for s in lying):
            self._ditch = [s.disc for s in lying]
        return [self.sides.group(s, light)[0] for s in new] if self.sides.middles else []

    def _learn_size(self, reading: TableReading) -> None:
        """Measure the discs' radius over all readings, until it is known once and for all."""
        if self.size_known:
            return
        if any(s.sure for s in reading.discs):
            self._radii.append((reading.disc_radius, reading.disc_radius_sigma))
        if self._radii:
            best = min(sigma for _, sigma in self._radii)
            self.radius = (float(np.median([r for r, _ in self._radii])), best)
        else:
            self.radius = (reading.disc_radius, reading.disc_radius_sigma)

"""What people say about single discs: it overrules the camera until the table changes there."""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from calibration.boards import BoardModel
from calibration.errors import NotFoundError, UnusableInputError
from calibration.view import BoardView
from referee.crokinole_match import Ledger
from referee.log import MatchLog
from referee.officials import NOWHERE, Correction, Lain, Place, Ruled
from referee.officials.crokinole_numbers import Numbers
from referee.officials.crokinole_ruling import ruling
from referee.rules.crokinole import Setup
from vision.disc_values import plain_contacts, valued
from vision.readings import Disc, DiscState, LineContact, Verdict
from vision.shots import TableFollower
from vision.table_discs import TableDisc

BY_HAND = 1.0
"""People's word is sure."""
TIPS_FROM = 0.5
"""In disc radii: if the hole wasn't measured, a disc whose middle is nearer to the hole's than this tips into it."""


@dataclass
class RuledDisc(TableDisc):
    """A disc that lies as people said; readings of it say nothing until it is moved (``held``)."""

    held: bool = True

    def renew(self, reading: Disc, radius: float, board: BoardModel, elsewhere: bool = False) -> None:
        """Take in one more reading, once the disc lies elsewhere."""
        if elsewhere:
            self.held = False
        if not self.held:
            super().renew(reading, radius, board, elsewhere)


def placed(old: Disc | None, place: Place, view: BoardView, radius: float) -> Disc:
    """The disc as people say that it lies: at a place, which gives its worth, or with the worth they name."""
    board = view.board
    base = old or Disc(0, "", (0.0, 0.0), (0.0, 0.0), 0.0, "board", BY_HAND, BY_HAND)
    mm = place.mm or base.mm
    if place.mm is not None:
        x, y = view.to_px(np.array([mm]), board.disc_height)[0]
        base = replace(base, px=(float(x), float(y)))
    state = place.state or (_state_at(mm, board, radius) if place.value is None else "board")
    made = replace(base, mm=mm, sigma_mm=0.0, state=state, states=((state, BY_HAND),), why=(), colours=())
    made = replace(made, confidence=BY_HAND, state_confidence=BY_HAND, lines=())
    if state == "board" and place.value is not None:
        return replace(made, lines=_inner_line(place), values=((place.value, BY_HAND),))
    lines = plain_contacts(mm, 0.0, radius, 0.0, board) if state == "board" else ()
    settled = tuple(replace(c, p_touching=float(c.gap_mm <= 0), verdict=_verdict(c)) for c in lines)
    return valued(replace(made, lines=settled), radius, board)


def _verdict(line: LineContact) -> Verdict:
    return "touching" if line.gap_mm <= 0 else "clear"


def _inner_line(place: Place) -> tuple[LineContact, ...]:
    """The 15 line as touched from outside, where people say so (C7 asks for it)."""
    return (LineContact("15/10", 0.0, 0.0, BY_HAND, "touching", 0.0),) if place.inner else ()


def _state_at(mm: tuple[float, float], board: BoardModel, radius: float) -> DiscState:
    tips = math.sqrt(max((board.hole or 0.0) ** 2 - radius**2, (TIPS_FROM * radius) ** 2))
    return "hole" if math.hypot(*mm) < tips else "board"


class _Known(NamedTuple):
    """What the camera knows of a disc: how it lies there (None: it doesn't), and the log's number."""

    disc: TableDisc | None
    number: int | None


@dataclass(slots=True)
class _Said:
    """What people said of one disc, by the log's entry, and what the camera had before and after."""

    entry: int
    disc: int
    of_round: int
    before: _Known
    after: _Known
    holds: bool = True


class Hand:
    """Corrections of what one follower has on the table; ``groups``: side -> the camera's group of its discs."""

    def __init__(self, follower: TableFollower, ledger: Ledger, numbers: Numbers) -> None:
        self.groups: dict[str, int] = {}
        self._guessed: dict[str | None, int] = {}
        self._follower, self._ledger, self._numbers = follower, ledger, numbers
        self._said: list[_Said] = []

    def lain(self) -> list[Lain]:
        """What the camera takes to lie on the table now."""
        words = self._follower.sides.words()
        out = []
        for d in self._follower.table.values():
            disc = replace(d.disc, id=d.id, colour=words[d.group] if d.group < len(words) else "")
            out.append(Lain(disc, self._numbers.of(d.id), isinstance(d, RuledDisc) and d.held))
        return out

    def ruling(self, log: MatchLog, correction: Correction, view: BoardView | None) -> Ruled:
        """What the correction means for the log."""
        number = None if correction.disc is None else self._numbers.of(correction.disc)
        disc = self._corrected(correction, view)
        if correction.disc is not None and correction.there and self._numbers.earlier(correction.disc):
            words = "that disc is of a round before this one; correct that round's last shot in the list of events"
            raise UnusableInputError(words, code="no_shot")
        cleared = all(self._numbers.of(i) is None for i in self._follower.table)
        return ruling(log, correction, number, disc, cleared)

    def correct(
        self, entry: int, correction: Correction, number: int | None, view: BoardView | None, of: Setup
    ) -> None:
        """Go on from what people said of a disc; ``number``: the log's."""
        made = self._corrected(correction, view)
        disc_id = self._follower.new_id() if correction.disc is None else correction.disc
        before = self._follower.table.get(disc_id)
        after = None
        if made is not None:
            group = before.group if before is not None and correction.side is None else self._group(correction.side, of)
            made = replace(made, id=disc_id)
            after = RuledDisc(disc_id, group, [made], made)
        was = _Known(before, self._numbers.of(disc_id))
        said = _Said(entry, disc_id, self._numbers.round, was, _Known(after, number))
        self._said.append(said)
        self._put(said, said.after)

    def in_force(self, entries: Collection[int]) -> None:
        """Drop what was taken back, unless the table has changed there since; restore what was brought back."""
        for said in reversed(self._said):  # what was said last is dropped first and restored last
            if said.holds and said.entry != NOWHERE and said.entry not in entries:
                self._change(said, said.after, said.before)
        for said in self._said:
            if not said.holds and said.entry in entries:
                self._change(said, said.before, said.after)

    def _change(self, said: _Said, now: _Known, then: _Known) -> None:
        if self._follower.table.get(said.disc) is now.disc:
            self._put(said, then)
        said.holds = not said.holds

    def _put(self, said: _Said, known: _Known) -> None:
        disc, number = known
        if disc is None:
            self._follower.table.pop(said.disc, None)
        else:
            self._follower.table[said.disc] = disc
        if number is not None:
            self._numbers.give(said.disc, number, said.of_round)
        leaving = self._follower.leaving
        self._ledger.corrected([d for d in self._follower.lying if d.id not in leaving])

    def _corrected(self, correction: Correction, view: BoardView | None) -> Disc | None:
        """The disc as people say that it lies; None where nothing lies there."""
        known = None if correction.disc is None else self._follower.table.get(correction.disc)
        if view is None or (correction.disc is not None and known is None):
            raise NotFoundError("there is no such disc on the table any more", code="no_disc")
        if not correction.there:
            return None
        if correction.place is None:
            return None if known is None else known.disc
        radius = view.board.disc_radius if self._follower.radius is None else self._follower.radius[0]
        return placed(None if known is None else known.disc, correction.place, view, radius)

    def _group(self, side: str | None, setup: Setup) -> int:
        """The camera's group of a side: as its shots have shown it, else one that no other side has."""
        if side in self.groups:
            return self.groups[side]
        known = set(self.groups.values())
        # what a shot has shown since is no guess any more
        self._guessed = {s: g for s, g in self._guessed.items() if s not in self.groups and g not in known}
        taken = known | set(self._guessed.values())
        if side not in self._guessed:
            self._guessed[side] = next(g for g in range(len(setup.sides) + 1) if g not in taken)
        return self._guessed[side]

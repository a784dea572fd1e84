"""Dice over time: when they lie still, and what they show then.

A picture of a tumbling die reads as plausibly as one of a lying die, so nothing is believed that one frame says: a rest
is a spell in which every reading sees the same dice at the same places with the same values. Time is the source's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from vision.frames import Frame
from vision.pairing import nearest_pairs

HOLD_S = 0.2
"""Seconds in which all readings must agree: a die that stands on an edge for a moment falls sooner."""
EVERY_S = 0.06
"""Seconds between two readings at least: enough for three in HOLD_S, few enough for a live table on one core."""
STEP_EDGES = 0.2
"""A die that moves by no more than this (in edges) between two readings lies still: readings repeat to about 0.05."""
DRIFT_EDGES = 0.4
"""... and no more than this over HOLD_S."""
SHAKEN_EDGES = 0.4
"""How far (in edges) all dice may move together: the table or the camera trembles."""
AGAIN_S = 0.25
"""Seconds without agreement after which the same dice at the same places count as a new rest."""


class Lying(Protocol):
    """What a die or a dodeca has in common: its place, its size, what it says."""

    @property
    def px(self) -> tuple[float, float]:
        """Centre of the top face in pixels."""

    @property
    def size_px(self) -> float:
        """Edge, or size across flats, in pixels."""

    @property
    def says(self) -> tuple[object, ...]:
        """What was read of it, None for what couldn't be told."""

    @property
    def confidence(self) -> float:
        """Probability of what was read."""


Piece = TypeVar("Piece", bound=Lying)


@dataclass(frozen=True, slots=True)
class Rest(Generic[Piece]):
    """Dice at rest from ``start_s`` on, known to lie still at ``seen_s``; ``dice`` as read then."""

    start_s: float
    seen_s: float
    dice: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class _Reading(Generic[Piece]):
    time_s: float
    dice: tuple[Piece, ...]


class DiceWatch(Generic[Piece]):
    """Feed frames in order; get a :class:`Rest` each time that dice have come to lie still."""

    def __init__(self, reader: Callable[[Frame], Sequence[Piece]]) -> None:
        self._reader = reader
        self._spell: list[_Reading[Piece]] = []
        self._told: _Reading[Piece] | None = None
        self._unrest_s: float | None = None

    def push(self, frame: Frame) -> Rest[Piece] | None:
        """Look at one frame; a rest is told once."""
        now = frame.timestamp
        if self._spell and now - self._spell[-1].time_s < EVERY_S:
            return None
        reading = _Reading(now, tuple(self._reader(frame)))
        if self._spell and not self._lies(reading):
            self._spell = []
            self._unrest_s = now if self._unrest_s is None else self._unrest_s
        self._spell.append(reading)
        first = self._spell[0]
        if now - first.time_s < HOLD_S or not reading.dice or self._is_told(first, reading):
            return None
        self._told, self._unrest_s = reading, None
        return Rest(first.time_s, now, max(self._spell, key=_worth).dice)

    @property
    def still(self) -> bool:
        """Whether what was seen last has lain still for HOLD_S."""
        return len(self._spell) > 1 and self._spell[-1].time_s - self._spell[0].time_s >= HOLD_S

    def _lies(self, reading: _Reading[Piece]) -> bool:
        """Whether a reading goes on with the present spell."""
        if moved(self._spell[-1].dice, reading.dice) > STEP_EDGES:
            return False
        earlier = [r for r in self._spell if reading.time_s - r.time_s <= HOLD_S]
        return all(moved(r.dice, reading.dice) <= DRIFT_EDGES for r in earlier)

    def _is_told(self, first: _Reading[Piece], reading: _Reading[Piece]) -> bool:
        """Whether these are the dice of the rest that was told last, never disturbed for long."""
        if self._told is None:
            return False
        if self._unrest_s is None:
            return True
        long_ago = first.time_s - self._unrest_s >= AGAIN_S
        if long_ago or moved(self._told.dice, reading.dice) > DRIFT_EDGES:
            return False
        self._unrest_s = None
        return True


def _worth(reading: _Reading[Piece]) -> tuple[int, float]:
    """What a reading of a spell is worth: how much it tells, how surely."""
    told = sum(value is not None for piece in reading.dice for value in piece.says)
    return told, min(piece.confidence for piece in reading.dice)


def moved(before: Sequence[Lying], after: Sequence[Lying]) -> float:
    """Longest way of any die in sizes beside the others' common way; infinite where number or what they say differ."""
    pairs, gone, new = matched(before, after)
    if gone or new or any(not agree(a, b) for a, b in pairs):
        return float("inf")
    if not pairs:
        return 0.0
    ways = np.array([(b.px[0] - a.px[0], b.px[1] - a.px[1]) for a, b in pairs])
    sizes = np.maximum([a.size_px for a, _ in pairs], 1.0)
    shaken = ways.mean(axis=0) if len(pairs) > 1 else np.zeros(2)
    if np.hypot(*shaken) <= SHAKEN_EDGES * sizes.mean():
        ways = ways - shaken
    return float((np.hypot(ways[:, 0], ways[:, 1]) / sizes).max())


def agree(a: Lying, b: Lying) -> bool:
    """Whether two pieces may be one: what both say is the same; what one couldn't tell contradicts nothing."""
    return all(x == y or x is None or y is None for x, y in zip(a.says, b.says, strict=True))


def away(a: Lying, b: Lying) -> float:
    """Distance of two pieces in sizes of the first."""
    return float(np.hypot(a.px[0] - b.px[0], a.px[1] - b.px[1])) / max(a.size_px, 1.0)


def matched(
    before: Sequence[Piece], after: Sequence[Piece]
) -> tuple[list[tuple[Piece, Piece]], list[Piece], list[Piece]]:
    """Pair each earlier piece with the nearest later one, nearest pairs first; also what has gone and what is new."""
    pairs = nearest_pairs((away(a, b), i, j) for i, a in enumerate(before) for j, b in enumerate(after))
    stayed, found = {i for i, _ in pairs}, {j for _, j in pairs}
    gone = [a for i, a in enumerate(before) if i not in stayed]
    return [(before[i], after[j]) for i, j in pairs], gone, [b for j, b in enumerate(after) if j not in found]

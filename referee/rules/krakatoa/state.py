"""What can happen in a game of Krakatoa, and where a game stands."""

from dataclasses import dataclass
from typing import Literal

from referee.rules.codec import Kinds
from referee.rules.krakatoa.values import SETS

ROUNDS = 6
THROWS = 5
BOXES = 3
"""The bonus boxes, for everybody together (K13)."""
HIT_MM = 12.7
"""Half an inch: how far a dodeca left on the table must move for a hit (K6)."""
UNREAD = "?"
"""A face that can't be read (K17)."""


@dataclass(frozen=True, slots=True)
class ThrowOff:
    """A player throws one set for the start (K3). ``?`` is a face that can't be read, a missing die is left out."""

    player: str
    set: str
    colours: str


@dataclass(frozen=True, slots=True)
class Throw:
    """The nine dodecas as they lie after a throw, in the game (K5-K7).

    ``thrown``: the sets that left the hand. Whether the throw hit (K6) is told by ``hit``, or by ``moved_mm``, how
    far that one of the dodecas left on the table moved which moved farthest; where a set left there shows other
    colours than before, neither is needed. In the colours ``?`` is a face that can't be read, a die that is missing
    or off the table is left out (K17).
    """

    player: str
    steam: str
    ash: str
    lava: str
    thrown: tuple[str, ...]
    hit: bool | None = None
    moved_mm: float | None = None

    @property
    def sets(self) -> tuple[str, str, str]:
        """The colours in the order of SETS."""
        return self.steam, self.ash, self.lava

    @property
    def all_nine(self) -> bool:
        """Whether every set was thrown."""
        return set(self.thrown) == set(SETS)


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is decided on a flagged throw (K17).

    ``stands``: it counts as it lies, with the colours given here in place of unread ones; it counts as a hit unless
    it was seen to be none. ``again``: it is thrown once more. ``nothing``: no points, no bonus, its mark is used up.
    For a throw-off only the set thrown matters.
    """

    decision: Literal["stands", "again", "nothing"]
    steam: str | None = None
    ash: str | None = None
    lava: str | None = None

    @property
    def sets(self) -> tuple[str | None, ...]:
        """The colours ruled, in the order of SETS."""
        return self.steam, self.ash, self.lava


Event = ThrowOff | Throw | Ruling
KINDS = Kinds(throw_off=ThrowOff, throw=Throw, ruling=Ruling)


@dataclass(frozen=True, slots=True)
class Scored:
    """A throw on the sheet. ``throw`` is 1 to 5, and 6 or more for extra throws, which have the number of their box.

    ``mark`` multiplied this throw; ``bonus`` and ``second`` are what it won for the next box and the one after,
    nothing where no such box is left; ``why`` names all bonuses won, also those. ``annulled``: a first
    throw of all nine that was thrown once more.
    """

    player: str
    side: str
    round: int
    throw: int
    rethrow: bool
    sets: tuple[str, ...]
    thrown: tuple[str, ...]
    scratch: bool
    mark: str
    points: int
    total: int
    bonus: str
    second: str
    why: str
    box: int | None = None
    annulled: bool = False

    @property
    def announcement(self) -> str:
        """What must be announced: the total and any bonus (K17)."""
        return f"{self.total} and {self.why}" if self.why else str(self.total)


@dataclass(frozen=True, slots=True)
class Line:
    """A side's total and the weights of the marks in its next two boxes (K9, K12)."""

    total: int = 0
    marks: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class OffThrow:
    """A throw of the throw-off with its value and the weight of the mark that it gives (K3)."""

    side: int
    set: str
    colours: str
    value: int
    mark: int


@dataclass(frozen=True, slots=True)
class Pending:
    """A flagged throw that waits for a ruling, and why (K17)."""

    event: ThrowOff | Throw
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class State:
    """Where a game stands. Sides are counted from 0, clockwise.

    ``waiting`` are the sides that must still throw in the throw-off, ``heat`` those that take part in this turn of
    it. ``order`` is the order of the round, ``turn`` a place in it, ``throw`` the next throw. ``before`` is the
    line that a rethrow of all nine goes back to, None when there is none to be had. ``table``: the sets as they lie,
    None where not known. ``boxes_used``: the bonus boxes taken, that of an extra throw now due included.
    """

    lines: tuple[Line, ...]
    heat: tuple[int, ...]
    waiting: tuple[int, ...]
    throw_off: tuple[OffThrow, ...] = ()
    order: tuple[int, ...] = ()
    round: int = 0
    turn: int = 0
    throw: int = 1
    before: Line | None = None
    table: tuple[str | None, ...] = (None, None, None)
    boxes_used: int = 0
    pending: Pending | None = None
    throws: tuple[Scored, ...] = ()
    flags: tuple[str, ...] = ()

    @property
    def over(self) -> bool:
        """Whether six rounds are played (K4)."""
        return self.round > ROUNDS

    @property
    def side(self) -> int:
        """The side on turn in a round."""
        return self.order[self.turn]

    @property
    def extra(self) -> bool:
        """Whether the next throw is an extra throw for a bonus box (K13)."""
        return self.throw > THROWS

    @property
    def due_sets(self) -> tuple[tuple[str, ...], ...]:
        """The sets of which one is to be thrown, a rethrow apart: all nine, any one, or the throw's own (K5, K13)."""
        if self.throw == 1:
            return (SETS,)
        if self.throw == 2 or self.extra:
            return tuple((name,) for name in SETS)
        return ((SETS[self.throw - 3],),)

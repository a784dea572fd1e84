"""The events of crokinole and the state they lead to: plain frozen values, nothing that decides.

A shot is told by facts that a camera (or a person) can see; what they mean is for ``shots`` and ``rounds``.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from referee.rules.codec import Kinds
from referee.rules.crokinole.setup import Setup

Where = Literal["board", "hole", "leaning", "ditch", "bounced"]
Foul = Literal["C5", "C6"]


@dataclass(frozen=True, slots=True)
class Rest:
    """Where a disc came to rest.

    ``state``: ``board`` flat on the surface, ``hole`` flat in the hole (C9), ``leaning`` on the hole's edge
    (C9), ``ditch`` off the surface (C11), ``bounced`` left the surface and came back onto it (C11); what only
    crossed the shooting line, touched nothing out there and spun back lies on the ``board`` (C25).
    ``value``: on the board 15, 10, 5 or 0 by C16 (0: touches the shooting line or lies beyond it, C10);
    None where a call is too close (C26), then ``maybe`` names the values it may have (empty: any).
    ``inner``: the disc's innermost reach comes to the 15 line's outer edge or nearer (C7); follows from the
    value except for 10, where None means that it isn't known.
    """

    id: int
    state: Where = "board"
    value: int | None = None
    inner: bool | None = None
    maybe: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Shot:
    """One shot (C5), from rest to rest.

    ``touched``: the discs that the shot disc touched, directly or through own discs (C7, C8), moved or not;
    None where that isn't known. Contacts after a disc bounced back (C11) are left out.
    ``rests``: the shot disc and every disc that moved; what isn't listed lies where it lay.
    ``disturbed``: discs that only a disc which bounced back moved; they go back to where they were (C11).
    ``foul``: a ruling that the shot was not made as C5 or C6 asks; only ``nca`` gives it a consequence (C25).
    ``opens``: a ruling that the seat opens this round, whoever's turn that was; the next rounds' order follows from it.
    ``unseen``: a ruling that so many shots before this one were missed, whose discs left no trace on the board.
    Either puts right whose turn it is (C14, C21-C23).
    """

    seat: str
    disc: int
    touched: tuple[int, ...] | None
    rests: tuple[Rest, ...]
    disturbed: tuple[int, ...] = ()
    foul: Foul | None = None
    opens: bool = False
    unseen: int = 0


@dataclass(frozen=True, slots=True)
class TimeOut:
    """The time of a round has run out (C25, preset ``nca``)."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The value both sides agreed on (C25, C26) for a disc whose value was too close to call."""

    id: int
    value: int


@dataclass(frozen=True, slots=True)
class Recorded:
    """The round is scored and recorded (C15); from now on the discs may be moved.

    ``points`` by side are checked against the board when they are given; ``values`` settle close calls.
    """

    points: tuple[int, ...] | None = None
    values: tuple[Counted, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """A whole round kept by hand: each side's points before subtracting (C17) and its twenties (C9)."""

    points: tuple[int, ...]
    twenties: tuple[int, ...]


Event = Shot | Recorded | Result | TimeOut
KINDS = Kinds(shot=Shot, recorded=Recorded, result=Result, time_out=TimeOut)


class Lying(NamedTuple):
    """A disc on the surface: whose it is and where it lies."""

    id: int
    side: int
    state: str
    value: int | None
    inner: bool | None
    maybe: tuple[int, ...]


class Outcome(NamedTuple):
    """What the last shot caused.

    ``valid`` and ``rule`` are about C7 (``open_board_outside_15``) and C8 (``missed_opponent``) alone;
    None where that must be ruled first. ``undecided`` names every question that needs a ruling (C26).
    ``removed``: ids that the rules take off (C7, C8, C10, C11, C25), also out of the hole; ``ditched``: ids
    that left the surface by themselves; ``twenties``: (id, side) of each disc that this shot made count 20 (C9).
    """

    seat: str
    disc: int
    valid: bool | None
    rule: str | None
    removed: tuple[int, ...] = ()
    ditched: tuple[int, ...] = ()
    twenties: tuple[tuple[int, int], ...] = ()
    foul: str | None = None
    undecided: tuple[str, ...] = ()


class RoundResult(NamedTuple):
    """A round that was recorded: its points before subtracting and what each side gained."""

    number: int
    first: str
    hammer: str
    points: tuple[int, ...]
    twenties: tuple[int, ...]
    gained: tuple[int, ...]
    deciding: bool
    timed_out: bool
    by_hand: bool


class State(NamedTuple):
    """Where a game stands. ``cycle``: the seats in shooting order; ``stop``: the round's number of shots.

    ``out``: discs that stay out for the rest of the round (C12). ``twenties``: of this round by side,
    ``match_twenties``: of the rounds before it. ``winner`` is a side once the game is ``over``, None then
    for a draw (C24).
    """

    setup: Setup
    round: int
    cycle: tuple[int, ...]
    shots: int
    stop: int
    board: tuple[Lying, ...]
    out: tuple[int, ...]
    twenties: tuple[int, ...]
    outcome: Outcome | None
    score: tuple[int, ...]
    match_twenties: tuple[int, ...]
    played: tuple[RoundResult, ...]
    over: bool
    winner: int | None

    @property
    def undecided(self) -> tuple[str, ...]:
        """What must be ruled before the game goes on (C26)."""
        return self.outcome.undecided if self.outcome else ()

    @property
    def deciding(self) -> bool:
        """Whether the round in play is a deciding round (C19, C20, C23)."""
        return not self.over and ended(self.setup, self.score, len(self.played))

    @property
    def anyone_opens(self) -> bool:
        """Whether nobody has chosen who opens, and nobody has shot yet: the first shot decides (C14, C21-C23)."""
        return self.setup.first is None and self.shots == 0 and not self.undecided

    @property
    def on_turn(self) -> tuple[str, ...]:
        """The seats of which one shoots next.

        There are several before the first shot if nobody has chosen who opens, and where C22 leaves open which partner.
        """
        setup = self.setup
        if self.outcome is not None and self.undecided:
            return (self.outcome.seat,)
        if self.anyone_opens:
            return setup.seats
        seats = [self.cycle[self.shots % len(self.cycle)]]
        if setup.players == "2v1" and self.shots == 1 and len(set(self.cycle[1::2])) == 2:
            seats.append(self.cycle[3])
        return tuple(setup.seats[seat] for seat in seats)


def ended(setup: Setup, score: tuple[int, ...], played: int) -> bool:
    """Whether the agreed length is reached (C19, C20, C23, C24); a tie there may still go on."""
    if setup.rounds is not None:
        return played >= setup.rounds
    return setup.target is not None and max(score) >= setup.target


def position(state: State) -> str:
    """Where the game stands, in words, for messages."""
    setup = state.setup
    score = ", ".join(f"{side} {points}" for side, points in zip(setup.sides, state.score, strict=True))
    if state.over:
        result = "a draw" if state.winner is None else f"won by {setup.sides[state.winner]}"
        return f"game over, {result}; score {score}"
    if state.shots >= state.stop:
        return f"round {state.round}, all {state.shots} discs shot, not yet recorded; score {score}"
    sides = [setup.side_named(seat) for seat in state.on_turn]
    who = " or ".join(f"{seat} ({side})" for seat, side in zip(state.on_turn, sides, strict=True))
    return f"round {state.round}, shot {state.shots + 1} of {state.stop}, {who} to shoot; score {score}"

"""Where a game of Kraken stands: the round on the table, the rounds recorded, what the referee has reported."""

from dataclasses import dataclass
from typing import NamedTuple

from referee.rules.kraken.cards import Combination
from referee.rules.kraken.events import SEATS, TEAMS, Challenge

ROUNDS = 16
CONTRAS_DUE = 4
"""How often each team must say contra in a game (R5)."""

Pair = tuple[int, int]
"""A number for each team, in the order of TEAMS."""


_IN_TURN = {seat: tuple(SEATS[i:] + SEATS[:i]) for i, seat in enumerate(SEATS)}


def in_turn(leader: str) -> tuple[str, ...]:
    """Return the four seats clockwise from the leader (R1)."""
    return _IN_TURN[leader]


def left_of(seat: str, steps: int = 1) -> str:
    """Return the seat so many places clockwise (R1)."""
    return SEATS[(SEATS.index(seat) + steps) % 4]


def team_of(seat: str) -> int:
    """Return the place in TEAMS of the seat's team; partners sit opposite (R1)."""
    return SEATS.index(seat) % 2


@dataclass(frozen=True, slots=True)
class Trick:
    """A complete trick: cards as laid, beginning with the leader's."""

    number: int
    leader: str
    cards: tuple[str, ...]
    winner: str
    points: int
    bonus: int
    """What the winners may claim for it (R8)."""
    claimed: bool = False


class Play(NamedTuple):
    """One card in its trick, with the cards that lay there before it."""

    trick: int
    seat: str
    before: tuple[str, ...]
    card: str


@dataclass(frozen=True, slots=True)
class Declared:
    """A combination that a seat has declared (R10)."""

    seat: str
    combination: Combination


@dataclass(frozen=True, slots=True)
class Revoke:
    """A card against R6, with what is known of it at one moment (R17).

    ``held`` are the cards known to have been in the hand then, the wrong one included. ``proof`` is the card that
    shows it and ``source`` how it is known: ``played``, ``declared`` or ``dealt``; ``seen_in`` is the trick on the
    table when this was stated. ``status`` is ``proven``, ``restated`` where later cards changed clause or due
    cards, or ``withdrawn`` where it rested on a declaration that turned out false.
    """

    round: int
    trick: int
    seat: str
    card: str
    clause: str
    due: tuple[str, ...]
    held: tuple[str, ...]
    proof: str
    source: str
    seen_in: int
    status: str = "proven"

    def __str__(self) -> str:
        return (
            f"round {self.round}, trick {self.trick}: {self.seat} played {self.card} against {self.clause}, "
            f"holding {' '.join(self.held)}; due {' or '.join(self.due)}; "
            f"{self.status} in trick {self.seen_in} by {self.proof} ({self.source})"
        )


@dataclass(frozen=True, slots=True)
class FalseDeclaration:
    """Cards declared that the seat didn't hold; the declaration counts nothing (R10, R11)."""

    round: int
    seat: str
    cards: tuple[str, ...]
    clause: str

    def __str__(self) -> str:
        return f"round {self.round}: {self.seat} declared {' '.join(self.cards)} without holding them ({self.clause})"


@dataclass(frozen=True, slots=True)
class ContraDuty:
    """A word about the four contras that a team owes (R5).

    ``status`` is ``equal`` (each defence left must be challenged), ``fewer`` (they no longer suffice) or
    ``breach`` (after round 16).
    """

    round: int
    team: str
    status: str
    owed: int
    defences_left: int

    def __str__(self) -> str:
        return f"round {self.round}: {self.team} still owes {self.owed} contra, {self.defences_left} defences left (R5)"


Report = Revoke | FalseDeclaration | ContraDuty


@dataclass(frozen=True, slots=True)
class Round:
    """A round from its deal until it is recorded."""

    number: int
    dealer: str
    hands: tuple[tuple[str, ...] | None, ...] = (None, None, None, None)
    """The dealt hands in the order of SEATS, None where unknown."""
    trump: str | None = None
    challenges: tuple[Challenge, ...] = ()
    declared: tuple[Declared, ...] = ()
    pairs: tuple[str, ...] = ()
    """The seats that declared king and queen of trump (R11)."""
    tricks: tuple[Trick, ...] = ()
    leader: str = ""
    """Who leads the trick on the table."""
    table: tuple[str, ...] = ()
    revokes: tuple[Revoke, ...] = ()
    """Each revoke as last stated."""
    false: tuple[FalseDeclaration, ...] = ()

    @property
    def maker(self) -> str:
        """The player who names trump: left of the dealer (R3)."""
        return left_of(self.dealer)

    @property
    def declarers(self) -> int:
        """The place in TEAMS of the trump maker's team (R3)."""
        return team_of(self.maker)

    @property
    def on_turn(self) -> str:
        """Who plays the next card (R7, clockwise R1)."""
        return left_of(self.leader, len(self.table))

    @property
    def laid_by(self) -> tuple[str, ...]:
        """Who has played to the trick on the table."""
        return in_turn(self.leader)[: len(self.table)]

    @property
    def challenge_time_over(self) -> bool:
        """Whether the first declaration or card has been made (R4)."""
        return bool(self.declared or self.table or self.tricks)

    @property
    def trick_number(self) -> int:
        """The number of the trick on the table, also before its first card."""
        return len(self.tricks) + 1

    @property
    def finished(self) -> bool:
        """Whether all eight tricks are made."""
        return len(self.tricks) == 8

    def hand(self, seat: str) -> tuple[str, ...] | None:
        """Return the dealt hand of a seat, None where unknown."""
        return self.hands[SEATS.index(seat)]

    def played(self) -> dict[str, str]:
        """Return every card played and who played it, in order."""
        found: dict[str, str] = {}
        for trick in self.tricks:
            found.update(zip(trick.cards, in_turn(trick.leader), strict=True))
        found.update(zip(self.table, self.laid_by, strict=True))
        return found

    def owners(self) -> dict[str, str]:
        """Return the seat of each card that has been played or is known from a dealt hand."""
        return {card: seat for seat in SEATS for card in self.hand(seat) or ()} | self.played()


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A recorded round; pairs of numbers are in the order of TEAMS."""

    number: int
    dealer: str
    trump: str
    declarers: str
    challenge: str | None
    multiplier: int
    card_points: Pair
    last_trick: Pair
    declarations: Pair
    """What R10 and R11 give each team."""
    tallies: Pair
    winner: str
    """The team that won the round: the declarers, or who spoke last, if their tally sufficed; else the others (R12)."""
    points: Pair
    bonuses: Pair
    """Trick bonuses and R9 in tens, as added (R13)."""
    crosses: Pair
    contra: str | None
    """The team that said contra (R5)."""
    tricks: tuple[Trick, ...]
    revokes: tuple[Revoke, ...]

    @property
    def score(self) -> Pair:
        """What the round adds to each team's score."""
        return self.points[0] + self.bonuses[0], self.points[1] + self.bonuses[1]


@dataclass(frozen=True, slots=True)
class State:
    """A game: rounds recorded, the round on the table if any, and all reports in the order in which they were made."""

    stake: int | None = None
    results: tuple[RoundResult, ...] = ()
    round: Round | None = None
    reports: tuple[Report, ...] = ()

    @property
    def over(self) -> bool:
        """Whether all sixteen rounds are recorded (R1)."""
        return len(self.results) == ROUNDS

    @property
    def scores(self) -> Pair:
        """The points so far (R13)."""
        return sum(r.score[0] for r in self.results), sum(r.score[1] for r in self.results)

    @property
    def crosses(self) -> Pair:
        """The crosses so far; the team with the lower score has four more after round 16 (R14)."""
        ns, ew = (sum(result.crosses[team] for result in self.results) for team in (0, 1))
        if self.over:
            scores = self.scores
            ns += 4 * (scores[0] < scores[1])
            ew += 4 * (scores[1] < scores[0])
        return ns, ew

    @property
    def winners(self) -> tuple[str, ...]:
        """Who won the game: the team ahead after round 16, both at a tie (R14a); nobody before."""
        if not self.over:
            return ()
        best = max(self.scores)
        return tuple(team for i, team in enumerate(TEAMS) if self.scores[i] == best)

    @property
    def payment(self) -> Pair:
        """What each team receives at the end: the difference of crosses times the stake, minus for who pays (R15)."""
        if not self.over:
            return 0, 0
        ns, ew = self.crosses
        due = (ew - ns) * (1 if self.stake is None else self.stake)
        return due, -due

    def duty(self, team: int) -> tuple[int, int]:
        """Return the contras that a team still owes and the defences left to it, an open one included (R5)."""
        said = sum(result.contra == TEAMS[team] for result in self.results)
        rounds_left = ROUNDS - len(self.results)
        left = rounds_left // 2
        if rounds_left % 2:
            # Defences alternate: of an odd number of rounds the team defends one more if it defends the next one.
            next_maker = left_of(self.results[-1].dealer, 2)
            left += team_of(next_maker) != team
        if self.round is not None and self.round.declarers != team:
            contra = bool(self.round.challenges)
            said += contra
            left -= contra or self.round.challenge_time_over
        return max(0, CONTRAS_DUE - said), left

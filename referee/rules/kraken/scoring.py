"""From a finished round to its points, bonuses and crosses (R8-R16)."""

from dataclasses import dataclass

from referee.rules.kraken.events import CHALLENGES, SEATS, TEAMS
from referee.rules.kraken.state import Declared, Pair, Round, RoundResult, team_of

ALL_TRICKS = 100
"""The bonus for all eight tricks (R9)."""
PAIR = 20
"""King and queen of trump declared from one hand (R11)."""


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of the game; the defaults are the rules' own.

    ``challenge_won``: what the side that spoke last gets when it has more, ``winner`` (its own tally, the others
    nothing) or ``both`` (each its own) (R12). ``bonuses``: who keeps trick bonuses and R9, ``own`` (each team what
    it earned) or ``winner`` (the side that takes everything takes them too) (R13). ``last_trick``: 0 or 10 (R16).
    """

    challenge_won: str = "winner"
    bonuses: str = "own"
    last_trick: int = 0

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("challenge_won", self.challenge_won, ("winner", "both")),
            ("bonuses", self.bonuses, ("own", "winner")),
            ("last_trick", self.last_trick, (0, 10)),
        ):
            if value not in allowed:
                raise ValueError(f"{name}: {value!r} is none of {', '.join(map(str, allowed))}")


def _held(rnd: Round) -> list[Declared]:
    """Return the combinations declared and not disproved (R10)."""
    false = {(one.seat, one.cards) for one in rnd.false if one.clause == "R10"}
    return [made for made in rnd.declared if (made.seat, made.combination.cards) not in false]


def _highest(rnd: Round, declared: list[Declared]) -> Declared:
    """Return the single highest of the combinations (R10)."""
    assert rnd.trump is not None
    trump = rnd.trump
    # max() keeps the first of equals, and the leader of trick one comes first in turn.
    in_turn = sorted(declared, key=lambda made: (SEATS.index(made.seat) - SEATS.index(rnd.maker)) % 4)
    return max(in_turn, key=lambda made: made.combination.rank(trump))


def declaration_points(rnd: Round) -> Pair:
    """Return what declarations give each team: all of its own to the team of the highest (R10), the pairs (R11)."""
    points = [0, 0]
    held = _held(rnd)
    if held:
        team = team_of(_highest(rnd, held).seat)
        points[team] = sum(made.combination.value for made in held if team_of(made.seat) == team)
    untrue = {one.seat for one in rnd.false if one.clause == "R11"}
    for seat in rnd.pairs:
        if seat not in untrue:
            points[team_of(seat)] += PAIR
    return points[0], points[1]


def rounded(points: int) -> int:
    """Return points in tens, halves up (R13)."""
    return (points + 5) // 10


def multiplier(rnd: Round) -> int:
    """Return 2, 4 or 8 for the last challenge said, doubled when spades are trump (R4, R13)."""
    return (1, 2, 4, 8)[len(rnd.challenges)] * (2 if rnd.trump == "S" else 1)


def _taken(rnd: Round) -> tuple[list[int], list[int], list[int]]:
    """Card points, tricks and bonuses of each team, by the tricks that it took."""
    cards, tricks, bonuses = [0, 0], [0, 0], [0, 0]
    for trick in rnd.tricks:
        team = team_of(trick.winner)
        cards[team] += trick.points
        tricks[team] += 1
        bonuses[team] += trick.bonus if trick.claimed else 0
    for team in (0, 1):
        if tricks[team] == 8:
            bonuses[team] += ALL_TRICKS
    return cards, tricks, bonuses


def score_round(rnd: Round, options: Options) -> RoundResult:
    """Return the result of a finished round."""
    assert rnd.trump is not None
    cards, tricks, bonuses = _taken(rnd)
    last = [0, 0]
    last[team_of(rnd.tricks[-1].winner)] = options.last_trick
    declared = declaration_points(rnd)
    tallies = [cards[team] + last[team] + declared[team] for team in (0, 1)]

    challenge = CHALLENGES[len(rnd.challenges) - 1] if rnd.challenges else None
    # Who must have more: the declarers, or the side that spoke last, which is theirs again after a re.
    active = rnd.declarers if len(rnd.challenges) % 2 == 0 else 1 - rnd.declarers
    won = tallies[active] > tallies[1 - active]
    winner = active if won else 1 - active

    points = [0, 0]
    if won:
        points[active] = rounded(tallies[active])
        if challenge is None or options.challenge_won == "both":
            points[1 - active] = rounded(tallies[1 - active])
    else:
        points[winner] = rounded(sum(tallies))
        if options.bonuses == "winner":
            bonuses[winner], bonuses[1 - winner] = sum(bonuses), 0
    factor = multiplier(rnd)
    spades = 2 if rnd.trump == "S" else 1

    crosses = [0, 0]
    for team in (0, 1):
        if tricks[team] == 0:
            crosses[team] += spades
    if challenge is not None:
        crosses[1 - winner] += factor

    return RoundResult(
        number=rnd.number,
        dealer=rnd.dealer,
        trump=rnd.trump,
        declarers=TEAMS[rnd.declarers],
        challenge=challenge,
        multiplier=factor,
        card_points=(cards[0], cards[1]),
        last_trick=(last[0], last[1]),
        declarations=declared,
        tallies=(tallies[0], tallies[1]),
        winner=TEAMS[winner],
        points=(points[0] * factor, points[1] * factor),
        bonuses=(bonuses[0] // 10, bonuses[1] // 10),
        crosses=(crosses[0], crosses[1]),
        contra=TEAMS[1 - rnd.declarers] if rnd.challenges else None,
        tricks=rnd.tricks,
        revokes=rnd.revokes,
    )

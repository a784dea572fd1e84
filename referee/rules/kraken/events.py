"""What can happen in a game of Kraken, as frozen values, and the words for them in JSON."""

from collections.abc import Mapping
from dataclasses import dataclass

from referee.rules.codec import Kinds

SEATS = "NESW"
"""Clockwise; the next letter sits on the left (R1)."""
TEAMS = ("NS", "EW")
CHALLENGES = ("contra", "re", "superkraken")
"""In the order in which they can be said (R4)."""


@dataclass(frozen=True, slots=True)
class Stake:
    """The stake agreed before the game, in the smallest coin (R1)."""

    amount: int


@dataclass(frozen=True, slots=True)
class Deal:
    """A new round is dealt; ``hands`` holds the eight cards of each seat whose hand is known, as a rule none (R1)."""

    dealer: str
    hands: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @classmethod
    def known(cls, dealer: str, hands: Mapping[str, str | tuple[str, ...] | list[str]]) -> "Deal":
        """Make the event from a mapping of seat to cards (a string of cards divided by blanks, or a sequence)."""
        dealt = {seat: cards.split() if isinstance(cards, str) else cards for seat, cards in hands.items()}
        return cls(dealer, tuple((seat, tuple(cards)) for seat, cards in dealt.items()))


@dataclass(frozen=True, slots=True)
class Trump:
    """The player left of the dealer names the trump suit (R3)."""

    seat: str
    suit: str


@dataclass(frozen=True, slots=True)
class Challenge:
    """A player says ``contra``, ``re`` or ``superkraken`` (R4)."""

    seat: str
    word: str


@dataclass(frozen=True, slots=True)
class Declare:
    """A player declares one run or four before the first trick (R10)."""

    seat: str
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeclarePair:
    """A player who has just played the king or queen of trump declares to have had both (R11)."""

    seat: str


@dataclass(frozen=True, slots=True)
class Laid:
    """A card is played to the trick (R6)."""

    seat: str
    card: str


@dataclass(frozen=True, slots=True)
class Claim:
    """The team that won the last trick claims its bonus (R8)."""

    team: str


@dataclass(frozen=True, slots=True)
class Record:
    """The round is written down; it ends the claim to trick eight (R8)."""


Event = Stake | Deal | Trump | Challenge | Declare | DeclarePair | Laid | Claim | Record


KINDS = Kinds(
    stake=Stake,
    deal=Deal,
    trump=Trump,
    challenge=Challenge,
    declare=Declare,
    declare_pair=DeclarePair,
    laid=Laid,
    claim=Claim,
    record=Record,
)

"""What the Kraken tests share: rounds made to measure, played through the engine."""

import random
from collections.abc import Iterable, Sequence

import pytest

from referee.rules.kraken import (
    Challenge,
    Deal,
    Declare,
    Event,
    KrakenEngine,
    Laid,
    Record,
    State,
    Trump,
)
from referee.rules.kraken.cards import DECK, card_points, winning_index
from referee.rules.kraken.state import Round, RoundResult, left_of, team_of
from referee.rules.protocol import RuleError

ENGINE = KrakenEngine()
WORDS = ("contra", "re", "superkraken")


def play(state: State, *events: Event, engine: KrakenEngine = ENGINE) -> State:
    for event in events:
        state = engine.apply(state, event)
    return state


def opened(dealer: str = "W", trump: str = "S", hands: dict[str, str] | None = None) -> State:
    """A round with trump named; with dealer W, N names trump and leads."""
    return play(ENGINE.start(), Deal.known(dealer, hands or {}), Trump(left_of(dealer), trump))


def current(state: State) -> Round:
    assert state.round is not None
    return state.round


def lay(state: State, *tricks: str, engine: KrakenEngine = ENGINE) -> State:
    """Lay cards in turn, whoever is on turn."""
    for card in " ".join(tricks).split():
        state = engine.apply(state, Laid(current(state).on_turn, card))
    return state


def refused(state: State, event: Event, engine: KrakenEngine = ENGINE) -> list[str]:
    """The faults of an event that can't have happened, as clause and text."""
    with pytest.raises(RuleError) as caught:
        engine.apply(state, event)
    return [str(fault) for fault in caught.value.faults]


def clauses(state: State, event: Event) -> list[str]:
    return [fault.split(":")[0] for fault in refused(state, event)]


def winners(cards: Sequence[str], leader: str, trump: str) -> list[str]:
    """Who wins each trick of a round in which these cards are laid in turn."""
    found = []
    for i in range(0, 32, 4):
        leader = left_of(leader, winning_index(cards[i : i + 4], trump))
        found.append(leader)
    return found


def cards_for(ns: int, *, trump: str, leader: str, ns_tricks: int | None = None) -> list[str]:
    """32 cards in an order (not a legal one) in which NS wins so many card points, and tricks if given."""
    rng = random.Random(ns)
    cards = list(DECK)
    while True:
        rng.shuffle(cards)
        won = [team_of(seat) for seat in winners(cards, leader, trump)]
        points = sum(card_points(card, trump) for i, card in enumerate(cards) if won[i // 4] == 0)
        if points == ns and (ns_tricks in (None, won.count(0))):
            return cards


def swept(trump: str, team: int, leader: str = "N") -> list[str]:
    """32 cards in an order in which one team wins all eight tricks."""
    cards: list[str] = []
    seat = leader
    high = ["J", "9", "A", "T", "K", "Q", "8", "7"]
    rest = [card for card in DECK if card[1] != trump]
    for rank in high:
        place = (SEAT_ORDER.index("NE"[team]) - SEAT_ORDER.index(seat)) % 4
        trick = [rest.pop() for _ in range(3)]
        trick.insert(place, rank + trump)
        cards += trick
        seat = left_of(seat, place)
    return cards


SEAT_ORDER = "NESW"


def round_events(
    dealer: str,
    trump: str,
    cards: Iterable[str],
    said: int = 0,
    declared: Iterable[tuple[str, str]] = (),
) -> list[Event]:
    """A whole round: ``said`` challenges, declarations as (seat, cards), the cards laid in turn, recorded."""
    maker = left_of(dealer)
    events: list[Event] = [Deal(dealer), Trump(maker, trump)]
    for i in range(said):
        events.append(Challenge(left_of(maker, (i + 1) % 2), WORDS[i]))
    events += [Declare(seat, tuple(made.split())) for seat, made in declared]
    ordered = list(cards)
    seat = maker
    for i, winner in enumerate(winners(ordered, maker, trump)):
        events += [Laid(left_of(seat, k), card) for k, card in enumerate(ordered[4 * i : 4 * i + 4])]
        seat = winner
    return [*events, Record()]


def result(
    ns: int,
    *,
    trump: str = "H",
    dealer: str = "W",
    said: int = 0,
    declared: Iterable[tuple[str, str]] = (),
    ns_tricks: int | None = None,
    engine: KrakenEngine = ENGINE,
) -> RoundResult:
    """The result of round 1 in which NS (declarers with dealer W) makes so many card points."""
    cards = cards_for(ns, trump=trump, leader=left_of(dealer), ns_tricks=ns_tricks)
    state = play(engine.start(), *round_events(dealer, trump, cards, said, declared), engine=engine)
    return state.results[0]

"""Kraken's legal cards, trick winners and card points against colver, an independent belote engine.

Belote's rules of play are Kraken's but for one: belote lets a lower trump be played under the winning one when a
plain suit is led. Once those are dropped wherever something else remains, the legal cards are the same (R6).
Colver adds 10 for the last trick and counts all eight tricks as 252.

``KRAKEN_DEALS`` sets the number of deals of 32 positions each (the default runs a small, seeded number).
"""

import os
import random

import pytest

from referee.rules.kraken import SEATS, Deal, KrakenEngine, Laid, Trump
from referee.rules.kraken.cards import DECK, winning_index
from referee.rules.kraken.state import left_of, team_of

colver = pytest.importorskip("colver", reason="the development dependency colver is not installed")

DEALS = int(os.environ.get("KRAKEN_DEALS", "300"))
# colver counts 0 to 31: spades, hearts, diamonds, clubs, each from the seven up to trump's jack ahead of the queen
CARDS = [rank + suit for suit in "SHDC" for rank in "789JQKTA"]
NUMBER = {card: i for i, card in enumerate(CARDS)}


def test_the_numbers_of_colvers_cards():
    shown = [colver.Env.card_name(i) for i in range(32)]
    signs = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
    assert shown == [card[0].replace("T", "10") + signs[card[1]] for card in CARDS]


def theirs(env, table: tuple[str, ...], trump: str) -> set[str]:
    """Colver's legal cards, without lower trumps under a plain lead where something else remains."""
    cards = {CARDS[i] for i in env.legal_actions()}
    if not table or table[0][1] == trump:
        return cards
    top = table[winning_index(table, trump)]
    if top[1] != trump:
        return cards
    kept = {card for card in cards if card[1] != trump or winning_index([top, card], trump) == 1}
    return kept or cards


@pytest.mark.parametrize("trump", "SHDC")
def test_r6_r7_legal_cards_and_winners_are_colvers(trump):
    rng = random.Random(f"colver {trump}")
    engine = KrakenEngine()
    for _ in range(DEALS // 4):
        deck = list(DECK)
        rng.shuffle(deck)
        hands = {seat: tuple(deck[8 * i : 8 * i + 8]) for i, seat in enumerate(SEATS)}
        dealer = rng.randrange(4)
        state = engine.apply(engine.start(), Deal.known(SEATS[dealer], hands))
        state = engine.apply(state, Trump(left_of(SEATS[dealer]), trump))
        env = colver.Env.deal_with_hands(dealer, [[NUMBER[card] for card in hands[seat]] for seat in SEATS])
        for action in ("SHDC".index(trump) + 1, 0, 0, 0):
            env.step(action)
        points = [0, 0]
        for _ in range(32):
            rnd = state.round
            assert rnd is not None
            laid = engine.legal(state)["laid"]
            assert laid["seat"] == SEATS[env.current_player()]
            assert set(laid["cards"]) == theirs(env, rnd.table, trump)
            card = rng.choice(laid["cards"])
            env.step(NUMBER[card])
            state = engine.apply(state, Laid(laid["seat"], card))
            assert state.round is not None
            if not state.round.table:
                points[team_of(state.round.tricks[-1].winner)] += state.round.tricks[-1].points
        assert state.round is not None
        assert state.reports == ()
        last = team_of(state.round.tricks[-1].winner)
        points[last] += 10
        if all(team_of(trick.winner) == last for trick in state.round.tricks):
            points[last] = 252
        assert list(env.get_points()) == points

"""Kraken's cards against R2, R6-R8 and R10: orders, sums, legal cards, winners, golden counts."""

import random
from collections import Counter
from itertools import combinations

import pytest

from referee.rules.kraken.cards import (
    DECK,
    RANKS,
    SUITS,
    card_points,
    combination,
    combinations_in,
    due_cards,
    in_order,
    trick_bonus,
    winning_index,
)

GOLDEN = {0: 34901, 20: 979, 40: 55, 50: 18, 70: 2, 100: 4, 200: 1}


def due(hand: str, trick: str, trump: str = "S") -> tuple[str, str]:
    found = due_cards(hand.split(), trick.split(), trump)
    return found.clause, " ".join(found.cards)


def test_r1_the_deck_has_32_cards():
    assert len(DECK) == len(set(DECK)) == 32
    assert {card[1] for card in DECK} == set("CDHS")


@pytest.mark.parametrize("trump", SUITS)
def test_r2_sums_62_30_152(trump):
    sums = {suit: sum(card_points(rank + suit, trump) for rank in RANKS) for suit in SUITS}
    assert sums == {suit: 62 if suit == trump else 30 for suit in SUITS}
    assert sum(sums.values()) == 152


@pytest.mark.parametrize(
    ("rank", "trump_points", "plain_points"),
    [("7", 0, 0), ("8", 0, 0), ("9", 14, 0), ("T", 10, 10), ("J", 20, 2), ("Q", 3, 3), ("K", 4, 4), ("A", 11, 11)],
)
def test_r2_points_of_each_rank(rank, trump_points, plain_points):
    assert card_points(rank + "S", "S") == trump_points
    assert card_points(rank + "S", "H") == plain_points


@pytest.mark.parametrize(("suit", "order"), [("S", "J9ATKQ87"), ("H", "ATKQJ987")])
def test_r2_order_within_a_suit(suit, order):
    for i, high in enumerate(order):
        for low in order[i + 1 :]:
            assert winning_index([high + suit, low + suit], "S") == 0
            assert winning_index([low + suit, high + suit], "S") == 1


def test_cards_are_shown_by_suit_and_run_order():
    assert in_order(["AS", "7S", "TC", "9C", "JD"]) == ("9C", "TC", "JD", "7S", "AS")


def test_r6_the_leader_leads_anything():
    assert due("7C 9S AH", "") == ("R6", "7C 9S AH")


@pytest.mark.parametrize(
    ("hand", "trick", "clause", "cards"),
    [
        # plain suit led: follow with any card, whoever wins and with whatever
        ("7H AH JS", "KH", "R6", "7H AH"),
        ("7H AH JS", "KH 7S", "R6", "7H AH"),
        ("7H 8C", "AH 7C TH", "R6", "7H"),
        # trump led: beat the highest, also the partner's; else any trump; else anything
        ("7S AS 9S KH", "KS", "R6", "AS 9S"),
        ("7S AS 9S KH", "AS KS", "R6", "9S"),
        ("7S AS KH", "9S KS", "R6", "7S AS"),
        ("7S 8S KH", "JS KS", "R6", "7S 8S"),
        ("9S TS", "TS AS", "R6", "9S"),
        ("7S TS KH", "8S 8C", "R6", "TS"),
        ("KH AC", "JS", "R6", "KH AC"),
        ("JS 7S", "QS KH 8S", "R6", "JS"),
    ],
)
def test_r6_follow(hand, trick, clause, cards):
    assert due(hand, trick) == (clause, cards)


@pytest.mark.parametrize(
    ("hand", "trick", "cards"),
    [("7S 9S AC", "AH KH", "7S 9S AC"), ("7S", "7H AH 8H", "7S"), ("JS AC", "7H 9C", "JS AC")],
)
def test_r6a_own_side_winning_with_a_plain_card_anything(hand, trick, cards):
    assert due(hand, trick) == ("R6a", cards)


@pytest.mark.parametrize(
    ("hand", "trick", "cards"),
    [
        # partner (second card) has trumped: higher trumps and other suits, no lower trump
        ("7S JS AC KD", "KH TS 7H", "JS AC KD"),
        ("7S 8S AC", "KH TS 7H", "AC"),
        ("7S 8S", "KH TS 7H", "7S 8S"),
        ("7S JS", "KH TS 7H", "JS"),
    ],
)
def test_r6b_own_side_winning_with_a_trump_no_lower_one(hand, trick, cards):
    assert due(hand, trick) == ("R6b", cards)


@pytest.mark.parametrize(
    ("hand", "trick", "cards"),
    [
        ("7S 9S AC", "AH", "7S 9S"),
        ("7S 9S AC", "AH TS", "9S"),
        ("QS 9S AC", "TH 7H AH", "QS 9S"),
        ("8S KS AC", "AH 7S QS", "KS"),
    ],
)
def test_r6c_other_side_winning_a_trump_that_wins_is_due(hand, trick, cards):
    assert due(hand, trick) == ("R6c", cards)


@pytest.mark.parametrize(
    ("hand", "trick", "cards"),
    [
        ("7S 8S AC KD", "KH TS", "AC KD"),
        ("7S 8S", "KH TS", "7S 8S"),
        ("AC KD", "KH", "AC KD"),
        ("7S AC", "KH 8S 9S", "AC"),
    ],
)
def test_r6d_other_side_winning_and_no_trump_wins_another_suit(hand, trick, cards):
    assert due(hand, trick) == ("R6d", cards)


def test_r6_one_card_more_never_makes_another_one_legal():
    """What R17 rests on: a card that is wrong for part of a hand is wrong for the whole of it."""
    rng = random.Random(6)
    for _ in range(3000):
        cards = rng.sample(DECK, rng.randint(4, 11))
        trick, hand = cards[: rng.randint(1, 3)], cards[3:]
        trump = rng.choice(SUITS)
        whole = set(due_cards(hand, trick, trump).cards)
        part = hand[: rng.randint(1, len(hand))]
        assert whole & set(part) <= set(due_cards(part, trick, trump).cards)
        assert whole and due_cards(part, trick, trump).cards


@pytest.mark.parametrize(
    ("trick", "winner"),
    [
        ("9S JS 7S AH", 1),
        ("7H AH TH KH", 1),
        ("7H AC AD KC", 0),
        ("AH 7S TH 8S", 3),
        ("AH 8S TH 7S", 1),
        ("7H 8H AC 9H", 3),
        ("AH 7H", 0),
        ("KH", 0),
    ],
)
def test_r7_highest_trump_else_highest_of_the_suit_led(trick, winner):
    assert winning_index(trick.split(), "S") == winner


@pytest.mark.parametrize("trump", SUITS)
def test_r8_golden_counts_over_all_35960_tricks(trump):
    counts = Counter(trick_bonus(cards, trump) for cards in combinations(DECK, 4))
    assert counts == GOLDEN
    assert sum(GOLDEN.values()) == 35960


@pytest.mark.parametrize(
    ("trick", "points"),
    [
        ("7H 8H 9H AC", 20),
        ("9H TH JH QH", 50),
        ("JS QS KS 7H", 40),
        ("QS KS AS 7H", 40),
        ("TS JS QS KS", 70),
        ("JS QS KS AS", 70),
        ("9S TS JS QS", 50),
        ("9S TS JS KS", 20),
        ("KS QS 7H 8H", 20),
        ("KH QH 7S 8S", 0),
        ("QS KS 9S 7S", 20),
        ("AC AD AH AS", 100),
        ("TC TD TH TS", 100),
        ("KC KD KH KS", 100),
        ("QC QD QH QS", 100),
        ("JC JD JH JS", 200),
        ("9C 9D 9H 9S", 0),
        ("7C 7D 7H 7S", 0),
        ("7H 8H TH JH", 0),
        ("7H 8H 9S TS", 0),
        ("AH 7H 8H KS", 0),
        ("9H JH TH 7C", 20),
        ("7H 8H 9H JH", 20),
    ],
)
def test_r8_best_reading(trick, points):
    assert trick_bonus(trick.split(), "S") == points


def test_r8_runs_go_in_run_order_whatever_the_suit():
    assert trick_bonus(["9S", "TS", "JS", "7H"], "S") == 20
    assert trick_bonus(["9S", "AS", "JS", "7H"], "S") == 0


@pytest.mark.parametrize(
    ("cards", "value"),
    [
        ("7H 8H 9H", 20),
        ("9H 8H 7H", 20),
        ("JH QH KH AH", 50),
        ("TH JH QH KH AH", 100),
        ("9H TH JH QH KH AH", 100),
        ("7H 8H 9H TH JH QH KH AH", 100),
        ("JC JD JH JS", 200),
        ("AC AD AH AS", 100),
        ("KC KD KH KS", 100),
        ("QC QD QH QS", 100),
        ("TC TD TH TS", 100),
        ("9C 9D 9H 9S", 0),
        ("8C 8D 8H 8S", 0),
    ],
)
def test_r10_values(cards, value):
    made = combination(cards.split())
    assert made is not None
    assert made.value == value
    assert made.cards == in_order(cards.split())
    assert made.is_run == (cards[1] == cards[4])


@pytest.mark.parametrize(
    "cards",
    ["", "7H", "7H 8H", "7H 8H TH", "7H 8H 9C", "7H 7H 9H", "JC JC JD JH", "JC JD JH", "7H 8H 9H JH", "AH 7H 8H"],
)
def test_r10_no_combination(cards):
    assert combination(cards.split()) is None


def test_r10_a_run_counts_once_whole_and_a_card_may_stand_in_a_run_and_in_a_four():
    hand = ["9H", "TH", "JH", "QH", "JC", "JD", "JS", "AS"]
    assert [(made.cards, made.value) for made in combinations_in(hand)] == [
        (("9H", "TH", "JH", "QH"), 50),
        (("JC", "JD", "JH", "JS"), 200),
    ]
    assert [made.cards for made in combinations_in(["7C", "8C", "9C", "JC", "QC", "KC", "AC", "7D"])] == [
        ("7C", "8C", "9C"),
        ("JC", "QC", "KC", "AC"),
    ]
    assert [made.cards for made in combinations_in(DECK[:8])] == [DECK[:8]]
    assert combinations_in(["9C", "9D", "9H", "9S", "AC", "AD", "AH", "7S"]) == ()
    assert [made.cards[0] for made in combinations_in(["TC", "TD", "TH", "TS", "AC", "AD", "AH", "AS"])] == ["TC", "AC"]

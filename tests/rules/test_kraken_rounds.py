"""Kraken rounds against R1-R5 and R8-R11: deal, bidding, the duty of contras, claims, declarations."""

import pytest
from kraken_play import (
    ENGINE,
    WORDS,
    cards_for,
    clauses,
    current,
    lay,
    opened,
    play,
    refused,
    result,
    round_events,
    swept,
)

from referee.rules.kraken import (
    Challenge,
    Claim,
    Deal,
    Declare,
    DeclarePair,
    KrakenEngine,
    Laid,
    Record,
    Stake,
    Trump,
)
from referee.rules.kraken.cards import DECK
from referee.rules.kraken.scoring import declaration_points
from referee.rules.kraken.state import ContraDuty

N_HAND = "7C 8C 9C TC JC QC KC AC"
E_HAND = "7D 8D 9D TD JD QD KD AD"


def declare(seat: str, cards: str) -> Declare:
    return Declare(seat, tuple(cards.split()))


# R1


def test_r1_teams_sit_opposite_and_play_clockwise():
    state = lay(opened("W", "S"), "7H", "8H", "9H")
    assert current(state).on_turn == "W"
    assert ENGINE.legal(state)["laid"]["seat"] == "W"
    assert ENGINE.score(state) == {"NS": 0, "EW": 0}


def test_r1_the_deal_passes_to_the_left_for_sixteen_rounds():
    state = ENGINE.start()
    assert ENGINE.legal(state)["deal"] == {"dealers": ["N", "E", "S", "W"]}
    dealers = []
    while not state.over:
        dealer = ENGINE.legal(state)["deal"]["dealers"][-1]
        dealers.append(dealer)
        assert len(ENGINE.legal(state)["deal"]["dealers"]) == (1 if len(dealers) > 1 else 4)
        state = play(state, *round_events(dealer, "H", cards_for(70, trump="H", leader="NESW"["WNES".index(dealer)])))
    assert "".join(dealers) == "WNES" * 4
    assert ENGINE.over(state)
    assert ENGINE.legal(state) == {"phase": "over", "events": []}
    assert refused(state, Deal("W")) == ["R1: a deal after round 16; expected no further event"]
    assert ENGINE.position(state) == "the game is over"
    assert clauses(state, Laid("N", "7H")) == ["R1"]


def test_r1_a_wrong_dealer_a_deal_during_a_round_a_seat_that_is_none():
    state = play(ENGINE.start(), *round_events("W", "H", cards_for(70, trump="H", leader="N")))
    assert ENGINE.position(state) == "before the deal of round 2"
    assert refused(state, Deal("S")) == ["R1: S deals; expected the deal to pass to the left, to N"]
    assert refused(state, Deal("X")) == ["R1: the seat 'X'; expected one of N, E, S, W"]
    assert refused(state, Deal("NE")) == ["R1: the seat 'NE'; expected one of N, E, S, W"]
    state = play(state, Deal("N"))
    assert refused(state, Deal("E")) == ["R1: a deal during a round; expected round 2 recorded first"]


def test_r1_dealt_hands_are_eight_cards_each_and_no_card_twice():
    start = ENGINE.start()
    assert refused(start, Deal.known("W", {"N": "7C 8C", "E": E_HAND})) == ["R1: 2 cards dealt to N; expected 8 cards"]
    bad = Deal("W", (("N", tuple(N_HAND.split())), ("N", tuple(E_HAND.split())), ("Q", ("1C",) * 8)))
    assert refused(start, bad) == [
        "R1: 2 hands for N; expected one hand a seat",
        "R1: the seat 'Q'; expected one of N, E, S, W",
        "R1: no such card: '1C'; expected cards of the 32",
        "R17: 1C dealt 8 times; expected each card once",
    ]
    state = play(start, Deal.known("W", {"N": N_HAND, "E": E_HAND.split()}))
    assert current(state).hands == (tuple(N_HAND.split()), tuple(E_HAND.split()), None, None)


def test_r1_the_stake_is_set_before_the_game():
    state = play(ENGINE.start(), Stake(50))
    assert state.stake == 50
    assert ENGINE.legal(state)["events"] == ["stake", "deal"]
    assert ENGINE.legal(state)["phase"] == "deal"
    assert ENGINE.legal(state)["stake"] is True
    assert refused(state, Stake(0)) == ["R1: a stake of 0; expected an amount above 0"]
    dealt = play(state, Deal("W"))
    wrong = "R1: a stake set after the first deal; expected the stake before the game"
    assert refused(dealt, Stake(-1)) == [wrong, "R1: a stake of -1; expected an amount above 0"]
    later = play(state, *round_events("W", "H", cards_for(70, trump="H", leader="N")))
    assert refused(later, Stake(1)) == [wrong]
    assert "stake" not in ENGINE.legal(later)


def test_r1_nothing_happens_outside_a_round():
    start = ENGINE.start()
    for event, what in (
        (Trump("N", "S"), "trump named"),
        (Challenge("E", "contra"), "a challenge"),
        (declare("N", "7C 8C 9C"), "a declaration"),
        (DeclarePair("N"), "king and queen of trump declared"),
        (Laid("N", "7C"), "a card laid"),
        (Claim("NS"), "a claim"),
        (Record(), "a round recorded"),
    ):
        assert refused(start, event) == [f"R1: {what} outside a round; expected a deal first"]
    with pytest.raises(TypeError, match="'nonsense' is no event of Kraken"):
        ENGINE.apply(start, "nonsense")


def test_r1_a_round_is_recorded_after_eight_tricks():
    state = lay(opened(), "7H 8H 9H TH")
    assert refused(state, Record()) == ["R1: recorded after 1 tricks; expected eight tricks first"]


# R3


def test_r3_left_of_the_dealer_names_trump_and_leads():
    state = play(ENGINE.start(), Deal("W"))
    assert ENGINE.legal(state) == {
        "phase": "trump",
        "events": ["trump"],
        "trump": {"seat": "N", "suits": ["C", "D", "H", "S"]},
    }
    assert ENGINE.position(state) == "round 1, N to name trump"
    assert refused(state, Trump("E", "X")) == [
        "R3: E names trump; expected N, left of the dealer",
        "R3: the suit 'X'; expected one of C, D, H, S",
    ]
    assert refused(state, Trump("X", "CD")) == [
        "R1: the seat 'X'; expected one of N, E, S, W",
        "R3: the suit 'CD'; expected one of C, D, H, S",
    ]
    named = play(state, Trump("N", "D"))
    assert current(named).trump == "D"
    assert current(named).declarers == 0
    assert refused(named, Trump("N", "D")) == ["R3: trump named again; expected D to stay trump"]
    assert refused(named, Laid("E", "7C")) == ["R3: E plays out of turn; expected a card of N"]
    assert ENGINE.position(named) == "round 1, trump D, trick 1, N on turn"


@pytest.mark.parametrize(
    ("event", "more"),
    [
        (Laid("N", "7C"), []),
        (Challenge("E", "contra"), []),
        (declare("N", "7C 8C 9C"), []),
        (DeclarePair("N"), []),
    ],
)
def test_r3_nothing_before_trump_is_named(event, more):
    state = play(ENGINE.start(), Deal("W"))
    assert refused(state, event) == ["R3: no trump named yet; expected N to name it first", *more]


# R4


def challenge(state) -> dict:
    return ENGINE.legal(state).get("challenge")


def test_r4_contra_by_an_opponent_re_by_a_declarer_superkraken_by_an_opponent():
    state = opened("W", "D")
    assert challenge(state) == {"word": "contra", "seats": ["E", "W"]}
    state = play(state, Challenge("W", "contra"))
    assert challenge(state) == {"word": "re", "seats": ["N", "S"]}
    state = play(state, Challenge("S", "re"))
    assert challenge(state) == {"word": "superkraken", "seats": ["E", "W"]}
    state = play(state, Challenge("E", "superkraken"))
    assert challenge(state) is None
    assert [said.word for said in current(state).challenges] == list(WORDS)
    assert refused(state, Challenge("E", "contra")) == ["R4: 'contra'; expected no more challenges"]


def test_r4_wrong_word_wrong_side():
    state = opened("W", "D")
    assert refused(state, Challenge("N", "re")) == [
        "R4: 're'; expected contra by E or W",
        "R4: N challenges; expected contra by E or W",
    ]
    assert refused(state, Challenge("X", "contra")) == ["R1: the seat 'X'; expected one of N, E, S, W"]
    said = play(state, Challenge("E", "contra"))
    assert refused(said, Challenge("W", "contra")) == [
        "R4: 'contra'; expected re by N or S",
        "R4: W challenges; expected re by N or S",
    ]


@pytest.mark.parametrize("first", [declare("E", "7C 8C 9C"), Laid("N", "7H")])
def test_r4_the_time_ends_with_the_first_declaration_or_card(first):
    state = play(opened("W", "D"), first)
    assert challenge(state) is None
    assert refused(state, Challenge("E", "contra")) == [
        "R4: contra after the first declaration or card; expected no more challenges"
    ]
    later = lay(opened("W", "D"), "7H 8H 9H TH")
    assert challenge(later) is None
    assert clauses(later, Challenge("E", "contra")) == ["R4"]


@pytest.mark.parametrize(("said", "factor"), [(0, 1), (1, 2), (2, 4), (3, 8)])
@pytest.mark.parametrize("trump", ["H", "S"])
def test_r4_multipliers(said, factor, trump):
    assert result(100, trump=trump, said=said).multiplier == factor * (2 if trump == "S" else 1)
    assert result(100, trump=trump, said=said).challenge == (None, *WORDS)[said]


# R5


def rounds(contra_in: set[int], until: int = 16):
    """A game in which contra is said in these rounds; N names trump in round 1, so EW defend the odd ones."""
    state = ENGINE.start()
    for number in range(1, until + 1):
        dealer = "WNES"[(number - 1) % 4]
        maker = "NESW"[(number - 1) % 4]
        cards = cards_for(70, trump="H", leader=maker)
        state = play(state, *round_events(dealer, "H", cards, said=int(number in contra_in)))
    return state


def duties(state) -> list[tuple]:
    return [(r.round, r.team, r.status, r.owed, r.defences_left) for r in state.reports if isinstance(r, ContraDuty)]


def test_r5_warned_when_equal_again_when_fewer_and_breach_after_round_16():
    state = rounds({2, 4, 6, 8})
    assert duties(state) == [
        (7, "EW", "equal", 4, 4),
        (9, "EW", "fewer", 4, 3),
        (16, "EW", "breach", 4, 0),
    ]
    spoken = [str(report) for report in state.reports if isinstance(report, ContraDuty)]
    assert spoken[0] == "round 7: EW still owes 4 contra, 4 defences left (R5)"


def test_r5_four_contras_each_and_no_word():
    assert duties(rounds({1, 2, 3, 4, 5, 6, 7, 8})) == []
    assert duties(rounds({9, 10, 11, 12, 13, 14, 15, 16})) == [(7, "EW", "equal", 4, 4), (8, "NS", "equal", 4, 4)]


def test_r5_duty_counts_the_open_defence():
    start = ENGINE.start()
    assert start.duty(0) == start.duty(1) == (4, 8)
    state = opened("W", "H")
    assert (state.duty(0), state.duty(1)) == ((4, 8), (4, 8))
    said = play(state, Challenge("E", "contra"))
    assert (said.duty(0), said.duty(1)) == ((4, 8), (3, 7))
    passed = lay(state, "7C")
    assert (passed.duty(0), passed.duty(1)) == ((4, 8), (4, 7))
    one = rounds(set(), 1)
    assert (one.duty(0), one.duty(1)) == ((4, 8), (4, 7))
    assert (play(one, Deal("N")).duty(0), play(one, Deal("N")).duty(1)) == ((4, 8), (4, 7))
    two = rounds({2}, 2)
    assert (two.duty(0), two.duty(1)) == ((3, 7), (4, 7))
    assert rounds({1, 3, 5, 7, 9}).duty(1) == (0, 0)


def test_r5_warned_as_soon_as_the_defence_is_let_pass():
    state = play(rounds({2, 4, 6}, 6), Deal("E"), Trump("S", "H"))
    assert duties(state) == []
    assert duties(lay(state, "7C")) == [(7, "EW", "equal", 4, 4)]
    assert duties(play(state, declare("N", "7C 8C 9C"))) == [(7, "EW", "equal", 4, 4)]
    assert duties(lay(play(state, Challenge("E", "contra")), "7C 8C")) == []
    assert duties(lay(play(state, declare("N", "7C 8C 9C")), "7C 8C")) == [(7, "EW", "equal", 4, 4)]


# R8


def test_r8_unclaimed_is_nothing_and_a_claim_is_open_until_the_next_card():
    made = lay(opened("W", "S"), "7H 8H 9H AH")
    assert ENGINE.legal(made)["claim"] == {"team": "EW", "points": 20}
    claimed = play(made, Claim("EW"))
    assert current(claimed).tricks[0].claimed
    assert "claim" not in ENGINE.legal(claimed)
    assert refused(claimed, Claim("EW")) == ["R8: trick 1 claimed again; expected one claim a trick"]
    assert refused(made, Claim("NS")) == ["R8: a claim by NS; expected EW, who won trick 1"]
    assert refused(made, Claim("N")) == ["R8: the team 'N'; expected NS or EW"]
    late = lay(made, "7C")
    assert "claim" not in ENGINE.legal(late)
    assert refused(late, Claim("EW")) == [
        "R8: a claim with no trick just made; expected it before the next trick's first card"
    ]
    assert not current(late).tricks[0].claimed
    plain = lay(opened("W", "S"), "7H 8H AC AH")
    assert "claim" not in ENGINE.legal(plain)
    assert refused(plain, Claim("NS")) == [
        "R8: a claim for trick 1; expected a trick that earns a bonus",
        "R8: a claim by NS; expected EW, who won trick 1",
    ]
    assert clauses(opened(), Claim("NS")) == ["R8"]


def eight_tricks(last: str, trump: str = "S"):
    """A round whose last trick is given; the others are what is left of the deck."""
    rest = [card for card in DECK if card not in last.split()]
    return lay(opened("W", trump), " ".join(rest), last)


def test_r8_trick_eight_is_open_until_the_round_is_recorded():
    state = eight_tricks("JC JD JH JS")
    legal = ENGINE.legal(state)
    assert legal["phase"] == "record"
    assert legal["record"] is True
    assert legal["events"] == ["claim", "record"]
    team = legal["claim"]["team"]
    assert legal["claim"]["points"] == 200
    before = dict(zip(("NS", "EW"), play(state, Record()).results[0].bonuses, strict=True))
    after = dict(zip(("NS", "EW"), play(state, Claim(team), Record()).results[0].bonuses, strict=True))
    assert after[team] == before[team] + 20
    assert ENGINE.position(state) == "round 1, trump S, eight tricks played, to be recorded"


# R9


@pytest.mark.parametrize("team", [0, 1])
def test_r9_all_eight_tricks_100_without_a_claim(team):
    state = play(ENGINE.start(), *round_events("W", "H", swept("H", team)))
    done = state.results[0]
    assert done.bonuses == ((10, 0), (0, 10))[team]
    assert done.card_points == ((152, 0), (0, 152))[team]
    assert done.crosses == ((0, 1), (1, 0))[team]


# R10


def declared(*pairs: tuple[str, str], trump: str = "H", dealer: str = "W") -> tuple[int, int]:
    """What the declarations give NS and EW; the cards are laid so that each declarer held them."""
    state = play(opened(dealer, trump), *(declare(seat, cards) for seat, cards in pairs))
    return declaration_points(current(state))


@pytest.mark.parametrize(
    ("pairs", "points"),
    [
        ([], (0, 0)),
        ([("N", "7C 8C 9C")], (20, 0)),
        ([("N", "7C 8C 9C"), ("E", "7D 8D 9D TD")], (0, 50)),
        # all of its own for the team of the single highest
        ([("N", "7C 8C 9C"), ("S", "JC JD JH JS"), ("E", "AC AD AH AS"), ("W", "7D 8D 9D TD")], (220, 0)),
        ([("N", "7C 8C 9C"), ("E", "AC AD AH AS"), ("W", "7D 8D 9D TD")], (0, 150)),
        # value
        ([("N", "JC JD JH JS"), ("E", "7D 8D 9D TD")], (200, 0)),
        ([("N", "TC TD TH TS"), ("E", "JC JD JH JS")], (0, 200)),
        # equal value: length
        ([("N", "AC AD AH AS"), ("E", "7D 8D 9D TD JD")], (0, 100)),
        ([("N", "7C 8C 9C TC JC"), ("E", "7D 8D 9D TD JD QD")], (0, 100)),
        # equal length: top card in run order
        ([("N", "7C 8C 9C"), ("E", "8D 9D TD")], (0, 20)),
        ([("N", "9C TC JC"), ("E", "8D 9D TD")], (20, 0)),
        ([("N", "TC TD TH TS"), ("E", "KC KD KH KS")], (0, 100)),
        ([("N", "QC QD QH QS"), ("E", "KC KD KH KS")], (0, 100)),
        ([("E", "KC KD KH KS"), ("N", "AC AD AH AS")], (100, 0)),
        # equal top card: trump suit
        ([("N", "7C 8C 9C"), ("E", "7H 8H 9H")], (0, 20)),
        ([("N", "7H 8H 9H"), ("E", "7C 8C 9C")], (20, 0)),
        # no trump suit: first in turn, not first to speak
        ([("E", "7D 8D 9D"), ("N", "7C 8C 9C")], (20, 0)),
        ([("W", "7D 8D 9D"), ("S", "7C 8C 9C")], (20, 0)),
        ([("W", "7D 8D 9D"), ("E", "7S 8S 9S"), ("S", "7C 8C 9C")], (0, 40)),
        # other fours nothing
        ([("N", "9C 9D 9H 9S")], (0, 0)),
        ([("N", "9C 9D 9H 9S"), ("E", "TD JD QD")], (0, 20)),
        # a card may stand in a run and in a four
        ([("N", "QC QD QH QS"), ("N", "JC QC KC")], (120, 0)),
    ],
)
def test_r10_only_the_team_of_the_single_highest_scores(pairs, points):
    assert declared(*pairs) == points


@pytest.mark.parametrize(("dealer", "points"), [("W", (20, 0)), ("N", (20, 0)), ("E", (20, 0)), ("S", (0, 20))])
def test_r10_first_in_turn_is_counted_from_the_leader_of_trick_one(dealer, points):
    """Of S and W, S comes first unless W, left of dealer S, leads."""
    assert declared(("W", "7D 8D 9D"), ("S", "7C 8C 9C"), dealer=dealer) == points


def test_r10_declarations_before_the_first_trick():
    state = lay(opened(), "7H")
    assert refused(state, declare("E", "7C 8C 9C")) == [
        "R10: a declaration after the first card; expected declarations before the first trick"
    ]
    assert "declare" not in ENGINE.legal(state)
    assert clauses(lay(state, "8H 9H TH"), declare("E", "7C 8C 9C")) == ["R10"]


def test_r10_what_is_no_combination_or_declared_before():
    state = play(opened(), declare("N", "7C 8C 9C"))
    what = "a run of three or more in a suit, or a four"
    assert refused(state, declare("N", "7D 8D")) == [f"R10: 7D 8D declared; expected {what}"]
    assert refused(state, declare("N", "")) == [f"R10: nothing declared; expected {what}"]
    assert refused(state, declare("X", "1D 8D ZD")) == [
        "R1: the seat 'X'; expected one of N, E, S, W",
        "R1: no such card: '1D', 'ZD'; expected cards of the 32",
    ]
    assert refused(state, declare("N", "9C 8C 7C")) == ["R10: 9C 8C 7C declared again; expected each combination once"]
    for part in ("TC JC QC", "8C 9C TC"):
        assert refused(state, declare("N", part)) == [f"R10: {part} beside 7C 8C 9C; expected a run once, whole"]
    high = play(opened(), declare("N", "JC QC KC"))
    for part in ("8C 9C TC", "QC KC AC", "TC JC QC KC AC"):
        assert clauses(high, declare("N", part)) == ["R10"]
    # another suit, a gap between, another seat, a four
    play(high, declare("N", "8D 9D TD"), declare("N", "7C 8C 9C"))
    play(state, declare("N", "JC QC KC"))
    play(state, declare("E", "7D 8D 9D"), declare("N", "AC AD AH AS"))
    play(play(opened(), declare("N", "AC AD AH AS")), declare("N", "JC QC KC"), declare("N", "TC TD TH TS"))


def test_r10_a_false_declaration_is_reported_and_counts_nothing():
    false = play(opened("W", "H"), declare("N", "7C 8C 9C"), declare("E", "7D 8D 9D TD"))
    assert false.reports == ()
    # S plays what N declared
    state = lay(false, "AS TD 8C KS")
    assert [str(report) for report in state.reports] == ["round 1: N declared 7C 8C 9C without holding them (R10)"]
    assert (state.reports[0].seat, state.reports[0].cards) == ("N", ("7C", "8C", "9C"))
    assert declaration_points(current(state)) == (0, 50)
    # reported once
    assert len(lay(state, "KC").reports) == 1


def test_r10_a_hand_of_eight_other_cards_disproves_a_declaration():
    """N leads eight hearts, trumps, and wins each trick, so that 7C 8C 9C are still out when N's hand is complete."""
    state = play(opened("W", "H"), declare("N", "7C 8C 9C"))
    others = [card for card in DECK if card[1] != "H" and card not in ("7C", "8C", "9C")]
    for trick in range(7):
        state = lay(state, "J9ATKQ8"[trick] + "H", *others[3 * trick : 3 * trick + 3])
    assert not any("without holding" in str(report) for report in state.reports)
    assert len(others) == 21
    state = lay(state, "7H")
    assert str(state.reports[-1]) == "round 1: N declared 7C 8C 9C without holding them (R10)"


def test_r10_known_hands_tell_at_once():
    hands = {"N": "7C 8C 9C AD AH KD KH KS", "E": "7D 8D 9D TD JD QD JC QC"}
    state = opened("W", "H", hands)
    assert ENGINE.legal(state)["declare"] == {
        "N": [{"cards": ["7C", "8C", "9C"], "points": 20}],
        "E": [{"cards": ["7D", "8D", "9D", "TD", "JD", "QD"], "points": 100}],
        "S": None,
        "W": None,
    }
    honest = play(state, declare("N", "7C 8C 9C"))
    assert ENGINE.legal(honest)["declare"]["N"] == []
    assert honest.reports == ()
    assert "without holding" in str(play(state, declare("N", "9C TC JC")).reports[0])
    assert "without holding" in str(play(state, declare("S", "9C TC JC")).reports[0])


# R11


def test_r11_king_and_queen_of_trump_when_either_is_played():
    state = opened("W", "H")
    early = "R11: N declares king and queen of trump; expected it when one of them is played"
    assert refused(state, DeclarePair("N")) == [early]
    state = lay(state, "KH")
    assert ENGINE.legal(state)["declare_pair"] == {"seats": ["N"]}
    said = play(state, DeclarePair("N"))
    assert current(said).pairs == ("N",)
    assert "declare_pair" not in ENGINE.legal(said)
    assert refused(said, DeclarePair("N")) == [
        "R11: N declares king and queen of trump again; expected it once a round"
    ]
    assert refused(state, DeclarePair("E")) == [early.replace("N", "E")]
    assert refused(state, DeclarePair("X")) == ["R1: the seat 'X'; expected one of N, E, S, W"]


def test_r11_the_window_is_that_of_a_claim():
    state = lay(opened("W", "H"), "QH 7H 8H 9H")
    assert ENGINE.legal(state)["declare_pair"] == {"seats": ["N"]}
    play(state, DeclarePair("N"))
    later = lay(state, "7C")
    assert "declare_pair" not in ENGINE.legal(later)
    assert clauses(later, DeclarePair("N")) == ["R11"]
    # and opens again with the other card
    again = lay(later, "8C KH 9C")
    assert current(again).tricks[1].leader == "W"
    assert "declare_pair" not in ENGINE.legal(again)


def test_r11_scores_20_even_if_the_others_hold_the_best_and_beside_a_run():
    state = play(opened("W", "H"), declare("N", "JH QH KH"), declare("E", "TD JD QD KD"))
    state = play(lay(state, "KH"), DeclarePair("N"))
    assert declaration_points(current(state)) == (20, 50)
    alone = play(lay(play(opened("W", "H"), declare("N", "JH QH KH")), "QH"), DeclarePair("N"))
    assert declaration_points(current(alone)) == (40, 0)
    east = play(lay(opened("W", "H"), "7H KH"), DeclarePair("E"))
    assert declaration_points(current(east)) == (0, 20)


def test_r11_not_from_two_hands():
    state = lay(opened("W", "H"), "KH QH")
    assert "declare_pair" not in ENGINE.legal(state)
    false = play(state, DeclarePair("N"))
    assert str(false.reports[0]) == "round 1: N declared QH KH without holding them (R11)"
    assert declaration_points(current(false)) == (0, 0)
    later = lay(play(lay(opened("W", "H"), "KH"), DeclarePair("N")), "QH")
    assert [report.clause for report in later.reports] == ["R11"]
    assert declaration_points(current(later)) == (0, 0)


def test_r11_with_known_hands():
    hands = {"N": "7C 8C 9C AD AH KH KD KS", "E": "7D 8D 9D TD JD QD JH TH"}
    state = lay(opened("W", "H", hands), "KH")
    assert "declare_pair" not in ENGINE.legal(state)
    both = {"N": "7C 8C 9C AD AH KH QH KS"}
    assert ENGINE.legal(lay(opened("W", "H", both), "KH"))["declare_pair"] == {"seats": ["N"]}
    elsewhere = {"S": "7C 8C 9C AD AH QD QH KS"}
    assert "declare_pair" not in ENGINE.legal(lay(opened("W", "H", elsewhere), "KH"))


# The rest


def test_events_as_json_and_back():
    events = [
        Stake(5),
        Deal.known("W", {"N": N_HAND}),
        Deal("W"),
        Trump("N", "S"),
        Challenge("E", "contra"),
        declare("N", "7C 8C 9C"),
        DeclarePair("N"),
        Laid("N", "7C"),
        Claim("NS"),
        Record(),
    ]
    kinds = ["stake", "deal", "deal", "trump", "challenge", "declare", "declare_pair", "laid", "claim", "record"]
    for event, kind in zip(events, kinds, strict=True):
        data = ENGINE.event_to_json(event)
        assert data["kind"] == kind
        assert ENGINE.event_from_json(data) == event
    with pytest.raises(ValueError, match="card"):
        ENGINE.event_from_json({"kind": "laid", "seat": "N", "card": 7})


def test_options_are_checked_and_written_out():
    assert KrakenEngine().options() == ENGINE.options()
    assert ENGINE.options() == {"challenge_won": "winner", "bonuses": "own", "last_trick": 0}
    other = {"challenge_won": "both", "bonuses": "winner", "last_trick": 10}
    assert KrakenEngine(**other).options() == other
    with pytest.raises(ValueError, match=r"^challenge_won: 'x' is none of winner, both$"):
        KrakenEngine(challenge_won="x")
    with pytest.raises(ValueError, match=r"^bonuses: 'x' is none of own, winner$"):
        KrakenEngine(bonuses="x")
    with pytest.raises(ValueError, match=r"^last_trick: 5 is none of 0, 10$"):
        KrakenEngine(last_trick=5)
    assert ENGINE.game == "kraken"


def test_r18_signals_are_nothing_for_the_referee():
    assert "signal" not in ENGINE.kinds.classes


def test_swept_helper_lays_every_card_once():
    assert len(set(swept("H", 1))) == 32

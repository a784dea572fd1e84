"""Kraken's referee against R17: revokes known at once or proven later, cards seen twice, a ninth card."""

import pytest
from kraken_play import ENGINE, clauses, current, lay, opened, play, refused

from referee.rules.kraken import Claim, Declare, DeclarePair, Laid, Record
from referee.rules.kraken.cards import DECK
from referee.rules.kraken.state import Revoke


def revokes(state) -> list[tuple]:
    """Every statement about a revoke: trick, seat, card, clause, due, proof, source, seen in, status."""
    return [
        (r.trick, r.seat, r.card, r.clause, " ".join(r.due), r.proof, r.source, r.seen_in, r.status)
        for r in state.reports
        if isinstance(r, Revoke)
    ]


# spades are trump, N leads unless said otherwise


def test_r6_revoke_by_suit_names_trick_card_and_proof():
    state = lay(opened(), "AH 7H 7C 8H", "AC 9C KH 8C")
    assert revokes(state) == [(1, "S", "7C", "R6", "KH", "KH", "played", 2, "proven")]
    revoke = current(state).revokes[0]
    assert revoke.round == 1
    assert revoke.held == ("7C", "KH")
    assert str(revoke) == (
        "round 1, trick 1: S played 7C against R6, holding 7C KH; due KH; proven in trick 2 by KH (played)"
    )


def test_r17_due_cards_are_restated_when_later_cards_add_to_them():
    state = lay(opened(), "AH 7H 7C 8H", "AC 9C KH 8C", "AD 7D QH 8D")
    assert revokes(state) == [
        (1, "S", "7C", "R6", "KH", "KH", "played", 2, "proven"),
        (1, "S", "7C", "R6", "QH KH", "QH", "played", 3, "restated"),
    ]
    assert [r.status for r in current(state).revokes] == ["restated"]
    # another suit changes nothing
    assert len(revokes(lay(state, "KD 9D 7S JD"))) == 2


def test_r17_the_clause_is_restated_when_later_cards_change_it():
    """E's discard breaks R6c by the trump shown first, and R6 once a heart shows up."""
    state = lay(opened(), "AH 7C 8H 9H", "KC 9S 8C TC")
    assert revokes(state) == [(1, "E", "7C", "R6c", "9S", "9S", "played", 2, "proven")]
    state = lay(state, "TH KD 7D 8D")
    assert revokes(state)[-1] == (1, "E", "7C", "R6", "TH", "TH", "played", 3, "restated")
    assert len(current(state).revokes) == 1


def test_r6c_proven_later_by_a_trump_that_would_have_won():
    # N's TH is trumped by E's TS; S discards and later shows JS
    state = lay(opened(), "TH TS 7C 8H")
    assert revokes(state) == []
    low = lay(state, "KC 8C QS 9C")
    assert revokes(low) == []
    assert current(low).tricks[1].leader == "E"
    assert revokes(lay(state, "KC 9C JS 8C")) == []
    proven = lay(state, "KC JS 9C 8C")
    assert revokes(proven) == [(1, "S", "7C", "R6c", "JS", "JS", "played", 2, "proven")]


def test_r6b_a_lower_trump_behind_the_partner():
    # E has trumped N's ten of hearts; W, E's partner, puts a lower trump behind it
    state = lay(opened(), "TH TS 8H 7S")
    assert revokes(state) == []
    proven = lay(state, "KC 8C 7D 9C")
    assert revokes(proven) == [(1, "W", "7S", "R6b", "7D", "7D", "played", 2, "proven")]
    assert revokes(lay(state, "KC 8C 8S 9C")) == []
    assert revokes(lay(state, "KC 8C JS 9C")) == [(1, "W", "7S", "R6b", "JS", "JS", "played", 2, "proven")]


def test_r6d_a_lower_trump_under_the_other_side():
    state = lay(opened(), "TH TS 7S 8H")
    proven = lay(state, "KC 7D 9C 8C")
    assert revokes(proven) == [(1, "S", "7S", "R6d", "7D", "7D", "played", 2, "proven")]
    # a trump that would have won makes it R6c
    assert revokes(lay(proven, "AC JS QC JC"))[1][:6] == (1, "S", "7S", "R6c", "JS", "JS")


def test_r6a_anything_behind_the_partners_plain_card():
    state = lay(opened(), "AH 8H 7C 9H", "KC 9C JS 8C")
    # S, whose partner N was winning with the ace, need not have trumped; a trump there would have been right as well
    assert revokes(state) == []
    assert revokes(lay(opened(), "AH 8H 7S 9H", "AC 9C KC 8C")) == []


def test_r6_trump_led_must_be_beaten():
    state = lay(opened(), "9S 7S KS 8S")
    assert revokes(state) == []
    proven = lay(state, "AC JS 7C 8C")
    assert revokes(proven) == [(1, "E", "7S", "R6", "JS", "JS", "played", 2, "proven")]
    partner = lay(state, "AC 9C JS 8C")
    assert revokes(partner) == [(1, "S", "KS", "R6", "JS", "JS", "played", 2, "proven")]
    # a discard on trump is proven by any trump, and due becomes the one that beats
    state = lay(opened(), "9S 7C KS 8S", "AC 7S 8C 9C")
    assert revokes(state) == [(1, "E", "7C", "R6", "7S", "7S", "played", 2, "proven")]
    assert revokes(lay(state, "JS AD 8D 9D"))[-1] == (1, "E", "7C", "R6", "JS", "JS", "played", 3, "restated")


def test_r17_the_cards_before_the_revoke_prove_nothing():
    """A card played before the trick in question was not in the hand any more."""
    state = lay(opened(), "AH 7H 8H 9H", "KH 7C JH QH")
    assert revokes(state) == []


def test_r17_known_at_once_with_dealt_hands():
    hands = {"E": "7H TH 7C 8C 9C 7D 8D 9S"}
    state = lay(opened(hands=hands), "AH 7C")
    assert revokes(state) == [(1, "E", "7C", "R6", "7H TH", "7H", "dealt", 1, "proven")]
    assert current(state).revokes[0].held == ("7C", "8C", "9C", "7D", "8D", "7H", "TH", "9S")
    assert revokes(lay(state, "8H 9H", "AC 8C JC QC")) == revokes(state)


def test_r17_known_at_once_from_a_declaration():
    state = play(opened(), Declare("E", ("QH", "KH", "AH")))
    state = lay(state, "7H 7C")
    assert revokes(state) == [(1, "E", "7C", "R6", "QH KH AH", "QH", "declared", 1, "proven")]
    # what is played of it later changes nothing
    assert len(revokes(lay(state, "8H 9H", "TH 8C QH"))) == 1


def test_r17_withdrawn_when_the_declaration_turns_out_false():
    state = play(opened(), Declare("E", ("QH", "KH", "AH")))
    state = lay(state, "7H 7C QH")
    assert revokes(state) == [
        (1, "E", "7C", "R6", "QH KH AH", "QH", "declared", 1, "proven"),
        (1, "E", "7C", "R6", "QH KH AH", "QH", "declared", 1, "withdrawn"),
    ]
    assert current(state).revokes == ()
    assert [getattr(r, "status", "false") for r in state.reports] == ["proven", "false", "withdrawn"]


def test_r17_a_card_that_two_declare_proves_nothing_until_it_is_seen():
    both = play(opened(), Declare("E", ("QH", "KH", "AH")), Declare("S", ("TH", "JH", "QH")))
    state = lay(both, "7H 7C")
    assert revokes(state) == [(1, "E", "7C", "R6", "KH AH", "KH", "declared", 1, "proven")]
    # S shows the queen: E's declaration is false, and with it all that it proved
    assert revokes(lay(state, "QH"))[-1][-1] == "withdrawn"
    # S shows another heart: nothing new; W shows the queen: both are false
    assert current(lay(state, "8H QH")).revokes == ()


def test_r17_the_pair_of_trumps_declared_proves_too():
    # E discards on a trump, plays the queen later and then declares the pair
    state = lay(opened(), "7S 7C 8S 9S", "AC 8C QS 9C")
    assert [r[:6] for r in revokes(state)] == [(1, "E", "7C", "R6", "QS", "QS")]
    state = play(state, DeclarePair("E"))
    assert revokes(state)[-1] == (1, "E", "7C", "R6", "QS KS", "KS", "declared", 2, "restated")


def test_r17_a_pair_declared_puts_another_seat_s_declaration_in_doubt():
    state = play(opened(trump="H"), Declare("E", ("TH", "JH", "QH")))
    state = lay(state, "7H 7C 8H 9H", "7S KH")
    assert revokes(state) == [(1, "E", "7C", "R6", "TH JH QH", "TH", "declared", 1, "proven")]
    state = play(state, DeclarePair("N"))
    assert revokes(state)[1:] == [(1, "E", "7C", "R6", "TH JH", "TH", "declared", 2, "restated")]
    # the queen settles it for E
    state = lay(state, "QH")
    assert revokes(state)[2:] == [
        (1, "E", "7C", "R6", "TH JH QH", "QH", "played", 2, "restated"),
        (2, "E", "QH", "R6c", "TH JH", "TH", "declared", 2, "proven"),
    ]
    assert [report.seat for report in state.reports if not isinstance(report, Revoke)] == ["N"]


def test_r11_the_pair_declared_with_its_second_card():
    state = play(lay(opened(trump="H"), "KH 7H 8H 9H", "7C QH"), DeclarePair("N"))
    assert current(state).pairs == ("N",)
    assert revokes(state) == []


def test_r17_several_due_cards_in_words():
    state = lay(opened(hands={"E": "7H TH 7C 8C 9C 7D 8D 9S"}), "AH 7C")
    assert str(state.reports[0]) == (
        "round 1, trick 1: E played 7C against R6, holding 7C 8C 9C 7D 8D 7H TH 9S; due 7H or TH; "
        "proven in trick 1 by 7H (dealt)"
    )


def test_r17_several_revokes_are_listed_as_they_were_played():
    state = lay(opened(), "AH 7C 7D 8D", "KC TH JH QH")
    assert [(r.trick, r.seat) for r in current(state).revokes] == [(1, "E"), (1, "S"), (1, "W")]
    state = lay(opened(), "AH 7C 7D 8D", "KC 8C JH QH", "AC KH")
    order = [(r.trick, r.seat) for r in current(state).revokes]
    assert order == sorted(order, key=lambda one: (one[0], "NESW".index(one[1])))


def test_r17_listed_in_the_order_of_their_trick_not_of_their_proof():
    # S leads and wins with the ace; W and N discard, and N's heart comes to light first
    state = lay(opened("E"), "AH 7C 8C 9H", "KH 9C JH QH")
    assert [(r.trick, r.seat) for r in current(state).revokes] == [(1, "N")]
    state = lay(state, "AD TH")
    assert [(r.trick, r.seat) for r in current(state).revokes] == [(1, "W"), (1, "N"), (2, "W")]
    # the same once another seat leads
    state = lay(state, "7D 8D", "7S 8S 9S TS")
    assert [(r.trick, r.seat) for r in current(state).revokes][:3] == [(1, "W"), (1, "N"), (2, "W")]


def test_r17_they_stand_in_the_result():
    state = lay(opened(), "AH 7C 8H 9H", "KH TH JH QH")
    rest = [card for card in DECK if not any(card in trick.cards for trick in current(state).tricks)]
    state = play(lay(state, " ".join(rest)), Record())
    first = state.results[0].revokes[0]
    assert (first.trick, first.seat, first.card) == (1, "E", "7C")


def test_r17_a_card_seen_twice_and_a_card_out_of_turn_are_both_named():
    state = lay(opened(), "AH 7H 8H 9H", "KH")
    assert refused(state, Laid("E", "KH")) == ["R17: KH seen twice; expected a card not played in trick 2"]
    assert refused(state, Laid("S", "7H")) == [
        "R1: S plays out of turn; expected a card of E",
        "R17: 7H seen twice; expected a card not played in trick 1",
    ]
    assert refused(state, Laid("X", "XX")) == [
        "R1: the seat 'X'; expected one of N, E, S, W",
        "R1: no such card: 'XX'; expected a card of the 32",
    ]
    assert ENGINE.position(state) == "round 1, trump S, trick 2, E on turn, on the table KH"
    assert ENGINE.position(lay(state, "TH")) == "round 1, trump S, trick 2, S on turn, on the table KH TH"
    led = lay(opened(), "AH 7H 8H 9H")
    assert refused(led, Laid("E", "7C")) == ["R7: E plays out of turn; expected a card of N"]


def test_r17_a_ninth_card():
    state = lay(opened(), " ".join(DECK))
    seat = current(state).on_turn
    assert refused(state, Laid(seat, "7C")) == [
        "R17: 7C seen twice; expected a card not played in trick 1",
        f"R17: a ninth card of {seat}; expected eight cards each, then the round recorded",
    ]
    almost = lay(opened(), " ".join(DECK[:29]))
    leader = current(almost).leader
    assert clauses(almost, Laid(leader, DECK[30])) == ["R1", "R17"]
    fresh = current(almost).on_turn
    play(almost, Laid(fresh, DECK[30]))
    earlier = lay(opened(), " ".join(DECK[:25]))
    assert clauses(earlier, Laid(current(earlier).leader, DECK[30])) == ["R1"]


def test_r1_a_card_that_was_dealt_to_somebody_else():
    hands = {"N": "7C 8C 9C TC JC QC KC AC", "E": "7D 8D 9D TD JD QD KD AD"}
    state = opened(hands=hands)
    assert refused(state, Laid("N", "7H")) == ["R1: 7H was not dealt to N; expected a card of 7C 8C 9C TC JC QC KC AC"]
    assert refused(state, Laid("N", "7D"))[0].startswith("R1: 7D was not dealt to N")
    state = lay(state, "7C 7D")
    assert refused(state, Laid("S", "8D")) == ["R1: 8D was dealt to E; expected a card that S can hold"]
    assert clauses(state, Laid("S", "8C")) == ["R1"]
    lay(state, "7H 7S")


# legal(): the cards of the seat on turn


def test_legal_cards_of_a_dealt_hand():
    hands = {"E": "7H TH 7C 8C 9C 7D 8D 9S"}
    laid = ENGINE.legal(lay(opened(hands=hands), "AH"))["laid"]
    assert laid == {"seat": "E", "known": True, "clause": "R6", "cards": ["7H", "TH"], "proving": []}
    trumped = ENGINE.legal(lay(opened(hands={"E": "7C 8C 9C 7D 8D 9S 7S TD"}), "AH"))["laid"]
    assert (trumped["clause"], trumped["cards"]) == ("R6c", ["7S", "9S"])


def test_legal_cards_of_an_unknown_hand():
    state = lay(opened(), "AH 7C 8H 9H")
    legal = ENGINE.legal(state)["laid"]
    assert legal["seat"] == "N"
    assert legal["known"] is False
    assert set(legal["cards"]) == set(DECK) - {"AH", "7C", "8H", "9H"}
    assert legal["proving"] == []
    state = lay(state, "KC")
    legal = ENGINE.legal(state)["laid"]
    # all hearts and spades held back by E in trick 1 would prove a revoke; clubs and diamonds would not
    assert legal["proving"] == [c for c in DECK if c[1] in "HS" and c in legal["cards"]]
    assert set(legal["cards"]) == set(DECK) - {"AH", "7C", "8H", "9H", "KC"}
    assert legal["clause"] == "R6"


def test_legal_cards_of_a_partly_known_hand():
    hands = {"N": "AH KH TH 7C 8C 9C TC JC", "S": "7D 8D 9D TD JD QD KD AD"}
    state = play(opened(hands=hands), Declare("E", ("7H", "8H", "9H")), Declare("W", ("7S", "8S", "9S")))
    laid = ENGINE.legal(lay(state, "AH"))["laid"]
    # E holds hearts for certain: only hearts are legal, and none of N's
    assert laid["cards"] == ["7H", "8H", "9H", "JH", "QH"]
    assert laid["known"] is False
    # W holds trumps for certain: of trumps led it must beat the highest
    trumps = play(opened(), Declare("W", ("7S", "8S", "9S")))
    assert ENGINE.legal(lay(trumps, "KS 7H 8H"))["laid"]["cards"] == ["9S", "TS", "JS", "AS"]
    # all eight cards declared: as good as dealt
    whole = play(opened(), Declare("E", tuple(r + "H" for r in "789TJQKA")))
    assert ENGINE.legal(lay(whole, "AC"))["laid"] == {
        "seat": "E",
        "known": True,
        "clause": "R6d",
        "cards": [r + "H" for r in "789TJQKA"],
        "proving": [],
    }


def test_legal_lists_the_phase_and_the_kinds_of_event():
    state = opened()
    legal = ENGINE.legal(state)
    assert legal["phase"] == "tricks"
    assert legal["events"] == ["challenge", "declare", "laid"]
    assert legal["declare"] == dict.fromkeys("NESW")
    assert legal["laid"]["cards"] == list(DECK)
    trick = lay(opened(trump="H"), "JH QH KH 7C")
    assert ENGINE.legal(trick)["events"] == ["claim", "laid"]
    assert ENGINE.legal(lay(opened(trump="H"), "KH"))["events"] == ["declare_pair", "laid"]
    assert ENGINE.legal(play(trick, Claim("NS")))["events"] == ["laid"]


@pytest.mark.parametrize("trump", ["S", "H"])
def test_contract_example_trick(trump):
    """W leads 9S, JS 7S AH follow, spades trump: N wins 45 points; hearts trump: the ace of hearts wins."""
    state = lay(opened("S", trump), "9S JS 7S AH")
    trick = current(state).tricks[0]
    assert (trick.number, trick.leader, trick.cards) == (1, "W", ("9S", "JS", "7S", "AH"))
    assert (trick.winner, trick.points) == (("N", 45) if trump == "S" else ("S", 13))

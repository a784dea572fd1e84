"""Kraken scores against R12-R16: tallies, who wins a round, rounding, spades, bonuses, crosses, payment."""

from dataclasses import replace

import pytest
from kraken_play import ENGINE, WORDS, cards_for, play, result, round_events, swept

from referee.rules.kraken import KrakenEngine, Stake, State
from referee.rules.kraken.cards import combination
from referee.rules.kraken.scoring import Options, rounded, score_round
from referee.rules.kraken.state import Declared, Round, RoundResult, left_of

BOTH = KrakenEngine(challenge_won="both")
LAST = KrakenEngine(last_trick=10)


def finished(cards: list[str], *, trump: str = "H", dealer: str = "W", said: int = 0) -> Round:
    """The round after these cards, before it is recorded."""
    state = play(ENGINE.start(), *round_events(dealer, trump, cards, said)[:-1])
    assert state.round is not None
    return replace(state.round, false=())


def scored(
    ns: int,
    *,
    declared: tuple[tuple[str, str], ...] = (),
    claims: tuple[tuple[int, int], ...] = (),
    said: int = 0,
    trump: str = "H",
    cards: list[str] | None = None,
    **options: object,
) -> RoundResult:
    """The result with declarations (seat, cards) taken as held and tricks (number, bonus) taken as claimed."""
    rnd = finished(cards or cards_for(ns, trump=trump, leader="N"), trump=trump, said=said)
    made = [Declared(seat, combination(cards.split()) or pytest.fail(cards)) for seat, cards in declared]
    tricks = list(rnd.tricks)
    for i, trick in enumerate(tricks):
        tricks[i] = replace(trick, bonus=dict(claims).get(trick.number, 50), claimed=trick.number in dict(claims))
    return score_round(replace(rnd, declared=tuple(made), tricks=tuple(tricks)), Options(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ns", "winner", "points"),
    [
        # NS declare: strictly more, and both score their own
        (77, "NS", (8, 8)),
        (100, "NS", (10, 5)),
        (85, "NS", (9, 7)),
        # a tie or less: everything to the others, rounded once (152 -> 15)
        (76, "EW", (0, 15)),
        (75, "EW", (0, 15)),
        (20, "EW", (0, 15)),
    ],
)
def test_r12_no_challenge(ns, winner, points):
    done = result(ns)
    assert done.card_points == done.tallies == (ns, 152 - ns)
    assert (done.winner, done.points, done.crosses) == (winner, points, (0, 0))
    assert (done.declarers, done.challenge, done.contra) == ("NS", None, None)
    assert (done.number, done.dealer, done.trump) == (1, "W", "H")
    assert (done.last_trick, done.declarations) == ((0, 0), (0, 0))
    assert len(done.tricks) == 8


def test_r12_the_declarers_are_the_trump_makers_team():
    done = result(100, dealer="N")
    assert (done.declarers, done.winner, done.points) == ("EW", "NS", (15, 0))
    assert result(60, dealer="N").points == (6, 9)
    challenged = result(100, dealer="N", said=1)
    assert (challenged.contra, challenged.winner, challenged.points) == ("NS", "NS", (20, 0))


@pytest.mark.parametrize(
    ("said", "ns", "winner", "points", "both"),
    [
        # contra: EW spoke last and need strictly more
        (1, 60, "EW", (0, 18), (12, 18)),
        (1, 76, "NS", (30, 0), (30, 0)),
        (1, 100, "NS", (30, 0), (30, 0)),
        # re: NS spoke last
        (2, 100, "NS", (40, 0), (40, 20)),
        (2, 76, "EW", (0, 60), (0, 60)),
        (2, 60, "EW", (0, 60), (0, 60)),
        # superkraken: EW again
        (3, 60, "EW", (0, 72), (48, 72)),
        (3, 76, "NS", (120, 0), (120, 0)),
        (3, 77, "NS", (120, 0), (120, 0)),
        (3, 75, "EW", (0, 64), (64, 64)),
    ],
)
def test_r12_with_a_challenge_the_side_that_spoke_last_needs_more(said, ns, winner, points, both):
    done = result(ns, said=said)
    assert (done.winner, done.points, done.challenge, done.contra) == (winner, points, WORDS[said - 1], "EW")
    other = result(ns, said=said, engine=BOTH)
    assert (other.winner, other.points) == (winner, both)


def test_r12_declarations_count_in_the_tally():
    run = (("N", "7C 8C 9C"),)
    assert scored(66, declared=run).winner == "EW"
    done = scored(67, declared=run)
    assert (done.declarations, done.tallies, done.winner, done.points) == ((20, 0), (87, 85), "NS", (9, 9))
    # everything is the sum of both tallies, rounded once: 66 + 20 + 86 = 172
    assert scored(66, declared=run).points == (0, 17)
    assert scored(66, declared=(("N", "7C 8C 9C"), ("S", "7D 8D 9D TD"))).tallies == (136, 86)
    assert scored(66, declared=run, said=1).points == (34, 0)
    assert scored(65, declared=run, said=1).points == (0, 18)


def test_r12_unrounded_tallies_are_compared():
    # 77 and 75 both round to 8
    assert result(77).winner == "NS"
    assert result(75).winner == "EW"


def test_r12_a_trick_bonus_is_never_in_the_tally():
    done = scored(76, claims=tuple((number, 100) for number in range(1, 9)))
    assert done.tallies == (76, 76)
    assert done.winner == "EW"


@pytest.mark.parametrize(("points", "tens"), [(0, 0), (4, 0), (5, 1), (84, 8), (85, 9), (94, 9), (95, 10), (152, 15)])
def test_r13_nearest_ten_halves_up(points, tens):
    assert rounded(points) == tens


def test_r13_spades_double_after_rounding():
    assert result(85, trump="S").points == (18, 14)
    assert result(85, trump="S").multiplier == 2
    assert result(60, trump="S", said=1).points == (0, 36)
    assert result(100, trump="S", said=2).points == (80, 0)
    assert result(60, trump="S", said=3).points == (0, 144)
    assert result(60, trump="S").points == (0, 30)


def test_r13_bonuses_are_added_in_tens_and_not_multiplied():
    plain = scored(100, trump="S", said=2)
    claimed = scored(100, trump="S", said=2, claims=((1, 20), (2, 70), (3, 200)))
    assert claimed.points == plain.points == (80, 0)
    assert plain.bonuses == (0, 0)
    assert sum(claimed.bonuses) == 29
    assert tuple(a + b for a, b in zip(claimed.points, claimed.bonuses, strict=True)) == claimed.score


@pytest.mark.parametrize(("said", "ns"), [(0, 60), (1, 100), (2, 60), (1, 60), (0, 100)])
def test_r13_option_bonuses(said, ns):
    """``own``: each what it claimed; ``winner``: who takes everything takes the bonuses too."""
    claims = tuple((number, 20) for number in range(1, 9))
    own = scored(ns, claims=claims, said=said)
    assert own.bonuses[0] and own.bonuses[1]
    taken = scored(ns, claims=claims, said=said, bonuses="winner")
    assert taken.points == own.points
    everything = {(0, 60): (0, 16), (1, 100): (16, 0), (2, 60): (0, 16)}.get((said, ns), own.bonuses)
    assert taken.bonuses == everything
    assert sum(own.bonuses) == 16


def test_r9_is_added_to_what_was_claimed():
    assert scored(0, cards=swept("H", 0), claims=((1, 20), (2, 70))).bonuses == (19, 0)


def test_r13_option_bonuses_moves_r9_as_well():
    """A team that wins all tricks can lose the round to declarations."""
    cards = swept("H", 0)
    done = scored(0, cards=cards, declared=(("E", "JC JD JH JS"),))
    assert (done.winner, done.points, done.bonuses) == ("EW", (0, 35), (10, 0))
    assert scored(0, cards=cards, declared=(("E", "JC JD JH JS"),), bonuses="winner").bonuses == (0, 10)


@pytest.mark.parametrize(
    ("trump", "said", "crosses"),
    [("H", 0, (0, 1)), ("S", 0, (0, 2)), ("H", 1, (0, 3)), ("S", 1, (0, 6)), ("H", 2, (0, 5)), ("S", 3, (0, 18))],
)
def test_r14_all_tricks_lost_and_the_challenge_add_up(trump, said, crosses):
    state = play(ENGINE.start(), *round_events("W", trump, swept(trump, 0), said))
    assert state.results[0].crosses == crosses
    assert state.crosses == crosses


@pytest.mark.parametrize(
    ("said", "ns", "crosses"),
    [(1, 100, (0, 2)), (1, 60, (2, 0)), (2, 100, (0, 4)), (2, 60, (4, 0)), (3, 100, (0, 8)), (3, 60, (8, 0))],
)
def test_r14_the_loser_of_a_challenged_round(said, ns, crosses):
    assert result(ns, said=said, ns_tricks=4).crosses == crosses
    assert result(ns, said=said, trump="S", ns_tricks=4).crosses == tuple(2 * n for n in crosses)
    assert result(ns, ns_tricks=4).crosses == (0, 0)


def test_r14_lost_challenge_and_all_tricks_for_different_teams():
    done = scored(0, cards=swept("H", 0), declared=(("E", "JC JD JH JS"),), said=1)
    # EW spoke last and have more: NS lost the challenge, EW all tricks
    assert (done.winner, done.crosses) == ("EW", (2, 1))


def game(points: dict[int, int], stake: int | None = None) -> State:
    """Sixteen rounds, hearts trump; ``points``: the card points of NS by round, else the declarers lose 70 to 82."""
    state = ENGINE.start()
    if stake is not None:
        state = play(state, Stake(stake))
    for number in range(1, 17):
        dealer = "WNES"[(number - 1) % 4]
        ns = points.get(number, 70 if number % 2 else 82)
        cards = cards_for(ns, trump="H", leader=left_of(dealer), ns_tricks=4)
        state = play(state, *round_events(dealer, "H", cards))
    return state


def test_r14_four_crosses_for_the_lower_score_after_round_16():
    ahead = game({2: 60})
    assert ahead.scores == (111, 129)
    assert ahead.crosses == (4, 0)
    assert ahead.winners == ("EW",)
    assert game({1: 100}).crosses == (0, 4)
    assert ENGINE.winners(game({1: 100})) == ["NS"]


def test_r14_no_cross_on_a_tie_and_r14a_equal_scores_share():
    even = game({})
    assert even.scores == (120, 120)
    assert even.crosses == (0, 0)
    assert even.winners == ("NS", "EW")
    assert ENGINE.winners(even) == ["NS", "EW"]
    assert even.payment == (0, 0)


def test_r14a_nobody_has_won_before_round_16():
    state = play(ENGINE.start(), *round_events("W", "H", swept("H", 0)))
    assert state.winners == ()
    assert ENGINE.winners(state) is None
    assert not ENGINE.over(state)
    assert state.payment == (0, 0)


def test_r15_the_difference_of_crosses_times_the_stake():
    assert game({2: 60}).payment == (-4, 4)
    assert game({2: 60}, stake=25).payment == (-100, 100)
    assert game({1: 100}, stake=3).payment == (12, -12)


def test_r16_last_trick_is_an_option():
    cards = cards_for(70, trump="H", leader="N")
    plain = play(ENGINE.start(), *round_events("W", "H", cards)).results[0]
    done = play(LAST.start(), *round_events("W", "H", cards), engine=LAST).results[0]
    place = "NSEW".index(done.tricks[-1].winner) // 2
    assert plain.last_trick == (0, 0)
    assert done.last_trick == ((10, 0), (0, 10))[place]
    assert sum(done.tallies) == 162
    assert done.card_points == plain.card_points
    assert done.tallies[place] == plain.tallies[place] + 10


@pytest.mark.parametrize("ns", range(60, 90, 3))
def test_r16_the_last_trick_is_trick_eight(ns):
    done = result(ns, engine=LAST)
    assert done.last_trick == ((10, 0) if done.tricks[7].winner in "NS" else (0, 10))


def test_the_sheet_lists_rounds_and_totals():
    state = play(ENGINE.start(), *round_events("W", "S", swept("S", 0), said=1))
    assert ENGINE.sheet(state) == [
        ["round", "trump", "challenge", "NS", "EW", "crosses NS", "crosses EW"],
        [1, "S", "contra", 70, 0, 0, 6],
        ["total", "", "", 70, 0, 0, 6],
    ]
    assert ENGINE.score(state) == {"NS": 70, "EW": 0}
    plain = play(ENGINE.start(), *round_events("W", "H", swept("H", 0)))
    assert ENGINE.sheet(plain)[1] == [1, "H", "", 25, 0, 0, 1]

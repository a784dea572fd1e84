"""Crokinole, rounds and games: C14-C26."""

from dataclasses import replace
from typing import Any

import pytest
from tables import board, play, shot

from referee.rules.crokinole import (
    Counted,
    Crokinole,
    Event,
    Recorded,
    Result,
    RoundResult,
    Shot,
    State,
    TimeOut,
    board_points,
    hammer,
)
from referee.rules.protocol import RuleError


def results(engine: Crokinole, *rounds: str) -> State:
    """The state after rounds given as "55/1 40/0"."""
    events = []
    for text in rounds:
        pairs = [pair.split("/") for pair in text.split()]
        events.append(Result(tuple(int(p) for p, _ in pairs), tuple(int(t) for _, t in pairs)))
    return play(engine, *events)


def order(engine: Crokinole, state: State, shots: int) -> tuple[str, State]:
    """The seats that shoot next, each knocking its disc into the ditch."""
    seats = ""
    for _ in range(shots):
        seat = engine.legal(state)["seats"][0]
        seats += seat
        state = engine.apply(state, shot(seat, state.shots + 1, "ditch"))
    return seats, state


def message(engine: Crokinole, state: State, event: Any) -> str:
    with pytest.raises(RuleError) as caught:
        engine.apply(state, event)
    return str(caught.value)


# who shoots: C14, C21, C22, C23


def whole_rounds(options: dict[str, Any], rounds: int) -> list[str]:
    engine = Crokinole({**options, "rounds": 99})
    state, seen = engine.start(), []
    for _ in range(rounds):
        seats, state = order(engine, state, state.stop)
        state = engine.apply(state, Recorded())
        seen.append(seats)
    return seen


def test_c14_turns_alternate_and_so_does_who_opens() -> None:
    assert whole_rounds({}, 3) == ["AC" * 12, "CA" * 12, "AC" * 12]
    assert whole_rounds({"first": "C", "seats": ("A", "C")}, 2) == ["CA" * 12, "AC" * 12]


def test_c14_out_of_turn_is_named() -> None:
    engine = Crokinole({"first": "A"})
    assert message(engine, engine.start(), shot("C", 1, 15)) == (
        "C14: a shot by C; expected a shot by A (round 1, shot 1 of 24, A (black) to shoot; score black 0, natural 0)"
    )


@pytest.mark.parametrize(
    ("options", "first", "orders"),
    [
        ({}, "A", ["ACAC", "CACA", "ACAC"]),
        ({}, "C", ["CACA", "ACAC", "CACA"]),
        ({"players": "4"}, "C", ["CDAB", "DABC", "ABCD"]),
        ({"players": "2v1"}, "B", ["BABC", "ABCB", "BABC"]),
        ({"players": "2v1"}, "C", ["CBAB", "BCBA", "ABCB"]),
        ({"players": "3"}, "B", ["BCABCA", "CABCAB", "ABCABC"]),
    ],
)
def test_c14_where_nobody_chose_the_first_shot_says_who_begins(
    options: dict[str, Any], first: str, orders: list[str]
) -> None:
    engine = Crokinole({**options, "discs": 2, "rounds": 9})
    assert engine.options().get("first") is None
    state = engine.start()
    assert engine.legal(state)["seats"] == list(engine.setup.seats)
    assert (engine.legal(state)["side"], engine.legal(state)["hammer"]) == (None, None)
    for number, wanted in enumerate(orders):
        got = order(engine, state, state.stop) if number else None
        seats = wanted[: state.stop]
        for i, seat in enumerate(seats):
            state = engine.apply(state, shot(seat, i + 1, "ditch"))
        assert got is None or got[0][: len(seats)] == seats
        state = engine.apply(state, Recorded())
    assert [done.first for done in state.played] == [o[0] for o in orders]


def test_c14_the_choice_is_open_until_a_shot_is_seen() -> None:
    engine = Crokinole({"discs": 2})
    state = results(engine, "20/1 0/0")
    assert engine.legal(state)["seats"] == ["A", "C"]
    assert engine.legal(play(engine, shot("A", 1, "ditch"), start=state))["seats"] == ["C"]
    assert engine.legal(play(engine, shot("C", 1, "ditch"), start=state))["seats"] == ["A"]
    waiting = engine.apply(state, shot("C", 1, "10u"))
    assert waiting.undecided
    assert engine.legal(waiting)["seats"] == ["C"]
    assert "C26: disc 1 shot by A" in message(engine, waiting, shot("A", 1, 10))
    assert play(engine, shot("C", 1, 10), start=waiting).on_turn == ("A",)


@pytest.mark.parametrize(
    ("options", "played", "ruled", "following"),
    [
        ({"first": "A"}, 0, shot("C", 1, "ditch", opens=True), "ACA"),
        ({"first": "A"}, 0, shot("C", 1, "ditch", unseen=1), "AC"),
        ({"first": "A"}, 1, shot("A", 2, "ditch", unseen=1), "C"),
        ({"players": "4", "first": "A"}, 0, shot("D", 1, "ditch", opens=True), "ABC"),
        ({"players": "4", "first": "A"}, 0, shot("D", 1, "ditch", unseen=3), "ABCD"),
        ({"players": "2v1", "first": "B"}, 0, shot("C", 1, "ditch", unseen=1), "BAB"),
        ({"players": "2v1", "first": "A"}, 0, shot("C", 1, "ditch", opens=True), "BAB"),
    ],
)
def test_c14_a_ruling_says_whose_turn_it_was(options: dict[str, Any], played: int, ruled: Shot, following: str) -> None:
    engine = Crokinole({**options, "discs": 4 if "players" in options else 2})
    before = play(engine, *[shot("A", i + 1, "ditch") for i in range(played)])
    assert "expected a shot by" in message(engine, before, replace(ruled, opens=False, unseen=0))
    state = engine.apply(before, ruled)
    assert order(engine, state, state.stop - state.shots)[0].startswith(following)


@pytest.mark.parametrize(
    ("number", "ruled", "fault"),
    [
        (0, shot("A", 1, 15, opens=True, unseen=1), "C14: a round opened by shot 1; expected its first shot"),
        (1, shot("C", 2, "ditch", opens=True), "C14: a round opened by shot 2; expected its first shot"),
        (1, shot("C", 2, "ditch", unseen=-1), "C14: -1 shots before it unseen; expected a number from 0"),
        (
            3,
            shot("A", 4, "ditch", unseen=1),
            "C15: a shot by A after the last disc; expected the round to be recorded first",
        ),
    ],
)
def test_c14_a_ruling_on_the_turn_that_can_not_be(number: int, ruled: Shot, fault: str) -> None:
    engine = Crokinole({"discs": 2, "first": "A"})
    state = play(engine, *[shot("ACAC"[i], i + 1, "ditch") for i in range(number)])
    assert message(engine, state, ruled).startswith(fault)


def test_c14_rounds_after_a_ruling_on_who_opens_go_on_from_it() -> None:
    engine = Crokinole({"discs": 1, "first": "A"})
    state = play(engine, shot("A", 1, "ditch"), shot("C", 2, "ditch"), Recorded())
    state = play(engine, shot("A", 1, "ditch", opens=True), shot("C", 2, "ditch"), Recorded(), start=state)
    assert ([done.first for done in state.played], state.on_turn) == (["A", "A"], ("C",))


def test_c21_four_players_clockwise_and_the_opening_moves_clockwise() -> None:
    assert whole_rounds({"players": "4"}, 5) == ["ABCD" * 6, "BCDA" * 6, "CDAB" * 6, "DABC" * 6, "ABCD" * 6]
    assert whole_rounds({"players": 4, "first": "D"}, 2) == ["DABC" * 6, "ABCD" * 6]


def test_c21_partners_are_one_side() -> None:
    engine = Crokinole({"players": "4"})
    state = play(engine, shot("A", 1, 15), shot("B", 2, 5, (1,)))
    # C's disc touches A's only: a friend, so C missed
    missed = play(engine, shot("C", 3, 15, (1,)), start=state)
    assert missed.outcome is not None and missed.outcome.removed == (3, 1)
    assert "C21: a shot by D; expected a shot by C" in message(engine, state, shot("D", 3, 15, (1,)))


def test_c22_two_against_one_sides_alternate_in_shots_and_openings() -> None:
    assert whole_rounds({"players": "2v1"}, 5) == ["ABCB" * 6, "BABC" * 6, "CBAB" * 6, "BCBA" * 6, "ABCB" * 6]
    assert whole_rounds({"players": "2v1", "first": "B"}, 4) == ["BABC" * 6, "ABCB" * 6, "BABC" * 6, "CBAB" * 6]
    assert whole_rounds({"players": "2v1", "first": "C"}, 3) == ["CBAB" * 6, "BCBA" * 6, "ABCB" * 6]
    assert whole_rounds({"players": "2v1", "seats": "BCD"}, 2) == ["BCDC" * 6, "CBCD" * 6]
    assert whole_rounds({"players": "2v1", "seats": ["D", "A", "B"], "first": "A"}, 2) == ["ADAB" * 6, "DABA" * 6]


def test_c22_either_partner_may_follow_the_third_players_opening() -> None:
    engine = Crokinole({"players": "2v1", "first": "B"})
    state = play(engine, shot("B", 1, "ditch"))
    assert engine.legal(state)["seats"] == ["A", "C"]
    swapped = engine.apply(state, shot("C", 2, "ditch"))
    assert order(engine, swapped, 6)[0] == "BABCBA"
    assert engine.legal(swapped)["seats"] == ["B"]
    assert "C22: a shot by B; expected a shot by A" in message(engine, state, shot("B", 2, "ditch"))
    # only on that one shot, and only where the third player opened
    later = engine.apply(engine.apply(state, shot("A", 2, "ditch")), shot("B", 3, "ditch"))
    assert engine.legal(later)["seats"] == ["C"]
    assert "expected a shot by C" in message(engine, later, shot("A", 4, "ditch"))
    pair_first = Crokinole({"players": "2v1", "first": "A"})
    opened = play(pair_first, shot("A", 1, "ditch"))
    assert pair_first.legal(opened)["seats"] == ["B"]
    assert "expected a shot by B" in message(pair_first, opened, shot("C", 2, "ditch"))
    assert "expected a shot by A" in message(pair_first, pair_first.start(), shot("C", 1, "ditch"))


def test_c22_partners_share_a_side_and_the_difference_counts() -> None:
    engine = Crokinole({"players": "2v1"})
    assert engine.setup.side_of == (0, 1, 0)
    assert engine.setup.discs == (6, 12, 6)
    assert engine.score(results(engine, "55/1 40/0")) == {"black": 15, "natural": 0}


def test_c23_each_alone_clockwise() -> None:
    assert whole_rounds({"players": "3"}, 4) == ["ABC" * 12, "BCA" * 12, "CAB" * 12, "ABC" * 12]
    assert whole_rounds({"players": "3", "seats": ("B", "D", "A")}, 1) == ["BDA" * 12]


def test_c23_no_other_disc_is_friendly() -> None:
    engine = Crokinole({"players": "3"})
    state = play(engine, shot("A", 1, 15), shot("B", 2, 5, (1,)), shot("C", 3, 5, (2,)))
    assert board(state) == {1: 15, 2: 5, 3: 5}
    assert state.outcome is not None and state.outcome.valid
    assert "C23: a shot by B; expected a shot by A" in message(engine, state, shot("B", 4, 5, (1,)))


@pytest.mark.parametrize(
    ("points", "gained"),
    [
        ("60/0 40/0 20/0", (2, 1, 0)),
        ("20/0 60/0 40/0", (0, 2, 1)),
        ("60/0 60/0 20/0", (1, 1, 0)),
        ("20/0 60/0 60/0", (0, 1, 1)),
        ("60/0 20/0 60/0", (1, 0, 1)),
        ("60/0 20/0 20/0", (2, 0, 0)),
        ("20/0 20/0 60/0", (0, 0, 2)),
        ("20/0 20/0 20/0", (0, 0, 0)),
    ],
)
def test_c23_scores_of_a_round(points: str, gained: tuple[int, ...]) -> None:
    for preset in ("family", "match-play"):
        assert results(Crokinole({"players": "3", "preset": preset}), points).score == gained


def test_c23_to_8_and_all_three_play_deciding_rounds() -> None:
    engine = Crokinole({"players": "3"})
    win, tie = "60/0 40/0 20/0", "60/0 60/0 20/0"
    assert engine.winners(results(engine, win, win, win, win)) == ["black"]
    level = results(engine, *[tie] * 8)
    assert (level.score, level.over, level.deciding) == ((8, 8, 0), False, True)
    decided = play(engine, Result((20, 40, 60), (0, 0, 0)), start=level)
    assert (decided.score, engine.winners(decided)) == ((8, 9, 2), ["natural"])
    assert decided.played[-1].deciding
    assert message(engine, decided, Result((20, 40, 60), (0, 0, 0))).startswith("C23: a round after the game")


# C15, C16, C17, C18


ROUND = {"discs": 1, "rounds": 2}


def test_c15_nothing_but_recording_after_the_last_disc() -> None:
    engine = Crokinole(ROUND)
    state = play(engine, shot("A", 1, 15), shot("C", 2, 5, (1,)))
    assert engine.legal(state) == {
        "round": 1, "deciding": False, "hammer": "C", "events": ["recorded"], "open_values": []
    }  # fmt: skip
    end = " (round 1, all 2 discs shot, not yet recorded; score black 0, natural 0)"
    assert message(engine, state, shot("A", 3, 15)) == (
        "C15: a shot by A after the last disc; expected the round to be recorded first" + end
    )
    assert message(engine, state, Result((15, 5), (0, 0))) == (
        "C15: a result by hand in a round with shots; expected the round recorded from its board" + end
    )


def test_c15_a_round_is_recorded_after_all_its_shots() -> None:
    engine = Crokinole(ROUND)
    assert message(engine, play(engine, shot("A", 1, 15)), Recorded()) == (
        "C15: a round recorded after 1 shots; expected all 2 shots first"
        " (round 1, shot 2 of 2, C (natural) to shoot; score black 0, natural 0)"
    )


def test_c15_a_value_stays_as_it_lay() -> None:
    engine = Crokinole(ROUND)
    state = play(engine, shot("A", 1, 15), shot("C", 2, 5, (1,)))
    assert "C15: disc 1 counted as 10; expected 15, as it lay after the last shot" in message(
        engine, state, Recorded(values=(Counted(1, 10),))
    )
    assert "C15: disc 9 counted, which is not on the board; expected the discs as they lay" in message(
        engine, state, Recorded(values=(Counted(9, 10),))
    )
    assert engine.apply(state, Recorded(values=(Counted(1, 15),))).score == (10, 0)


def test_c16_c17_points_are_the_discs_on_the_board_and_20_for_each_twenty() -> None:
    engine = Crokinole({"discs": 3, "rounds": 2})
    events: list[Event] = [shot("A", 1, 20), shot("C", 2, 15), shot("A", 3, 10, (2,)), shot("C", 4, 20, (3,))]
    state = play(engine, *events, shot("A", 5, 5, (2,)), shot("C", 6, "lean", (5,)))
    assert board_points(state) == (35, 50)
    assert message(engine, state, Recorded((35, 45))).startswith(
        "C17: points (35, 45); expected (35, 50), as the board shows (round 1, all 6 discs shot"
    )
    done = engine.apply(state, Recorded((35, 50)))
    assert done.played == (RoundResult(1, "A", "C", (35, 50), (1, 1), (0, 15), False, False, False),)
    assert (done.board, done.out, done.twenties, done.match_twenties, done.shots) == ((), (), (0, 0), (1, 1), 0)
    assert (done.round, done.outcome, done.stop) == (2, None, 6)


def test_c17_partners_discs_add_up() -> None:
    engine = Crokinole({"players": "4", "discs": 2})
    state = play(engine, shot("A", 1, 15), shot("B", 2, 10, (1,)), shot("C", 3, 5, (2,)), shot("D", 4, 20, (1,)))
    assert board_points(state) == (20, 30)


def test_c18_the_difference_goes_to_the_better_side() -> None:
    engine = Crokinole()
    assert engine.score(results(engine, "55/1 40/0")) == {"black": 15, "natural": 0}
    assert engine.score(results(engine, "55/1 40/0", "20/1 60/0")) == {"black": 15, "natural": 40}
    assert engine.score(results(engine, "55/1 55/0")) == {"black": 0, "natural": 0}


# C9, C17: a result by hand


@pytest.mark.parametrize(
    ("points", "twenties", "faults"),
    [
        ((42, 0), (0, 0), "C17: 42 points for black; expected a multiple of 5"),
        ((10, 0), (1, 0), "C17: 10 points with 1 twenties for black; expected 20 to 185"),
        ((0, 185), (0, 0), "C17: 185 points with 0 twenties for natural; expected 0 to 180"),
        ((0, -5), (0, 0), "C17: -5 points with 0 twenties for natural; expected 0 to 180"),
        ((0, 260), (0, 13), "C9: 13 twenties for natural; expected 0 to 12, as many as it has discs / "
                            "C17: 260 points with 13 twenties for natural; expected 260 to 245"),
        ((0, 0), (0, -1), "C9: -1 twenties for natural; expected 0 to 12, as many as it has discs"),
        ((1, 0), (13, 0), "C9: 13 twenties for black; expected 0 to 12, as many as it has discs / "
                          "C17: 1 points for black; expected a multiple of 5 / "
                          "C17: 1 points with 13 twenties for black; expected 260 to 245"),
        ((5,), (0, 0), "C17: points for 1 sides; expected one number for each of 2"),
        ((5, 5, 5), (0, 0, 0), "C17: points for 3 sides; expected one number for each of 2 / "
                               "C17: twenties for 3 sides; expected one number for each of 2"),
    ],
)  # fmt: skip
def test_c17_a_result_that_can_not_be(points: tuple[int, ...], twenties: tuple[int, ...], faults: str) -> None:
    engine = Crokinole({"first": "A"})
    got = message(engine, engine.start(), Result(points, twenties))
    if points != (0, 0):
        assert got == faults + " (round 1, shot 1 of 24, A (black) to shoot; score black 0, natural 0)"
    else:
        assert got.startswith(faults)


@pytest.mark.parametrize("text", ["0/0 180/0", "20/1 185/1", "240/12 0/0"])
def test_c17_the_least_and_the_most_that_can_be(text: str) -> None:
    engine = Crokinole()
    assert results(engine, text).played[0].by_hand


def test_c17_a_result_by_hand_opens_the_next_round() -> None:
    state = results(Crokinole(), "55/1 40/0")
    assert state.played == (RoundResult(1, "A", "C", (55, 40), (1, 0), (15, 0), False, False, True),)
    assert (state.round, state.cycle, state.match_twenties) == (2, (1, 0), (1, 0))


# C19, C20


def test_c19_to_100() -> None:
    engine = Crokinole()
    state = results(engine, "100/5 5/0")
    assert (state.score, state.over, engine.winners(state)) == ((95, 0), False, None)
    state = play(engine, Result((10, 5), (0, 0)), start=state)
    assert (state.score, state.over, state.winner, engine.winners(state)) == ((100, 0), True, 0, ["black"])
    assert engine.legal(state) == {"events": []}
    for event, what in (
        (shot("A", 1, 15), "a shot by A after the game; expected no more shots"),
        (Recorded(), "a round recorded after the game; expected no more rounds"),
        (Result((5, 0), (0, 0)), "a round after the game; expected no more rounds"),
    ):
        assert message(engine, state, event) == f"C19: {what} (game over, won by black; score black 100, natural 0)"
    assert state.round == 2 and state.outcome is None and state.twenties == (0, 0)


def test_c19_the_last_board_stays_to_be_looked_at() -> None:
    engine = Crokinole({"discs": 2, "rounds": 1})
    events = (shot("A", 1, 20), shot("C", 2, 15), shot("A", 3, 5, (2,)), shot("C", 4, 10, (3,)))
    state = play(engine, *events[:2], shot("A", 3, 10, (2,)), events[3], Recorded())
    assert (state.over, state.twenties, state.match_twenties, state.outcome) == (True, (0, 0), (1, 0), None)
    assert (board(state), state.score) == ({2: 15, 3: 10, 4: 10}, (5, 0))


def test_c19_another_number_or_a_fixed_number_of_rounds() -> None:
    assert results(Crokinole({"target": 15}), "55/1 40/0").over
    two = Crokinole({"rounds": 2})
    state = results(two, "55/1 40/0")
    assert not state.over and not state.deciding
    assert two.winners(results(two, "180/0 0/0", "20/0 25/0")) == ["black"]


def test_c19_deciding_rounds_until_one_decides() -> None:
    engine = Crokinole({"rounds": 1})
    state = results(engine, "40/0 40/0")
    assert (state.over, state.deciding, engine.legal(state)["deciding"]) == (False, True, True)
    state = play(engine, Result((5, 5), (0, 0)), start=state)
    assert (state.over, state.deciding) == (False, True)
    state = play(engine, Result((5, 20), (0, 1)), start=state)
    assert (state.over, state.deciding, state.winner) == (True, False, 1)
    assert [done.deciding for done in state.played] == [False, True, True]


def test_c20_match_play_gives_2_1_0_and_goes_to_8() -> None:
    engine = Crokinole({"preset": "match-play"})
    assert results(engine, "55/1 40/0").score == (2, 0)
    assert results(engine, "40/0 55/0").score == (0, 2)
    assert results(engine, "40/0 40/0").score == (1, 1)
    assert engine.winners(results(engine, *["5/0 0/0"] * 4)) == ["black"]
    assert engine.winners(results(engine, *["5/0 5/0"] * 7)) is None
    assert message(engine, results(engine, *["5/0 0/0"] * 4), Recorded()).startswith("C20: ")


def test_c20_tie_at_8_is_played_off_scored_as_usual() -> None:
    engine = Crokinole({"preset": "match-play"})
    tied = results(engine, *["5/0 5/0"] * 8)
    assert (tied.score, tied.over, tied.deciding) == ((8, 8), False, True)
    nine = play(engine, Result((5, 5), (0, 0)), start=tied)
    assert (nine.score, nine.over) == ((9, 9), False)
    assert engine.winners(play(engine, Result((0, 5), (0, 0)), start=nine)) == ["natural"]


# C24, C25


def test_c24_nca_discs_and_rounds() -> None:
    singles, doubles = Crokinole({"preset": "nca"}), Crokinole({"preset": "nca", "players": "4"})
    assert (singles.setup.discs, doubles.setup.discs) == ((8, 8), (6, 6, 6, 6))
    assert (singles.setup.rounds, singles.setup.target) == (4, None)
    state = results(singles, "5/0 0/0", "5/0 0/0", "5/0 0/0")
    assert (state.score, state.over) == ((6, 0), False)
    assert singles.winners(play(singles, Result((0, 5), (0, 0)), start=state)) == ["black"]


def test_c24_first_to_a_number() -> None:
    engine = Crokinole({"preset": "nca", "target": 5})
    assert engine.setup.rounds is None
    assert not results(engine, "5/0 0/0", "5/0 0/0").over
    assert results(engine, "5/0 0/0", "5/0 0/0", "5/0 5/0").winner == 0


def test_c24_twenties_break_a_tied_match_else_it_is_a_draw() -> None:
    engine = Crokinole({"preset": "nca", "rounds": 2})
    assert results(engine, "20/1 0/0", "0/0 5/0").winner == 0
    assert results(engine, "5/0 0/0", "0/0 20/1").winner == 1
    draw = results(engine, "20/1 0/0", "0/0 20/1")
    assert (draw.over, draw.winner, engine.winners(draw)) == (True, None, ["black", "natural"])
    assert message(engine, draw, Recorded()) == (
        "C24: a round recorded after the game; expected no more rounds (game over, a draw; score black 2, natural 2)"
    )
    # the twenties of the loser of the match don't matter
    assert results(engine, "5/0 0/0", "40/0 40/2").winner == 0


def test_c24_who_shoots_last_has_the_hammer() -> None:
    for options, seats in (
        ({}, "CAC"),
        ({"players": "4"}, "DABC"),
        ({"players": "2v1"}, "BCBA"),
        ({"players": "3"}, "CABC"),
    ):
        engine = Crokinole({"first": "A", **options, "rounds": 9})
        state, seen = engine.start(), ""
        for _ in seats:
            seen += hammer(state)
            assert engine.legal(state)["hammer"] == hammer(state)
            state = engine.apply(state, Result((5,) * len(state.score), (0,) * len(state.score)))
        assert seen == seats
        assert "".join(done.hammer for done in state.played) == seats


def test_c25_time_out_gives_the_side_with_fewer_shots_one_more() -> None:
    engine = Crokinole({"preset": "nca"})
    state = play(engine, shot("A", 1, 15), TimeOut())
    assert (state.shots, state.stop) == (1, 2)
    assert engine.legal(state)["events"] == ["shot"]
    assert "C25: a second time-out in one round; expected one more shot, then the count" in message(
        engine, state, TimeOut()
    )
    state = play(engine, shot("C", 2, 5, (1,)), start=state)
    assert engine.legal(state)["events"] == ["recorded"]
    state = play(engine, Recorded((15, 5)), start=state)
    assert (state.score, state.played[0].timed_out, state.stop) == ((2, 0), True, 16)


def test_c25_time_out_at_equal_shots_ends_the_round() -> None:
    engine = Crokinole({"preset": "nca"})
    state = play(engine, shot("A", 1, 15), shot("C", 2, 5, (1,)), TimeOut())
    assert state.stop == 2
    assert message(engine, state, TimeOut()).startswith(
        "C15: a time-out after the last disc; expected the round to be recorded first"
    )
    assert play(engine, Recorded(), start=state).score == (2, 0)
    assert play(engine, TimeOut(), Recorded()).score == (1, 1)


def test_c25_time_out_in_doubles_goes_to_the_next_seat() -> None:
    engine = Crokinole({"preset": "nca", "players": "4"})
    state = play(engine, shot("A", 1, 15), shot("B", 2, 5, (1,)), shot("C", 3, 5, (2,)), TimeOut())
    assert (engine.legal(state)["seats"], state.stop) == (["D"], 4)


def test_c25_only_nca_knows_time_outs() -> None:
    engine = Crokinole({"first": "A"})
    assert message(engine, engine.start(), TimeOut()) == (
        "C25: a time-out in the preset family; expected time-outs in the preset nca only"
        " (round 1, shot 1 of 24, A (black) to shoot; score black 0, natural 0)"
    )
    nca = Crokinole({"preset": "nca", "rounds": 1})
    over = results(nca, "5/0 0/0")
    assert message(nca, over, TimeOut()).startswith("C24: a time-out after the game; expected no more events (")
    waiting = play(nca, shot("A", 1, "10u"))
    assert message(nca, waiting, TimeOut()).startswith(
        "C26: a time-out before a ruling; expected C7: does disc 1 lie inside the 15 circle or touch its line? ("
    )


def test_c25_points_are_counted_before_a_disc_is_moved() -> None:
    engine = Crokinole({"preset": "nca", "discs": 1})
    state = play(engine, shot("A", 1, 15), shot("C", 2, 5, (1,)))
    assert message(engine, state, shot("C", 3, 15)).startswith("C15: ")


# C26


def test_c26_an_open_value_is_ruled_when_the_round_is_recorded() -> None:
    engine = Crokinole(ROUND)
    state = play(engine, shot("A", 1, 15), shot("C", 2, (5, 10), (1,)))
    assert board_points(state) is None
    assert engine.legal(state)["open_values"] == [2]
    assert "C26: the value of disc 2 is open; expected a ruling on it" in message(engine, state, Recorded())
    assert "C26: disc 2 counted as 15; expected one of (5, 10)" in message(
        engine, state, Recorded(values=(Counted(2, 15),))
    )
    assert engine.apply(state, Recorded(values=(Counted(2, 10),))).played[0].points == (15, 10)
    assert engine.apply(state, Recorded((15, 5), (Counted(2, 5),))).played[0].points == (15, 5)


def test_c26_nothing_goes_on_before_the_ruling() -> None:
    engine = Crokinole(ROUND)
    waiting = play(engine, shot("A", 1, "10u"))
    todo = engine.legal(waiting)
    assert todo["events"] == ["shot"]
    assert todo["rule"] == ["C7: does disc 1 lie inside the 15 circle or touch its line?"]
    assert message(engine, waiting, Recorded()).startswith(
        "C26: a round recorded before a ruling; expected C7: does disc 1"
    )
    assert message(engine, waiting, Result((5, 5), (0, 0))).startswith("C15: ")
    assert message(engine, waiting, shot("A", 2, 15)).startswith(
        "C26: disc 2 shot by A; expected a ruling first: C7: does disc 1 lie inside"
    )
    nca = Crokinole({"preset": "nca"})
    assert nca.legal(play(nca, shot("A", 1, "10u")))["events"] == ["shot"]


# what comes next, and the sheet


def test_legal_names_seat_task_and_discs_left() -> None:
    engine = Crokinole({"preset": "nca", "first": "A"})
    assert engine.legal(engine.start()) == {
        "round": 1,
        "deciding": False,
        "hammer": "C",
        "events": ["shot", "result", "time_out"],
        "seats": ["A"],
        "side": "black",
        "shot": 1,
        "of": 16,
        "discs_left": 8,
        "must": "C7",
        "task": "leave a disc in the hole, inside the 15 circle or touching it",
        "rule": [],
    }
    after = engine.legal(play(engine, shot("A", 1, 15), shot("C", 2, 5, (1,)), shot("A", 3, 5, (2,))))
    assert (after["events"], after["seats"], after["side"]) == (["shot", "time_out"], ["C"], "natural")
    assert (after["shot"], after["discs_left"], after["must"]) == (4, 7, "C8")
    assert after["task"] == "touch an opposing disc"
    alone = engine.legal(play(engine, shot("A", 1, 15), shot("C", 2, 5)))
    assert alone["must"] == "C7", "only own discs lie there"
    assert Crokinole().legal(Crokinole().start())["events"] == ["shot", "result"]


def test_sheet_lists_rounds_with_running_scores() -> None:
    engine = Crokinole()
    assert engine.sheet(results(engine, "55/1 40/0", "20/1 60/0")) == [
        ["round", "shoots first", "shoots last (hammer)", "points black", "points natural", "twenties black",
         "twenties natural", "gained black", "gained natural", "score black", "score natural"],
        [1, "A", "C", 55, 40, 1, 0, 15, 0, 15, 0],
        [2, "C", "A", 20, 60, 1, 0, 0, 40, 15, 40],
    ]  # fmt: skip


def test_events_of_a_round_survive_json() -> None:
    engine = Crokinole()
    events: list[tuple[Event, dict[str, Any]]] = [
        (Recorded(), {"kind": "recorded"}),
        (Recorded((5, 0), (Counted(1, 5),)), {"kind": "recorded", "points": [5, 0], "values": [{"id": 1, "value": 5}]}),
        (Result((5, 0), (0, 0)), {"kind": "result", "points": [5, 0], "twenties": [0, 0]}),
        (TimeOut(), {"kind": "time_out"}),
    ]
    for event, data in events:
        assert engine.event_to_json(event) == data
        assert engine.event_from_json(data) == event
    assert isinstance(
        engine.event_from_json({"kind": "shot", "seat": "A", "disc": 1, "touched": None, "rests": []}), Shot
    )

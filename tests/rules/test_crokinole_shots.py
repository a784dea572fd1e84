"""Crokinole, one shot: C4a-C13, C16, C25, C26."""

from typing import Any

import pytest
from tables import board, play, rest, shot

from referee.rules.crokinole import Crokinole, Outcome, Recorded, Rest, Shot, State
from referee.rules.protocol import RuleError

FAMILY = Crokinole()
NCA = Crokinole({"preset": "nca"})
# A has one disc at 10 (1) and one at 15 (3); C has one at 5 (2) and is on turn
OPENING = (shot("A", 1, 15), shot("C", 2, 5, (1,), d1=10), shot("A", 3, 15, (2,)))


def outcome(state: State) -> Outcome:
    assert state.outcome is not None
    return state.outcome


def after(*events: Any, engine: Crokinole = FAMILY) -> State:
    return play(engine, *OPENING, *events)


def clauses(engine: Crokinole, state: State, event: Any) -> list[str]:
    with pytest.raises(RuleError) as caught:
        engine.apply(state, event)
    return [fault.clause for fault in caught.value.faults]


# C7: the open board


@pytest.mark.parametrize("place", [20, 15, "lean", "10i"])
def test_c7_open_board_shot_reaching_the_15_is_valid(place: Any) -> None:
    state = play(FAMILY, shot("A", 1, place))
    assert (outcome(state).valid, outcome(state).rule, outcome(state).removed) == (True, None, ())


@pytest.mark.parametrize("place", [10, 5])
def test_c7_open_board_shot_outside_is_removed(place: Any) -> None:
    state = play(FAMILY, shot("A", 1, place))
    assert outcome(state) == Outcome("A", 1, False, "open_board_outside_15", (1,))
    assert state.board == ()
    assert state.out == (1,)
    assert state.shots == 1


def test_c7_open_board_shot_into_the_ditch_left_by_itself() -> None:
    assert outcome(play(FAMILY, shot("A", 1, "ditch"))) == Outcome("A", 1, False, "open_board_outside_15", (), (1,))


def test_c7_shot_at_the_shooting_line_is_removed_once() -> None:
    assert outcome(play(FAMILY, shot("A", 1, 0))) == Outcome("A", 1, False, "open_board_outside_15", (1,))


# A's 1 and 3 alone on the board: C always leaves by itself
OWN_ONLY = (shot("A", 1, 15), shot("C", 2, "ditch", (1,), d1="10i"), shot("A", 3, 15), shot("C", 4, "ditch", (3,)))


def test_c7_own_disc_touched_and_inside_makes_it_valid_though_unmoved() -> None:
    state = play(FAMILY, *OWN_ONLY, shot("A", 5, 5, (1,)))
    assert outcome(state).valid is True
    assert board(state) == {1: 10, 3: 15, 5: 5}


def test_c7_own_disc_inside_that_was_not_touched_does_not_help() -> None:
    state = play(FAMILY, *OWN_ONLY, shot("A", 5, 5))
    assert outcome(state) == Outcome("A", 5, False, "open_board_outside_15", (5,))
    assert board(state) == {1: 10, 3: 15}


def test_c7_shot_disc_and_all_touched_own_discs_are_removed() -> None:
    state = play(FAMILY, *OWN_ONLY, shot("A", 5, 10, (3, 1), d3=10, d1=5))
    assert outcome(state) == Outcome("A", 5, False, "open_board_outside_15", (5, 3, 1))
    assert state.board == ()


def test_c7_unmoved_touched_own_disc_is_removed_as_well() -> None:
    start = play(FAMILY, shot("A", 1, 15), shot("C", 2, "ditch", (1,), d1=10))
    state = play(FAMILY, shot("A", 3, 10, (1,)), start=start)
    assert outcome(state).removed == (3, 1)
    assert state.out == (2, 3, 1)


def test_c7_touched_own_disc_knocked_into_the_hole_makes_it_valid() -> None:
    state = play(FAMILY, *OWN_ONLY, shot("A", 5, 5, (3,), d3=20))
    assert outcome(state).valid is True
    assert outcome(state).twenties == ((3, 0),)
    assert board(state) == {1: 10, 5: 5}


def test_c7_own_disc_that_moved_untouched_is_not_removed() -> None:
    state = play(FAMILY, *OWN_ONLY, shot("A", 5, 5, (3,), d3=10, d1=5))
    assert outcome(state).removed == (5, 3)
    assert board(state) == {1: 5}


def test_c7_valid_shot_may_still_lose_discs_on_the_shooting_line() -> None:
    state = play(FAMILY, *OWN_ONLY, shot("A", 5, 0, (1, 3), d1=15, d3=0))
    assert outcome(state) == Outcome("A", 5, True, None, (5, 3))


# C8: an opposing disc on the surface


def test_c8_touching_an_opposing_disc_is_valid_wherever_the_shot_disc_stops() -> None:
    state = after(shot("C", 4, 5, (3,), d3="ditch"))
    assert outcome(state) == Outcome("C", 4, True, None, (), (3,))
    assert board(state) == {1: 10, 2: 5, 4: 5}


def test_c8_touch_without_movement_counts() -> None:
    assert outcome(after(shot("C", 4, 5, (1,)))).valid is True


def test_c8_missed_opponent_takes_the_shot_disc() -> None:
    state = after(shot("C", 4, 15))
    assert outcome(state) == Outcome("C", 4, False, "missed_opponent", (4,))
    assert board(state) == {1: 10, 2: 5, 3: 15}


def test_c8_missed_opponent_takes_touched_own_discs_too() -> None:
    state = after(shot("C", 4, 15, (2,)))
    assert outcome(state) == Outcome("C", 4, False, "missed_opponent", (4, 2))
    assert board(state) == {1: 10, 3: 15}


def test_c8_through_an_own_disc_is_valid() -> None:
    assert outcome(after(shot("C", 4, 15, (2, 1), d2=10))).valid is True


def test_c8_twenty_of_a_shot_that_missed_is_void() -> None:
    state = after(shot("C", 4, 20))
    assert outcome(state) == Outcome("C", 4, False, "missed_opponent", (4,))
    assert state.twenties == (0, 0)


def test_c8_touched_own_disc_in_the_hole_is_void_on_a_miss() -> None:
    state = after(shot("C", 4, 5, (2,), d2=20))
    assert outcome(state).removed == (4, 2)
    assert (outcome(state).twenties, state.twenties) == ((), (0, 0))


def test_c8_void_disc_in_the_ditch_counts_as_left_by_itself() -> None:
    state = after(shot("C", 4, "ditch", (2,), d2="ditch"))
    assert outcome(state) == Outcome("C", 4, False, "missed_opponent", (), (4, 2))


def test_c8_own_disc_moved_by_an_opposing_one_is_not_touched_and_stays() -> None:
    # disc 2 was pushed by disc 1, which the shot disc hit: valid, nobody is removed
    state = after(shot("C", 4, 10, (1,), d1=5, d2=15))
    assert outcome(state).removed == ()
    assert board(state) == {1: 5, 2: 15, 3: 15, 4: 10}


def test_c8_contacts_named_twice_are_one_contact() -> None:
    assert outcome(after(shot("C", 4, 15, (2, 2)))).removed == (4, 2)


def test_c8_leaning_opposing_disc_is_on_the_surface() -> None:
    state = play(FAMILY, shot("A", 1, "lean"), shot("C", 2, 15))
    assert outcome(state).rule == "missed_opponent"


def test_c8_taken_twenty_leaves_an_open_board() -> None:
    state = play(FAMILY, shot("A", 1, 20), shot("C", 2, 15))
    assert (outcome(state).valid, state.twenties) == (True, (1, 0))


def test_c8_a_foul_outside_nca_changes_nothing() -> None:
    state = after(shot("C", 4, 5, (3,), foul="C6"))
    assert outcome(state) == Outcome("C", 4, True, None, foul="C6")


# C9


def test_c9_twenty_counts_for_its_owner_whoever_shot() -> None:
    state = after(shot("C", 4, 20, (1,), d1=20))
    assert outcome(state).twenties == ((4, 1), (1, 0))
    assert state.twenties == (1, 1)
    assert board(state) == {2: 5, 3: 15}
    assert state.out == (4, 1)


def test_c9_opposing_disc_pushed_in_counts_even_if_the_shot_disc_leaves() -> None:
    state = after(shot("C", 4, "ditch", (1,), d1=20))
    assert state.twenties == (1, 0)


def test_c9_leaning_disc_counts_15_and_stays() -> None:
    state = play(FAMILY, shot("A", 1, "lean"))
    assert board(state) == {1: 15}
    assert state.board[0].state == "leaning"
    assert state.twenties == (0, 0)


def test_c9_twenties_add_up_over_the_round() -> None:
    state = play(FAMILY, shot("A", 1, 20), shot("C", 2, 20), shot("A", 3, 20))
    assert state.twenties == (2, 1)


# C10, C11, C12


def test_c9_no_own_disc_counts_on_a_shot_that_missed() -> None:
    # disc 2 fell in though nobody saw what touched it
    state = after(shot("C", 4, 5, (), d2=20))
    assert outcome(state) == Outcome("C", 4, False, "missed_opponent", (4, 2))
    assert state.twenties == (0, 0)
    assert play(NCA, *OPENING, shot("C", 4, 5, (), d2=20)).twenties == (0, 0)


def test_c10_disc_on_the_shooting_line_is_removed_though_the_shot_is_valid() -> None:
    state = after(shot("C", 4, 0, (1,), d1=0, d3=0))
    assert outcome(state) == Outcome("C", 4, True, None, (4, 1, 3))
    assert board(state) == {2: 5}


def test_c11_disc_that_left_the_surface_is_out() -> None:
    state = after(shot("C", 4, 10, (1,), d1="ditch"))
    assert outcome(state).ditched == (1,)
    assert state.out == (1,)


def test_c11_disc_that_bounced_back_is_removed_but_the_shot_may_be_valid() -> None:
    state = after(shot("C", 4, "back", (1,)))
    assert outcome(state) == Outcome("C", 4, True, None, (4,))


def test_c11_disc_that_bounced_back_does_not_reach_the_15() -> None:
    state = play(FAMILY, shot("A", 1, "back"))
    assert outcome(state) == Outcome("A", 1, False, "open_board_outside_15", (1,))


def test_c11_disturbed_discs_go_back_to_where_they_were() -> None:
    state = after(shot("C", 4, "back", (), d1="ditch", d3=20, disturbed=(1, 3)))
    assert outcome(state) == Outcome("C", 4, False, "missed_opponent", (4,))
    assert board(state) == {1: 10, 2: 5, 3: 15}


def test_c11_a_disturbed_disc_need_not_have_a_place() -> None:
    assert board(after(shot("C", 4, "back", (1,), disturbed=(3,)))) == {1: 10, 2: 5, 3: 15}


def test_c11_another_disc_may_bounce_back() -> None:
    state = after(shot("C", 4, 10, (3,), d3="back", d1=5, disturbed=(1,)))
    assert outcome(state) == Outcome("C", 4, True, None, (3,))
    assert board(state) == {1: 10, 2: 5, 4: 10}


def test_c12_a_disc_that_is_out_stays_out() -> None:
    gone = after(shot("C", 4, 10, (1,), d1="ditch"))
    assert clauses(FAMILY, gone, shot("A", 5, 10, (2,), d1=10)) == ["C12"]
    assert clauses(FAMILY, gone, shot("A", 1, 10, (2,))) == ["C12"]
    for event, text in (
        (
            shot("A", 5, 10, (1,)),
            "C12: disc 1 touched, which is out since an earlier shot; expected discs still in this round",
        ),
        (shot("A", 1, 10, (2,)), "C12: disc 1 shot again; expected a disc that has not been out in this round"),
    ):
        with pytest.raises(RuleError) as caught:
            FAMILY.apply(gone, event)
        assert str(caught.value).split(" (")[0] == text
    assert clauses(FAMILY, gone, shot("A", 5, 10, (1,))) == ["C12"]
    assert clauses(FAMILY, gone, shot("A", 5, "back", (2,), disturbed=(1,))) == ["C12"]


def test_c12_taken_twenties_and_removed_discs_are_out_as_well() -> None:
    state = after(shot("C", 4, 20, (1,)), shot("A", 5, 10))
    assert state.out == (4, 5)
    assert clauses(FAMILY, state, shot("C", 4, 10, (1,))) == ["C12"]
    assert clauses(FAMILY, state, shot("C", 5, 10, (1,))) == ["C12"]


# C16


def test_c16_values_on_the_board_count_as_they_lie() -> None:
    state = after(shot("C", 4, 5, (1,), d1=15, d2=10))
    assert board(state) == {1: 15, 2: 10, 3: 15, 4: 5}


def test_c16_a_disc_not_named_keeps_its_place_and_order() -> None:
    assert [disc.id for disc in after(shot("C", 4, 5, (1,), d1=5)).board] == [1, 2, 3, 4]


# C25: nca


def test_c25_invalid_shot_takes_every_disc_it_struck_twenties_too() -> None:
    state = play(NCA, *OPENING, shot("C", 4, 20, (1, 2, 3), d1=20, d2=10, foul="C5"))
    assert outcome(state) == Outcome("C", 4, True, None, (4, 1, 2, 3), foul="C5")
    assert (state.board, state.twenties) == ((), (0, 0))


def test_c25_missed_shot_takes_the_own_discs_it_struck() -> None:
    assert outcome(play(NCA, *OPENING, shot("C", 4, 20, (2,)))).removed == (4, 2)


def test_c25_valid_shot_takes_nothing() -> None:
    assert outcome(play(NCA, *OPENING, shot("C", 4, 20, (1, 2)))) == Outcome("C", 4, True, None, twenties=((4, 1),))


# C26: what isn't known


def test_c25_a_disc_that_spun_back_by_itself_is_still_in() -> None:
    # it crossed the shooting line and touched nothing out there: it lies on the board like any other
    assert board(play(NCA, *OPENING, shot("C", 4, 5, (1,))))[4] == 5


def test_c26_unknown_touch_waits_for_a_ruling_and_changes_nothing() -> None:
    before = play(FAMILY, *OPENING)
    state = play(FAMILY, shot("C", 4, 15, None), start=before)
    assert outcome(state) == Outcome("C", 4, None, None, undecided=("C8: which discs did disc 4 touch?",))
    assert state._replace(outcome=before.outcome) == before
    assert state.undecided == ("C8: which discs did disc 4 touch?",)


def test_c26_the_same_shot_with_the_facts_ruled_goes_on() -> None:
    waiting = after(shot("C", 4, 15, None))
    assert outcome(play(FAMILY, shot("C", 4, 15, (1,)), start=waiting)).valid is True
    assert clauses(FAMILY, waiting, shot("C", 5, 15, (1,))) == ["C26"]
    assert clauses(FAMILY, waiting, shot("A", 4, 15, (1,))) == ["C14", "C26"]


def test_c26_unknown_touch_on_an_open_board() -> None:
    alone = play(FAMILY, shot("A", 1, 10, None))
    assert outcome(alone).rule == "open_board_outside_15", "nothing lay there to be touched"
    own = play(FAMILY, *OWN_ONLY)
    assert outcome(play(FAMILY, shot("A", 5, 15, None), start=own)).valid is True
    unclear = outcome(play(FAMILY, shot("A", 5, 10, None), start=own))
    assert unclear.undecided == ("C7: which discs did disc 5 touch?",)
    nca = play(NCA, *OWN_ONLY, shot("A", 5, 15, None, foul="C5"))
    assert nca.undecided == ("C7: which discs did disc 5 touch?",)
    assert play(NCA, *OWN_ONLY, shot("A", 5, 15, None)).undecided == ()


def test_c26_unknown_inner_contact_waits() -> None:
    state = play(FAMILY, shot("A", 1, "10u"))
    assert state.undecided == ("C7: does disc 1 lie inside the 15 circle or touch its line?",)
    assert outcome(state).valid is None
    # with an opposing disc on the surface nobody asks
    assert after(shot("C", 4, "10u", (1,))).undecided == ()


def test_c26_only_one_inner_contact_has_to_be_sure() -> None:
    assert outcome(play(FAMILY, *OWN_ONLY, shot("A", 5, "10u", (1,)))).valid is True
    both = play(FAMILY, *OWN_ONLY, shot("A", 5, "10u", (3,), d3="10u"))
    assert both.undecided == (
        "C7: does disc 5 lie inside the 15 circle or touch its line?",
        "C7: does disc 3 lie inside the 15 circle or touch its line?",
    )


@pytest.mark.parametrize(
    ("maybe", "valid"), [((15, 20), True), ((0, 5), False), ((10, 15), None), ((5, 10), None), ((5, 10, 15), None)]
)
def test_c26_a_doubtful_value_decides_c7_where_all_its_values_agree(maybe: tuple[int, ...], valid: bool | None) -> None:
    assert outcome(play(FAMILY, shot("A", 1, maybe))).valid is valid


def test_c26_inner_may_be_known_though_the_value_is_not() -> None:
    state = play(FAMILY, Shot("A", 1, (), (Rest(1, inner=True, maybe=(10, 15)),)))
    assert (outcome(state).valid, state.undecided, board(state)) == (True, (), {1: None})


def test_c26_doubt_at_the_shooting_line_or_the_hole_waits() -> None:
    line = after(shot("C", 4, (0, 5), (1,)))
    assert line.undecided == ("C10: does disc 4 touch the shooting line?",)
    assert outcome(line).valid is True
    assert after(shot("C", 4, "?", (1,))).undecided == ("C10: does disc 4 touch the shooting line?",)
    hole = after(shot("C", 4, (15, 20), (1,)))
    assert hole.undecided == ("C9: does disc 4 lie flat in the hole?",)
    assert after(shot("C", 4, (0, 20), (1,))).undecided == (
        "C10: does disc 4 touch the shooting line?",
        "C9: does disc 4 lie flat in the hole?",
    )


def test_c26_what_is_known_already_stands_beside_the_question() -> None:
    missed = after(shot("C", 4, 5, (2,), d2=5, d3="?", foul="C5"))
    assert outcome(missed) == Outcome(
        "C", 4, False, "missed_opponent", foul="C5", undecided=("C10: does disc 3 touch the shooting line?",)
    )


def test_c26_a_sure_contact_counts_whatever_else_is_open() -> None:
    assert outcome(play(FAMILY, Shot("A", 1, (), (Rest(1, inner=True, maybe=(5, 10, 15)),)))).valid is True
    assert outcome(play(FAMILY, Shot("A", 1, (), (Rest(1, inner=False, maybe=(5, 10)),)))).valid is False
    assert outcome(play(FAMILY, Shot("A", 1, (), (Rest(1, inner=True, maybe=(5, 10)),)))).valid is True
    assert outcome(play(FAMILY, Shot("A", 1, (), (Rest(1, inner=False, maybe=(10, 15)),)))).valid is False
    assert outcome(after(Shot("C", 4, (1,), (Rest(4, inner=False, maybe=(0, 5)),)))).undecided
    assert outcome(after(Shot("C", 4, (1,), (Rest(4, inner=True, maybe=(15, 20)),)))).undecided


def test_c26_no_question_about_a_disc_that_is_removed_anyway() -> None:
    state = after(shot("C", 4, (0, 5), (2,), d2=(15, 20)))
    assert (state.undecided, outcome(state).removed) == ((), (4, 2))


def test_c26_doubt_between_board_values_can_wait_for_the_count() -> None:
    state = after(shot("C", 4, (5, 10), (1,)))
    assert (state.undecided, board(state)) == ((), {1: 10, 2: 5, 3: 15, 4: None})
    again = play(FAMILY, shot("A", 5, 15, (2,)), start=state)
    assert board(again)[4] is None
    assert again.board[3].maybe == (5, 10)


# C4a-C6, C13, and everything that can't be


def test_c4a_a_disc_comes_into_play_by_its_shot() -> None:
    assert clauses(FAMILY, play(FAMILY, *OPENING), shot("C", 4, 15, (1,), d9=10)) == ["C6"]


def test_c5_a_shot_needs_a_disc_that_came_to_rest_somewhere() -> None:
    assert clauses(FAMILY, play(FAMILY, *OPENING), Shot("C", 4, (1,), ())) == ["C5"]


def test_c6_nobody_places_a_disc_that_is_not_shot() -> None:
    assert clauses(FAMILY, play(FAMILY, *OPENING), shot("C", 4, 15, (1,), d7=15)) == ["C6"]


def test_c13_a_shot_that_is_taken_back_can_be_repeated() -> None:
    before = play(FAMILY, *OPENING)
    play(FAMILY, shot("C", 4, "ditch"), start=before)
    assert outcome(play(FAMILY, shot("C", 4, 15, (3,)), start=before)).valid is True


POSITION = " (round 1, shot 4 of 24, C (natural) to shoot; score black 0, natural 0)"
FAULTS: list[tuple[Any, str]] = [
    (shot("A", 4, 15, (1,)), "C14: a shot by A; expected a shot by C"),
    (shot("C", 2, 15, (1,)), "C5: disc 2 shot from the surface; expected a disc that has not been shot yet"),
    (Shot("C", 4, (1,), ()), "C5: no place for the shot disc 4; expected where it came to rest"),
    (
        Shot("C", 4, (1,), (rest(4, 15), rest(1, 5), rest(1, 5))),
        "C16: disc 1 at two places; expected one place of rest for a disc",
    ),
    (
        shot("C", 4, 15, (1,), d9=5),
        "C6: disc 9 at rest, which was not on the surface; expected discs on the surface (1, 2, 3)",
    ),
    (
        shot("C", 4, 15, (9,)),
        "C8: disc 9 touched, which was not on the surface; expected discs on the surface (1, 2, 3)",
    ),
    (shot("C", 4, 15, (4,)), "C8: disc 4 touched by itself; expected the other discs that it touched"),
    (
        shot("C", 4, 15, (1,), disturbed=(1,)),
        "C11: discs disturbed, but none bounced back; expected the disc that bounced back",
    ),
    (
        shot("C", 4, "back", (1,), disturbed=(4,)),
        "C11: disc 4 disturbed by its own shot; expected discs that lay on the surface",
    ),
    (
        shot("C", 4, "back", (1,), disturbed=(8,)),
        "C11: disc 8 disturbed, which was not on the surface; expected discs on the surface (1, 2, 3)",
    ),
    (
        shot("C", 4, 15, (1,), d1="back", disturbed=(1,)),
        "C11: disc 1 disturbed and bounced back itself; expected one of the two",
    ),
    (shot("C", 4, 7, (1,)), "C16: disc 4 worth 7; expected 15, 10, 5 or 0"),
    (Shot("C", 4, (1,), (Rest(4, value=20),)), "C9: disc 4 on the board worth 20; expected 20 only flat in the hole"),
    (Shot("C", 4, (1,), (Rest(4, "hole", 15),)), "C9: disc 4 hole worth 15; expected worth 20"),
    (Shot("C", 4, (1,), (Rest(4, "leaning", 20),)), "C9: disc 4 leaning worth 20; expected worth 15"),
    (Shot("C", 4, (1,), (Rest(4, "ditch", 5),)), "C11: disc 4 ditch worth 5; expected worth 0"),
    (Shot("C", 4, (1,), (Rest(4, "hole", inner=False),)), "C7: disc 4 hole, inner False; expected inner True"),
    (Shot("C", 4, (1,), (Rest(4, "leaning", inner=False),)), "C7: disc 4 leaning, inner False; expected inner True"),
    (Shot("C", 4, (1,), (Rest(4, "bounced", inner=True),)), "C7: disc 4 bounced, inner True; expected inner False"),
    (
        Shot("C", 4, (1,), (Rest(4, "leaning", maybe=(15, 20)),)),
        "C9: disc 4 leaning with a doubtful value; expected worth 15",
    ),
    (
        Shot("C", 4, (1,), (Rest(4, "ditch", maybe=(0, 5)),)),
        "C11: disc 4 ditch with a doubtful value; expected worth 0",
    ),
    (Shot("C", 4, (1,), (Rest(4, value=15, inner=False),)), "C7: disc 4 worth 15, inner False; expected inner True"),
    (Shot("C", 4, (1,), (Rest(4, value=5, inner=True),)), "C7: disc 4 worth 5, inner True; expected inner False"),
    (
        Shot("C", 4, (1,), (Rest(4, value=5, maybe=(5, 10)),)),
        "C26: disc 4 both worth 5 and doubtful; expected one of the two",
    ),
    (
        Shot("C", 4, (1,), (Rest(4, inner=True, maybe=(0, 5)),)),
        "C7: disc 4 doubtful among (0, 5), inner True; expected inner False",
    ),
    (
        Shot("C", 4, (1,), (Rest(4, inner=False, maybe=(15, 20)),)),
        "C7: disc 4 doubtful among (15, 20), inner False; expected inner True",
    ),
    (
        Shot("C", 4, (1,), (Rest(4, maybe=(5, 7)),)),
        "C26: disc 4 doubtful among (5, 7); expected two or more of 0, 5, 10, 15, 20",
    ),
    (
        Shot("C", 4, (1,), (Rest(4, maybe=(5, 5)),)),
        "C26: disc 4 doubtful among (5, 5); expected two or more of 0, 5, 10, 15, 20",
    ),
]


@pytest.mark.parametrize(
    ("event", "message"), FAULTS, ids=[f"{m.split(':')[0]}-{i}" for i, (_, m) in enumerate(FAULTS)]
)
def test_what_can_not_be_names_clause_position_and_what_was_expected(event: Shot, message: str) -> None:
    with pytest.raises(RuleError) as caught:
        FAMILY.apply(play(FAMILY, *OPENING), event)
    assert str(caught.value) == message + POSITION


@pytest.mark.parametrize(
    "facts",
    [
        Rest(4, "hole", 20, True),
        Rest(4, "leaning", 15, True),
        Rest(4, "ditch", 0, False),
        Rest(4, "bounced", 0, False),
        Rest(4, "board", 15, True),
        Rest(4, "board", 5, False),
        Rest(4, "board", 0, False),
    ],
)
def test_facts_that_say_the_same_twice_are_fine(facts: Any) -> None:
    assert outcome(after(Shot("C", 4, (1,), (facts,)))).valid is True


def test_all_faults_of_a_shot_are_named_at_once() -> None:
    bad = shot("A", 2, 7, (2, 9), d8=5, disturbed=(1,))
    assert clauses(FAMILY, play(FAMILY, *OPENING), bad) == ["C14", "C5", "C16", "C6", "C8", "C8", "C11"]


def test_c5_empty_board_is_said_so() -> None:
    with pytest.raises(RuleError, match=r"discs on the surface \(none\)"):
        FAMILY.apply(FAMILY.start(), shot("A", 1, 15, (2,)))


def test_an_event_of_another_game_is_a_programming_error() -> None:
    with pytest.raises(TypeError, match=r"^str is no event of crokinole$"):
        FAMILY.apply(FAMILY.start(), "shot")  # type: ignore[arg-type]


def test_events_survive_json() -> None:
    for event in (*OPENING, shot("C", 4, (5, 10), None, foul="C5", d1="back", disturbed=(2,)), Recorded((1, 2))):
        assert FAMILY.event_from_json(FAMILY.event_to_json(event)) == event
    assert FAMILY.event_to_json(OPENING[1]) == {
        "kind": "shot",
        "seat": "C",
        "disc": 2,
        "touched": [1],
        "rests": [{"id": 2, "value": 5}, {"id": 1, "value": 10, "inner": False}],
    }

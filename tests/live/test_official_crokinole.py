"""What a camera tells of crokinole, brought to the log: numbers of discs, shots that don't fit, questions."""

import importlib
from dataclasses import replace
from pathlib import Path

import pytest

from referee.desk import Desk
from referee.log import MatchLog
from referee.officials import Correction, Place
from referee.officials.crokinole_fit import fitting
from referee.officials.crokinole_numbers import Numbers, free_number
from referee.officials.crokinole_questions import Told, judged_since, open_place
from referee.officials.crokinole_ruling import ruling
from referee.officials.registry import MODULES, official_for
from referee.rules.crokinole import Crokinole, Lying, Rest, Shot, State, TimeOut
from referee.store import Store
from vision.readings import Disc, LineContact
from vision.shot_seen import DiscAfter, OnTable


@pytest.mark.parametrize("game", ["crokinole", "krakatoa", "kraken", "yacht"])
def test_a_match_gets_the_official_of_its_game(game: str, tmp_path: Path) -> None:
    match = Desk(Store(f"sqlite:///{tmp_path}/m.db")).create(game, {}, {})
    official = official_for(match)
    assert (None if official is None else official.game) == (None if game == "kraken" else game)


def test_every_official_that_is_named_exists() -> None:
    for name in MODULES.values():
        assert callable(importlib.import_module(name).official_for)


def shot(seat: str, disc: int, touched: tuple[int, ...] = (), *rests: Rest) -> Shot:
    return Shot(seat, disc, touched, (Rest(disc, "board", 15), *rests))


@pytest.fixture
def engine() -> Crokinole:
    return Crokinole({"discs": 4, "first": "A"})


def after(engine: Crokinole, *shots: Shot) -> State:
    state = engine.start()
    for one in shots:
        state = engine.apply(state, one)
    return state


def test_numbers_are_those_of_the_log_and_begin_anew_with_a_round(engine: Crokinole) -> None:
    numbers = Numbers()
    state = engine.start()
    numbers.follow(state)
    first = numbers.told(shot("A", 11), state)
    assert (first.disc, first.rests[0].id) == (1, 1)
    state = engine.apply(state, first)
    second = numbers.told(shot("C", 12, (11,), Rest(11, "ditch")), state)
    assert (second.disc, second.touched, [rest.id for rest in second.rests]) == (2, (1,), [2, 1])
    assert numbers.of(12) == 2
    numbers.follow(state._replace(round=2))
    assert numbers.of(11) is None


def test_a_number_is_given_once_a_round(engine: Crokinole) -> None:
    state = after(engine, shot("A", 2))
    assert free_number(state) == 3  # 2 is taken: somebody entered that shot by hand
    numbers = Numbers()
    numbers.follow(state)
    numbers.give(5, 2)
    numbers.give(6, 2)
    assert numbers.of(5) is None


def seen(value: int) -> Disc:
    return Disc(0, "", (0, 0), (0, 0), 0.1, "board", 1.0, 1.0, values=((value, 1.0),))


def test_a_camera_that_begins_in_mid_round_pairs_what_lies_there(engine: Crokinole) -> None:
    state = engine.start()._replace(
        board=(
            Lying(3, 0, "board", 15, True, ()),
            Lying(4, 1, "board", 15, True, ()),
            Lying(7, 1, "board", 5, False, ()),
        )
    )
    numbers = Numbers()
    groups = numbers.adopt([OnTable(1, 0, seen(15)), OnTable(2, 0, seen(5)), OnTable(3, 1, seen(15))], state)
    assert [numbers.of(i) for i in (1, 2, 3)] == [4, 7, 3]
    assert groups == {engine.setup.sides[0]: 1, engine.setup.sides[1]: 0}


def test_a_shot_that_fits_is_told_as_it_is(engine: Crokinole) -> None:
    told = fitting(engine.start(), shot("A", 1), True)
    assert told.event == shot("A", 1)
    assert told.why is None


def test_discs_that_the_log_does_not_know_are_left_out_and_asked_about(engine: Crokinole) -> None:
    state = after(engine, shot("A", 1))
    told = fitting(state, shot("C", 2, (1, 9), Rest(9, "ditch")), True)
    assert told.event == shot("C", 2, (1,))
    assert told.clause == "C6"
    assert "disc 9" in str(told.why)
    (whole,) = told.others
    assert whole.event == shot("C", 2, (1, 9), Rest(9, "ditch"))  # for when the earlier shot is put right


def test_a_valid_shot_stays_valid_where_the_log_does_not_know_what_it_touched(engine: Crokinole) -> None:
    state = after(engine, shot("A", 1))
    told = fitting(state, shot("C", 2, (9,)), True)
    assert told.event == shot("C", 2, (1,))
    _, missed = told.others
    assert missed.event == shot("C", 2, ())


def test_what_does_not_fit_at_all_is_left_to_the_rules(engine: Crokinole) -> None:
    wrong = replace(shot("C", 1), rests=(Rest(1, "board", 15), Rest(9, "ditch")))
    told = fitting(engine.start(), wrong, True)
    assert told.event == wrong
    assert told.why is None


def test_places_that_are_open_are_answers() -> None:
    line = LineContact("10/5", 0.1, 0.3, 0.37, "too_close", -20.0)
    disc = replace(seen(10), values=((10, 0.63), (5, 0.37)), lines=(line,))
    found = open_place(4, disc)
    assert [words for words, _ in found.rests] == ["#4: 10", "#4: 5"]
    assert found.line == line
    inner = LineContact("15/10", -30.0, 0.3, 1.0, "touching", -0.2)
    assert [words for words, _ in open_place(4, replace(seen(10), lines=(inner,))).rests] == ["#4: 10·15", "#4: 10"]
    over = replace(seen(20), values=((20, 0.6), (15, 0.4)), states=(("hole", 0.6), ("leaning", 0.4)), state="hole")
    assert [rest.state for _, rest in open_place(4, over).rests] == ["hole", "leaning"]
    assert len(open_place(4, seen(5)).rests) == 1


def test_what_the_players_do_later_is_offered_as_an_answer(engine: Crokinole) -> None:
    numbers = Numbers()
    numbers.follow(engine.start())
    told = Told(1.0, numbers.told(Shot("A", 11, (), (Rest(11, "hole"),)), engine.start()), (), None)
    sunk = replace(seen(20), state="hole", values=((20, 1.0),))
    leans = replace(seen(15), state="leaning")
    assert judged_since(told, [DiscAfter(11, 0, sunk, None)], numbers) is None
    found = judged_since(told, [DiscAfter(11, 0, leans, None)], numbers)
    assert found is not None
    assert found.answer.words == "#1: 15"
    assert found.event.rests == (Rest(1, "leaning"),)
    assert judged_since(told, [DiscAfter(99, 0, leans, None)], numbers) is None


def test_a_correction_after_a_time_out_is_a_ruling_on_the_last_shot() -> None:
    log = MatchLog(Crokinole({"players": "2", "preset": "nca", "first": "A"}))
    log.observe(Shot("A", 1, (), (Rest(1, "board", 15),)), 1.0, "Ana")
    log.observe(TimeOut(), 2.0, "Ana")
    ruled = ruling(log, Correction(1, Place(value=10)), 1, seen(10))
    assert ruled.target == 1
    assert isinstance(ruled.event, Shot)
    assert [rest.value for rest in ruled.event.rests] == [10]

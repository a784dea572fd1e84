"""What a camera tells of crokinole, brought to the log: numbers of discs, shots that don't fit, questions."""

import importlib
from collections.abc import Callable
from dataclasses import replace
from itertools import repeat
from pathlib import Path

import pytest

from live.sources import NAME, Scripted
from referee.desk import Desk
from referee.live import LiveTable
from referee.log import MatchLog
from referee.officials import Correction, Place, Proposal
from referee.officials.crokinole import CrokinoleOfficial
from referee.officials.crokinole_fit import fitting
from referee.officials.crokinole_numbers import Numbers, free_number
from referee.officials.crokinole_questions import Told, judged_since, open_place
from referee.officials.crokinole_ruling import ruling
from referee.officials.registry import MODULES, official_for
from referee.rules.crokinole import Crokinole, Lying, Recorded, Rest, Shot, State, TimeOut
from referee.store import Store
from referee.watchdog import WatchedSource
from vision.readings import Disc, LineContact
from vision.shot_seen import DiscAfter, OnTable
from vision.video import VideoFile


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
    wrong = shot("C", 1)
    told = fitting(after(engine, shot("A", 1)), wrong, True)
    assert told.event == wrong
    assert told.why is None


@pytest.mark.parametrize(
    ("players", "before", "seat", "why", "answers"),
    [
        ("2", "", "C", "natural shot, but it was black's turn", {"opens": True}),
        ("2", "A", "A", "black shot, but it was natural's turn", {"unseen": 1}),
        ("2", "ACACACA", "A", "black shot, but it was natural's turn", {"seat": "C"}),
        ("4", "A", "D", "natural (D) shot, but it was natural (B)'s turn", {"unseen": 2}),
        ("2v1", "A", "C", "black (C) shot, but it was natural (B)'s turn", {"unseen": 1}),
    ],
)
def test_a_shot_out_of_turn_is_taken_as_the_rules_allow_and_asked_about(
    players: str, before: str, seat: str, why: str, answers: dict[str, object]
) -> None:
    engine = Crokinole({"players": players, "discs": 4, "first": "A"})
    state = after(engine, *(Shot(s, i + 1, (), (Rest(i + 1, "ditch"),)) for i, s in enumerate(before)))
    told = fitting(state, shot(seat, 9), True)
    assert told.event == replace(shot(seat, 9), **answers)  # type: ignore[arg-type]
    assert (told.why, told.clause) == (why, engine.setup.turn_clause)
    for answer in told.others:
        engine.apply(state, answer.event)
    assert {a.event for a in told.others} >= ({replace(shot(seat, 9), seat=state.on_turn[0])} - {told.event})


@pytest.mark.parametrize("seat", ["A", "C"])
def test_where_nobody_chose_who_begins_the_first_shot_is_in_turn(seat: str) -> None:
    told = fitting(Crokinole().start(), shot(seat, 1), True)
    assert (told.event, told.why, told.others) == (shot(seat, 1), None, ())


def test_what_is_told_together_is_told_in_order(engine: Crokinole) -> None:
    """The next round's first shot is found together with the end of the one before it."""
    shots = [Shot("ACAC"[i % 4], i + 1, (), (Rest(i + 1, "ditch"),)) for i in range(8)]
    official = CrokinoleOfficial(4)
    official.follow(after(engine, *shots))
    (recorded,) = official._recorded(9.0)
    assert isinstance(recorded, Proposal)
    assert isinstance(recorded.event, Recorded)
    assert official._live is not None
    assert (official._live.round, official._live.on_turn) == (2, ("C",))


@pytest.mark.parametrize(
    ("options", "asked"), [({}, False), ({"first": "C"}, False), ({"first": "A"}, True)], ids=["open", "C", "A"]
)
def test_whoever_shoots_first_begins(
    options: dict[str, str], asked: bool, shared_file: Callable[[str], Path], tmp_path: Path
) -> None:
    film = shared_file("scenes/matches/m001.mp4")  # natural at C begins, brown at A makes 45 points more
    options = {"sides": ["brown", "natural"], "discs": 4, "rounds": 1} | options  # type: ignore[dict-item]
    match = Desk(Store(f"sqlite:///{tmp_path}/m.db")).create("crokinole", options, {})
    source = WatchedSource(NAME, opener=lambda _name: Scripted(repeat(None)))
    table = LiveTable(match, source, official_for(match))
    for frame in VideoFile(film).frames():
        table.see(frame)
    assert table.official is not None
    table._take(table.official.finish())
    table.close()
    seats = [event.seat for _, event, _ in match.log.history() if isinstance(event, Shot)]
    assert seats == ["C", "A"] * 4
    assert match.log.score == {"brown": 45, "natural": 0}
    questions = [q for q in match.questions.all_open() if q.clause == "C14"]
    assert [q.why for q in questions] == ["natural shot, but it was brown's turn"] * asked
    for question in questions:
        assert match.refused(question) == (None,) * 4


def test_a_shot_after_one_that_waits_for_a_ruling_has_a_number_of_its_own(engine: Crokinole) -> None:
    waiting = after(engine, Shot("A", 1, (), (Rest(1, "board", 10),)))
    assert waiting.undecided
    assert free_number(waiting) == 2


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

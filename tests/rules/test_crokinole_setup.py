"""Crokinole, what is agreed before a game: options and what follows from them."""

from typing import Any

import pytest

from referee.rules import GAMES
from referee.rules.crokinole import Crokinole, Setup


def test_defaults_are_family_for_two() -> None:
    assert Crokinole().setup == Setup(
        players="2",
        preset="family",
        contact="outline",
        seats=("A", "C"),
        sides=("black", "natural"),
        side_of=(0, 1),
        discs=(12, 12),
        first=None,
        target=100,
        rounds=None,
    )


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"players": "3"}, {"sides": ("black", "natural", "red"), "discs": (12, 12, 12), "target": 8}),
        ({"players": 3, "preset": "match-play"}, {"seats": ("A", "B", "C"), "target": 8, "preset": "match-play"}),
        ({"players": "2v1"}, {"side_of": (0, 1, 0), "discs": (6, 12, 6), "target": 100}),
        ({"players": "2v1", "preset": "match-play"}, {"target": 8}),
        ({"players": "2v1", "seats": ("C", "D", "B")}, {"side_of": (1, 0, 0), "discs": (12, 6, 6)}),
        ({"players": "2v1", "seats": ("B", "C", "D")}, {"side_of": (0, 1, 0)}),
        ({"players": "2v1", "seats": ("C", "D", "A")}, {"side_of": (0, 1, 0)}),
        ({"players": "2v1", "seats": ("D", "B", "C")}, {"side_of": (0, 0, 1), "discs": (6, 6, 12)}),
        ({"players": "4"}, {"side_of": (0, 1, 0, 1), "discs": (6,) * 4, "seats": ("A", "B", "C", "D")}),
        ({"preset": "match-play"}, {"target": 8, "rounds": None, "contact": "outline", "discs": (12, 12)}),
        ({"preset": "nca"}, {"target": None, "rounds": 4, "contact": "bottom", "discs": (8, 8)}),
        ({"preset": "nca", "contact": "outline"}, {"contact": "outline"}),
        ({"contact": "bottom"}, {"contact": "bottom"}),
        ({"preset": "nca", "target": 5}, {"target": 5, "rounds": None}),
        ({"rounds": 3}, {"target": None, "rounds": 3}),
        ({"discs": 4, "players": "2v1"}, {"discs": (2, 4, 2)}),
        ({"discs": 1}, {"discs": (1, 1)}),
        ({"seats": ["C", "A"], "first": "A"}, {"seats": ("C", "A"), "first": 1}),
        ({"sides": ["Ann", "Bob"]}, {"sides": ("Ann", "Bob")}),
    ],
)
def test_options(options: dict[str, Any], expected: dict[str, Any]) -> None:
    setup = Crokinole(options).setup
    assert {name: getattr(setup, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"player": "2"}, "option 'player' is unknown; known are players, preset, contact, seats, sides, first, discs, "
                          "target, rounds"),
        ({"players": "5"}, "option 'players' is '5', expected one of 2, 3, 2v1, 4"),
        ({"players": True}, "option 'players' is True, expected one of 2, 3, 2v1, 4"),
        ({"preset": "club"}, "option 'preset' is 'club', expected one of family, match-play, nca"),
        ({"contact": "top"}, "option 'contact' is 'top', expected one of outline, bottom"),
        ({"preset": "nca", "players": "3"}, "option 'preset' is 'nca', which is for 2 or 4 players (C24)"),
        ({"preset": "nca", "players": "2v1"}, "option 'preset' is 'nca', which is for 2 or 4 players (C24)"),
        ({"seats": ("A",)}, "option 'seats' is ('A',), expected 2 of A, B, C, D in clockwise order"),
        ({"seats": ("A", "A")}, "option 'seats' is ('A', 'A'), expected 2 of A, B, C, D in clockwise order"),
        ({"seats": ("A", "E")}, "option 'seats' is ('A', 'E'), expected 2 of A, B, C, D in clockwise order"),
        ({"seats": ("A", "E", "C")}, "option 'seats' is ('A', 'E', 'C'), expected 2 of A, B, C, D in clockwise order"),
        ({"seats": "ACB", "players": 3}, "option 'seats' is 'ACB', expected 3 of A, B, C, D in clockwise order"),
        ({"sides": ("x",)}, "option 'sides' is ('x',), expected 2 different names"),
        ({"sides": ("x", "x")}, "option 'sides' is ('x', 'x'), expected 2 different names"),
        ({"sides": ("x", " ")}, "option 'sides' is ('x', ' '), expected 2 different names"),
        ({"sides": ("x", 3)}, "option 'sides' is ('x', 3), expected 2 different names"),
        ({"first": "B"}, "option 'first' is 'B', expected one of the seats A, C"),
        ({"discs": 5, "players": 4}, "option 'discs' is 5, expected an even number: partners share it"),
        ({"discs": 0}, "option 'discs' is 0, expected a whole number from 1"),
        ({"discs": "6"}, "option 'discs' is '6', expected a whole number from 1"),
        ({"target": True}, "option 'target' is True, expected a whole number from 1"),
        ({"rounds": 0}, "option 'rounds' is 0, expected a whole number from 1"),
        ({"rounds": 2, "target": 9}, "options 'target' and 'rounds' exclude each other (C19)"),
    ],
)  # fmt: skip
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        GAMES["crokinole"](options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"players": "4", "preset": "nca", "first": "C"},
        {"players": "2v1", "seats": ["D", "B", "C"], "discs": 6, "rounds": 2},
        {"players": "3", "sides": ["x", "y", "z"], "target": 4},
    ],
)
def test_written_options_make_the_same_setup(options: dict[str, Any]) -> None:
    engine = Crokinole(options)
    assert Crokinole(engine.options()).setup == engine.setup


def test_options_are_plain_data() -> None:
    assert Crokinole({"first": "C"}).options() == {
        "players": "2",
        "preset": "family",
        "contact": "outline",
        "seats": ["A", "C"],
        "sides": ["black", "natural"],
        "discs": 12,
        "first": "C",
        "target": 100,
    }


@pytest.mark.parametrize(
    ("options", "turn", "end"),
    [
        ({}, "C14", "C19"),
        ({"players": "4", "preset": "match-play"}, "C21", "C20"),
        ({"players": "2v1"}, "C22", "C19"),
        ({"players": "3"}, "C23", "C23"),
        ({"preset": "nca"}, "C14", "C24"),
    ],
)
def test_clauses_that_hold(options: dict[str, Any], turn: str, end: str) -> None:
    setup = Crokinole(options).setup
    assert (setup.turn_clause, setup.end_clause) == (turn, end)


def test_c4_discs_of_a_side() -> None:
    setup = Crokinole({"players": "2v1"}).setup
    assert [setup.side_discs(0), setup.side_discs(1), setup.shots_a_round] == [12, 12, 24]
    assert Crokinole({"players": "3"}).setup.shots_a_round == 36

"""The registry of games, the shape all engines share, and the texts of the rules."""

from typing import Any

import pytest

from referee.rules import GAMES
from referee.rules.clauses import clause, clauses
from referee.rules.protocol import Fault, RuleError

WAYS = ("start", "apply", "legal", "score", "winners", "sheet", "position", "event_to_json", "event_from_json")


@pytest.mark.parametrize("game", ["crokinole", "krakatoa", "kraken", "yacht"])
def test_every_game_has_an_engine_of_the_same_shape(game: str) -> None:
    engine: Any = GAMES[game]({})
    assert engine.game == game
    state = engine.start()
    assert engine.legal(state)["events"]
    assert set(engine.score(state).values()) == {0}
    assert engine.winners(state) is None
    assert isinstance(engine.sheet(state)[0][0], str)
    assert all(callable(getattr(engine, way)) for way in WAYS)
    assert isinstance(engine.position(state), str)
    with pytest.raises(ValueError, match=r"^option .colour. is unknown; known are [a-z_]+(, [a-z_]+)+$"):
        GAMES[game]({"colour": "red"})
    with pytest.raises(ValueError):
        engine.event_from_json({"kind": "nothing"})


def test_registry_names_the_four_games() -> None:
    assert list(GAMES) == ["crokinole", "krakatoa", "kraken", "yacht"]


def test_options_reach_the_engine() -> None:
    assert GAMES["yacht"]({"players": ["Ann"]}).players == ("Ann",)
    assert GAMES["crokinole"]({"preset": "nca"}).setup.preset == "nca"
    assert GAMES["krakatoa"]({"basic": True}).basic is True


def test_an_error_names_position_and_all_faults() -> None:
    faults = (Fault("C1", "a", "b"), Fault("C2", "c", "d"))
    error = RuleError("round 1", *faults)
    assert str(error) == "C1: a; expected b / C2: c; expected d (round 1)"
    assert (error.position, error.faults) == ("round 1", faults)


def test_clause_texts_are_found_by_number() -> None:
    assert clause("yacht", "y1") == clauses("yacht")["Y1"]
    assert clauses("yacht")["Y1"].startswith("One or more players")
    assert clause("crokinole", "c4A").startswith("Discs that wait")
    with pytest.raises(ValueError) as caught:
        clause("yacht", "Y9")
    assert str(caught.value) == "yacht has no clause 'Y9'; it has Y1, Y2, Y3, Y4, Y5, Y6, Y7"
    with pytest.raises(ValueError) as caught:
        clauses("chess")
    assert str(caught.value) == "game 'chess' is unknown; known are crokinole, krakatoa, kraken, yacht"

"""The officials of Yacht and Krakatoa on scripted rests: what was kept, thrown, hit, and what must be asked."""

from collections.abc import Sequence

import numpy as np

from referee.officials import Proposal, Question
from referee.officials.krakatoa import KrakatoaOfficial, told
from referee.officials.yacht import YachtOfficial
from referee.rules.krakatoa import KrakatoaEngine, Throw, ThrowOff
from referee.rules.yacht import Fill, Roll, Yacht
from vision.dice_rest import Rest
from vision.readings import Die, Dodeca, DodecaSet, SpotColour

EDGE = 40.0
LETTER: dict[str, SpotColour] = {"Y": "yellow", "R": "red", "B": "blue"}


def lying(values: Sequence[int | None], places: Sequence[float], confidence: float = 0.99) -> tuple[Die, ...]:
    shares = tuple(1.0 if v == k else 0.0 for k in range(1, 7) for v in [values[0]])
    return tuple(
        Die(v, (x, 100.0), EDGE, "flat", "white", confidence, shares) for v, x in zip(values, places, strict=True)
    )


def at_rest(dice: tuple[Die, ...], at: float = 1.0) -> Rest[Die]:
    return Rest(at, at + 0.2, dice)


def rolled(official: YachtOfficial, dice: tuple[Die, ...]) -> Roll:
    (told_,) = official.rested(at_rest(dice))
    assert isinstance(told_, Proposal), told_
    assert isinstance(told_.event, Roll)
    return told_.event


def test_yacht_kept_dice_are_those_left_on_the_table() -> None:
    engine = Yacht()
    official = YachtOfficial(engine)
    state = engine.start()
    first = lying((1, 3, 3, 5, 6), (0, 100, 200, 300, 400))
    event = rolled(official, first)
    assert event == Roll("A", (1, 3, 3, 5, 6), ())
    state = engine.apply(state, event)
    official.follow(state)
    assert official.rested(at_rest(lying((3, 3), (104, 198)))) == ()
    event = rolled(official, lying((3, 3, 3, 2, 4), (104, 198, 40, 330, 460)))
    assert event == Roll("A", (3, 3, 3, 2, 4), (3, 3))
    state = engine.apply(state, event)
    assert state.rolls == 2
    official.follow(engine.apply(state, Fill("A", "threes")))
    assert rolled(official, lying((1, 1, 2, 2, 2), (0, 100, 200, 300, 400))).kept == ()


def test_yacht_the_same_rest_is_no_roll() -> None:
    official = YachtOfficial(Yacht())
    dice = lying((1, 3, 3, 5, 6), (0, 100, 200, 300, 400))
    assert len(official.rested(at_rest(dice))) == 1
    assert official.rested(at_rest(lying((1, 3, 3, 5, 6), (3, 104, 198, 301, 400)))) == ()


def test_yacht_asks_about_what_it_cannot_read_and_what_cannot_be() -> None:
    official = YachtOfficial(Yacht())
    (asked,) = official.rested(at_rest((*lying((2,), (0,), 0.5), *lying((3, 3, 5, 6), (100, 200, 300, 400)))))
    assert isinstance(asked, Question) and asked.doubt == "hidden"
    assert asked.answers[0].event == Roll("A", (2, 3, 3, 5, 6), ())
    assert asked.answers[-1].event.dice[0] is None
    (asked,) = YachtOfficial(Yacht()).rested(at_rest(lying((1,) * 6, tuple(100.0 * k for k in range(6)))))
    assert isinstance(asked, Question) and asked.clause == "Y1"


def test_yacht_a_die_off_the_table_is_told_as_it_is() -> None:
    official = YachtOfficial(Yacht())
    event = rolled(official, lying((1, 3, 4, 6), (0, 100, 200, 300)))
    assert len(event.dice) == 4


def nine(steam: str, ash: str, lava: str, shift: dict[str, float] | None = None) -> tuple[Dodeca, ...]:
    sets: tuple[tuple[DodecaSet, str], ...] = (("steam", steam), ("ash", ash), ("lava", lava))
    found = []
    for row, (name, colours) in enumerate(sets):
        for k, c in enumerate(colours):
            x = 100.0 * k + (shift or {}).get(name, 0.0)
            found.append(Dodeca(name, LETTER[c], (x, 100.0 * row), 36.0, 0.99))
    return tuple(found)


def throws(official: KrakatoaOfficial, dice: tuple[Dodeca, ...]) -> Throw | ThrowOff:
    (told_,) = official.rested(Rest(1.0, 1.2, dice))
    assert isinstance(told_, Proposal), told_
    assert isinstance(told_.event, (Throw, ThrowOff))
    return told_.event


def test_krakatoa_from_the_throw_off_to_a_hit() -> None:
    engine = KrakatoaEngine()
    official = KrakatoaOfficial(engine)
    state = engine.start()
    for colours in ("YYB", "RRB"):
        event = throws(official, nine(colours, "", ""))
        assert isinstance(event, ThrowOff) and event.set == "steam"
        state = engine.apply(state, event)
        official.follow(state)
    event = throws(official, nine("YYB", "YRR", "RRR", {"steam": 500}))
    assert isinstance(event, Throw) and event.thrown == ("steam", "ash", "lava")
    state = engine.apply(state, event)
    official.follow(state)
    without_ash = tuple(d for d in nine("YYB", "YRR", "RRR", {"steam": 500}) if d.set != "ash")
    assert official.rested(Rest(2.0, 2.2, without_ash)) == ()
    event = throws(official, nine("YYB", "BBB", "RRR", {"steam": 500, "ash": 300, "lava": 30}))
    assert isinstance(event, Throw) and event.thrown == ("ash",)
    assert event.moved_mm is not None and abs(event.moved_mm - 15.0) < 0.1  # 30 px at 2 px a mm
    assert not engine.apply(state, event).throws[-1].scratch


def test_krakatoa_unread_faces_are_question_marks() -> None:
    dice = (Dodeca("steam", None, (0.0, 0.0), 36.0, 0.9), Dodeca("steam", "red", (50.0, 0.0), 36.0, 0.5))
    assert told(dice, "steam") == "??"
    assert told(dice, "ash") == ""
    assert np.isfinite(dice[0].size_px)

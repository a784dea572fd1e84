"""Whole sessions filmed by the drawn world: every roll and throw is told right, or asked about; nothing in between."""

from dataclasses import replace

from dice_session import SETS, krakatoa, yacht

from referee.officials import Proposal, Question
from referee.officials.krakatoa import KrakatoaOfficial
from referee.officials.yacht import YachtOfficial
from referee.rules.krakatoa import KrakatoaEngine, Throw, ThrowOff
from referee.rules.yacht import CATEGORIES, Fill, Roll, Yacht


def test_yacht_is_followed_roll_by_roll() -> None:
    engine = Yacht()
    official, state = YachtOfficial(engine), engine.start()
    wrong, asked, right, filled = [], 0, 0, 0
    told: list[Roll] = []
    roll_asked = False
    for frame, happened, ended in yacht(seed=4, turns=3):
        for said in official.feed(frame):
            asked += isinstance(said, Question)
            roll_asked |= isinstance(said, Question)
            if isinstance(said, Proposal):
                told.append(said.event)
        if happened is None:
            continue
        if len(told) == 1:
            roll = told[0]
            shown = tuple(sorted(str(v) for v in roll.dice))
            if (shown, tuple(sorted(str(v) for v in roll.kept))) == (happened.shown, happened.left):
                right += 1
                state = engine.apply(state, roll)
            else:
                wrong.append((roll, happened))
        elif told:
            wrong.append((told, happened))
        elif roll_asked:
            state = engine.apply(
                state, Roll("A", tuple(int(v) for v in happened.shown), tuple(map(int, happened.left)))
            )
        told, roll_asked = [], False
        if ended:
            if state.rolls:
                state = engine.apply(state, Fill("A", CATEGORIES[filled]))
                filled += 1
            official.follow(state)
        else:
            official.follow(state)
    assert not told, "something was told between the rolls"
    assert not wrong, wrong
    assert right + asked >= 9 and right >= 5, (right, asked)


def test_krakatoa_is_followed_throw_by_throw() -> None:
    engine = KrakatoaEngine()
    official, state = KrakatoaOfficial(engine), engine.start()
    wrong, asked, right = [], 0, 0
    told: list[Throw | ThrowOff] = []
    for frame, happened in krakatoa(seed=4, throws=5):
        for said in official.feed(frame):
            asked += isinstance(said, Question)
            if isinstance(said, Proposal):
                told.append(said.event)
        if happened is None:
            continue
        for said in told:
            event = said
            if isinstance(event, ThrowOff) and "?" in event.colours:  # told as unread: a person says what it shows
                event = replace(event, colours=happened.shown[SETS.index(event.set)])
                asked += 1
            if isinstance(event, ThrowOff):
                fits = sorted(event.colours) == sorted(happened.shown[SETS.index(event.set)])
            else:
                same = all(sorted(a) == sorted(b) for a, b in zip(event.sets, happened.shown, strict=True))
                fits = same and event.thrown == happened.left
            if fits:
                right += 1
                state = engine.apply(state, event)
                official.follow(state)
            else:
                wrong.append((event, happened))
        told = []
    assert not told and not wrong, wrong
    assert right + asked >= 7 and right >= 6, (right, asked)

"""Crokinole played at random, legally: it always ends, nothing is negative, sums are right, undo and replay agree."""

import random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tables import rest

from referee.log import MatchLog
from referee.logfile import parse_log, to_text
from referee.rules.crokinole import Counted, Crokinole, Event, Recorded, Result, Shot, State, TimeOut, board_points

PLACES = [20, 15, 10, "10i", 5, 0, "lean", "ditch", "back", "10u", (0, 5), (5, 10), (10, 15), (15, 20)]
OPTIONS: list[dict[str, Any]] = [
    {"discs": 2, "target": 30},
    {"discs": 3, "preset": "match-play", "target": 4},
    {"discs": 2, "preset": "nca", "rounds": 2},
    {"discs": 4, "players": "4", "preset": "nca", "target": 3},
    {"discs": 2, "players": "2v1", "rounds": 2},
    {"discs": 2, "players": "3", "target": 3},
]


def random_shot(engine: Crokinole, state: State, pick: random.Random) -> Shot:
    """Any facts a table could show for the seat on turn; after a question, facts that are settled."""
    todo = engine.legal(state)
    waiting = state.outcome if state.undecided else None
    settled = waiting is not None
    places = PLACES[:9] if settled else PLACES
    lying = [disc.id for disc in state.board]
    touched = tuple(pick.sample(lying, pick.randint(0, len(lying))))
    moved = pick.sample(touched, pick.randint(0, len(touched)))
    disc = waiting.disc if waiting else max((*lying, *state.out, 0)) + 1
    seat = waiting.seat if waiting else pick.choice(todo["seats"])
    rests = [rest(i, pick.choice(places)) for i in (disc, *moved)]
    bounced = {r.id for r in rests if r.state == "bounced"}
    disturbed = tuple(i for i in moved if bounced and i not in bounced and pick.random() < 0.3)
    unknown = not settled and pick.random() < 0.1
    foul: Any = pick.choice((None, None, None, "C5"))
    return Shot(seat, disc, None if unknown else touched, tuple(rests), disturbed, foul)


def random_event(engine: Crokinole, state: State, pick: random.Random) -> Event:
    """Any legal event."""
    kind = pick.choice([*["shot"] * 8, "result", "time_out", "recorded"])
    events = engine.legal(state)["events"]
    kind = kind if kind in events else events[0]
    if kind == "shot":
        return random_shot(engine, state, pick)
    if kind == "time_out":
        return TimeOut()
    if kind == "recorded":
        return Recorded(values=tuple(Counted(d.id, d.maybe[0]) for d in state.board if d.value is None))
    sides = range(len(engine.setup.sides))
    twenties = [pick.randint(0, engine.setup.side_discs(side)) for side in sides]
    most = [engine.setup.side_discs(side) - n for side, n in zip(sides, twenties, strict=True)]
    points = [20 * n + 5 * pick.randint(0, 3 * left) for n, left in zip(twenties, most, strict=True)]
    return Result(tuple(points), tuple(twenties))


class CrokinoleMachine(RuleBasedStateMachine):
    @initialize(options=st.sampled_from(OPTIONS), seed=st.integers(0, 2**32))
    def begin(self, options: dict[str, Any], seed: int) -> None:
        self.engine = Crokinole(options)
        self.log = MatchLog(self.engine)
        self.pick = random.Random(seed)
        self.at = 0.0

    @precondition(lambda self: not self.log.state.over)
    @rule()
    def go_on(self) -> None:
        self.at += 1
        before, was = self.log.state, repr(self.log.state)
        event = random_event(self.engine, before, self.pick)
        after = self.engine.apply(before, event)
        assert repr(before) == was, "a state never changes"
        self.log.observe(event, self.at, "test")
        assert self.log.state == after
        self.log.undo(self.at, "test")
        assert self.log.state == before, "taking back restores exactly"
        self.log.redo(self.at, "test")
        assert self.log.state == after

    @precondition(lambda self: self.log.undoable is not None)
    @rule(depth=st.integers(1, 6))
    def undo_and_redo_deeper(self, depth: int) -> None:
        states = [self.log.state]
        for _ in range(depth):
            if self.log.undoable is not None:
                self.log.undo(self.at, "test")
                states.append(self.log.state)
        for state in reversed(states[:-1]):
            self.log.redo(self.at, "test")
            assert self.log.state == state

    @precondition(lambda self: self.log.undoable is not None)
    @rule()
    def undo(self) -> None:
        self.log.undo(self.at, "test")

    @invariant()
    def sums_are_right(self) -> None:
        if not hasattr(self, "log"):
            return
        state, setup = self.log.state, self.engine.setup
        assert min(state.score) >= 0
        assert state.score == tuple(map(sum, zip(*[d.gained for d in state.played], strict=True))) or not state.played
        assert all(min(done.points) >= 0 for done in state.played)
        assert all(d.value in (None, 5, 10, 15) for d in state.board)
        if not state.over:
            assert len(state.board) + len(state.out) == state.shots, "every disc shot lies there or is out"
            assert len({*[d.id for d in state.board], *state.out}) == state.shots
            assert sum(state.twenties) <= len(state.out)
            points = board_points(state)
            assert points is None or all(
                20 * n <= p <= 20 * setup.side_discs(side)
                for side, (p, n) in enumerate(zip(points, state.twenties, strict=True))
            )
        assert (self.engine.legal(state)["events"] == []) == state.over

    def teardown(self) -> None:
        if not hasattr(self, "log"):
            return
        assert parse_log(to_text(self.log).encode()).log.state == self.log.state, "replay equals play"
        state = play_out(self.engine, self.log.state, self.pick)
        assert self.engine.winners(state)


def play_out(engine: Crokinole, state: State, pick: random.Random) -> State:
    """Play to the end; ends for sure since ties become ever less likely."""
    for _ in range(5000):
        if state.over:
            return state
        state = engine.apply(state, random_event(engine, state, pick))
    raise AssertionError("the game does not end")


CrokinoleMachine.TestCase.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestCrokinoleMachine = CrokinoleMachine.TestCase


@pytest.mark.parametrize("options", [{}, {"preset": "match-play"}, {"preset": "nca", "players": "4"}, {"players": "3"}])
def test_whole_games_end(options: dict[str, Any]) -> None:
    engine = Crokinole(options)
    assert play_out(engine, engine.start(), random.Random(5)).over

"""Random play of Krakatoa: it always ends, sums are right, taking back and replaying are exact."""

import json
import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from referee.rules.krakatoa import SETS, KrakatoaEngine, Ruling, State, Throw, ThrowOff
from referee.rules.krakatoa.state import Event
from referee.rules.krakatoa.values import MARKS

OPTIONS = st.one_of(
    st.fixed_dictionaries({"players": st.integers(2, 4), "basic": st.booleans()}),
    st.fixed_dictionaries({"players": st.just(4), "teams": st.just(True)}),
    st.fixed_dictionaries(
        {
            "players": st.just(3),
            "values": st.dictionaries(st.sampled_from(["YYY", "RRR", "YYB", "YRB"]), st.integers(1, 99), min_size=1),
        }
    ),
)


def colours(rng: random.Random, doubt: float) -> str:
    """Three faces as a fair dodeca shows them, now and then unread or missing."""
    faces = [rng.choice("YYYRRRRBBBBB") for _ in range(3)]
    if rng.random() < 0.3:
        faces = [faces[0]] * 3
    if rng.random() < doubt:
        faces[0] = rng.choice(["?", ""])
    return "".join(faces)


def random_event(engine: KrakatoaEngine, state: State, rng: random.Random) -> Event:
    legal = engine.legal(state)
    if "throw_off" in legal["events"]:
        return ThrowOff(rng.choice(legal["players"]), rng.choice(SETS), colours(rng, 0.05))
    if "ruling" in legal["events"]:
        assert state.pending is not None
        again = Ruling("again")
        if isinstance(state.pending.event, ThrowOff):
            return rng.choice([again, Ruling("stands", "RRB", "YYB", "BBB")])
        return rng.choice([again, Ruling("nothing"), Ruling("stands", *(colours(rng, 0) for _ in SETS))])
    thrown = tuple(rng.choice(legal["sets"]))
    if rng.random() < 0.1 or (legal["rethrow"] and rng.random() < 0.4):
        thrown = SETS if legal["rethrow"] else (rng.choice(SETS),)
    seen = [colours(rng, 0.02) for _ in SETS]
    if state.table[0] is not None and rng.random() < 0.3:
        # nothing that was left on the table has changed: a scratch or only moved
        seen = [
            new if name in thrown or old is None else old
            for name, new, old in zip(SETS, seen, state.table, strict=True)
        ]
        return Throw(legal["player"], *seen, thrown, moved_mm=rng.choice([0.0, 12.69, 12.7, 40.0]))
    return Throw(legal["player"], *seen, thrown, hit=rng.choice([True, True, None]))


def check(engine: KrakatoaEngine, state: State) -> None:
    """What holds of every state."""
    for side, line in zip(engine.sides, state.lines, strict=True):
        mine = [t for t in state.throws if t.side == side]
        assert line.total == sum(t.points for t in mine) >= 0
        assert line.total == (mine[-1].total if mine else 0)
        assert all(0 <= mark <= 2 for mark in line.marks)
        if engine.basic:
            assert line.marks == (0, 0)
    for one in state.throws:
        factor = 2 ** MARKS.index(one.mark)
        assert one.points % factor == 0
        if one.scratch or one.annulled:
            assert (one.points, one.bonus, one.second, one.why) == (0, "", "", "")
    assert 0 <= state.boxes_used <= 3
    boxes = [t.box for t in state.throws if t.box is not None]
    assert boxes == list(range(1, len(boxes) + 1))
    if state.over:
        assert state.boxes_used == len(boxes)
        counted = [t for t in state.throws if not t.annulled]
        assert len(counted) == 30 * len(engine.sides) + len(boxes)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), options=OPTIONS)
def test_random_legal_play_always_ends_and_replays_the_same(seed, options):
    rng = random.Random(seed)
    engine = KrakatoaEngine(**options)
    state = engine.start()
    log = []
    while not state.over:
        event = random_event(engine, state, rng)
        state = engine.apply(state, event)
        log.append(json.dumps(engine.event_to_json(event)))
        assert len(log) < 1000
    check(engine, state)
    assert engine.winners(state)
    again = engine.start()
    for line in log:
        again = engine.apply(again, engine.event_from_json(json.loads(line)))
    assert again == state


class KrakatoaMachine(RuleBasedStateMachine):
    """Throws and takings back in any order; the history is the truth that each state is held against."""

    @initialize(options=OPTIONS, seed=st.integers(0, 2**32))
    def begin(self, options: dict[str, Any], seed: int) -> None:
        self.engine = KrakatoaEngine(**options)
        self.rng = random.Random(seed)
        self.states = [self.engine.start()]
        self.events: list[Event] = []

    @rule(steps=st.integers(1, 30))
    def throw(self, steps: int) -> None:
        for _ in range(steps):
            if self.states[-1].over:
                return
            self.events.append(random_event(self.engine, self.states[-1], self.rng))
            self.states.append(self.engine.apply(self.states[-1], self.events[-1]))

    @precondition(lambda self: self.events)
    @rule(depth=st.integers(1, 30))
    def take_back(self, depth: int) -> None:
        depth = min(depth, len(self.events))
        del self.events[-depth:], self.states[-depth:]
        replayed = self.engine.start()
        for event in self.events:
            replayed = self.engine.apply(replayed, event)
        assert replayed == self.states[-1]
        assert hash(replayed) == hash(self.states[-1])

    @invariant()
    def holds(self) -> None:
        if hasattr(self, "states"):
            check(self.engine, self.states[-1])
            assert self.engine.legal(self.states[-1])["events"] or self.states[-1].over


KrakatoaMachine.TestCase.settings = settings(max_examples=20, stateful_step_count=10, deadline=None)
TestKrakatoaMachine = KrakatoaMachine.TestCase

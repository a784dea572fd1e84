"""Events a second folded by the crokinole engine, best of several runs: python benchmarks/bench_rules.py"""

import random
import time
from functools import reduce
from typing import Any

from referee.rules.crokinole import Crokinole, Event, Recorded, Rest, Shot, State

GOAL = 100_000
ROUNDS = 200


def crokinole_match(seed: int, rounds: int) -> tuple[Crokinole, list[Event]]:
    """A match of valid and missed shots, knocks, twenties and ditched discs, as a table would give them."""
    rng = random.Random(seed)
    engine = Crokinole({"rounds": rounds})
    state, events = engine.start(), []
    for _ in range(rounds):
        for number in range(state.stop):
            event: Event = _shot(rng, engine, state, number)
            state = engine.apply(state, event)
            events.append(event)
        events.append(Recorded())
        state = engine.apply(state, events[-1])
    return engine, events


def _shot(rng: random.Random, engine: Crokinole, state: State, number: int) -> Shot:
    todo: dict[str, Any] = engine.legal(state)
    others = [d for d in state.board if engine.setup.sides[d.side] != todo["side"]]
    hit = rng.sample(others, min(len(others), rng.choice((0, 1, 1, 1, 1, 2))))
    rests = [Rest(number, *rng.choice((("board", 15), ("board", 10), ("board", 5), ("ditch",), ("hole",))))]
    rests += [Rest(d.id, *rng.choice((("board", 10), ("board", 5), ("ditch",)))) for d in hit]
    if rests[0].value == 10:
        rests[0] = Rest(number, "board", 10, rng.random() < 0.3)
    return Shot(todo["seats"][0], number, tuple(d.id for d in hit), tuple(rests))


def main() -> None:
    """Print the rate and its ratio to the goal."""
    engine, events = crokinole_match(7, ROUNDS)
    # on a busy machine the clock measures the others, processor time the engine
    for name, clock in (("clock", time.perf_counter), ("processor", time.process_time)):
        best = float("inf")
        for _ in range(15):
            begun = clock()
            reduce(engine.apply, events, engine.start())
            best = min(best, clock() - begun)
        rate = len(events) / best
        print(
            f"crokinole, {name} time: {len(events)} events folded in {best * 1000:.1f} ms, {rate:,.0f} a second,",
            end=" ",
        )
        print(f"{rate / GOAL:.2f} of the goal of {GOAL:,}")


if __name__ == "__main__":
    main()

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
    hit = rng.sample(others, min(len(others), rng.choice((0, 1, 1, 1, 2))))
    rests = [Rest(number, *rng.choice((("board", 15), ("board", 10), ("board", 5), ("ditch",), ("hole",))))]
    rests += [Rest(d.id, *rng.choice((("board", 10), ("board", 5), ("ditch",), ("ditch",)))) for d in hit]
    if rests[0].value == 10:
        rests[0] = Rest(number, "board", 10, rng.random() < 0.3)
    return Shot(todo["seats"][0], number, tuple(d.id for d in hit), tuple(rests))


def main() -> None:
    """Print the rate and its ratio to the goal."""
    engine, events = crokinole_match(7, ROUNDS)
    best = float("inf")
    for _ in range(7):
        begun = time.perf_counter()
        reduce(engine.apply, events, engine.start())
        best = min(best, time.perf_counter() - begun)
    rate = len(events) / best
    print(f"crokinole: {len(events)} events folded in {best * 1000:.1f} ms, {rate:,.0f} a second")
    print(f"goal {GOAL:,} a second, ratio {rate / GOAL:.2f}")


if __name__ == "__main__":
    main()

"""A full Kraken game of sixteen rounds with every card checked, in milliseconds, against the goal of 50 ms.

    python benchmarks/bench_kraken.py [--repeat N] [--known]

Hands stay unknown unless ``--known`` is given, as a camera sees them: then each card is held against all earlier
plays of its seat (R17), which is the dearer way. The game is the same for every run (seeded); the best of the
repetitions is reported, beside the median.
"""

import argparse
import random
import statistics
import time

from referee.rules.kraken import (
    SEATS,
    Challenge,
    Claim,
    Deal,
    Declare,
    DeclarePair,
    Event,
    KrakenEngine,
    Laid,
    Record,
    Trump,
)
from referee.rules.kraken.cards import DECK

GOAL_MS = 50.0


def random_game(seed: int, known: bool) -> list[Event]:
    """Return the events of a game of random legal cards, with challenges, declarations and claims."""
    rng = random.Random(seed)
    engine = KrakenEngine()
    table = state = engine.start()
    events: list[Event] = []

    def happen(event: Event) -> None:
        nonlocal state, table
        # The table knows the hands, which the recorded events keep only if asked to.
        table = engine.apply(table, event)
        kept = Deal(event.dealer) if isinstance(event, Deal) and not known else event
        state = engine.apply(state, kept)
        events.append(kept)

    while not table.over:
        deck = list(DECK)
        rng.shuffle(deck)
        hands = {seat: tuple(deck[i * 8 : i * 8 + 8]) for i, seat in enumerate(SEATS)}
        happen(Deal.known(engine.legal(table)["deal"]["dealers"][0], hands))
        happen(Trump(engine.legal(table)["trump"]["seat"], rng.choice("CDHS")))
        while "challenge" in (legal := engine.legal(table)) and rng.random() < 0.4:
            happen(Challenge(legal["challenge"]["seats"][0], legal["challenge"]["word"]))
        for seat, combinations in engine.legal(table)["declare"].items():
            for combination in combinations:
                happen(Declare(seat, tuple(combination["cards"])))
        while "laid" in (legal := engine.legal(table)) or "claim" in legal:
            if "claim" in legal:
                happen(Claim(legal["claim"]["team"]))
            elif "declare_pair" in legal:
                happen(DeclarePair(legal["declare_pair"]["seats"][0]))
            else:
                happen(Laid(legal["laid"]["seat"], rng.choice(legal["laid"]["cards"])))
        happen(Record())
    assert engine.score(state) == engine.score(table)
    return events


def main() -> None:
    """Time the game and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--known", action="store_true", help="deal known hands")
    options = parser.parse_args()
    events = random_game(1, options.known)
    engine = KrakenEngine()
    times = []
    for _ in range(options.repeat):
        start = time.perf_counter()
        state = engine.start()
        for event in events:
            state = engine.apply(state, event)
        times.append((time.perf_counter() - start) * 1000)
    assert state.over
    best = min(times)
    print(f"{len(events)} events, hands {'known' if options.known else 'unknown'}")
    print(
        f"best {best:.1f} ms, median {statistics.median(times):.1f} ms; goal {GOAL_MS:.0f}, ratio {best / GOAL_MS:.2f}"
    )


if __name__ == "__main__":
    main()

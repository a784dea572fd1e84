"""Random play of Kraken: it always ends, sums are right, nothing is negative, taking back and replaying are exact."""

import json
import random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

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
    Stake,
    State,
    Trump,
)
from referee.rules.kraken.cards import DECK, card_points, combinations_in
from referee.rules.kraken.state import ContraDuty, FalseDeclaration, Revoke

OPTIONS = st.fixed_dictionaries(
    {
        "challenge_won": st.sampled_from(["winner", "both"]),
        "bonuses": st.sampled_from(["own", "winner"]),
        "last_trick": st.sampled_from([0, 10]),
    }
)


def candidates(legal: dict[str, Any], rng: random.Random, honest: bool) -> list[Event]:
    """The events that legal() lists, each choice drawn; a dishonest table also plays any card not yet seen."""
    events: list[Event] = []
    if "stake" in legal and rng.random() < 0.3:
        events.append(Stake(rng.randint(1, 9)))
    if "deal" in legal:
        deck = list(DECK)
        rng.shuffle(deck)
        known = rng.sample(SEATS, 4 if honest else rng.choice([0, 0, 2]))
        hands = {seat: tuple(deck[8 * i : 8 * i + 8]) for i, seat in enumerate(SEATS) if seat in known}
        events.append(Deal.known(rng.choice(legal["deal"]["dealers"]), hands))
    if "trump" in legal:
        events.append(Trump(legal["trump"]["seat"], rng.choice(legal["trump"]["suits"])))
    if "challenge" in legal:
        events.append(Challenge(rng.choice(legal["challenge"]["seats"]), legal["challenge"]["word"]))
    for seat, combinations in legal.get("declare", {}).items():
        if combinations is not None:
            events += [Declare(seat, tuple(one["cards"])) for one in combinations]
    if "declare_pair" in legal:
        events.append(DeclarePair(rng.choice(legal["declare_pair"]["seats"])))
    if "claim" in legal:
        events.append(Claim(legal["claim"]["team"]))
    if "laid" in legal:
        events.append(Laid(legal["laid"]["seat"], rng.choice(legal["laid"]["cards"])))
    if "record" in legal:
        events.append(Record())
    return events


def check(engine: KrakenEngine, state: State) -> None:
    """What holds of every state."""
    assert all(points >= 0 for points in (*state.scores, *state.crosses))
    assert sum(state.payment) == 0
    for result in state.results:
        assert sum(result.card_points) == 152
        assert sum(result.last_trick) == engine.settings.last_trick
        for team in (0, 1):
            assert result.tallies[team] == (
                result.card_points[team] + result.last_trick[team] + result.declarations[team]
            )
            assert result.points[team] % result.multiplier == 0
        assert 0 in result.points or result.challenge is None or engine.settings.challenge_won == "both"
    rnd = state.round
    if rnd is not None and rnd.trump is not None:
        seen = list(rnd.played())
        assert len(seen) == 4 * len(rnd.tricks) + len(rnd.table)
        counted = sum(trick.points for trick in rnd.tricks) + sum(card_points(c, rnd.trump) for c in rnd.table)
        assert counted == sum(card_points(card, rnd.trump) for card in seen)
    owed = [state.duty(team) for team in (0, 1)]
    assert all(0 <= due <= 4 and 0 <= left <= 8 for due, left in owed)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32), options=OPTIONS, honest=st.booleans())
def test_random_legal_play_always_ends_and_replays_the_same(seed, options, honest):
    rng = random.Random(seed)
    engine = KrakenEngine(**options)
    state = engine.start()
    log = []
    while not state.over:
        events = candidates(engine.legal(state), rng, honest)
        event = rng.choice(events)
        state = engine.apply(state, event)
        log.append(json.dumps(engine.event_to_json(event)))
        assert len(log) < 1100
    check(engine, state)
    if honest:
        assert all(isinstance(report, ContraDuty) for report in state.reports)
    assert len(state.results) == 16
    again = engine.start()
    for line in log:
        again = engine.apply(again, engine.event_from_json(json.loads(line)))
    assert again == state


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_r17_what_is_proven_piece_by_piece_is_what_dealt_hands_show_at_once(seed):
    """The same careless play with hands known and unknown: after eight tricks both have found the same revokes."""
    rng = random.Random(seed)
    engine = KrakenEngine()
    deck = list(DECK)
    rng.shuffle(deck)
    hands = {seat: list(deck[8 * i : 8 * i + 8]) for i, seat in enumerate(SEATS)}
    trump = rng.choice("CDHS")
    known = engine.apply(engine.start(), Deal.known("W", {seat: tuple(cards) for seat, cards in hands.items()}))
    unknown = engine.apply(engine.start(), Deal("W"))
    events: list[Event] = [Trump("N", trump)]
    declarers = rng.sample(SEATS, 2)
    events += [Declare(seat, made.cards) for seat in declarers for made in combinations_in(hands[seat])]
    for event in events:
        known, unknown = engine.apply(known, event), engine.apply(unknown, event)
    for _ in range(32):
        assert known.round is not None
        seat = known.round.on_turn
        card = rng.choice(hands[seat])
        hands[seat].remove(card)
        known, unknown = engine.apply(known, Laid(seat, card)), engine.apply(unknown, Laid(seat, card))
        found = {(r.trick, r.seat) for r in unknown.round.revokes}  # type: ignore[union-attr]
        assert found <= {(r.trick, r.seat) for r in known.round.revokes}  # type: ignore[union-attr]
    facts = [
        [(r.trick, r.seat, r.card, r.clause, r.due, r.held) for r in state.round.revokes]  # type: ignore[union-attr]
        for state in (known, unknown)
    ]
    assert [fact[:5] for fact in facts[0]] == [fact[:5] for fact in facts[1]]
    assert all(isinstance(report, Revoke | ContraDuty) and report for report in unknown.reports)
    assert not any(isinstance(report, FalseDeclaration) for report in unknown.reports)
    assert all(r.status == "proven" for r in known.reports if isinstance(r, Revoke))


class KrakenMachine(RuleBasedStateMachine):
    """Acts and takings back in any order; the history is the truth that each state is held against."""

    @initialize(options=OPTIONS, seed=st.integers(0, 2**32), honest=st.booleans())
    def begin(self, options: dict[str, Any], seed: int, honest: bool) -> None:
        self.engine = KrakenEngine(**options)
        self.rng = random.Random(seed)
        self.honest = honest
        self.states = [self.engine.start()]
        self.events: list[Event] = []

    @rule(steps=st.integers(1, 40))
    def play(self, steps: int) -> None:
        for _ in range(steps):
            events = candidates(self.engine.legal(self.states[-1]), self.rng, self.honest)
            if not events:
                return
            self.events.append(self.rng.choice(events))
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


KrakenMachine.TestCase.settings = settings(max_examples=12, stateful_step_count=12, deadline=None)
TestKrakenMachine = KrakenMachine.TestCase

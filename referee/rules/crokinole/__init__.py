"""Crokinole as a pure engine (clauses C1-C26): shots told by facts in, consequences and scores out."""

from collections.abc import Mapping
from typing import Any

from referee.rules.crokinole.rounds import board_points, fresh_round, hammer, record, take_result, time_out
from referee.rules.crokinole.setup import Setup, make_setup, setup_options
from referee.rules.crokinole.shots import shoot
from referee.rules.crokinole.table import (
    KINDS,
    Counted,
    Event,
    Lying,
    Outcome,
    Recorded,
    Rest,
    Result,
    RoundResult,
    Shot,
    State,
    TimeOut,
    position,
)

__all__ = [
    "Counted",
    "Crokinole",
    "Event",
    "Lying",
    "Outcome",
    "Recorded",
    "Rest",
    "Result",
    "RoundResult",
    "Setup",
    "Shot",
    "State",
    "TimeOut",
    "board_points",
    "hammer",
    "position",
]


class Crokinole:
    """The engine; ``options`` are those of :func:`make_setup`."""

    game = "crokinole"
    kinds = KINDS

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        self.setup = make_setup(options or {})

    def options(self) -> dict[str, Any]:
        """The options, all written out, that make this engine again."""
        return setup_options(self.setup)

    def start(self) -> State:
        """Return the state before the first shot of round 1."""
        none = (0,) * len(self.setup.sides)
        empty = State(self.setup, 1, (), 0, 0, (), (), none, None, none, none, (), False, None)
        return fresh_round(empty)

    def apply(self, state: State, event: Event) -> State:
        """Return the state after ``event``; raises RuleError when it can't have happened."""
        if type(event) is Shot:
            return shoot(state, event)
        if type(event) is Recorded:
            return record(state, event)
        if type(event) is Result:
            return take_result(state, event)
        if type(event) is TimeOut:
            return time_out(state)
        raise TypeError(f"{type(event).__name__} is no event of crokinole")

    def legal(self, state: State) -> dict[str, Any]:
        """What may happen next.

        ``events``: the kinds that are possible. While shots are due, ``seats`` names who is on turn (several
        where C22 leaves it open, and before the first shot if nobody has chosen who opens), ``side`` their side (None
        where more than one may shoot), ``must`` the clause to meet and ``task`` in words, and ``discs_left`` the side's
        discs not yet shot. ``hammer`` is who shoots last (None while that is open), ``rule`` what waits for a ruling.
        """
        setup = state.setup
        if state.over:
            return {"events": []}
        common = {
            "round": state.round,
            "deciding": state.deciding,
            "hammer": None if state.anyone_opens else hammer(state),
        }
        if state.shots >= state.stop:
            open_values = [disc.id for disc in state.board if disc.value is None]
            return {**common, "events": ["recorded"], "open_values": open_values}
        seats = state.on_turn
        side = setup.side_at(seats[0])
        sides = {setup.side_at(seat) for seat in seats}
        shot = [setup.side_of[state.cycle[i % len(state.cycle)]] for i in range(state.shots)].count(side)
        opposed = any(disc.side != side for disc in state.board)
        task = "touch an opposing disc" if opposed else "leave a disc in the hole, inside the 15 circle or touching it"
        events = ["shot"]
        if not state.shots and not state.outcome:
            events.append("result")
        if setup.preset == "nca" and state.stop == setup.shots_a_round and not state.undecided:
            events.append("time_out")
        return {
            **common,
            "events": events,
            "seats": list(seats),
            "side": setup.sides[side] if len(sides) == 1 else None,
            "shot": state.shots + 1,
            "of": state.stop,
            "discs_left": setup.side_discs(side) - shot,
            "must": "C8" if opposed else "C7",
            "task": task,
            "rule": list(state.undecided),
        }

    def score(self, state: State) -> dict[str, int]:
        """Return the match score by side (C18, C20, C23, C24)."""
        return dict(zip(self.setup.sides, state.score, strict=True))

    def winners(self, state: State) -> list[str] | None:
        """The side that has won, both in a draw (C24), None while the game goes on."""
        if not state.over:
            return None
        return list(self.setup.sides) if state.winner is None else [self.setup.sides[state.winner]]

    def sheet(self, state: State) -> list[list[str | int]]:
        """The score sheet: a line of headings, then one line a recorded round."""
        sides = self.setup.sides
        heads: list[str | int] = ["round", "shoots first", "shoots last (hammer)"]
        for what in ("points", "twenties", "gained", "score"):
            heads += [f"{what} {side}" for side in sides]
        rows = [heads]
        totals = [0] * len(sides)
        for done in state.played:
            totals = [a + b for a, b in zip(totals, done.gained, strict=True)]
            rows.append([done.number, done.first, done.hammer, *done.points, *done.twenties, *done.gained, *totals])
        return rows

    def position(self, state: State) -> str:
        """Where the game stands, in words."""
        return position(state)

    def event_to_json(self, event: Any) -> dict[str, Any]:
        """Return the event as JSON data with a ``kind``."""
        return KINDS.to_json(event)

    def event_from_json(self, data: dict[str, Any]) -> Any:
        """Return the event from JSON data; raises ValueError naming the wrong field."""
        return KINDS.from_json(data)

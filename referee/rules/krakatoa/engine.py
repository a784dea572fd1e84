"""The Krakatoa engine: from throws to totals, bonuses and whose turn it is (K1-K17)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from referee.rules.krakatoa.faults import flags_of, flags_of_throw_off, ruling_faults, throw_faults, throw_off_faults
from referee.rules.krakatoa.state import (
    BOXES,
    KINDS,
    ROUNDS,
    THROWS,
    Event,
    Line,
    OffThrow,
    Pending,
    Ruling,
    Scored,
    State,
    Throw,
    ThrowOff,
)
from referee.rules.krakatoa.table import is_scratch, readable, ruled_off, ruled_sets
from referee.rules.krakatoa.values import MARKS, MOST, SETS, Bonus, ValueTable, bonuses, in_order
from referee.rules.protocol import Fault, RuleError


class KrakatoaEngine:
    """Krakatoa (K1-K17).

    ``players``: their number, or their names clockwise, 2 to 4 (K2). ``teams``: four players as two teams of those
    sitting opposite (K14); a team is one side, with one line on the sheet and one throw in the throw-off, and its
    first player throws in the odd rounds. ``values``: the name of a table or a group's own one (K8). ``basic``: the
    game without bonuses, those of the throw-off included (K15).
    """

    game = "krakatoa"
    kinds = KINDS

    def __init__(
        self,
        *,
        players: int | Sequence[str] = 2,
        teams: bool = False,
        values: str | Mapping[str, int] = "standard",
        basic: bool = False,
    ) -> None:
        names = tuple("ABCD"[:players]) if isinstance(players, int) else tuple(players)
        count = players if isinstance(players, int) else len(names)
        if isinstance(players, str) or not 2 <= count <= 4 or len(set(names)) != count or not all(names):
            raise ValueError(f"players: {players!r}, expected 2 to 4, or as many different names (K2)")
        if teams and count != 4:
            raise ValueError(f"teams: {count} players, expected 4 (K14)")
        self.players = names
        self.teams = teams
        self.table = ValueTable(values)
        self.basic = basic
        self._partners = ((names[0], names[2]), (names[1], names[3])) if teams else tuple((name,) for name in names)
        self.sides = tuple("+".join(partners) for partners in self._partners)

    def options(self) -> dict[str, Any]:
        """Return the options, all written out, that make this engine again."""
        return {
            "players": list(self.players),
            "teams": self.teams,
            "values": self.table.as_option(),
            "basic": self.basic,
        }

    def start(self) -> State:
        """Return the game before the throw-off."""
        sides = tuple(range(len(self.sides)))
        return State(lines=(Line(),) * len(sides), heat=sides, waiting=sides)

    def apply(self, state: State, event: Event) -> State:
        """Return the game after ``event``; raises RuleError when it can't have happened."""
        if isinstance(event, ThrowOff):
            self._refuse(state, throw_off_faults(state, event, self._throwers(state)))
            if reasons := flags_of_throw_off(event):
                return self._flag(state, event, reasons)
            return self._count_throw_off(state, event)
        if isinstance(event, Throw):
            self._refuse(state, throw_faults(state, event, self._throwers(state)))
            if reasons := flags_of(state, event):
                return self._flag(state, event, reasons)
            return self._count(state, event, is_scratch(state, event))
        if isinstance(event, Ruling):
            self._refuse(state, ruling_faults(state, event))
            return self._rule(state, event)
        raise TypeError(f"{event!r} is no event of Krakatoa")

    def legal(self, state: State) -> dict[str, Any]:
        """Return what may happen next, as plain data.

        ``events``: the kinds that fit. In the throw-off ``players``: who may throw. In a round ``player``, ``round``,
        ``throw``, ``sets``: the choices of what to throw, ``rethrow``: whether all nine may be thrown once more
        instead, ``must_hit``, ``mark`` and ``multiplier`` of the throw, ``box`` of an extra throw, ``boxes_left``.
        ``ruling``: why a throw waits for one.
        """
        if state.over:
            return {"events": []}
        if state.pending is not None:
            return {"events": ["ruling"], "ruling": list(state.pending.reasons), "player": state.pending.event.player}
        if not state.round:
            return {"events": ["throw_off"], "players": list(self._throwers(state)), "sets": [[name] for name in SETS]}
        mark = state.lines[state.side].marks[0]
        return {
            "events": ["throw"],
            "player": self._throwers(state)[0],
            "side": self.sides[state.side],
            "round": state.round,
            "throw": state.throw,
            "sets": [list(names) for names in state.due_sets],
            "rethrow": state.before is not None,
            "must_hit": state.throw > 1,
            "mark": MARKS[mark],
            "multiplier": 2**mark,
            "box": state.boxes_used if state.extra else None,
            "boxes_left": BOXES - state.boxes_used,
        }

    def over(self, state: State) -> bool:
        """Return whether the game is over (K4)."""
        return state.over

    def score(self, state: State) -> dict[str, int]:
        """Return each side's total (K7)."""
        return {side: line.total for side, line in zip(self.sides, state.lines, strict=True)}

    def winners(self, state: State) -> list[str] | None:
        """Return who has the highest total once the game is over, all of them at a tie (K2), else None."""
        if not state.over:
            return None
        best = max(line.total for line in state.lines)
        return [side for side, total in self.score(state).items() if total == best]

    def sheet(self, state: State) -> list[list[str | int]]:
        """Return the score sheet: the totals box by box, extra throws at the end, with a last line of totals."""
        filled = {(t.side, t.round, t.throw): t.total for t in state.throws if not t.annulled}
        throws = [(number, throw) for number in range(1, ROUNDS + 1) for throw in range(1, THROWS + 1)]
        throws += sorted({(t.round, t.throw) for t in state.throws} - set(throws))
        rows: list[list[str | int]] = [["throw", *self.sides]]
        rows += [[f"{r}.{t}", *[filled.get((side, r, t), "") for side in self.sides]] for r, t in throws]
        return [*rows, ["total", *self.score(state).values()]]

    def position(self, state: State) -> str:
        """Return in words where the game stands."""
        totals = ", ".join(f"{side} {total}" for side, total in self.score(state).items())
        if state.over:
            return f"game over; totals {totals}"
        if not state.round:
            where = f"throw-off, {' and '.join(self._throwers(state))} to throw"
        else:
            box = f" (bonus box {state.boxes_used})" if state.extra else ""
            where = f"round {state.round}, throw {state.throw}{box} of {self._throwers(state)[0]}"
        waits = ", waiting for a ruling" if state.pending is not None else ""
        return f"{where}{waits}; totals {totals}"

    def event_to_json(self, event: Any) -> dict[str, Any]:
        """Return the event as JSON data with a ``kind``."""
        return KINDS.to_json(event)

    def event_from_json(self, data: dict[str, Any]) -> Any:
        """Return the event from JSON data; raises ValueError naming the wrong field."""
        return KINDS.from_json(data)

    def _throwers(self, state: State) -> tuple[str, ...]:
        """Return who may throw: in the throw-off anybody of a waiting side, else the one on turn (K3, K4, K14)."""
        if state.over:
            return ()
        if not state.round:
            return tuple(name for side in state.waiting for name in self._partners[side])
        partners = self._partners[state.side]
        # Round six is the second partner's, and so are the extra throws that follow it.
        return (partners[(state.round - 1) % len(partners)],)

    def _side_of(self, player: str) -> int:
        return next(side for side, partners in enumerate(self._partners) if player in partners)

    def _refuse(self, state: State, faults: list[Fault]) -> None:
        if faults:
            raise RuleError(self.position(state), *faults)

    def _flag(self, state: State, event: ThrowOff | Throw, reasons: tuple[str, ...]) -> State:
        """Return the game waiting for a ruling on an irregular throw (K17)."""
        where = self.position(state).split(";")[0]
        flags = tuple(f"{where}: {reason}" for reason in reasons)
        return replace(state, pending=Pending(event, reasons), flags=state.flags + flags)

    def _rule(self, state: State, ruling: Ruling) -> State:
        """Return the game after a ruling on the pending throw (K17)."""
        assert state.pending is not None
        event = state.pending.event
        ruled = replace(state, pending=None)
        if ruling.decision == "again":
            return replace(ruled, table=(None,) * len(SETS))
        if isinstance(event, ThrowOff):
            return self._count_throw_off(ruled, replace(event, colours=ruled_off(event, ruling)))
        if ruling.decision == "nothing":
            return self._count(ruled, event, scratch=True)
        steam, ash, lava = ruled_sets(event, ruling)
        seen = replace(event, steam=steam, ash=ash, lava=lava)
        return self._count(ruled, seen, is_scratch(state, seen))

    def _count_throw_off(self, state: State, event: ThrowOff) -> State:
        """Return the game after a throw of the throw-off, and after the last one with round 1 begun (K3)."""
        side = self._side_of(event.player)
        mark = 0 if self.basic else {"Deuce": 1, "Volcano": 2}.get(self.table.title(event.colours), 0)
        thrown = OffThrow(side, event.set, in_order(event.colours), self.table.value(event.colours), mark)
        state = replace(
            state,
            throw_off=(*state.throw_off, thrown),
            waiting=tuple(other for other in state.waiting if other != side),
        )
        if state.waiting:
            return state
        last = {one.side: one for one in state.throw_off}
        best = max(last[one].value for one in state.heat)
        tied = tuple(one for one in state.heat if last[one].value == best)
        if len(tied) > 1:
            return replace(state, heat=tied, waiting=tied)
        lines = tuple(replace(line, marks=(last[i].mark, 0)) for i, line in enumerate(state.lines))
        return replace(state, lines=lines, heat=(), round=1, order=self._clockwise_from(tied[0]))

    def _clockwise_from(self, starter: int) -> tuple[int, ...]:
        """Return the order of a round (K14)."""
        count = len(self.sides)
        return tuple((starter + i) % count for i in range(count))

    def _count(self, state: State, event: Throw, scratch: bool) -> State:
        """Return the game after a throw that counts: its points, the marks it writes, and what comes next."""
        rethrow = state.before is not None and event.all_nine
        if rethrow:
            assert state.before is not None
            state = _annulled(state)
        throw = 1 if rethrow else state.throw
        line = state.lines[state.side]
        sets = tuple(in_order(colours) if readable(colours) else colours for colours in event.sets)
        points = 0 if scratch else sum(map(self.table.value, sets)) * 2 ** line.marks[0]
        total = line.total + points
        won = () if scratch or self.basic else bonuses(line.total, total, sets, self.table)
        first, second = _written(state, throw, won)
        scored = Scored(
            player=event.player,
            side=self.sides[state.side],
            round=state.round,
            throw=throw,
            rethrow=rethrow,
            sets=sets,
            thrown=tuple(name for name in SETS if name in event.thrown),
            scratch=scratch,
            mark=MARKS[line.marks[0]],
            points=points,
            total=total,
            bonus=MARKS[first],
            second=MARKS[second],
            why=", ".join(bonus.name for bonus in won),
            box=state.boxes_used if state.extra else None,
        )
        marks = (min(MOST, line.marks[1] + first), second)
        lines = tuple(Line(total, marks) if i == state.side else other for i, other in enumerate(state.lines))
        state = replace(
            state,
            lines=lines,
            table=tuple(colours if readable(colours) else None for colours in sets),
            throws=(*state.throws, scored),
            before=line if throw == 1 and not rethrow else None,
            throw=throw,
        )
        return self._next(state)

    def _next(self, state: State) -> State:
        """Return the game with the next throw due, or the next side's turn, or the next round, or the end (K4)."""
        if state.throw < THROWS:
            return replace(state, throw=state.throw + 1)
        if state.round == ROUNDS and state.lines[state.side].marks[0]:
            # A mark after throw 5 of round six stands in a bonus box, and is thrown for at once (K13).
            return replace(state, throw=state.throw + 1, boxes_used=state.boxes_used + 1)
        state = replace(state, throw=1, table=(None,) * len(SETS))
        if state.turn + 1 < len(state.order):
            return replace(state, turn=state.turn + 1)
        best = max(line.total for line in state.lines)
        # Whoever started the last round comes first in its order, so that a tie is broken by that order alone (K4).
        starter = next(side for side in state.order if state.lines[side].total == best)
        return replace(state, round=state.round + 1, turn=0, order=self._clockwise_from(starter))


def _annulled(state: State) -> State:
    """Return the game as it was before the first throw of all nine, which is thrown once more (K5)."""
    assert state.before is not None
    first = state.throws[-1]
    gone = replace(first, points=0, total=state.before.total, bonus="", second="", why="", annulled=True)
    lines = tuple(state.before if i == state.side else line for i, line in enumerate(state.lines))
    return replace(state, lines=lines, throws=(*state.throws[:-1], gone))


def _written(state: State, throw: int, won: tuple[Bonus, ...]) -> tuple[int, int]:
    """Return the weights that a throw's bonuses write into the next two boxes (K9, K12, K13)."""
    first, second = sum(bonus.next for bonus in won), sum(bonus.second for bonus in won)
    if state.round == ROUNDS and throw >= THROWS - 1:
        # After throw 4 only throw 5 is left; from throw 5 on as many boxes as nobody has used.
        boxes = 1 if throw == THROWS - 1 else BOXES - state.boxes_used
        first, second = first if boxes >= 1 else 0, second if boxes >= 2 else 0
    return min(MOST, first), min(MOST, second)

"""Yacht as a pure engine (clauses Y1-Y7): rolls and filled categories in, the score sheet out."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from referee.rules.codec import Kinds
from referee.rules.protocol import Fault, RuleError

FourOfAKind = Literal["five", "four"]

NUMBERS = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}
# in the order of the sheet (Y4)
CATEGORIES = (
    "yacht",
    "big straight",
    "little straight",
    "four of a kind",
    "full house",
    "choice",
    *reversed(NUMBERS),
)
DICE = 5
ROLLS = 3


def points(category: str, dice: tuple[int, ...], four_of_a_kind: FourOfAKind = "five") -> int:
    """The points of five dice in a category by Y4, 0 if they don't fit it; Y6 is ``four_of_a_kind="four"``."""
    if category in NUMBERS:
        return NUMBERS[category] * dice.count(NUMBERS[category])
    counts, total = sorted(Counter(dice).values()), sum(dice)
    if category == "four of a kind":
        # sorted, the middle die is one of the four
        worth = total if four_of_a_kind == "five" else 4 * sorted(dice)[2]
        return worth if counts[-1] >= 4 else 0
    fits, worth = {
        "yacht": (counts == [DICE], 50),
        "big straight": (sorted(dice) == [2, 3, 4, 5, 6], 30),
        "little straight": (sorted(dice) == [1, 2, 3, 4, 5], 30),
        "full house": (counts == [2, 3], total),
        "choice": (True, total),
    }[category]
    return worth if fits else 0


@dataclass(frozen=True, slots=True)
class Roll:
    """The dice on the table after a roll (Y2).

    ``dice``: all of them, kept ones too; None for a cocked die, and a die off the table is left out (Y7).
    ``kept``: the values that were not rolled. ``announced``: how many dice the player said to roll, if known.
    """

    player: str
    dice: tuple[int | None, ...]
    kept: tuple[int, ...] = ()
    announced: int | None = None


@dataclass(frozen=True, slots=True)
class Fill:
    """The player fills a category with the dice as they lie (Y3)."""

    player: str
    category: str


Event = Roll | Fill
KINDS = Kinds(roll=Roll, fill=Fill)


@dataclass(frozen=True, slots=True)
class State:
    """Where a game stands: ``sheet`` holds each player's filled categories, ``turn`` counts all turns from 0.

    ``dice``: as they lie after the last roll that counts, None without value. ``doubt``: what must be
    settled before they count (Y7), ``flags``: everything irregular so far, in order.
    """

    sheet: tuple[tuple[tuple[str, int], ...], ...]
    turn: int = 0
    rolls: int = 0
    dice: tuple[int | None, ...] = ()
    doubt: str | None = None
    flags: tuple[str, ...] = ()


class Yacht:
    """The engine. Options: ``players`` (their names, in turn order), ``four_of_a_kind`` (Y6: "five", "four")."""

    game = "yacht"
    kinds = KINDS

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        options = options or {}
        for name in options:
            if name not in ("players", "four_of_a_kind"):
                raise ValueError(f"option {name!r} is unknown; known are players, four_of_a_kind")
        players = options.get("players", ("A",))
        if isinstance(players, str) or not all(isinstance(p, str) and p.strip() for p in players):
            raise ValueError(f"option 'players' is {players!r}, expected a list of names")
        self.players: tuple[str, ...] = tuple(players)
        if not self.players or len(set(self.players)) != len(self.players):
            raise ValueError(f"option 'players' is {players!r}, expected one or more different names (Y1)")
        four = options.get("four_of_a_kind", "five")
        if four not in ("five", "four"):
            raise ValueError(f"option 'four_of_a_kind' is {four!r}, expected five or four (Y6)")
        self.four_of_a_kind: FourOfAKind = four

    def options(self) -> dict[str, Any]:
        """The options, all written out, that make this engine again."""
        return {"players": list(self.players), "four_of_a_kind": self.four_of_a_kind}

    def start(self) -> State:
        """Return the state before the first roll."""
        return State(sheet=((),) * len(self.players))

    def over(self, state: State) -> bool:
        """Whether every player has had twelve turns (Y1)."""
        return state.turn >= len(CATEGORIES) * len(self.players)

    def player(self, state: State) -> str:
        """The player on turn."""
        return self.players[state.turn % len(self.players)]

    def apply(self, state: State, event: Event) -> State:
        """Return the state after ``event``; raises RuleError when it can't have happened."""
        if type(event) is Roll:
            return self._roll(state, event)
        if type(event) is Fill:
            return self._fill(state, event)
        raise TypeError(f"{type(event).__name__} is no event of yacht")

    def _turn_faults(self, state: State, player: str) -> list[Fault]:
        if self.over(state):
            return [Fault("Y1", f"{player} after the last turn", "nothing, the game is over")]
        if player != self.player(state):
            return [Fault("Y1", f"{player} out of turn", self.player(state))]
        return []

    def _roll(self, state: State, roll: Roll) -> State:
        faults = self._turn_faults(state, roll.player)
        if len(roll.dice) > DICE:
            faults.append(Fault("Y1", f"{len(roll.dice)} dice", "five dice"))
        faults += [Fault("Y1", f"a die showing {v}", "1 to 6") for v in roll.dice if v is not None and not 1 <= v <= 6]
        kept = Counter(roll.kept)
        if kept - Counter(v for v in state.dice if v is not None):
            faults.append(Fault("Y2", f"kept {list(roll.kept)}", f"dice that lay there: {_shown(state.dice)}"))
        if kept - Counter(v for v in roll.dice if v is not None):
            faults.append(
                Fault("Y2", f"kept {list(roll.kept)} of {_shown(roll.dice)}", "kept dice that stay as they are")
            )
        rolled = DICE - len(roll.kept)
        if rolled < 1:
            faults.append(Fault("Y2", "a roll of no dice", "one to five dice rolled"))
        if roll.announced is not None and not 1 <= roll.announced <= DICE:
            faults.append(Fault("Y2", f"{roll.announced} dice announced", "one to five"))
        if faults:
            raise RuleError(self.position(state), *faults)

        who = f"Y7: {roll.player}, turn {state.turn // len(self.players) + 1}"
        # re-rolling just the dice without a value completes the roll they fell in, it isn't one more
        again = state.rolls > 0 and kept == Counter(v for v in state.dice if v is not None)
        if state.rolls == ROLLS and not again:
            # Y7: what was done is on record, what counts are the dice of the third roll
            return replace(state, flags=(*state.flags, f"{who}: a fourth roll, not counted"))
        flags, doubt = [], []
        if None in roll.dice:
            doubt.append(f"{roll.dice.count(None)} cocked")
        if len(roll.dice) < DICE:
            doubt.append(f"{DICE - len(roll.dice)} off the table")
        if roll.announced is not None and rolled < roll.announced:
            doubt.append(f"{rolled} rolled, {roll.announced} announced")
        if doubt:
            flags = [f"{who}: {what}" for what in doubt]
        return replace(
            state,
            rolls=state.rolls if again else state.rolls + 1,
            dice=roll.dice,
            doubt="; ".join(doubt) or None,
            flags=(*state.flags, *flags),
        )

    def _fill(self, state: State, fill: Fill) -> State:
        faults = self._turn_faults(state, fill.player)
        if fill.category not in CATEGORIES:
            faults.append(Fault("Y4", f"category {fill.category!r}", "one of " + ", ".join(CATEGORIES)))
        elif fill.player in self.players:
            filled = dict(state.sheet[self.players.index(fill.player)])
            if fill.category in filled:
                open_ones = ", ".join(c for c in CATEGORIES if c not in filled) or "none"
                wrong = f"{fill.category} filled already with {filled[fill.category]}"
                faults.append(Fault("Y3", wrong, f"an open category: {open_ones}"))
        if not state.rolls:
            faults.append(Fault("Y2", "a category filled before a roll", "a roll of all five dice"))
        if state.doubt:
            faults.append(Fault("Y7", f"dice that don't count yet ({state.doubt})", "a re-roll or a ruling"))
        if faults:
            raise RuleError(self.position(state), *faults)
        who = self.players.index(fill.player)
        scored = (fill.category, points(fill.category, _values(state.dice), self.four_of_a_kind))
        sheet = tuple((*row, scored) if i == who else row for i, row in enumerate(state.sheet))
        return State(sheet=sheet, turn=state.turn + 1, flags=state.flags)

    def legal(self, state: State) -> dict[str, Any]:
        """What may happen next.

        ``player`` on turn, ``rolls_left``, ``events``, ``categories``: each open one with the points that the
        dice would give (None while they don't count), ``doubt``: what must be re-rolled or ruled (Y7).
        """
        if self.over(state):
            return {"events": []}
        filled = dict(state.sheet[state.turn % len(self.players)])
        countable = state.rolls > 0 and state.doubt is None
        worth = {
            category: points(category, _values(state.dice), self.four_of_a_kind) if countable else None
            for category in CATEGORIES
            if category not in filled
        }
        may_roll = state.rolls < ROLLS or _missing(state.dice) > 0
        events = [*(["roll"] if may_roll else []), *(["fill"] if countable else [])]
        return {
            "player": self.player(state),
            "turn": state.turn // len(self.players) + 1,
            "rolls_left": ROLLS - state.rolls,
            "dice": list(state.dice),
            "events": events,
            "categories": worth,
            "doubt": state.doubt,
        }

    def score(self, state: State) -> dict[str, int]:
        """Return each player's total."""
        return {p: sum(n for _, n in row) for p, row in zip(self.players, state.sheet, strict=True)}

    def winners(self, state: State) -> list[str] | None:
        """The players with the highest total once the game is over (Y5: equal totals share), else None."""
        if not self.over(state):
            return None
        totals = self.score(state)
        return [player for player, total in totals.items() if total == max(totals.values())]

    def sheet(self, state: State) -> list[list[str | int]]:
        """The score sheet: a line of headings, one line a category (empty where open), the totals."""
        filled = [dict(row) for row in state.sheet]
        rows: list[list[str | int]] = [["category", *self.players]]
        rows += [[category, *[row.get(category, "") for row in filled]] for category in CATEGORIES]
        return [*rows, ["total", *self.score(state).values()]]

    def position(self, state: State) -> str:
        """Where the game stands, in words, for messages."""
        totals = ", ".join(f"{player} {total}" for player, total in self.score(state).items())
        if self.over(state):
            return f"game over; totals {totals}"
        dice = f", dice {_shown(state.dice)}" if state.rolls else ""
        turn = state.turn // len(self.players) + 1
        return f"turn {turn} of {self.player(state)}, {state.rolls} of {ROLLS} rolls done{dice}; totals {totals}"

    def event_to_json(self, event: Any) -> dict[str, Any]:
        """Return the event as JSON data with a ``kind``."""
        return KINDS.to_json(event)

    def event_from_json(self, data: dict[str, Any]) -> Any:
        """Return the event from JSON data; raises ValueError naming the wrong field."""
        return KINDS.from_json(data)


def _values(dice: tuple[int | None, ...]) -> tuple[int, ...]:
    return tuple(v for v in dice if v is not None)


def _missing(dice: tuple[int | None, ...]) -> int:
    return DICE - len(_values(dice))


def _shown(dice: tuple[int | None, ...]) -> str:
    return "-".join("?" if v is None else str(v) for v in dice) or "none"

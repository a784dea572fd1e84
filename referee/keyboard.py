"""How a person tells a match by keyboard: what may be typed in each game, and which event it means."""

import json
import re
from typing import Any

from referee.rules.crokinole import Counted, Crokinole, Recorded, Rest, Result, Shot, TimeOut
from referee.rules.yacht import CATEGORIES, DICE, Fill, Roll, Yacht


class Words:
    """The typed language of a game. This one serves every game: ``KIND field=value ...``."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine

    def help(self, state: Any) -> str:
        """What may be typed now."""
        lines = [
            "Type an event as KIND field=value field=value; a list as a,b,c (one item: a,).",
            *self._kinds(),
            "Possible now:",
            *[f"  {name}: {json.dumps(item, default=str)}" for name, item in self.engine.legal(state).items()],
        ]
        return "\n".join(lines)

    def _kinds(self) -> list[str]:
        kinds = getattr(self.engine, "kinds", None)
        if kinds is None:
            return []
        return [
            f"  {kind} " + " ".join(f"{name}=..." for name in getattr(cls, "__dataclass_fields__", ()))
            for kind, cls in kinds.classes.items()
        ]

    def prompt(self, state: Any) -> str:
        """One line that says where the game stands and what is due."""
        score = ", ".join(f"{side} {points}" for side, points in self.engine.score(state).items())
        return f"{self.engine.game} ({score})"

    def parse(self, text: str, state: Any) -> Any:
        """The event that ``text`` means; raises ValueError saying what was not understood."""
        kind, *pairs = text.split()
        data: dict[str, Any] = {"kind": kind}
        for pair in pairs:
            name, equals, value = pair.partition("=")
            if not equals:
                raise ValueError(f"{pair!r} is not of the form field=value")
            data[name] = _value(value)
        return self.engine.event_from_json(data)

    def told(self, state: Any) -> list[str]:
        """What the last event caused, in words."""
        return []


def _value(text: str) -> Any:
    if "," in text and not text.startswith(("[", "{", '"')):
        return [_value(item) for item in text.split(",") if item]
    try:
        return json.loads(text)
    except ValueError:
        return text


class CrokinoleWords(Words):
    """Whole rounds as points/twenties, or shot by shot."""

    engine: Crokinole

    def prompt(self, state: Any) -> str:
        """Where the game stands and who shoots."""
        todo = self.engine.legal(state)
        score = ", ".join(f"{side} {points}" for side, points in self.engine.score(state).items())
        if not todo["events"]:
            return f"game over: {score}"
        round_ = f"{'deciding round' if todo['deciding'] else 'round'} {todo['round']} ({score})"
        if "seats" not in todo:
            return f"{round_}: all discs shot, 'end' records the round"
        if todo["rule"]:
            return f"{round_}: {todo['rule'][0]} Type the shot again"
        return f"{round_}: {' or '.join(todo['seats'])} ({todo['side']}) shoots disc {todo['shot']} of {todo['of']}"

    def help(self, state: Any) -> str:
        """What may be typed now."""
        todo = self.engine.legal(state)
        sides = self.engine.setup.sides
        lines = []
        if "result" in todo["events"]:
            example = " ".join(f"{points}/{n}" for points, n in ((55, 1), (40, 0), (35, 1)))
            lines.append(
                f"The whole round: points before subtracting / twenties, for {', '.join(sides)}: "
                + " ".join(example.split()[: len(sides)])
            )
        if "shot" in todo["events"]:
            lines += [
                "One shot: shot PLACE [hit DISCS] [DISC=PLACE ...]   e.g. shot 15 hit 3 3=ditch",
                "  PLACE: 20 in the hole, 15, 10, 5, 10i (10 and touching the 15 line), 0 (on the shooting line),",
                "  lean (on the hole's edge), ditch, back (left the surface and came back), 10?5 (too close to call)",
                "  hit: the discs it touched, also through own discs; 'hit ?' if nobody knows. Discs are numbered",
                "  in the order in which they are shot; those not named lie where they lay.",
                f"  Due now: {todo['task']} ({todo['must']}).",
            ]
            lines += [f"  On the board: {_board(self.engine, state)}"] if state.board else []
        if "time_out" in todo["events"]:
            lines.append("timeout: the time of the round has run out")
        if "recorded" in todo["events"]:
            lines.append("end: record the round; 'end 3=10' settles a value that was too close to call")
            lines.append(f"  On the board: {_board(self.engine, state)}")
        return "\n".join(lines) or "The game is over."

    def parse(self, text: str, state: Any) -> Any:
        """The event that ``text`` means."""
        words = text.lower().split()
        if words[0] == "end":
            return Recorded(values=tuple(Counted(*_pair(word)) for word in words[1:]))
        if words in (["timeout"], ["time-out"]):
            return TimeOut()
        if words[0] == "shot":
            return self._shot(words[1:], state)
        rounds = [re.fullmatch(r"(\d{1,4})/(\d{1,2})", word) for word in words]
        if not all(rounds):
            raise ValueError(f"{text!r} is not understood")
        return Result(*zip(*[(int(m[1]), int(m[2])) for m in rounds if m], strict=True))

    def _shot(self, words: list[str], state: Any) -> Shot:
        if not words:
            raise ValueError("where did the disc come to rest?")
        disc = state.shots + 1
        touched: tuple[int, ...] | None = ()
        rests = [_rest(disc, words[0])]
        rest_words = words[1:]
        if rest_words[:1] == ["hit"]:
            if len(rest_words) < 2:
                raise ValueError("which discs were hit? 'hit 3' or 'hit 3,4'")
            hits = rest_words[1]
            touched = None if hits == "?" else tuple(_number(item) for item in hits.split(",") if item)
            rest_words = rest_words[2:]
        for word in rest_words:
            name, equals, place = word.partition("=")
            if not equals:
                raise ValueError(f"{word!r} is not understood, expected DISC=PLACE")
            rests.append(_rest(_number(name), place))
        seats = self.engine.legal(state).get("seats") or [self.engine.setup.seats[0]]
        return Shot(seats[0], disc, touched, tuple(rests))

    def told(self, state: Any) -> list[str]:
        """What the last shot or round caused."""
        done = state.outcome
        if done is None:
            if not state.played or state.shots:
                return []
            last = state.played[-1]
            sides = self.engine.setup.sides
            gained = ", ".join(f"{side} +{n}" for side, n in zip(sides, last.gained, strict=True))
            return [f"round {last.number}: {gained}"]
        lines = [f"to be ruled: {question}" for question in done.undecided]
        if done.valid is False:
            clause = "C8: no opposing disc was touched" if done.rule == "missed_opponent" else "C7: none reached the 15"
            lines.append(f"not valid, {clause}")
        if done.removed:
            lines.append("take off: " + ", ".join(str(i) for i in done.removed))
        if done.twenties:
            sides = self.engine.setup.sides
            lines.append("twenty: " + ", ".join(f"disc {i} for {sides[side]}" for i, side in done.twenties))
        return lines


def _board(engine: Crokinole, state: Any) -> str:
    sides = engine.setup.sides
    shown = [f"{d.id} ({sides[d.side]}, {'open' if d.value is None else d.value})" for d in state.board]
    return ", ".join(shown) or "no disc"


def _rest(disc: int, place: str) -> Rest:
    words = {"20": "hole", "hole": "hole", "lean": "leaning", "ditch": "ditch", "back": "bounced"}
    if place in words:
        return Rest(disc, words[place])  # type: ignore[arg-type]  # the values are the states
    if place == "10i":
        return Rest(disc, value=10, inner=True)
    if "?" in place:
        return Rest(disc, maybe=tuple(_number(item) for item in place.split("?") if item))
    value = _number(place)
    return Rest(disc, value=value, inner=False if value == 10 else None)


def _number(text: str) -> int:
    if not re.fullmatch(r"\d{1,4}", text):
        raise ValueError(f"{text!r} is not a number")
    return int(text)


def _pair(text: str) -> tuple[int, int]:
    disc, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"{text!r} is not understood, expected DISC=VALUE")
    return _number(disc), _number(value)


class YachtWords(Words):
    """Rolls as digits, categories by name."""

    engine: Yacht

    def prompt(self, state: Any) -> str:
        """Where the game stands and who rolls."""
        todo = self.engine.legal(state)
        if not todo["events"] and "player" not in todo:
            return "game over: " + ", ".join(f"{p} {n}" for p, n in self.engine.score(state).items())
        dice = "".join("?" if v is None else str(v) for v in todo["dice"])
        rolls = {0: "no roll left", 1: "1 roll left"}.get(todo["rolls_left"], f"{todo['rolls_left']} rolls left")
        return f"turn {todo['turn']}, {todo['player']}: " + (f"dice {dice}, " if dice else "") + rolls

    def help(self, state: Any) -> str:
        """What may be typed now."""
        todo = self.engine.legal(state)
        if "player" not in todo:
            return "The game is over."
        lines = []
        if "roll" in todo["events"]:
            lines.append("A roll of all five: 1 2 2 4 6 (? for a cocked die, x for one off the table)")
            if todo["dice"]:
                lines.append("Some kept: keep 2 2 roll 4 4 6")
        if todo["doubt"]:
            lines.append(f"The dice don't count yet: {todo['doubt']} (Y7). Re-roll, or rule.")
        if "fill" in todo["events"]:
            lines.append("Or a category: " + ", ".join(f"{name} ({n})" for name, n in todo["categories"].items()))
        return "\n".join(lines)

    def parse(self, text: str, state: Any) -> Any:
        """The event that ``text`` means."""
        player = self.engine.player(state)
        match = re.fullmatch(r"(?:keep([\d\s,]+))?(?:roll)?([\dx?\s,]+)", text.lower())
        if match:
            kept = tuple(int(c) for c in match[1] or "" if c.isdigit())
            rolled = [c for c in match[2] if c in "?x" or c.isdigit()]
            if len(kept) + len(rolled) != DICE:
                raise ValueError(f"that is {len(kept) + len(rolled)} dice, expected five in all")
            dice = tuple(None if c == "?" else int(c) for c in rolled if c != "x")
            return Roll(player, (*kept, *dice), kept)
        wanted = " ".join(text.lower().removeprefix("fill ").split())
        found = [c for c in CATEGORIES if c == wanted] or [c for c in CATEGORIES if wanted and c.startswith(wanted)]
        if len(found) != 1:
            choices = " or ".join(found) if found else "dice or one of " + ", ".join(CATEGORIES)
            raise ValueError(f"{text!r} is not understood, expected {choices}")
        return Fill(player, found[0])

    def told(self, state: Any) -> list[str]:
        """What was flagged last, and what a finished turn gave."""
        lines = [state.flags[-1]] if state.flags and (state.doubt or state.rolls) else []
        if not state.rolls and state.turn:
            row = state.sheet[(state.turn - 1) % len(self.engine.players)]
            lines.append(
                f"{self.engine.players[(state.turn - 1) % len(self.engine.players)]}: {row[-1][0]} {row[-1][1]}"
            )
        return lines


def words_for(engine: Any) -> Words:
    """The typed language for an engine's game."""
    special: dict[str, type[Words]] = {"crokinole": CrokinoleWords, "yacht": YachtWords}
    return special.get(engine.game, Words)(engine)

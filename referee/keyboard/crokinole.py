"""Crokinole by keyboard: whole rounds as points and twenties, or shot by shot."""

import re
from typing import Any

from referee.keyboard.words import Words
from referee.rules.crokinole import Counted, Crokinole, Recorded, Rest, Result, Shot, TimeOut


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
        side = f" ({todo['side']})" if todo["side"] else ""
        return f"{round_}: {' or '.join(todo['seats'])}{side} shoots disc {todo['shot']} of {todo['of']}"

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
                "One shot: shot [SEAT] PLACE [hit DISCS] [DISC=PLACE ...]   e.g. shot 15 hit 3 3=ditch",
                f"  SEAT: {' or '.join(todo['seats'])}; left out, it is {todo['seats'][0]}.",
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
        seats = self.engine.legal(state).get("seats") or [self.engine.setup.seats[0]]
        if words and words[0].upper() in self.engine.setup.seats:
            seats, words = [words[0].upper()], words[1:]
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
        return Shot(seats[0], disc, touched, tuple(rests))

    def told(self, before: Any, after: Any) -> list[str]:
        """What the last shot or round caused."""
        done = after.outcome
        if len(after.played) > len(before.played):
            last = after.played[-1]
            sides = self.engine.setup.sides
            gained = ", ".join(f"{side} +{n}" for side, n in zip(sides, last.gained, strict=True))
            return [f"round {last.number}: {gained}"]
        if done is None:
            return []
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

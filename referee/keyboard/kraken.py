"""Kraken by keyboard: cards as 9S or 10h, and a word for everything that is said."""

import re
from typing import Any

from referee.keyboard.words import Words

_CARD = re.compile(r"(10|[2-9TJQKA])([CDHS])", re.IGNORECASE)


class KrakenWords(Words):
    """Who is on turn is known, so a card alone is enough."""

    def help(self, state: Any) -> str:
        """What may be typed now."""
        todo = self.engine.legal(state)
        lines = []
        if "stake" in todo:
            lines.append("stake 100: the stake, in the smallest coin")
        if "deal" in todo:
            lines.append(f"deal N: a new round, dealt by {' or '.join(todo['deal']['dealers'])}")
        if "trump" in todo:
            lines.append(f"trump S: {todo['trump']['seat']} names trump, one of {', '.join(todo['trump']['suits'])}")
        if "challenge" in todo:
            word = todo["challenge"]["word"]
            lines.append(f"{word} W: a challenge by {' or '.join(todo['challenge']['seats'])}")
        if "declare" in todo:
            lines.append("declare E QS,KS,AS: a run or four before the first trick")
        if "declare_pair" in todo:
            seats = todo["declare_pair"]["seats"]
            lines.append(f"pair {seats[0]}: king and queen of trump, by {' or '.join(seats)}")
        if "claim" in todo:
            lines.append(f"claim: {todo['claim']['points']} for the last trick, for {todo['claim']['team']}")
        if "laid" in todo:
            lines.append(f"A card that {todo['laid']['seat']} lays: 9S, 10H")
            if todo["laid"]["known"]:
                lines.append(f"  by {todo['laid']['clause']}: {' '.join(todo['laid']['cards'])}")
        if "record" in todo:
            lines.append("record: the round is written down")
        return "\n".join(lines) or "The game is over."

    def parse(self, text: str, state: Any) -> Any:
        """The event that ``text`` means."""
        todo = self.engine.legal(state)
        word, *rest = text.split()
        word = word.lower()
        if _CARD.fullmatch(text):
            if "laid" not in todo:
                raise ValueError(f"no card can be laid now: {self.engine.position(state)}")
            return self._event("laid", seat=todo["laid"]["seat"], card=_card(text))
        if "=" not in text:
            fields = self._fields(word, [item.upper() for item in rest], todo)
            if fields is not None:
                kind = {"pair": "declare_pair", "contra": "challenge", "re": "challenge", "superkraken": "challenge"}
                return self._event(kind.get(word, word), **fields)
        return super().parse(text, state)

    def _fields(self, word: str, rest: list[str], todo: dict[str, Any]) -> dict[str, Any] | None:
        """The fields of an event told by a word and what follows it; None where it is no such word."""
        if word == "declare" and len(rest) > 1:
            return {"seat": rest[0], "cards": [_card(card) for item in rest[1:] for card in item.split(",") if card]}
        if word == "stake" and len(rest) == 1 and rest[0].isdecimal():
            return {"amount": int(rest[0])}
        alone = {"record": {}, "claim": {"team": todo.get("claim", {}).get("team", "NS")}}
        if not rest:
            return alone.get(word)
        one: dict[str, dict[str, Any]] = {
            "deal": {"dealer": rest[0]},
            "trump": {"seat": todo.get("trump", {}).get("seat", "N"), "suit": rest[0]},
            "pair": {"seat": rest[0]},
            "claim": {"team": rest[0]},
            **{said: {"word": said, "seat": rest[0]} for said in ("contra", "re", "superkraken")},
        }
        return one.get(word) if len(rest) == 1 else None

    def _event(self, kind: str, **fields: Any) -> Any:
        return self.engine.event_from_json({"kind": kind, **fields})

    def told(self, before: Any, after: Any) -> list[str]:
        """What was reported, and what a recorded round gave."""
        lines = [str(report) for report in after.reports[len(before.reports) :]]
        if self.engine.score(after) != self.engine.score(before):
            lines.append(", ".join(f"{team} {points}" for team, points in self.engine.score(after).items()))
        return lines


def _card(text: str) -> str:
    match = _CARD.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a card, expected one like 9S or 10H")
    return ("T" if match[1] == "10" else match[1].upper()) + match[2].upper()

"""Krakatoa by keyboard: three colours a set, as they lie after the throw."""

import re
from typing import Any

from referee.keyboard.words import Words

SETS = ("steam", "ash", "lava")


class KrakatoaWords(Words):
    """Sets as YYB YRR RRR (steam, ash, lava)."""

    def help(self, state: Any) -> str:
        """What may be typed now."""
        todo = self.engine.legal(state)
        if "throw_off" in todo["events"]:
            return "The throw-off, who threw which set and what it shows: A steam YYB"
        if "ruling" in todo["events"]:
            return "To be ruled: " + "; ".join(todo["ruling"]) + "\nstands, or stands YYB YRR RRR; again; nothing"
        if "throw" not in todo["events"]:
            return "The game is over."
        lines = ["All three sets as they lie after the throw, steam, ash, lava: YYB YRR RRR (? for a face not read)"]
        choices = [" ".join(names) for names in todo["sets"]]
        if len(choices) > 1:
            lines.append(f"  with the set that was thrown ahead of them, {' or '.join(choices)}: ash YYB YRR RRR")
        else:
            lines.append(f"  thrown: {choices[0]}")
        if todo["must_hit"]:
            lines.append("  with 'hit' or 'miss' at the end, whether a dodeca left on the table was hit (K6)")
        if todo["rethrow"]:
            lines.append("All nine thrown once more: again YYB YRR RRR")
        return "\n".join(lines)

    def parse(self, text: str, state: Any) -> Any:
        """The event that ``text`` means."""
        todo = self.engine.legal(state)
        words = text.split()
        low = [word.lower() for word in words]
        if "ruling" in todo["events"] and low[0] in ("stands", "again", "nothing") and len(words) in (1, 4):
            sets = dict(zip(SETS, (word.upper() for word in words[1:]), strict=False))
            return self._event("ruling", decision=low[0], **sets)
        if "throw_off" in todo["events"] and len(words) == 3 and low[1] in SETS:
            return self._event("throw_off", player=words[0], set=low[1], colours=_colours(words[2]))
        if "throw" in todo["events"] and "=" not in text:
            return self._throw(low, todo)
        return super().parse(text, state)

    def _throw(self, words: list[str], todo: dict[str, Any]) -> Any:
        fields: dict[str, Any] = {"thrown": todo["sets"][0]}
        if words[-1] in ("hit", "miss"):
            fields["hit"] = words.pop() == "hit"
        if words and words[0] in ("again", *SETS):
            first = words.pop(0)
            fields["thrown"] = list(SETS) if first == "again" else [first]
        elif len(todo["sets"]) > 1:
            raise ValueError("which set was thrown? steam, ash or lava ahead of the colours")
        if len(words) != len(SETS):
            raise ValueError("expected the colours of the three sets, YYB YRR RRR")
        sets = dict(zip(SETS, map(_colours, words), strict=True))
        return self._event("throw", player=todo["player"], **sets, **fields)

    def _event(self, kind: str, **fields: Any) -> Any:
        return self.engine.event_from_json({"kind": kind, **fields})

    def told(self, before: Any, after: Any) -> list[str]:
        """What was flagged, and what must be announced (K17)."""
        lines = super().told(before, after)
        return lines + [f"{done.player}: {done.announcement}" for done in after.throws[len(before.throws) :]]


def _colours(text: str) -> str:
    if not re.fullmatch(r"[YRBybr?]{1,3}", text):
        raise ValueError(f"{text!r} is not a set, expected three of Y, R, B, as YYB")
    return text.upper()

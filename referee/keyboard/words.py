"""The typed language that serves every game: ``KIND field=value ...``."""

import json
from typing import Any


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
        return str(self.engine.position(state))

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

    def told(self, before: Any, after: Any) -> list[str]:
        """What the event between two states caused, in words."""
        return [str(flag) for flag in after.flags[len(before.flags) :]] if hasattr(after, "flags") else []


def _value(text: str) -> Any:
    if "," in text and not text.startswith(("[", "{", '"')):
        return [_value(item) for item in text.split(",") if item]
    try:
        return json.loads(text)
    except ValueError:
        return text

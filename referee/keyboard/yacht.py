"""Yacht by keyboard: rolls as digits, categories by name."""

import re
from typing import Any

from referee.keyboard.words import Words
from referee.rules.yacht import CATEGORIES, DICE, Fill, Roll, Yacht


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

    def told(self, before: Any, after: Any) -> list[str]:
        """What was flagged, and what a finished turn gave."""
        lines = super().told(before, after)
        if after.turn > before.turn:
            category, points = after.sheet[before.turn % len(self.engine.players)][-1]
            lines.append(f"{self.engine.player(before)}: {category} {points}")
        return lines

"""What three dodecas are worth, and which bonuses nine of them win (K8-K12)."""

from collections.abc import Mapping
from dataclasses import dataclass

COLOURS = "YRB"
"""Yellow, red, blue; combinations are written in this order."""
FACES = {"Y": 3, "R": 4, "B": 5}
"""Spots on each dodeca (K1)."""
SETS = ("steam", "ash", "lava")
COMBINATIONS = ("YYY", "YYR", "YYB", "YRR", "YRB", "YBB", "RRR", "RRB", "RBB", "BBB")

VALUE_TABLES: dict[str, dict[str, int]] = {
    "standard": {"YYY": 10, "RRR": 5, "BBB": 3, "YYB": 2, "YYR": 2, "YRR": 1, "YBB": 1, "YRB": 1, "RRB": 0, "RBB": 0},
}
"""The named tables of the option ``values`` (K8)."""

MARKS = ("", "x", "xx")
"""How a mark is written, by its weight: a box holds xx at most (K9)."""
MOST = len(MARKS) - 1


def in_order(colours: str) -> str:
    """Return the colours of a set in the order in which the table writes them."""
    return "".join(sorted(colours, key=COLOURS.index))


class ValueTable:
    """A table of values with its name (K8): one of VALUE_TABLES, or a group's own mapping of combination to value.

    A combination that the table leaves out is a Bust, 0, whatever it would be called elsewhere.
    """

    def __init__(self, values: str | Mapping[str, int] = "standard") -> None:
        if isinstance(values, str):
            if values not in VALUE_TABLES:
                raise ValueError(f"values: {values!r} is none of {', '.join(VALUE_TABLES)}, nor a table")
            self.name, table = values, VALUE_TABLES[values]
        else:
            self.name, table = "own", dict(values)
        self._values: dict[str, int] = {}
        for key, value in table.items():
            if len(key) != 3 or not set(key) <= set(COLOURS):
                raise ValueError(f"values: {key!r} is no combination of three of Y, R, B")
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise ValueError(f"values: {key} is worth {value!r}, expected a whole number of 0 or more")
            if in_order(key) in self._values:
                raise ValueError(f"values: {in_order(key)} stands there twice")
            self._values[in_order(key)] = value
        if len({self._values.get(combination, 0) for combination in COMBINATIONS}) == 1:
            raise ValueError("values: every combination is worth the same, so that no throw-off could be decided")

    def as_option(self) -> str | dict[str, int]:
        """Return what makes this table again: its name, or the values of a group's own."""
        return dict(self._values) if self.name == "own" else self.name

    def value(self, colours: str) -> int:
        """Return the value of a set by its three colours (K8)."""
        return self._values.get(in_order(colours), 0)

    def title(self, colours: str) -> str:
        """Return what the set is called: Volcano, Deuce, Bust, or nothing (K8)."""
        combination = in_order(colours)
        if combination not in self._values:
            return "Bust"
        if len(set(combination)) == 1:
            return "Volcano"
        if combination.count("Y") == 2:
            return "Deuce"
        return "" if self._values[combination] else "Bust"


@dataclass(frozen=True, slots=True)
class Bonus:
    """A bonus won: its name and the weights that it marks the next throw and the one after with (K9)."""

    name: str
    next: int
    second: int = 0


def quake(before: int, total: int) -> Bonus | None:
    """Return the Quake of a total that has changed with this throw (K10)."""
    if total == before:
        return None
    if total % 100 % 20 == 0:
        return Bonus("Big Quake", 2)
    return Bonus("Little Quake", 1) if total % 100 % 11 == 0 else None


def rumble(sets: tuple[str, ...], table: ValueTable) -> Bonus | None:
    """Return the Rumble of nine dodecas showing exactly two colours (K11)."""
    if len(set("".join(sets))) != 2:
        return None
    volcanoes = sum(table.title(colours) == "Volcano" for colours in sets)
    return Bonus("Big Rumble", 2) if volcanoes >= 2 else Bonus("Little Rumble", 1)


def eruption(sets: tuple[str, ...], table: ValueTable) -> Bonus | None:
    """Return the Eruption of three different or three identical Volcanoes (K12)."""
    if any(table.title(colours) != "Volcano" for colours in sets):
        return None
    return {3: Bonus("Little Eruption", 1, 1), 1: Bonus("Great Eruption", 2, 2)}.get(len(set(sets)))


def bonuses(before: int, total: int, sets: tuple[str, ...], table: ValueTable) -> tuple[Bonus, ...]:
    """Return all bonuses of a throw that wasn't a scratch (K10-K12)."""
    found = (quake(before, total), rumble(sets, table), eruption(sets, table))
    return tuple(bonus for bonus in found if bonus is not None)

"""What all rules engines share: faults that name their clause, and the shape of an engine.

A state is a frozen value, an event is a frozen value, ``apply`` makes a new state from both or raises
:class:`RuleError` naming every fault at once. Nothing here knows pictures, clocks or randomness.
"""

from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

State = TypeVar("State")
Event_contra = TypeVar("Event_contra", contravariant=True)


@dataclass(frozen=True)
class Fault:
    """One thing that can't have happened: the clause it breaks, what was wrong, what was expected."""

    clause: str
    wrong: str
    expected: str

    def __str__(self) -> str:
        return f"{self.clause}: {self.wrong}; expected {self.expected}"


class RuleError(ValueError):
    """An event that can't have happened in this position; ``faults`` names everything wrong with it.

    ``position`` says in words where the game stands, so that a message alone is enough to act on.
    """

    def __init__(self, position: str, *faults: Fault) -> None:
        self.position = position
        self.faults = faults
        super().__init__(" / ".join(str(f) for f in faults) + f" ({position})")


class Engine(Protocol[State, Event_contra]):
    """A game's rules: pure functions over frozen states and events."""

    game: str

    def start(self) -> State:
        """Return the state before the first event."""
        ...

    def apply(self, state: State, event: Event_contra) -> State:
        """Return the state after ``event``; raises RuleError when it can't have happened."""
        ...

    def legal(self, state: State) -> Any:
        """Return what may happen next, as plain data (each engine documents its form)."""
        ...

    def score(self, state: State) -> dict[str, int]:
        """Return the points by player or side."""
        ...

    def event_to_json(self, event: Any) -> dict[str, Any]:
        """Return the event as JSON data with a ``kind``."""
        ...

    def event_from_json(self, data: dict[str, Any]) -> Any:
        """Return the event from JSON data; raises ValueError naming the wrong field."""
        ...

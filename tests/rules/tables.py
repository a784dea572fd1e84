"""Short ways to lay out a crokinole position in tests."""

from functools import reduce
from typing import Any

from referee.rules.crokinole import Crokinole, Event, Rest, Shot, State

PLACES: dict[Any, tuple[str, int | None, bool | None]] = {
    20: ("hole", None, None),
    "lean": ("leaning", None, None),
    "ditch": ("ditch", None, None),
    "back": ("bounced", None, None),
    10: ("board", 10, False),
    "10i": ("board", 10, True),
    "10u": ("board", 10, None),
    "?": ("board", None, None),
}


def rest(disc: int, place: Any) -> Rest:
    """A place of rest: a board value, a word from PLACES, or a tuple of the values it may have."""
    if isinstance(place, tuple):
        return Rest(disc, maybe=place)
    state, value, inner = PLACES.get(place, ("board", place, None))
    return Rest(disc, state, value, inner)  # type: ignore[arg-type]


def shot(seat: str, disc: int, place: Any, hit: tuple[int, ...] | None = (), /, **more: Any) -> Shot:
    """``shot("A", 1, 15, (2,), d2="ditch")``; ``disturbed`` and ``foul`` go through."""
    moves = {int(name[1:]): more.pop(name) for name in [m for m in more if m[0] == "d" and m[1:].isdigit()]}
    return Shot(seat, disc, hit, (rest(disc, place), *[rest(i, p) for i, p in moves.items()]), **more)


def play(engine: Crokinole, *events: Event, start: State | None = None) -> State:
    """The state after these events."""
    return reduce(engine.apply, events, start or engine.start())


def board(state: State) -> dict[int, int | None]:
    """Disc -> value of what lies on the surface."""
    return {disc.id: disc.value for disc in state.board}

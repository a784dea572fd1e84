"""What is agreed before a game of crokinole: players, seats, sides, discs, how it is scored and ends.

C14 and C21-C23 say who sits where and shoots when, C19, C20 and C24 how long a game lasts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

Players = Literal["2", "3", "2v1", "4"]
Preset = Literal["family", "match-play", "nca"]
Contact = Literal["outline", "bottom"]

SEATS = ("A", "B", "C", "D")
_USUAL_SEATS: dict[str, tuple[str, ...]] = {"2": ("A", "C"), "3": ("A", "B", "C"), "2v1": ("A", "B", "C"), "4": SEATS}
_TURN_CLAUSE = {"2": "C14", "3": "C23", "2v1": "C22", "4": "C21"}


@dataclass(frozen=True, slots=True)
class Setup:
    """A game as agreed; make it with :func:`make_setup`, which fills in and checks.

    ``seats`` are in clockwise order. ``side_of`` gives each seat's side, ``discs`` each seat's number of
    discs. ``first`` is the seat (its place in ``seats``) that opens round 1, None where nobody has chosen it: the first
    shot then decides. The game ends after ``rounds`` rounds, or, where that is None, at ``target`` points.
    """

    players: Players
    preset: Preset
    contact: Contact
    seats: tuple[str, ...]
    sides: tuple[str, ...]
    side_of: tuple[int, ...]
    discs: tuple[int, ...]
    first: int | None
    target: int | None
    rounds: int | None

    @property
    def turn_clause(self) -> str:
        """The clause that says whose turn it is: C14, C21, C22 or C23."""
        return _TURN_CLAUSE[self.players]

    @property
    def end_clause(self) -> str:
        """The clause that says when the game is over: C19, C20, C23 or C24."""
        if self.players == "3":
            return "C23"
        return {"family": "C19", "match-play": "C20", "nca": "C24"}[self.preset]

    @property
    def shots_a_round(self) -> int:
        """How many shots a whole round has."""
        return sum(self.discs)

    def side_discs(self, side: int) -> int:
        """How many discs a side has in a round (C14, C21-C24)."""
        return sum(n for n, owner in zip(self.discs, self.side_of, strict=True) if owner == side)

    def cycle(self, number: int) -> tuple[int, ...]:
        """The seats in the order in which they shoot in round ``number`` (from 1), to be repeated.

        C14: the first shooter alternates; C21, C23: moves clockwise. C22: the two sides open by turns,
        and the partners open by turns among the rounds that are the pair's to open; while the third
        player opens, the pair keeps its order (either partner may then shoot first, see the engine).
        """
        n, first = len(self.seats), self.first or 0
        if self.players != "2v1":
            start = (first + number - 1) % n
            return tuple((start + i) % n for i in range(n))
        alone = self.side_of.index(1)
        pair = [seat for seat in range(n) if seat != alone]
        pair_opens_odd = first != alone
        if pair_opens_odd and first == pair[1]:
            pair.reverse()
        pair_opens = (number % 2 == 1) == pair_opens_odd
        opened_before = number // 2 if pair_opens_odd else (number - 1) // 2
        turn = opened_before if pair_opens else max(opened_before - 1, 0)
        leader, partner = (pair[0], pair[1]) if turn % 2 == 0 else (pair[1], pair[0])
        return (leader, alone, partner, alone) if pair_opens else (alone, leader, alone, partner)

    def side_at(self, seat: str) -> int:
        """The number of the side that a seat plays for."""
        return self.side_of[self.seats.index(seat)]

    def side_named(self, seat: str) -> str:
        """The name of the side that a seat plays for."""
        return self.sides[self.side_at(seat)]

    def opened_by(self, seat: str, number: int) -> "tuple[Setup, tuple[int, ...]]":
        """The setup by whose order (C14, C21-C23) ``seat`` opens round ``number`` (from 1), and that round's order."""
        wanted = self.seats.index(seat)
        orders = [(setup, setup.cycle(number)) for setup in (replace(self, first=i) for i in range(len(self.seats)))]
        for setup, order in orders:
            if order[0] == wanted:
                return setup, order
        # C22: only the other partner would come to open this round; for once they change places
        setup, (a, b, c, d) = next((s, o) for s, o in orders if self.side_of[o[0]] == self.side_of[wanted])
        return setup, (c, b, a, d)


def make_setup(options: Mapping[str, Any]) -> Setup:
    """Return the setup for these options; raises ValueError naming the option that is wrong.

    ``players`` ("2", "4", "2v1": two against one, "3": each alone), ``preset`` (C24: "family",
    "match-play", "nca"), ``contact`` (C25: "outline", "bottom"), ``seats`` taken, clockwise, ``sides``
    (their names), ``first`` (the seat that opens; left out, the first shot decides), ``discs`` a side, and how the game
    ends (C19): ``target`` points or a fixed number of ``rounds``.
    """
    known = ("players", "preset", "contact", "seats", "sides", "first", "discs", "target", "rounds")
    for name in options:
        if name not in known:
            raise ValueError(f"option {name!r} is unknown; known are {', '.join(known)}")
    players = _choice(options, "players", ("2", "3", "2v1", "4"), "2")
    preset = _choice(options, "preset", ("family", "match-play", "nca"), "family")
    if preset == "nca" and players not in ("2", "4"):
        raise ValueError("option 'preset' is 'nca', which is for 2 or 4 players (C24)")
    # C25 judges a touch at the disc's bottom edge; everywhere else C16's outline holds
    contact = _choice(options, "contact", ("outline", "bottom"), "bottom" if preset == "nca" else "outline")
    seats = _seats(players, options.get("seats"))
    side_of = _side_of(players, seats)
    sides = _sides(options.get("sides"), max(side_of) + 1)
    first = options.get("first")
    if first is not None and first not in seats:
        raise ValueError(f"option 'first' is {first!r}, expected one of the seats {', '.join(seats)}")
    target, rounds = _length(players, preset, options)
    return Setup(
        players=players,
        preset=preset,
        contact=contact,
        seats=seats,
        sides=sides,
        side_of=side_of,
        discs=_discs(players, preset, side_of, options.get("discs")),
        first=None if first is None else seats.index(first),
        target=target,
        rounds=rounds,
    )


def setup_options(setup: Setup) -> dict[str, Any]:
    """The options that make this setup again, as plain data for a log's first line."""
    data: dict[str, Any] = {f.name: getattr(setup, f.name) for f in fields(setup) if f.name != "side_of"}
    data.update(
        seats=list(setup.seats),
        sides=list(setup.sides),
        first=None if setup.first is None else setup.seats[setup.first],
        discs=setup.side_discs(0),
    )
    return {name: item for name, item in data.items() if item is not None}


def _choice(options: Mapping[str, Any], name: str, choices: tuple[str, ...], default: str) -> Any:
    given = options.get(name, default)
    given = str(given) if isinstance(given, int) and not isinstance(given, bool) else given
    if given not in choices:
        raise ValueError(f"option {name!r} is {given!r}, expected one of {', '.join(choices)}")
    return given


def _seats(players: str, given: Any) -> tuple[str, ...]:
    usual = _USUAL_SEATS[players]
    if given is None:
        return usual
    seats = tuple(given)
    places = [SEATS.index(seat) for seat in seats if seat in SEATS]
    # clockwise once around: seen from the first seat, the others come at growing quarter turns
    steps = [(place - places[0]) % 4 for place in places]
    if len(places) != len(usual) or len(seats) != len(usual) or steps != sorted(set(steps)):
        raise ValueError(f"option 'seats' is {given!r}, expected {len(usual)} of A, B, C, D in clockwise order")
    return seats


def _side_of(players: str, seats: tuple[str, ...]) -> tuple[int, ...]:
    if players == "4":
        return (0, 1, 0, 1)
    if players == "2v1":
        # C22: the partners sit opposite, so the one whose opposite seat is empty plays alone
        return tuple(0 if SEATS[(SEATS.index(seat) + 2) % 4] in seats else 1 for seat in seats)
    return tuple(range(len(seats)))


def _sides(given: Any, count: int) -> tuple[str, ...]:
    if given is None:
        return ("black", "natural", "red")[:count]
    sides = tuple(given)
    texts = all(isinstance(side, str) and side.strip() for side in sides)
    if not texts or len(sides) != count or len(set(sides)) != count:
        raise ValueError(f"option 'sides' is {given!r}, expected {count} different names")
    return sides


def _discs(players: str, preset: str, side_of: tuple[int, ...], given: Any) -> tuple[int, ...]:
    usual = 8 if preset == "nca" and players == "2" else 12
    a_side = usual if given is None else _whole("discs", given)
    shared = [side_of.count(side) for side in side_of]
    if a_side % max(shared):
        raise ValueError(f"option 'discs' is {a_side}, expected an even number: partners share it")
    return tuple(a_side // n for n in shared)


def _length(players: str, preset: str, options: Mapping[str, Any]) -> tuple[int | None, int | None]:
    target, rounds = options.get("target"), options.get("rounds")
    if target is not None and rounds is not None:
        raise ValueError("options 'target' and 'rounds' exclude each other (C19)")
    if target is not None:
        return _whole("target", target), None
    if rounds is not None:
        return None, _whole("rounds", rounds)
    if preset == "nca":
        return None, 4
    return (100 if preset == "family" and players != "3" else 8), None


def _whole(name: str, given: Any) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise ValueError(f"option {name!r} is {given!r}, expected a whole number from 1")
    return given

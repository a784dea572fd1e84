"""What the rules make of one shot as it was seen, and who sits where.

Sides are groups of one colour, numbered as they were first seen.
"""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import permutations

import numpy as np

from referee.rules.crokinole import Crokinole, Lying, Rest, Shot, State
from referee.rules.crokinole.table import Outcome
from vision.readings import Disc, DiscState
from vision.shot_seen import OnTable
from vision.shot_seen import Shot as ShotSeen

SEAT_AZIMUTHS = {"A": -90.0, "B": 180.0, "C": 90.0, "D": 0.0}
"""Where the seats are, in degrees on the board, clockwise as seen from above."""
SEAT_WIDTH_DEG = 50.0
"""A shot starts in the shooter's quadrant (C5); a start extrapolated from a track may be off by a few degrees more."""
TWO_PLACES = 0.5
"""A side whose starting places have a mean resultant length below this shoots from two sides of the table."""
SEAT_SHARE = 0.1
"""A seat is taken where this share of all shots came from it."""
FEWEST_FOR_SEATS = 4
SUNK_BY_HAND = 0.1
"""If hands take out just one disc, this probably flat in the hole, it was a twenty: the players see it."""
GUESSED_GROUP = 0.75
USUAL_DISCS = (12, 8, 6)
"""Usual numbers of discs a side (C14, C24); other numbers are possible, and looked at twice."""


@dataclass(slots=True)
class JudgedShot:
    """A shot with what the rules make of it. ``board``: the discs on the surface once they were applied.

    ``settled``: those on it when everything lay still. ``event``: by side's seats ("A", "C" ...), not by those of the
    players.
    """

    number: int
    round: int
    seen: ShotSeen
    group: int
    event: Shot
    outcome: Outcome
    board: tuple[OnTable, ...]
    settled: tuple[OnTable, ...]
    confidence: float
    seat: str | None = None


@dataclass(slots=True)
class JudgedRound:
    """A round as it was judged.

    ``points`` and ``twenties`` by group; ``ended``: seconds when it was seen to be over, None if it wasn't; ``start``:
    the position before its first shot.
    """

    number: int
    shots: list[JudgedShot] = field(default_factory=list)
    start: State | None = None
    points: tuple[int, ...] = ()
    twenties: tuple[int, ...] = ()
    ended: float | None = None
    complete: bool = False

    def counts(self, groups: int) -> list[int]:
        """Shots of each of so many sides."""
        return [sum(s.group == g for s in self.shots) for g in range(groups)]

    def out_of_turn(self, group: int, groups: int) -> bool:
        """Whether another of so many sides has waited longer for its turn than ``group``."""
        latest = [-1] * groups
        for k, shot in enumerate(self.shots):
            latest[shot.group] = k
        return latest[group] > min(latest)


def internal_engine(groups: int) -> Crokinole:
    """An engine for judging single shots of ``groups`` sides, however many discs and seats there are."""
    return Crokinole({"players": "2" if groups <= 2 else "3", "discs": 99})


def on_turn(state: State, group: int) -> State:
    """The state with the side ``group`` on turn: who is really on turn is checked elsewhere."""
    return state._replace(cycle=(group,), shots=0)


def rest_of(disc_id: int, disc: Disc | None) -> Rest:
    """Where a disc came to rest, in the words of the rules, by what is most probable."""
    if disc is None or disc.state == "ditch":
        return Rest(disc_id, "ditch")
    if disc.state in ("hole", "leaning"):
        return Rest(disc_id, disc.state)
    value = disc.value
    inner = None
    if value == 10:
        inner = any(c.line == "15/10" and c.inner_gap_mm <= 0 for c in disc.lines)
    return Rest(disc_id, "board", value, inner)


def lying_of(lies: OnTable) -> Lying:
    """A disc on the surface in the engine's words."""
    rest = rest_of(lies.id, lies.disc)
    value = 15 if rest.state == "leaning" else rest.value
    inner = rest.inner if value == 10 or value is None else value >= 15
    return Lying(lies.id, lies.group, rest.state, value, inner, ())


def in_state(disc: Disc, state: DiscState) -> Disc:
    """The disc, now surely in the hole, or surely not flat in it (C9: a leaning disc counts 15)."""
    value = 20 if state == "hole" else 15
    return replace(disc, state=state, states=((state, 1.0),), state_confidence=1.0, values=((value, 1.0),), why=())


def with_state(seen: ShotSeen, disc_id: int, state: DiscState) -> ShotSeen:
    """The shot as it was seen, with one disc in another state."""

    def told(i: int, d: Disc) -> Disc:
        return in_state(d, state) if i == disc_id else d

    after = tuple(a if a.disc is None else replace(a, disc=told(a.id, a.disc)) for a in seen.after)
    return replace(seen, after=after, lying=tuple(replace(d, disc=told(d.id, d.disc)) for d in seen.lying))


def without(seen: ShotSeen, ids: Set[int]) -> ShotSeen:
    """The shot without what turned out to be no discs."""
    return replace(
        seen,
        after=tuple(a for a in seen.after if a.id not in ids),
        touched=tuple(i for i in seen.touched if i not in ids),
        maybe_touched=tuple(i for i in seen.maybe_touched if i not in ids),
        lying=tuple(d for d in seen.lying if d.id not in ids),
    )


def touched_as_taken(seen: ShotSeen, disc_id: int) -> ShotSeen:
    """The shot with a disc that may have been touched and was: hands took it off as touched."""
    left = tuple(i for i in seen.maybe_touched if i != disc_id)
    return replace(seen, touched=(*seen.touched, disc_id), maybe_touched=left)


def judge(state: State, engine: Crokinole, seen: ShotSeen, group: int) -> tuple[State, Shot, Outcome]:
    """Apply a shot as it was seen; raises RuleError when it can't have happened in this position."""
    rests = tuple(rest_of(a.id, a.disc) for a in seen.after)
    known = {lying.id for lying in state.board}
    touched = tuple(i for i in seen.touched if i in known)
    rests = tuple(r for r in rests if r.id in known or r.id == seen.disc)
    event = Shot(engine.setup.seats[group], seen.disc, touched, rests)
    after = engine.apply(on_turn(state, group), event)
    assert after.outcome is not None
    return after, event, after.outcome


@dataclass(frozen=True)
class Seating:
    """Who sits where. ``seats``: taken, clockwise; ``order``: the groups as the rules order their sides.

    ``seen``: seats that shots came from, which may be fewer.
    """

    players: str
    seats: tuple[str, ...]
    order: tuple[int, ...]
    seen: tuple[str, ...]


def seats_of(shots: Sequence[JudgedShot], groups: int, players: str | None) -> Seating:
    """Find out who sits where, and fill in ``seat`` of every shot."""
    towards: dict[int, list[complex]] = {g: [] for g in range(groups)}
    for s in shots:
        if s.seen.start_mm is not None:
            place = complex(*s.seen.start_mm)
            towards[s.group].append(place / max(abs(place), 1e-6))
    if players is None:
        spread = (abs(np.mean(found)) for found in towards.values() if len(found) >= FEWEST_FOR_SEATS)
        players = "4" if any(length < TWO_PLACES for length in spread) else "2"
    of_group = {"2": _opposite_seats, "3": _single_seats, "2v1": _pair_and_one, "4": _pairs_of_seats}[players](towards)
    for s in shots:
        options = of_group[s.group]
        if len(options) == 1:
            s.seat = options[0]
        elif s.seen.start_mm is not None:
            s.seat = _nearest_seat(complex(*s.seen.start_mm), options)
    owner = {seat: group for group, options in of_group.items() for seat in options}
    seats = tuple(sorted(owner))
    order = dict.fromkeys(owner[seat] for seat in seats)
    if players == "2v1":  # the pair is the rules' first side
        order = dict.fromkeys(sorted(order, key=lambda g: -len(of_group[g])))
    return Seating(players, seats, tuple(order), _seats_seen(towards))


def _seats_seen(towards: Mapping[int, list[complex]]) -> tuple[str, ...]:
    places = [_nearest_seat(z, tuple(SEAT_AZIMUTHS)) for found in towards.values() for z in found]
    return tuple(sorted(s for s in set(places) if places.count(s) >= SEAT_SHARE * len(places)))


def side_near(place: tuple[float, float], shots: Sequence[JudgedShot], but: JudgedShot | None = None) -> int | None:
    """The one side that shot from near a starting place (mm) before; None where none or several did.

    Only shots whose side is known count; ``but``: a shot to leave out.
    """
    width = math.cos(math.radians(SEAT_WIDTH_DEG))
    close: set[int] = set()
    for s in shots:
        if s is but or s.seen.start_mm is None or s.seen.group_sure < GUESSED_GROUP:
            continue
        apart = math.atan2(s.seen.start_mm[1], s.seen.start_mm[0]) - math.atan2(place[1], place[0])
        if math.cos(apart) > width:
            close.add(s.group)
    return close.pop() if len(close) == 1 else None


def _pairs_of_seats(towards: Mapping[int, list[complex]]) -> dict[int, tuple[str, ...]]:
    """Partners sit opposite each other: a side's starting places lie along one of the two axes."""
    upright = {g: sum(abs(z.imag) - abs(z.real) for z in found) for g, found in towards.items()}
    first = max(upright, key=lambda g: upright[g])
    return {g: ("A", "C") if g == first else ("B", "D") for g in towards}


def _single_seats(towards: Mapping[int, list[complex]]) -> dict[int, tuple[str, ...]]:
    """A seat of its own for each side, as near as possible to where its shots came from."""

    def near(seats: tuple[str, ...]) -> float:
        return sum(_along(z, seat) for found, seat in zip(towards.values(), seats, strict=True) for z in found)

    best = max(permutations("ABCD", len(towards)), key=near)
    return {g: (seat,) for g, seat in zip(towards, best, strict=True)}


def _pair_and_one(towards: Mapping[int, list[complex]]) -> dict[int, tuple[str, ...]]:
    """Partners opposite each other, and one who plays alone at one of the seats between."""

    def near(seating: tuple[int, tuple[str, ...], str]) -> float:
        pair, seats, alone = seating
        partners = sum(abs(_along(z, seats[0])) for z in towards[pair])
        return partners + sum(_along(z, alone) for z in towards[1 - pair])

    axes = (("A", "C"), ("B", "D"))
    pair, seats, alone = max(((g, axes[k], seat) for g in (0, 1) for k in (0, 1) for seat in axes[1 - k]), key=near)
    return {pair: seats, 1 - pair: (alone,)}


def _opposite_seats(towards: Mapping[int, list[complex]]) -> dict[int, tuple[str, ...]]:
    """One seat a side, opposite each other."""
    axis = sum(towards.get(0, [])) - sum(towards.get(1, []))
    seat = _nearest_seat(axis, tuple(SEAT_AZIMUTHS)) if axis else "A"
    return {g: (seat if g == 0 else _opposite(seat),) for g in towards}


def _along(place: complex, seat: str) -> float:
    """How far a direction goes towards a seat, -1 to 1."""
    return math.cos(float(np.angle(place)) - math.radians(SEAT_AZIMUTHS[seat]))


def _opposite(seat: str) -> str:
    return "ABCD"[("ABCD".index(seat) + 2) % 4]


def _nearest_seat(place: complex, options: tuple[str, ...]) -> str:
    """The seat whose direction from the board's centre is nearest to that of ``place`` (x + iy)."""
    return min(options, key=lambda s: abs(np.angle(place * np.exp(-1j * math.radians(SEAT_AZIMUTHS[s])))))

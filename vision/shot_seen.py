"""What is told of one shot, or of what hands did, from rest to rest. Lengths in mm on the board, times in seconds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from vision.doubts import Doubt
from vision.readings import Disc
from vision.table import SeenDisc
from vision.tracks import Start

Likely = Callable[[Start | None], int | None]
"""Names the side that a shot's start and the turn suggest."""


@dataclass(frozen=True, slots=True)
class OnTable:
    """A disc that lies on the board: the id by which it is followed, its side's group, and how it is read."""

    id: int
    group: int
    disc: Disc


Lying = tuple[OnTable, ...]
"""All discs on the board at one moment."""


class Newcomer(NamedTuple):
    """A disc that came to lie on the board; ``sure``: how sure its side is."""

    seen: SeenDisc
    group: int
    sure: float


@dataclass(frozen=True, slots=True)
class DiscAfter:
    """Where a disc is after a shot: ``disc`` None when it left the surface. ``before``: None for the shot disc."""

    id: int
    group: int
    disc: Disc | None
    before: Disc | None


@dataclass(frozen=True, slots=True)
class Shot:
    """One shot as it was seen, from rest to rest.

    ``start_mm``: where the disc left the shooting line, ``start_seen`` whether its track was seen; ``after``: the shot
    disc and every disc that was moved or left; ``touched``: ids that it touched, ``maybe_touched`` those that may have
    been; ``lying``: all discs on the surface and in the hole when everything lay still; ``hidden``: ids of those that a
    hand hid; ``doubts``: what may be wrong; ``back``: discs that were to be taken off but were still there.
    """

    start_s: float
    start_mm: tuple[float, float] | None
    start_seen: bool
    settled_s: float
    group: int
    group_sure: float
    disc: int
    after: tuple[DiscAfter, ...]
    touched: tuple[int, ...]
    maybe_touched: tuple[int, ...]
    lying: Lying
    hidden: tuple[int, ...]
    doubts: tuple[Doubt, ...]
    back: Lying = ()


@dataclass(frozen=True, slots=True)
class Handled:
    """What hands did between two rests: ids taken off, ids pushed about, ids that came without a shot.

    ``elsewhere``: the camera showed something else in between. ``lying``: all discs now.
    """

    at: float
    taken: tuple[int, ...]
    pushed: tuple[int, ...]
    came: tuple[int, ...]
    elsewhere: bool
    lying: Lying

"""The discs that lie on the board, from reading to reading, and how one rest differs from the one before.

A disc's readings at one place are joined; ``vision.changes`` tells what became of it. Lengths in mm on the board.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from calibration.boards import BoardModel
from vision.disc_values import p_touching, valued, verdict_of
from vision.readings import Disc, DiscState
from vision.table import SeenDisc
from vision.tracks import Track

KEPT_READINGS = 5
"""More readings of a disc at rest gain little: they share their bias."""


@dataclass
class TableDisc:
    """A disc that lies on the board: ``group`` is its side's number; ``readings`` the latest ones, newest last.

    ``first``: it lay there when the board was first seen; ``doubted``: nobody saw it come and its reading left doubt,
    so that it may be a print, a knot or a stain; ``held``: people said that it lies there, whatever is read.
    """

    id: int
    group: int
    readings: list[Disc]
    disc: Disc
    group_sure: float = 1.0
    doubted: bool = False
    first: bool = False
    held: bool = False

    @property
    def mm(self) -> tuple[float, float]:
        """Where it lies."""
        return self.disc.mm

    def renew(self, reading: Disc, radius: float, board: BoardModel, elsewhere: bool = False) -> None:
        """Take in one more reading; ``elsewhere``: the disc was moved, older ones say nothing any more."""
        self.readings = [reading] if elsewhere else [*self.readings, reading][-KEPT_READINGS:]
        self.disc = fused(self.readings, radius, board)


class Stayed(NamedTuple):
    """A disc that lies where it lay; ``seen``: how it is read there now, None where it isn't."""

    disc: TableDisc
    seen: SeenDisc | None


@dataclass(frozen=True, slots=True)
class Moved:
    """A disc that lies elsewhere than before; ``seen``: how it is read there; ``sure``: beyond doubt."""

    disc: TableDisc
    mm: tuple[float, float]
    seen: SeenDisc | None
    sure: bool

    @property
    def reading(self) -> Disc:
        """The disc as it lies now."""
        return replace(self.disc.disc, mm=self.mm) if self.seen is None else self.seen.disc


@dataclass(frozen=True, slots=True)
class Change:
    """How the board at one rest differs from the rest before, disc by disc.

    ``struck``: the track of a disc that lay there and was knocked away, where one was seen; ``filled``: the hole looks
    as if something had fallen in, though nothing is read there and nothing was seen to.
    """

    stayed: tuple[Stayed, ...]
    moved: tuple[Moved, ...]
    gone: tuple[TableDisc, ...]
    hidden: tuple[TableDisc, ...]
    new: tuple[SeenDisc, ...]
    struck: Track | None = None
    filled: bool = False


def fused(readings: Sequence[Disc], radius: float, board: BoardModel) -> Disc:
    """One disc from several readings of it at one place: the means of place and gaps, joint states."""
    last = readings[-1]
    if len(readings) == 1:
        return last
    mm = (float(np.mean([d.mm[0] for d in readings])), float(np.mean([d.mm[1] for d in readings])))
    chances: dict[DiscState, float] = {}
    for d in readings:
        for state, p in d.states or ((d.state, 1.0),):
            chances[state] = chances.get(state, 0.0) + p / len(readings)
    states = tuple(sorted(chances.items(), key=lambda t: -t[1]))
    lines = []
    for line in last.lines:
        same = [c for d in readings for c in d.lines if c.line == line.line]
        gap = float(np.mean([c.gap_mm for c in same]))
        inner = float(np.mean([c.inner_gap_mm for c in same]))
        sigma = float(np.mean([c.sigma_mm for c in same]))
        p = p_touching(gap, sigma)
        lines.append(replace(line, gap_mm=gap, sigma_mm=sigma, inner_gap_mm=inner, p_touching=p, verdict=verdict_of(p)))
    best = max(d.confidence for d in readings)
    state, sure = states[0]
    joined = replace(
        last, mm=mm, states=states, state=state, state_confidence=sure, lines=tuple(lines), confidence=best
    )
    return valued(joined, radius, board)

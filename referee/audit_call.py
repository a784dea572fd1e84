"""One line call put before a judge: what was measured, in words, and the outlines that the numbers refer to.

Everything is taken from the reading: the page must show what was decided on, not a second measurement.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import get_args

import cv2
import numpy as np

from calibration.boards import LINE_NAMES, LineName
from calibration.camera import Array
from calibration.errors import NotFoundError
from calibration.view import BoardView
from referee.crokinole_reader import CrokinoleReading
from vision.contacts import Measured, nearest
from vision.disc_values import GUARD_SIGMAS, RING_VALUES
from vision.readings import Disc, LineContact

COVERAGE = 2.0
"""Coverage factor k of the expanded uncertainty: about 95 % of normal errors."""

VALUES: dict[LineName, tuple[int, int]] = dict(zip(get_args(LineName), pairwise(RING_VALUES), strict=True))
"""Points inside a circle line, and of a disc that touches it (C16, C10)."""

ASKED_MM = 3.0
"""If no disc is named, each disc nearer than this to a line gets a page: nobody doubts the others."""

ASKED_SIGMAS = 4.0
"""And every disc within as many sigmas, where the picture tells less."""

AT_WITHIN_MM = 25.0
"""A point given by hand means the disc whose middle is nearest, within this distance."""

PART_WORDS = {
    "edge": "the disc's edge in this picture",
    "pose": "the camera's tilt",
    "line": "the painted line's inner edge",
    "radius": "the disc's radius",
    "height": "the disc's height and the camera's distance",
}
"""The parts of the uncertainty, by the names that the measurement gives them."""


@dataclass(frozen=True, eq=False)
class Outlines:
    """The solved outlines of one call, in board mm.

    ``height``: that of the upper face, which appears moved by ``shift`` (2,) against the foot. ``bearing``: direction
    in radians, from the board's centre, in which disc and line come nearest. ``turns`` (N,): bearings along the line
    beside the disc; ``inner`` and ``outer`` (N,): radii of its painted edges there.
    """

    centre: Array
    radius: float
    height: float
    shift: Array
    bearing: float
    turns: Array
    inner: Array
    outer: Array

    @property
    def touch(self) -> Array:
        """The disc's outermost point (2,)."""
        way = np.array([math.cos(self.bearing), math.sin(self.bearing)])
        along = float(self.centre @ way)
        across = float(self.centre @ self.centre) - along * along
        return np.asarray((along + math.sqrt(max(self.radius**2 - across, 0.0))) * way)

    @property
    def line_point(self) -> Array:
        """The point (2,) of the line's inner edge that is nearest to it."""
        way = np.array([math.cos(self.bearing), math.sin(self.bearing)])
        return np.asarray(float(np.interp(self.bearing, self.turns, self.inner)) * way)

    def ring(self, count: int = 256) -> Array:
        """The disc's outline (count, 2) as seen straight from above."""
        a = np.arange(count) * (2 * np.pi / count)
        return np.asarray(self.centre + self.radius * np.column_stack([np.cos(a), np.sin(a)]))

    def upper_rim(self, view: BoardView, count: int = 256) -> Array:
        """Pixels (count, 2) of the upper face's outline."""
        return view.to_px(self.ring(count) + self.shift, self.height)

    def edge(self, radii: Array) -> Array:
        """Points (N, 2) of a painted edge of those radii (N,)."""
        return np.column_stack([radii * np.cos(self.turns), radii * np.sin(self.turns)])


@dataclass(frozen=True, eq=False)
class Call:
    """One disc beside one line. ``glare``: share of burnt-out pixels there; ``hidden``: the disc covers the place."""

    disc: Disc
    contact: LineContact
    outlines: Outlines
    px_per_mm: float
    view_angle_deg: float
    glare: float
    hidden: bool

    @property
    def name(self) -> str:
        """Folder and anchor of this call."""
        return f"disc-{self.disc.id:02d}"

    @property
    def expanded(self) -> float:
        """Expanded uncertainty in mm (k = 2)."""
        return COVERAGE * self.contact.sigma_mm

    @property
    def decidable(self) -> float:
        """The smallest gap in mm that could be decided here."""
        return GUARD_SIGMAS * self.contact.sigma_mm

    @property
    def beyond(self) -> bool:
        """Whether the disc lies wholly outside the line."""
        return self.contact.inner_gap_mm > 0 and self.contact.verdict == "touching"

    @property
    def probable(self) -> int:
        """The more probable of the two values."""
        inside, on = VALUES[self.contact.line]
        return on if self.contact.p_touching > 0.5 else inside

    @property
    def parts(self) -> tuple[tuple[str, float], ...]:
        """What the uncertainty is made of, the largest first, in mm."""
        return tuple(sorted(self.contact.parts, key=lambda part: -part[1]))

    @property
    def line_words(self) -> str:
        """The line's name in a sentence."""
        return "the shooting line" if self.contact.line == "shooting" else f"the {self.contact.line} line"


def find_disc(reading: CrokinoleReading, disc_id: int | None, at: tuple[float, float] | None) -> Disc | None:
    """The disc that was named by its number or by a point of the picture as shown; None when none was named.

    Raises NotFoundError when there is none.
    """
    if disc_id is not None:
        for disc in reading.discs:
            if disc.id == disc_id:
                return disc
        there = ", ".join(str(d.id) for d in reading.discs) or "none"
        raise NotFoundError(f"{reading.frame.source}: there is no disc {disc_id}; discs: {there}", code="no_disc")
    if at is None:
        return None
    place = reading.view.to_mm(reading.frame.from_shown(np.array([at])))[0]
    near = min(reading.discs, key=lambda d: math.dist(d.mm, place), default=None)
    if near is None or not math.dist(near.mm, place) <= AT_WITHIN_MM:
        raise NotFoundError(f"{reading.frame.source}: there is no disc at {at[0]:g},{at[1]:g}", code="no_disc")
    return near


def calls_of(reading: CrokinoleReading, chosen: Disc | None) -> list[Call]:
    """The calls to be shown: the chosen disc's, or those of all discs near a line.

    Raises NotFoundError where a disc has no line beside it.
    """
    discs = [d for d in reading.discs if d.lines and (_asked(d) if chosen is None else d.id == chosen.id)]
    if not discs:
        if chosen is None:
            what = f"no disc lies within {ASKED_MM:g} mm of a line; name one with --disc or --at"
        else:
            what = f"disc {chosen.id} ({chosen.state}) lies beside no line: there is nothing to call"
        raise NotFoundError(f"{reading.frame.source}: {what}", code="no_call")
    assert reading.measured is not None  # what has lines beside it was measured
    return [_call(reading, reading.measured, d) for d in discs]


def _asked(disc: Disc) -> bool:
    near = min(disc.lines, key=lambda c: abs(c.gap_mm))
    return near.verdict == "too_close" or abs(near.gap_mm) <= max(ASKED_MM, ASKED_SIGMAS * near.sigma_mm)


def _call(reading: CrokinoleReading, measured: Measured, disc: Disc) -> Call:
    contact = min(disc.lines, key=lambda c: abs(c.gap_mm))
    outlines = outlines_of(disc, contact, measured)
    centre = np.array(disc.mm)
    return Call(
        disc=disc,
        contact=contact,
        outlines=outlines,
        px_per_mm=reading.view.px_per_mm(centre),
        view_angle_deg=math.degrees(reading.view.view_angle(centre)),
        glare=_glare(reading, outlines),
        hidden=_hidden(reading.view, outlines),
    )


def outlines_of(disc: Disc, contact: LineContact, measured: Measured) -> Outlines:
    """The outlines that the gap was measured between."""
    assert measured.lines is not None
    line, solid = measured.lines[LINE_NAMES.index(contact.line)], measured.shared
    centre = np.array(disc.mm)
    middle, far = math.atan2(centre[1], centre[0]), float(np.hypot(*centre))
    half = min(math.asin(min(2.5 * solid.radius / max(far, 2.6 * solid.radius), 1.0)), 1.2)
    turns = middle + np.linspace(-half, half, 401)
    inner = line.inner + line.shape.at(turns)[0]
    bearing, _ = nearest(line, centre, solid.radius)
    bearing = middle + math.remainder(bearing - middle, 2 * math.pi)
    shift = np.array(solid.shift)
    return Outlines(centre, solid.radius, solid.height, shift, bearing, turns, inner, inner + line.width)


def _hidden(view: BoardView, outlines: Outlines) -> bool:
    """Whether the disc's own upper face covers the place where disc and line come nearest."""
    rim = outlines.upper_rim(view, 64).astype(np.float32)
    x, y = view.to_px(outlines.touch[None])[0].tolist()
    return cv2.pointPolygonTest(rim, (x, y), False) > 0


def _glare(reading: CrokinoleReading, outlines: Outlines) -> float:
    """Share of the pixels around the contact that are burnt out (all channels at their end)."""
    grid = np.linspace(-8.0, 8.0, 33)
    u, v = np.meshgrid(grid, grid)
    px = reading.view.to_px(outlines.touch + np.column_stack([u.ravel(), v.ravel()]))
    height, width = reading.frame.pixels.shape[:2]
    x, y = np.round(px).astype(np.intp).T
    inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    if not inside.any():
        return 0.0
    return float((reading.frame.pixels[y[inside], x[inside]].min(axis=1) >= 250).mean())


def shares(parts: Sequence[tuple[str, float]]) -> list[float]:
    """Share of each part in the variance."""
    total = sum(v * v for _, v in parts)
    return [v * v / total if total > 0 else 0.0 for _, v in parts]

"""Board geometry in millimetres: the circle lines, the hole, the discs; built-in models of known makers.

Frame: origin at the centre of the board, z up, the playing surface at z = 0. A radius of a line is that of
the middle of its painted stroke; the radius of the hole is that of its rim.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

LineName = Literal["15/10", "10/5", "shooting"]
LINE_NAMES: tuple[LineName, LineName, LineName] = ("15/10", "10/5", "shooting")
"""The circle lines from the inside out, named by the values that they separate."""

NCA_SHOOTING_MM = 304.8
DISC_DIAMETER_MM = 31.75
DISC_HEIGHT_MM = 9.5
HOLE_RADIUS_MM = 17.45
SURFACE_OVER_SHOOTING = 1.083
"""Radius of the surface's edge over the shooting line's (13 to 12 in, C1 and C3), where it wasn't measured."""


@dataclass(frozen=True, slots=True)
class BoardModel:
    """Radii in mm of one maker's board, with the discs that belong to it.

    ``line_widths`` are the painted widths in the order of :data:`LINE_NAMES`; ``surface`` is the radius of the
    playing surface's edge. None stands for what isn't known. ``disc_given``: somebody measured the discs, so
    ``disc_radius`` is more than what is usual.
    """

    name: str
    shooting: float
    ten: float
    fifteen: float
    hole: float | None = None
    line_widths: tuple[float, float, float] = (2.0, 2.0, 2.0)
    surface: float | None = None
    disc_radius: float = DISC_DIAMETER_MM / 2
    disc_height: float = DISC_HEIGHT_MM
    disc_given: bool = False

    @property
    def radii(self) -> tuple[float, float, float]:
        """Radii of the three circle lines in mm, in the order of :data:`LINE_NAMES`."""
        return (self.fifteen, self.ten, self.shooting)

    @property
    def inner_edges(self) -> tuple[float, float, float]:
        """Radii of the inner painted edges in mm: the boundaries of the values (C16)."""
        a, b, c = (r - w / 2 for r, w in zip(self.radii, self.line_widths, strict=True))
        return (a, b, c)

    @property
    def outer_edges(self) -> tuple[float, float, float]:
        """Radii of the outer painted edges in mm (C7 asks for the inner line's)."""
        a, b, c = (r + w / 2 for r, w in zip(self.radii, self.line_widths, strict=True))
        return (a, b, c)

    @property
    def usual_surface(self) -> float:
        """Radius of the surface's edge in mm: as measured, or else what is usual for this shooting line."""
        return self.surface or SURFACE_OVER_SHOOTING * self.shooting

    def scaled(self, factor: float) -> "BoardModel":
        """Return the same board with every length of the board (not of the discs) multiplied."""
        a, b, c = (w * factor for w in self.line_widths)
        return replace(
            self,
            shooting=self.shooting * factor,
            ten=self.ten * factor,
            fifteen=self.fifteen * factor,
            hole=None if self.hole is None else self.hole * factor,
            line_widths=(a, b, c),
            surface=None if self.surface is None else self.surface * factor,
        )


BUILT_IN: Mapping[str, BoardModel] = {
    # C3: tournament board, lines at 4, 8 and 12 in, hole 1 3/8 in, surface 26 in across (C1).
    "nca": BoardModel("nca", NCA_SHOOTING_MM, 203.2, 101.6, HOLE_RADIUS_MM, surface=330.2),
    # A common family board: lines at 0.34 and 0.72 of the shooting line, measured on a real one.
    "family": BoardModel("family", NCA_SHOOTING_MM, 219.5, 103.5, HOLE_RADIUS_MM, surface=330.2),
}
"""Named models for ``--board NAME``; a picture's own radii are measured when none is named."""

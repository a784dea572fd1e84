"""The board from straight above at a fixed, small size, sampled from a video's luma plane: motion is seen in it.

A :class:`Lens` belongs to one solved view and one size of picture. It holds the sampling maps, so that a look costs a
fraction of a millisecond per frame.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array
from calibration.view import BoardView

Gray = NDArray[np.uint8]
Mask = NDArray[np.uint8]

HALF = 1.378
"""Half the side of the square, over the shooting line's radius: surface, ditch, rail and a hand's breadth."""
COARSE = 256
"""Side in pixels for following motion: a disc is some 10 pixels wide."""
FINE = 768
"""Side in pixels for comparing what lies still: about 1.1 mm a pixel, the detail of a 720p picture of a board."""
ROWS_AT_ONCE = 32
HEIGHT_MM = 4.0
"""The plane looked at lies between a disc's base and its face."""
RAIL = 1.25
"""Beyond this share of the shooting line's radius there is rail and table (rails begin at 1.23 to 1.25)."""

OUTSIDE = 1.3
"""Beyond this share lies no disc, not even on the rail's inner wall: hands and arms reach in from here."""


@dataclass(frozen=True)
class Lens:
    """Sampling of one view into the square of ``HALF`` shooting-line radii about the board's centre, y up.

    ``to_plane`` (2, 3) maps pixels of the frame to those of the plane that is sampled.
    """

    view: BoardView
    to_plane: Array
    size: int = COARSE

    @property
    def half_mm(self) -> float:
        """Half the side of the square in mm."""
        return HALF * self.view.board.shooting

    @property
    def mm_per_px(self) -> float:
        """Millimetres per pixel."""
        return 2 * self.half_mm / self.size

    @cached_property
    def grid(self) -> Array:
        """Board points (size, size, 2) in mm of the pixels' centres."""
        axis = (np.arange(self.size) + 0.5) * self.mm_per_px - self.half_mm
        u, v = np.meshgrid(axis, -axis)
        return np.stack([u, v], axis=-1)

    @cached_property
    def radius(self) -> NDArray[np.float32]:
        """Distance (size, size) in mm of each pixel from the board's centre."""
        return np.hypot(self.grid[..., 0], self.grid[..., 1]).astype(np.float32)

    @cached_property
    def _maps(self) -> tuple[NDArray[np.int16], NDArray[np.uint16], tuple[slice, slice]]:
        """The sampling map, and the part (rows, columns) of the plane that is sampled at all."""
        # a few rows at a time: intermediate results stay in the cache, which takes a fifth of the time
        rows = np.array_split(self.grid.reshape(-1, 2), self.size // ROWS_AT_ONCE)
        px = (self.view.to_px(some, HEIGHT_MM) for some in rows)
        at = np.concatenate([some @ self.to_plane[:, :2].T + self.to_plane[:, 2] for some in px])
        x, y = (np.ascontiguousarray(at[:, k].reshape(self.size, self.size), dtype=np.float32) for k in (0, 1))
        fixed, fraction = cv2.convertMaps(x, y, cv2.CV_16SC2)
        (x0, y0), (x1, y1) = (end.astype(np.intp) for end in (fixed.min(axis=(0, 1)), fixed.max(axis=(0, 1))))
        x0, y0 = max(x0, 0), max(y0, 0)
        part = (slice(y0, max(y1 + 2, 0)), slice(x0, max(x1 + 2, 0)))
        return np.asarray(fixed - (x0, y0), dtype=np.int16), np.asarray(fraction, dtype=np.uint16), part

    @cached_property
    def finer(self) -> "Lens":
        """The same square with FINE pixels a side, kept for all rests of a view, since its maps take long to make."""
        return Lens(self.view, self.to_plane, FINE)

    def rescaled(self, view: BoardView) -> "Lens":
        """The same squares in other millimetres; ``view``: this one's with all lengths multiplied."""
        other = replace(self, view=view)
        for made in ("_maps", "seen"):  # which pixels are sampled stays
            if made in vars(self):
                vars(other)[made] = vars(self)[made]
        if "finer" in vars(self):
            vars(other)["finer"] = self.finer.rescaled(view)
        return other

    def look(self, plane: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The square (size, size[, 3]) uint8 in a plane (h, w[, 3]) uint8; 0 outside of the picture.

        A plane fresh from the decoder isn't in the cache: copied row by row first, it is sampled in half the time.
        """
        fixed, fraction, part = self._maps
        near = plane[part].copy()
        if not near.size:
            return np.zeros((self.size, self.size, *plane.shape[2:]), np.uint8)
        return np.asarray(cv2.remap(near, fixed, fraction, cv2.INTER_LINEAR), dtype=np.uint8)

    @cached_property
    def seen(self) -> Mask:
        """1 where the square lies in the picture (of the view's size)."""
        px = self.view.to_px(self.grid.reshape(-1, 2), HEIGHT_MM)
        camera = self.view.camera
        inside = (px >= 0).all(axis=1) & (px[:, 0] < camera.width) & (px[:, 1] < camera.height)
        return np.asarray(inside.reshape(self.size, self.size), dtype=np.uint8)

    @cached_property
    def field(self) -> Mask:
        """1 on surface and ditch, as far as they are in the picture."""
        return ((self.radius < RAIL * self.view.board.shooting) & (self.seen > 0)).astype(np.uint8)

    @cached_property
    def surface(self) -> Mask:
        """1 on the playing surface and a disc's breadth beyond its edge."""
        edge = self.view.board.usual_surface + self.view.board.disc_radius
        return np.asarray((self.radius < edge) & (self.seen > 0), dtype=np.uint8)

    @cached_property
    def outside(self) -> Mask:
        """1 on rail and table, where hands come from; also where the picture ends."""
        return np.asarray((self.radius >= OUTSIDE * self.view.board.shooting) | (self.seen == 0), dtype=np.uint8)

    def to_px(self, mm: Array) -> Array:
        """Pixels (N, 2) of the square of board points (N, 2) in mm."""
        p = np.asarray(mm, dtype=np.float64).reshape(-1, 2)
        return np.column_stack([p[:, 0] + self.half_mm, self.half_mm - p[:, 1]]) / self.mm_per_px - 0.5

    def to_mm(self, px: Array) -> Array:
        """Board points (N, 2) in mm of pixels (N, 2) of the square."""
        p = (np.asarray(px, dtype=np.float64).reshape(-1, 2) + 0.5) * self.mm_per_px
        return np.column_stack([p[:, 0] - self.half_mm, self.half_mm - p[:, 1]])

    def disc_mask(self, mm: tuple[float, float], radius_mm: float) -> Mask:
        """1 within ``radius_mm`` of a board point."""
        mask = np.zeros((self.size, self.size), np.uint8)
        self.draw_disc(mask, mm, radius_mm, 1)
        return mask

    def draw_disc(self, mask: Mask, mm: tuple[float, float], radius_mm: float, value: int) -> None:
        """Set a mask (size, size) to a value within ``radius_mm`` of a board point."""
        x, y = self.to_px(np.array([mm]))[0]
        shift = 4
        centre = (round(x * (1 << shift)), round(y * (1 << shift)))
        cv2.circle(mask, centre, round(radius_mm / self.mm_per_px * (1 << shift)), value, -1, cv2.LINE_8, shift)

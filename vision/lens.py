"""The board from straight above at a fixed, small size, sampled from a video's luma plane: motion is seen in it.

A :class:`Lens` belongs to one solved view and one size of picture. It holds the sampling maps, so that a look costs a
fraction of a millisecond a frame. Also here: how the board is turned, by its quadrant lines, and by how much it is
turned against a picture of the same board by another camera.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.view import BoardView

Array = NDArray[np.float64]
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
TURN_STEP_DEG = 0.25
RIDGE_MM = 3.5
"""A quadrant line is brighter or darker than the surface this far on either side of it."""
LINE_STANDS_OUT = 5.0
"""Quadrant lines are believed where their ridge is this many times the usual one at other angles."""


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
        """Millimetres a pixel."""
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
        edge = (self.view.board.surface or 1.083 * self.view.board.shooting) + self.view.board.disc_radius
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


def turned(view: BoardView, turn: float) -> BoardView:
    """The same view with the board's axes turned: a point at azimuth a in the old axes lies at a - ``turn`` now."""
    c, s = np.cos(turn), np.sin(turn)
    rotation = view.camera.rotation @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    rvec = np.asarray(cv2.Rodrigues(rotation)[0], dtype=np.float64).ravel()
    return replace(view, camera=replace(view.camera, rvec=rvec))


def upright_turn(view: BoardView) -> float:
    """Turn in radians that makes the board's y axis point up in the picture."""
    centre = view.to_px(np.zeros((1, 2)))[0]
    up = view.to_mm(np.array([centre, centre - (0.0, 1.0)]))
    return float(np.arctan2(*(up[1] - up[0])[::-1])) - np.pi / 2


def quadrant_turn(image: Gray, view: BoardView) -> float | None:
    """Turn in radians, in (-pi/4, pi/4], that puts the quadrant lines on the diagonals; None where none is seen.

    ``image`` is (H, W) uint8 as the view's camera saw it.
    """
    board = view.board
    angles = np.deg2rad(np.arange(0, 360, TURN_STEP_DEG))
    score = np.zeros(len(angles))
    margin = 2.5 * board.disc_radius / 4
    for inner, outer in ((board.fifteen, board.ten), (board.ten, board.shooting)):
        radii = np.linspace(inner + margin, outer - margin, 24)
        ring = np.stack([np.outer(radii, np.cos(angles)), np.outer(radii, np.sin(angles))], axis=-1)
        side = RIDGE_MM * np.stack([-np.sin(angles), np.cos(angles)], axis=-1)[None]
        left, middle, right = (
            cv2.remap(image, *view.sampling_map(ring + k * side), cv2.INTER_LINEAR).astype(np.float32)
            for k in (-1.0, 0.0, 1.0)
        )
        ridge = middle - (left + right) / 2
        step = np.abs(left - right)
        score += np.abs(np.median(np.where(step < np.abs(ridge), ridge, 0.0), axis=0))
    folded = score.reshape(4, -1)
    joint = np.sort(folded, axis=0)[1:].sum(axis=0)  # a logo counts in one quadrant only
    best = int(np.argmax(joint))
    usual = float(np.median(joint)) + 1.4826 * float(np.median(np.abs(joint - np.median(joint)))) + 0.5
    if joint[best] < LINE_STANDS_OUT * usual:
        return None
    turn = angles[best] - np.pi / 4
    return float((turn + np.pi / 4) % (np.pi / 2) - np.pi / 4)


def turn_between(before: Gray, after: Gray, lens: Lens, steps: tuple[float, ...] | None = None) -> tuple[float, float]:
    """Turn in radians by which the board in ``after`` appears turned against ``before``, and how well they then agree.

    Both are squares (size, size) uint8 of a lens. ``steps`` restricts the turns that are considered. What lies at
    azimuth a before lies at a + turn after.
    """
    count, rings = 1440, 64
    polar = []
    far = 1.06 * lens.view.board.shooting / lens.mm_per_px
    centre = ((lens.size - 1) / 2, (lens.size - 1) / 2)
    for picture in (before, after):
        p = cv2.warpPolar(picture, (rings, count), centre, far, cv2.WARP_POLAR_LINEAR).astype(np.float32)
        p = p[:, 8:]
        p = p - cv2.blur(p, (1, 121), borderType=cv2.BORDER_REPLICATE)
        limit = 2.5 * p.std(axis=0, keepdims=True) + 1e-3
        p = np.clip(p, -limit, limit)
        polar.append(p / (p.std(axis=0, keepdims=True) + 1.0))
    spectra = [np.fft.rfft(p, axis=0) for p in polar]
    match = np.fft.irfft((np.conj(spectra[0]) * spectra[1]).sum(axis=1), count)
    match /= np.sqrt((polar[0] ** 2).sum() * (polar[1] ** 2).sum()) + 1e-6
    turns = -2 * np.pi * np.arange(count) / count  # polar rows run with image y downwards
    turns = (turns + np.pi) % (2 * np.pi) - np.pi
    if steps is not None:
        near = np.min(np.abs(np.angle(np.exp(1j * (turns[:, None] - np.array(steps)[None])))), axis=1)
        match = np.where(near < np.deg2rad(3.0), match, -1.0)
    best = int(np.argmax(match))
    return float(turns[best]), float(match[best])

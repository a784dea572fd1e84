"""The canonical picture in which discs are looked for: the board from straight above, the camera at the bottom.

Lengths are scaled so that the shooting line has the radius :data:`SHOOTING` whatever the board's own is (less where a
maker's discs are uncommonly large for their board), and the board is turned so that the camera's foot lies towards the
bottom edge: every upright cylinder leans towards the top.
Pixel (column i, row j) samples the middle of its cell; the board's centre lies in the middle of the picture.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import NCA_SHOOTING_MM
from calibration.view import BoardView

SHOOTING = NCA_SHOOTING_MM
"""Radius of the shooting line in canonical mm."""
HALF_MM = 400.0
"""Half the side of the picture in canonical mm: the ditch of every measured board fits (rails at 375 to 382)."""
SIZE = 512
"""Side of the picture in pixels: a disc of 15.9 mm has a radius of 10 pixels."""
PX_PER_MM = SIZE / (2 * HALF_MM)
OVERSAMPLING = 2
"""The board is sampled this much finer, then averaged, so that grain and lines don't alias."""
MOST_OBLIQUE = 6.0
"""Tangents of view angles are capped here (80 degrees): nothing can be read beyond."""
MAP_BLOCK = 16
"""The sampling map is computed once a block and interpolated: over 12 mm it is linear to about 0.02 px."""


@dataclass(frozen=True, slots=True)
class CanonicalFrame:
    """Which turn and scale of the board the canonical picture shows.

    ``turn`` is in radians (the board is turned clockwise by it), ``scale`` the board's mm a canonical mm.
    ``foot`` (2,) is the point under the camera in canonical axes and canonical mm, ``height`` the camera's height
    above the board and ``shooting`` the shooting line's radius in canonical mm.
    """

    turn: float
    scale: float
    foot: tuple[float, float]
    height: float
    shooting: float = SHOOTING

    def shrunk(self, factor: float) -> "CanonicalFrame":
        """The frame in which all of the board has ``factor`` times the size."""
        x, y = self.foot
        return CanonicalFrame(
            self.turn, self.scale / factor, (x * factor, y * factor), self.height * factor, self.shooting * factor
        )

    def to_board(self, px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Board points (N, 2) in mm at z = 0 of canonical pixels (N, 2)."""
        xy = (np.asarray(px, dtype=np.float64) + 0.5) / PX_PER_MM - HALF_MM
        u, v = xy[:, 0], -xy[:, 1]
        c, s = np.cos(self.turn), np.sin(self.turn)
        return np.column_stack([c * u - s * v, s * u + c * v]) * self.scale

    def from_board(self, mm: NDArray[np.float64]) -> NDArray[np.float64]:
        """Canonical pixels (N, 2) of board points (N, 2) in mm at z = 0."""
        p = np.asarray(mm, dtype=np.float64).reshape(-1, 2) / self.scale
        c, s = np.cos(self.turn), np.sin(self.turn)
        u, v = c * p[:, 0] + s * p[:, 1], -s * p[:, 0] + c * p[:, 1]
        return (np.column_stack([u, -v]) + HALF_MM) * PX_PER_MM - 0.5


def frame_of(view: BoardView) -> CanonicalFrame:
    """Canonical frame of a solved board."""
    scale = view.board.shooting / SHOOTING
    centre = view.camera.centre
    turn = view.towards_camera(np.zeros(2)) + np.pi / 2
    return CanonicalFrame(float(turn), scale, (0.0, -float(np.hypot(*centre[:2])) / scale), float(centre[2]) / scale)


@dataclass(frozen=True, eq=False)
class Sampling:
    """Where the canonical picture of one view is sampled in pictures of one size; kept, since it takes long to make.

    ``shape``: rows and columns of those pictures; ``part``: which of them are used; ``reduced``: width and height to
    which that part is reduced first, None for not at all; ``maps``: for ``cv2.remap``.
    """

    frame: CanonicalFrame
    shape: tuple[int, int]
    part: tuple[slice, slice]
    reduced: tuple[int, int] | None
    maps: tuple[NDArray[np.float32], NDArray[np.float32]]

    def picture(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Board seen straight from above: (SIZE, SIZE, 3) uint8 BGR from an image (H, W, 3) uint8 BGR; black outside.

        Raises ValueError for an image of another size.
        """
        if image.shape[:2] != self.shape:
            raise ValueError(f"an image of {image.shape[:2]} pixels isn't sampled as one of {self.shape}")
        near = image[self.part]
        if self.reduced is not None:
            near = np.asarray(cv2.resize(near, self.reduced, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        seen = cv2.remap(near, *self.maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        return np.asarray(cv2.resize(seen, (SIZE, SIZE), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def canonical_picture(image: NDArray[np.uint8], view: BoardView, frame: CanonicalFrame) -> NDArray[np.uint8]:
    """Board seen straight from above: (SIZE, SIZE, 3) uint8 BGR from an image (H, W, 3) uint8 BGR; black outside."""
    return sampling_of(image.shape[:2], view, frame).picture(image)


def sampling_of(shape: tuple[int, int], view: BoardView, frame: CanonicalFrame) -> Sampling:
    """Where the canonical picture is sampled in images of a shape (H, W)."""
    fine = SIZE * OVERSAMPLING
    nodes = fine // MAP_BLOCK + 2
    axis = ((np.arange(nodes) - 0.5) * MAP_BLOCK) / (PX_PER_MM * OVERSAMPLING) - HALF_MM
    u, v = np.meshgrid(axis, -axis)
    c, s = np.cos(frame.turn), np.sin(frame.turn)
    grid = np.stack([c * u - s * v, s * u + c * v], axis=-1) * frame.scale
    maps = [np.asarray(m) for m in view.sampling_map(grid)]
    spacing = float(np.median(np.hypot(np.diff(maps[0], axis=0), np.diff(maps[1], axis=0)))) / MAP_BLOCK
    shrink = max(1.0, spacing)
    part, size = (slice(None), slice(None)), None
    if shrink > 1.5:
        # only the part that shows the board
        ends = [(int(m.min() - 3 * shrink), int(m.max() + 3 * shrink)) for m in maps]
        (x0, x1), (y0, y1) = ((max(0, a), min(b, n)) for (a, b), n in zip(ends, shape[::-1], strict=True))
        part = (slice(y0, y1), slice(x0, x1))
        size = (max(1, round((x1 - x0) / shrink)), max(1, round((y1 - y0) / shrink)))
        factors = (size[0] / (x1 - x0), size[1] / (y1 - y0))
        maps = [(m - start + 0.5) * f - 0.5 for m, start, f in zip(maps, (x0, y0), factors, strict=True)]
    big = (nodes * MAP_BLOCK, nodes * MAP_BLOCK)
    inner = slice(MAP_BLOCK, -MAP_BLOCK)
    mx, my = (
        np.ascontiguousarray(cv2.resize(m, big, interpolation=cv2.INTER_LINEAR)[inner, inner], dtype=np.float32)
        for m in (np.asarray(m, dtype=np.float32) for m in maps)
    )
    return Sampling(frame, shape, part, size, (mx, my))


def guide_channels(
    foot: tuple[float, float], height: float, window: tuple[int, int, int] = (0, 0, SIZE), shooting: float = SHOOTING
) -> NDArray[np.float32]:
    """Two channels (2, n, n) that the picture doesn't show: where on the board, and how obliquely seen.

    The first is the distance from the board's centre over the shooting line's radius, the second the tangent of the
    angle between the vertical and the direction to the camera. ``window`` is (x0, y0, n) in canonical pixels; the other
    arguments are as in :class:`CanonicalFrame`.
    """
    x0, y0, n = window
    steps = np.arange(n, dtype=np.float32)
    x = (steps + (x0 + 0.5)) / np.float32(PX_PER_MM) - np.float32(HALF_MM)
    y = (np.float32(HALF_MM) - (steps + (y0 + 0.5)) / np.float32(PX_PER_MM))[:, None]
    radius = np.sqrt(x * x + y * y) / np.float32(shooting)
    dx, dy = x - np.float32(foot[0]), y - np.float32(foot[1])
    tangent = np.sqrt(dx * dx + dy * dy) / np.float32(max(height, 1.0))
    return np.asarray(np.stack([radius, np.minimum(tangent, np.float32(MOST_OBLIQUE))]), dtype=np.float32)

"""The one carrier between the floors: a board as this camera sees it, px <-> mm at any height.

Whoever reads pieces gets a :class:`BoardView` and nothing else from this floor.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import BoardModel
from calibration.camera import Array, Camera
from calibration.scale import Scale

OTHER_DISC_MM, OTHER_DISC_SIGMAS = 0.9, 3.0
"""Discs whose radius seems off a tournament disc's by more than this many mm and standard uncertainties are another
maker's: of 66 pictures of tournament boards with their own discs none was off by more than 0.65."""


@dataclass(frozen=True)
class BoardView:
    """A solved board: the camera over it, its measured geometry, and how well both are known.

    ``residual_px`` is the RMS distance of line edges from the solution; ``scale`` says what gave the millimetres.
    """

    camera: Camera
    board: BoardModel
    scale: Scale
    residual_px: float
    warnings: tuple[str, ...] = ()

    @property
    def tournament(self) -> bool:
        """Whether the millimetres come from a tournament (NCA) board, which has discs of a known size (C3)."""
        return self.scale.tournament

    def tournament_discs(self, radius: float, sigma: float = 0.0) -> bool:
        """Whether the board is a tournament's, and discs that look ``radius`` mm large, +- ``sigma``, are its own."""
        off = abs(radius - self.board.disc_radius)
        return self.tournament and off < max(OTHER_DISC_MM, OTHER_DISC_SIGMAS * sigma)

    @property
    def discs_given(self) -> bool:
        """Whether the size of the discs in ``board`` stands before any is seen: it was given, or gave the scale."""
        return self.scale.source == "disc" or self.board.disc_given

    def with_discs(self, radius: float, *, given: bool = False) -> "BoardView":
        """The same view with discs of ``radius`` mm; ``given``: somebody measured them."""
        return replace(self, board=replace(self.board, disc_radius=radius, disc_given=given or self.board.disc_given))

    def scaled(self, factor: float, scale: Scale) -> "BoardView":
        """Return the same view with every millimetre of the board multiplied, now that its scale is known.

        The size of the discs in ``board`` stays: it is what gives the scale, or is measured apart.
        """
        camera = self.camera.scaled(factor)
        board = self.board.scaled(factor)
        return replace(self, camera=camera, board=board, scale=scale)

    def turned(self, turn: float) -> "BoardView":
        """The same view with the board's axes turned: a point at azimuth a in the old axes lies at a - ``turn`` now."""
        c, s = np.cos(turn), np.sin(turn)
        rotation = self.camera.rotation @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        rvec = np.asarray(cv2.Rodrigues(rotation)[0], dtype=np.float64).ravel()
        return replace(self, camera=replace(self.camera, rvec=rvec))

    def upright_turn(self) -> float:
        """Turn in radians that makes the board's y axis point up in the picture (see :meth:`turned`)."""
        centre = self.to_px(np.zeros((1, 2)))[0]
        up = self.to_mm(np.array([centre, centre - (0.0, 1.0)]))
        return float(np.arctan2(*(up[1] - up[0])[::-1])) - np.pi / 2

    def resized(self, sx: float, sy: float, width: int, height: int) -> "BoardView":
        """The view of the same picture resized to ``sx``, ``sy`` of its size: ``width`` x ``height`` pixels."""
        camera = self.camera.resized(sx, sy, width, height)
        return replace(self, camera=camera, residual_px=self.residual_px * float(np.sqrt(sx * sy)))

    def to_px(self, mm: Array, z: float = 0.0) -> Array:
        """Pixels (N, 2) of board points (N, 2) in mm at height ``z``."""
        mm = np.asarray(mm, dtype=np.float64).reshape(-1, 2)
        return self.camera.project(np.column_stack([mm, np.full(len(mm), z)]))

    def to_mm(self, px: Array, z: float = 0.0) -> Array:
        """Board points (N, 2) in mm at height ``z`` seen at pixels (N, 2)."""
        return self.camera.to_plane(np.asarray(px, dtype=np.float64).reshape(-1, 2), z)

    def circle_px(
        self, radius: float, z: float = 0.0, count: int = 64, about: tuple[float, float] = (0.0, 0.0)
    ) -> Array:
        """Pixels (count, 2) of a circle of ``radius`` mm at height ``z`` about a board point, by default the centre."""
        a = np.arange(count) * (2 * np.pi / count)
        return self.to_px(np.array(about) + radius * np.column_stack([np.cos(a), np.sin(a)]), z)

    def px_per_mm(self, mm: Array, z: float = 0.0) -> float:
        """Pixels per millimetre at one board point (2,): the geometric mean over directions."""
        return float(self.scales(mm, z)[0])

    def scales(self, mm: Array, z: float = 0.0) -> Array:
        """Pixels per millimetre (N,) at board points (N, 2): the geometric mean over directions."""
        around = np.array([[-0.5, 0.0], [0.5, 0.0], [0.0, -0.5], [0.0, 0.5]])
        p = self.to_px(np.asarray(mm, dtype=np.float64).reshape(-1, 1, 2) + around, z).reshape(-1, 4, 2)
        u, v = (p[:, 1] - p[:, 0]).T, (p[:, 3] - p[:, 2]).T
        return np.asarray(np.sqrt(np.abs(u[0] * v[1] - u[1] * v[0])), dtype=np.float64)

    def view_angle(self, mm: Array) -> float:
        """Angle in radians at a board point (2,) between the vertical and the direction to the camera."""
        c = self.camera.centre
        return float(np.arctan2(np.hypot(*(c[:2] - np.asarray(mm))), c[2]))

    def towards_camera(self, mm: Array) -> float:
        """Azimuth in radians on the board, from a board point (2,) towards the camera's foot."""
        d = self.camera.centre[:2] - np.asarray(mm)
        return float(np.arctan2(d[1], d[0]))

    def sampling_map(self, mm: Array, z: float = 0.0) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Maps for ``cv2.remap`` from a grid of board points (H, W, 2) in mm at height ``z``."""
        px = self.to_px(mm.reshape(-1, 2), z).astype(np.float32).reshape(*mm.shape[:2], 2)
        return np.ascontiguousarray(px[..., 0]), np.ascontiguousarray(px[..., 1])

    def rectify(
        self, image: NDArray[np.uint8], half_mm: float, size: int, z: float = 0.0, turn: float = 0.0
    ) -> NDArray[np.uint8]:
        """Bird's-eye picture (size, size, ...) of the square within ``half_mm`` of the centre, at height ``z``.

        Board y points up in it and x right, the board turned clockwise by ``turn`` radians: a board point at azimuth
        ``turn + pi / 2`` comes to lie at the top. Pixel (i, j) samples the middle of its cell.
        """
        step = 2 * half_mm / size
        axis = (np.arange(size) + 0.5) * step - half_mm
        u, v = np.meshgrid(axis, -axis)
        c, s = np.cos(turn), np.sin(turn)
        grid = np.stack([c * u - s * v, s * u + c * v], axis=-1)
        mx, my = self.sampling_map(grid, z)
        return np.asarray(cv2.remap(image, mx, my, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT), dtype=np.uint8)

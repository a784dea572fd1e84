"""A camera with its lens and its place over the board: pixels to rays and points to pixels.

OpenCV's conventions throughout: pixel centres at integers, x right, y down; distortion (k1, k2, p1, p2, k3);
``x_camera = R(rvec) @ x_board + tvec`` with the board's millimetres.
"""

from dataclasses import dataclass, field
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

UNDISTORT_STEPS = 25
UNDISTORT_TOLERANCE = 1e-9
"""Of the focal length: a millionth of a pixel."""


@dataclass(frozen=True)
class Camera:
    """Intrinsics, distortion and pose of one camera over one board.

    K: (3, 3); dist: (5,); rvec, tvec: (3,), tvec in mm; width, height: the picture's size in pixels.
    ``sigma`` holds standard uncertainties by name (``focal_px``, ``tilt_deg``), ``assumed`` says in words what
    was taken on trust instead of measured.
    """

    K: Array
    dist: Array
    rvec: Array
    tvec: Array
    width: int
    height: int
    sigma: dict[str, float] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()

    @cached_property
    def rotation(self) -> Array:
        """Rotation matrix (3, 3) from board to camera."""
        return np.asarray(cv2.Rodrigues(self.rvec)[0], dtype=np.float64)

    @cached_property
    def centre(self) -> Array:
        """The camera's place (3,) in board mm."""
        return np.asarray(-self.rotation.T @ self.tvec, dtype=np.float64)

    @property
    def tilt_deg(self) -> float:
        """Angle between the optical axis and the board's normal, in degrees."""
        return float(np.degrees(np.arccos(np.clip(abs(self.rotation[2, 2]), -1.0, 1.0))))

    def project(self, points: Array) -> Array:
        """Project board points (N, 3) in mm to pixels (N, 2)."""
        # in numpy: cv2.projectPoints spends most of its time on derivatives that nobody asked for
        x, y, z = self.rotation @ np.asarray(points, dtype=np.float64).reshape(-1, 3).T + self.tvec[:, None]
        x, y = x / z, y / z
        if self.dist.any():
            k1, k2, p1, p2, k3 = self.dist
            r2 = x * x + y * y
            radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
            x, y = (
                x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x),
                y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y,
            )
        return np.column_stack([self.K[0, 0] * x + self.K[0, 2], self.K[1, 1] * y + self.K[1, 2]])

    def rays(self, pixels: Array) -> Array:
        """Directions (N, 3) in board axes of the rays through pixels (N, 2); not normalised."""
        return np.asarray(np.column_stack([self.normalise(pixels), np.ones(len(pixels))]) @ self.rotation)

    def normalise(self, pixels: Array) -> Array:
        """Undistorted coordinates (N, 2) on the plane at distance 1 of pixels (N, 2).

        The lens model is inverted by the usual fixed-point iteration (as OpenCV's ``undistortPoints`` does, whose
        count of steps can't be set in every version).
        """
        pixels = np.asarray(pixels, dtype=np.float64).reshape(-1, 2)
        x0 = (pixels[:, 0] - self.K[0, 2]) / self.K[0, 0]
        y0 = (pixels[:, 1] - self.K[1, 2]) / self.K[1, 1]
        k1, k2, p1, p2, k3 = self.dist
        if not self.dist.any():
            return np.column_stack([x0, y0])
        x, y = x0, y0
        for _ in range(UNDISTORT_STEPS):
            r2 = x * x + y * y
            radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
            before = x
            x, y = (
                (x0 - 2 * p1 * x * y - p2 * (r2 + 2 * x * x)) / radial,
                (y0 - p1 * (r2 + 2 * y * y) - 2 * p2 * x * y) / radial,
            )
            if np.abs(x - before).max() < UNDISTORT_TOLERANCE:
                break
        return np.column_stack([x, y])

    def to_plane(self, pixels: Array, z: float = 0.0) -> Array:
        """Intersect the rays through pixels (N, 2) with the plane at height ``z`` mm: points (N, 2) in mm."""
        rays = self.rays(pixels)
        scale = (z - self.centre[2]) / rays[:, 2]
        return np.asarray(self.centre[:2] + rays[:, :2] * scale[:, None], dtype=np.float64)

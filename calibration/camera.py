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
        points = np.ascontiguousarray(points, dtype=np.float64).reshape(-1, 1, 3)
        return np.asarray(cv2.projectPoints(points, self.rvec, self.tvec, self.K, self.dist)[0]).reshape(-1, 2)

    def rays(self, pixels: Array) -> Array:
        """Directions (N, 3) in board axes of the rays through pixels (N, 2); not normalised."""
        pixels = np.ascontiguousarray(pixels, dtype=np.float64).reshape(-1, 1, 2)
        criteria = (cv2.TERM_CRITERIA_MAX_ITER | cv2.TERM_CRITERIA_EPS, 40, 1e-10)
        norm = cv2.undistortPointsIter(pixels, self.K, self.dist, np.eye(3), np.eye(3), criteria).reshape(-1, 2)
        rays = np.column_stack([norm, np.ones(len(norm))])
        return np.asarray(rays @ self.rotation, dtype=np.float64)

    def to_plane(self, pixels: Array, z: float = 0.0) -> Array:
        """Intersect the rays through pixels (N, 2) with the plane at height ``z`` mm: points (N, 2) in mm."""
        rays = self.rays(pixels)
        scale = (z - self.centre[2]) / rays[:, 2]
        return np.asarray(self.centre[:2] + rays[:, :2] * scale[:, None], dtype=np.float64)

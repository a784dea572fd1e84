"""A camera with its lens and its place over the board: pixels to rays and points to pixels.

OpenCV's conventions throughout: pixel centres at integers, x right, y down; distortion (k1, k2, p1, p2, k3);
``x_camera = R(rvec) @ x_board + tvec`` with the board's millimetres.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

UNDISTORT_STEPS = 25
UNDISTORT_TOLERANCE = 1e-9
"""Of the focal length: a millionth of a pixel."""


def resizing(sx: float, sy: float) -> Array:
    """Matrix (3, 3) from pixels to those of the same picture resized to ``sx``, ``sy`` of its size."""
    # pixel centres are at integers: the picture's corner, at -0.5, is what stays where it is
    return np.array([[sx, 0, (sx - 1) / 2], [0, sy, (sy - 1) / 2], [0, 0, 1.0]])


def resized_px(px: Array, factor: float) -> Array:
    """Pixels (...), x or y, as they are in the picture resized to ``factor`` of its size (see :func:`resizing`)."""
    return np.asarray((px + 0.5) * factor - 0.5)


@dataclass(frozen=True)
class Camera:
    """Intrinsics, distortion and pose of one camera over one board.

    K: (3, 3); dist: (5,); rvec, tvec: (3,), tvec in mm; width, height: the picture's size in pixels.
    ``sigma`` holds standard uncertainties by name (``focal_px``, ``tilt_deg``, and ``sideways``, of the place along the
    board over the height above it), ``assumed`` says in words what was taken on trust instead of measured;
    ``calibrated``: the intrinsics were measured apart from this picture. ``content``: left, upper, right and lower edge
    in pixels of what isn't blank margin, where there is one.
    """

    K: Array
    dist: Array
    rvec: Array
    tvec: Array
    width: int
    height: int
    sigma: dict[str, float] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()
    calibrated: bool = False
    content: tuple[float, float, float, float] | None = None

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

    @property
    def middle(self) -> Array:
        """The picture's middle (2,) in pixels."""
        return np.array([(self.width - 1) / 2, (self.height - 1) / 2])

    def at_focal(self, focal_px: float) -> "Camera":
        """The camera with another focal length in pixels, so far away that the board looks as large as before."""
        k = focal_px / float(self.K[0, 0])
        K = self.K.copy()
        K[[0, 1], [0, 1]] *= k
        return replace(self, K=K, tvec=self.tvec * [1.0, 1.0, k])

    def scaled(self, factor: float) -> "Camera":
        """The camera over the same board measured in units of 1 / ``factor``: all its lengths are multiplied."""
        return replace(self, tvec=self.tvec * factor)

    def px_per_unit(self) -> float:
        """Pixels per unit of length (mm, once the board has them) at its centre: the geometric mean over directions."""
        p = self.project(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]))
        u, v = p[1] - p[0], p[2] - p[0]
        return float(np.sqrt(abs(u[0] * v[1] - u[1] * v[0])))

    def centred(self) -> "Camera":
        """The camera with its principal point in the picture's middle, turned so that the board's centre stays."""
        if np.array_equal(self.K[:2, 2], self.middle):
            return self
        K = self.K.copy()
        K[:2, 2] = self.middle
        moved = replace(self, K=K)
        old, new = self.tvec, np.append(moved.normalise(self.project(np.zeros((1, 3))))[0], 1.0)
        new *= np.linalg.norm(old) / np.linalg.norm(new)
        axis = np.cross(old, new)
        sine = max(float(np.linalg.norm(axis)), 1e-12)
        turn = np.asarray(cv2.Rodrigues(axis / sine * np.arctan2(sine, old @ new))[0], dtype=np.float64)
        rvec = np.asarray(cv2.Rodrigues(turn @ self.rotation)[0], dtype=np.float64).ravel()
        return replace(moved, rvec=rvec, tvec=new)

    def project(self, points: Array) -> Array:
        """Project board points (N, 3) in mm to pixels (N, 2)."""
        x, y, z = np.asarray(points, dtype=np.float64).reshape(-1, 3).T
        return np.column_stack(self.pixels_of(x, y, z))

    def pixels_of(self, x: Array, y: Array, z: Array | float = 0.0) -> tuple[Array, Array]:
        """Pixels, x and y (...), of board points given by their coordinates (...) in mm; z may be one for all."""
        # in numpy: cv2.projectPoints spends most of its time on derivatives that nobody asked for
        u, v, depth = (a * x + b * y + (c * z + t) for (a, b, c), t in zip(self.rotation, self.tvec, strict=True))
        u /= depth
        v /= depth
        if self.dist.any():
            k1, k2, p1, p2, k3 = self.dist
            u2, v2 = u * u, v * v
            r2 = u2 + v2
            radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3)) if k3 else 1 + r2 * (k1 + r2 * k2)
            if p1 or p2:
                uv = 2 * u * v
                u, v = u * radial + p1 * uv + p2 * (r2 + 2 * u2), v * radial + p1 * (r2 + 2 * v2) + p2 * uv
            else:
                u, v = u * radial, v * radial
        return self.K[0, 0] * u + self.K[0, 2], self.K[1, 1] * v + self.K[1, 2]

    def share_outside(self, radius: float) -> float:
        """Share of a circle of ``radius`` mm on the board, about its centre, that lies outside the picture, or in its
        blank margins.
        """
        t = np.arange(90) * (2 * np.pi / 90)
        return float(1 - np.mean(self.in_picture(radius * np.column_stack([np.cos(t), np.sin(t), 0 * t]))))

    def in_picture(self, points: Array) -> NDArray[np.bool_]:
        """Whether points (N, 3) in mm on the board lie in the picture (N,), and not in its blank margins."""
        left, top, right, bottom = self.content or (0, 0, self.width, self.height)
        x, y = self.project(points).T
        return np.asarray((x >= left) & (y >= top) & (x < right) & (y < bottom))

    def resized(self, sx: float, sy: float, width: int, height: int) -> "Camera":
        """The camera of the same picture resized to ``sx``, ``sy`` of its size: ``width`` x ``height`` pixels."""
        mean = float(np.sqrt(sx * sy))
        sigma = {name: v * mean if name.endswith("_px") else v for name, v in self.sigma.items()}
        content = None if self.content is None else tuple(np.multiply(self.content, (sx, sy, sx, sy)).tolist())
        return replace(self, K=resizing(sx, sy) @ self.K, width=width, height=height, sigma=sigma, content=content)

    def rays(self, pixels: Array) -> Array:
        """Directions (N, 3) in board axes of the rays through pixels (N, 2); not normalised."""
        return np.asarray(np.column_stack([self.normalise(pixels), np.ones(len(pixels))]) @ self.rotation)

    def normalise(self, pixels: Array) -> Array:
        """Undistorted coordinates (N, 2) on the plane at distance 1 of pixels (N, 2).

        The lens model is inverted by the usual fixed-point iteration, like OpenCV's ``undistortPoints``; that isn't
        used because not every version lets one set the number of steps.
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

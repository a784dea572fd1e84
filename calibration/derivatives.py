"""How a point's distance from the board's centre changes with the camera that took it there from its pixel.

In the camera's axes a pixel's ray n meets the board's plane (normal m, through t) at q = (m t / m n) n - t, measured
from the board's centre. With e = q / |q| and h = e - (e n / m n) m, a moved board (dt) changes |q| by -h dt, a moved
ray (dn) by (m t / m n) h dn, and a turned board (dm) by -(e n / m n) (q dm).
"""

import numpy as np

from calibration.camera import Array, Camera


def radii_seen(cam: Camera, px: Array) -> tuple[Array, Array]:
    """Distances (N,) in mm of pixels (N, 2) on the board from its centre, and their derivatives (N, 10).

    The derivatives are by, in this order: turns in radians about the camera's x and y, shifts along them in shares of
    the board's distance, the logarithms of that distance and of the focal length (the distance growing with it), the
    lens's k1 and k2, and the principal point's x and y.
    """
    flat = cam.normalise(px)
    n = np.vstack([flat.T, np.ones(len(flat))])
    m, t = cam.rotation[:, 2], cam.tvec
    across = m @ n
    reach = (m @ t) / across
    q = reach * n - t[:, None]
    radius = np.sqrt((q * q).sum(0))
    e = q / np.maximum(radius, 1e-12)
    lean = (e * n).sum(0) / across
    h = e - lean * m[:, None]
    gx, gy = _by_pixels(cam, flat, reach * h[0], reach * h[1])
    x, y = flat.T
    r2 = x * x + y * y
    k1 = -(gx * x + gy * y) * r2
    seen_x, seen_y = (np.asarray(px).T - cam.K[:2, 2, None]) / np.array([[cam.K[0, 0]], [cam.K[1, 1]]])
    farther = -(t @ h)
    derivatives = np.column_stack(
        [
            -lean * (m[1] * q[2] - m[2] * q[1]),
            -lean * (m[2] * q[0] - m[0] * q[2]),
            -h[0] * t[2],
            -h[1] * t[2],
            farther,
            farther - (gx * seen_x + gy * seen_y),
            k1,
            k1 * r2,
            -gx / cam.K[0, 0],
            -gy / cam.K[1, 1],
        ]
    )
    return radius, derivatives


def _by_pixels(cam: Camera, flat: Array, gx: Array, gy: Array) -> tuple[Array, Array]:
    """Derivatives (N,) by pixels in focal lengths, from those by undistorted coordinates ``flat`` (N, 2)."""
    if not cam.dist.any():
        return gx, gy
    k1, k2, p1, p2, k3 = cam.dist
    x, y = flat.T
    r2 = x * x + y * y
    radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    bend = 2 * (k1 + r2 * (2 * k2 + r2 * 3 * k3))
    xx = radial + bend * x * x + 2 * p1 * y + 6 * p2 * x  # the lens's own derivatives, a symmetric matrix
    yy = radial + bend * y * y + 6 * p1 * y + 2 * p2 * x
    xy = bend * x * y + 2 * p1 * x + 2 * p2 * y
    whole = xx * yy - xy * xy
    return (yy * gx - xy * gy) / whole, (xx * gy - xy * gx) / whole

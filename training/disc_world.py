"""Draws crokinole boards of endless kinds straight into the canonical picture, with the truth of every disc.

Seen through a pinhole, a horizontal circle at height z is, on the plane of the board, again a circle: the image under
a stretching about the camera's foot. So boards, holes, rails, posts and discs are drawn as circles and their hulls,
exactly projected and in a few milliseconds. Lengths are canonical mm (shooting line 304.8), the camera's foot lies at
(0, -d). Everything follows from one seed.
"""

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.disc_canonical import HALF_MM, PX_PER_MM, SIZE

Image = NDArray[np.float32]
Colour = tuple[float, float, float]

WOODS: tuple[Colour, ...] = (  # BGR: maple, oak, golden oak, cherry, walnut, wenge, grey, red oak, birch, green-stained
    (160, 200, 225),
    (110, 160, 200),
    (60, 130, 190),
    (70, 105, 170),
    (50, 75, 110),
    (35, 45, 60),
    (110, 125, 130),
    (80, 120, 190),
    (190, 215, 230),
    (70, 130, 120),
)
PAINTS: tuple[Colour, ...] = (
    (120, 60, 25),
    (60, 100, 40),
    (30, 30, 32),
    (235, 235, 235),
    (40, 40, 180),
    (150, 200, 220),
    (60, 60, 60),
    (130, 170, 130),
    (190, 160, 110),
    (60, 30, 70),
    (200, 200, 190),
    (40, 130, 230),
    (40, 200, 230),
)
DISC_COLOURS: tuple[Colour, ...] = (
    (28, 28, 30),
    (40, 45, 50),
    (160, 200, 225),
    (90, 150, 200),
    (50, 75, 110),
    (30, 30, 190),
    (60, 60, 220),
    (240, 240, 240),
    (200, 215, 225),
    (60, 130, 50),
    (170, 90, 40),
    (40, 200, 230),
    (30, 130, 240),
    (140, 60, 110),
    (120, 40, 50),
    (70, 90, 60),
    (200, 140, 90),
    (130, 190, 60),
    (50, 50, 130),
    (35, 60, 100),
    (170, 170, 170),
)


@dataclass
class Piece:
    """Truth of one disc: ``xy`` (2,) canonical pixels of its target point, its state and its radius in pixels.

    The target point is the centre of the base (board), of the body (leaning) or of the upper face (hole, ditch) as it
    appears on the plane of the board. ``ignored``: too much hidden to count either way.
    """

    xy: tuple[float, float]
    state: str
    radius_px: float
    ignored: bool = False


@dataclass
class Scene:
    """A drawn picture (SIZE, SIZE, 3) uint8 BGR with its camera (canonical mm) and the truth.

    ``spots``: pixels of what is painted or stands there and might be taken for a disc (dots, stars, posts);
    ``hidden`` (SIZE, SIZE) uint8: 255 where something lies over the board or the picture ends, None where nothing does.
    """

    picture: NDArray[np.uint8]
    foot: tuple[float, float]
    height: float
    pieces: list[Piece] = field(default_factory=list)
    spots: list[tuple[float, float]] = field(default_factory=list)
    hidden: NDArray[np.uint8] | None = None


class Textures:
    """A stock of wood grains and clouds (S, S) float32 around 1, made once a seed."""

    def __init__(self, rng: np.random.Generator, count: int = 24, size: int = 768) -> None:
        self.woods = [self._wood(rng, size) for _ in range(count)]
        self.clouds = [self._cloud(rng, size) for _ in range(count // 2)]

    @staticmethod
    def _cloud(rng: np.random.Generator, size: int) -> Image:
        total = np.zeros((size, size), np.float32)
        weight = 1.0
        for cells in (4, 9, 20, 45, 100, 240):
            grid = rng.normal(size=(cells, cells)).astype(np.float32)
            total += weight * cv2.resize(grid, (size, size), interpolation=cv2.INTER_CUBIC)
            weight *= rng.uniform(0.45, 0.8)
        return np.asarray((total - total.mean()) / total.std(), np.float32)

    def _wood(self, rng: np.random.Generator, size: int) -> Image:
        y, x = np.mgrid[0:size, 0:size].astype(np.float32)
        bend = self._cloud(rng, size)
        across = (
            x
            + rng.uniform(2, 14) * bend
            + rng.uniform(0, 60) * np.sin(y / size * rng.uniform(0.5, 3) + rng.uniform(0, 6))
        )
        rings = (
            np.sin(across * rng.uniform(0.05, 0.5)) * rng.uniform(0.2, 1) + np.sin(across * rng.uniform(0.4, 1.5)) * 0.4
        )
        fibre = cv2.blur(rng.normal(size=(size, size)).astype(np.float32), (1, int(rng.integers(15, 80))))
        fibre = cv2.GaussianBlur(fibre, (0, 0), rng.uniform(0.5, 1.2))
        fibre /= fibre.std()
        t = rings * rng.uniform(0, 0.8) + fibre * rng.uniform(0.3, 1) + 0.5 * self._cloud(rng, size) * rng.uniform(0, 1)
        for _ in range(int(rng.integers(0, 5))):  # knots
            cx, cy, s = *rng.uniform(0, size, 2), rng.uniform(4, 14)
            t -= rng.uniform(1, 4) * np.exp(-(((x - cx) / s) ** 2 + ((y - cy) / (s * rng.uniform(1, 2.5))) ** 2))
        return np.asarray((t - t.mean()) / t.std(), np.float32)

    def take(self, rng: np.random.Generator, size: int, wood: bool) -> Image:
        """Random piece (size, size) of a texture, turned and stretched."""
        stock = self.woods if wood else self.clouds
        source = stock[int(rng.integers(len(stock)))]
        turn, zoom = rng.uniform(0, 360), rng.uniform(0.6, 1.8)
        m = cv2.getRotationMatrix2D((source.shape[1] / 2, source.shape[0] / 2), turn, zoom)
        m[:, 2] += size / 2 - source.shape[0] / 2 + rng.uniform(-80, 80, 2)
        return np.asarray(cv2.warpAffine(source, m, (size, size), borderMode=cv2.BORDER_REFLECT), np.float32)


def jitter(rng: np.random.Generator, colour: Colour, amount: float = 18.0) -> Colour:
    """Return a colour near the given one."""
    c = np.clip(np.array(colour) * rng.uniform(0.8, 1.2) + rng.normal(0, amount, 3), 3, 252)
    return float(c[0]), float(c[1]), float(c[2])


class Pinhole:
    """Camera of the canonical frame: foot (0, -d) and height, projecting onto the board's plane."""

    def __init__(self, distance: float, height: float) -> None:
        self.distance, self.height = distance, height

    def px(self, x: float, y: float, z: float) -> tuple[float, float]:
        """Canonical pixel of a point in canonical mm."""
        k = self.height / (self.height - z)
        px, py = x * k, -self.distance + (y + self.distance) * k
        return (px + HALF_MM) * PX_PER_MM - 0.5, (HALF_MM - py) * PX_PER_MM - 0.5

    def size(self, radius: float, z: float) -> float:
        """Radius in canonical pixels of a horizontal circle at height z."""
        return radius * self.height / (self.height - z) * PX_PER_MM


SHIFT = 4


def fixed(*values: float) -> tuple[int, ...]:
    """Fixed-point coordinates for OpenCV's sub-pixel drawing."""
    return tuple(round(v * (1 << SHIFT)) for v in values)


def disc_mask(centre: tuple[float, float], radius: float) -> Image:
    """Anti-aliased filled circle (SIZE, SIZE) in 0..1."""
    m = np.zeros((SIZE, SIZE), np.uint8)
    cv2.circle(m, fixed(*centre), round(radius * (1 << SHIFT)), 255, -1, cv2.LINE_AA, SHIFT)
    return m.astype(np.float32) / 255


def polygon_mask(points: NDArray[np.float64]) -> Image:
    """Anti-aliased filled polygon (SIZE, SIZE) in 0..1 from points (N, 2) in pixels."""
    m = np.zeros((SIZE, SIZE), np.uint8)
    cv2.fillPoly(m, [np.round(points * (1 << SHIFT)).astype(np.int32)], 255, cv2.LINE_AA, SHIFT)
    return m.astype(np.float32) / 255


def blend(image: Image, mask: Image, paint: Image | Colour) -> None:
    """Lay paint over the image where the mask says, in place."""
    colour = np.asarray(paint, np.float32)
    image += mask[..., None] * (colour - image)


def box(centre: tuple[float, float], reach: float) -> tuple[slice, slice, NDArray[np.float32], NDArray[np.float32]]:
    """Window of pixels around a centre with the coordinates in it; empty slices where it lies outside."""
    x0, x1 = (int(np.clip(v, 0, SIZE)) for v in (centre[0] - reach, centre[0] + reach + 1))
    y0, y1 = (int(np.clip(v, 0, SIZE)) for v in (centre[1] - reach, centre[1] + reach + 1))
    yy, xx = np.mgrid[y0:y1, x0:x1].astype(np.float32)
    return slice(y0, y1), slice(x0, x1), xx, yy


def capsule(
    xx: NDArray[np.float32],
    yy: NDArray[np.float32],
    a: tuple[float, float],
    b: tuple[float, float],
    radii: tuple[float, float],
) -> tuple[Image, Image]:
    """Coverage of the hull of two circles, and where along from a to b (0..1) each pixel lies."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    n = dx * dx + dy * dy + 1e-9
    t = np.clip(((xx - a[0]) * dx + (yy - a[1]) * dy) / n, 0, 1)
    d = np.hypot(xx - a[0] - t * dx, yy - a[1] - t * dy)
    cover = np.clip(0.5 + radii[0] + t * (radii[1] - radii[0]) - d, 0, 1)
    return cover.astype(np.float32), t.astype(np.float32)

"""Discs, posts and hands of the drawn world."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.disc_boards import Board
from training.disc_world import PAINTS, Colour, Image, Pinhole, blend, box, capsule, disc_mask, jitter
from vision.disc_canonical import HALF_MM, PX_PER_MM, SIZE

SKINS: tuple[Colour, ...] = ((120, 150, 205), (85, 115, 170), (150, 175, 225), (50, 70, 110))


@dataclass(frozen=True)
class Lamp:
    """The one lamp that throws shadows: azimuth in the picture's axes, reach in pixels, darkness 0..1, softness."""

    azimuth: float
    reach: float
    dark: float
    soft: float

    @property
    def way(self) -> tuple[float, float]:
        """Unit vector in which shadows fall."""
        return float(np.cos(self.azimuth)), float(np.sin(self.azimuth))


@dataclass(frozen=True)
class Put:
    """One disc as it lies: base's centre (canonical mm), side, and its lean.

    ``lean`` is (tangent of the angle, azimuth towards which the face looks), drawn to first order.
    """

    xyz: tuple[float, float, float]
    side: int
    state: str = "board"
    lean: tuple[float, float] = (0.0, 0.0)


@dataclass
class Painter:
    """Draws pieces of one board under one lamp as one camera sees them."""

    rng: np.random.Generator
    eye: Pinhole
    board: Board
    lamp: Lamp

    def _shadow(self, window: Image, xx: Image, yy: Image, a: tuple[float, float], radius: float) -> None:
        rng, lamp = self.rng, self.lamp
        gap = np.hypot(xx - a[0], yy - a[1]) - radius
        contact = np.exp(-np.maximum(gap, 0) / rng.uniform(0.6, 2.0)) * rng.uniform(0.1, 0.6)
        end = (a[0] + lamp.reach * lamp.way[0], a[1] + lamp.reach * lamp.way[1])
        cast = cv2.GaussianBlur(capsule(xx, yy, a, end, (radius, radius))[0], (0, 0), lamp.soft) * lamp.dark
        window *= (1 - np.maximum(contact, cast) * 0.9)[..., None]

    def disc(self, image: Image, put: Put, shadow: bool = True) -> None:
        """One disc with its contact shadow, wall, bevel and face, in place."""
        rng, eye, board = self.rng, self.eye, self.board
        (x, y, z), (tangent, azimuth) = put.xyz, put.lean
        r, h = board.disc_radius, board.disc_height
        a = eye.px(x, y, z)
        b = eye.px(x + tangent * h * np.cos(azimuth), y + tangent * h * np.sin(azimuth), z + h)
        ra, rb = eye.size(r, z), eye.size(r, z + h)
        rows, cols, xx, yy = box(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), ra + 22)
        if xx.size == 0:
            return
        window = image[rows, cols]
        if shadow and not board.flat:
            self._shadow(window, xx, yy, a, ra)
        colour = np.array(jitter(rng, board.disc_colours[put.side], 6), np.float32)
        body, along = capsule(xx, yy, a, b, (ra, rb))
        across = ((xx - a[0]) * self.lamp.way[0] + (yy - a[1]) * self.lamp.way[1]) / ra
        wall = (rng.uniform(0.4, 0.9) - 0.25 * np.clip(across, -1, 1)) * (0.75 + 0.25 * along)
        blend(window, body, colour * wall[..., None])
        # The leaning face is an ellipse, squeezed along the lean's azimuth (image y points down).
        dx, dy = xx - b[0], yy - b[1]
        ux, uy = np.cos(azimuth), -np.sin(azimuth)
        d = np.hypot((dx * ux + dy * uy) * np.sqrt(1 + tangent**2), dx * -uy + dy * ux)
        if board.flat:
            blend(window, np.clip(0.5 + rb - d, 0, 1), colour)
            return
        self._face(window, colour, put, (dx, dy, d, rb))
        if board.ring_hole:
            hole = np.clip(0.5 + rb * board.ring_hole - d, 0, 1)
            blend(window, hole, colour * rng.uniform(0.2, 0.7))
            through = hole * np.clip(0.5 + ra * board.ring_hole - np.hypot(xx - a[0], yy - a[1]), 0, 1)
            blend(window, through, np.array(board.surface_colour, np.float32) * rng.uniform(0.3, 0.8))

    def _face(self, window: Image, colour: Image, put: Put, place: tuple[Image, Image, Image, float]) -> None:
        rng, board, lamp = self.rng, self.board, self.lamp
        dx, dy, d, rb = place
        face = np.clip(0.5 + rb - d, 0, 1)
        toward = np.clip((dx * lamp.way[0] + dy * lamp.way[1]) / -rb, -1, 1)
        blend(window, face, colour * ((1 + rng.uniform(-0.2, 0.35) * toward) * rng.uniform(0.8, 1.25))[..., None])
        top = np.zeros((*dx.shape, 3), np.float32) + colour * (1 + 0.25 * put.lean[0] * rng.uniform(-1, 1))
        if board.disc_wood[put.side]:
            i, j = rng.integers(0, SIZE - 80, 2)
            grain = board.surface_texture[i : i + dx.shape[0], j : j + dx.shape[1]]
            top += grain[::-1, :, None] * rng.uniform(0.3, 1.2)
        top *= (1 + rng.uniform(-0.15, 0.2) * (d / rb) ** 2 + 0.08 * (dx + dy) / rb * rng.normal())[..., None]
        blend(window, np.clip(0.5 + rb - rng.uniform(0.3, 1.4) - d, 0, 1), top)
        if rng.random() < 0.1:  # a groove, a print, a dimple
            groove = np.exp(-((d - rb * rng.uniform(0.3, 0.8)) ** 2) / 1.2)
            blend(window, groove * rng.uniform(0.1, 0.5), jitter(rng, (90, 90, 90), 50))
        if rng.random() < 0.25:  # gloss
            gx, gy = rng.normal(0, 0.5 * rb, 2)
            spot = np.exp(-((dx - gx) ** 2 + (dy - gy) ** 2) / (2 * (rb * rng.uniform(0.15, 0.8)) ** 2))
            window += (face * spot * rng.uniform(10, 130))[..., None]

    def post(self, image: Image, xy: tuple[float, float], size: tuple[float, float], colour: Colour) -> None:
        """One upright post of a radius and height in canonical mm, in place."""
        rng, eye, lamp = self.rng, self.eye, self.lamp
        radius, height = size
        a, b = eye.px(*xy, 0), eye.px(*xy, height)
        ra, rb = eye.size(radius, 0), eye.size(radius, height)
        rows, cols, xx, yy = box(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), ra + 14 + abs(a[1] - b[1]) / 2)
        if xx.size == 0:
            return
        window = image[rows, cols]
        end = (a[0] + 1.5 * lamp.reach * lamp.way[0], a[1] + 1.5 * lamp.reach * lamp.way[1])
        cast = cv2.GaussianBlur(capsule(xx, yy, a, end, (ra, ra))[0], (0, 0), max(0.8, lamp.soft * 0.5))
        window *= (1 - cast * lamp.dark * 0.8)[..., None]
        across = (xx - a[0]) / (ra + 0.3)
        shade = 0.8 + 0.4 * np.exp(-((across - rng.uniform(-0.6, 0.6)) ** 2) * 3)
        paint = np.array(colour, np.float32)
        blend(window, capsule(xx, yy, a, b, (ra, rb))[0], paint * shade[..., None])
        blend(window, np.clip(0.5 + rb - np.hypot(xx - b[0], yy - b[1]), 0, 1), paint * rng.uniform(0.9, 1.6))

    def _held(self, image: Image, p: NDArray[np.float64]) -> Image:
        """A disc held above the board between fingertips at a pixel, in any direction; returns what it hides."""
        rng, eye = self.rng, self.eye
        x, y = (p[0] + 0.5) / PX_PER_MM - HALF_MM, HALF_MM - (p[1] + 0.5) / PX_PER_MM
        z = rng.uniform(15, 60)
        k = (eye.height - z) / eye.height
        xyz = (float(x * k), float(-eye.distance + (y + eye.distance) * k), float(z))
        side = int(rng.integers(len(self.board.disc_colours)))
        self.disc(image, Put(xyz, side, lean=(rng.uniform(0, 1.5), rng.uniform(0, 2 * np.pi))), shadow=False)
        return disc_mask((float(p[0]), float(p[1])), 16)

    def hand(self, image: Image) -> Image:
        """One hand with its sleeve reaching in, perhaps holding a disc, in place; returns what it hides."""
        rng, lamp = self.rng, self.lamp
        a = rng.uniform(0, 2 * np.pi)
        start = SIZE / 2 + SIZE * np.array([np.cos(a), np.sin(a)])
        r, b = rng.uniform(120, 260) if rng.random() < 0.75 else rng.uniform(0, 120), a + rng.normal(0, 0.35)
        tip = SIZE / 2 + r * np.array([np.cos(b), np.sin(b)])
        away = (start - tip) / np.linalg.norm(start - tip)
        side = np.array([-away[1], away[0]])
        size = rng.uniform(24, 40)  # length of a finger in pixels
        palm = tip + away * size * 1.6
        yy, xx = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)

        def limb(p: NDArray[np.float64], q: NDArray[np.float64], ra: float, rb: float) -> Image:
            return capsule(xx, yy, (p[0], p[1]), (q[0], q[1]), (ra, rb))[0]

        parts = [limb(palm, palm + away * size * 0.9, size * 0.75, size * 0.6)]
        for i in range(int(rng.integers(2, 6))):
            root = palm + side * size * (0.3 * (i - 1.5)) - away * size * 0.3
            end = tip + side * size * rng.uniform(-0.7, 0.7) + away * size * rng.uniform(0, 0.9)
            knee = (root + end) / 2 + side * rng.normal(0, size * 0.12)
            w = size * rng.uniform(0.16, 0.24)
            parts.append(np.maximum(limb(root, knee, w * 1.15, w), limb(knee, end, w, w * 0.8)))
        wrist = palm + away * size * rng.uniform(0.9, 2.2)
        arm = limb(wrist, start, size * rng.uniform(0.5, 1.1), size * rng.uniform(0.8, 1.6))
        shape = np.maximum.reduce([*parts, arm])
        move = np.array([[1, 0, lamp.reach * 2.5 * lamp.way[0]], [0, 1, lamp.reach * 2.5 * lamp.way[1]]])
        fallen = cv2.GaussianBlur(cv2.warpAffine(shape, move, (SIZE, SIZE)), (0, 0), lamp.soft * 2.5)
        image *= (1 - 0.7 * lamp.dark * fallen)[..., None]
        if rng.random() < 0.35:
            shape = np.maximum(shape, self._held(image, tip + away * rng.uniform(0, 8)))
        skin = jitter(rng, SKINS[int(rng.integers(len(SKINS)))], 12)
        sleeve = skin if rng.random() < 0.35 else jitter(rng, PAINTS[int(rng.integers(len(PAINTS)))], 20)
        cells = rng.normal(size=(40, 40)).astype(np.float32)
        noise = cv2.resize(cells, (SIZE, SIZE), interpolation=cv2.INTER_CUBIC)[..., None] * 6
        for p in parts:
            inner = cv2.GaussianBlur(p, (0, 0), size * 0.09)
            blend(image, p, np.array(skin, np.float32) * (0.45 + 0.6 * inner)[..., None] + noise)
        cloth = 0.5 + 0.5 * cv2.GaussianBlur(arm, (0, 0), 6)
        blend(image, arm, np.array(sleeve, np.float32) * cloth[..., None] + 2 * noise)
        return np.asarray(shape, np.float32)

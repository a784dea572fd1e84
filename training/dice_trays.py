"""Bowls, trays and towers that dice are filmed in, and hard pictures: coloured light, overexposure, small copies."""

import cv2
import numpy as np
from numpy.typing import NDArray

from training.dice_render import Array
from training.dice_tables import noise, table, tone

TRAYS = 0.1
"""Share of tables that lie within walls, or end in the dark."""
LEAST_EDGE = 15.0
"""Edges in pixels that a small copy leaves of the dice in the middle: below, people can't count pips either."""
COPIED = 0.22
"""Share of pictures that are small copies, blown up again: what is sent by phone or kept for the web."""
CAST, OVEREXPOSED, INFRARED = 0.08, 0.08, 0.05
"""Shares of pictures in coloured light, with burnt-out highlights, and by an infrared camera."""


def tray(rng: np.random.Generator, n: int, photos: bool) -> Array:
    """A floor (n, n, 3) within walls of three to nine sides or of a ring, on another table or in the dark."""
    y, x = np.mgrid[0:n, 0:n].astype(np.float32)
    c = rng.uniform(0.3, 0.7, 2) * n
    dx, dy = x - c[0], (y - c[1]) * rng.uniform(1, 1.4)
    r, a = np.hypot(dx, dy), np.arctan2(dy, dx) + rng.uniform(0, 6)
    sides = int(rng.integers(3, 10))
    ring = rng.random() < 0.5
    away = r if ring else r * np.cos((a % (2 * np.pi / sides)) - np.pi / sides)
    inner = rng.uniform(0.25, 0.75) * n
    outer = inner * rng.uniform(1.02, 1.7)
    floor = table(rng, n, photos)
    wall = tone(rng) if rng.random() < 0.5 else floor.mean(axis=(0, 1)) * rng.uniform(0.5, 1.4)
    round_light = np.cos(a - rng.uniform(0, 6)) if ring else rng.uniform(-1, 1, sides + 1)[
        np.clip(((a % (2 * np.pi)) / (2 * np.pi / sides)).astype(int), 0, sides)
    ]  # fmt: skip
    shade = 1 + rng.uniform(0, 0.5) * round_light + rng.uniform(0, 0.12) * noise(rng, n, 0.5)
    if rng.random() < 0.3:  # streaks and petals mirrored in a shiny wall
        petals = np.sin(a * int(rng.integers(3, 14)) + r / rng.uniform(8, 60)) + np.sin(r / rng.uniform(3, 25))
        shade = shade + rng.uniform(0.2, 1.0) * petals
    walls = wall * shade[..., None]
    beyond = np.full(3, rng.uniform(0, 40)) if rng.random() < 0.4 else table(rng, n, photos)
    soft = float(rng.choice([1.0, rng.uniform(1, 8)]))
    inside = np.clip((inner - away) / soft + 0.5, 0, 1)[..., None]
    within = np.clip((outer - away) / soft + 0.5, 0, 1)[..., None]
    floor = floor * (1 - rng.uniform(0, 0.5) * np.exp(-np.clip(inner - away, 0, None) / (0.08 * n)))[..., None]
    out = (beyond * (1 - within) + walls * within) * (1 - inside) + floor * inside
    if rng.random() < 0.5:  # a rim, bright or dark
        rim = np.exp(-np.square((away - outer) / rng.uniform(1, 7)))[..., None]
        out = out * (1 - rim) + rng.uniform(20, 250) * rim
    return np.asarray(out, np.float32)


def ground(rng: np.random.Generator, n: int, photos: bool) -> Array:
    """What dice lie on (n, n, 3): a table or a tray."""
    return tray(rng, n, photos) if rng.random() < TRAYS else table(rng, n, photos)


def hard_light(rng: np.random.Generator, image: Array) -> Array:
    """Coloured light, burnt-out highlights with a glow about them, or what an infrared camera makes of a picture."""
    kind = rng.random()
    if kind < CAST:
        image = image * np.exp(rng.normal(0, 0.4, 3)).astype(np.float32)
    elif kind < CAST + OVEREXPOSED:
        bright = image * float(rng.uniform(1.2, 2.4))
        glow = cv2.GaussianBlur(np.clip(bright - 240, 0, 400), (0, 0), float(np.exp(rng.uniform(0.5, 3))))
        image = bright + glow * float(rng.uniform(0, 1))
    elif kind < CAST + OVEREXPOSED + INFRARED:
        shares = rng.dirichlet((1, 1, 1)).astype(np.float32)
        one = (image @ shares)[..., None]
        image = 128 + (one - one.mean()) * float(rng.uniform(0.4, 1.1)) + np.zeros(3, np.float32)
    return np.asarray(image, np.float32)


def small_copy(rng: np.random.Generator, image: Array, edge: float) -> Array:
    """Perhaps the picture as a small, coded, sharpened copy of it shows it; ``edge``: pixels of the dice in it."""
    most = edge / LEAST_EDGE
    if most < 1.15 or rng.random() > COPIED:
        return image
    n = len(image)
    less = max(32, round(n / float(rng.uniform(1.15, min(most, 4.0)))))
    small = cv2.resize(image, (less, less), interpolation=int(rng.choice([cv2.INTER_AREA, cv2.INTER_LINEAR])))
    if rng.random() < 0.4:
        small = small + rng.uniform(0.3, 1.5) * (small - cv2.GaussianBlur(small, (0, 0), 1.0))
    coded = np.clip(small, 0, 255).astype(np.uint8)
    _, data = cv2.imencode(".jpg", coded, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(40, 96))])
    read: NDArray[np.uint8] = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    how = int(rng.choice([cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_NEAREST]))
    return np.asarray(cv2.resize(read.astype(np.float32), (n, n), interpolation=how), np.float32)

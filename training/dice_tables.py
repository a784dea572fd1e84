"""Procedural tables and the things that lie on them: wood, felt, cloth, tiles, print, and what could pass for a die."""

from collections.abc import Callable
from functools import cache
from importlib.resources import files

import cv2
import numpy as np
from numpy.typing import NDArray

from training.dice_cards import lay_card
from training.dice_render import Array

TONES = (
    (40, 70, 110), (70, 110, 160), (120, 160, 200), (30, 45, 70), (150, 150, 150), (225, 225, 225), (30, 30, 32),
    (50, 90, 40), (60, 50, 140), (120, 70, 50), (110, 60, 110), (60, 60, 62), (180, 190, 200), (90, 95, 100),
    (40, 40, 170), (50, 170, 220),
)  # fmt: skip
"""BGR of woods, papers, felts and cloths."""


Ink = tuple[float, ...]


def noise(rng: np.random.Generator, n: int, fine: float, ratio: float = 1.0) -> Array:
    """Fractal noise (n, n), mean 0, spread 1; ``fine`` 0..1 weighs fine octaves, ``ratio`` stretches it along x."""
    out = np.zeros((n, n), np.float32)
    weight, cells = 1.0, 3
    while cells < n:
        grid = rng.normal(size=(cells + 1, max(2, int(cells / ratio) + 1))).astype(np.float32)
        out += weight * cv2.resize(grid, (n, n), interpolation=cv2.INTER_CUBIC)
        weight, cells = weight * (0.45 + 0.6 * fine), cells * 2
    return np.asarray((out - out.mean()) / max(float(out.std()), 1e-6), np.float32)


def tone(rng: np.random.Generator) -> Array:
    """A table's colour."""
    c = np.array(TONES[int(rng.integers(len(TONES)))], np.float32)
    return np.asarray(np.clip(c * rng.uniform(0.7, 1.25) + rng.normal(0, 14, 3), 5, 250), np.float32)


def stripes(rng: np.random.Generator, n: int) -> Array:
    """Mask (n, n) 0..1 of stripes, checks, tiles or dots."""
    y, x = np.mgrid[0:n, 0:n].astype(np.float32)
    a, w = rng.uniform(0, np.pi), np.exp(rng.uniform(1.3, 4.5))
    u, v = (x * np.cos(a) + y * np.sin(a)) / w, (y * np.cos(a) - x * np.sin(a)) / w
    kind = int(rng.integers(5))
    duty = rng.uniform(0.25, 0.75)
    first, second = (u % 1 < duty).astype(np.float32), (v % 1 < duty).astype(np.float32)
    if kind == 0:
        return first
    if kind == 1:
        return np.asarray((first + second) / 2, np.float32)
    if kind == 2:
        return np.asarray(np.abs(first - second), np.float32)
    if kind == 3:
        return np.asarray(np.maximum(u % 1 < 0.06, v % 1 < 0.06), np.float32)
    return np.asarray(np.hypot(u % 1 - 0.5, v % 1 - 0.5) < rng.uniform(0.12, 0.35), np.float32)


PHOTOS = (
    "astronaut.png", "brick.png", "camera.png", "chelsea.png", "coffee.png", "coins.png", "grass.png", "gravel.png",
    "ihc.png", "motorcycle_left.png", "page.png", "rocket.jpg", "text.png",
)  # fmt: skip
"""Photographs that come with scikit-image (all free to use): real texture, print, coins, cloth and machines."""
PHOTO = 0.16
"""Share of tables that are a part of one of them."""


@cache
def _photo(name: str) -> Array:
    """A photograph (H, W, 3) BGR."""
    read = cv2.imread(str(files("skimage").joinpath("data", name)), cv2.IMREAD_COLOR)
    assert read is not None, name
    return np.asarray(read, np.float32)


def photograph(rng: np.random.Generator, n: int) -> Array:
    """A turned part of a photograph (n, n, 3) in other colours."""
    whole = _photo(PHOTOS[int(rng.integers(len(PHOTOS)))])
    side = min(float(np.exp(rng.uniform(np.log(90), np.log(600)))), 0.95 * min(whole.shape[:2]))
    a, k = rng.uniform(0, 2 * np.pi), n / side
    A = k * np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    at = rng.uniform(0.3, 0.7, 2) * whole.shape[1::-1]
    M = np.column_stack([A, n / 2 - A @ at])
    part = cv2.warpAffine(whole, M, (n, n), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
    return np.ascontiguousarray(part[..., rng.permutation(3)] * np.exp(rng.normal(0, 0.2, 3)), np.float32)


GRILLE = 0.1
"""Share of tables that are a grille, a drain or a basket: more contrast than the dice on it."""


def grille(rng: np.random.Generator, n: int) -> Array:
    """A lattice of bars over a dark depth (n, n, 3), often round and within bright rings."""
    y, x = np.mgrid[0:n, 0:n].astype(np.float32)
    bars, depth = tone(rng) * rng.uniform(0.8, 1.6), tone(rng) * rng.uniform(0.05, 0.5)
    if rng.random() < 0.3:
        bars, depth = depth, bars
    a, pitch, duty = rng.uniform(0, np.pi), np.exp(rng.uniform(2.6, 4.4)), rng.uniform(0.12, 0.5)
    u, v = (x * np.cos(a) + y * np.sin(a)) / pitch, (y * np.cos(a) - x * np.sin(a)) / pitch * rng.uniform(0.4, 1)
    edge = 1.0 / pitch
    solid = [np.clip((duty / 2 - np.abs(w % 1 - 0.5)) / edge + 0.5, 0, 1) for w in (u, v)]
    m = np.maximum(solid[0], solid[1] if rng.random() < 0.8 else 0)
    c = rng.uniform(0.2, 0.8, 2) * n
    r = np.hypot(x - c[0], y - c[1])
    if rng.random() < 0.6:
        within = rng.uniform(0.3, 0.7) * n
        petals = rng.uniform(0, 1.5) * np.sin(9 * np.arctan2(y - c[1], x - c[0]))
        wave = np.sin((r - within) / rng.uniform(4, 25) + petals)
        m = np.where(r < within, m, np.clip(0.5 + rng.uniform(0.5, 2) * wave, 0, 1))
    shade = 1 + rng.uniform(0, 0.25) * noise(rng, n, 0.2)
    return np.asarray((depth + (bars - depth) * m[..., None]) * shade[..., None], np.float32)


def table(rng: np.random.Generator, n: int, photos: bool = False) -> Array:
    """A table (n, n, 3) float32 0..255."""
    if photos and rng.random() < PHOTO:
        return photograph(rng, n)
    if rng.random() < GRILLE:
        return grille(rng, n)
    kind = rng.random()
    base = tone(rng)
    if kind < 0.3:  # wood: stretched noise bent by a slow one
        grain = noise(rng, n, rng.uniform(0.2, 0.7), rng.uniform(5, 20))
        rings = np.sin(grain * rng.uniform(2, 9) + noise(rng, n, 0.2, 4) * 2)
        t = 0.6 * grain + 0.5 * rings
    elif kind < 0.75:
        t = noise(rng, n, rng.uniform(0, 1))
    else:
        t = 0.3 * noise(rng, n, rng.uniform(0, 1))
    image = base + (rng.uniform(0, 16) * t)[..., None] * np.clip(base / 128, 0.3, 1.2)
    if kind > 0.55:
        m = stripes(rng, n)[..., None]
        rough = rng.random() < 0.3
        other = tone(rng) + 8 * noise(rng, n, 0.5)[..., None] if rough else image + rng.normal(0, 35)
        image = image * (1 - m) + other * m
    if rng.random() < 0.25:
        image = on_bytes(print_words, rng, image)
    if rng.random() < 0.7:
        turn = cv2.getRotationMatrix2D((n / 2, n / 2), float(rng.uniform(0, 360)), float(rng.uniform(0.8, 1.6)))
        image = np.asarray(
            cv2.warpAffine(image.astype(np.float32), turn, (n, n), borderMode=cv2.BORDER_REFLECT), np.float32
        )
    return np.asarray(image, np.float32)


def on_bytes(
    paint: Callable[[np.random.Generator, NDArray[np.uint8]], None], rng: np.random.Generator, image: Array
) -> Array:
    """Let ``paint`` work on the image as bytes, which OpenCV needs for text."""
    raw = np.clip(image, 0, 255).astype(np.uint8)
    paint(rng, raw)
    return raw.astype(np.float32)


def print_words(rng: np.random.Generator, image: NDArray[np.uint8]) -> None:
    """Letters, numerals and marks, large or small, in place."""
    n = len(image)
    words = ("THE", "QUICK", "BROWN", "FOX", "0123456789", "ooo8888", "BOX", "oO", ".::", "::", "...", "&%$", "AQRDBP")
    colour = tuple(float(v) for v in tone(rng))
    size = float(np.exp(rng.uniform(-0.9, 1.2)))
    for _ in range(int(rng.integers(1, 14))):
        at = (int(rng.integers(-20, n)), int(rng.integers(0, n)))
        word = str(words[int(rng.integers(len(words)))])
        cv2.putText(image, word, at, int(rng.integers(0, 5)), size, colour, max(1, int(size * 2.5)), cv2.LINE_AA)


def things(rng: np.random.Generator, image: NDArray[np.uint8], count: int) -> None:
    """Coins, keys, pens, batteries, papers, boxes, trays, grilles and peg boards, in place."""
    n = len(image)
    for _ in range(count):
        c = rng.uniform(0, n, 2)
        size = float(np.exp(rng.uniform(2.3, 4.7)))
        a = float(rng.uniform(0, 2 * np.pi))
        colour, dark = tuple(float(v) for v in tone(rng)), tuple(float(v) for v in tone(rng))
        kind = int(rng.integers(9))
        at = (int(c[0]), int(c[1]))
        way = np.array([np.cos(a), np.sin(a)])
        if kind == 0:  # coin, button or ring with holes
            cv2.circle(image, at, int(size * 0.6), colour, -1, cv2.LINE_AA)
            cv2.circle(image, at, int(size * 0.5), dark, max(1, int(size * 0.06)), cv2.LINE_AA)
            for k in range(int(rng.integers(0, 7))):
                q = c + size * 0.25 * np.array([np.cos(k * 1.6 + a), np.sin(k * 1.6 + a)])
                cv2.circle(image, (int(q[0]), int(q[1])), max(1, int(size * 0.09)), dark, -1, cv2.LINE_AA)
        elif kind == 1:  # key
            end = c + way * size * 1.6
            cv2.line(image, at, (int(end[0]), int(end[1])), colour, max(2, int(size * 0.25)), cv2.LINE_AA)
            cv2.circle(image, at, int(size * 0.5), colour, -1, cv2.LINE_AA)
            cv2.circle(image, at, max(1, int(size * 0.15)), dark, -1, cv2.LINE_AA)
        elif kind == 2:  # pen, battery or cable
            end = c + way * size * rng.uniform(1, 6)
            width = max(2, int(size * rng.uniform(0.1, 0.5)))
            cv2.line(image, at, (int(end[0]), int(end[1])), colour, width, cv2.LINE_AA)
            cv2.line(image, at, (int(end[0]), int(end[1])), dark, max(1, width // 3), cv2.LINE_AA)
        elif kind in (3, 4):  # paper, box, phone: plain or printed
            q = cv2.boxPoints(
                ((float(c[0]), float(c[1])), (size * rng.uniform(0.6, 4), size * rng.uniform(0.6, 3)), np.degrees(a))
            )
            cv2.fillConvexPoly(image, np.round(q * 8).astype(np.int32), colour, cv2.LINE_AA, 3)
            if kind == 4:
                cv2.putText(
                    image,
                    "".join("ABEO0683"[int(rng.integers(8))] for _ in range(3)),
                    at,
                    0,
                    size / 30,
                    dark,
                    max(1, int(size / 12)),
                    cv2.LINE_AA,
                )
        elif kind == 5:
            _holes(rng, image, c, way * size * rng.uniform(0.2, 0.5), dark)
        elif kind == 6:
            _tray(image, at, n * rng.uniform(0.3, 0.7), colour, dark)
        elif kind == 7:
            lay_card(rng, image, c, size * 0.8, a)
        else:  # ball or pebble
            cv2.ellipse(
                image,
                at,
                (int(size * 0.5), int(size * rng.uniform(0.3, 0.5))),
                np.degrees(a),
                0,
                360,
                colour,
                -1,
                cv2.LINE_AA,
            )


def _holes(rng: np.random.Generator, image: NDArray[np.uint8], start: Array, step: Array, colour: Ink) -> None:
    """Rows of holes along ``step`` pixels (2,)."""
    for i in range(int(rng.integers(1, 9))):
        for j in range(int(rng.integers(1, 4))):
            x, y = start + i * step + j * np.array([-step[1], step[0]])
            cv2.circle(image, (int(x), int(y)), max(1, int(np.hypot(*step) * 0.25)), colour, -1, cv2.LINE_AA)


def _tray(image: NDArray[np.uint8], at: tuple[int, int], radius: float, rim: Ink, floor: Ink) -> None:
    """A round tray that lets the table show through."""
    before = image.copy()
    cv2.circle(image, at, int(radius), rim, -1, cv2.LINE_AA)
    cv2.circle(image, at, int(radius * 0.92), floor, -1, cv2.LINE_AA)
    image[:] = cv2.addWeighted(image, 0.6, before, 0.4, 0)


def lights(rng: np.random.Generator, n: int) -> Array:
    """Uneven light (n, n, 1) on the table, edges of large shadows included."""
    y, x = (np.mgrid[0:n, 0:n].astype(np.float32) / n) - 0.5
    a = rng.uniform(0, 2 * np.pi)
    u = x * np.cos(a) + y * np.sin(a)
    out = 1 + rng.uniform(-0.5, 0.5) * u - rng.uniform(0, 0.5) * (x * x + y * y)
    if rng.random() < 0.2:
        out *= 1 - rng.uniform(0.2, 0.6) / (1 + np.exp(-(u - rng.uniform(-0.4, 0.4)) * rng.uniform(8, 120)))
    return np.asarray(np.clip(out, 0.15, 1.6)[..., None], np.float32)


def spoil(rng: np.random.Generator, image: Array, colourful: bool = False) -> NDArray[np.uint8]:
    """What a lens, a sensor and a codec do: blur, casts, contrast, noise, JPEG; returns (n, n, 3) uint8.

    ``colourful``: colours are what is to be read, so they are kept apart.
    """
    kind = rng.random()
    if kind < 0.45:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), float(np.exp(rng.uniform(-1.2, 0.75)))), np.float32)
    elif kind < 0.5:
        k = np.zeros((9, 9), np.float32)
        a = rng.uniform(0, np.pi)
        length = rng.uniform(1, 4)
        dx, dy = np.cos(a) * length, np.sin(a) * length
        cv2.line(k, (round(4 - dx), round(4 - dy)), (round(4 + dx), round(4 + dy)), 1.0)
        image = np.asarray(cv2.filter2D(image, -1, k / k.sum()), np.float32)
    gain = np.exp(rng.normal(0, 0.2)) * np.exp(rng.normal(0, 0.1, 3))
    image = np.clip(image * gain.astype(np.float32) / 255, 0, None)
    image = image ** float(np.exp(rng.normal(0, 0.22))) * 255
    if rng.random() < 0.15:
        image = 128 + (image - 128) * rng.uniform(0.45, 0.9) + rng.uniform(-30, 30)
    grey = image.mean(axis=2, keepdims=True)
    share = rng.uniform(-0.35, 0.5)
    if not colourful and rng.random() < 0.05:
        share = 1.0
    image = image + (grey - image) * share
    if rng.random() < 0.2:
        image = image + rng.uniform(0.3, 1) * (image - cv2.GaussianBlur(image, (0, 0), 1.5))
    level = np.exp(rng.uniform(-0.5, 2.4))
    image = image + level * rng.standard_normal(image.shape, np.float32)
    out = np.clip(image, 0, 255).astype(np.uint8)
    if rng.random() < 0.7:
        _, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 96))])
        out = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return out

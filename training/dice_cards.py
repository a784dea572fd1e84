"""Drawn playing cards, which come close to the pips of dice: what lies on a table without being a die."""

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from training.dice_render import Array

SIDE = 128
"""Pixels across a card before it is laid on the picture."""
LONG = 1.42
"""Height of a card over its width: 63 x 88 mm, or 57 x 89 mm."""
ROWS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),), 2: ((0, -1), (0, 1)), 3: ((0, -1), (0, 0), (0, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)), 5: ((-1, -1), (1, -1), (-1, 1), (1, 1), (0, 0)),
    6: ((-1, -1), (1, -1), (-1, 1), (1, 1), (-1, 0), (1, 0)),
    7: ((-1, -1), (1, -1), (-1, 1), (1, 1), (-1, 0), (1, 0), (0, -0.5)),
    8: ((-1, -1), (1, -1), (-1, 1), (1, 1), (-1, 0), (1, 0), (0, -0.5), (0, 0.5)),
    9: ((-1, -1), (1, -1), (-1, 1), (1, 1), (-1, -0.33), (1, -0.33), (-1, 0.33), (1, 0.33), (0, 0)),
    10: ((-1, -1), (1, -1), (-1, 1), (1, 1), (-1, -0.33), (1, -0.33), (-1, 0.33), (1, 0.33), (0, -0.66), (0, 0.66)),
}  # fmt: skip
"""Places of the symbols, halves of the field's width and height."""
INDICES = "A23456789TJQKDB"


@cache
def symbol(suit: int) -> Array:
    """Mask (64, 64) 0..1 of clubs, diamonds, hearts, spades or a plain disc."""
    m = np.zeros((64, 64), np.uint8)
    if suit == 0:
        for at in ((32, 17), (18, 36), (46, 36)):
            cv2.circle(m, at, 13, 255, -1, cv2.LINE_AA)
        cv2.fillConvexPoly(m, np.array([(32, 28), (40, 60), (24, 60)], np.int32), 255, cv2.LINE_AA)
    elif suit == 1:
        cv2.fillConvexPoly(m, np.array([(32, 4), (54, 32), (32, 60), (10, 32)], np.int32), 255, cv2.LINE_AA)
    elif suit in (2, 3):
        cv2.circle(m, (20, 22), 14, 255, -1, cv2.LINE_AA)
        cv2.circle(m, (44, 22), 14, 255, -1, cv2.LINE_AA)
        cv2.fillConvexPoly(m, np.array([(7, 28), (57, 28), (32, 60)], np.int32), 255, cv2.LINE_AA)
        if suit == 3:
            m = np.ascontiguousarray(np.roll(m[::-1], -6, axis=0))
            cv2.fillConvexPoly(m, np.array([(32, 34), (40, 62), (24, 62)], np.int32), 255, cv2.LINE_AA)
    else:
        cv2.circle(m, (32, 32), 24, 255, -1, cv2.LINE_AA)
    return m.astype(np.float32) / 255


def _stamp(card: Array, mask: Array, at: tuple[float, float], size: float, ink: Array, upside_down: bool) -> None:
    """Print a mask ``size`` pixels across, its middle at a point, in place."""
    k = max(3, round(size))
    small = cv2.resize(mask[::-1] if upside_down else mask, (k, k), interpolation=cv2.INTER_AREA)
    x0, y0 = round(at[0] - k / 2), round(at[1] - k / 2)
    x1, y1 = max(0, x0), max(0, y0)
    part = card[y1 : y0 + k, x1 : x0 + k]
    a = small[y1 - y0 : y1 - y0 + part.shape[0], x1 - x0 : x1 - x0 + part.shape[1], None]
    part[:] = part * (1 - a) + ink * a


def card(rng: np.random.Generator) -> NDArray[np.uint8]:
    """A card's face, court card or back (h, w, 3)."""
    w, h = SIDE, round(SIDE * LONG)
    out = np.full((h, w, 3), rng.uniform(205, 255), np.float32)
    suit = int(rng.integers(4))
    ink = np.array([30, 28, 28] if suit in (0, 3) else [40, 30, 195], np.float32) + rng.normal(0, 10, 3)
    if rng.random() < 0.15:
        ink = rng.uniform(10, 200, 3)
    mark = symbol(suit if rng.random() < 0.9 else 4)
    kind, field = rng.random(), rng.uniform(0.2, 0.3) * w
    if kind < 0.68:
        count = int(rng.integers(1, 11))
        size = w * rng.uniform(0.13, 0.24) * (float(rng.uniform(1.2, 3)) if count == 1 else 1)
        for x, y in ROWS[count]:
            at = w / 2 + x * field, h / 2 + y * rng.uniform(0.995, 1.005) * h * 0.33
            _stamp(out, mark, at, size, ink, y > 0)
    elif kind < 0.86:  # a court card: a frame full of patches
        x0, y0 = round(w * 0.17), round(h * 0.1)
        for _ in range(int(rng.integers(12, 40))):
            c = rng.uniform((x0, y0), (w - x0, h - y0)).astype(int)
            axes = (int(rng.integers(2, 22)), int(rng.integers(2, 16)))
            tone = tuple(float(v) for v in rng.uniform(0, 255, 3))
            turn, fill = float(rng.uniform(0, 180)), int(rng.choice([-1, -1, 2]))
            cv2.ellipse(out, (int(c[0]), int(c[1])), axes, turn, 0, 360, tone, fill, cv2.LINE_AA)
        cv2.rectangle(out, (x0, y0), (w - x0, h - y0), tuple(float(v) for v in ink), 2)
    else:  # a back: a lattice
        y, x = np.mgrid[0:h, 0:w].astype(np.float32)
        p = float(rng.uniform(5, 24))
        lattice = np.sin((x + y) * 2 * np.pi / p) * np.sin((x - y) * 2 * np.pi / p) > rng.uniform(-0.4, 0.5)
        lattice &= (np.minimum(x, w - 1 - x) > 8) & (np.minimum(y, h - 1 - y) > 8)
        out[lattice] = ink if rng.random() < 0.5 else rng.uniform(0, 200, 3)
        return np.clip(out, 0, 255).astype(np.uint8)
    index = str(INDICES[int(rng.integers(len(INDICES)))])
    size, width = float(rng.uniform(0.6, 1.3)), int(rng.integers(1, 4))
    for _ in range(2):
        letter = np.zeros((h, w), np.uint8)
        cv2.putText(letter, index, (3, 24), int(rng.choice([0, 2, 3])), size, 255, width, cv2.LINE_AA)
        out = np.asarray(out + (ink - out) * (letter[..., None] / np.float32(255)), np.float32)
        _stamp(out, mark, (11, 37), 16 * size, ink, False)
        out = np.ascontiguousarray(out[::-1, ::-1])
    return np.clip(out, 0, 255).astype(np.uint8)


def lay_card(rng: np.random.Generator, image: NDArray[np.uint8], centre: Array, width: float, turn: float) -> None:
    """Lay a card ``width`` pixels wide on the picture, turned by radians, slightly foreshortened, in place."""
    face = card(rng)
    while face.shape[1] > 1.6 * width and face.shape[1] > 24:
        face = np.asarray(cv2.resize(face, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    k = width / face.shape[1]
    c, s = np.cos(turn), np.sin(turn)
    A = np.array([[1, 0], [0, rng.uniform(0.6, 1)]]) @ np.array([[c, -s], [s, c]]) * k
    M = np.column_stack([A, np.asarray(centre) - A @ (np.array(face.shape[1::-1]) / 2)])
    n = image.shape[1], image.shape[0]
    mask = cv2.warpAffine(np.full(face.shape[:2], 255, np.uint8), M, n, flags=cv2.INTER_LINEAR)
    over = cv2.warpAffine(face, M, n, flags=cv2.INTER_LINEAR)
    soft = cv2.GaussianBlur(mask, (0, 0), max(0.6, width * 0.02)).astype(np.float32)[..., None] / 255
    a = mask.astype(np.float32)[..., None] / 255
    image[:] = np.asarray(image * (1 - 0.35 * soft) * (1 - a) + over * a, np.uint8)


def spread(rng: np.random.Generator, image: NDArray[np.uint8]) -> None:
    """Cards as they are played: a fan, a heap or a row of them, in place."""
    n = len(image)
    width = float(np.exp(rng.uniform(np.log(24), np.log(230))))
    start, step = rng.uniform(0.1, 0.9, 2) * n, rng.normal(0, 0.7, 2) * width
    turn, more = float(rng.uniform(0, 2 * np.pi)), float(rng.normal(0, 0.25))
    loose = rng.random() < 0.4
    for k in range(int(rng.integers(1, 9))):
        at = rng.uniform(0, n, 2) if loose else start + k * step
        lay_card(rng, image, np.asarray(at), width, turn + k * (float(rng.normal(0, 2)) if loose else more))

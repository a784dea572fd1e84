"""Painted surfaces for path-traced boards: wood or paint, lines with exact edges, filled rings, prints; seeded."""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Colour = NDArray[np.float32]
Place = tuple[float, float]

PX_PER_MM = 24 / 7
"""Pixels a millimetre of a surface's picture: sharper than any view of it."""
FONTS = (0, 2, 3, 4, 6, 7)
WAVES, WANDER_MM = range(2, 9), 0.8
"""Waves around a line drawn by hand, and the most that it departs from its circle."""
FLATS, FLAT_APART = 6, 2.1
"""Dots and rings of a disc's size on a board at most, and how many discs' radii they keep from discs."""
FINE = 4
"""Bits of fraction for OpenCV's drawing."""


@dataclass(frozen=True)
class Sheet:
    """A square picture of the surface about the board's middle: ``side`` in pixels, row 0 at greatest y."""

    side: int

    @property
    def half_mm(self) -> float:
        """Half the side in mm."""
        return self.side / PX_PER_MM / 2

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Place in mm -> pixel."""
        return (x + self.half_mm) * PX_PER_MM - 0.5, (self.half_mm - y) * PX_PER_MM - 0.5

    def radii(self) -> Colour:
        """Distance (side, side) of each pixel from the middle in mm."""
        axis = (np.arange(self.side, dtype=np.float32) + 0.5) / np.float32(PX_PER_MM) - np.float32(self.half_mm)
        return np.asarray(np.hypot(axis[None, :], -axis[:, None]), np.float32)


WHOLE, MIDDLE = Sheet(2400), Sheet(600)
"""The whole playing surface, and what surrounds the hole."""


@dataclass(frozen=True)
class Look:
    """Linear colours (3,) RGB of wood or paint, of the lines' ink, and the lines as (inner, outer edge) in mm."""

    surface: Colour
    ink: Colour
    lines: tuple[tuple[float, float], ...]


def paint(rng: np.random.Generator) -> Colour:
    """A linear colour (3,) RGB: wood, black, white or anything."""
    kind = rng.random()
    if kind < 0.4:
        tone = np.array([0.62, 0.38, 0.17]) * math.exp(rng.normal(-0.1, 0.45)) * np.exp(rng.normal(0, 0.12, 3))
    elif kind < 0.58:
        tone = np.full(3, math.exp(rng.uniform(-4.4, -2.8))) * np.exp(rng.normal(0, 0.1, 3))
    elif kind < 0.68:
        tone = np.full(3, rng.uniform(0.5, 0.85)) * np.exp(rng.normal(0, 0.05, 3))
    else:
        tone = np.exp(rng.uniform(-3.8, -0.5, 3))
    return np.clip(tone, 0.006, 0.88).astype(np.float32)


def unlike(rng: np.random.Generator, other: Colour, least: float = 0.45) -> Colour:
    """A colour that differs from another by at least ``least`` (log) in some channel."""
    for _ in range(40):
        colour = paint(rng)
        if float(np.abs(np.log(colour / other)).max()) > least:
            return colour
    return np.full(3, 0.01 if other.mean() > 0.1 else 0.8, np.float32)


def grain(rng: np.random.Generator, strength: float, sheet: Sheet = WHOLE) -> Colour:
    """Relative brightness (side, side) about 1 of wood: long fibres, broad rings and planks."""
    small = sheet.side // 2
    noise = rng.normal(size=(small, small)).astype(np.float32)
    fine = cv2.GaussianBlur(noise, (0, 0), rng.uniform(25, 60), sigmaY=rng.uniform(0.6, 2.0))
    broad = cv2.GaussianBlur(np.ascontiguousarray(noise[::-1]), (0, 0), rng.uniform(60, 160), sigmaY=rng.uniform(4, 14))
    if rng.random() < 0.4:  # peeled veneer: rings cut lengthwise, in swirls
        broad = cv2.GaussianBlur(noise, (0, 0), rng.uniform(30, 80), sigmaY=rng.uniform(15, 50))
    rings = np.sin(broad / broad.std() * rng.uniform(1.0, 8.0))
    mix = rng.uniform(0.2, 1.0) * fine / fine.std() + rng.uniform(0.3, 1.5) * rings
    if rng.random() < 0.4:  # planks
        edges = np.sort(rng.uniform(0, small, int(rng.integers(2, 8)))).astype(int)
        mix += rng.normal(0, 0.9, len(edges) + 1)[np.searchsorted(edges, np.arange(small))][:, None]
    turned = np.rot90(mix, int(rng.integers(0, 4)))
    big = cv2.resize(np.ascontiguousarray(turned), (sheet.side, sheet.side), interpolation=cv2.INTER_CUBIC)
    return np.asarray(np.exp(strength * big / 1.6), dtype=np.float32)


def _lay(picture: Colour, mask: Colour, colour: Colour) -> None:
    x, y, w, h = cv2.boundingRect((mask > 0).astype(np.uint8))
    part = (slice(y, y + h), slice(x, x + w))
    picture[part] += mask[part][..., None] * (colour - picture[part])


def _written(
    rng: np.random.Generator, sheet: Sheet, text: str, at: tuple[float, float], turn: float, size: float
) -> Colour:
    """Mask (side, side) of a text, ``size`` mm high, its middle at a place in mm."""
    scale, font = PX_PER_MM * size / 22, int(rng.choice(FONTS))
    thick = max(1, round(scale * rng.uniform(0.8, 3.0)))
    mask = np.zeros((sheet.side, sheet.side), np.uint8)
    (w, h), _ = cv2.getTextSize(text, font, scale, thick)
    u, v = sheet.pixel(*at)
    cv2.putText(mask, text, (round(u - w / 2), round(v + h / 2)), font, scale, 255, thick, cv2.LINE_AA)
    turned = cv2.warpAffine(mask, cv2.getRotationMatrix2D((u, v), turn, 1), (sheet.side, sheet.side))
    return np.asarray(turned, np.float32) / 255


def _shape(rng: np.random.Generator, sheet: Sheet, at: tuple[float, float], radius: float) -> Colour:
    """Mask of a spot, ring, star or rosette of a radius in mm."""
    n, kind = 96, rng.random()
    a = np.arange(n) * 2 * np.pi / n
    r = np.full(n, radius)
    if kind > 0.45:
        k = int(rng.integers(3, 9))
        wave = np.cos(k * a) if kind > 0.7 else np.where(np.cos(k * a) > 0, 1.0, -1.0)
        r = radius * (1 - rng.uniform(0.15, 0.4) * (1 - wave))
    u, v = sheet.pixel(*at)
    s = PX_PER_MM
    turn = rng.uniform(0, 2 * np.pi)
    points = np.column_stack([u + s * r * np.cos(a + turn), v - s * r * np.sin(a + turn)])
    mask = np.zeros((sheet.side, sheet.side), np.uint8)
    cv2.fillPoly(mask, [np.round(points * (1 << FINE)).astype(np.int32)], 255, cv2.LINE_AA, FINE)
    if 0.25 < kind < 0.45:
        hollow = ((points - [u, v]) * rng.uniform(0.5, 0.85) + [u, v]) * (1 << FINE)
        cv2.fillPoly(mask, [np.round(hollow).astype(np.int32)], 0, cv2.LINE_AA, FINE)
    return np.asarray(mask, np.float32) / 255


def _prints(rng: np.random.Generator, picture: Colour, look: Look, sides: list[Colour]) -> list[tuple[float, float]]:
    """Numbers, names, spots and stars in the colours of the lines, the discs or any; their places in mm."""
    places: list[tuple[float, float]] = []
    inner, middle, outer = (line[0] for line in look.lines)

    def somewhere(low: float, high: float) -> tuple[float, float]:
        r, a = rng.uniform(low, high), rng.uniform(0, 2 * np.pi)
        return float(r * np.cos(a)), float(r * np.sin(a))

    def ink() -> Colour:
        kind = rng.random()
        return look.ink if kind < 0.45 else sides[int(rng.integers(len(sides)))] if kind < 0.75 else paint(rng)

    if rng.random() < 0.4:
        colour, first, size = ink(), rng.uniform(0, 2 * np.pi), rng.uniform(10, 30)
        for text, r in (("15", 0.68 * inner), ("10", (inner + middle) / 2), ("5", (middle + outer) / 2)):
            for q in range(4):
                a = first + q * np.pi / 2
                at = (float(r * np.cos(a)), float(r * np.sin(a)))
                _lay(picture, _written(rng, WHOLE, text, at, np.degrees(a) - 90, size), colour)
                places.append(at)
    if rng.random() < 0.35:
        at = somewhere(inner, outer)
        name = "".join(chr(int(c)) for c in rng.integers(65, 91, int(rng.integers(4, 10))))
        _lay(picture, _written(rng, WHOLE, name, at, rng.uniform(0, 360), rng.uniform(8, 25)), ink())
        places.append(at)
    if rng.random() < 0.5:
        colour = ink()
        for _ in range(int(rng.integers(1, 5))):
            at = somewhere(30, outer - 15)
            _lay(picture, _shape(rng, WHOLE, at, rng.uniform(5, 20)) * rng.uniform(0.6, 1), colour)
            places.append(at)
    return places


def flat_discs(
    rng: np.random.Generator, picture: Colour, look: Look, sides: list[Colour], radius: float, taken: list[Place]
) -> list[Place]:
    """Print dots and rings of about a disc's ``radius`` in mm in place, mostly in the lines' ink; their places in mm.

    They keep clear of the places ``taken`` and of each other; ``picture`` (side, side, 3) is the surface's.
    """
    kept: list[Place] = []
    every, wide = list(taken), rng.uniform(0.12, 0.45)
    inks = look.ink, sides[int(rng.integers(len(sides)))], paint(rng)
    ink = inks[int(rng.choice(3, p=[0.6, 0.2, 0.2]))]
    for _ in range(int(rng.integers(1, FLATS + 1))):
        r = look.lines[int(rng.integers(3))][0] if rng.random() < 0.4 else rng.uniform(2.2 * radius, look.lines[2][0])
        r += rng.normal(0, 0.5 * radius) * (rng.random() < 0.6)
        a, size = rng.uniform(0, 2 * np.pi), radius * math.exp(rng.normal(0, 0.12))
        at = float(r * np.cos(a)), float(r * np.sin(a))
        if any(math.dist(at, p) < FLAT_APART * radius for p in every):
            continue
        tone = ink if rng.random() < 0.8 else inks[int(rng.integers(3))]
        _lay(picture, _ringed(at, size, wide if rng.random() < 0.5 else 1.0) * np.float32(rng.uniform(0.75, 1)), tone)
        if rng.random() < 0.3:  # something within: a dot, a smaller ring
            _lay(picture, _ringed(at, size * rng.uniform(0.2, 0.6), float(rng.choice([0.3, 1.0]))), inks[2])
        kept.append(at)
        every.append(at)
    return kept


def _ringed(at: Place, radius: float, wide: float) -> Colour:
    """Mask of a ring of a radius in mm, ``wide`` as a share of it: 1 is a filled dot."""
    mask = np.zeros((WHOLE.side, WHOLE.side), np.uint8)
    u, v = (round(c * (1 << FINE)) for c in WHOLE.pixel(*at))
    for r, tone in ((radius, 255), (radius * (1 - wide), 0)):
        if r > 0:
            cv2.circle(mask, (u, v), round(r * PX_PER_MM * (1 << FINE)), tone, -1, cv2.LINE_AA, FINE)
    return np.asarray(mask, np.float32) / 255


def wander(rng: np.random.Generator, sheet: Sheet) -> Colour:
    """How far a line drawn by hand departs outward from its circle in mm (side, side), by its angle."""
    x = (np.arange(sheet.side, dtype=np.float32) + 0.5) / np.float32(PX_PER_MM) - np.float32(sheet.half_mm)
    angle = np.arctan2(-x[:, None], x[None, :])
    waves = sum(
        (np.float32(rng.normal() / k) * np.cos(k * angle + np.float32(rng.uniform(0, 2 * np.pi))) for k in WAVES),
        np.zeros_like(angle),
    )
    return np.asarray(waves * np.float32(rng.uniform(0.1, WANDER_MM) / np.abs(waves).max()), np.float32)


def paint_board(
    rng: np.random.Generator, look: Look, sides: list[Colour], *, by_hand: bool = False
) -> tuple[Colour, list[tuple[float, float]]]:
    """The surface's linear RGB picture (side, side, 3), and the places in mm of what is printed on it.

    ``by_hand``: each line wanders about its circle.
    """
    sheet = WHOLE
    rho = sheet.radii()
    picture = np.broadcast_to(look.surface, (*rho.shape, 3)).astype(np.float32)
    edges = [line[0] for line in look.lines]
    if rng.random() < 0.3:
        k = int(rng.integers(4))
        low, high = (0.0 if k == 0 else edges[k - 1]), (edges[k] if k < 3 else sheet.half_mm)
        picture[(rho >= low) & (rho < high)] = paint(rng)
    half = 0.5 / PX_PER_MM
    wear = 1.0 - rng.uniform(0, 0.5) * (rng.random() < 0.3)
    for low, high in look.lines:
        here = rho - wander(rng, sheet) if by_hand else rho
        cover = np.clip((np.minimum(here + half, high) - np.maximum(here - half, low)) / (2 * half), 0, 1)
        _lay(picture, cover * np.float32(wear), look.ink)
    if rng.random() < 0.8:
        first, wide = rng.uniform(0, np.pi / 2), look.lines[1][1] - look.lines[1][0]
        for q in range(4):
            a = first + q * np.pi / 2
            mask = np.zeros((sheet.side, sheet.side), np.uint8)
            ends = [sheet.pixel(r * math.cos(a), r * math.sin(a)) for r in (look.lines[1][1], look.lines[2][0])]
            p, e = ([round(v * (1 << FINE)) for v in end] for end in ends)
            cv2.line(mask, p, e, 255, max(1, round(wide * PX_PER_MM)), cv2.LINE_AA, FINE)
            _lay(picture, mask.astype(np.float32) / 255 * np.float32(wear), look.ink)
    spots = _prints(rng, picture, look, sides) if rng.random() < 0.8 else []
    strength = rng.uniform(0.03, 0.22) if rng.random() < 0.7 else rng.uniform(0, 0.03)
    picture *= grain(rng, strength)[..., None]
    return np.clip(picture, 0.003, 0.95), spots


def paint_middle(rng: np.random.Generator, look: Look, hole: float) -> Colour:
    """What surrounds a hole of a radius in mm, linear RGB (side, side, 3): wood or paint, a painted ring, chips where
    the hole was cut, numerals beside it."""
    sheet = MIDDLE
    rho = sheet.radii()
    picture = np.broadcast_to(look.surface, (*rho.shape, 3)).astype(np.float32)
    if rng.random() < 0.3:
        low = hole + rng.uniform(0, 4) * (rng.random() < 0.6)
        _lay(picture, ((rho >= low) & (rho < low + rng.uniform(0.6, 5))).astype(np.float32), paint(rng))
    if rng.random() < 0.4:
        size, first = rng.uniform(8, 20), rng.uniform(0, 360)
        for q in range(int(rng.integers(1, 5))):
            a, r = math.radians(first + 90 * q), hole + rng.uniform(8, 22)
            at = r * math.cos(a), r * math.sin(a)
            _lay(picture, _written(rng, sheet, "20", at, first + 90 * q, size), look.ink)
    picture *= grain(rng, rng.uniform(0.02, 0.22), sheet)[..., None]
    if rng.random() < 0.45:
        raw = np.array([0.8, 0.72, 0.58], np.float32) * np.float32(rng.uniform(0.4, 1.15))
        noise = cv2.GaussianBlur(rng.normal(size=rho.shape).astype(np.float32), (0, 0), rng.uniform(1.0, 3.5))
        ragged = rng.uniform(0.1, 1.4) * (1 + rng.uniform(0.2, 1.2) * noise / noise.std()) - (rho - hole)
        _lay(picture, np.clip(ragged * PX_PER_MM, 0, 1), raw)
    return np.clip(picture, 0.003, 0.95)

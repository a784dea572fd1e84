"""Draws what may lie or reach over a board: hands with sleeves, cups, papers, phones, blobs of anything; and what only
seems to: shadows, prints, reflections.

Everything is drawn into a picture (N, N, 3) float32 BGR of the board from straight above, of any size; ``scale`` is its
pixels per millimetre. Hands and cups rise above the board, so they are drawn larger than life and leaning outwards, as
a camera sees them.
"""

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from training.disc_pieces import SKINS
from training.disc_world import DISC_COLOURS, PAINTS, WOODS, Image, Textures, blend, jitter

Mask = NDArray[np.float32]
Point = NDArray[np.float64]
REACH_MM = 340.0
"""Covers begin or lie within this distance of the board's middle."""
FLAT_LIGHT = 0.15
"""Chance that a part shows no shading, or a cover throws no shadow: under a wide white ceiling, or burnt out."""
PANE = np.array([[0, 0], [0.9, 0], [0.9, 0.9], [0, 0.9]])
"""Corners of a window's pane; the next one begins at 1."""
SHIFT = 4
"""Fractional bits of the coordinates that OpenCV draws at."""


def _shape(size: int, points: NDArray[np.float64]) -> Mask:
    """Filled polygon (size, size) in 0..1 from points (N, 2) in pixels."""
    out = np.zeros((size, size), np.uint8)
    cv2.fillPoly(out, [np.round(points * (1 << SHIFT)).astype(np.int32)], 255, cv2.LINE_AA, SHIFT)
    return out.astype(np.float32) / 255


def _limb(size: int, points: NDArray[np.float64], radii: NDArray[np.float64]) -> Mask:
    """Joined hulls of circles at points (N, 2) with radii (N,), in pixels."""
    out = np.zeros((size, size), np.uint8)
    for (p, r), (q, s) in zip(
        zip(points[:-1], radii[:-1], strict=True), zip(points[1:], radii[1:], strict=True), strict=True
    ):
        steps = max(2, int(np.ceil(np.hypot(*(q - p)) / max(0.4 * min(r, s), 0.5))))
        for t in np.linspace(0, 1, steps):
            centre = np.round((p + t * (q - p)) * (1 << SHIFT)).astype(int)
            radius = max(round((r + t * (s - r)) * (1 << SHIFT)), 8)
            cv2.circle(out, (int(centre[0]), int(centre[1])), radius, 255, -1, cv2.LINE_AA, SHIFT)
    return out.astype(np.float32) / 255


def _rounded(rng: np.random.Generator, shape: Mask, flat: float) -> Image:
    """Light (H, W) around 1 on a shape as if it bulged; ``flat``: 0 a ball, 1 a board."""
    inside = cv2.distanceTransform(np.asarray(shape > 0.5, np.uint8), cv2.DIST_L2, 3)
    deepest = float(inside.max()) + 1e-3
    height = np.sqrt(np.clip(1 - (1 - np.clip(inside / (deepest * (1 - 0.8 * flat)), 0, 1)) ** 2, 0, 1)) * deepest
    gy, gx = np.gradient(cv2.GaussianBlur(height.astype(np.float32), (0, 0), 0.8))
    turn, slope = rng.uniform(0, 2 * np.pi), rng.uniform(0.2, 1.2)
    facing = (1 + slope * (np.cos(turn) * gx + np.sin(turn) * gy)) / np.sqrt(1 + gx**2 + gy**2)
    strength = 0.0 if rng.random() < FLAT_LIGHT else rng.uniform(0.2, 1.0)
    return np.asarray(np.clip(1 + strength * (facing - 1), 0.15, 1.8), np.float32)


def _skin(rng: np.random.Generator) -> NDArray[np.float32]:
    tone = np.array(SKINS[int(rng.integers(len(SKINS)))])
    return np.asarray(np.clip(tone * rng.uniform(0.65, 1.25) + rng.normal(0, 9, 3), 8, 250), np.float32)


def _any_colour(rng: np.random.Generator) -> NDArray[np.float32]:
    stock = (*WOODS, *PAINTS, *DISC_COLOURS)
    if rng.random() < 0.3:
        return np.asarray(rng.uniform(10, 245, 3), np.float32)
    return np.asarray(jitter(rng, stock[int(rng.integers(len(stock)))], 25), np.float32)


def _material(rng: np.random.Generator, stock: Textures, size: int, colour: NDArray[np.float32]) -> Image:
    """Full picture of one stuff: plain, grained, striped, checked, printed with rows as of text."""
    grain = stock.take(rng, size, rng.random() < 0.4)[..., None] * rng.uniform(0.5, 14)
    out = np.asarray(colour + grain * (colour + 30) / 160, np.float32)
    kind = rng.random()
    y, x = np.mgrid[0:size, 0:size].astype(np.float32)
    turn = rng.uniform(0, np.pi)
    across, along = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
    if kind < 0.25:
        wide = rng.uniform(1.5, 14)
        stripes = (np.sin(across / wide * np.pi) > rng.uniform(-0.5, 0.7)).astype(np.float32)
        if kind < 0.1:
            stripes = 0.5 * stripes + 0.5 * (np.sin(along / wide * np.pi) > 0)
        blend(out, stripes * rng.uniform(0.3, 1), _any_colour(rng))
    elif kind < 0.45:
        rows = (np.sin(across / rng.uniform(1.2, 3) * np.pi) > 0.2) & (stock.take(rng, size, False) > 0.1)
        blend(out, rows.astype(np.float32) * rng.uniform(0.3, 1), _any_colour(rng))
    return out


def _cast(rng: np.random.Generator, picture: Image, shape: Mask, scale: float) -> None:
    """The shadow of a shape, in place."""
    turn, far = rng.uniform(0, 2 * np.pi), rng.exponential(25) * scale
    move = np.array([[1, 0, far * np.cos(turn)], [0, 1, far * np.sin(turn)]])
    soft = rng.uniform(2, 25) * scale
    fallen = cv2.GaussianBlur(cv2.warpAffine(shape, move, shape.shape[::-1]), (0, 0), max(soft, 0.5))
    dark = 0.0 if rng.random() < FLAT_LIGHT else rng.uniform(0, 0.65)
    picture *= (1 - dark * fallen)[..., None]


def _hand_parts(rng: np.random.Generator, size: int, scale: float) -> tuple[list[Mask], Mask]:
    """Masks of an arm, a hand and its fingers that reach in from beyond the edge, in this order, and of a sleeve."""
    unit = scale * rng.uniform(0.85, 1.6)  # pixels per millimetre of the hand, which is nearer to the camera
    turn = rng.uniform(0, 2 * np.pi)
    tip = size / 2 + scale * REACH_MM * np.sqrt(rng.uniform(0.02, 1)) * np.array([np.cos(turn), np.sin(turn)])
    bent = turn + rng.normal(0, 0.5)
    away = np.array([np.cos(bent), np.sin(bent)])
    side = np.array([-away[1], away[0]]) * (1 if rng.random() < 0.5 else -1)
    palm = tip + away * unit * rng.uniform(70, 110)
    wrist = palm + away * unit * rng.uniform(45, 70) + side * unit * rng.normal(0, 15)
    elbow = wrist + (away + side * rng.normal(0, 0.35)) * unit * 600
    arm = _limb(size, np.array([wrist, elbow]), unit * np.array([rng.uniform(22, 32), rng.uniform(40, 65)]))
    cuff = wrist + (elbow - wrist) * rng.uniform(-0.05, 0.35)
    sleeve = _limb(size, np.array([cuff, elbow]), unit * np.array([rng.uniform(30, 50), rng.uniform(50, 90)]))
    across = side * unit
    body = _limb(size, np.array([palm + across * 18, palm - across * 18, wrist]), unit * np.array([24, 22, 26]))
    return [arm, body, *_fingers(rng, size, unit, palm, away, side)], sleeve


def _fingers(rng: np.random.Generator, size: int, unit: float, palm: Point, away: Point, side: Point) -> list[Mask]:
    """Four fingers and a thumb (size, size) each of a hand whose palm's middle is at ``palm`` (2,) in pixels.

    ``unit``: pixels per millimetre of the hand; ``away``, ``side`` (2,): unit vectors to its wrist and to its thumb.
    """
    across = side * unit
    fingers = []
    curl = rng.uniform(0.35, 1.0)
    spread = rng.uniform(0.5, 1.5)
    for k in range(4):
        root = palm - away * unit * 20 + across * 20 * (k - 1.5)
        long = unit * (78, 86, 80, 62)[k] * np.clip(curl + rng.normal(0, 0.12), 0.2, 1)
        way = -away + side * (0.16 * spread * (k - 1.5) + rng.normal(0, 0.08))
        knuckle = root + way * long * 0.5
        end = knuckle + (way + side * rng.normal(0, 0.25)) * long * 0.5
        fingers.append(_limb(size, np.array([root, knuckle, end]), unit * np.array([10.5, 9.5, 8])))
    joint = palm + across * 42 * (1 if rng.random() < 0.8 else 0.6) - away * unit * 8
    thumb = joint - away * unit * 38 * curl - across * rng.uniform(-8, 22)
    base = palm + across * 25 + away * unit * 18
    fingers.append(_limb(size, np.array([base, joint, thumb]), unit * np.array([14, 12, 9])))
    return fingers


def hand(rng: np.random.Generator, stock: Textures, picture: Image, scale: float) -> Mask:
    """A hand and its arm reaching in from beyond the edge, in place; returns what it hides (H, W) in 0..1."""
    size = picture.shape[0]
    (arm, body, *fingers), sleeve = _hand_parts(rng, size, scale)
    clothed = rng.random() < 0.6
    whole = np.maximum.reduce([arm, body, *fingers, *([sleeve] if clothed else [])])
    _cast(rng, picture, whole, scale)
    skin, grain = _skin(rng), stock.take(rng, size, False)[..., None] * rng.uniform(1, 7)
    for part in (arm, *fingers[::-1], body) if rng.random() < 0.6 else (arm, body, *fingers):
        tone = skin * rng.uniform(0.9, 1.1)
        blend(picture, part, tone * _rounded(rng, part, 0.2)[..., None] + grain)
    if clothed:
        cloth = _material(rng, stock, size, _any_colour(rng))
        blend(picture, sleeve, cloth * _rounded(rng, sleeve, 0.3)[..., None])
    return whole


def cup(rng: np.random.Generator, stock: Textures, picture: Image, scale: float) -> Mask:
    """A cup, glass, bowl or tin standing there, in place; returns what it hides."""
    size = picture.shape[0]
    foot = _somewhere(rng, size, scale)
    lean = scale * rng.exponential(40) * np.array([np.cos(t := rng.uniform(0, 2 * np.pi)), np.sin(t)])
    wide, narrow = scale * rng.uniform(24, 75), rng.uniform(0.6, 1.05)
    wall = _limb(size, np.array([foot, foot + lean]), np.array([wide * narrow, wide]))
    parts = [wall]
    if rng.random() < 0.4:
        turn = rng.uniform(0, 2 * np.pi)
        ear = foot + lean + wide * 1.25 * np.array([np.cos(turn), np.sin(turn)])
        parts.append(_limb(size, np.array([foot + lean, ear]), np.array([5, 5]) * scale))
    whole = np.maximum.reduce(parts)
    _cast(rng, picture, whole, scale)
    colour = _any_colour(rng)
    for part in parts[::-1]:
        blend(picture, part, _material(rng, stock, size, colour) * _rounded(rng, part, 0.3)[..., None])
    for share in sorted(rng.uniform(0.3, 0.97, int(rng.integers(0, 4))), reverse=True):
        inner = _limb(size, np.array([foot + lean, foot + lean]), np.array([1, 1]) * wide * share)
        blend(picture, inner, _any_colour(rng) * _rounded(rng, inner, 0.7)[..., None])
    return np.asarray(whole, np.float32)


def sheet(rng: np.random.Generator, stock: Textures, picture: Image, scale: float) -> Mask:
    """A paper, card, phone, book, box or ruler, in place; returns what it hides."""
    size = picture.shape[0]
    long = scale * float(np.exp(rng.uniform(np.log(50), np.log(230))))
    broad = long * (rng.uniform(0.12, 1.0) if rng.random() < 0.3 else rng.uniform(0.6, 0.95))
    centre = _somewhere(rng, size, scale)
    corners = cv2.boxPoints(((float(centre[0]), float(centre[1])), (long, broad), float(rng.uniform(0, 180))))
    corners = corners + rng.normal(0, 0.03, (4, 2)) * long
    shape = _shape(size, np.asarray(corners, np.float64))
    if rng.random() < 0.4:
        shape = np.asarray(cv2.GaussianBlur(shape, (0, 0), 4 * scale) > 0.5, np.float32)
    _cast(rng, picture, shape, scale * rng.uniform(0.1, 1))
    kind = rng.random()
    if kind < 0.4:  # paper
        colour = np.asarray(rng.uniform(170, 250) * np.array([rng.uniform(0.75, 1.02), 1, 1]), np.float32)
    elif kind < 0.55:  # of the surface's own colour
        own = picture[shape > 0.5]
        colour = np.asarray(np.median(own, axis=0) + rng.normal(0, 10, 3) if len(own) else (128, 128, 128), np.float32)
    else:
        colour = _any_colour(rng)
    blend(picture, shape, _material(rng, stock, size, colour) * _rounded(rng, shape, 0.97)[..., None])
    for _ in range(int(rng.integers(0, 5))):  # what is printed there, a screen, pips
        inner = corners.mean(axis=0) + (corners - corners.mean(axis=0)) * rng.uniform(0.1, 0.93, 2)
        inner = inner + rng.normal(0, 0.1, 2) * long * (rng.random() < 0.6)
        mask = _shape(size, np.asarray(inner, np.float64)) * shape
        blend(picture, mask, _material(rng, stock, size, _any_colour(rng)))
    return shape


def blob(rng: np.random.Generator, stock: Textures, picture: Image, scale: float) -> Mask:
    """A thing of any shape and stuff: a head, a cloth, a bag, a toy; in place; returns what it hides."""
    size = picture.shape[0]
    centre = _somewhere(rng, size, scale)
    turns = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    radius = np.ones(48)
    for k in range(1, 6):
        radius += rng.normal(0, 0.35 / k) * np.cos(k * turns + rng.uniform(0, 6))
    radius = np.maximum(radius, 0.25) * scale * float(np.exp(rng.uniform(np.log(22), np.log(170))))
    stretch = np.array([1.0, rng.uniform(0.35, 1)])
    c, s = np.cos(t := rng.uniform(0, np.pi)), np.sin(t)
    around = np.column_stack([np.cos(turns), np.sin(turns)]) * radius[:, None] * stretch @ np.array([[c, -s], [s, c]])
    shape = _shape(size, centre + around)
    _cast(rng, picture, shape, scale)
    paint = _material(rng, stock, size, _skin(rng) if rng.random() < 0.25 else _any_colour(rng))
    blend(picture, shape, paint * _rounded(rng, shape, rng.uniform(0, 1))[..., None])
    return shape


def shadow(rng: np.random.Generator, picture: Image, scale: float) -> None:
    """Only the shadow of something above the board or outside the picture, in place: it hides nothing."""
    size = picture.shape[0]
    if rng.random() < 0.6:
        shape = np.maximum.reduce(_hand_parts(rng, size, scale)[0])
    else:
        turns = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        radius = scale * rng.uniform(30, 250) * (1 + 0.5 * np.cos(turns * int(rng.integers(1, 5)) + rng.uniform(0, 6)))
        around = np.column_stack([np.cos(turns), np.sin(turns)]) * radius[:, None]
        shape = _shape(size, _somewhere(rng, size, scale) + around)
    soft = float(np.exp(rng.uniform(np.log(1.5), np.log(25)))) * scale
    tint = 1 + rng.normal(0, 0.04, 3).astype(np.float32)
    picture *= 1 - rng.uniform(0.1, 0.8) * cv2.GaussianBlur(shape, (0, 0), max(soft, 0.4))[..., None] * tint


def reflection(rng: np.random.Generator, picture: Image, scale: float) -> None:
    """A window or a lamp in the varnish, sharp or blurred, in place: white light is added, nothing is hidden."""
    size = picture.shape[0]
    middle = _somewhere(rng, size, scale)
    wide, high = scale * np.exp(rng.uniform(np.log(25), np.log(220), 2))
    across = rng.uniform(0, np.pi)
    axes = np.array([[np.cos(across), np.sin(across)], [-np.sin(across), np.cos(across)]])
    panes = np.zeros((size, size), np.float32)
    for i in range(int(rng.integers(1, 4))):
        for j in range(int(rng.integers(1, 3))):
            corners = PANE + np.array([i, j]) + rng.normal(0, 0.03, (4, 2))
            panes = np.maximum(panes, _shape(size, middle + (corners * (wide, high)) @ axes / 1.5))
    soft = float(np.exp(rng.uniform(np.log(1), np.log(20)))) * scale
    light = rng.uniform(20, 170) * np.array([1, rng.uniform(0.92, 1), rng.uniform(0.85, 1)])
    picture += cv2.GaussianBlur(panes, (0, 0), max(soft, 0.4))[..., None] * light.astype(np.float32)


def print_on(rng: np.random.Generator, stock: Textures, picture: Image, scale: float) -> None:
    """A large print, stain or worn patch of the surface, in place: it hides nothing, and the grain shows through."""
    size = picture.shape[0]
    turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    lobes = int(rng.integers(0, 7))
    radius = scale * rng.uniform(15, 60) * (1 + rng.uniform(0, 0.6) * np.cos(lobes * turns))
    shape = _shape(
        size, _somewhere(rng, size, scale) + np.column_stack([np.cos(turns), np.sin(turns)]) * radius[:, None]
    )
    if rng.random() < 0.4:
        shape = shape * (stock.take(rng, size, False) > rng.uniform(-0.5, 0.8))
    level = cv2.GaussianBlur(picture, (0, 0), max(20 * scale, 1))
    tint = _any_colour(rng)
    picture += (shape * rng.uniform(0.15, 0.8))[..., None] * (tint - level)


def _somewhere(rng: np.random.Generator, size: int, scale: float) -> NDArray[np.float64]:
    turn = rng.uniform(0, 2 * np.pi)
    return np.asarray(
        size / 2 + scale * REACH_MM * np.sqrt(rng.uniform(0, 1)) * np.array([np.cos(turn), np.sin(turn)]), np.float64
    )


Draw = Callable[[np.random.Generator, Textures, Image, float], Mask]
KINDS: tuple[tuple[Draw, float], ...] = ((hand, 0.3), (cup, 0.2), (sheet, 0.36), (blob, 0.14))


def draw_covers(rng: np.random.Generator, stock: Textures, picture: Image, scale: float) -> Mask:
    """Up to three covers of any kind over a picture, in place, or none, and harmless marks; what they hide (H, W)."""
    for _ in range(int(rng.integers(0, 3))):
        kind = rng.random()
        if kind < 0.4:
            shadow(rng, picture, scale)
        elif kind < 0.7:
            print_on(rng, stock, picture, scale)
        else:
            reflection(rng, picture, scale)
    hidden = np.zeros(picture.shape[:2], np.float32)
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.3, 0.45, 0.17, 0.08]))):
        draw = KINDS[int(rng.choice(len(KINDS), p=[share for _, share in KINDS]))][0]
        hidden = np.maximum(hidden, draw(rng, stock, picture, scale))
    return hidden

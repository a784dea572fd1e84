"""Pictures of the hole with exact truth: empty, a disc flat in it, one leaning into it, one lying over its edge.

A small ray caster draws the hole, the discs about it and their shadows as a camera at any tilt sees them, straight into
the form that ``vision.hole_net`` takes. Everything is drawn by chance and seeded: woods, paints, floors of any colour,
ring-shaped discs, lamps, blur and noise. Path-traced scenes are cut to the same form by ``training.train_hole``.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import DISC_DIAMETER_MM
from vision.hole_net import HALF_RADII, PATCH_STATES
from vision.square_patch import PATCH

Float = NDArray[np.float64]

DISC_RADIUS_MM = DISC_DIAMETER_MM / 2
SUPER = 2
"""Rays a pixel and axis."""
LAMPS = 3
"""Shadow rays a sample: soft edges at little cost."""
FAR = -1e9


@dataclass(frozen=True)
class Solid:
    """A cylinder in mm: centre (3,), axis (3,) upwards, radius, height, radius of the hole in it, colour (3,) 0..1."""

    centre: Float
    axis: Float
    radius: float
    height: float
    ring: float
    colour: Float
    grain: float


def hit(solid: Solid, origin: Float, ray: Float) -> tuple[Float, Float]:
    """Highest parameter s (N,) at which rays origin + s ray meet the solid (FAR: never), and normals (N, 3) there."""
    o = origin - solid.centre
    oa, da = o @ solid.axis, ray @ solid.axis
    op, dp = o - oa[:, None] * solid.axis, ray - da[:, None] * solid.axis
    best = np.full(len(o), FAR)
    normal = np.zeros_like(o)
    half = solid.height / 2
    for side in (1.0, -1.0):
        s = (side * half - oa) / np.where(np.abs(da) < 1e-9, 1e-9, da)
        at = op + s[:, None] * dp
        r = np.sqrt((at * at).sum(1))
        good = (r < solid.radius) & (r > solid.ring) & (s > best)
        best = np.where(good, s, best)
        normal[good] = side * solid.axis
    a, b, c = (dp * dp).sum(1), (op * dp).sum(1), (op * op).sum(1)
    for radius, sign in ((solid.radius, 1.0), (solid.ring, -1.0)):
        if radius <= 0:
            continue
        disc = b * b - a * (c - radius * radius)
        root = np.sqrt(np.maximum(disc, 0))
        for s in ((-b + root) / np.maximum(a, 1e-12), (-b - root) / np.maximum(a, 1e-12)):
            good = (disc > 0) & (a > 1e-9) & (np.abs(oa + s * da) < half) & (s > best)
            best = np.where(good, s, best)
            n = (op + s[:, None] * dp) / radius * sign
            normal[good] = n[good]
    return best, normal


def waves(rng: np.random.Generator, points: Float, strength: float) -> Float:
    """Wood grain or mottle (N,) over points (N, 2) in mm: a few stretched random waves."""
    turn = rng.uniform(0, np.pi)
    u = points @ np.array([np.cos(turn), np.sin(turn)])
    v = points @ np.array([-np.sin(turn), np.cos(turn)])
    out = np.zeros(len(points))
    for _ in range(5):
        out += np.sin(v * rng.uniform(0.2, 2.5) + 0.6 * np.sin(u * rng.uniform(0.02, 0.2) + rng.uniform(0, 6)))
    return strength * out / 3


def any_colour(rng: np.random.Generator) -> Float:
    """A colour (3,) BGR in 0..1: wood, black, white, or any."""
    kind = rng.random()
    if kind < 0.4:
        light = rng.uniform(0.25, 0.95)
        return np.clip(np.array([0.55, 0.78, 1.0]) ** rng.uniform(0.3, 1.6) * light, 0, 1)
    if kind < 0.55:
        return np.full(3, rng.uniform(0.02, 0.15)) * rng.uniform(0.8, 1.2, 3)
    if kind < 0.68:
        return np.full(3, rng.uniform(0.75, 1.0)) * rng.uniform(0.93, 1.0, 3)
    return rng.uniform(0.02, 0.95, 3)


def _tilted(angle: float, azimuth: float) -> Float:
    return np.array([np.sin(angle) * np.cos(azimuth), np.sin(angle) * np.sin(azimuth), np.cos(angle)])


def _disc(rng: np.random.Generator, state: str, hole: float, depth: float, colour: Float) -> Solid:
    """A disc in a state, placed by chance."""
    radius = DISC_RADIUS_MM
    height = rng.uniform(7.5, 11.5)
    ring = rng.uniform(4, 8) if rng.random() < 0.12 else 0.0
    a = rng.uniform(0, 2 * np.pi)
    grain = rng.uniform(0, 0.12)
    if state == "hole":
        off = rng.uniform(0, max(hole - radius, 0.1))
        lift = -depth + height / 2 if rng.random() < 0.8 else rng.uniform(-height, 0) + height / 4
        centre = np.array([off * np.cos(a), off * np.sin(a), lift])
        return Solid(
            centre, _tilted(np.radians(rng.uniform(0, 1.5)), rng.uniform(0, 6.3)), radius, height, ring, colour, grain
        )
    if state == "leaning":
        lean = np.radians(rng.uniform(12, 24) if rng.random() < 0.6 else rng.uniform(20, 36))
        off = rng.uniform(0.2, 4.0)
        # the sunk side points to the hole's middle or beyond it; the raised side rests on the rim
        axis = _tilted(lean, a if rng.random() < 0.85 else rng.uniform(0, 6.3))
        centre = np.array([off * np.cos(a), off * np.sin(a), rng.uniform(-1.5, 1.5)])
        return Solid(centre, axis, radius, height, ring, colour, grain)
    off = rng.uniform(0.75 * radius, 2.2 * radius)  # its middle stands on the surface, it overhangs or lies beside
    return Solid(
        np.array([off * np.cos(a), off * np.sin(a), height / 2]), _tilted(0.0, 0.0), radius, height, ring, colour, grain
    )


def draw(rng: np.random.Generator, state: str) -> tuple[NDArray[np.uint8], float]:
    """One patch (PATCH, PATCH, 3) uint8 BGR of a state of :data:`PATCH_STATES`, and the tangent of the view angle."""
    tan = float(np.tan(np.radians(rng.uniform(0, 58))))
    hole = DISC_RADIUS_MM * rng.uniform(1.03, 1.2)
    depth = rng.uniform(1.0, 5.0) if state == "none" and rng.random() < 0.4 else rng.uniform(4.5, 12.5)
    board, floor = any_colour(rng), any_colour(rng)
    if rng.random() < 0.5:
        floor = board * rng.uniform(0.3, 1.0)
    solids = _solids(rng, state, hole, depth, board)
    n = PATCH * SUPER
    step = 2 * HALF_RADII * DISC_RADIUS_MM / n
    axis = (np.arange(n) + 0.5) * step - HALF_RADII * DISC_RADIUS_MM
    shift = rng.normal(0, 0.8, 2)
    x, y = np.meshgrid(axis + shift[0], -axis + shift[1])
    flat = np.column_stack([x.ravel(), y.ravel(), np.zeros(n * n)])
    ray = np.tile(np.array([0.0, -tan, 1.0]), (n * n, 1))
    s, colour = _bare(rng, flat, ray, hole, depth, (board, floor))
    normal = np.tile(np.array([0.0, 0, 1.0]), (n * n, 1))
    for solid in solids:
        there, normals = hit(solid, flat, ray)
        front = there > s
        s = np.where(front, there, s)
        normal[front] = normals[front]
        grain = 1 + waves(rng, flat[:, :2], solid.grain)
        tint = solid.colour * (0.96 if rng.random() < 0.5 else 1.0)
        colour[front] = (tint[None] * grain[:, None])[front]
    picture = lit(rng, flat + s[:, None] * ray, normal, colour, solids, hole, tan).reshape(n, n, 3)
    small = cv2.resize(picture, (PATCH, PATCH), interpolation=cv2.INTER_AREA)
    return spoilt(rng, np.clip(small * 255, 0, 255).astype(np.uint8)), tan


def _solids(rng: np.random.Generator, state: str, hole: float, depth: float, board: Float) -> list[Solid]:
    """The disc of a state, if it has one, and up to two more beside the hole."""
    body = any_colour(rng)
    if rng.random() < 0.25:
        body = np.clip(board * rng.uniform(0.7, 1.2) + rng.normal(0, 0.03, 3), 0, 1)
    solids = [] if state == "none" else [_disc(rng, state, hole, depth, body)]
    for _ in range(int(rng.integers(0, 3))):
        near = _disc(rng, "board", hole, depth, any_colour(rng))
        far = near.centre * np.array([1.0, 1.0, 0]) * rng.uniform(1.2, 1.9) + np.array([0, 0, near.height / 2])
        moved = Solid(far, near.axis, near.radius, near.height, near.ring, near.colour, near.grain)
        clear = all(np.hypot(*(moved.centre - s.centre)[:2]) > 2 * DISC_RADIUS_MM for s in solids)
        if clear and np.hypot(*far[:2]) > 2.1 * DISC_RADIUS_MM:
            solids.append(moved)
    return solids


def _bare(
    rng: np.random.Generator, flat: Float, ray: Float, hole: float, depth: float, colours: tuple[Float, Float]
) -> tuple[Float, Float]:
    """What rays through ``flat`` (N, 3) meet without a disc: parameters (N,) and colours (N, 3) of surface and hole."""
    board, floor = colours
    far = np.hypot(flat[:, 0], flat[:, 1])
    inside = far < hole
    ground = np.where(inside, -depth, 0.0)
    at_floor = flat + ground[:, None] * ray
    wall = inside & (np.hypot(at_floor[:, 0], at_floor[:, 1]) > hole)
    ground[wall] = -depth * rng.uniform(0.3, 0.7)
    colour = np.where(inside[:, None], np.where(wall[:, None], 0.7 * board, floor), board)
    colour = colour * (1 + waves(rng, flat[:, :2], rng.uniform(0, 0.1)))[:, None]
    if rng.random() < 0.5:  # felt, or paint on coarse wood
        n = PATCH * SUPER
        felt = cv2.GaussianBlur(rng.normal(0, 1, (n, n)), (0, 0), rng.uniform(0.8, 2.0)).ravel()
        colour[inside] *= (1 + rng.uniform(0.02, 0.12) * felt / felt.std())[inside, None]
    if rng.random() < 0.4:  # chips and light scratches where the hole was cut
        angle = np.arctan2(flat[:, 1], flat[:, 0])
        ragged = sum(np.sin(k * angle + rng.uniform(0, 6.3)) for k in rng.integers(2, 23, 6))
        r = far - hole - 0.15 * ragged
        colour[(r > 0) & (r < rng.uniform(0.4, 1.5)) & (ragged > rng.uniform(-3, 1.5))] = rng.uniform(0.5, 0.95)
    if rng.random() < 0.4:  # a painted ring about the hole
        ring = (far > hole) & (far < hole + rng.uniform(0.6, 3.0)) & ~inside
        colour[ring] = any_colour(rng)
    return ground, colour


def lit(
    rng: np.random.Generator, points: Float, normal: Float, colour: Float, solids: list[Solid], hole: float, tan: float
) -> Float:
    """Colours (N, 3) in 0..1 of points (N, 3) with normals (N, 3) under a lamp, its shadows, and the room's light."""
    lamp = _tilted(np.radians(rng.uniform(5, 60)), rng.uniform(0, 6.3))
    spread = rng.uniform(0.02, 0.35)
    direct = np.zeros(len(points))
    start = points + 0.15 * normal + 1e-3
    for _ in range(LAMPS):
        to = lamp + rng.normal(0, spread, 3)
        to /= np.linalg.norm(to)
        to[2] = max(to[2], 0.1)
        towards = np.tile(to, (len(points), 1))
        free = np.ones(len(points), bool)
        for solid in solids:
            free &= hit(solid, start, towards)[0] <= 0.05
        below = start[:, 2] < -0.2
        rise = np.where(below, -start[:, 2] / to[2], 0)
        out = start[:, :2] + rise[:, None] * towards[:, :2]
        free &= ~(below & (np.hypot(out[:, 0], out[:, 1]) > hole))
        direct += free * np.maximum(normal @ to, 0) / LAMPS
    ambient = rng.uniform(0.25, 0.65)
    dip = np.clip(-points[:, 2] / 12, 0, 1)
    near = np.zeros(len(points))
    for solid in solids:  # contact shadow
        d = np.hypot(points[:, 0] - solid.centre[0], points[:, 1] - solid.centre[1]) - solid.radius
        near = np.maximum(near, np.where((d > -0.5) & (points[:, 2] < 0.5), np.exp(-np.maximum(d, 0) / 2.5), 0))
    shade = ambient * (1 - 0.45 * dip) * (1 - 0.35 * near) + (1.15 - ambient) * direct
    gloss = rng.uniform(0, 0.5) if rng.random() < 0.3 else 0.0
    view = np.array([0.0, -tan, 1.0]) / np.hypot(1, tan)
    half = (lamp + view) / np.linalg.norm(lamp + view)
    shine = gloss * np.maximum(normal @ half, 0) ** rng.uniform(20, 80)
    return np.asarray(np.clip(colour * shade[:, None] + shine[:, None], 0, 1) * rng.uniform(0.35, 1.15))


def spoilt(rng: np.random.Generator, patch: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The patch as cameras leave it: coarser, blurred, recoloured, noisy, compressed."""
    if rng.random() < 0.6:
        k = rng.uniform(0.3, 1.0)
        less = cv2.resize(patch, None, fx=k, fy=k, interpolation=cv2.INTER_AREA)
        patch = cv2.resize(less, (PATCH, PATCH), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.3:
        patch = cv2.GaussianBlur(patch, (0, 0), rng.uniform(0.4, 1.4))
    x = patch.astype(np.float64) / 255
    x = np.clip(x, 1e-4, 1) ** rng.uniform(0.7, 1.4) * rng.uniform(0.85, 1.15, 3) + rng.normal(0, 0.03)
    x = x + rng.normal(0, rng.uniform(0, 0.03), x.shape)
    patch = np.clip(x * 255, 0, 255).astype(np.uint8)
    if rng.random() < 0.4:
        _, data = cv2.imencode(".jpg", patch, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 95))])
        patch = cv2.imdecode(data, cv2.IMREAD_COLOR)
    return np.asarray(patch, dtype=np.uint8)


def drawn_patches(seed: int, count: int) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.int64]]:
    """``count`` patches (N, PATCH, PATCH, 3), tangents (N,) and classes (N,), the classes in equal parts."""
    rng = np.random.default_rng(seed)
    patches, tangents, classes = [], [], []
    for i in range(count):
        k = i % len(PATCH_STATES)
        patch, tan = draw(rng, PATCH_STATES[k])
        patches.append(patch)
        tangents.append(tan)
        classes.append(k)
    return np.stack(patches), np.array(tangents, np.float32), np.array(classes)

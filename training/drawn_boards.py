"""Seeded drawings of discs on boards, to widen what the gap network has seen: any radius, height, bevel, light, colour.

Rays are cast at twice the picture's resolution onto the board's plane and onto discs that are turned profiles (two
rounded edges, cut into thin slices). Light is an even sky and one to three lamps; the plane is darkened by each disc
as a wall of its height darkens it (the share of the cosine-weighted sky that it hides) and by soft lamp shadows.
Not photographs, but with exact truth; the path-traced scenes supply the rest.
"""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import BoardModel
from calibration.camera import Array, Camera
from calibration.scale import Scale
from calibration.view import BoardView
from training.gap_data import Scene
from vision.contact_patch import Cylinders

WIDTH, HEIGHT = 640, 480
OVER = 2
"""Rays a pixel, along each axis."""
SLICES = 7
"""Slices of a rounded edge."""
Colour = NDArray[np.float32]


@dataclass(frozen=True)
class Light:
    """The sky's and the lamps' brightness, the lamps' directions (L, 3) and how soft their shadows are."""

    sky: float
    lamps: Array
    power: Array
    soft: float
    gloss: float
    sharp: float


def _camera(rng: np.random.Generator, aim: Array) -> Camera:
    detail = math.exp(rng.uniform(math.log(0.6), math.log(2.1)))
    tilt = math.radians(rng.choice([rng.uniform(0, 20), rng.uniform(10, 58)]))
    focal = rng.uniform(1000, 2800) * max(1.0, detail)
    azimuth, roll = rng.uniform(0, 2 * np.pi, 2)
    back = np.array([math.sin(tilt) * math.cos(azimuth), math.sin(tilt) * math.sin(azimuth), math.cos(tilt)])
    side = np.array([-math.sin(azimuth), math.cos(azimuth), 0.0])
    down = np.cross(-back, side)
    x = math.cos(roll * 0.1) * side + math.sin(roll * 0.1) * down
    y = np.cross(-back, x)
    R = np.stack([x, y, -back])
    eye = np.array([aim[0], aim[1], 0.0]) + back * (focal / detail)
    K = np.array(
        [[focal, 0, WIDTH / 2 + rng.uniform(-60, 60)], [0, focal, HEIGHT / 2 + rng.uniform(-60, 60)], [0, 0, 1]]
    )
    return Camera(K, np.zeros(5), cv2.Rodrigues(R)[0].ravel(), -R @ eye, WIDTH, HEIGHT)


def _board(rng: np.random.Generator) -> BoardModel:
    shooting = rng.uniform(240, 330)
    width = math.exp(rng.uniform(math.log(1.0), math.log(4.0)))
    radius = 15.875 if rng.random() < 0.2 else rng.uniform(12, 19.5)
    return BoardModel(
        "drawn",
        shooting,
        shooting * rng.uniform(0.6, 0.73),
        shooting * rng.uniform(0.29, 0.38),
        17.0,
        (width,) * 3,
        shooting + rng.uniform(20, 30),
        radius,
        rng.uniform(6.5, 12.5),
    )


def _places(rng: np.random.Generator, view: BoardView) -> Array:
    board, r = view.board, view.board.disc_radius
    chosen: list[Array] = []
    for _ in range(400):
        if len(chosen) == 14:
            break
        kind = rng.random()
        if kind < 0.3 and chosen:
            a = rng.uniform(0, 2 * np.pi)
            gap = 2 * r + (0.0 if rng.random() < 0.5 else rng.exponential(3.0)) + 0.02
            place = chosen[int(rng.integers(len(chosen)))] + gap * np.array([math.cos(a), math.sin(a)])
        else:
            px = np.array([[rng.uniform(30, WIDTH - 30), rng.uniform(30, HEIGHT - 30)]])
            place = view.to_mm(px)[0]
            if kind < 0.75:
                line = board.inner_edges[int(rng.integers(3))] - r - rng.uniform(-5, 5)
                place = place / max(float(np.linalg.norm(place)), 1e-6) * line
        px = view.to_px(place[None])[0]
        inside = 20 < px[0] < WIDTH - 20 and 20 < px[1] < HEIGHT - 20
        if (
            inside
            and np.hypot(*place) < (board.surface or 330) - 2
            and all(np.hypot(*(place - c)) >= 2 * r for c in chosen)
        ):
            chosen.append(place)
    return np.array(chosen).reshape(-1, 2)


def _texture(rng: np.random.Generator, strength: float) -> Colour:
    """A tile (256, 256) of wood grain about 1, of a relative strength."""
    long, thin = rng.uniform(15, 40), rng.uniform(0.6, 2.5)
    noise = rng.normal(size=(256, 256)).astype(np.float32)
    grain = cv2.GaussianBlur(noise, (0, 0), long, sigmaY=thin, borderType=cv2.BORDER_REFLECT)
    broad = cv2.GaussianBlur(noise.T.copy(), (0, 0), long, sigmaY=thin * 5, borderType=cv2.BORDER_REFLECT)
    mix = grain / grain.std() + broad / broad.std()
    return np.asarray(np.exp(strength * mix / 1.5), dtype=np.float32)


def _grain(tile: Colour, x: Colour, y: Colour, turn: float, shift: Array) -> Colour:
    u = (math.cos(turn) * x + math.sin(turn) * y) * 2.0 + np.float32(shift[0])
    v = (math.cos(turn) * y - math.sin(turn) * x) * 2.0 + np.float32(shift[1])
    return np.asarray(
        cv2.remap(tile, u.astype(np.float32), v.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    )


def _paint(rng: np.random.Generator) -> NDArray[np.float32]:
    """A linear colour (3,): wood, black, white or anything."""
    kind = rng.random()
    if kind < 0.35:
        wood = np.array([0.22, 0.42, 0.66]) * math.exp(rng.normal(0, 0.35)) * np.exp(rng.normal(0, 0.12, 3))
    elif kind < 0.55:
        wood = np.full(3, math.exp(rng.uniform(-4.2, -2.6))) * np.exp(rng.normal(0, 0.1, 3))
    elif kind < 0.62:
        wood = np.full(3, rng.uniform(0.5, 0.85)) * np.exp(rng.normal(0, 0.05, 3))
    else:
        wood = np.exp(rng.uniform(-3.5, -0.4, 3))
    return np.clip(wood, 0.01, 0.9).astype(np.float32)


def _light(rng: np.random.Generator) -> Light:
    n = int(rng.integers(1, 4))
    high, around = np.radians(rng.uniform(30, 88, n)), rng.uniform(0, 2 * np.pi, n)
    lamps = np.stack([np.cos(high) * np.cos(around), np.cos(high) * np.sin(around), np.sin(high)], axis=1)
    power = rng.dirichlet(np.ones(n)) * rng.uniform(0.1, 1.6)
    return Light(
        rng.uniform(0.4, 1.0),
        lamps,
        power,
        rng.uniform(0.02, 0.5),
        rng.choice([0.0, rng.uniform(0, 0.6)]),
        rng.uniform(8, 120),
    )


def _ground(rng: np.random.Generator, board: BoardModel, x: Colour, y: Colour, places: Array, light: Light) -> Colour:
    """Linear colours (..., 3) of the board's surface at x, y, shadows of the discs included."""
    rho = np.hypot(x, y)
    base, detail = _paint(rng), 0.5 * _spacing(x)
    tile = _texture(rng, rng.choice([0.02, rng.uniform(0.03, 0.2)]))
    grain = _grain(tile, x, y, rng.uniform(0, np.pi), rng.uniform(0, 400, 2))
    colour = np.broadcast_to(base, (*x.shape, 3)).copy()
    edges = board.inner_edges
    if rng.random() < 0.3:
        k = int(rng.integers(3))
        fill = _paint(rng)
        colour[(rho < edges[k]) & (rho > (edges[k - 1] if k else 0.0))] = fill
    colour *= grain[..., None]
    ink = _paint(rng)
    if abs(float(ink.mean() / base.mean()) - 1) < 0.5:
        ink = np.full(3, 0.02 if base.mean() > 0.15 else 0.7, np.float32)
    for low, high in zip(board.inner_edges, board.outer_edges, strict=True):
        cover = np.clip((np.minimum(rho + detail, high) - np.maximum(rho - detail, low)) / (2 * detail), 0, 1)[
            ..., None
        ]
        colour = colour * (1 - cover) + ink * cover
    if board.surface:
        colour[rho > board.surface] = _paint(rng)
    sky = np.full(x.shape, light.sky, np.float32)
    lamps = [np.full(x.shape, p * v[2], np.float32) for p, v in zip(light.power, light.lamps, strict=True)]
    r, h = board.disc_radius, board.disc_height
    for c in places:
        near = (np.abs(x - c[0]) < 6 * r) & (np.abs(y - c[1]) < 6 * r)
        u, v = x[near] - c[0], y[near] - c[1]
        d = np.maximum(np.hypot(u, v) - r, 0.02)
        sky[near] *= 1 - np.arcsin(r / (r + d)) / np.pi * h * h / (h * h + d * d) * 0.95
        for lamp, way in zip(lamps, light.lamps, strict=True):
            throw = -way[:2] / way[2] * h
            length = max(float(throw @ throw), 1e-6)
            share = np.clip((u * throw[0] + v * throw[1]) / length, 0, 1)
            outside = np.hypot(u - share * throw[0], v - share * throw[1]) - r
            width = 0.25 + light.soft * (share * h / way[2] + 0.3 * np.maximum(d, 0))
            lamp[near] *= np.clip(0.5 + outside / width, 0.03, 1)
    total = sky + np.sum(lamps, axis=0)
    return np.asarray(colour * total[..., None], dtype=np.float32)


def _spacing(x: Colour) -> float:
    """Millimetres between neighbouring rays, roughly."""
    return float(np.median(np.abs(np.diff(x[::16], axis=1))) + np.median(np.abs(np.diff(x[:, ::16], axis=0))) + 1e-3)


def _profile(radius: float, height: float, top: float, bottom: float) -> tuple[Array, Array, Array, Array]:
    """Slices from the top down: heights, radii, and the normal's outward and upward parts."""
    a = np.linspace(0, np.pi / 2, SLICES)
    z = np.concatenate(
        [height - top + top * np.cos(a), np.linspace(height - top, bottom, 14)[1:-1], bottom - bottom * np.sin(a)]
    )
    r = np.concatenate([radius - top + top * np.sin(a), np.full(12, radius), radius - bottom + bottom * np.cos(a)])
    out = np.concatenate([np.sin(a), np.ones(12), np.cos(a)])
    up = np.concatenate([np.cos(a), np.zeros(12), -np.sin(a)])
    return z, r, out, up


def draw_scene(seed: int) -> Scene:
    """Draw one scene: a picture (HEIGHT, WIDTH, 3) with up to 14 discs, and its truth."""
    rng = np.random.default_rng([20, seed])
    board = _board(rng)
    a, far = rng.uniform(0, 2 * np.pi), rng.uniform(0, 0.9 * board.shooting)
    camera = _camera(rng, far * np.array([math.cos(a), math.sin(a)]))
    view = BoardView(camera, board, Scale("board", detail="drawn"), 0.0)
    places = _places(rng, view)
    light = _light(rng)
    w, h = WIDTH * OVER, HEIGHT * OVER
    K, R = camera.K, camera.rotation
    u = (((np.arange(w) + 0.5) / OVER - 0.5 - K[0, 2]) / K[0, 0]).astype(np.float32)[None, :]
    v = (((np.arange(h) + 0.5) / OVER - 0.5 - K[1, 2]) / K[1, 1]).astype(np.float32)[:, None]
    ray = [np.float32(R[0, i]) * u + np.float32(R[1, i]) * v + np.float32(R[2, i]) for i in range(3)]
    slope = np.stack([ray[0] / ray[2], ray[1] / ray[2]], axis=-1)
    eye = camera.centre

    def at(z: float, part: tuple[slice, slice]) -> tuple[Colour, Colour]:
        lift = np.float32(z - eye[2])
        return slope[part][..., 0] * lift + np.float32(eye[0]), slope[part][..., 1] * lift + np.float32(eye[1])

    whole = (slice(0, h), slice(0, w))
    picture = _ground(rng, board, *at(0.0, whole), places, light)
    paints = [_paint(rng), _paint(rng)]
    tile = _texture(rng, rng.choice([0.01, rng.uniform(0.03, 0.25)]))
    top = min(math.exp(rng.uniform(math.log(0.25), math.log(2.0))), 0.4 * board.disc_height)
    bottom = min(top * math.exp(rng.normal(0, 0.3)), 0.4 * board.disc_height)
    z, r, out, up = _profile(board.disc_radius, board.disc_height, top, bottom)
    order = np.argsort(-np.hypot(places[:, 0] - eye[0], places[:, 1] - eye[1]))
    for k in order:
        _draw_disc(rng, picture, at, view, places, int(k), (z, r, out, up), paints[int(rng.integers(2))], tile, light)
    image = _develop(rng, picture)
    n = len(places)
    true = Cylinders(places, np.full(n, board.disc_radius), np.full(n, board.disc_height))
    return Scene(f"drawn/{seed:05d}", image, view, (true,) if n else ())


def _draw_disc(rng, picture, at, view, places, k, profile, paint, tile, light) -> None:  # type: ignore[no-untyped-def]
    z, r, out, up = profile
    c = places[k]
    box = np.vstack(
        [
            view.circle_px(1, 0) * 0 + view.to_px(c + 1.2 * r.max() * np.array([[x, y]]), zz)
            for x in (-1, 1)
            for y in (-1, 1)
            for zz in (0, z[0])
        ]
    )
    low, high = np.floor(box.min(0) * OVER - 3).astype(int), np.ceil(box.max(0) * OVER + 3).astype(int)
    part = (slice(max(low[1], 0), max(high[1], 0)), slice(max(low[0], 0), max(high[0], 0)))
    shape = picture[part].shape[:2]
    if min(shape) == 0:
        return
    hit = np.zeros(shape, bool)
    nx, ny, nz = (np.zeros(shape, np.float32) for _ in range(3))
    px, py, pz = (np.zeros(shape, np.float32) for _ in range(3))
    for zi, ri, oi, ui in zip(z, r, out, up, strict=True):
        x, y = at(float(zi), part)
        dx, dy = x - c[0], y - c[1]
        rho = np.hypot(dx, dy)
        new = ~hit & (rho <= ri)
        if not new.any():
            continue
        inner = new & (zi >= z[0] - 1e-6)
        for n, d in ((nx, dx), (ny, dy)):
            n[new] = (oi * d / np.maximum(rho, 1e-3))[new]
        nz[new] = ui
        nx[inner], ny[inner], nz[inner] = 0, 0, 1
        px[new], py[new], pz[new] = dx[new], dy[new], zi
        hit |= new
    albedo = np.asarray(paint * np.exp(rng.normal(0, 0.08)), dtype=np.float32)
    grain = _grain(tile, px, py, rng.uniform(0, np.pi), rng.uniform(0, 400, 2))
    ring = 1 + 0.3 * rng.random() * (np.hypot(px, py) < rng.uniform(0.3, 0.8) * r.max()) * (rng.random() < 0.2)
    crowd = np.ones(shape, np.float32)
    for j, other in enumerate(places):
        away = other - c
        d = float(np.hypot(*away))
        if j != k and d < 4 * r.max():
            facing = np.clip((nx * away[0] + ny * away[1]) / d, 0, 1)
            crowd *= 1 - 0.8 * facing * np.clip(1.5 - (d - 2 * r.max()) / 8, 0, 1) * 0.6
    sky = light.sky * (0.5 + 0.5 * nz) * crowd
    bounce = light.sky * 0.35 * (0.5 - 0.5 * nz) * np.clip(pz / z[0] + 0.15, 0, 1)
    total = sky + bounce
    eye = view.camera.centre - np.array([c[0], c[1], 0])
    eye = eye / np.linalg.norm(eye)
    shine = np.zeros(shape, np.float32)
    for power, way in zip(light.power, light.lamps, strict=True):
        total = total + power * np.clip(nx * way[0] + ny * way[1] + nz * way[2], 0, None) * np.where(nz > 0.5, 1, crowd)
        half = (way + eye) / np.linalg.norm(way + eye)
        shine += power * np.clip(nx * half[0] + ny * half[1] + nz * half[2], 0, 1) ** light.sharp
    colour = albedo * (grain * ring * total)[..., None] + light.gloss * (0.5 * shine + 0.05 * light.sky * nz)[..., None]
    picture[part][hit] = colour[hit]


def _develop(rng: np.random.Generator, linear: Colour) -> NDArray[np.uint8]:
    """From light to an 8-bit picture: exposure, lens and demosaicking blur, noise, tone curve, sharpening, JPEG."""
    small = cv2.resize(linear, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
    blur = rng.uniform(0.3, 0.8) if rng.random() < 0.8 else rng.uniform(0.8, 1.4)
    small = cv2.GaussianBlur(small, (0, 0), blur)
    small *= np.exp(rng.normal(0, 0.12, 3)).astype(np.float32)
    small *= rng.uniform(0.5, 0.95) / max(float(np.percentile(small, 97)), 1e-3)
    noise = rng.normal(size=small.shape).astype(np.float32)
    small += noise * np.sqrt(np.maximum(small, 0) * 10 ** rng.uniform(-5, -3.2) + 1e-6)
    tone = np.clip(small, 0, 1) ** (1 / rng.uniform(1.8, 2.6))
    if rng.random() < 0.4:
        tone = tone + rng.uniform(0.2, 0.7) * (tone - cv2.GaussianBlur(tone, (0, 0), 1.0))
    picture = np.clip(np.round(tone * 255), 0, 255).astype(np.uint8)
    ok, coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(78, 98))])
    if not ok:
        raise RuntimeError("JPEG encoder failed")
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), dtype=np.uint8)

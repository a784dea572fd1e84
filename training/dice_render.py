"""A small ray caster for dice: rounded cubes and dodecahedra with pips, spots or prints, under one lamp and a sky.

World frame: table at z = 0, z up, lengths in edges of the largest die. Colours are BGR 0..255.
Rounded cubes are traced by their exact signed distance (Quilez, "Distance functions", 2008: a box of half size
h - r grown by r, cut by a sphere), dodecahedra as the intersection of twelve half-spaces.
"""

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

STEPS = 14
"""Sphere-tracing steps; a rounded cube seen from afar needs about ten, grazing rays more."""
PANE = 0.82
"""Cosine of the angle within which a mirrored ray meets the window."""
PHI = (1 + 5**0.5) / 2


@dataclass(frozen=True)
class Camera:
    """Pinhole: ``R`` (3, 3) world -> camera, ``eye`` (3,) in the world, focal length and centre in pixels."""

    R: Array
    eye: Array
    focal: float
    centre: tuple[float, float]

    def project(self, points: Array) -> Array:
        """World points (N, 3) -> pixels (N, 2)."""
        p = (np.asarray(points, np.float32).reshape(-1, 3) - self.eye) @ self.R.T
        return np.asarray(p[:, :2] / p[:, 2:] * self.focal + np.array(self.centre, np.float32), np.float32)

    def rays(self, xy: Array) -> Array:
        """Pixels (N, 2) -> unit directions (N, 3) in the world."""
        d = np.column_stack([(xy - np.array(self.centre, np.float32)) / self.focal, np.ones(len(xy), np.float32)])
        d = d @ self.R
        return np.asarray(d / lengths(d)[:, None], np.float32)

    def scale(self, point: Array) -> float:
        """Pixels per unit at a world point."""
        return float(self.focal / ((point - self.eye) @ self.R[2]))


@dataclass(frozen=True)
class Lamp:
    """Key light from ``way`` (unit, towards the lamp), strengths of key and sky, shadows' darkness and softness.

    ``pane``: where a bright window or panel stands (unit), whose mirror image adds ``glare`` (0..1) to faces.
    """

    way: Array
    key: float
    sky: float
    dark: float
    soft: float
    tint: Array
    pane: Array | None = None
    glare: float = 0.0


@dataclass
class Style:
    """How one kind of die looks. Lengths in units of half an edge.

    ``straight``: the two's pips lie along a side, not from corner to corner.
    ``six``: below 1, how much nearer the pips of a row of the six lie; 2 minus it, above 1, the two rows.
    ``groove``: radius of a circle on each face, ``groove_ink`` and ``groove_wide`` its colour and half width, and
    ``groove_deep`` its strength 0..1. ``disc``: radius of a disc in each face, of the colour ``disc_ink``.
    ``swirl``: second colour of a marbled body, ``swirl_size`` and ``swirl_sharp`` the size of its patches and how
    hard they are bounded; ``veins``: further colours laid over it in the same way, (size, hardness, colour).
    ``masks``: prints that stand in for the pips of a value.
    """

    body: Array
    pip: Array
    pip_one: Array
    pip_four: Array
    radius: float = 0.18
    radius_one: float = 0.18
    spread: float = 0.5
    bevel: float = 0.15
    ball: float = 1.6
    gloss: float = 0.3
    sharp: float = 60.0
    ring: float = 0.0
    dent: float = 0.4
    rough: float = 0.0
    clear: float = 0.0
    square: bool = False
    six: float = 1.0
    straight: bool = False
    groove: float = 0.0
    groove_ink: Array | None = None
    groove_wide: float = 0.025
    groove_deep: float = 0.35
    disc: float = 0.0
    disc_ink: Array | None = None
    swirl: Array | None = None
    swirl_size: float = 1.0
    swirl_sharp: float = 1.2
    veins: tuple[tuple[float, float, Array], ...] = ()
    masks: dict[int, Array] = field(default_factory=dict)
    blank: bool = False


@dataclass
class Die:
    """One die: ``R`` (3, 3) local -> world, ``centre`` (3,), half edge ``half``.

    ``values``: of the faces +x, -x, +y, -y, +z, -z. ``turns``: whether the layout of each is turned by 90 degrees.
    Dodecas: ``half`` is the inner radius, ``spots`` the colour of each of the twelve faces.
    """

    R: Array
    centre: Array
    half: float
    style: Style
    values: tuple[int, ...] = ()
    turns: tuple[bool, ...] = ()
    spots: Array | None = None
    cocked: bool = False
    moving: float = 0.0


LAYOUTS: dict[int, Array] = {
    1: np.array([[0, 0]], np.float32),
    2: np.array([[-1, -1], [1, 1]], np.float32),
    3: np.array([[-1, -1], [0, 0], [1, 1]], np.float32),
    4: np.array([[-1, -1], [1, 1], [-1, 1], [1, -1]], np.float32),
    5: np.array([[-1, -1], [1, 1], [-1, 1], [1, -1], [0, 0]], np.float32),
    6: np.array([[-1, -1], [1, 1], [-1, 1], [1, -1], [-1, 0], [1, 0]], np.float32),
}


def dodecahedron_normals() -> Array:
    """Unit normals (12, 3) of a dodecahedron; the first one is +z."""
    n = np.array(
        [[0, a, b * PHI] for a in (1, -1) for b in (1, -1)]
        + [[a, b * PHI, 0] for a in (1, -1) for b in (1, -1)]
        + [[b * PHI, 0, a] for a in (1, -1) for b in (1, -1)],
        np.float64,
    )
    n /= np.linalg.norm(n[0])
    z = n[0]
    x = np.cross(z, [1.0, 0, 0])
    x /= np.linalg.norm(x)
    return np.asarray(n @ np.array([x, np.cross(z, x), z]).T, np.float32)


NORMALS = dodecahedron_normals()


def trace_cube(o: Array, d: Array, bevel: float, ball: float) -> tuple[Array, NDArray[np.bool_]]:
    """Distances (N,) along rays from ``o`` (3,) in directions (N, 3) to a cube of half edge 1, and which rays hit."""
    bound = min(ball, 3**0.5)
    dx, dy, dz = np.ascontiguousarray(d.T)
    b = dx * o[0] + dy * o[1] + dz * o[2]
    disc = b * b - (float(o @ o) - bound**2)
    kept = np.nonzero(disc > 0)[0]
    dx, dy, dz = dx[kept], dy[kept], dz[kept]
    t = -b[kept] - np.sqrt(disc[kept])
    sd = np.zeros_like(t)
    inner, zero = np.float32(1 - bevel), np.float32(0)
    for _ in range(STEPS):
        x, y, z = o[0] + t * dx, o[1] + t * dy, o[2] + t * dz
        far = np.sqrt(x * x + y * y + z * z) - np.float32(ball)
        x, y, z = np.abs(x) - inner, np.abs(y) - inner, np.abs(z) - inner
        most = np.minimum(np.maximum(np.maximum(x, y), z), zero)
        x, y, z = np.maximum(x, zero), np.maximum(y, zero), np.maximum(z, zero)
        sd = np.maximum(np.sqrt(x * x + y * y + z * z) + most - np.float32(bevel), far)
        t = t + sd
    whole, hit = np.zeros(len(d), np.float32), np.zeros(len(d), np.bool_)
    whole[kept], hit[kept] = t, sd < 0.03
    return whole, hit


def trace_dodeca(o: Array, d: Array) -> tuple[Array, NDArray[np.bool_], NDArray[np.intp]]:
    """As :func:`trace_cube` for a dodecahedron of inner radius 1; also which face (N,) was hit."""
    slope, rest = d @ NORMALS.T, 1 - NORMALS @ o
    t = rest / np.where(np.abs(slope) < 1e-6, 1e-6, slope)
    enter = np.where(slope < 0, t, -np.inf)
    leave = np.where(slope > 0, t, np.inf).min(axis=1)
    face = enter.argmax(axis=1)
    first = enter.max(axis=1)
    return np.asarray(first, np.float32), np.asarray(first < leave, np.bool_), face


def cube_normals(p: Array, style: Style) -> Array:
    """Outward unit normals (N, 3) at surface points (N, 3)."""
    q = np.maximum(np.abs(p) - (1 - style.bevel), 0)
    n = np.sign(p) * np.maximum(q, 1e-6 * (np.abs(p) > 0.9 - style.bevel))
    n = np.where(lengths(p)[:, None] > style.ball - 0.04, p, n)
    return np.asarray(n / np.maximum(lengths(n), 1e-6)[:, None], np.float32)


def lengths(v: Array) -> Array:
    """Euclidean lengths (N,) of vectors (N, 3)."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", v, v)), np.float32)


def faces_of(p: Array) -> tuple[NDArray[np.intp], Array]:
    """Face index (N,) 0..5 of surface points (N, 3) of a cube and coordinates (N, 2) on it."""
    x, y, z = np.abs(p.T)
    axis = np.where(x >= np.maximum(y, z), 0, np.where(y >= z, 1, 2))
    rows = np.arange(len(p))
    face = 2 * axis + (p[rows, axis] < 0)
    uv = np.column_stack([p[rows, (axis + 1) % 3], p[rows, (axis + 2) % 3]])
    return face, np.asarray(uv / np.abs(p[rows, axis])[:, None] if len(p) else uv, np.float32)


def paint_pips(die: Die, face: NDArray[np.intp], uv: Array, soft: float) -> tuple[Array, Array, Array]:
    """Cover (N,) 0..1 by pips, their colour (N, 3) and the tilt (N, 2) of the dent, for points of a cube."""
    s = die.style
    cover = np.zeros(len(uv), np.float32)
    colour = np.broadcast_to(s.pip, (len(uv), 3)).copy()
    tilt = np.zeros((len(uv), 2), np.float32)
    for f in np.unique(face):
        at = np.nonzero(face == f)[0]
        w = uv[at]
        value = die.values[f]
        if value in s.masks:
            m = s.masks[value]
            k = len(m)
            ij = np.clip(((w * (0.5, -0.5) + 0.5) * k).astype(int), 0, k - 1)
            cover[at] = m[ij[:, 1], ij[:, 0]]
            continue
        if s.blank:
            continue
        spots = LAYOUTS[value] * s.spread * ((min(1.0, 2 - s.six), min(1.0, s.six)) if value == 6 else (1, 1))
        if s.straight and value == 2:
            spots = spots * (1, 0)
        if die.turns[f]:
            spots = spots[:, ::-1] * (1, -1)
        r = s.radius_one if value == 1 else s.radius
        away = [w - q.astype(np.float32) for q in spots]
        dists = [np.maximum(*np.abs(v.T)) if s.square else np.hypot(v[:, 0], v[:, 1]) for v in away]
        dist, off = dists[0], away[0]
        for other, v in zip(dists[1:], away[1:], strict=True):
            closer = other < dist
            dist, off = np.where(closer, other, dist), np.where(closer[:, None], v, off)
        c = np.clip((r - dist) / soft + 0.5, 0, 1)
        if s.ring > 0:
            c = c * np.clip((dist - r * s.ring) / soft + 0.5, 0, 1)
        cover[at] = c
        tilt[at] = (c * s.dent / r)[:, None] * off
        if value == 1:
            colour[at] = s.pip_one
        elif value == 4:
            colour[at] = s.pip_four
    return cover, colour, tilt


def shade(
    albedo: Array, n: Array, view: Array, lamp: Lamp, lit: Array, low: Array, gloss: float, sharp: float
) -> Array:
    """Colours (N, 3) of points with normals and views (N, 3); ``lit`` 0..1 by the lamp, ``low`` 0..1 near the table."""
    key = np.clip((n @ lamp.way + 0.1) / 1.1, 0, 1) * lit * lamp.key
    sky = (0.62 + 0.38 * n[:, 2]) * lamp.sky * (1 - 0.45 * low)
    half = view + lamp.way
    half /= lengths(half)[:, None]
    shine = gloss * np.clip(np.einsum("ij,ij->i", n, half), 0, 1) ** sharp * lit
    grazing = gloss * 0.35 * (1 - np.clip(np.einsum("ij,ij->i", n, view), 0, 1)) ** 4 * lamp.sky
    if lamp.pane is not None:
        mirrored = 2 * np.einsum("ij,ij->i", n, view)[:, None] * n - view
        grazing = grazing + lamp.glare * np.clip((mirrored @ lamp.pane - PANE) / 0.06, 0, 1)
    out = albedo * (key + sky)[:, None] * lamp.tint + 255 * (shine + grazing)[:, None]
    return np.asarray(out, np.float32)


def blocked(points: Array, way: Array, others: list[Die]) -> Array:
    """Share 0..1 of lamp light (N,) that the other dice leave on points (N, 3): boxes by the slab test."""
    lit = np.ones(len(points), np.float32)
    for other in others:
        o = (points - other.centre) @ other.R / (other.half * (0.93 if other.spots is None else 1.05))
        d = way @ other.R
        inv = 1 / np.where(np.abs(d) < 1e-5, 1e-5, d)
        a, b = np.ascontiguousarray(((-1 - o) * inv).T), np.ascontiguousarray(((1 - o) * inv).T)
        enter, leave = np.minimum(a, b).max(axis=0), np.maximum(a, b).min(axis=0)
        lit[(leave > np.maximum(enter, 0.02)) & (enter > -0.5)] = 0.25
    return lit


def draw_die(image: Array, die: Die, camera: Camera, lamp: Lamp, others: list[Die], noise: Array) -> NDArray[np.bool_]:
    """Draw a die into ``image`` (H, W, 3) float32 in place; returns its silhouette (H, W) bool."""
    h, w = image.shape[:2]
    scale = camera.scale(die.centre)
    reach = die.half * 1.75 * scale + 2
    x, y = camera.project(die.centre)[0]
    x0, x1 = max(0, int(x - reach)), min(w, int(x + reach) + 1)
    y0, y1 = max(0, int(y - reach)), min(h, int(y + reach) + 1)
    mask = np.zeros((h, w), np.bool_)
    if x1 <= x0 or y1 <= y0:
        return mask
    ss = 2 if die.half * scale < 30 else 1
    gx, gy = np.meshgrid(
        (np.arange((x1 - x0) * ss, dtype=np.float32) + 0.5) / ss + x0 - 0.5,
        (np.arange((y1 - y0) * ss, dtype=np.float32) + 0.5) / ss + y0 - 0.5,
    )
    rays = camera.rays(np.column_stack([gx.ravel(), gy.ravel()]))
    at, rgb = _colours(rays, die, camera, lamp, others, noise)
    if not len(at):
        return mask
    layer = np.zeros((len(rays), 4), np.float32)
    layer[at, :3], layer[at, 3] = np.clip(rgb, 0, 255), 1
    size = (x1 - x0, y1 - y0)
    layer = layer.reshape(size[1] * ss, size[0] * ss, 4)
    if ss > 1:
        layer = np.asarray(cv2.resize(layer, size, interpolation=cv2.INTER_AREA), np.float32)
    if die.moving > 0:
        layer = _smeared(layer, die.moving * die.half * scale * 2, float(die.R[0, 0]) * 3.1)
    a = layer[..., 3:] * (1 - 0.25 * die.style.clear)
    part = image[y0:y1, x0:x1]
    part[:] = part * (1 - a) + layer[..., :3] / np.maximum(layer[..., 3:], 1e-3) * a
    mask[y0:y1, x0:x1] = layer[..., 3] > 0.5
    return mask


def _colours(
    rays: Array, die: Die, camera: Camera, lamp: Lamp, others: list[Die], noise: Array
) -> tuple[NDArray[np.intp], Array]:
    """Which of the rays (N, 3) hit the die, and the colours (hits, 3) there."""
    o = np.asarray((camera.eye - die.centre) @ die.R / die.half, np.float32)
    d = np.asarray(rays @ die.R, np.float32)
    s = die.style
    face = np.zeros(0, np.intp)
    if die.spots is None:
        t, hit = trace_cube(o, d, s.bevel, s.ball)
    else:
        t, hit, face = trace_dodeca(o, d)
    at = np.nonzero(hit)[0]
    p = np.asarray(o + t[at, None] * d[at], np.float32)
    soft = 1.0 / (die.half * camera.scale(die.centre))
    n, cover, colour = _cube_surface(die, p, soft) if die.spots is None else _dodeca_surface(die, p, face[at], soft)
    body = np.broadcast_to(s.body, (len(p), 3))
    if s.swirl is not None:
        body = _marbled(body, p, noise, (s.swirl_size, s.swirl_sharp, s.swirl))
    for vein in s.veins:
        body = _marbled(body, p[:, ::-1], noise, vein)
    if s.rough > 0:
        k = noise.shape[0]
        ij = ((p * 0.23 + 0.5) * k).astype(int) % k
        body = body * (1 + s.rough * noise[ij[:, 0], (ij[:, 1] + ij[:, 2]) % k])[:, None]
    if s.clear > 0 and die.spots is None:
        body = body * (1 - 0.35 * s.clear) + _inner_light(die, p, d[at], s)
    if die.spots is None and (s.disc > 0 or s.groove > 0):
        body = _inlaid(body, np.asarray(lengths(faces_of(p)[1])), s, soft)
    albedo = body * (1 - cover[:, None]) + colour * cover[:, None]
    world = p @ die.R.T * die.half + die.centre
    nw = np.asarray(n @ die.R.T, np.float32)
    lit = blocked(world + nw * 0.02, lamp.way, others)
    low = np.clip(1 - world[:, 2] / (1.2 * die.half), 0, 1)
    gloss = s.gloss * float((1 - 0.6 * cover).mean()) if len(at) else 0.0
    return at, shade(albedo, nw, -rays[at], lamp, lit, low, gloss, s.sharp)


def _marbled(body: Array, p: Array, noise: Array, vein: tuple[float, float, Array]) -> Array:
    """Colours (N, 3) with patches of another one, at points (N, 3): fractal noise, smaller patches for small sizes."""
    size, sharp, ink = vein
    k = len(noise)
    at = np.asarray((p[:, :2] + p[:, 2:] * (0.83, 0.59)) * (0.31 / size) + 0.7, np.float32) * k % (k - 1)
    x, y = np.floor(at).astype(int).clip(0, k - 2).T
    u, v = at[:, 0] - x, at[:, 1] - y
    upper, lower = (noise[y + i, x] * (1 - u) + noise[y + i, x + 1] * u for i in (0, 1))
    share = np.clip((upper * (1 - v) + lower * v) * sharp + 0.5, 0, 1)[:, None]
    return np.asarray(body * (1 - share) + ink * share, np.float32)


def _inlaid(body: Array, r: Array, s: Style, soft: float) -> Array:
    """Colours (N, 3) with the disc and the circle in each face; ``r``: distances (N,) from the face's middle."""
    for ink, share in (
        (s.disc_ink, np.clip((s.disc - r) / soft + 0.5, 0, 1)),
        (s.groove_ink, s.groove_deep * np.clip((s.groove_wide - np.abs(r - s.groove)) / soft + 0.5, 0, 1)),
    ):
        if ink is not None:
            body = np.asarray(body * (1 - share[:, None]) + ink * share[:, None], np.float32)
    return body


def _cube_surface(die: Die, p: Array, soft: float) -> tuple[Array, Array, Array]:
    """Normals (N, 3) with the pips' dents, cover (N,) and colour (N, 3) of pips at surface points (N, 3)."""
    n = cube_normals(p, die.style)
    face, uv = faces_of(p)
    cover, colour, tilt = paint_pips(die, face, uv, soft)
    axis, rows = face // 2, np.arange(len(p))
    n[rows, (axis + 1) % 3] -= tilt[:, 0]
    n[rows, (axis + 2) % 3] -= tilt[:, 1]
    return np.asarray(n / np.maximum(lengths(n), 1e-6)[:, None], np.float32), cover, colour


def _dodeca_surface(die: Die, p: Array, face: NDArray[np.intp], soft: float) -> tuple[Array, Array, Array]:
    """As :func:`_cube_surface` for a dodecahedron with rounded edges and spots."""
    assert die.spots is not None
    s = die.style
    n = NORMALS[face]
    cover = np.clip((s.radius - lengths(p - n)) / soft + 0.5, 0, 1)
    second = np.partition(p @ NORMALS.T, -2, axis=1)[:, -2]
    rounded = 0.35 * np.clip((second - (1 - s.bevel)) / max(s.bevel, 1e-3), 0, 1)[:, None]
    n = np.asarray(n * (1 - rounded) + p / lengths(p)[:, None] * rounded, np.float32)
    return np.asarray(n / np.maximum(lengths(n), 1e-6)[:, None], np.float32), cover, die.spots[face]


def _inner_light(die: Die, p: Array, d: Array, s: Style) -> Array:
    """Light inside a translucent body (N, 3): a bright patch, and the pips of the far faces shining through."""
    patch = np.array([die.R[0, 1], die.R[1, 2], die.R[2, 0]], np.float32) * 0.9
    glow = np.exp(-np.square(p - patch).sum(axis=1) / 0.5)
    far = np.where(np.abs(d) < 1e-5, 1e-5, d)
    out = np.asarray(p + ((np.sign(far) - p) / far).min(axis=1)[:, None] * d, np.float32)
    face, uv = faces_of(out)
    cover = paint_pips(die, face, uv, 0.25)[0]
    light = s.body * (0.9 * glow)[:, None] + 60 * glow[:, None]
    return np.asarray(s.clear * (light + 0.3 * cover[:, None] * (s.pip - s.body)), np.float32)


def _smeared(layer: Array, length: float, angle: float) -> Array:
    """Blur (h, w, 4) along a line of ``length`` pixels."""
    k = max(3, int(length) | 1)
    kernel = np.zeros((k, k), np.float32)
    c = k // 2
    dx, dy = np.cos(angle) * c, np.sin(angle) * c
    cv2.line(kernel, (round(c - dx), round(c - dy)), (round(c + dx), round(c + dy)), 1.0)
    return np.asarray(cv2.filter2D(layer, -1, kernel / kernel.sum()), np.float32)


def corners(die: Die) -> Array:
    """World points (8 or 20, 3) that span the die, for its shadow."""
    if die.spots is None:
        k = min(1.0, (die.style.ball / 3**0.5 + 1) / 2) * (1 - 0.3 * die.style.bevel)
        local = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], np.float32) * k
    else:
        g = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], np.float32)
        local = np.concatenate([NORMALS * 1.12, g / 3**0.5 * 1.12])
    return np.asarray(local @ die.R.T * die.half + die.centre, np.float32)


def shadow(image: Array, dice: list[Die], camera: Camera, lamp: Lamp) -> None:
    """Darken the table of ``image`` in place where the dice keep the lamp and the sky off."""
    hard = np.zeros(image.shape[:2], np.uint8)
    soft = np.zeros(image.shape[:2], np.uint8)
    for die in dice:
        c = corners(die)
        foot = c - lamp.way * (np.maximum(c[:, 2:], 0) / max(float(lamp.way[2]), 0.2))
        hull = cv2.convexHull(camera.project(foot).reshape(-1, 1, 2))
        cv2.fillConvexPoly(hard, np.round(hull * 8).astype(np.int32), 255, cv2.LINE_AA, 3)
        base = np.array([*die.centre[:2], 0], np.float32)
        ring = base + (c - die.centre) * (1.12, 1.12, 0)
        hull = cv2.convexHull(camera.project(np.asarray(ring, np.float32)).reshape(-1, 1, 2))
        cv2.fillConvexPoly(soft, np.round(hull * 8).astype(np.int32), 255, cv2.LINE_AA, 3)
    unit = camera.scale(dice[0].centre) * dice[0].half if dice else 1.0
    a = cv2.GaussianBlur(hard, (0, 0), max(0.5, lamp.soft * unit)).astype(np.float32) / 255 * lamp.dark
    b = cv2.GaussianBlur(soft, (0, 0), max(0.5, 0.22 * unit)).astype(np.float32) / 255 * 0.5
    image *= ((1 - a) * (1 - b))[..., None]

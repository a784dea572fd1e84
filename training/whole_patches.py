"""Pictures of a disc on a board, and of everything else that lies, stands or is printed there, with exact truth.

The ray caster of ``training.hole_patches`` draws into the form that ``vision.disc_whole`` takes: a disc in the middle,
or none but lines, numerals, flat spots, knots and stains of the wood, posts of any kind, discs beside the place, the
surface's edge, hands, glare and hard shadows. Everything is drawn by chance and seeded.
"""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from training.hole_patches import DISC_RADIUS_MM, SUPER, Float, Solid, any_colour, hit, lit, spoilt, waves
from vision.disc_whole import BEYOND, HALF_RADII
from vision.square_patch import PATCH

FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_DUPLEX)
SHEET = 256
"""Pixels of the painted surface's side."""
SHEET_HALF_MM = 3 * DISC_RADIUS_MM
START = 0.15
"""A disc's middle lies within so many radii of the patch's."""
CLEAR = 0.62
"""No disc's middle lies within so many radii of a place that shows none."""
TOUCHING = 2.02
SPOTS, RINGS = 0.22, 0.4
"""Share of the places without a disc that show a flat spot of a disc's size instead, and share of those that are rings.
They have the colour of a disc or of the lines beside them."""
UP = np.array([0.0, 0.0, 1.0])


def draw(rng: np.random.Generator, disc: bool) -> tuple[NDArray[np.uint8], float]:
    """One patch (PATCH, PATCH, 3) uint8 BGR with a disc in its middle or without, and the view angle's tangent."""
    tan = float(np.tan(np.radians(rng.uniform(0, 58))))
    thick = DISC_RADIUS_MM * rng.uniform(0.42, 0.95)
    faces = [any_colour(rng), any_colour(rng)]
    ground = any_colour(rng)
    if rng.random() < 0.25:
        faces[0] = np.clip(ground * rng.uniform(0.75, 1.25) + rng.normal(0, 0.03, 3), 0, 1)
    solids = _discs(rng, disc, thick, faces)
    solids += _posts(rng, solids)
    n = PATCH * SUPER
    step = 2 * HALF_RADII * DISC_RADIUS_MM / n
    axis = (np.arange(n) + 0.5) * step - HALF_RADII * DISC_RADIUS_MM
    x, y = np.meshgrid(axis, -axis)
    seen_at = thick * rng.uniform(0.33, 0.67)  # the plane of the patch, for discs that aren't quite as high as thought
    origin = np.column_stack([x.ravel(), y.ravel(), np.full(n * n, seen_at)])
    ray = np.tile(np.array([0.0, -tan, 1.0]), (n * n, 1))
    spot = not disc and rng.random() < SPOTS
    s, colour = _board(rng, origin, ray, ground, faces, spot)
    normal = np.tile(UP, (n * n, 1))
    for solid in solids:
        there, normals = hit(solid, origin, ray)
        front = there > s
        s = np.where(front, there, s)
        normal[front] = normals[front]
        at = origin + s[:, None] * ray - solid.centre
        tint = np.broadcast_to(solid.colour, (n * n, 3))
        if solid.ring < 0:  # a sticker on it
            tint = np.where((np.hypot(at[:, 0], at[:, 1]) < -solid.ring)[:, None], faces[1], tint)
        colour[front] = (tint * (1 + waves(rng, origin[:, :2], solid.grain))[:, None])[front]
    picture = lit(rng, origin + s[:, None] * ray, normal, colour, solids, 0.0, tan).reshape(n, n, 3)
    picture = _disturbed(rng, picture, disc)
    bright = max(float(np.percentile(picture, 97)), 1e-3)
    picture *= np.clip(rng.uniform(0.3, 1.15) / bright, 0.6, 5.0)  # cameras expose for what they see
    small = cv2.resize(picture, (PATCH, PATCH), interpolation=cv2.INTER_AREA)
    patch = spoilt(rng, np.clip(small * 255, 0, 255).astype(np.uint8))
    return cornered(patch), tan


def cornered(patch: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The patch with its corners grey, as ``vision.disc_whole`` leaves them."""
    side = np.arange(PATCH) - (PATCH - 1) / 2
    patch[np.hypot(side[:, None], side) > PATCH / 2] = BEYOND
    return patch


def _discs(rng: np.random.Generator, disc: bool, thick: float, faces: list[Float]) -> list[Solid]:
    """The disc in the middle, if there is one, and up to three beside it."""
    hollow = rng.uniform(0.2, 0.5) * DISC_RADIUS_MM if rng.random() < 0.12 else 0.0
    sticker = -rng.uniform(0.3, 0.8) * DISC_RADIUS_MM if rng.random() < 0.08 and not hollow else 0.0
    grain = rng.uniform(0, 0.12)
    placed: list[Float] = []
    if disc:
        a, r = rng.uniform(0, 2 * np.pi), START * math.sqrt(rng.uniform(0, 1))
        placed.append(DISC_RADIUS_MM * r * np.array([math.cos(a), math.sin(a)]))
    for _ in range(int(rng.integers(0, 4))):
        a = rng.uniform(0, 2 * np.pi)
        way = np.array([math.cos(a), math.sin(a)])
        if placed and rng.random() < 0.5:
            at = placed[0] + DISC_RADIUS_MM * (TOUCHING + rng.exponential(0.1)) * way
        else:
            at = DISC_RADIUS_MM * rng.uniform(CLEAR, 2.6) * way
        if all(np.hypot(*(at - p)) > TOUCHING * DISC_RADIUS_MM - 1e-6 for p in placed):
            placed.append(at)
    out = []
    for at in placed:
        which = 0 if rng.random() < 0.6 else 1
        body = np.clip(faces[which] * math.exp(rng.normal(0, 0.06)), 0, 1)
        out.append(Solid(np.array([*at, thick / 2]), UP, DISC_RADIUS_MM, thick, hollow or sticker, body, grain))
    return out


def _posts(rng: np.random.Generator, discs: list[Solid]) -> list[Solid]:
    """Up to two posts that stand clear of the discs."""
    posts: list[Solid] = []
    if rng.random() < 0.45:
        return posts
    radius, height = DISC_RADIUS_MM * rng.uniform(0.08, 0.36), DISC_RADIUS_MM * rng.uniform(0.5, 2.0)
    metal = np.full(3, rng.uniform(0.4, 0.9)) * rng.uniform(0.9, 1.1, 3)
    body = metal if rng.random() < 0.35 else any_colour(rng)
    for _ in range(int(rng.integers(1, 3))):
        a, r = rng.uniform(0, 2 * np.pi), DISC_RADIUS_MM * 1.9 * math.sqrt(rng.uniform(0, 1))
        at = np.array([r * math.cos(a), r * math.sin(a), height / 2])
        if all(np.hypot(*(at - d.centre)[:2]) > DISC_RADIUS_MM + radius for d in discs):
            posts.append(Solid(at, UP, radius, height, 0.0, body, 0.05))
    return posts


def _board(
    rng: np.random.Generator, origin: Float, ray: Float, ground: Float, faces: list[Float], spot: bool
) -> tuple[Float, Float]:
    """What rays meet of the board: parameters (N,) and colours (N, 3); seldom with its edge and the ditch beyond.

    ``spot``: a flat one, like a disc's face, is painted in the middle.
    """
    s = -origin[:, 2].copy()
    at = origin + s[:, None] * ray
    sheet = _sheet(rng, ground, faces, spot)
    if rng.random() < 0.12:
        a, far, deep = rng.uniform(0, 2 * np.pi), DISC_RADIUS_MM * rng.uniform(0.3, 1.6), rng.uniform(3, 14)
        over = at[:, 0] * math.cos(a) + at[:, 1] * math.sin(a) > far
        s[over] -= deep
        at = origin + s[:, None] * ray
        wall = over & (at[:, 0] * math.cos(a) + at[:, 1] * math.sin(a) < far)
        colour = _sampled(sheet, at)
        colour[over] = any_colour(rng) * rng.uniform(0.4, 1.0)
        colour[wall] = ground * rng.uniform(0.3, 0.8)
        s[wall] += rng.uniform(0, deep)
        return s, colour
    return s, _sampled(sheet, at)


def _sampled(sheet: NDArray[np.float32], at: Float) -> Float:
    u, v = (((c / SHEET_HALF_MM + 1) * (SHEET / 2) - 0.5).astype(np.float32) for c in (at[:, 0], at[:, 1]))
    picked = cv2.remap(sheet, u[None], v[None], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(picked[0], dtype=np.float64)


def _sheet(rng: np.random.Generator, ground: Float, faces: list[Float], spot: bool) -> NDArray[np.float32]:
    """The painted surface about the place, colours in 0..1 (SHEET, SHEET, 3), SHEET_HALF_MM to each side."""
    picture = np.broadcast_to(ground, (SHEET, SHEET, 3)).astype(np.float32).copy()
    scale = SHEET / (2 * SHEET_HALF_MM)
    lines = any_colour(rng)
    for _ in range(int(rng.integers(0, 3))):  # lines, and what is filled beyond them
        far, turn = DISC_RADIUS_MM * rng.uniform(4, 25), rng.uniform(0, 2 * np.pi)
        off = far + DISC_RADIUS_MM * rng.uniform(-1.8, 1.8)
        centre = tuple(round(float(SHEET / 2 + scale * off * c) * 16) for c in (math.cos(turn), math.sin(turn)))
        wide = max(1, round(scale * math.exp(rng.uniform(math.log(0.8), math.log(4.5)))))
        if rng.random() < 0.2:
            cv2.circle(picture, centre, round(far * scale * 16), any_colour(rng).tolist(), -1, cv2.LINE_AA, 4)
        if rng.random() < 0.85:
            tone = lines if rng.random() < 0.8 else any_colour(rng)
            cv2.circle(picture, centre, round(far * scale * 16), tone.tolist(), wide, cv2.LINE_AA, 4)
    if spot:
        at = np.round(16 * (SHEET / 2 + scale * DISC_RADIUS_MM * rng.uniform(-0.35, 0.35, 2))).astype(int).tolist()
        inks = faces[int(rng.integers(2))], lines, any_colour(rng)
        ink, radius = inks[int(rng.choice(3, p=[0.45, 0.4, 0.15]))], scale * DISC_RADIUS_MM * rng.uniform(0.5, 1.25)
        wide = max(1, round(radius * rng.uniform(0.12, 0.5))) if rng.random() < RINGS else 0
        cv2.circle(picture, at, round(16 * (radius - wide / 2)), ink.tolist(), wide or -1, cv2.LINE_AA, 4)
    for _ in range(int(rng.integers(0, 3)) if rng.random() < 0.5 else 0):
        _mark(rng, picture, scale, faces[int(rng.integers(2))] if rng.random() < 0.5 else any_colour(rng))
    return picture * _wood(rng)[..., None]


def _mark(rng: np.random.Generator, picture: NDArray[np.float32], scale: float, ink: Float) -> None:
    """A numeral, a flat spot or ring, a rosette or a scratch, in place; ``scale``: pixels per millimetre."""
    x, y = (round(float(v)) for v in SHEET / 2 + scale * DISC_RADIUS_MM * rng.uniform(-1.5, 1.5, 2) * rng.uniform(0, 1))
    kind, before = rng.random(), picture.copy()
    if kind < 0.35:
        text = str(rng.choice(["5", "10", "15", "20", "A", "S", "O", "N", "R", "8"]))
        size = scale * DISC_RADIUS_MM * rng.uniform(0.4, 1.6) / 22
        mask = np.zeros((SHEET, SHEET), np.uint8)
        font, thick = int(rng.choice(FONTS)), max(1, round(size * rng.uniform(1, 3.5)))
        cv2.putText(mask, text, (x - round(9 * size), y + round(10 * size)), font, size, 255, thick, cv2.LINE_AA)
        turned = cv2.warpAffine(mask, cv2.getRotationMatrix2D((x, y), rng.uniform(0, 360), 1), (SHEET, SHEET))
        picture += (turned.astype(np.float32) / 255)[..., None] * (ink.astype(np.float32) - picture)
    elif kind < 0.7:
        radius = round(16 * scale * DISC_RADIUS_MM * rng.uniform(0.25, 1.3))
        fill = -1 if rng.random() < 0.65 else max(1, round(scale * rng.uniform(0.7, 5)))
        cv2.circle(picture, (16 * x, 16 * y), radius, ink.tolist(), fill, cv2.LINE_AA, 4)
    elif kind < 0.85:
        a = np.linspace(0, 2 * np.pi, 96)
        k, r = int(rng.integers(3, 9)), scale * DISC_RADIUS_MM * rng.uniform(0.4, 1.3)
        reach = r * (1 - rng.uniform(0.15, 0.45) * (1 - np.cos(k * a)) / 2)
        points = np.column_stack([x + reach * np.cos(a), y + reach * np.sin(a)])
        cv2.fillPoly(picture, [np.round(points * 16).astype(np.int32)], ink.tolist(), cv2.LINE_AA, 4)
    else:
        for _ in range(int(rng.integers(1, 12))):
            start = SHEET / 2 + scale * DISC_RADIUS_MM * rng.normal(0, 0.8, 2)
            end = start + scale * DISC_RADIUS_MM * rng.normal(0, 0.6, 2)
            p, q = (tuple(int(16 * v) for v in e) for e in (start, end))
            cv2.line(picture, p, q, ink.tolist(), 1, cv2.LINE_AA, 4)
    share = np.float32(rng.uniform(0.5, 1.0))
    picture[:] = before + share * (picture - before)


def _wood(rng: np.random.Generator) -> NDArray[np.float32]:
    """Relative brightness (SHEET, SHEET) of grain, rings about knots, blotches of varnish."""
    noise = rng.normal(size=(SHEET, SHEET)).astype(np.float32)
    fine = cv2.GaussianBlur(noise, (0, 0), rng.uniform(5, 40), sigmaY=rng.uniform(0.5, 2.5))
    broad = cv2.GaussianBlur(noise, (0, 0), rng.uniform(15, 80), sigmaY=rng.uniform(8, 40))
    rings = np.sin(broad / broad.std() * rng.uniform(1, 9))
    mix = rng.uniform(0, 1) * fine / fine.std() + rng.uniform(0, 1.2) * rings * (rng.random() < 0.5)
    if rng.random() < 0.25:  # a knot
        v, u = np.mgrid[0:SHEET, 0:SHEET].astype(np.float32)
        cx, cy = SHEET / 2 + rng.normal(0, 14, 2)
        far = np.hypot((u - cx) / rng.uniform(0.6, 1.4), v - cy) + 3 * broad / broad.std()
        knot = np.exp(-0.5 * (far / rng.uniform(5, 30)) ** 2)
        mix = mix + knot * (rng.uniform(-3, 1) + rng.uniform(0, 1.5) * np.sin(far * rng.uniform(0.2, 0.9)))
    if rng.random() < 0.3:  # worn or blotched
        blot = cv2.GaussianBlur(noise.T.copy(), (0, 0), rng.uniform(4, 20))
        mix = mix + rng.uniform(0.5, 2.5) * np.tanh(rng.uniform(1, 6) * blot / blot.std())
    turned = np.rot90(mix, int(rng.integers(4)))
    strength = rng.uniform(0.02, 0.22) if rng.random() < 0.75 else rng.uniform(0, 0.03)
    return np.asarray(np.exp(strength * turned / 1.5), dtype=np.float32)


def _disturbed(rng: np.random.Generator, picture: Float, disc: bool) -> Float:
    """Shadows of things beside, glare, and hands over the picture (N, N, 3); a disc in the middle stays in sight."""
    n = len(picture)
    v, u = (np.mgrid[0:n, 0:n] - (n - 1) / 2) / (n / (2 * HALF_RADII))
    if rng.random() < 0.25:  # a hard or soft shadow's edge
        a, off, soft = rng.uniform(0, 2 * np.pi), rng.uniform(-1.4, 1.4), rng.uniform(0.02, 0.6)
        bend = rng.uniform(-0.3, 0.3)
        along, across = u * math.cos(a) + v * math.sin(a), v * math.cos(a) - u * math.sin(a)
        dark = 1 / (1 + np.exp(-np.clip((along - off + bend * across**2) / soft * 4, -30, 30)))
        picture = picture * (1 - rng.uniform(0.2, 0.75) * dark)[..., None]
    if rng.random() < 0.15:  # a lamp in the varnish
        x, y, wide = *rng.uniform(-1.5, 1.5, 2), rng.uniform(0.15, 1.0)
        spot = np.exp(-0.5 * (((u - x) / wide) ** 2 + ((v - y) / (wide * rng.uniform(0.4, 2))) ** 2))
        picture = picture + rng.uniform(0.1, 0.8) * spot[..., None]
    if rng.random() < 0.12:
        picture = _fingers(rng, picture, 1.25 if disc else 0.0)
    return picture


def _fingers(rng: np.random.Generator, picture: Float, clear: float) -> Float:
    """One to four fingers or sleeves over the picture (N, N, 3), none within ``clear`` radii of its middle."""
    n = len(picture)
    unit = n / (2 * HALF_RADII)
    mask = np.zeros((n, n), np.uint8)
    a = rng.uniform(0, 2 * np.pi)
    wide = rng.uniform(0.35, 1.1)
    for k in range(int(rng.integers(1, 5))):
        side = (k - 1) * wide * 1.05
        inner = (clear + wide / 2 if clear else rng.uniform(-1.2, 1.5)) + rng.uniform(0, 0.3)
        way, across = np.array([math.cos(a), math.sin(a)]), np.array([-math.sin(a), math.cos(a)])
        ends = [np.round(n / 2 + unit * (r * way + side * across)).astype(int).tolist() for r in (inner, 4.0)]
        cv2.line(mask, *ends, 255, max(1, round(wide * unit)), cv2.LINE_AA)
    cover = (mask / 255.0)[..., None]
    shape = cv2.GaussianBlur(mask / 255.0, (0, 0), wide * unit / 3)[..., None]
    skin = np.array([0.45, 0.55, 0.8]) * rng.uniform(0.25, 1.1) if rng.random() < 0.7 else any_colour(rng)
    shade = cv2.GaussianBlur(np.roll(mask, tuple(rng.integers(-8, 9, 2)), (0, 1)) / 255.0, (0, 0), 4)[..., None]
    picture = picture * (1 - rng.uniform(0, 0.6) * shade)
    return np.asarray(picture + cover * (skin * (0.5 + 0.7 * shape) - picture))


def drawn_places(seed: int, count: int) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.int64]]:
    """``count`` patches (N, PATCH, PATCH, 3), tangents (N,) and kinds (N,): every third one shows a disc."""
    rng = np.random.default_rng([41, seed])
    kinds = np.array([int(i % 3 == 0) for i in range(count)])
    patches, tangents = zip(*(draw(rng, bool(k)) for k in kinds), strict=True)
    return np.stack(patches), np.array(tangents, np.float32), kinds

"""Dice and dodecas as solids for the path tracer, and how they lie: touching exactly, leaning against one another.

Lengths are in edges of a die (dodecas: inner diameters), as in ``training.dice_render``, until :func:`solid` makes mm
of them.
"""

import math
from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from training import traced_world as world
from training.dice_bodies import dodeca_look, near, random_die, random_dodeca, random_style, rotation
from training.dice_render import NORMALS, Die, Style, faces_of, paint_pips

Array = NDArray[np.float64]

MM = 16.0
"""Millimetres an edge."""
GRID = 64
"""Squares along each of the six sides of a body's mesh: about one a pixel."""
CUBE = np.vstack([np.eye(3), -np.eye(3)])
DENT = 0.06
"""Depth, in half edges, of the deepest pips."""
GLOSS = 2.2
"""Exponent from the drawn world's colours, which are a screen's, to light."""
TRIES = 40


def directions() -> tuple[Array, NDArray[np.int64]]:
    """Directions (V, 3) all around, by a grid on the six sides of a cube, and its squares (F, 4)."""
    u, v = np.meshgrid(*[np.tan(np.linspace(-np.pi / 4, np.pi / 4, GRID + 1))] * 2, indexing="ij")
    side = np.stack([u, v, np.ones_like(u)], axis=-1).reshape(-1, 3)
    points = np.concatenate([np.roll(side * (1, 1, s), k, axis=1) for k in range(3) for s in (1, -1)])
    i, j = np.meshgrid(np.arange(GRID), np.arange(GRID), indexing="ij")
    at = (i * (GRID + 1) + j).ravel()
    square = np.stack([at, at + GRID + 1, at + GRID + 2, at + 1], axis=1)
    flipped = square[:, ::-1]
    squares = np.concatenate([(square if k % 2 == 0 else flipped) + k * len(side) for k in range(6)])
    return points / np.linalg.norm(points, axis=1, keepdims=True), squares


def body_points(normals: Array, bevel: float, ball: float) -> tuple[Array, NDArray[np.int64]]:
    """Surface (V, 3) of a solid of inner radius 1 with rounded edges, within a ball, and its squares.

    The radius along a direction is that of the faces' planes in a p-norm, which rounds edges as ``bevel``, the radius
    of a rolling edge, would: both cut as much off an edge.
    """
    way, squares = directions()
    cosines = normals @ normals.T
    half = math.acos(float(np.sort(cosines, axis=1)[0, -2])) / 2
    cut = bevel * (1 - math.cos(half))
    power = max(4.0, -math.log(2) / math.log(max(1e-3, 1 - cut)))
    slopes = np.maximum(way @ normals.T, 1e-9)
    most = slopes.max(axis=1, keepdims=True)
    radius = 1 / (most[:, 0] * ((slopes / most) ** power).sum(axis=1) ** (1 / power))
    return way * np.minimum(radius, ball)[:, None], squares


def solid(rng: np.random.Generator, die: Die) -> world.Thing:
    """A die as a solid with painted pips or spots, in its place."""
    s = die.style
    normals = CUBE if die.spots is None else NORMALS.astype(np.float64)
    points, squares = body_points(normals, s.bevel, s.ball if die.spots is None else 9.0)
    soft = 2.0 / GRID
    if die.spots is None:
        face, uv = faces_of(points.astype(np.float32))
        cover, colour, _ = paint_pips(die, face, uv, soft)
        points = points * (1 - DENT * s.dent * cover[:, None] * (cover[:, None] > 0.5))
    else:
        face = (points @ normals.T).argmax(axis=1)
        away = np.linalg.norm(points - normals[face], axis=1)
        cover, colour = np.clip((s.radius - away) / soft + 0.5, 0, 1), die.spots[face]
    body = np.broadcast_to(s.body, colour.shape).astype(np.float64)
    if s.swirl is not None or s.rough > 0:
        waves = np.stack(
            [np.sin(points @ rng.normal(0, 4, 3) + 3 * np.sin(points @ rng.normal(0, 3, 3))) for _ in "ab"]
        )
        if s.swirl is not None:
            share = np.clip(0.5 + waves[0], 0, 1)[:, None]
            body = body * (1 - share) + s.swirl * share
        body = body * (1 + 0.5 * s.rough * waves[1])[:, None]
    seen = body * (1 - cover[:, None]) + colour * cover[:, None]
    rgba = np.ones((len(points), 4), np.float32)
    rgba[:, :3] = np.clip(seen[:, ::-1] / 255, 0.01, 0.95) ** GLOSS
    rgba[:, 3] = (1 - cover) * s.clear
    thing = world.meshed("die", points * (die.half * MM * world.UNIT), squares)
    tint = thing.data.color_attributes.new("tint", "FLOAT_COLOR", "POINT")
    tint.data.foreach_set("color", rgba.ravel())
    world.dress(thing, _plastic(s))
    world.place(thing, die.centre.astype(np.float64) * MM, die.R.astype(np.float64))
    return thing


def _plastic(s: Style) -> world.Material:
    """Plastic of the colours that the mesh bears, clear where its alpha says so."""
    made = world.material("plastic", np.ones(3, np.float32), 0.55 - 0.45 * s.gloss, 0.3 * s.gloss)
    tree = made.node_tree
    look = tree.nodes.new("ShaderNodeVertexColor")
    look.layer_name = "tint"
    shade = tree.nodes["Principled BSDF"]
    tree.links.new(look.outputs["Color"], shade.inputs["Base Color"])
    if s.clear > 0:
        tree.links.new(look.outputs["Alpha"], shade.inputs["Transmission Weight"])
    return made


def _shape(die: Die) -> tuple[Array, Array]:
    """Outward normals (F, 3) and corners (V, 3) about its middle of a die, sharp, in the world."""
    if die.spots is None:
        corners = np.stack(np.meshgrid(*[[-1.0, 1.0]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        local = CUBE
    else:
        local = NORMALS.astype(np.float64)
        triples = np.array([(a, b, c) for a in range(12) for b in range(a) for c in range(b)])
        sums = local[triples].sum(axis=1)
        near_ones = sums[np.linalg.norm(sums, axis=1) > 2.3]  # three faces that meet: their sum is 2.38 long
        corners = near_ones / (near_ones @ local.T).max(axis=1, keepdims=True)
    R = die.R.astype(np.float64)
    return local @ R.T, corners @ R.T * die.half


def apart(a: Die, b: Die, way: Array, rise: float) -> float:
    """Distance along ``way`` (3,), unit and level, at which ``b``, its middle ``rise`` above that of ``a``, touches it.

    By separating axes: the normals of both and the cross products of their edges, which for these solids have the
    directions of differences of adjoining normals.
    """
    (na, ca), (nb, cb) = _shape(a), _shape(b)
    ea, eb = _edges(na), _edges(nb)
    crossed = np.cross(ea[:, None], eb[None]).reshape(-1, 3)
    crossed = crossed[np.linalg.norm(crossed, axis=1) > 1e-6]
    axes = np.concatenate([na, nb, crossed, -crossed])
    axes = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    reach = (axes @ ca.T).max(axis=1) + (-axes @ cb.T).max(axis=1)
    along = axes @ way
    use = along > 1e-6
    return float(((reach - rise * axes[:, 2])[use] / along[use]).min())


def _edges(normals: Array) -> Array:
    """Directions (E, 3) of a solid's edges: where two adjoining faces meet."""
    cosines = normals @ normals.T
    level = np.sort(cosines, axis=1)[0, -2]
    a, b = np.nonzero(np.triu(np.abs(cosines - level) < 1e-3, 1))
    return np.cross(normals[a], normals[b])


def leaned(rng: np.random.Generator, die: Die, way: Array) -> Die:
    """The die tipped over a lower edge by 10 to 42 degrees, towards ``way`` (2,) or away from it, on the table."""
    sides = np.stack([die.R[:2, 0], -die.R[:2, 0], die.R[:2, 1], -die.R[:2, 1]])
    side = sides[int((sides @ way).argmax())] * (1 if rng.random() < 0.7 else -1)
    axis = np.cross([*side, 0.0], [0, 0, 1.0]) + rng.normal(0, 0.1, 3)
    turned = rotation(np.asarray(-axis, np.float32), math.radians(rng.uniform(10, 42))) @ die.R
    tipped = replace(die, R=np.asarray(turned, np.float32), cocked=True)
    low = float(_shape(tipped)[1][:, 2].min())
    return replace(tipped, centre=np.array([*die.centre[:2], -low], np.float32))


def clear_of(die: Die, others: list[Die]) -> bool:
    """Whether a die cuts into none of the others."""
    for other in others:
        off = die.centre.astype(np.float64) - other.centre
        level = float(np.hypot(*off[:2]))
        if level > 2.6 * max(die.half, other.half):
            continue
        way = np.array([off[0] / max(level, 1e-6), off[1] / max(level, 1e-6), 0.0])
        if level < apart(other, die, way, float(off[2])) - 1e-4:
            return False
    return True


def heap(rng: np.random.Generator, dodecas: bool) -> list[Die]:
    """Dice or dodecas about the origin, many of them touching, some dice leaning; about an edge apart at most."""
    if dodecas:
        bodies, spots, like = dodeca_look(rng)
        like = replace(
            like, gloss=float(rng.choice([0.1, rng.uniform(0.1, 1.0)])), bevel=float(rng.uniform(0.03, 0.25))
        )
        kinds = list(rng.permutation([0, 0, 0, 1, 1, 1, 2, 2, 2]))[: int(rng.choice([9, 9, 9, 6, 3]))]
        styles = [like] * len(kinds)
    else:
        some = [random_style(rng) for _ in range(int(rng.choice([1, 1, 2, 3])))]
        kinds = [0] * int(rng.choice([2, 4, 5, 5, 5, 6, 8]))
        styles = [some[int(rng.integers(len(some)))] for _ in kinds]
        if rng.random() < 0.25:  # translucent ones, coloured and pale
            styles = [
                replace(s, clear=float(rng.uniform(0.2, 0.95)), pip=near(rng, (240, 240, 240), 8)) for s in styles
            ]
    spread, close, leans = rng.uniform(1.2, 3.5), rng.uniform(0.3, 0.95), rng.random() < 0.6 and not dodecas
    dice: list[Die] = []
    for kind, style in zip(kinds, styles, strict=True):
        for _ in range(TRIES):
            yaw, a = rng.uniform(0, 2 * np.pi, 2)
            xy = np.asarray(rng.normal(0, spread, 2), np.float32)
            one = (
                random_dodeca(rng, int(kind), bodies, spots, xy, 0.5, style)
                if dodecas
                else random_die(rng, style, xy, float(yaw), 0.5)
            )
            if dice and rng.random() < close:
                by = dice[int(rng.integers(len(dice)))]
                if not dodecas and rng.random() < 0.4:  # in a row
                    one = replace(one, R=rotation(np.array([0, 0, 1.0]), float(np.arctan2(by.R[1, 0], by.R[0, 0]))))
                    a = np.arctan2(by.R[1, 0], by.R[0, 0]) + np.pi / 2 * rng.integers(4) + rng.normal(0, 0.1)
                way = np.array([math.cos(a), math.sin(a), 0.0])
                if leans and not by.cocked and rng.random() < 0.5:
                    one = leaned(rng, one, -way[:2])
                gap = apart(by, one, way, float(one.centre[2] - by.centre[2])) + 0.002
                gap += 0.0 if one.cocked or rng.random() < 0.7 else rng.exponential(0.1)
                one = replace(one, centre=np.array([*(by.centre[:2] + gap * way[:2]), one.centre[2]], np.float32))
            if clear_of(one, dice):
                dice.append(one)
                break
    return dice


def in_view(die: Die, thing: world.Thing, eye: Array, places: Array) -> NDArray[np.bool_]:
    """Which places (N, 3) in mm on a die a camera at ``eye`` (3,) sees, nothing standing before them."""
    scene, graph = bpy.context.scene, bpy.context.evaluated_depsgraph_get()
    seen = []
    for place in places:
        way = (place - eye) / np.linalg.norm(place - eye)
        hit, at, _, _, what, _ = scene.ray_cast(graph, (eye * world.UNIT).tolist(), way.tolist())
        far = np.linalg.norm(np.array(at) / world.UNIT - eye) - np.linalg.norm(place - eye)
        seen.append(bool(hit) and what is not None and what.name == thing.name and abs(far) < 0.2 * die.half * MM)
    return np.array(seen)

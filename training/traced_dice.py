"""Dice and dodecas as solids for the path tracer, in mm; where they lie, ``training.dice_heaps`` says."""

import math

import bpy
import numpy as np
from numpy.typing import NDArray

from training import traced_world as world
from training.dice_heaps import CUBE
from training.dice_render import NORMALS, Die, Style, faces_of, paint_pips

Array = NDArray[np.float64]

MM = 16.0
"""Millimetres an edge."""
GRID = 64
"""Squares along each of the six sides of a body's mesh: about one a pixel."""
DENT = 0.06
"""Depth, in half edges, of the deepest pips."""
GLOSS = 2.2
"""Exponent from the drawn world's colours, which are a screen's, to light."""


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

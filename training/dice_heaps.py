"""How dice and dodecas lie in heaps: touching exactly, none within another, some dice leaning on their neighbours.

Lengths are in edges of a die (dodecas: inner diameters), as in ``training.dice_render``.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from training.dice_bodies import dodeca_look, near, random_die, random_dodeca, random_style, rotation
from training.dice_render import NORMALS, Die

Array = NDArray[np.float64]

CUBE = np.vstack([np.eye(3), -np.eye(3)])
"""Outward normals (6, 3) of a die's faces."""
TRIES = 40
"""Places tried for a die before it is left out."""


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

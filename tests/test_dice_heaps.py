"""Heaps of dice for the tracer: they touch exactly, cut into each other nowhere, and lean as they say."""

import math

import numpy as np
import pytest

from training.dice_bodies import rotation
from training.dice_heaps import CUBE, apart, clear_of, heap, leaned
from training.dice_render import NORMALS, Die, Style

WHITE = np.full(3, 200, np.float32)
STYLE = Style(WHITE, WHITE, WHITE, WHITE)
X = np.array([1.0, 0, 0])


def cube(yaw: float = 0.0, x: float = 0.0) -> Die:
    turn = rotation(np.array([0, 0, 1.0]), yaw)
    return Die(turn, np.array([x, 0, 0.5], np.float32), 0.5, STYLE, (1, 2, 3, 4, 5, 6))


def inside(points: np.ndarray, die: Die) -> np.ndarray:
    """Which points (N, 3) lie within a sharp die."""
    normals = CUBE if die.spots is None else NORMALS
    local = (points - die.centre) @ die.R
    return np.asarray((local @ normals.T).max(axis=1) < die.half * 0.999)


def test_cubes_touch_face_to_face_and_edge_to_face() -> None:
    assert apart(cube(), cube(), X, 0.0) == pytest.approx(1.0)
    assert apart(cube(), cube(math.pi / 4), X, 0.0) == pytest.approx(0.5 + math.sqrt(0.5))
    assert apart(cube(), cube(), X, 0.7) == pytest.approx(1.0)
    assert not clear_of(cube(x=0.99), [cube()]) and clear_of(cube(x=1.01), [cube()])


def test_leaning_dice_rest_on_the_table() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        die = leaned(rng, cube(float(rng.uniform(0, 6))), np.array([1.0, 0.0]))
        corners = (np.stack(np.meshgrid(*[[-0.5, 0.5]] * 3), -1).reshape(-1, 3)) @ die.R.T + die.centre
        assert die.cocked and corners[:, 2].min() == pytest.approx(0, abs=1e-5)
        tilt = math.degrees(math.acos(np.abs(die.R[2]).max()))
        assert 5 < tilt < 45


@pytest.mark.parametrize("dodecas", [False, True])
def test_heaps_hold_solids_that_dont_overlap(dodecas: bool) -> None:
    rng = np.random.default_rng(7)
    spread = rng.uniform(-0.6, 0.6, (4000, 3))
    close = 0
    for _ in range(6):
        dice = heap(rng, dodecas)
        for i, one in enumerate(dice):
            points = spread + one.centre
            mine = points[inside(points, one)]
            for other in dice[:i]:
                assert not inside(mine, other).any()
                way = (one.centre - other.centre) * (1, 1, 0)
                gap = np.linalg.norm(way) - apart(
                    other, one, way / np.linalg.norm(way), one.centre[2] - other.centre[2]
                )
                close += bool(0 <= gap < 0.01)
    assert close > 5  # and many of them touch

"""Which dice lean, from where their feet appear: dice whose axes are known, seen by cameras that are known."""

import numpy as np
import pytest

from vision.dice_lean import FLAT_SIGMA, expected, leaning, proposed

SIZE = (1920, 1080)


def seen(tilt_deg: float, focal: float, leans_deg: list[float], seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Feet (N, 2) in edges and tops (N, 2) in pixels of dice on a table, each leaning by so much in a random way."""
    rng = np.random.default_rng(seed)
    tilt = np.radians(tilt_deg)
    up, right = np.array([0, -np.sin(tilt), -np.cos(tilt)]), np.array([1.0, 0, 0])
    ahead = np.cross(up, right)
    feet, tops = [], []
    for lean in leans_deg:
        top = np.array([0, 0, 20.0]) + rng.uniform(-4, 4) * right + rng.uniform(-3, 3) * ahead
        way = rng.uniform(0, 2 * np.pi)
        side = np.cos(way) * right + np.sin(way) * ahead
        axis = np.cos(np.radians(lean)) * up + np.sin(np.radians(lean)) * side
        foot = top - axis
        a, b = focal * top[:2] / top[2], focal * foot[:2] / foot[2]
        feet.append((b - a) / (focal / top[2]) + rng.normal(0, 0.03, 2))
        tops.append(a + np.array(SIZE) / 2)
    return np.array(feet), np.array(tops)


@pytest.mark.parametrize("tilt", [0.0, 20.0, 45.0])
@pytest.mark.parametrize("focal", [1500.0, 4000.0])
def test_the_one_that_leans_is_found(tilt: float, focal: float) -> None:
    leans = [0.0, 0.0, 35.0, 0.0, 0.0]
    for seed in range(6):
        feet, tops = seen(tilt, focal, leans, seed)
        told = leaning(feet, tops, np.full(5, 0.1), *SIZE) > 0.5
        assert told.tolist() == [lean > 0 for lean in leans]


def test_where_all_lie_flat_none_leans() -> None:
    for seed in range(8):
        feet, tops = seen(35.0, 1700.0, [0.0] * 6, seed)
        assert (leaning(feet, tops, np.full(6, 0.1), *SIZE) < 0.5).all()


def test_a_lone_die_is_left_to_the_reader() -> None:
    feet, tops = seen(30.0, 1700.0, [0.0])
    assert leaning(feet, tops, np.array([0.7]), *SIZE).tolist() == [0.7]
    assert leaning(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0), *SIZE).shape == (0,)


def test_of_two_the_reader_says_which() -> None:
    feet, tops = seen(30.0, 1700.0, [0.0, 28.0], 1)
    told = leaning(feet, tops, np.array([0.05, 0.6]), *SIZE)
    assert told[0] < 0.5 < told[1]


def test_expected_undoes_proposed() -> None:
    feet, tops = seen(40.0, 1700.0, [0.0, 0.0, 0.0])
    place = (tops - np.array(SIZE) / 2) / 1700.0
    axes = proposed(feet, place)
    again = expected(axes, place)
    assert np.allclose(again[np.arange(3), np.arange(3)], feet, atol=0.02)
    assert np.abs(axes - axes.mean(axis=0)).max() < 2 * FLAT_SIGMA

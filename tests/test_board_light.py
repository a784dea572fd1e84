"""Light and shade on the board: faces of one side stay of one colour, and an even board is left as it is."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.board_light import UNEVEN, light_at
from vision.disc_canonical import PX_PER_MM, SIZE, CanonicalFrame
from vision.disc_colours import lab_of, sides_of

FRAME = CanonicalFrame(0.0, 1.0, (0.0, -400.0), 1000.0)
RADIUS = 10.0
WOOD, RING, DARK, PALE = (120, 180, 215), (150, 90, 60), (40, 60, 85), (140, 200, 235)


def board(shade: float) -> tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.intp]]:
    """A wooden board with a filled ring and twelve discs of two sides, its left half in shade; places and sides."""
    middle = SIZE // 2
    picture = np.full((SIZE, SIZE, 3), WOOD, np.uint8)
    cv2.circle(picture, (middle, middle), round(205 * PX_PER_MM), RING, -1)
    cv2.circle(picture, (middle, middle), round(101 * PX_PER_MM), WOOD, -1)
    turns = np.arange(12) * (2 * np.pi / 12) + 0.2
    away = np.where(np.arange(12) % 3 == 0, 150, 255) * PX_PER_MM
    places = middle + np.column_stack([away * np.cos(turns), away * np.sin(turns)])
    side = np.arange(12) // 2 % 2
    for (x, y), s in zip(places, side, strict=True):
        cv2.circle(picture, (round(x), round(y)), round(RADIUS), (DARK, PALE)[s], -1)
    light = np.where(np.arange(SIZE) < middle, shade, 1.0)[None, :, None]
    return np.asarray(picture * light, dtype=np.uint8), places, side


def faces(picture: NDArray[np.uint8], places: NDArray[np.float64]) -> NDArray[np.float64]:
    return lab_of(np.array([picture[round(y), round(x)] for x, y in places]))


@pytest.mark.parametrize("shade", [0.25, 0.4])
def test_sides_are_the_same_in_the_shade(shade: float) -> None:
    picture, places, side = board(shade)
    light = light_at(picture, FRAME, places, RADIUS)
    assert light.range(np.ones(len(places), dtype=bool)) > UNEVEN
    group, unsure = sides_of(light.evened(faces(picture, places)), np.ones(len(places)), np.ones(len(places)))
    assert not unsure.any()
    assert list(group == group[0]) == list(side == side[0])


def test_even_light_on_painted_rings_is_even() -> None:
    picture, places, _ = board(1.0)
    light = light_at(picture, FRAME, places, RADIUS)
    assert light.range(np.ones(len(places), dtype=bool)) < UNEVEN / 4
    assert np.abs(light.ratios).max() < 0.02


def test_one_disc_and_none() -> None:
    picture, places, _ = board(0.4)
    assert light_at(picture, FRAME, places[:1], RADIUS).range(np.ones(1, dtype=bool)) == 0.0
    none = light_at(picture, FRAME, np.zeros((0, 2)), RADIUS)
    assert none.ratios.shape == (0, 3) and none.range(np.zeros(0, dtype=bool)) == 0.0

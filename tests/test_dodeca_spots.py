"""Which spot is on top: drawn ellipses whose middles and shapes are known."""

import cv2
import numpy as np
import pytest

from vision.dice_nets import Found
from vision.dodeca_spots import settled, spots_near

ACROSS = 80.0
RED, BLUE = (40, 40, 200), (190, 80, 30)


def dodeca(picture: np.ndarray, x: int, y: int, squeeze: float) -> None:
    """A grey body with a top spot foreshortened along y, and below it the spot of a side face, which is round."""
    cv2.circle(picture, (x, y + 12), 44, (120, 120, 122), -1)
    cv2.ellipse(picture, (x, y), (16, round(16 * squeeze)), 0, 0, 360, RED, -1)
    cv2.circle(picture, (x + 4, y + 34), 15, BLUE, -1)


def table(squeeze: float = 0.7) -> np.ndarray:
    picture = np.full((300, 620, 3), 70, np.uint8)
    for x in (90, 240, 390, 540):
        dodeca(picture, x, 130, squeeze)
    return picture


def test_spots_have_their_middle_and_their_shape() -> None:
    spots = spots_near(table(), Found(90, 132, ACROSS, 0.9))
    top = min(spots, key=lambda s: s.y)
    assert (top.x, top.y) == pytest.approx((90, 130), abs=0.6)
    squeezed = (1 - 0.7**2) / (1 + 0.7**2)
    assert top.shape == pytest.approx((squeezed, 0.0), abs=0.06)


def test_a_find_on_a_side_is_moved_to_the_spot_on_top() -> None:
    finds = [Found(x, 131, ACROSS, 0.9) for x in (90, 240, 390)] + [Found(543, 152, ACROSS, 0.8)]
    moved = settled(table(), finds)
    assert [(f.x, f.y) for f in moved] == [pytest.approx((x, 130), abs=0.6) for x in (90, 240, 390, 540)]


def test_a_spot_that_fits_nothing_is_less_likely() -> None:
    picture = table()
    cv2.ellipse(picture, (300, 260), (8, 20), 30, 0, 360, RED, -1)
    finds = [Found(x, 131, ACROSS, 0.9) for x in (90, 240, 390, 540)] + [Found(300, 260, ACROSS, 0.9)]
    chances = [f.chance for f in settled(picture, finds)]
    assert min(chances[:4]) > 0.85 and chances[4] < 0.6


def test_few_finds_and_plain_ground_are_left_alone() -> None:
    finds = [Found(90, 150, ACROSS, 0.9), Found(240, 131, ACROSS, 0.9)]
    assert settled(table(), finds) == finds
    assert spots_near(np.full((60, 60, 3), 90, np.uint8), Found(30, 30, 40, 0.9)) == []
    assert spots_near(np.full((60, 60, 3), 90, np.uint8), Found(200, 200, 10, 0.9)) == []

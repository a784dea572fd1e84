"""What faces show of their sides: under stickers, gloss and shadows, and how sure a side then is."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.views import view_from_above
from vision.disc_canonical import PX_PER_MM, SIZE, frame_of
from vision.disc_colours import LAB_WEIGHTS, colour_chances, lab_of, sides_of
from vision.disc_faces import Faces, faces_of
from vision.disc_looks import Looks
from vision.disc_net import Candidate

VIEW = view_from_above(1280, 720, focal=2400.0, away=2400.0)
WOOD, BLACK, WHITE, BLUE = (120, 160, 190), (40, 36, 34), (225, 226, 228), (160, 70, 50)
"""Paint, BGR."""
RADIUS_MM = 15.9
PLACES = ((150, 150), (360, 150), (150, 360), (360, 360))
"""Of discs in canonical pixels."""


def painted(faces: list[tuple[int, int, int]]) -> tuple[NDArray[np.uint8], int]:
    """The canonical picture of discs of these colours, and their radius in it."""
    radius = round(RADIUS_MM / 304.8 * frame_of(VIEW).shooting * PX_PER_MM)
    picture = np.full((SIZE, SIZE, 3), WOOD, np.uint8)
    for at, colour in zip(PLACES, faces, strict=True):
        cv2.circle(picture, at, radius, colour, -1)
    return picture, radius


def faces_in(picture: NDArray[np.uint8]) -> Faces:
    """The four faces at the places."""
    candidates = [Candidate((float(x), float(y)), 10.0, (1.0, 0.0, 0.0, 0.0)) for x, y in PLACES]
    looks = Looks(VIEW, frame_of(VIEW), picture, picture, (), (), np.zeros((0, 2)), (RADIUS_MM, 0.1))
    return faces_of(looks, candidates, ["board"] * 4, np.zeros(4))


def far(lab: NDArray[np.float64], colour: tuple[int, int, int]) -> float:
    """How far (weighted Lab) from a paint."""
    return float(np.linalg.norm((lab - lab_of(np.array([colour], np.uint8))[0]) * LAB_WEIGHTS))


@pytest.mark.parametrize("reach", [0.4, 0.6, 0.7])
def test_a_sticker_does_not_colour_its_disc(reach: float) -> None:
    picture, radius = painted([BLUE, BLUE, WHITE, WHITE])
    cv2.circle(picture, PLACES[0], round(reach * radius), WHITE, -1)
    assert far(faces_in(picture).lab[0], BLUE) < 6


@pytest.mark.parametrize(("over", "disc"), [((250, 252, 254), BLACK), ((20, 22, 24), WHITE)])
def test_gloss_or_a_shadow_over_more_than_half_of_a_face_does_not_colour_it(
    over: tuple[int, int, int], disc: tuple[int, int, int]
) -> None:
    picture, radius = painted([disc, disc, BLUE, BLUE])
    x, y = PLACES[0]
    face = picture[y - radius : y + radius + 1, x - radius : x + radius + 1]
    face[:, round(0.85 * radius) :] = over
    assert far(faces_in(picture).lab[0], disc) < 6


def test_a_disc_like_no_other_keeps_the_colour_of_most_of_its_face() -> None:
    picture, radius = painted([BLUE, WHITE, WHITE, WHITE])
    x, y = PLACES[0]
    picture[y - radius : y + radius + 1, x + radius // 2 : x + radius + 1] = (20, 22, 24)
    assert far(faces_in(picture).lab[0], BLUE) < 6


def test_a_face_of_a_small_side_is_compared_with_the_others_of_it() -> None:
    """Two of three alike, one nearer to another side than they are: its side is open, theirs are not."""
    lab = np.array([[84.0, 2, -3], [85.0, 2, -3], [66.0, 10, -4], [47.0, 20, -4], [46.0, 20, -4], [48.0, 20, -4]])
    own = np.array([0, 0, 0, 1, 1, 1])
    middles = np.array([np.median(lab[own == k], axis=0) for k in (0, 1)])
    sure = colour_chances(lab, middles, own)[1].max(axis=1)
    assert sure[2] < 0.98 and sure[[0, 1, 3, 4, 5]].min() > 0.99


@pytest.mark.parametrize(("lone", "sure"), [((56.0, 24.0, -44.0), False), ((48.0, -31.0, 17.0), True)])
def test_a_third_side_of_one_disc_is_doubted_where_gloss_on_another_side_looks_like_it(
    lone: tuple[float, float, float], sure: bool
) -> None:
    lab = np.array([[47.0, 43, -73]] * 5 + [[92.0, 3, -2]] * 4 + [lone])
    own = np.array([0] * 5 + [1] * 4 + [2])
    group, chances = colour_chances(lab, np.array([lab[0], lab[5], lab[9]]), own)
    assert bool(chances[9].max() > 0.98) is sure
    assert not sure or group[9] == 2
    assert (group[:9] == own[:9]).all()


def test_two_pairs_of_like_faces_are_two_sides_sooner_than_one_face_apart() -> None:
    light, dark = [54.0, -27.0, 17.0], [40.0, -27.0, 20.0]
    for count, sides in ((3, 2), (1, 1)):
        lab = np.array([light] * 5 + [dark] * count)
        group, unsure = sides_of(lab, np.ones(len(lab)), np.ones(len(lab)))
        assert len(set(group)) == sides and unsure.all() == (sides == 2)


@pytest.mark.parametrize(("light", "dim"), [(1.0, False), (0.3, False), (0.08, True)])
def test_faces_in_the_dark_show_no_colour(light: float, dim: bool) -> None:
    picture, _ = painted([BLACK, BLACK, BLACK, BLACK])
    assert (faces_in((picture * light).astype(np.uint8)).dim == dim).all()

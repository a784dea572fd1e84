"""A layout of pips within a rim speaks for a die that the networks doubt; printed pips and single spots don't."""

import math

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from training.dice_data import draw
from training.dice_render import LAYOUTS
from vision.dice import BARE, FOOT, NOTHING, Look, face_shown, without_doubles
from vision.dice_edges import rim_contrast
from vision.dice_nets import Found, find_more
from vision.dice_pips import FLATTENED, foreshortened
from vision.networks import network

EDGE, MIDDLE = 60.0, 100.0
TABLE, BODY, PIP = (60, 90, 70), (40, 40, 190), (235, 235, 235)


def face(value: int, body: float = EDGE, turn: float = 20.0, flat: float = 1.0) -> NDArray[np.uint8]:
    """A face of ``value`` with its pips as on an edge of EDGE, on a body of ``body`` pixels, on a table."""
    side = int(2 * MIDDLE)
    picture = np.full((side, side, 3), TABLE, np.uint8)
    a, b = round(MIDDLE - body / 2), round(MIDDLE + body / 2)
    cv2.rectangle(picture, (a, a), (b, b), BODY, -1)
    for x, y in LAYOUTS[value]:
        at = round(MIDDLE + x * 0.25 * EDGE), round(MIDDLE + y * 0.25 * EDGE)
        cv2.circle(picture, at, round(0.09 * EDGE), PIP, -1, cv2.LINE_AA)
    M = cv2.getRotationMatrix2D((MIDDLE, MIDDLE), turn, 1.0)
    M[1] = flat * M[1] + (0, 0, (1 - flat) * MIDDLE)
    return np.asarray(cv2.warpAffine(picture, M, (side, side), borderValue=TABLE), np.uint8)


def outputs(value: int) -> NDArray[np.float64]:
    """What a reader says that takes a find for no top face, but would call it ``value``, seen from above."""
    out = np.zeros(14)
    out[value], out[NOTHING] = 4.0, 5.0
    out[FOOT] = 0.0
    return out


def found(edge: float = EDGE) -> Found:
    return Found(MIDDLE, MIDDLE, edge, 0.5)


@pytest.mark.parametrize("value", range(2, 7))
@pytest.mark.parametrize("turn", [0.0, 33.0])
def test_pips_within_a_rim_show_a_face(value: int, turn: float) -> None:
    shown = face_shown(face(value, turn=turn), found(), outputs(value))
    assert shown.value == value
    assert shown.share > 0.5


def test_a_face_of_which_the_size_is_doubtful_shows_still() -> None:
    for edge in (0.92 * EDGE, 1.15 * EDGE):
        assert face_shown(face(4), found(edge), outputs(4)).share > 0.3


def test_what_only_looks_like_a_face_shows_nothing() -> None:
    assert face_shown(face(5, body=3 * EDGE), found(), outputs(5)) == BARE  # a card goes on around its pips
    assert face_shown(face(1), found(), outputs(1)) == BARE  # round spots are everywhere
    assert face_shown(face(5), found(), outputs(2)) == BARE  # the reader says another value
    plain = np.full((200, 200, 3), TABLE, np.uint8)
    assert face_shown(plain, found(), outputs(5)) == BARE


def test_rims_are_those_of_all_four_sides() -> None:
    whole = face(3, turn=0.0)
    open_to_one_side = whole.copy()
    open_to_one_side[70:131, 100:] = BODY
    assert rim_contrast(whole, MIDDLE, MIDDLE, EDGE, 1.0) > 3
    assert rim_contrast(open_to_one_side, MIDDLE, MIDDLE, EDGE, 1.0) < 1
    tilted = face(3, turn=30.0, flat=0.7)
    assert rim_contrast(tilted, MIDDLE, MIDDLE, EDGE, 0.7) > 3


def test_faces_are_tried_about_as_flat_as_they_are_seen() -> None:
    for flat in (1.0, 0.8, 0.65, 0.4):
        tried = FLATTENED[foreshortened(flat)]
        assert len(tried) == 2
        assert min(FLATTENED, key=lambda f: abs(f - flat)) in tried


def test_a_side_that_bears_pips_is_no_die_beside_its_top() -> None:
    shares = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    top = Look(100.0, 100.0, 50.0, 4.0, shares, 0.0, (0.0, 0.5), 4.0)
    side = Look(100.0, 140.0, 45.0, 2.0, shares, 0.0, (0.0, 0.0), -2.0)
    apart = Look(300.0, 140.0, 45.0, 2.0, shares, 0.0, (0.0, 0.0), -2.0)
    assert without_doubles([side, top, apart]) == [top, apart]


def test_further_sizes_see_large_dice_at_their_places() -> None:
    sure = total = 0
    for seed in range(12):
        picture, truth = draw(np.random.default_rng(seed), False, n=352)
        large = cv2.resize(picture, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
        more = find_more(network("dice_find"), np.asarray(large, np.uint8))
        for x, y, edge in 2 * truth[(truth[:, 5] > 0.95) & (truth[:, 2] > 60)][:, :3]:
            near = [f for f in more if math.dist((f.x, f.y), (x, y)) < 0.25 * edge]
            sure += any(0.7 < f.edge / edge < 1.4 for f in near)
            total += 1
    assert total > 5
    assert sure >= 0.6 * total, (sure, total)

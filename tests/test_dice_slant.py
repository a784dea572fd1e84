"""How faces are slanted is told by their pips, and tells which dice lean."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from training.dice_render import LAYOUTS
from vision.dice_lean import expected, leaning
from vision.dice_slant import Slant, face_slant, slants

EDGE, MIDDLE = 60.0, 80.0
LARGE = 8
"""Faces are drawn so many times as large as they are shown."""
TABLE, BODY, PIP = (60, 90, 70), (40, 40, 190), (235, 235, 235)
OVERHEAD = np.zeros(2)
FEET = [(0.0, 0.0), (0.1, 0.6), (-0.55, 0.45)]


def shown(value: int, foot: tuple[float, float], turn: float) -> NDArray[np.uint8]:
    """A face of ``value`` from afar, turned in its plane by ``turn`` degrees, then tilted: its foot is at ``foot``."""
    side = int(2 * MIDDLE)
    large = np.full((LARGE * 100, LARGE * 100, 3), TABLE, np.uint8)
    half, middle = LARGE * EDGE / 2, LARGE * 50
    a, b = round(middle - half), round(middle + half)
    cv2.rectangle(large, (a, a), (b, b), BODY, -1)
    for x, y in LAYOUTS[value]:
        at = round(middle + x * 0.5 * half), round(middle + y * 0.5 * half)
        cv2.circle(large, at, round(0.18 * half), PIP, -1)
    w, V = np.linalg.eigh(np.eye(2) - np.outer(foot, foot))
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    A = (V * np.sqrt(w)) @ V.T @ np.array([[c, -s], [s, c]])
    M = np.column_stack([A, LARGE * MIDDLE - A @ np.full(2, middle)])
    seen = cv2.warpAffine(large, M, (LARGE * side, LARGE * side), borderValue=TABLE)
    return np.asarray(cv2.resize(seen, (side, side), interpolation=cv2.INTER_AREA), np.uint8)


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("foot", FEET)
@pytest.mark.parametrize("turn", [0.0, 50.0])
def test_a_slant_is_told_within_its_error(value: int, foot: tuple[float, float], turn: float) -> None:
    about = np.array([foot[0] + 0.1, foot[1] - 0.05])  # as well as the reader knows it
    slant = face_slant(shown(value, foot, turn), MIDDLE + 1, MIDDLE - 1, 1.04 * EDGE, about, value)
    assert slant is not None
    off = slant.seen - slants(np.array(foot), OVERHEAD)
    assert off @ np.linalg.inv(slant.error) @ off < 6  # 95 of 100


@pytest.mark.parametrize("value", [2, 3, 6])
def test_what_rows_leave_open_lies_along_them(value: int) -> None:
    """A turn of the face by 45 degrees turns its error's longer axis by 90: slants go round twice as fast."""
    errors = []
    for turn in (0.0, 45.0):
        slant = face_slant(shown(value, (0.0, 0.0), turn), MIDDLE, MIDDLE, EDGE, OVERHEAD, value)
        assert slant is not None
        errors.append(slant.error)
    long = [np.linalg.eigh(error)[1][:, 1] for error in errors]
    assert abs(float(long[0] @ long[1])) < 0.2
    assert np.linalg.eigvalsh(errors[0])[1] > 2 * np.linalg.eigvalsh(errors[0])[0]


def test_no_pips_tell_no_slant() -> None:
    blank = np.full((160, 160, 3), BODY, np.uint8)
    for value in range(1, 7):
        assert face_slant(blank, MIDDLE, MIDDLE, EDGE, OVERHEAD, value) is None
    assert face_slant(blank, 1000.0, MIDDLE, EDGE, OVERHEAD, 4) is None


def test_other_pips_tell_no_slant() -> None:
    picture = shown(1, (0.1, 0.4), 20.0)
    assert face_slant(picture, MIDDLE, MIDDLE, EDGE, np.array([0.1, 0.4]), 6) is None


def test_slants_of_faces_seen_from_above_and_aside() -> None:
    assert np.allclose(slants(np.zeros(2), OVERHEAD), 0)
    tilted = slants(np.array([[0.6, 0.0], [0.0, 0.6]]), OVERHEAD)  # foreshortened to 0.8 along x, along y
    assert np.allclose(tilted, [[-0.36 / 1.64, 0], [0.36 / 1.64, 0]])


def test_a_slant_tells_of_two_like_feet_which_die_leans() -> None:
    """One foot lies 0.2 edges off: the reader's error, or a lean of 12 degrees. The faces' slants tell."""
    size, flat = (1920, 1080), np.array([0.0, 0.5])
    feet = np.tile(flat, (5, 1))
    feet[2] += (0.0, 0.22)
    tops = np.array([[800.0, 500.0], [1000, 500], [960, 560], [850, 620], [1050, 620]])
    place = (tops - np.array(size) / 2) / (2.0 * size[0])
    there = expected(-flat[None], place)[0]
    error = 0.03**2 * np.eye(2)
    all_flat = [Slant(slants(there[i], place[i]), error) for i in range(5)]
    as_seen = [Slant(slants(feet[i], place[i]), error) for i in range(5)]
    opinion = np.full(5, 0.1)
    assert leaning(feet, tops, opinion, *size, seen=all_flat)[2] < 0.05
    told = leaning(feet, tops, opinion, *size, seen=as_seen)
    assert told[2] > 0.8
    assert np.delete(told, 2).max() < 0.1
    unknown = leaning(feet, tops, opinion, *size, seen=[None] * 5)
    assert np.allclose(unknown, leaning(feet, tops, opinion, *size))

"""A lens that is known, from a profile or from EXIF: the board is found through it as well as without."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.camera import Camera
from calibration.hints import BoardHints
from calibration.refine import with_lens
from calibration.solve import find_board
from calibration.view import BoardView
from vision.frames import load_picture

SAMPLE = Path(__file__).parent.parent / "sample_images" / "01_from_above.jpg"


def solved(hints: BoardHints) -> BoardView:
    """The sample's board."""
    found = find_board(load_picture(SAMPLE).pixels, hints)
    assert isinstance(found, BoardView), found
    return found


@pytest.mark.parametrize("off", [0.0, -25.0, 25.0])
def test_a_profile_whose_principal_point_lies_beside_the_middle_finds_the_board(off: float) -> None:
    free = solved(BoardHints())
    K = free.camera.K + np.array([[0, 0, off], [0, 0, -off], [0, 0, 0.0]])
    view = solved(BoardHints(camera=replace(free.camera, K=K, sigma={"focal_px": 9.0})))
    assert np.array_equal(view.camera.K, K)
    assert view.camera.calibrated and view.camera.sigma["focal_px"] == 9.0
    assert not free.camera.calibrated
    ring = view.to_mm(free.circle_px(free.board.shooting))
    assert np.abs(np.hypot(*ring.T) - view.board.shooting).max() < 1.5


@pytest.mark.parametrize("factor", [0.9, 1.1, 1.2])
def test_a_focal_length_from_exif_finds_the_board(factor: float) -> None:
    free = solved(BoardHints())
    view = solved(BoardHints(focal_px=factor * float(free.camera.K[0, 0])))
    ring = view.to_mm(free.circle_px(free.board.shooting))
    assert np.abs(np.hypot(*ring.T) - view.board.shooting).max() < 1.5


def test_through_another_lens_the_board_stays_where_it_is_seen() -> None:
    K = np.array([[1700.0, 0, 959.5], [0, 1700, 539.5], [0, 0, 1]])
    guess = Camera(K, np.zeros(5), np.array([2.9, 0.1, 0.0]), np.array([40.0, -30, 1500]), 1920, 1080)
    other = replace(guess, K=np.array([[2500.0, 0, 980], [0, 2500, 520], [0, 0, 1]]))
    middle = np.zeros((1, 3))
    for hints in (BoardHints(camera=other), BoardHints(focal_px=2500.0)):
        seen = with_lens(guess, hints)
        assert seen.project(middle) == pytest.approx(guess.project(middle), abs=0.01)
        assert seen.K[0, 0] / seen.tvec[2] == pytest.approx(guess.K[0, 0] / guess.tvec[2])
    assert with_lens(guess, BoardHints()) is guess

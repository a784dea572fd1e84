"""The board set by four points: any camera's view comes back, what no camera sees is refused."""

import cv2
import numpy as np
import pytest

from calibration.boards import BUILT_IN
from calibration.camera import Camera
from calibration.errors import UnusableInputError
from calibration.scale import Scale
from calibration.view import BoardView
from referee.board_by_hand import handles, view_from_handles
from vision.board_axes import Sizing
from vision.frames import frame_of_pixels
from vision.watch import TableWatch

WIDTH, HEIGHT = 1280, 720


def view(tilt: float, focal: float, turn: float = 0.0) -> BoardView:
    K = np.array([[focal, 0, 639.5], [0, focal, 359.5], [0, 0, 1]])
    a, b = np.radians(180 - tilt), np.radians(turn)
    # x right, y up in the picture, seen from above the side of seat A
    flip = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    spin = np.array([[np.cos(b), -np.sin(b), 0], [np.sin(b), np.cos(b), 0], [0, 0, 1]])
    rvec = cv2.Rodrigues(flip @ spin)[0].ravel()
    camera = Camera(K, np.zeros(5), rvec, np.array([10.0, -5.0, 0.9 * focal]), WIDTH, HEIGHT)
    return BoardView(camera, BUILT_IN["nca"], Scale("board", detail="test"), 0.0)


@pytest.mark.parametrize("tilt", [0, 8, 20, 35, 50])
@pytest.mark.parametrize("focal", [900.0, 1400.0])
@pytest.mark.parametrize("turn", [-10.0, 0.0, 25.0])
def test_any_view_comes_back(tilt: float, focal: float, turn: float) -> None:
    true = view(tilt, focal, turn)
    made = view_from_handles(handles(true), WIDTH, HEIGHT)
    for radius in made.board.radii:
        away = np.linalg.norm(made.circle_px(radius) - true.circle_px(radius), axis=1)
        assert away.max() < 0.02 * WIDTH
    assert made.camera.centre[2] > 0
    assert made.camera.assumed == ("set by hand",)
    assert not made.scale.known  # four points on a line say nothing of its radius


def test_a_board_set_by_hand_keeps_the_size_that_discs_gave() -> None:
    made = view_from_handles(handles(view(20.0, 1200.0)), WIDTH, HEIGHT)
    watch = TableWatch()
    watch.sizing = Sizing(0.9, 14.0, Scale("disc", detail="disc diameter 28 mm"))
    watch.use(made, frame_of_pixels(np.full((HEIGHT, WIDTH, 3), 90, np.uint8), "test"))
    assert watch.view is not None and watch.view.scale.source == "disc"
    assert watch.view.board.shooting == pytest.approx(0.9 * made.board.shooting)
    assert watch.view.board.disc_radius == 14.0


BAD = {
    "a bow tie": [[100, 100], [600, 500], [600, 100], [100, 500]],
    "one line": [[100, 100], [200, 100], [300, 100], [400, 100]],
    "tiny": [[100, 110], [110, 100], [100, 90], [90, 100]],
    "far outside": [[1e9, 0], [0, 1e9], [-1e9, 0], [0, -1e9]],
    "not numbers": [[np.nan, 0], [1, 1], [2, 2], [3, 3]],
    "three points": [[0, 0], [1, 1], [2, 2]],
}


@pytest.mark.parametrize("points", BAD.values(), ids=BAD)
def test_what_no_camera_sees_is_refused(points: list[list[float]]) -> None:
    with pytest.raises(UnusableInputError):
        view_from_handles(np.array(points, dtype=np.float64), WIDTH, HEIGHT)

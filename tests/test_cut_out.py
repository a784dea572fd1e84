"""Pictures that were cut out of larger ones: solved though their principal point lies aside, and never too surely."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.boards import NCA_SHOOTING_MM
from calibration.camera import Camera
from calibration.cut_out import camera_shaped
from calibration.labels import Labelling
from calibration.solve import find_board, plausible

SAMPLES = Path(__file__).parents[1] / "sample_images"
MARGIN_MM = 110.0
"""From the shooting line to beyond the rail."""


def true_circle(truth: dict[str, object], radius: float) -> np.ndarray:
    """Pixels (N, 2) of a circle about the board's centre, by the picture's true camera."""
    camera = truth["camera"]
    assert isinstance(camera, dict)
    t = np.arange(180) * np.pi / 90
    points = np.column_stack([radius * np.cos(t), radius * np.sin(t), 0 * t])
    given = (np.array(camera[k], dtype=float) for k in ("rvec", "tvec", "K", "dist"))
    return np.asarray(cv2.projectPoints(points, *given)[0]).reshape(-1, 2)


def cut(name: str, keep: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """A sample cut to its board, but for the sides to keep; and the true shooting line's pixels in what is left."""
    image = cv2.imread(str(SAMPLES / f"{name}.jpg"))
    truth = json.loads((SAMPLES / f"{name}.truth.json").read_text())
    line = max(line["nominal_radius"] for line in truth["board"]["lines"])
    around = true_circle(truth, line + MARGIN_MM)
    (x0, y0), (x1, y1) = around.min(0).astype(int), around.max(0).astype(int)
    h, w = image.shape[:2]
    left, top = 0 if "left" in keep else max(x0, 0), 0 if "top" in keep else max(y0, 0)
    right, bottom = w if "right" in keep else min(x1, w), h if "bottom" in keep else min(y1, h)
    return image[top:bottom, left:right], true_circle(truth, line) - (left, top)


@pytest.mark.parametrize(
    ("name", "keep"),
    [
        ("03_three_sides", ("left", "top")),
        ("03_three_sides", ("right",)),
        ("05_close_calls", ("right", "top")),
        ("05_close_calls", ("right",)),
        ("06_octagonal_dark_board", ("left",)),
    ],
)
def test_a_cut_picture_is_solved(name: str, keep: tuple[str, ...]) -> None:
    image, line = cut(name, keep)
    view = find_board(np.ascontiguousarray(image))
    assert view, view.reason
    miss = np.abs(np.hypot(*view.to_mm(line).T) - NCA_SHOOTING_MM)
    assert miss.max() < 1.0
    assert any("cut out" in words for words in view.camera.assumed)


def test_a_whole_picture_is_not_taken_for_a_cut_one() -> None:
    for path in sorted(SAMPLES.glob("*.jpg")):
        image = cv2.imread(str(path))
        view = find_board(image)
        if view and camera_shaped(*image.shape[1::-1]):
            assert not any("cut out" in words for words in view.camera.assumed), path.name


def test_from_above_a_cut_picture_leaves_the_cameras_place_open() -> None:
    image = cv2.imread(str(SAMPLES / "02_natural_and_black.jpg"))
    cut_image, _ = cut("02_natural_and_black", ("left",))
    whole, part = find_board(image), find_board(np.ascontiguousarray(cut_image))
    assert whole and part
    assert part.camera.sigma["sideways"] > 2 * whole.camera.sigma["sideways"]


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((1920, 1080), True),
        ((3024, 4032), True),
        ((800, 448), True),
        ((1080, 2340), True),
        ((2048, 2048), False),
        ((1190, 769), False),
        ((1000, 900), False),
    ],
)
def test_shapes_of_cameras(size: tuple[int, int], expected: bool) -> None:
    assert camera_shaped(*size) is expected


def test_a_centred_camera_sees_the_boards_centre_where_it_was() -> None:
    K = np.array([[900.0, 0, 700], [0, 900, 300], [0, 0, 1]])
    cam = Camera(K, np.zeros(5), np.array([0.4, 2.5, -0.6]), np.array([60.0, -40, 950]), 1280, 720)
    centred = cam.centred()
    assert np.allclose(centred.K[:2, 2], [639.5, 359.5])
    origin = np.zeros((1, 3))
    assert np.allclose(centred.project(origin), cam.project(origin), atol=1e-6)
    assert np.isclose(np.linalg.norm(centred.tvec), np.linalg.norm(cam.tvec))
    assert centred.centred() is centred


@pytest.mark.parametrize(("faintest", "bare", "board"), [(0.36, 0.01, True), (0.37, 0.21, False), (0.9, 0.65, False)])
def test_lines_stand_out_against_what_is_seen_where_boards_are_bare(faintest: float, bare: float, board: bool) -> None:
    evidence = {"shooting": 0.98, "ten": faintest, "fifteen": 1.0, "bare": bare}
    assert plausible(Labelling(304.8, 203.2, 101.6, 330.2, evidence, 3.0)) is board

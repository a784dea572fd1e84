"""Pictures that were cut out of larger ones: solved though their principal point lies aside, and never too surely."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.boards import NCA_SHOOTING_MM
from calibration.camera import Camera
from calibration.cut_out import camera_shaped, content_of
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


@pytest.mark.parametrize(
    ("left", "top", "right", "bottom"),
    [(0, 0, 0, 0), (120, 0, 0, 0), (0, 60, 0, 90), (300, 200, 420, 180), (0, 0, 50, 40), (4, 0, 0, 3)],
)
def test_blank_margins_are_no_content(left: int, top: int, right: int, bottom: int) -> None:
    image = np.random.default_rng(1).integers(0, 255, (600, 800, 3), dtype=np.uint8)
    image[:top] = image[600 - bottom :] = (12, 14, 11)
    image[:, :left] = image[:, 800 - right :] = (240, 240, 240)
    expected = (left, top, 800 - right, 600 - bottom) if max(left, top, right, bottom) > 10 else None
    assert content_of(image) == expected


def test_a_blank_picture_has_no_content_of_its_own() -> None:
    assert content_of(np.full((400, 500, 3), 90, np.uint8)) is None


def test_a_bar_over_the_board_hides_the_line_like_a_pictures_edge() -> None:
    image = cv2.imread(str(SAMPLES / "03_three_sides.jpg"))
    image[:, int(0.6 * image.shape[1]) :] = 0
    view = find_board(image)
    assert view and view.camera.share_outside(NCA_SHOOTING_MM) > 0.25


def rings(widths: list[float], colours: list[tuple[int, int, int]]) -> np.ndarray:
    """Filled rings of given outer radii in px on a grey floor, seen from above."""
    image = np.full((900, 1200, 3), 120, np.uint8)
    for radius, colour in zip(widths, colours, strict=True):
        cv2.circle(image, (600, 450), round(radius), colour, -1, cv2.LINE_AA)
    return cv2.GaussianBlur(image, (0, 0), 1.0)


@pytest.mark.parametrize("count", [3, 4, 5, 10])
def test_a_target_is_no_board(count: int) -> None:
    red, white, black = (40, 40, 200), (235, 235, 235), (25, 25, 25)
    for pair in ((red, white), (white, black)):
        radii = [400 * (count - k) / count for k in range(count)]
        assert not find_board(rings(radii, [pair[k % 2] for k in range(count)]))

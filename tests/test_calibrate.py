"""Calibration of a camera on rendered pictures of the sheet, whose camera is known."""

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from calibration.camera import Camera
from calibration.charuco import MIN_PICTURES, SQUARE_MM, SQUARES, calibrate, find_corners, sheet_picture
from calibration.errors import UnusableInputError
from calibration.profiles import CameraFile, load
from referee.cli import app, main

SIZE = (960, 640)
K = np.array([[900.0, 0, 470.0], [0, 900.0, 330.0], [0, 0, 1]])
DIST = np.array([-0.12, 0.05, 0.0008, -0.0006, 0.0])
PX_PER_MM = 4.0
RENDER_SCALE = 1


@cache
def sight_rays() -> np.ndarray:
    """Rays (N, 3) through the pixels of the rendering, RENDER_SCALE times finer than the picture."""
    x, y = np.meshgrid(np.arange(SIZE[0] * RENDER_SCALE), np.arange(SIZE[1] * RENDER_SCALE))
    px = (np.stack([x, y], -1).reshape(-1, 2) + 0.5) / RENDER_SCALE - 0.5
    zero = np.zeros(3)
    flat = Camera(K, DIST, zero, zero, *SIZE).normalise(px)
    return np.column_stack([flat, np.ones(len(flat))])


def rendered(rvec: np.ndarray, shift: tuple[float, float], distance: float) -> np.ndarray:
    """Render the sheet as the known camera sees it: every pixel's ray is met with the sheet's plane."""
    sheet = cv2.copyMakeBorder(sheet_picture(PX_PER_MM), 60, 60, 60, 60, cv2.BORDER_CONSTANT, value=255)
    R = cv2.Rodrigues(rvec)[0]
    middle = np.array([SQUARES[0] * SQUARE_MM / 2, SQUARES[1] * SQUARE_MM / 2, 0])
    t = np.array([*shift, distance]) - R @ middle
    scale, rays = RENDER_SCALE, sight_rays()
    H = np.linalg.inv(np.column_stack([R[:, 0], R[:, 1], t]))
    on = rays @ H.T
    mm = on[:, :2] / on[:, 2:]
    at = (mm * PX_PER_MM - 0.5 + 60).astype(np.float32).reshape(SIZE[1] * scale, SIZE[0] * scale, 2)
    grey = cv2.remap(sheet, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=120)
    noise = np.random.default_rng(abs(hash(shift)) % 1000).normal(0, 2, (SIZE[1], SIZE[0]))
    return np.clip(cv2.resize(grey, SIZE, interpolation=cv2.INTER_AREA) + noise, 0, 255).astype(np.uint8)


POSES = [
    ((0.0, 0.0, 0.0), (0.0, 0.0), 330.0),
    ((0.5, 0.0, 0.1), (60.0, 20.0), 380.0),
    ((-0.5, 0.1, 0.0), (-70.0, -30.0), 400.0),
    ((0.1, 0.55, 0.0), (40.0, -40.0), 380.0),
    ((0.0, -0.55, 0.2), (-60.0, 30.0), 390.0),
    ((0.4, 0.4, -0.2), (0.0, 20.0), 350.0),
    ((-0.4, 0.35, 0.4), (30.0, -30.0), 360.0),
    ((0.3, -0.4, 1.2), (-20.0, 0.0), 420.0),
]


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("sheet")
    out = []
    for i, (rvec, shift, distance) in enumerate(POSES):
        out.append(folder / f"{i}.png")
        cv2.imwrite(str(out[-1]), rendered(np.array(rvec), shift, distance))
    return out


def test_known_camera_is_found(pictures: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "camera.toml"
    assert main(["calibrate", "camera", *map(str, pictures), "-o", str(output)]) == 0
    profile = load(output, CameraFile)
    assert profile.fx == pytest.approx(900, rel=0.005)
    assert (profile.cx, profile.cy) == pytest.approx((470, 330), abs=5)
    assert profile.rms_px is not None and profile.rms_px < 0.3
    assert profile.pictures == len(POSES)
    grid = np.stack(np.meshgrid(np.linspace(-0.4, 0.4, 9), np.linspace(-0.28, 0.28, 7)), -1).reshape(-1, 2)
    rays = np.column_stack([grid, np.ones(len(grid))])
    zero = np.zeros(3)
    found = cv2.projectPoints(rays, zero, zero, profile.camera().K, profile.camera().dist)[0].reshape(-1, 2)
    true = cv2.projectPoints(rays, zero, zero, K, DIST)[0].reshape(-1, 2)
    offset = np.linalg.norm((found - found.mean(0)) - (true - true.mean(0)), axis=1)
    assert offset.max() < 2.0  # a small turn of the camera stands for a moved principal point


def test_too_few_pictures_are_refused(pictures: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["calibrate", "camera", *map(str, pictures[:3]), "-o", str(tmp_path / "c.toml")])
    assert code == 2
    assert f"at least {MIN_PICTURES} are needed" in capsys.readouterr().err
    assert not (tmp_path / "c.toml").exists()


def test_pictures_without_the_sheet_are_left_out(pictures: list[Path], tmp_path: Path) -> None:
    empty = tmp_path / "empty.png"
    cv2.imwrite(str(empty), np.full((SIZE[1], SIZE[0]), 128, np.uint8))
    assert find_corners(cv2.imread(str(empty)), "empty") is None
    assert main(["calibrate", "camera", *map(str, pictures), str(empty), "-o", str(tmp_path / "c.toml")]) == 0


def test_other_size_is_refused(pictures: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.png"
    cv2.imwrite(str(other), np.full((100, 200), 128, np.uint8))
    assert main(["calibrate", "camera", str(pictures[0]), str(other), "-o", str(tmp_path / "c.toml")]) == 2
    assert "a profile is for one size" in capsys.readouterr().err


def test_pictures_from_straight_above_only_are_refused() -> None:
    views = []
    for i in range(MIN_PICTURES):
        corners = find_corners(rendered(np.array([0.0, 0.0, 0.1 * i]), (5.0 * i, 0.0), 330 + 10 * i), str(i))
        assert corners is not None
        views.append(corners)
    with pytest.raises(UnusableInputError, match="tilt it"):
        calibrate(views, *SIZE)


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_sheet_is_written_in_true_size(paper: str, tmp_path: Path) -> None:
    output = tmp_path / "sheet.pdf"
    result = CliRunner().invoke(app, ["calibrate", "print", "-o", str(output), "--paper", paper])
    assert result.exit_code == 0, result.output
    data = output.read_bytes()
    assert data.startswith(b"%PDF")
    assert (b"841.8898 595.2756" if paper == "a4" else b"792 612") in data

"""Profiles: what was saved comes back; what is damaged, of another kind or size is refused naming the field."""

import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration import profiles
from calibration.boards import BUILT_IN
from calibration.camera import Camera
from calibration.errors import UnusableInputError
from calibration.profiles import (
    BoardFile,
    CameraFile,
    DodecaFile,
    TableFile,
    board_file,
    camera_file,
    load,
    save,
    table_file,
)
from calibration.scale import NCA_SCALE
from calibration.view import BoardView

K = np.array([[1500.0, 0, 961.5], [0, 1502.0, 538.25], [0, 0, 1]])


def view() -> BoardView:
    camera = Camera(K, np.array([0.1, -0.02, 1e-4, 2e-4, 0.0]), np.array([2.4, 0.1, 0.05]), np.array([10.0, -5, 1300]),
                    1920, 1080, {"focal_px": 3.0})  # fmt: skip
    return BoardView(camera, BUILT_IN["nca"], NCA_SCALE, 0.2)


def test_table_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    measured = replace(view(), camera=replace(view().camera, calibrated=True))
    save(path, table_file(measured, "ab" * 32))
    back = load(path, TableFile).view()
    assert back.camera.calibrated and back.camera.sigma == view().camera.sigma
    assert back.board == BUILT_IN["nca"] and back.scale == NCA_SCALE
    assert back.circle_px(300) == pytest.approx(view().circle_px(300), abs=1e-6)
    assert "kind = " in path.read_text()


def test_camera_and_board_come_back(tmp_path: Path) -> None:
    save(tmp_path / "c.toml", camera_file(view().camera))
    back = load(tmp_path / "c.toml", CameraFile).camera()
    assert np.allclose(back.K, K)
    save(tmp_path / "b.toml", board_file(BUILT_IN["family"]))
    assert profiles.board_by_name(str(tmp_path / "b.toml")) == BUILT_IN["family"]
    assert profiles.board_by_name("family") == BUILT_IN["family"]


@pytest.mark.parametrize("kind", [BoardFile, DodecaFile])
def test_profiles_can_be_typed_as_the_documentation_shows_them(
    kind: type[BoardFile] | type[DodecaFile], tmp_path: Path
) -> None:
    text = (Path(__file__).parents[1] / "docs" / "calibration.md").read_text(encoding="utf-8")
    name = kind.model_fields["kind"].default
    shown = next(block for block in text.split("\n\n") if block.startswith(f'    kind = "{name}"'))
    path = tmp_path / "typed.toml"
    path.write_text(textwrap.dedent(shown), encoding="utf-8")
    assert load(path, kind).kind == name  # type: ignore[type-var]


def refused(path: Path, kind: type[BoardFile] | type[CameraFile] | type[TableFile]) -> str:
    with pytest.raises(UnusableInputError) as caught:
        load(path, kind)  # type: ignore[type-var]
    assert caught.value.code == "bad_profile"
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("fx = 1500.0", "fx = 'long'", "camera.fx"),
        ("fx = 1500.0", "fx = nan", "camera.fx"),
        ("fx = 1500.0", "fx = 3.0", "camera"),
        ("width = 1920", "width = -5", "camera.width"),
        ("fx = 1500.0\n", "", "camera.fx"),
        ("ten_mm = 203.2", "ten_mm = 20.32", "board"),
        ("ten_mm = 203.2", "tem_mm = 203.2", "board"),
        ('kind = "table"', 'kind = "camera"', "kind 'camera'"),
        ('kind = "table"', "", "no field 'kind'"),
        ("1300.0", "-1300.0", "tvec"),
        ('kind = "table"', "kind = table table", "damaged"),
        ('name = "nca"', 'name = "\\u001b[31mnca"', "board.name"),
        ('name = "nca"', 'name = "two\\nlines"', "board.name"),
        ("focal_px = 3.0", "focal_px = -3.0", "camera.sigma.focal_px"),
        ("focal_px = 3.0", "focal_px = 1e300", "sigma.focal_px"),
        ("focal_px = 3.0", "focal_px = inf", "camera.sigma.focal_px"),
        ("focal_px = 3.0", "focal_px = nan", "camera.sigma.focal_px"),
        ("focal_px = 3.0", "fokal_px = 3.0", "'fokal_px', which is unknown; known are focal_px, tilt_deg, sideways"),
        ("fx = 1500.0", "fx = 1500.0\nrms_px = -3", "camera.rms_px"),
        ("fx = 1500.0", "fx = 1500.0\npictures = -3", "camera.pictures"),
        ("fx = 1500.0", "fx = 1500.0\ncoverage = 1.5", "camera.coverage"),
    ],
)
def test_damaged_tables_name_the_field(old: str, new: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    save(path, table_file(view(), "ab" * 32))
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    assert named in refused(path, TableFile)


def test_files_that_are_no_profiles(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe\x00\x01")
    (tmp_path / "b.toml").write_text("")
    (tmp_path / "c.toml").write_bytes(b"x" * 2_000_000)
    for name in ("a.toml", "b.toml", "c.toml", "none.toml", "."):
        refused(tmp_path / name, CameraFile)
    with pytest.raises(UnusableInputError, match="known names: nca, family"):
        profiles.board_by_name("ncaa")


def test_other_size_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableInputError, match="1920 x 1080 pixels, this one has 1280 x 720") as caught:
        profiles.require_size(tmp_path / "c.toml", camera_file(view().camera), 1280, 720)
    assert caught.value.code == "bad_profile"


def test_a_profile_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnusableInputError, match="can't be written"):
        save(tmp_path / "no" / "folder.toml", camera_file(view().camera))


@pytest.mark.parametrize("text", ["[" * 5000, "{b = " * 5000, "[" * 5000 + "]" * 5000])
@pytest.mark.parametrize("kind", [BoardFile, CameraFile, TableFile])
def test_what_is_nested_without_end_is_damaged(
    text: str, kind: type[BoardFile] | type[CameraFile] | type[TableFile], tmp_path: Path
) -> None:
    path = tmp_path / "deep.toml"
    path.write_text(f"a = {text}")
    assert "damaged" in refused(path, kind)


def test_a_byte_order_mark_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "b.toml"
    path.write_text(profiles.as_text(board_file(BUILT_IN["family"])), encoding="utf-8-sig")
    assert load(path, BoardFile).model() == BUILT_IN["family"]


def test_a_cameras_uncertainties_that_say_nothing_are_left_out() -> None:
    camera = replace(view().camera, sigma={"focal_px": float("inf"), "tilt_deg": float("nan"), "sideways": 0.0})
    assert camera_file(camera).sigma == {"sideways": 0.0}


def test_built_in_boards_have_their_names_in_any_case() -> None:
    assert profiles.board_by_name("NCA") == BUILT_IN["nca"] and profiles.board_by_name("Family") == BUILT_IN["family"]

"""The command as a program sees it: the fields of the contract, exit codes, profiles, pictures written."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from documented import undocumented

from calibration.errors import NotFoundError
from calibration.hints import BoardHints, NoBoard
from referee.cli import main
from referee.crokinole_reader import other_discs, read_crokinole
from tests.views import view_from_above
from vision.contact_shared import Shared
from vision.contacts import Measured
from vision.frames import load_picture

SAMPLES = Path(__file__).parents[1] / "sample_images"
ONE = SAMPLES / "01_from_above.jpg"

Run = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*args: object) -> tuple[int, Any, str]:
        code = main(["read", *map(str, args), "--json"])
        printed = capsys.readouterr()
        return code, json.loads(printed.out), printed.err

    return call


@pytest.mark.parametrize(("radius", "told"), [(15.7, False), (18.8, True), (13.5, True)])
def test_a_tournament_board_with_other_discs_is_named(radius: float, told: bool) -> None:
    view = view_from_above(1280, 720, focal=1400.0, away=1300.0)
    measured = Measured(view, {}, radius, Shared(radius, 9.5, (0.0, 0.0), (0.1, 0.5, 0.1)), None)
    notes = other_discs(view, measured)
    assert bool(notes) == told
    assert not told or f"{2 * radius:.1f} mm" in notes[0]
    assert not other_discs(view.with_discs(13.0, given=True), measured)


def test_contract(run: Run) -> None:
    code, reading, err = run(ONE, "--game", "crokinole")
    assert (code, err) == (0, "")
    assert (reading["schema"], reading["game"]) == ("reading/1", "crokinole")
    assert reading["image"]["width"] == 1280 and reading["image"]["height"] == 720
    assert not undocumented(reading)
    assert len(reading["image"]["sha256"]) == 64
    assert reading["elapsed_ms"] > 0 and isinstance(reading["warnings"], list)
    board, camera = reading["board"], reading["camera"]
    assert set(board["radii_mm"]) == set(board["circles_px"]) == {"shooting", "10", "15", "hole"}
    assert len(board["circles_px"]["shooting"]) == 64
    assert np.array(camera["K"]).shape == (3, 3) and len(camera["dist"]) == 5
    assert len(camera["rvec"]) == len(camera["tvec"]) == 3
    assert isinstance(camera["sigma"], dict) and isinstance(camera["assumed"], list)
    for disc in reading["discs"]:
        assert {"id", "colour", "px", "mm", "sigma_mm", "state", "value", "confidence", "lines"} <= set(disc)
        assert disc["state"] in {"board", "hole", "leaning", "ditch"}
        for line in disc["lines"]:
            fields = {"line", "gap_mm", "sigma_mm", "p_touching", "verdict", "inner_gap_mm"}
            assert fields <= set(line)
            assert line["verdict"] in {"clear", "touching", "too_close"}
    assert set(reading["score"]) == set(reading["score_range"])
    assert isinstance(reading["score_sure"], bool)
    total = sum(d["value"] or 0 for d in reading["discs"])
    assert total == sum(reading["score"].values())
    for colour, points in reading["score"].items():
        low, high = reading["score_range"][colour]
        assert low <= points <= high


def test_board_lies_where_the_truth_says(run: Run) -> None:
    truth = json.loads(ONE.with_name("01_from_above.truth.json").read_text())
    camera = truth["camera"]
    radius = max(line["nominal_radius"] for line in truth["board"]["lines"])
    turn = np.arange(360) * np.pi / 180
    ring = np.column_stack([radius * np.cos(turn), radius * np.sin(turn), np.zeros(360)])
    args = (np.array(camera[k], dtype=float) for k in ("rvec", "tvec", "K", "dist"))
    true = cv2.projectPoints(ring, *args)[0].reshape(-1, 2)
    found = np.array(run(ONE)[1]["board"]["circles_px"]["shooting"])
    distance = np.linalg.norm(found[:, None] - true[None], axis=2).min(axis=1)
    assert distance.max() < 3.0


def test_same_picture_same_reading(run: Run) -> None:
    first, second = run(ONE)[1], run(ONE)[1]
    for reading in (first, second):
        del reading["elapsed_ms"], reading["stages_ms"]
    assert first == second


def test_larger_raster_reads_in_its_own_pixels(run: Run, tmp_path: Path) -> None:
    image = cv2.imread(str(ONE))
    cv2.imwrite(str(tmp_path / "big.jpg"), cv2.resize(image, None, fx=5, fy=5, interpolation=cv2.INTER_CUBIC))
    small, large = (np.array(run(p)[1]["board"]["circles_px"]["shooting"]) for p in (ONE, tmp_path / "big.jpg"))
    assert (large.mean(0) + 0.5) / 5 - 0.5 == pytest.approx(small.mean(0), abs=1.0)


def test_picture_without_a_board_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "grey.png"
    cv2.imwrite(str(path), np.full((480, 640, 3), 127, np.uint8))
    code, answer, err = run(path)
    assert code == 3
    assert answer["error"]["code"] in {"no_board", "board_unsure"}
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("none.jpg",), "unreadable_input"),
        ((".",), "unreadable_input"),
        ((ONE, "--game", "chess"), "bad_option"),
        ((ONE, "--shooting-line", "12"), "bad_option"),
        ((ONE, "--disc", "much"), "bad_option"),
        ((ONE, "--disc", "nan"), "bad_option"),
        ((ONE, "--shooting-line", "nan"), "bad_option"),
        ((ONE, "--overlay", ONE), "bad_option"),
        ((ONE, "--game", "yacht", "--rectified", "x.png"), "bad_option"),
        ((ONE, "--game", "krakatoa", "--board", "nca"), "bad_option"),
        ((ONE, "--game", "yacht", "--table", "none.toml"), "bad_option"),
        ((ONE, "--board", "ncaa"), "bad_profile"),
        ((ONE, "--camera", "none.toml"), "bad_profile"),
        ((ONE, "--table", str(ONE)), "bad_profile"),
        ((ONE, "--overlay", "no/folder/x.png"), "bad_option"),
        ((ONE, "--overlay", "x.txt"), "bad_option"),
    ],
)
def test_unusable_calls_exit_2_in_one_line(args: tuple[object, ...], code: str, run: Run) -> None:
    status, answer, err = run(*args)
    assert status == 2
    assert answer["error"]["code"] == code
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_cut_off_picture(run: Run, tmp_path: Path) -> None:
    data = ONE.read_bytes()
    path = tmp_path / "cut.jpg"
    path.write_bytes(data[: len(data) // 2])
    code, answer, _ = run(path)
    assert code == 3
    assert answer["error"]["code"] in {"no_board", "board_unsure"}
    path.write_bytes(data[: int(len(data) * 0.98)])
    code, answer, _ = run(path)
    assert code == 0
    assert any("cut off" in w for w in answer["warnings"])


def test_table_profile(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "table.toml"
    assert main(["calibrate", "board", str(ONE), "-o", str(table)]) == 0
    assert (tmp_path / "table.png").exists()
    capsys.readouterr()
    code, reading, _ = run(ONE, "--table", table)
    assert (code, reading["board"]["scale_from"]) == (0, "--table")
    shifted = tmp_path / "moved.jpg"
    cv2.imwrite(str(shifted), np.roll(cv2.imread(str(ONE)), 4, axis=1))
    code, answer, _ = run(shifted, "--table", table)
    assert (code, answer["error"]["code"]) in {(2, "bad_profile"), (3, "no_board")}
    assert "calibrate board" in answer["error"]["message"]
    smaller = tmp_path / "small.jpg"
    cv2.imwrite(str(smaller), cv2.resize(cv2.imread(str(ONE)), (640, 360)))
    code, answer, _ = run(smaller, "--table", table)
    assert (code, answer["error"]["code"]) == (2, "bad_profile")
    assert "1280 x 720" in answer["error"]["message"]
    other = tmp_path / "other.jpg"
    cv2.imwrite(str(other), np.full((720, 1280, 3), 90, np.uint8))
    code, answer, _ = run(other, "--table", table)
    assert (code, answer["error"]["code"]) == (3, "no_board")


def test_a_board_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "board.toml"
    path.write_text("""
        kind = "board"
        name = "Duncan's"
        shooting_mm = 310.0
        ten_mm = 206.7
        fifteen_mm = 103.3
        line_widths_mm = [3.0, 3.0, 3.0]
        disc_diameter_mm = 31.0
    """)
    code, reading, _ = run(ONE, "--board", path)
    board = reading["board"]
    assert (code, board["model"], board["scale_from"]) == (0, "Duncan's", "board Duncan's")
    assert (board["radii_mm"]["shooting"], board["disc_diameter_mm"]) == (310.0, 31.0)
    assert max(board["line_widths_mm"].values()) < 2.0  # as painted, not as the file has it


@pytest.mark.parametrize(
    "call",
    [
        ("read", ""),
        ("read", ONE, "--overlay", ""),
        ("read", ONE, "--camera", ""),
        ("read", ONE, "--table="),
        ("read", ONE, "--board", ""),
        ("score", ""),
        ("score", "a.mp4", "--json", ""),
        ("score", "a.mp4", "--out", ""),
        ("replay", ""),
        ("calibrate", "board", "", "-o", "x.toml"),
        ("calibrate", "dice", ONE, "-o", ""),
        ("sheet", "yacht", "--log", ""),
        ("backup", ""),
        ("watch", "sample", "--settings", ""),
        ("audit", ONE, "-o", ""),
        ("audit", "verify", ""),
    ],
)
def test_an_empty_name_is_not_the_working_folder(call: tuple[object, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(word) for word in call]) == 2
    said = capsys.readouterr().err
    assert "name is empty" in said and ".:" not in said and said.count("\n") == 1


@pytest.mark.parametrize("option", ["--shooting-line", "--disc-mm"])
def test_nan_is_no_number(option: str, run: Run) -> None:
    status, answer, _ = run(ONE, option, "nan")
    assert status == 2 and "'nan' is not a number" in answer["error"]["message"]


def test_the_diameter_of_the_discs_has_one_name_and_the_old_one(run: Run) -> None:
    for name in ("--disc-mm", "--disc"):
        code, reading, _ = run(ONE, name, "31")
        assert (code, reading["board"]["disc_diameter_mm"]) == (0, 31.0)


def test_hints_do_not_hide_what_the_picture_file_says(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = replace(load_picture(ONE), focal_px=1234.0)
    seen: list[BoardHints] = []

    def find(image: object, hints: BoardHints) -> NoBoard:
        seen.append(hints)
        return NoBoard("no_board", "none")

    monkeypatch.setattr("referee.crokinole_reader.find_board", find)
    for hints in (None, BoardHints(disc_mm=31.0), BoardHints(focal_px=1000.0)):
        with pytest.raises(NotFoundError):
            read_crokinole(frame, hints)
    assert [h.focal_px for h in seen] == [1234.0, 1234.0, 1000.0]


def test_pictures_are_written(run: Run, tmp_path: Path) -> None:
    overlay, above = tmp_path / "o.png", tmp_path / "r.jpg"
    assert run(ONE, "--overlay", overlay, "--rectified", above)[0] == 0
    assert cv2.imread(str(overlay)).shape[1] >= 1600
    height, width = cv2.imread(str(above)).shape[:2]
    assert height == width >= 600


def test_words_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", str(ONE)]) == 0
    printed = capsys.readouterr().out
    assert "points" in printed and "px" in printed

"""No command writes over what it reads, or two outputs into one file; told before any work."""

import shutil
from pathlib import Path

import pytest

from referee.cli import main
from referee.outputs import same_file

ROOT = Path(__file__).parents[1]
CONTENTS = {
    "v.mp4": ROOT / "tests" / "video" / "phone.mp4",
    "a.jpg": ROOT / "sample_images" / "01_from_above.jpg",
}
LOG = '{"format": "table-referee-log/1"}\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, source in CONTENTS.items():
        shutil.copyfile(source, tmp_path / name)
    Path("m.jsonl").write_text(LOG)
    Path("b.toml").write_text("kind = 'board'\n")
    for name in ("v.mp4", "a.jpg", "m.jsonl"):
        file = Path(name)
        file.with_stem("hard").hardlink_to(file)
        file.with_stem("soft").symlink_to(file)
    Path("v.shot1.mp4").symlink_to("v.mp4")
    Path("out").mkdir()
    Path("out/v.csv").symlink_to("../v.mp4")
    return tmp_path


@pytest.mark.parametrize(
    "call",
    [
        "score v.mp4 --annotate v.mp4",
        "score v.mp4 --annotate ./hard.mp4",
        "score v.mp4 --annotate soft.mp4",
        "score soft.mp4 --json v.mp4",
        "score v.mp4 --report v.mp4",
        "score v.mp4 --clip 1",
        "score v.mp4 --out out",
        "score v.mp4 hard.mp4 --out out",
        "score v.mp4 --board b.toml --json b.toml",
        "replay m.jsonl --csv m.jsonl",
        "replay m.jsonl --jsonl soft.jsonl",
        "replay hard.jsonl --cmn m.jsonl --date 2026-02-11T19:30:00Z",
        "calibrate board a.jpg -o a.jpg",
        "calibrate board a.jpg -o x.toml --overlay soft.jpg",
        "calibrate board a.jpg --board b.toml -o b.toml",
        "calibrate dice a.jpg -o a.jpg",
        "calibrate dice a.jpg -o hard.jpg",
        "calibrate camera a.jpg -o soft.jpg",
        "read a.jpg --overlay hard.jpg",
        "read a.jpg --rectified a.jpg",
    ],
)
def test_no_input_is_written_over(call: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    assert main(call.split()) == 2
    said = capsys.readouterr().err
    assert "to be read; write" in said and said.count("\n") == 1
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before


@pytest.mark.parametrize(
    "call",
    [
        "score v.mp4 --json x --csv x",
        "score v.mp4 --json x --log ./x",
        "score v.mp4 --report out/x.mp4 --annotate out/../out/x.mp4",
        "read a.jpg --overlay q.png --rectified q.png",
        "calibrate board a.jpg -o q.png",
        "replay m.jsonl --csv x --jsonl x",
    ],
)
def test_two_outputs_are_not_one_file(call: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(call.split()) == 2
    said = capsys.readouterr().err
    assert "both" in said and said.count("\n") == 1
    assert not Path("x").exists() and not Path("q.png").exists()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("score v.mp4 --annotate x.txt", "videos are written as .mp4"),
        ("score v.mp4 --annotate x", "videos are written as .mp4"),
        ("score v.mp4 --csv out", "is a folder"),
        ("score v.mp4 --json none/x", "doesn't exist"),
        ("score v.mp4 --players 3 --preset nca", "2 or 4 players"),
        ("score v.mp4 --players 2v1 --discs 7", "expected an even number"),
        ("replay m.jsonl --csv none/x", "doesn't exist"),
        ("calibrate dice a.jpg -o none/x", "doesn't exist"),
    ],
)
def test_what_can_not_be_written_is_told_first(
    call: str, words: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(call.split()) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


def test_devices_may_be_named_twice(tmp_path: Path) -> None:
    assert not same_file(Path("/dev/null"), Path("/dev/null"))
    (tmp_path / "loop").symlink_to("loop")
    assert not same_file(tmp_path / "loop", tmp_path / "other")

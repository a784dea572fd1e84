"""Audits: what is drawn is what was measured, words and figures, reports, hashes, verification, rulings, videos."""

import json
import math
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.boards import LINE_NAMES, LineName
from calibration.errors import NotFoundError, UnusableInputError
from referee import audit_words
from referee.audit import Asked, build_audit
from referee.audit_call import VALUES, Call, calls_of, find_disc, shares
from referee.audit_files import MANIFEST, hash_file, read_folder, write_json
from referee.audit_pdf import pdf_date, printable
from referee.audit_pictures import CROP_PX, drawn_crop, window_of
from referee.audit_source import Source, load, moment_text, parse_target
from referee.audit_verify import SAME_GAP_MM
from referee.cli import main
from referee.crokinole_reader import CrokinoleReading, read_crokinole
from referee.log import MatchLog
from referee.logfile import LogWriter, read_log
from referee.rules import GAMES
from referee.rules.clauses import clause
from referee.rules.crokinole import Rest, Shot
from vision.disc_values import GUARD_SIGMAS, verdict_of
from vision.readings import LineContact

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "sample_images" / "05_close_calls.jpg"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*args: object) -> tuple[int, str, str]:
        code = main(["audit", *map(str, args)])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


@pytest.fixture(scope="module")
def source() -> Source:
    return load(parse_target(str(PICTURE)))


@pytest.fixture(scope="module")
def reading(source: Source) -> CrokinoleReading:
    return read_crokinole(source.frame)


@pytest.fixture(scope="module")
def calls(reading: CrokinoleReading) -> list[Call]:
    return calls_of(reading, None)


@pytest.fixture(scope="module")
def written(source: Source, reading: CrokinoleReading, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audit") / "all"
    build_audit(source, reading, Asked()).write(folder)
    return folder


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    return Path(shutil.copytree(written, tmp_path / "audit"))


def a_contact(gap: float, line: LineName = "15/10", **parts: float) -> LineContact:
    said = parts or {"edge": 0.2, "pose": 0.1, "line": 0.05, "radius": 0.05, "height": 0.1}
    sigma = math.sqrt(sum(v * v for v in said.values()))
    p = 0.5 * math.erfc(gap / sigma / math.sqrt(2))
    return LineContact(line, gap, sigma, p, verdict_of(p), gap - 33.0, tuple(said.items()))


# what is drawn is what was measured


def test_outlines_have_the_measured_gaps(calls: list[Call]) -> None:
    assert len(calls) >= 3
    for call in calls:
        lines = call.outlines
        gap = np.hypot(*lines.line_point) - np.hypot(*lines.touch)
        assert gap == pytest.approx(call.contact.gap_mm, abs=2e-4)
        assert np.hypot(*(lines.touch - lines.centre)) == pytest.approx(lines.radius, abs=1e-6)
        assert 10 < lines.radius < 20
        assert lines.radius == pytest.approx(calls[0].outlines.radius, abs=1e-6)  # all discs share one
        reach = np.hypot(*lines.ring(720).T).max()
        assert reach == pytest.approx(np.hypot(*lines.touch), abs=0.02)


def test_upper_rim_is_drawn_where_the_face_was_measured(reading: CrokinoleReading, calls: list[Call]) -> None:
    for call in calls:
        lines = call.outlines
        top = reading.view.to_px((lines.centre + lines.shift)[None], lines.height)[0]
        assert math.dist(top, call.disc.px) < 1e-6


def test_an_audit_measures_nothing(reading: CrokinoleReading, calls: list[Call]) -> None:
    """What is drawn comes from the measurement that was made, whatever the picture now shows."""
    blank = replace(reading.frame, pixels=np.zeros_like(reading.frame.pixels))
    for call, again in zip(calls, calls_of(replace(reading, frame=blank), None), strict=True):
        assert np.array_equal(again.outlines.inner, call.outlines.inner)
        assert again.outlines.radius == call.outlines.radius == reading.measured.shared.radius
        line = reading.measured.lines[LINE_NAMES.index(call.contact.line)]
        assert call.outlines.inner == pytest.approx(line.inner + line.shape.at(call.outlines.turns)[0])


def test_crop_maps_points_where_their_pixels_are() -> None:
    image = np.zeros((60, 80, 3), np.uint8)
    image[30, 41] = 255
    window = replace(_window(), left=40.5 - 16, top=29.5 - 10, factor=CROP_PX[0] / 32)
    grown = window.pixels(image)[..., 0].astype(float)
    y, x = np.unravel_index(grown.argmax(), grown.shape)
    assert window.at(np.array([[41.0, 30.0]]))[0] == pytest.approx((x, y), abs=1.0)
    assert window.source(image).shape[:2] == (21, 32)


def _window() -> Any:
    from referee.audit_pictures import Enlarged  # noqa: PLC0415

    return Enlarged(0.0, 0.0, 10.0)


def test_drawing_leaves_the_gap_free_and_the_rest_untouched(reading: CrokinoleReading, calls: list[Call]) -> None:
    call = calls[0]
    window = window_of(reading.view, call)
    plain = window.pixels(reading.frame.pixels)
    drawn = drawn_crop(reading.view, call, window, plain)
    assert drawn.shape == plain.shape == (CROP_PX[1], CROP_PX[0], 3)
    changed = (drawn != plain).any(axis=2)
    assert 0.005 < changed.mean() < 0.12
    touch = window.at(reading.view.to_px(call.outlines.touch[None]))[0]
    assert 0 < touch[0] < CROP_PX[0] and 0 < touch[1] < CROP_PX[1]


# words and figures


@pytest.mark.parametrize(
    ("gap", "line", "words"),
    [
        (-1.0, "15/10", "Touches the 15/10 line: counts 10"),
        (1.0, "15/10", "Clear of the 15/10 line: counts 15"),
        (1.0, "shooting", "Clear of the shooting line: counts 5"),
        (-1.0, "shooting", "Touches the shooting line: goes to the ditch, counts 0"),
        (-0.1, "10/5", "Too close to call: 10 or 5"),
        (-34.5, "10/5", "Lies beyond the 10/5 line: counts 5"),
    ],
)
def test_verdict_in_words(calls: list[Call], gap: float, line: LineName, words: str) -> None:
    contact = a_contact(gap, line)
    if gap < -30:
        contact = replace(contact, inner_gap_mm=0.5)
    assert audit_words.verdict_words(replace(calls[0], contact=contact)) == words


def test_figures_of_a_call(calls: list[Call]) -> None:
    call = replace(calls[0], contact=a_contact(-0.42, edge=0.15, height=0.04))
    assert audit_words.gap_words(call) == "\u22120.42 mm \u00b1 0.31 mm (k = 2)"
    assert call.decidable == pytest.approx(GUARD_SIGMAS * call.contact.sigma_mm)
    assert shares(call.parts) == pytest.approx([0.9336, 0.0664], abs=1e-3)
    assert "reaches 0.42 mm over" in audit_words.reason_words(call)
    call = replace(call, contact=a_contact(0.42, edge=0.15))
    assert "ends 0.42 mm before" in audit_words.reason_words(call)


@pytest.mark.parametrize(
    ("p", "words"),
    [(0.63, "63.0 %"), (0.9962, "99.62 %"), (1.0, "more than 99.99 %"), (0.0, "less than 0.01 %"), (0.004, "0.40 %")],
)
def test_chance_is_never_certain(p: float, words: str) -> None:
    assert audit_words.chance(p) == words


def test_clauses_of_a_call(calls: list[Call]) -> None:
    def numbers(gap: float, line: LineName) -> tuple[str, ...]:
        return audit_words.clause_numbers(replace(calls[0], contact=a_contact(gap, line)))

    assert numbers(-2, "15/10") == ("C16",)
    assert numbers(-2, "shooting") == ("C16", "C10")
    assert numbers(0.05, "shooting") == ("C16", "C10", "C26")


def advice(reading: CrokinoleReading, call: Call, gap: float, **parts: float) -> str:
    return " ".join(audit_words.advice(reading, replace(call, contact=a_contact(gap, **parts))))


def test_advice_names_what_dominates_with_numbers(reading: CrokinoleReading, calls: list[Call]) -> None:
    call = replace(calls[0], px_per_mm=0.5, view_angle_deg=50.0, glare=0.0)
    said = advice(reading, call, 0.3, edge=0.4, radius=0.02)
    assert "standard uncertainty of 0.18 mm or less; here it is 0.40 mm" in said
    assert re.search(r"Nearer: 0\.50 pixels a millimetre at this disc now, 1\.\d would help", said)
    assert "gaps from 0.03 mm on" in said
    assert "calliper" not in said
    said = advice(reading, call, 0.3, edge=0.05, height=0.3)
    assert "More from above over this disc: seen 50 degrees" in said
    assert "calliper" in advice(reading, call, 0.3, edge=0.05, radius=0.3)
    assert "at best" in advice(reading, call, 0.02, edge=0.3)
    steep = replace(call, view_angle_deg=4.0, px_per_mm=2.5)
    assert "calibrated camera" in advice(reading, steep, 0.3, pose=0.4)
    camera = replace(reading.view.camera, calibrated=True)  # it is one
    known = replace(reading, view=replace(reading.view, camera=camera))
    assert "calibrated camera" not in advice(known, steep, 0.3, pose=0.4)
    assert "calibrate board" in advice(known, steep, 0.3, pose=0.4)
    assert "More from the side" in advice(reading, steep, 0.3, edge=0.4)
    assert "Less glare: 30 %" in advice(reading, replace(call, glare=0.3), 0.3, edge=0.4)


def test_a_sure_call_has_no_advice(source: Source, reading: CrokinoleReading, calls: list[Call]) -> None:
    page = audit_words.page_of(source, reading, replace(calls[0], contact=a_contact(-2.0)), {}, 10.0)
    assert page.sure and page.advice == ()
    page = audit_words.page_of(source, reading, replace(calls[0], contact=a_contact(0.1)), {}, 10.0)
    assert not page.sure and page.advice


# which discs


def test_disc_by_number_and_by_point(reading: CrokinoleReading) -> None:
    disc = next(d for d in reading.discs if d.lines)
    assert find_disc(reading, disc.id, None) is disc
    x, y = reading.frame.to_shown(np.array([disc.px]))[0]
    assert find_disc(reading, None, (x, y)) is disc
    assert find_disc(reading, None, None) is None
    with pytest.raises(NotFoundError, match="no disc 99"):
        find_disc(reading, 99, None)
    with pytest.raises(NotFoundError, match="no disc at 0,0"):
        find_disc(reading, None, (0.0, 0.0))


def test_a_disc_beside_no_line_is_no_call(reading: CrokinoleReading) -> None:
    alone = next(d for d in reading.discs if not d.lines)
    with pytest.raises(NotFoundError, match="beside no line") as info:
        calls_of(reading, alone)
    assert (info.value.code, info.value.exit_status) == ("no_call", 3)


# the folder


def test_an_audit_is_made_before_anything_is_written(source: Source, reading: CrokinoleReading, tmp_path: Path) -> None:
    made = build_audit(source, reading, Asked())
    assert made.pages and json.loads(json.dumps(made.calls))
    evidence = made.write(tmp_path / "out")
    assert evidence == read_folder(tmp_path / "out").hash
    assert read_folder(tmp_path / "out").evidence["calls"] == json.loads(json.dumps(made.calls))


def test_folder_holds_everything_and_hashes_it(written: Path, calls: list[Call]) -> None:
    manifest = json.loads((written / MANIFEST).read_text())
    there = {p.relative_to(written).as_posix() for p in written.rglob("*") if p.is_file()} - {MANIFEST}
    assert set(manifest["files"]) == there
    assert {"report.pdf", "report.html", "evidence.json"} <= there
    for name, about in manifest["files"].items():
        assert (about["sha256"], about["bytes"]) == hash_file(written / name)
    assert manifest["original"]["sha256"] == hash_file(PICTURE)[0]
    evidence = read_folder(written).evidence
    assert [c["disc"]["id"] for c in evidence["calls"]] == [c.disc.id for c in calls]
    for said, call in zip(evidence["calls"], calls, strict=True):
        assert said["gap_mm"] == pytest.approx(call.contact.gap_mm, abs=1e-4)
        assert said["expanded_mm"] == pytest.approx(2 * call.contact.sigma_mm, abs=1e-4)
        assert sum(v * v for v in said["parts_mm"].values()) == pytest.approx(said["sigma_mm"] ** 2, rel=0.01)
        assert said["clauses"]["C16"] == clause("crokinole", "C16")
        assert set(said["counts"].values()) == set(VALUES[call.contact.line])
        for name in said["pictures"].values():
            assert cv2.imread(str(written / name)) is not None


def test_reports_have_a_page_a_call_and_refer_to_nothing_outside(written: Path, calls: list[Call]) -> None:
    pdf = (written / "report.pdf").read_bytes()
    assert pdf.startswith(b"%PDF") and len(re.findall(rb"/Type /Page\b", pdf)) == len(calls)
    page = (written / "report.html").read_text(encoding="utf-8")
    assert page.count("<article") == len(calls)
    assert not re.search(r"""(src|href)=["'](?!data:)""", page)
    assert "<script" not in page and "@import" not in page
    for call in calls:
        assert audit_words.gap_words(call) in page


def test_same_input_gives_the_same_bytes(source: Source, reading: CrokinoleReading, written: Path) -> None:
    again = written.with_name("again")
    build_audit(source, reading, Asked()).write(again)
    assert (again / MANIFEST).read_bytes() == (written / MANIFEST).read_bytes()


def test_evidence_is_never_written_over(source: Source, reading: CrokinoleReading, folder: Path) -> None:
    with pytest.raises(UnusableInputError, match="not empty"):
        build_audit(source, reading, Asked()).write(folder)


def test_text_that_the_typeface_lacks_is_escaped() -> None:
    assert printable("a\u2212\u00b1\u4e2d") == "a\u2212\u00b1\\u4e2d"


@pytest.mark.parametrize(
    ("taken", "date"),
    [
        ("2026-05-01 19:30:12 +02:00", "D:20260501193012+02'00'"),
        ("2026-05-01T17:30:12.000000Z", "D:20260501173012Z"),
        ("2026-05-01 19:30:12", "D:20260501193012"),
        (None, None),
        ("soon", None),
    ],
)
def test_the_report_has_the_sources_date(taken: str | None, date: str | None) -> None:
    assert pdf_date(taken) == date


def test_a_report_of_an_undated_picture_has_no_date(written: Path) -> None:
    assert b"CreationDate" not in (written / "report.pdf").read_bytes()


def test_a_page_that_has_much_to_say_stays_one_page(source: Source, reading: CrokinoleReading, tmp_path: Path) -> None:
    from referee import audit_pdf  # noqa: PLC0415

    call = replace(calls_of(reading, None)[0], contact=a_contact(0.1, edge=0.2, pose=0.2, radius=0.2))
    odd = replace(source, path=Path("\ubcf4\ub4dc" * 60 + "&<.jpg"))
    page = audit_words.page_of(odd, reading, call, {"camera": "/a/very/long/path" * 9}, 10.0)
    page = replace(page, notes=("a warning of some length about the picture that was read",) * 30)
    blank = bytes(cv2.imencode(".jpg", np.zeros((66, 104, 3), np.uint8))[1].tobytes())
    pictures = dict.fromkeys(("crop", "crop_drawn", "from_above", "solved_lines"), blank)
    audit_pdf.write_pdf(tmp_path / "a.pdf", [page], {page.name: pictures})
    assert len(re.findall(rb"/Type /Page\b", (tmp_path / "a.pdf").read_bytes())) == 1
    assert len(page.place) < 100 and "\u2026" in page.place


def test_names_are_escaped_in_html(source: Source, reading: CrokinoleReading, tmp_path: Path) -> None:
    odd = replace(source, path=PICTURE.with_name("<b>&.jpg"))
    build_audit(odd, reading, Asked()).write(tmp_path / "odd")
    page = (tmp_path / "odd" / "report.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;&amp;.jpg" in page and "<b>&.jpg" not in page


# the command and its verification


def test_audit_and_verify(run: Run, tmp_path: Path, calls: list[Call]) -> None:
    out = tmp_path / "one"
    x, y = calls[0].disc.px
    code, said, err = run(PICTURE, "--at", f"{x},{y}", "-o", out, "--copy-original")
    assert (code, err) == (0, "")
    assert f"disc {calls[0].disc.id}" in said and read_folder(out).hash in said
    assert (out / "original" / PICTURE.name).read_bytes() == PICTURE.read_bytes()
    code, said, err = run("verify", out)
    assert (code, err) == (0, "")
    assert (
        "the same within 0.02 mm" in said
        and said.endswith("nothing differs\n")
        and f"evidence {read_folder(out).hash}" in said
    )


def test_verify_again_with_the_options_it_was_made_with(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "one"
    code, said, _ = run(PICTURE, "-o", out, "--board", "nca", "--disc-mm", "31.5", "--json")
    assert code == 0 and json.loads(said)[0]["line"] in VALUES
    settings = read_folder(out).evidence["settings"]
    assert settings == {"board": "nca", "disc-mm": 31.5, "files": {}}
    assert "--board nca, --disc-mm 31.5" in (out / "report.html").read_text(encoding="utf-8")
    code, said, _ = run("verify", out, "--json")
    assert code == 0 and json.loads(said)["same"] is True


def test_verify_names_what_was_changed(run: Run, folder: Path) -> None:
    name = next(folder.glob("disc-*/crop.jpg"))
    name.write_bytes(name.read_bytes() + b"x")
    (folder / "report.pdf").unlink()
    (folder / "notes.txt").write_text("mine")
    code, said, _ = run("verify", folder)
    assert code == 2
    assert f"DIFFERS {name.relative_to(folder).as_posix()}: changed" in said
    assert "DIFFERS report.pdf: missing" in said
    assert "note    notes.txt: not part of the audit" in said
    assert "were not measured again" in said


def test_verify_names_what_is_not_of_the_audit(run: Run, folder: Path) -> None:
    (folder / "more").mkdir()
    (folder / "more" / "photo.jpg").write_bytes(b"x")
    (folder / ".hidden").write_text("x")
    (folder / "empty").mkdir()
    (folder / "link").symlink_to(PICTURE.parent)
    (folder / "dangling").symlink_to("nowhere")
    names = ("more/photo.jpg", ".hidden", "empty", "link", "dangling")
    code, said, _ = run("verify", folder)
    assert code == 0 and all(f"note    {name}: not part of the audit\n" in said for name in names)
    assert said.count("not part of the audit\n") == len(names) + 1
    assert "nothing differs; what the folder holds besides (5) is not part of the audit" in said
    code, said, _ = run("verify", folder, "--json")
    assert code == 0 and sum("not part of the audit" in f["words"] for f in json.loads(said)["findings"]) == len(names)


def test_verify_finds_numbers_that_were_changed_together_with_their_hash(run: Run, folder: Path) -> None:
    audited = read_folder(folder)
    evidence, manifest = audited.evidence, audited.manifest
    evidence["calls"][0]["gap_mm"] += 2 * SAME_GAP_MM
    write_json(folder / "evidence.json", evidence)
    digest, size = hash_file(folder / "evidence.json")
    manifest["files"]["evidence.json"] = {"sha256": digest, "bytes": size}
    write_json(folder / MANIFEST, manifest)
    code, said, _ = run("verify", folder, "--original", PICTURE)
    assert code == 2 and "the gap differ by more than 0.02 mm allows" in said


def test_verify_without_the_original_and_with_a_wrong_one(
    run: Run, source: Source, reading: CrokinoleReading, tmp_path: Path
) -> None:
    moved = tmp_path / "board.jpg"
    shutil.copy(PICTURE, moved)
    out = tmp_path / "audit"
    build_audit(replace(source, path=moved), reading, Asked()).write(out)
    moved.rename(tmp_path / "elsewhere.jpg")
    code, said, _ = run("verify", out)
    assert code == 0 and "--original FILE" in said and "not measured again" in said
    code, said, _ = run("verify", out, "--original", tmp_path / "elsewhere.jpg")
    assert code == 0 and "the same within" in said
    code, said, _ = run("verify", out, "--original", PICTURE.with_name("01_from_above.jpg"))
    assert code == 2 and "not the original" in said
    code, said, _ = run("verify", out, "--original", tmp_path / "none.jpg")
    assert code == 2 and "there is no such file" in said


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/../../x", "c:\\x"])
def test_a_manifest_leads_nowhere_else(run: Run, folder: Path, name: str) -> None:
    manifest = read_folder(folder).manifest
    manifest["files"][name] = {"sha256": "0" * 64, "bytes": 1}
    write_json(folder / MANIFEST, manifest)
    code, _, err = run("verify", folder)
    assert code == 2 and "isn't a file of the folder" in err


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("settings", "files"), 5),
        (("settings", "files"), {"camera": 5}),
        (("settings", "files"), {"camera": "/etc/passwd"}),
        (("settings", "files"), {"table": "settings/../../table.toml"}),
        (("settings",), []),
        (("settings", "board"), 7),
        (("settings", "disc-mm"), "31.5"),
        (("source", "sha256"), None),
        (("source", "from_folder"), 5),
        (("source", "seconds"), "soon"),
        (("calls", 0, "disc", "mm"), "here"),
        (("calls", 0, "gap_mm"), True),
        (("calls", 0), None),
    ],
)
def test_evidence_that_can_not_be_is_named(run: Run, folder: Path, place: tuple[str | int, ...], value: object) -> None:
    audited = read_folder(folder)
    evidence, manifest = audited.evidence, audited.manifest
    inner: Any = evidence
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    write_json(folder / "evidence.json", evidence)
    digest, size = hash_file(folder / "evidence.json")
    manifest["files"]["evidence.json"] = {"sha256": digest, "bytes": size}
    manifest["original"] = evidence["source"]
    write_json(folder / MANIFEST, manifest)
    code, _, err = run("verify", folder)
    assert code == 2 and err.count("\n") == 1 and "damaged" in err


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "manifest/2"}', '{"schema": "manifest/1"}'])
def test_a_damaged_manifest_is_said(run: Run, folder: Path, text: str) -> None:
    (folder / MANIFEST).write_text(text)
    code, _, err = run("verify", folder)
    assert code == 2 and err.count("\n") == 1 and MANIFEST in err


def test_wrong_calls_of_the_command(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    disguised = tmp_path / "disguised" / "board.mp4"
    disguised.parent.mkdir()
    shutil.copy(PICTURE, disguised)
    for args, words in (
        ((PICTURE, "-o", out, "--disc", "1", "--at", "5,5"), "give one of them"),
        ((PICTURE, "-o", out, "--at", "five"), "not of the form X,Y"),
        (("match.mp4", "-o", out), "which moment"),
        (("match.mp4@soon", "-o", out), "is no moment"),
        (("match.mp4@3", "-o", out), "no such file"),
        ((tmp_path / "none.jpg", "-o", out), "no such file"),
        ((f"{disguised}@3", "-o", out), "is a picture, which has no moments; give it a picture's name"),
        ((f"{PICTURE}@3", "-o", out), "is a picture, which has no moments; leave @3 out"),
        ((), "Missing command"),
        (("", "-o", out), "the name is empty"),
        (("verify", disguised.parent / "none"), "no audit"),
    ):
        code, _, err = run(*args)
        assert code == 2 and words in err and err.count("\n") == 1
    assert not out.exists()
    code, _, err = run(PICTURE, "-o", out, "--disc", "99")
    assert code == 3 and not out.exists()


# sources


@pytest.mark.parametrize(
    ("text", "seconds"), [("a.mp4@83.5", 83.5), ("a.mp4@1:23.5", 83.5), ("x@y.mov@1:00:02", 3602.0), ("a.mp4@.5", 0.5)]
)
def test_moments(text: str, seconds: float) -> None:
    target = parse_target(text)
    assert target.seconds == seconds and str(target.path) == text.rpartition("@")[0]


def test_a_file_with_an_at_in_its_name(tmp_path: Path) -> None:
    path = tmp_path / "board@2.jpg"
    path.write_bytes(b"")
    assert parse_target(str(path)).path == path
    assert moment_text(83.48) == "1:23.480"


def test_time_comes_from_exif(tmp_path: Path) -> None:
    from PIL import Image  # noqa: PLC0415

    picture = Image.new("RGB", (32, 24))
    exif = picture.getexif()
    exif.get_ifd(0x8769).update({0x9003: "2026:05:01 19:30:12", 0x9011: "+02:00"})
    picture.save(tmp_path / "a.jpg", exif=exif)
    picture.save(tmp_path / "b.jpg")
    assert load(parse_target(str(tmp_path / "a.jpg"))).taken == "2026-05-01 19:30:12 +02:00"
    assert load(parse_target(str(tmp_path / "b.jpg"))).taken is None


@pytest.fixture(scope="module")
def video(source: Source, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three seconds of a board on which nothing moves, ten frames a second."""
    import av  # noqa: PLC0415

    path = tmp_path_factory.mktemp("video") / "match.mp4"
    with av.open(str(path), "w") as out:
        stream: Any = out.add_stream("libx264", rate=10, options={"crf": "12", "preset": "ultrafast", "g": "5"})
        stream.height, stream.width = source.frame.pixels.shape[:2]
        stream.pix_fmt = "yuv420p"
        for _ in range(30):
            out.mux(stream.encode(av.VideoFrame.from_ndarray(source.frame.pixels, format="bgr24")))
        out.mux(stream.encode())
    return path


def test_video_keeps_the_frame_and_a_copied_clip(run: Run, video: Path, tmp_path: Path) -> None:
    import av  # noqa: PLC0415

    place = Path(shutil.copy(video, tmp_path / "match.mp4"))
    out = tmp_path / "audit"
    code, _, err = run(f"{place}@0:02.5", "-o", out)
    assert (code, err) == (0, "")
    about = read_folder(out).evidence["source"]
    assert about["kind"] == "video" and about["seconds"] == pytest.approx(2.5)
    assert about["sha256"] == hash_file(place)[0]
    with av.open(str(out / "clip.mp4")) as clip, av.open(str(place)) as whole:
        stream, original = clip.streams.video[0], whole.streams.video[0]
        assert (stream.codec.name, stream.width) == (original.codec.name, original.width)
        assert sum(1 for _ in clip.decode(stream)) >= 26
    code, said, _ = run("verify", out)
    assert code == 0 and "the original, unchanged" in said
    place.rename(tmp_path / "moved.mp4")
    code, said, _ = run("verify", out)
    assert code == 0 and "from the frame that the folder holds" in said and "the same within" in said
    code, _, err = run(f"{tmp_path / 'moved.mp4'}@999", "-o", tmp_path / "late")
    assert code == 2 and "no frame at 999 s" in err


# rulings


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A match of three shots: disc 1 and disc 3 lie on the board, disc 2 went into the hole."""
    match = MatchLog(GAMES["crokinole"]({"first": "A"}))
    for at, shot in enumerate(
        (
            Shot("A", 1, (), (Rest(1, value=15),)),
            Shot("C", 2, (1,), (Rest(1, value=10, inner=True), Rest(2, "hole"))),
            Shot("A", 3, (), (Rest(3, value=15),)),
        )
    ):
        match.observe(shot, float(at), "camera")
    LogWriter(tmp_path / "match.jsonl", match)
    return tmp_path / "match.jsonl"


@pytest.fixture
def call_15(folder: Path) -> int:
    """The audited number of a disc at the 15/10 line."""
    return int(next(c["disc"]["id"] for c in read_folder(folder).evidence["calls"] if c["line"] == "15/10"))


def test_a_ruling_wins_is_logged_and_can_be_taken_back(run: Run, folder: Path, log: Path, call_15: int) -> None:
    before = read_log(log).log
    args = ("--disc", 3, "--value", 10, "--who", "Uxía", "--why", "seen from above", "--call", call_15)
    code, said, err = run("rule", folder, log, *args)
    assert (code, err) == (0, "")
    assert "disc 3 counts 10, ruled by Uxía" in said and "changed: board" in said
    file = read_log(log)
    assert file.whole
    entry = file.log.entries[-1]
    assert (entry.kind, entry.target, entry.who) == ("ruled", 3, "Uxía")
    assert entry.evidence == read_folder(folder).hash
    assert entry.why is not None and "mm (k=2) to the 15/10 line" in entry.why and "seen from above" in entry.why
    rest = next(r for r in entry.event.rests if r.id == 3)
    assert (rest.id, rest.value, rest.inner, rest.maybe) == (3, 10, True, ())
    assert {disc.id: disc.value for disc in file.log.state.board} == {1: 10, 3: 10}
    writer = LogWriter(log, file.log, start=False)
    file.log.undo(entry.at, "Uxía")
    writer.save()
    again = read_log(log).log
    assert again.state == before.state


def test_rulings_that_are_refused(run: Run, folder: Path, log: Path, call_15: int) -> None:
    whole = log.read_bytes()
    base = ("rule", folder, log, "--who", "B", "--call", call_15)
    for args, status, words in (
        (("--disc", 3, "--value", 5), 2, "counts 15 or 10"),
        (("--disc", 9, "--value", 10), 3, "no shot in force"),
        (("--disc", 2, "--entry", 2, "--value", 10), 3, "isn't on the board"),
        (("--disc", 3, "--value", 10, "--call", 99), 3, "no call on disc 99"),
        (("--disc", 3, "--value", 10, "--who", " "), 2, "somebody"),
    ):
        code, _, err = run(*base, *args)
        assert (code, err.count("\n")) == (status, 1) and words in err
    (folder / "report.pdf").write_bytes(b"")
    code, _, err = run(*base, "--disc", 3, "--value", 10)
    assert code == 2 and "report.pdf: changed" in err
    assert log.read_bytes() == whole


def test_a_damaged_log_gets_no_ruling(run: Run, folder: Path, log: Path, call_15: int) -> None:
    log.write_bytes(log.read_bytes()[:-20])
    code, _, err = run("rule", folder, log, "--who", "B", "--call", call_15, "--disc", 3, "--value", 10)
    assert code == 2 and "referee sheet crokinole" in err

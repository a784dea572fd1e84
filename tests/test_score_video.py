import json
import pickle
import shutil
import signal
import time
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from documented import undocumented

from calibration.boards import BUILT_IN
from calibration.errors import NotFoundError
from calibration.hints import BoardHints
from referee.cli import main
from referee.commands.score import score, score_many
from referee.logfile import read_log
from referee.match_files import Targets, shots_csv, write_all
from referee.match_json import Agreed, conclude, match_json
from referee.match_report import report
from referee.match_review import entry_of, rule
from referee.match_score import Aside, code_mark, put_aside, resume_path, score_video, take_up
from referee.officials.crokinole import CrokinoleOfficial
from referee.rules.crokinole import Shot
from vision import table_reader
from vision.video import VideoFile

CLIPS = Path(__file__).parent / "video"
CLIP = CLIPS / "four_shots.mp4"
HINTS = BoardHints(shooting_mm=236.0)


def quiet(at: float, of: float | None) -> None:
    pass


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    patch, folder = pytest.MonkeyPatch(), str(tmp_path_factory.mktemp("cache"))
    patch.setattr("platformdirs.user_cache_dir", lambda name: folder)
    yield
    patch.undo()


@pytest.fixture(scope="module")
def scored(cache):
    return score_video(CLIP, Agreed(), HINTS, quiet)


@pytest.fixture(scope="module")
def data(scored):
    return match_json(scored.result, scored.info, CLIP.name, scored.warnings)


def test_every_shot_is_found_and_judged(data):
    truth = json.loads((CLIPS / "four_shots.truth.json").read_text())["shots"]
    assert len(data["shots"]) == len(truth)
    for found, true in zip(data["shots"], truth, strict=True):
        assert found["start_s"] == pytest.approx(true["start_s"], abs=0.15)
        assert found["settled_s"] == pytest.approx(true["settled_s"], abs=0.3)
        assert (found["colour"], found["seat"]) == (true["colour"], true["seat"])
        assert (found["valid"], found["rule"], found["twenty"]) == (true["valid"], true["rule"], true["twenty"])
        colours = {d["id"]: d["colour"] for d in data["discs"]}
        assert any(colours[i] != found["colour"] for i in found["touched"]) == true["touched_opponent"]
        assert len(found["removed"]) == len(true["removed"])
        there = [d for d in true["board_after"] if d["state"] != "ditch"]
        assert sorted((d["colour"], d["value"]) for d in found["board_after"]) == sorted(
            (d["colour"], d["value"]) for d in there
        )
        for d in there:
            near = min(found["board_after"], key=lambda f: abs(f["mm"][0] - d["mm"][0]) + abs(f["mm"][1] - d["mm"][1]))
            assert near["mm"] == pytest.approx(d["mm"], abs=4.0)


def test_ids_of_a_disc_are_kept_from_shot_to_shot(data):
    third, fourth = data["shots"][2:]
    lying = {d["id"] for d in third["board_after"]}
    assert lying <= {d["id"] for d in fourth["board_after"]} | set(fourth["removed"]) | set(fourth["ditched"])
    assert set(fourth["touched"]) <= lying


def test_sides_and_seats_are_found(data):
    assert data["setup"]["players"] == "2" and data["setup"]["seats"] == ["A", "C"]
    assert {d["colour"] for d in data["discs"]} == {"red", "blue"}


def test_the_log_holds_every_shot_and_folds_to_the_same_twenties(scored, tmp_path: Path):
    write_all(Targets(log=tmp_path / "a.jsonl"), {}, scored.log, {}, CLIP)
    log = read_log(tmp_path / "a.jsonl").log
    shots = [e for e in log.entries if isinstance(e.event, Shot)]
    assert len(shots) == 4 and log.stuck is None


def test_every_field_is_documented(data):
    assert not undocumented(data)


def test_outputs_are_written(scored, data, tmp_path: Path):
    notes = write_all(
        replace(Targets.in_folder(tmp_path, "m"), cmn=tmp_path / "m.cmn"), data, scored.log,
        scored.official.pictures, CLIP,
    )  # fmt: skip
    assert {p.name for p in tmp_path.iterdir()} == {"m.json", "m.csv", "m.log.jsonl", "m.report.html"}
    assert notes and "over" in notes[0]  # a match that isn't over has no CMN
    assert json.loads((tmp_path / "m.json").read_text())["schema"] == "match/1"
    assert len(shots_csv(data).splitlines()) == 5


def test_the_report_stands_alone_and_leads_to_the_moments(scored, data):
    asked = {**data, "review": [{"shot": 2, "round": 1, "time_s": 10.6, "why": "a <doubt>"}]}
    page = report(asked, scored.official.pictures, "my match.mp4")
    assert page.count("data:image/jpeg;base64,") == 4
    assert "my%20match.mp4#t=9.1" in page and "a &lt;doubt&gt;" in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_job_put_aside_goes_on_where_it_stopped(cache, data):
    def stop(at: float, of: float | None) -> None:
        if at > 13.0:
            signal.raise_signal(signal.SIGINT)

    first = score_video(CLIP, Agreed(discs=12), HINTS, stop)
    assert first.stopped == pytest.approx(13.0, abs=0.1) and len(first.result.ledger.shots) == 2
    seen: list[float] = []
    second = score_video(CLIP, Agreed(discs=12), HINTS, lambda at, of: seen.append(at))
    assert seen[0] > 13.0 and second.stopped is None
    again = match_json(second.result, second.info, CLIP.name, [])
    assert [s["start_s"] for s in again["shots"]] == [s["start_s"] for s in data["shots"]]
    assert [s["board_after"] for s in again["shots"]] == [s["board_after"] for s in data["shots"]]


def test_an_interrupt_in_the_middle_of_a_reading_cuts_nothing_in_two(cache, data, monkeypatch):
    plain, readings = table_reader.read_table, 0

    def struck(*given):
        nonlocal readings
        readings += 1
        if readings == 3:
            signal.raise_signal(signal.SIGINT)
        return plain(*given)

    monkeypatch.setattr(table_reader, "read_table", struck)
    first = score_video(CLIP, Agreed(discs=12), HINTS, quiet)
    assert first.stopped is not None
    second = score_video(CLIP, Agreed(discs=12), HINTS, quiet)
    again = match_json(second.result, second.info, CLIP.name, [])
    assert [(r["points"], r["twenties"]) for r in again["rounds"]] == [
        (r["points"], r["twenties"]) for r in data["rounds"]
    ]
    assert [s["board_after"] for s in again["shots"]] == [s["board_after"] for s in data["shots"]]


def test_frames_after_a_rest_are_looked_at_while_it_is_read(cache, data, monkeypatch):
    plain, fed, beside = table_reader.read_table, [0], []

    def slow(*given):
        before, until = fed[0], time.monotonic() + 0.5
        while fed[0] < before + 3 and time.monotonic() < until:
            time.sleep(0.002)
        beside.append(fed[0] > before)
        return plain(*given)

    monkeypatch.setattr(table_reader, "read_table", slow)
    official = CrokinoleOfficial(hints=HINTS)
    with VideoFile(CLIP) as video, closing(video.frames_ahead()) as frames:
        for frame in frames:
            official.feed(frame)
            fed[0] += 1
            if fed[0] % 50 == 0:
                pickle.dumps(official)  # a job may be put aside at any time
    official.finish()
    assert any(beside) and not all(beside), "but not where hands hide a disc, nor before discs were measured"
    again = match_json(conclude(official.ledger, official.follower.sides.words(), Agreed()), video.info, CLIP.name, [])
    assert again["shots"] == data["shots"]


def test_what_other_code_put_aside_is_not_gone_on_with(cache, monkeypatch):
    place = resume_path(CLIP, Agreed(discs=12), HINTS)
    put_aside(place, Aside(code_mark(), 1.0, CrokinoleOfficial()))
    assert take_up(place) is not None
    put_aside(place, Aside("other", 1.0, CrokinoleOfficial()))
    assert take_up(place) is None


def test_a_ruling_changes_the_log(scored):
    log = scored.log.up_to(len(scored.log.entries))
    assert entry_of(log, 3) == 3 and entry_of(log, 9) is None
    before = log.state.twenties
    rule(log, 2, "strike", 11.0)
    assert log.stuck is not None or log.state.twenties != before
    log = scored.log.up_to(len(scored.log.entries))
    disc = log.entries[2].event.disc
    rule(log, 3, f"value {disc} 10", 16.0)
    assert any(r.id == disc and r.value == 10 for r in [*log.history()][2][1].rests)
    with pytest.raises(ValueError, match="understood"):
        rule(log, 3, "what?", 16.0)


def test_the_official_tells_what_it_saw_and_knows_where_the_board_lies(scored):
    official = scored.official
    assert official.seen.view is not None and official.seen.state in ("resting", "hand", "moving")
    assert len(official.pictures) == 4


def part(out: Path, change=lambda at, picture: picture, start: float = 13.4) -> Path:
    """The clip from ``start`` seconds on (two shots), each picture changed, written anew."""
    with av.open(str(out), "w") as target, VideoFile(CLIP) as source:
        stream = target.add_stream("mpeg4", rate=25)
        stream.bit_rate, stream.gop_size = 4_000_000, 100
        stream.width, stream.height, stream.pix_fmt = source.info.width, source.info.height, "yuv420p"
        stream.codec_context.time_base = Fraction(1, 1000)
        for frame in source.frames():
            if frame.timestamp >= start:
                made = av.VideoFrame.from_ndarray(change(frame.timestamp, frame.pixels), format="bgr24")
                made.pts, made.time_base = round(1000 * (frame.timestamp - start)), Fraction(1, 1000)
                target.mux(stream.encode(made))
        target.mux(stream.encode(None))
    return out


def bumped(at: float, picture):
    """The camera is knocked between the two shots and stays where it is then."""
    return np.roll(picture, (7, 12), axis=(0, 1)) if at > 18.6 else picture


def cut_away(at: float, picture):
    """Another camera in between: somebody's face, so to speak."""
    return 255 - cv2.GaussianBlur(picture[::-1, ::-1], (0, 0), 9) if 18.2 < at < 19.3 else picture


@pytest.mark.parametrize(("change", "note"), [(bumped, "has moved"), (cut_away, "")])
def test_discs_keep_their_ids_when_the_camera_is_knocked_or_looks_elsewhere(cache, tmp_path: Path, change, note):
    scored = score_video(part(tmp_path / "a.mp4", change), Agreed(), HINTS, quiet)
    found = match_json(scored.result, scored.info, "a.mp4", scored.warnings)
    third, fourth = found["shots"]
    assert (third["colour"], fourth["colour"]) == ("blue", "red")
    assert fourth["removed"] == [third["disc"]] and fourth["touched"] == [third["disc"]]
    assert any(note in w for w in found["warnings"]) if note else not found["warnings"]


def test_what_is_there_of_a_file_that_was_cut_off_is_scored(cache, tmp_path: Path):
    data = part(tmp_path / "a.mkv").read_bytes()
    cut = tmp_path / "cut.mkv"
    cut.write_bytes(data[: int(0.55 * len(data))])
    scored = score_video(cut, Agreed(), HINTS, quiet)
    assert len(scored.result.ledger.shots) == 1
    assert any("cut off" in w for w in scored.warnings)


def test_several_videos_are_scored_at_once_and_one_that_fails_leaves_the_others_be(tmp_path: Path, monkeypatch):
    (tmp_path / "out").mkdir()
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"not a video" * 50)
    said: list[str] = []
    monkeypatch.setattr("click.echo", lambda message="", **_: said.append(str(message)))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    good = part(tmp_path / "good.mp4")
    assert score_many((broken, good), Agreed(), HINTS, tmp_path / "out", jobs=2) == 2
    assert {p.name for p in (tmp_path / "out").iterdir()} == {
        "good.json", "good.csv", "good.log.jsonl", "good.report.html", "broken.json",
    }  # fmt: skip
    assert json.loads((tmp_path / "out" / "broken.json").read_text())["error"]["code"] == "unreadable_input"
    assert any("broken.mp4" in words for words in said) and any("2 shots" in words for words in said)


def test_a_video_without_a_board_is_refused(cache, tmp_path: Path):
    path = tmp_path / "gray.mp4"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 160, 96, "yuv420p"
        for _ in range(10):
            picture = np.full((96, 160, 3), 120, np.uint8)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        out.mux(stream.encode(None))
    with pytest.raises(NotFoundError) as error:
        score_video(path, Agreed(), BoardHints(), quiet)
    assert error.value.code == "no_board"


def test_the_command_writes_json_clips_and_the_annotated_video(cache, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = [str(CLIPS / "phone.mp4"), "--json", "a.json", "--annotate", "a.mp4", "--clip", "1", "--quiet"]
    run = CliRunner().invoke(score, arguments, catch_exceptions=False)
    assert run.exit_code == 0, run.output
    found = json.loads(Path("a.json").read_text())
    assert (found["video"]["width"], found["video"]["height"]) == (720, 1280)
    assert len(found["shots"]) == 1 and found["shots"][0]["start_s"] == pytest.approx(4.86, abs=0.2)
    with VideoFile(tmp_path / "phone.shot1.mp4") as clip, VideoFile(tmp_path / "a.mp4") as drawn:
        assert sum(1 for _ in clip.frames()) > 60
        assert (drawn.info.width, drawn.info.height) == (720, 1280)


def test_why_a_video_could_not_be_scored_is_written_where_its_result_would_be(tmp_path: Path, capsys):
    target = tmp_path / "a.json"
    assert main(["score", str(tmp_path / "missing.mp4"), "--json", str(target)]) == 2
    error = json.loads(target.read_text())["error"]
    assert error["code"] == "unreadable_input" and "missing.mp4" in error["message"]
    assert json.loads(capsys.readouterr().out)["error"] == error


def test_what_can_not_be_taken_up_is_none(tmp_path: Path):
    place = tmp_path / "job.resume"
    for content in (b"", b"hello", b"\x80\x04\x95", b"cos\nsystem\n", b"(lp0\n.", b"h\x05.", b"1."):
        place.write_bytes(content)
        assert take_up(place) is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a file", "--json", "a file"], "the video to be read"),
        (["a.mp4", "--out", "a file"], "no folder can be made there"),
        (["a.mp4", "b.mp4"], "--out"),
        (["a.mp4", "b.mp4", "--json", "x.json"], "for one"),
        (["missing.mp4"], "no such file"),
        (["."], "this is a folder; name a video in it"),
        (["missing.mp4", "--json", "nowhere/x.json"], "doesn't exist"),
    ],
)
def test_wrong_calls_are_refused(arguments, words, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a file").touch()
    said: list[str] = []
    monkeypatch.setattr("click.echo", lambda message="", **_: said.append(str(message)))
    assert main(["score", *arguments]) == 2
    assert words in " ".join(said)


@pytest.mark.parametrize("name", ["board.jpg", "board.mp4"])
def test_a_picture_is_no_video_and_is_said_to_be_one(name: str, cache, tmp_path: Path, capsys) -> None:
    path = tmp_path / name
    shutil.copyfile(Path(__file__).parents[1] / "sample_images" / "02_natural_and_black.jpg", path)
    assert main(["score", str(path), "--quiet", "--json", str(tmp_path / "out.json")]) == 2
    assert f"{name}: this is a picture; 'referee read' reads pictures" in capsys.readouterr().err
    assert json.loads((tmp_path / "out.json").read_text())["error"]["code"] == "no_video"


@pytest.mark.parametrize(("clip", "why"), [("0", "is not in the range"), ("99", "has no room for so many shots")])
def test_a_clip_that_there_can_not_be_is_refused_before_the_video_is_read(
    clip: str, why: str, cache, tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.match_score.score_video", lambda *_: pytest.fail("the video was read"))
    monkeypatch.chdir(tmp_path)
    assert main(["score", str(CLIP), "--quiet", "--clip", clip]) == 2
    assert why in capsys.readouterr().err


def test_a_length_that_is_not_used_is_said() -> None:
    board, line = BUILT_IN["nca"], "the shooting line of 290 mm that was given isn't used: "
    assert BoardHints(board).unused() == BoardHints(shooting_mm=290.0).unused() == ()
    assert BoardHints(board, 290.0).unused() == (f"{line}the board {board.name} gives the lengths",)
    assert BoardHints(None, 290.0).unused(saved=True) == (f"{line}the saved set-up gives the lengths",)
    assert len(BoardHints(board, 290.0).unused(saved=True)) == 2


@pytest.mark.parametrize("frames", [1, 30])
def test_without_any_play_no_shot_was_seen_and_no_colours_are_made_up(frames, cache, tmp_path: Path, capsys):
    picture = tmp_path / "board.mp4"
    board = Path(__file__).parents[1] / "sample_images" / "02_natural_and_black.jpg"
    pixels = cv2.resize(cv2.imread(str(board)), (960, 540))
    with av.open(str(picture), "w") as out:
        stream = out.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 960, 540, "yuv420p"
        for _ in range(frames):
            out.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="bgr24")))
        out.mux(stream.encode(None))
    assert main(["score", str(picture), "--quiet", "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr()
    assert "no shot was seen" in printed.err and "score:" not in printed.out
    found = json.loads((tmp_path / "out" / "board.json").read_text())
    assert found["shots"] == [] and found["score"] == {}
    assert any("no shot was seen" in w for w in found["warnings"])
    assert "no shot was seen" in (tmp_path / "out" / "board.report.html").read_text()

"""The live table: what is seen becomes events and questions; what is wrong with the picture changes no score."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.errors import UnusableInputError
from live.sources import NAME, Scripted, frame, picture, until
from referee.dashboard.summary import summary
from referee.dashboard.texts import Texts
from referee.desk import Desk, OpenMatch
from referee.hall import SAMPLE, Hall, samples_folder
from referee.kept_cameras import KeptCameras
from referee.live import LiveTable
from referee.logfile import options_of, read_log
from referee.officials import Answer, Evidence, Proposal, Question, Seen
from referee.officials.crokinole import chosen_side
from referee.officials.registry import official_for
from referee.rules.crokinole import Shot
from referee.rules.yacht import Fill, Roll
from referee.settings import Settings
from referee.store import Store, StoreError
from referee.table_look import TableLook
from referee.watchdog import WatchedSource
from vision.cameras import SourceName, open_source
from vision.frames import Frame

FAST = 1e9
"""Videos are given out as fast as they are taken."""


class Told:
    """An official that says what a test tells it to."""

    game = "yacht"

    def __init__(self) -> None:
        self.next: list[Proposal | Question] = []
        self.followed: list[Any] = []
        self.fed = 0
        self.moved = 0
        self.seen = Seen("resting")

    def feed(self, _frame: Frame) -> Sequence[Proposal | Question]:
        self.fed += 1
        told, self.next = self.next, []
        return told

    def finish(self) -> Sequence[Proposal | Question]:
        return self.feed(frame(0.0))

    def follow(self, state: Any) -> None:
        self.followed.append(state)

    def board_moved(self) -> None:
        self.moved += 1


def table_for(match: OpenMatch, official: Any) -> LiveTable:
    source = WatchedSource(NAME, opener=lambda _name: Scripted(iter([None])))
    return LiveTable(match, source, official)


def roll(*dice: int) -> Roll:
    return Roll("Ana", dice)


def test_a_proposal_is_kept_with_its_picture(desk: Desk) -> None:
    match, official = desk.create("yacht", {"players": ["Ana"]}, {}), Told()
    table = table_for(match, official)
    official.next = [Proposal(roll(1, 2, 3, 4, 5), 3.5, evidence=Evidence(b"picture", "the dice"))]
    table.see(frame(3.5))
    (entry,) = match.log.entries
    assert (entry.who, entry.kind) == ("camera", "observed")
    assert entry.evidence is not None
    assert desk.evidence.get(match.id, entry.evidence)[0] == b"picture"
    assert official.followed == [match.log.state]
    table.close()


def test_what_the_rules_refuse_becomes_a_question_once(desk: Desk) -> None:
    match, official = desk.create("yacht", {"players": ["Ana"]}, {}), Told()
    table = table_for(match, official)
    for _ in range(2):
        official.next = [Proposal(Roll("Eve", (1, 2, 3, 4, 5)), 1.0)]
        table.see(frame(1.0))
    assert match.revision == 0
    (question,) = match.questions.all_open()
    assert (question.doubt, question.clause) == ("unexpected", "Y1")
    match.answer(question.key, 1, 2.0, "Ana")
    assert match.questions.all_open() == []
    table.close()


def test_a_doubt_goes_on_with_the_likelier_answer_until_it_is_ruled(desk: Desk) -> None:
    match, official = desk.create("yacht", {"players": ["Ana"]}, {}), Told()
    table = table_for(match, official)
    likely, other = roll(1, 2, 3, 4, 5), roll(1, 2, 3, 4, 6)
    official.next = [
        Question(
            "die 5",
            "hidden",
            "a hand was over it",
            2.0,
            (Answer("5", likely), Answer("6", other)),
            Proposal(likely, 2.0),
        )
    ]
    table.see(frame(2.0))
    assert match.log.state.dice == (1, 2, 3, 4, 5)
    match.answer("die 5", 1, 9.0, "Ana")
    assert match.log.state.dice == (1, 2, 3, 4, 6)
    table.see(frame(2.1))
    assert official.followed[-1] == match.log.state  # the official goes on from what was ruled
    assert match.log.entries[-1].why == "a hand was over it: 6"
    table.close()


def away(*_args: Any, **_more: Any) -> Any:
    raise StoreError("no answer", code="store_down")


def test_what_is_seen_while_the_store_is_away_waits_for_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    match, official = desk.create("yacht", {"players": ["Ana"]}, {}), Told()
    table = table_for(match, official)
    likely, other = roll(1, 2, 3, 4, 5), roll(1, 2, 3, 4, 6)
    answers = (Answer("5", likely), Answer("6", other))
    monkeypatch.setattr("referee.live.STORE_PAUSE_MOST", 0.0)
    with monkeypatch.context() as silent:
        for name in ("reading", "writing"):
            silent.setattr(desk.store, name, away)
        official.next = [Question("die 5", "hidden", "a hand was over it", 2.0, answers, Proposal(likely, 2.0))]
        table.see(frame(2.0))
        official.next = [Proposal(Fill("Ana", "choice"), 2.0)]
        table.see(frame(2.1))
        assert (match.revision, table.state.unstored) == (0, 2)
        assert official.followed[-1].turn == 1  # the official goes on as if it were stored
        table.see(frame(2.2))
    table._offer_at = 0.001
    table.see(frame(2.3))
    assert (match.log.score, table.state.unstored) == ({"Ana": 15}, 0)
    assert [q.key for q in match.questions.all_open()] == ["die 5"]
    assert match.questions.all_open()[0].entry == 1
    assert desk.store.load(match.id).log.entries == match.log.entries
    table.close()


@pytest.mark.parametrize("stored", [True, False])
def test_an_event_whose_answer_was_lost_is_noted_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, stored: bool
) -> None:
    """A server that dies has sometimes kept what it didn't confirm; and another program may write in between."""
    match, official = desk.create("yacht", {"players": ["Ana"]}, {}), Told()
    table, real = table_for(match, official), desk.store.append

    def cut_off(*args: Any) -> Any:
        if stored:
            real(*args)
        else:
            other = Store(desk.store.shown_url)
            Desk(other).open(match.id).observe(roll(6, 6, 6, 6, 6), 1.0, "another program")
            other.close()
        desk.store.text = away  # type: ignore[method-assign]
        raise StoreError("the server closed the connection", code="store_down")

    monkeypatch.setattr(desk.store, "append", cut_off)
    monkeypatch.setattr("referee.live.STORE_PAUSE", 0.0)
    official.next = [Proposal(roll(1, 2, 3, 4, 5), 3.5)]
    table.see(frame(3.5))
    assert match.revision == 0
    monkeypatch.setattr(desk.store, "append", real)
    del desk.store.text
    for at in (3.6, 3.7, 3.8):
        table._offer_at = 0.001
        table.see(frame(at))
    assert [e.event.dice for e in match.log.entries][-1] == (1, 2, 3, 4, 5)
    assert (match.revision, table.state.unstored) == (1 if stored else 2, 0)
    table.close()


def test_two_programs_that_see_one_table_note_an_event_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    match, first, second = desk.create("yacht", {"players": ["Ana"]}, {}), Told(), Told()
    other = Desk(Store(desk.store.shown_url)).open(match.id)
    tables = [table_for(match, first), table_for(other, second)]
    monkeypatch.setattr("referee.live.STORE_PAUSE", 0.0)
    for at, dice in ((1.0, (1, 2, 3, 4, 5)), (2.0, (1, 2, 3, 4, 5)), (3.0, (6, 6, 6, 6, 6))):
        for table, official in zip(tables, (first, second), strict=True):
            official.next = [Proposal(roll(*dice), at + 0.1 * (official is second))]
            table.see(frame(at))
            table.see(frame(at + 0.2))
    assert [e.event.dice[0] for e in match.desk.store.load(match.id).log.entries] == [1, 1, 6]
    for table in tables:
        table.close()
    other.desk.store.close()


def test_a_match_goes_on_without_pictures_where_they_find_no_room(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    match, official = desk.create("yacht", {"players": ["Ana"]}, {}), Told()
    table = table_for(match, official)

    def full(*_args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(desk.evidence, "_write", full)
    official.next = [Proposal(roll(1, 2, 3, 4, 5), 3.5, evidence=Evidence(b"picture", "the dice"))]
    table.see(frame(3.5))
    assert [e.evidence for e in match.log.entries] == [None]
    table.close()


class Settling(Told):
    """Sees what lies there at the second glance: the first comes while it is still being read."""

    glances = 0

    def glance(self) -> dict[str, int] | None:
        self.glances += 1
        return {"Ana": 12} if self.glances > 1 else None


def test_what_seems_to_lie_there_is_told_once_while_the_table_settles(desk: Desk) -> None:
    match, official = desk.create("yacht", {"players": ["Ana"]}, {}), Settling()
    table = table_for(match, official)
    for at, state, told in (
        (0.0, "moving", None),
        (0.1, "settling", None),
        (0.2, "settling", {"Ana": 12}),
        (0.3, "settling", {"Ana": 12}),
        (0.4, "resting", None),
    ):
        official.seen = Seen(state)  # type: ignore[arg-type]
        table.see(frame(at))
        assert table.state.provisional == told
    assert official.glances == 2
    assert match.revision == 0
    table.close()


def test_a_later_question_is_about_the_entry_that_it_names(desk: Desk) -> None:
    match, official = desk.create("yacht", {"players": ["Ana"]}, {}), Told()
    table = table_for(match, official)
    official.next = [Proposal(roll(1, 2, 3, 4, 5), 2.5, evidence=Evidence(b"picture", "the dice"))]
    table.see(frame(2.5))
    official.next = [Question("later", "unexpected", "a 6?", 2.5, (Answer("6", roll(1, 2, 3, 4, 6)),), about=2.5)]
    table.see(frame(4.0))
    (asked,) = match.questions.all_open()
    assert asked.entry == 1
    assert [kept.kept for kept in desk.evidence.list(match.id)] == [True]  # a disputed call is kept
    match.answer("later", 0, 5.0, "Ana")
    assert match.log.state.dice == (1, 2, 3, 4, 6)
    table.close()


def changed(make: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    return np.asarray(make(picture()), dtype=np.uint8)


LOOKS = {
    "dark": lambda p: (p // 12).astype(np.uint8),
    "blurred": lambda p: cv2.GaussianBlur(p, (41, 41), 12),
    "covered": lambda p: cv2.rectangle(p.copy(), (60, 0), (190, 130), (20, 20, 60), -1),
    "moved": lambda p: np.roll(p, (40, 60), axis=(0, 1)),
}


@pytest.mark.parametrize("look", LOOKS)
def test_what_is_wrong_with_the_picture_is_said_and_changes_no_score(desk: Desk, look: str) -> None:
    match, official = desk.create("yacht", {"players": ["Ana"]}, {}), Told()
    table = table_for(match, official)
    for i in range(30):
        table.see(frame(i / 10))
    assert table.state.look == "good"
    bad = changed(LOOKS[look])
    seen = set()
    for i in range(60):
        shifted = np.roll(bad, (i % 7) * 9, axis=1) if look == "covered" else bad
        table.see(frame(3 + i / 10, shifted))
        seen.add(table.state.look)
    assert look in seen
    assert match.revision == 0
    for i in range(30):
        table.see(frame(10 + i / 10))
    assert table.state.look in ("good", "moved")
    table.close()


class Broken(Told):
    def feed(self, _frame: Frame) -> Sequence[Proposal | Question]:
        self.fed += 1
        raise ZeroDivisionError


def test_an_official_that_fails_ends_neither_picture_nor_match(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    match, official = desk.create("yacht", {"players": ["Ana"]}, {}), Broken()
    source = WatchedSource(NAME, opener=lambda _name: Scripted(frame(i / 10) for i in range(400)))
    table = LiveTable(match, source, official).start()
    until(lambda: table.official is None, 20)
    until(lambda: table.picture.number > 3, 20)
    assert table.state.table == "none"
    match.note(roll(1, 2, 3, 4, 5), 1.0, "Ana")
    assert "the official failed" in caplog.text
    table.close()


def test_nothing_is_fed_in_the_dark(desk: Desk) -> None:
    match, official = desk.create("yacht", {"players": ["Ana"]}, {}), Told()
    table = table_for(match, official)
    for i in range(5):
        table.see(frame(i / 10, picture(3)))
    assert official.fed == 0
    table.close()


def test_light_that_changes_slowly_is_no_news() -> None:
    look = TableLook(22.0, 12.0)
    seen = {look.see(frame(i / 10, picture(100 + i // 4))) for i in range(200)}
    assert seen == {"good"}


def test_the_end_of_the_source_tells_what_is_left(desk: Desk) -> None:
    match, official = desk.create("yacht", {"players": ["Ana"]}, {}), Told()
    official.next = [Proposal(roll(1, 1, 1, 1, 1), 1.0)]
    table = table_for(match, official).start()
    until(lambda: match.revision == 1)
    assert table.state.condition.condition == "ended"
    table.close()


def test_the_sample_match_is_scored_as_it_was_played(desk: Desk) -> None:
    truth = read_log(samples_folder() / "crokinole.log.jsonl").log
    match = desk.create("crokinole", options_of(truth.engine), dict(truth.about))
    table = table_for(match, official_for(match))
    film = open_source(SourceName("video", "sample", str(samples_folder() / "crokinole.mp4")), pace=FAST)
    while (picture_ := film.read()) is not None:
        table.see(picture_)
    assert table.official is not None
    table._take(table.official.finish())
    assert [(p.points, p.twenties) for p in match.log.state.played] == [
        (p.points, p.twenties) for p in truth.state.played
    ]
    assert match.log.score == truth.score
    assert match.log.engine.winners(match.log.state)
    shots = [e for e in match.log.entries if isinstance(e.event, Shot)]
    known = [e for e in truth.entries if isinstance(e.event, Shot)]
    for told, was in zip(shots, known, strict=True):
        assert abs(told.at - table._epoch - was.at) < 0.25
        assert (told.event.seat, set(told.event.touched)) == (was.event.seat, set(was.event.touched))
    whole, _ = desk.evidence.get(match.id, str(shots[0].evidence))
    pixels = cv2.imdecode(np.frombuffer(whole, np.uint8), cv2.IMREAD_COLOR)
    assert pixels is not None
    assert pixels.shape[:2] == (540, 960)  # a call is audited from the frame as it was seen
    drawn, plain = table.picture.jpeg(True), table.picture.jpeg(False)
    assert drawn is not None
    assert plain is not None
    assert drawn != plain
    table.close()


def test_a_clip_of_each_event_is_kept(desk: Desk) -> None:
    match, official = desk.create("yacht", {"players": ["Ana"]}, {}), Told()
    source = WatchedSource(NAME, opener=lambda _name: Scripted(iter([None])))
    table = LiveTable(match, source, official, clips=True)
    for i in range(60):
        if i == 50:
            official.next = [Proposal(roll(1, 2, 3, 4, 5), 5.0)]
        table.see(frame(i / 10))
    until(lambda: bool(desk.evidence.clips(match.id)))
    content, kind = desk.evidence.get(match.id, desk.evidence.clips(match.id)[1])
    assert kind == "video/mp4"
    assert content[4:8] == b"ftyp"
    table.close()


def test_the_camera_goes_on_with_the_match_after_a_restart(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'm.sqlite'}")
    hall = Hall(Desk(store), Settings(), official_for, FAST)
    match = hall.begin_sample()
    until(lambda: match.revision >= 2, 120)
    hall.close()
    kept = match.revision
    again = Hall(Desk(store), Settings(), official_for, FAST)
    assert again.enter(None, None) == f"/match/{match.id}"
    match = again.desk.open(match.id)
    table = again.table(match)
    assert table is not None
    until(lambda: match.revision >= kept + 2, 120)
    again.close()
    assert [e.at for e in match.log.entries] == sorted({e.at for e in match.log.entries})
    truth = read_log(samples_folder() / "crokinole.log.jsonl").log
    points = [sum(d.value or 0 for d in state.board) for _, _, state in match.log.history()]
    assert points == [sum(d.value or 0 for d in state.board) for _, _, state in truth.history()][: len(points)]
    store.close()


def test_only_its_owner_can_read_which_camera_follows_which_match(desk: Desk) -> None:
    hall = Hall(desk, Settings())
    match, other = desk.create("yacht", {"players": ["Ana"]}, {}), desk.create("yacht", {"players": ["Bo"]}, {})
    hall.attach(match, "http://someone:hidden@127.0.0.1:1/x")
    (path,) = desk.store.folder.parent.glob("*.cameras.json")
    assert path.stat().st_mode & 0o077 == 0
    kept = KeptCameras(path)
    assert kept.all() == {match.id: "http://someone:hidden@127.0.0.1:1/x"}
    hall.attach(other, "http://someone:hidden@127.0.0.1:1/x")
    assert list(kept.all()) == [other.id]
    hall.detach(other)
    assert kept.all() == {}
    path.write_text("no json")
    assert kept.all() == {}
    assert hall.enter(None, None) == "/"
    hall.close()


def test_two_matches_on_one_video_both_get_it_back(desk: Desk, tmp_path: Path) -> None:
    hall = Hall(desk, Settings())
    film = tmp_path / "film.mp4"
    film.write_bytes((samples_folder() / "crokinole.mp4").read_bytes())
    matches = [desk.create("yacht", {"players": [name]}, {}) for name in ("Ana", "Bo")]
    for match in matches:
        hall.attach(match, str(film))
    hall.close()
    again = Hall(desk, Settings())
    assert again.enter(None, None) == f"/match/{matches[1].id}"
    assert [again.table(match) is None for match in matches] == [False, False]
    again.close()


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("notes.md", b"# no video", "notes.md is no video .*; a camera, a stream, a video or a folder"),
        ("photo.jpg", b"", "photo.jpg is a picture: 'referee read' reads pictures; a camera"),
        ("empty", None, "no pictures in it; name a video, or a folder of pictures"),
    ],
)
def test_what_can_not_be_followed_begins_no_match(
    desk: Desk, tmp_path: Path, name: str, content: bytes | None, why: str
) -> None:
    path = tmp_path / "media" / name
    path.mkdir(parents=True) if content is None else path.parent.mkdir()
    if content is not None:
        path.write_bytes(content or cv2.imencode(".jpg", picture())[1].tobytes())
    hall = Hall(desk, Settings({"media": str(path.parent)}))
    with pytest.raises(UnusableInputError, match=why):
        hall.enter(str(path), None)
    with pytest.raises(UnusableInputError):
        hall.named(name)
    assert desk.rows() == []
    hall.close()


def test_a_match_without_a_set_up_takes_its_colours_from_the_table(desk: Desk) -> None:
    hall = Hall(desk, Settings(), official_for, FAST)
    assert hall.enter(str(samples_folder() / "crokinole.mp4"), None).startswith("/match/")
    match = desk.current()
    table = hall.table(match)
    assert table is not None
    until(lambda: len(table.colours) == 2, 120)
    assert set(table.colours) == {"Player 1", "Player 2"} == set(match.log.score)
    told = summary(match, table, Texts("en"))["sides"]
    assert {side["key"]: side["colour"] for side in told} == table.colours
    assert len(set(table.colours.values())) == 2
    hall.close()


def test_the_hall_follows_and_lets_go(desk: Desk) -> None:
    hall = Hall(desk, Settings())
    match = hall.begin_sample()
    table = hall.table(match)
    assert table is not None
    until(lambda: table.picture.number > 3, 20)
    assert hall.at(match) == table.at < 100
    before = match.version
    hall.attach(match, SAMPLE)
    assert hall.table(match) is not table
    hall.detach(match)
    assert hall.table(match) is None
    assert match.version > before
    assert hall.at(match) > 1e9
    hall.close()


def test_the_hall_enters_where_it_is_asked_to(desk: Desk) -> None:
    hall = Hall(desk, Settings())
    assert hall.enter(None, None) == "/"
    match = desk.create("yacht", {"players": ["Ana"]}, {})
    assert hall.enter(None, match.id) == f"/match/{match.id}"
    hall.close()


@pytest.mark.parametrize(
    ("sides", "words", "chosen"),
    [
        (("natural", "brown"), ("brown", "natural"), ("brown", "natural")),
        (("black", "natural"), ("natural", "brown"), ("natural", "black")),  # what is left is the other's
        (("black", "natural"), ("blue", "yellow"), (None, None)),
        (("black", "natural"), ("natural",), ("natural",)),
        (("red", "blue", "green"), ("red", "white", "green"), ("red", "blue", "green")),
        (("red", "blue", "green"), ("red", "white", "yellow"), ("red", None, None)),
    ],
)
def test_sides_are_told_by_the_colours_that_they_chose(
    sides: tuple[str, ...], words: tuple[str, ...], chosen: tuple[str | None, ...]
) -> None:
    assert tuple(chosen_side(sides, words, group) for group in range(len(words))) == chosen

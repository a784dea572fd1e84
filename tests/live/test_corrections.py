"""People correct what the camera reads: kept as a ruling, undone like one, and the camera goes on from it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dashboard.room import Room

from calibration.errors import NotFoundError, UnusableInputError
from live.sources import sample_frame
from referee.desk import Desk, OpenMatch
from referee.hall import samples_folder
from referee.live import LiveTable
from referee.log import MatchLog
from referee.logfile import options_of, read_log
from referee.officials import Correction, Lain, Place, TakesCorrections
from referee.officials.crokinole import CrokinoleOfficial
from referee.officials.registry import official_for
from referee.watchdog import WatchedSource
from vision.cameras import SourceName
from vision.frames import Frame

NAME = SourceName("usb", "test camera", "0")
ENTRY = 5
"""An entry of the sample after which a disc of each side lies on the board."""
CLEARED = 57.0
"""Seconds of the sample at which the board was cleared for its second round."""


def record() -> MatchLog:
    return read_log(samples_folder() / "crokinole.log.jsonl").log


@pytest.fixture(scope="module")
def frame() -> Frame:
    return sample_frame(record().entries[ENTRY - 1].at)


class Corrected:
    """A match of the sample up to an entry, and a camera that begins to look there."""

    def __init__(self, desk: Desk, frame: Frame, entries: int = ENTRY) -> None:
        self.frame = frame
        known = record()
        self.match: OpenMatch = desk.create("crokinole", options_of(known.engine), {})
        for entry in known.entries[:entries]:
            self.match.note(entry.event, entry.at, "Ana")
        source = WatchedSource(NAME, opener=lambda _name: (_ for _ in ()).throw(NotFoundError("no camera here")))
        self.table = LiveTable(self.match, source, official_for(self.match))
        self.at = 0.0
        self.look(1.2)

    def look(self, seconds: float) -> None:
        end = self.at + seconds
        while self.at < end:
            self.table.see(Frame(self.frame.pixels, "t", "", self.frame.width, self.frame.height, timestamp=self.at))
            self.at += 1 / 15

    def lain(self) -> dict[str, Lain]:
        """The discs by their colours."""
        return {lain.disc.colour: lain for lain in self.table.lain()[1]}

    def values(self) -> dict[int, int | None]:
        return {d.id: d.value for d in self.match.log.state.board}


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(tmp_path)
    yield made
    made.close()


@pytest.fixture
def scene(room: Room, frame: Frame) -> Iterator[Corrected]:
    made = Corrected(room.desk, frame)
    yield made
    made.table.close()


def test_a_camera_that_begins_in_mid_round_knows_which_disc_is_which(scene: Corrected) -> None:
    assert isinstance(scene.table.official, TakesCorrections)
    board = {d.id: d for d in scene.match.log.state.board}
    assert len(board) == 2
    for lain in scene.lain().values():
        assert lain.number is not None
        assert board[lain.number].value == lain.disc.value


def test_a_value_is_ruled_and_undone(scene: Corrected) -> None:
    blue = scene.lain()["blue"]
    assert blue.number is not None
    before, entries = scene.values(), scene.match.revision
    scene.table.correct(Correction(blue.disc.id, Place(value=5)), "Ana", "looked again")
    assert scene.values() == before | {blue.number: 5}
    ruled = scene.match.log.entries[-1]
    assert (ruled.kind, ruled.who, ruled.why, ruled.target) == ("ruled", "Ana", "looked again", entries)
    scene.look(1.5)  # the picture is the same as before: what people said holds
    assert scene.lain()["blue"].disc.value == 5
    assert scene.lain()["blue"].ruled
    scene.match.undo(1.0, "Ana")
    scene.look(0.2)
    assert scene.values() == before
    assert scene.lain()["blue"].disc.value == before[blue.number]
    assert not scene.lain()["blue"].ruled
    scene.match.redo(1.0, "Ana")
    scene.look(0.2)
    assert scene.lain()["blue"].disc.value == 5


def test_a_move_gives_the_value_of_its_place(scene: Corrected) -> None:
    yellow = scene.lain()["yellow"]
    for mm, value in (((0.0, 150.0), 10), ((250.0, 0.0), 5), ((1.0, 1.0), None)):
        scene.table.correct(Correction(yellow.disc.id, Place(mm=mm)), "Ana", "dragged")
        assert yellow.number is not None
        assert scene.values().get(yellow.number) == value
    assert scene.match.log.state.twenties == (1, 2)  # the last place was the hole


def test_what_isnt_there_is_gone_from_game_and_camera(scene: Corrected) -> None:
    blue = scene.lain()["blue"]
    scene.table.correct(Correction(blue.disc.id, there=False), "Ana", "a shadow")
    assert set(scene.lain()) == {"yellow"}
    assert blue.number not in scene.values()
    scene.look(1.5)
    assert set(scene.lain()) == {"yellow"}
    with pytest.raises(NotFoundError):
        scene.table.correct(Correction(blue.disc.id, Place(value=5)), "Ana", "too late")


def test_a_missed_shot_is_added_for_the_side_on_turn(scene: Corrected) -> None:
    state = scene.match.log.state
    turn = scene.match.log.engine.legal(state)["side"]
    other = next(s for s in state.setup.sides if s != turn)
    with pytest.raises(UnusableInputError, match="turn"):
        scene.table.correct(Correction(None, Place(mm=(100.0, 60.0)), other), "Ana", "missed")
    scene.table.correct(Correction(None, Place(mm=(100.0, 60.0)), turn), "Ana", "missed")
    assert len(scene.table.lain()[1]) == 3
    # which discs it touched nobody has said: the rules ask
    assert scene.match.log.state.undecided
    assert scene.match.log.engine.legal(scene.match.log.state)["rule"]


def test_of_another_side_is_refused_where_no_shot_could_do_that(scene: Corrected) -> None:
    yellow = scene.lain()["yellow"]
    entries = scene.match.revision
    with pytest.raises(Exception, match="C14"):
        scene.table.correct(Correction(yellow.disc.id, side="blue"), "Ana", "it is blue")
    assert scene.match.revision == entries


def test_another_side_takes_the_place_of_a_disc_that_seemed_to_have_left(scene: Corrected) -> None:
    blue, yellow = scene.lain()["blue"], scene.lain()["yellow"]
    # the camera had taken the disc that was struck for one that left
    scene.table.correct(Correction(yellow.disc.id, there=False), "Ana", "first")
    scene.table.correct(Correction(blue.disc.id, side="yellow"), "Ana", "then")
    assert yellow.number in scene.values()
    assert blue.number not in scene.values()


def test_before_the_first_shot_only_the_camera_is_told(room: Room, frame: Frame) -> None:
    scene = Corrected(room.desk, frame, 0)
    blue = scene.lain()["blue"]
    assert blue.number is None
    scene.table.correct(Correction(blue.disc.id, there=False), "Ana", "a mark on the wood")
    assert scene.match.revision == 0
    scene.match.note(record().entries[0].event, 1.0, "Ana")
    scene.look(1.0)
    assert set(scene.lain()) == {"yellow"}
    scene.table.close()


@pytest.mark.parametrize("players", ["3", "4"])
def test_a_disc_is_added_for_any_side_though_none_of_its_was_seen_yet(room: Room, frame: Frame, players: str) -> None:
    match = room.desk.create("crokinole", {"players": players, "discs": 6}, {})
    source = WatchedSource(NAME, opener=lambda _name: (_ for _ in ()).throw(NotFoundError("no camera here")))
    table = LiveTable(match, source, official_for(match))
    pictures = [Frame(frame.pixels, "t", "", frame.width, frame.height, timestamp=k / 15) for k in range(40)]
    for picture in pictures[:20]:
        table.see(picture)
    official = table.official
    assert isinstance(official, CrokinoleOfficial)
    seen = len(table.lain()[1])
    for k, side in enumerate(match.log.engine.setup.sides):
        table.correct(Correction(None, Place(mm=(-150.0 + 60 * k, 100.0)), side), "Ana", "hidden by a sleeve")
    added = [d for i, d in official.follower.table.items() if i > seen]
    assert len({d.group for d in added}) == len(match.log.engine.setup.sides)
    for d in added:  # a side of which no disc was seen has no colour to differ from
        assert official.follower.sides.gap(np.array([50.0, 0.0, 0.0]), d.group) >= 0
    for picture in pictures[20:]:
        table.see(picture)
    table.close()


def test_a_disc_that_people_put_there_is_kept_when_the_camera_is_bumped(scene: Corrected) -> None:
    official = scene.table.official
    assert isinstance(official, CrokinoleOfficial)
    side = scene.match.log.engine.legal(scene.match.log.state)["side"]
    scene.table.correct(Correction(None, Place(mm=(30.0, 40.0)), side), "Ana", "hidden by a sleeve")
    held = {i for i, d in official.follower.table.items() if d.held}
    assert len(held) == 1
    before, there = official.watch.scene, {lain.disc.colour for lain in scene.table.lain()[1]}
    pixels = np.roll(scene.frame.pixels, (24, 16), axis=(0, 1))
    scene.frame = Frame(pixels, "t", "", scene.frame.width, scene.frame.height)
    scene.look(3.0)
    assert official.watch.scene > before, "the board was looked for again"
    assert held <= set(official.follower.table), "people's word holds until the table changes there"
    assert {lain.disc.colour for lain in scene.table.lain()[1]} == there


def test_the_api_of_corrections(room: Room, scene: Corrected) -> None:
    room.hall._tables[scene.match.id] = scene.table
    path = f"/matches/{scene.match.id}/reading"
    reading = room.get(path)
    assert {d["colour"] for d in reading["discs"]} == {"blue", "yellow"}
    assert len(reading["rings"]) >= 3
    blue = next(d for d in reading["discs"] if d["colour"] == "blue")
    state = room.post(path, {"disc": blue["disc"], "value": 10, "inner": True, "who": "Ana"})
    assert state["events"][-1]["kind"] == "ruled"
    assert "worth 10" in state["events"][-1]["why"]
    told = next(d for d in room.get(path)["discs"] if d["disc"] == blue["disc"])
    assert (told["value"], told["inner"], told["ruled"]) == (10, True, True)
    there = next(d for d in reading["discs"] if d["colour"] == "yellow")
    room.post(path, {"disc": there["disc"], "px": there["px"]})
    moved = next(d for d in room.get(path)["discs"] if d["disc"] == there["disc"])
    assert moved["mm"] == pytest.approx(there["mm"], abs=0.5)
    wrong: list[tuple[dict[str, Any], str, int]] = [
        ({"disc": 999, "value": 5}, "no_disc", 404),
        ({"disc": blue["disc"]}, "bad_request", 400),
        ({"disc": blue["disc"], "value": 7}, "bad_request", 400),
        ({"disc": blue["disc"], "state": "flying"}, "bad_request", 400),
        ({"disc": blue["disc"], "px": [1]}, "bad_request", 400),
        ({"disc": blue["disc"], "mm": [1e9, 0]}, "bad_request", 400),
        ({"disc": blue["disc"], "value": 5, "revision": 1}, "conflict", 409),
        ({"side": "green", "mm": [0, 100]}, "bad_request", 400),
    ]
    for body, code, status in wrong:
        assert room.post(path, body, status)["error"]["code"] == code, body
    turn = room.get(f"/matches/{scene.match.id}")["legal"]["side"]
    other = "blue" if turn == "yellow" else "yellow"
    assert room.post(path, {"side": other, "mm": [0, 100]}, 409)["error"]["code"] == "no_shot"


def test_undo_and_redo_take_the_reading_along_where_no_new_picture_comes(scene: Corrected) -> None:
    blue = scene.lain()["blue"].disc
    for value in (5, 0):
        scene.table.correct(Correction(blue.id, Place(value=value)), "Ana", "looked again")
    for back in (5, blue.value):
        drawn = scene.table.picture.number
        scene.match.undo(1.0, "Ana")
        assert scene.lain()["blue"].disc.value == back
        assert scene.table.picture.number > drawn, "the picture is drawn anew"
    assert not scene.lain()["blue"].ruled
    for _ in range(2):  # both at once: the last word holds again
        scene.match.redo(1.0, "Ana")
    assert scene.lain()["blue"].disc.value == 0


def test_the_table_draws_what_was_undone_anew_though_nobody_asks(scene: Corrected) -> None:
    scene.table.correct(Correction(scene.lain()["blue"].disc.id, Place(value=5)), "Ana", "looked again")
    drawn = scene.table.picture.number
    scene.match.undo(1.0, "Ana")
    scene.table.start()
    assert scene.table.picture.wait(drawn, 5.0) > drawn


def recorded(desk: Desk, entries: int) -> Corrected:
    """The camera saw the board after the round's last shot, then the round was recorded."""
    known = record()
    scene = Corrected(desk, sample_frame(known.entries[entries - 1].at), entries)
    scene.match.note(known.entries[entries].event, 2.0, "Ana")
    scene.look(0.2)
    return scene


@pytest.mark.parametrize(("last", "colour", "scores"), [(8, "yellow", (20, 15)), (17, "blue", (55, 50))])
def test_once_the_round_is_recorded_its_last_shot_is_ruled_on(
    room: Room, last: int, colour: str, scores: tuple[int, int]
) -> None:
    """``last``: the last shot of the first round, and of the match; a disc worth 15 becomes one worth 10."""
    scene = recorded(room.desk, last)
    disc = next(d.disc for d in scene.table.lain()[1] if d.disc.colour == colour and d.disc.value == 15)

    def stands() -> tuple[int, int | None]:
        value = next(d.disc.value for d in scene.table.lain()[1] if d.disc.id == disc.id)
        return scene.match.log.score[colour], value

    assert stands() == (scores[0], 15)
    scene.table.correct(Correction(disc.id, Place(value=10, inner=True)), "Ana", "looked again")
    ruled = scene.match.log.entries[-1]
    assert (ruled.kind, ruled.who, ruled.why, ruled.target) == ("ruled", "Ana", "looked again", last)
    assert stands() == (scores[1], 10)
    scene.match.undo(3.0, "Ana")
    assert stands() == (scores[0], 15)
    scene.match.redo(3.0, "Ana")
    assert stands() == (scores[1], 10)
    scene.table.close()


def test_a_disc_of_a_recorded_round_is_gone_or_added_or_of_the_other_side(room: Room) -> None:
    scene = recorded(room.desk, 8)
    first, second = (d for d in scene.table.lain()[1] if d.disc.colour == "yellow")
    scene.table.correct(Correction(first.disc.id, there=False), "Ana", "a shadow")
    assert scene.match.log.score == {"blue": 0, "yellow": 5}
    scene.table.correct(Correction(second.disc.id, side="blue"), "Ana", "it is blue")  # the one that seemed to leave
    assert scene.match.log.score == {"blue": 5, "yellow": 0}
    scene.match.undo(3.0, "Ana")
    scene.table.correct(Correction(None, Place(mm=(0.0, 60.0)), "blue"), "Ana", "behind a sleeve")
    assert scene.match.log.score == {"blue": 10, "yellow": 0}
    assert len(scene.match.log.state.played) == 1
    scene.match.undo(3.0, "Ana")
    scene.match.undo(3.0, "Ana")
    entries = scene.match.revision
    with pytest.raises(UnusableInputError, match="recorded round") as refused:
        scene.table.correct(Correction(None, Place(mm=(0.0, 60.0)), "yellow"), "Ana", "behind a sleeve")
    assert refused.value.code == "no_shot"
    assert scene.match.revision == entries
    scene.table.close()


def test_once_a_new_rounds_shot_has_come_a_disc_of_the_round_before_is_refused(room: Room) -> None:
    scene = recorded(room.desk, 8)
    disc = next(d.disc for d in scene.table.lain()[1] if d.disc.value == 15)
    scene.table.correct(Correction(disc.id, Place(value=10)), "Ana", "looked again")
    scene.match.note(record().entries[9].event, 4.0, "Ana")
    entries = scene.match.revision
    with pytest.raises(UnusableInputError, match="round before") as refused:
        scene.table.correct(Correction(disc.id, Place(value=5)), "Ana", "too late")
    assert refused.value.code == "no_shot"
    assert (scene.match.revision, scene.match.log.stuck) == (entries, None)
    scene.match.undo(5.0, "Ana")  # without that shot the recorded round is the last one again
    scene.table.correct(Correction(disc.id, Place(value=5)), "Ana", "in time")
    assert scene.match.log.score == {"blue": 0, "yellow": 10}
    scene.table.close()


def test_on_a_cleared_board_a_missed_shot_is_the_new_rounds_first(room: Room) -> None:
    scene = recorded(room.desk, 8)
    scene.frame = sample_frame(CLEARED)
    scene.look(6.0)
    assert not scene.lain()
    scene.table.correct(Correction(None, Place(mm=(0.0, 60.0)), "yellow"), "Ana", "missed")
    state = scene.match.log.state
    assert (state.round, state.shots) == (2, 1)
    scene.table.close()


def test_the_api_tells_whose_the_discs_of_a_recorded_round_are(room: Room) -> None:
    scene = recorded(room.desk, 8)
    room.hall._tables[scene.match.id] = scene.table
    told = room.get(f"/matches/{scene.match.id}/reading")["discs"]
    assert [(d["side"], d["number"]) for d in told if d["value"] == 15] == [("yellow", 4)]
    state = room.post(f"/matches/{scene.match.id}/reading", {"disc": told[0]["disc"], "there": False})
    assert sum(side["score"] for side in state["sides"]) < 20, "scored anew"
    scene.table.close()

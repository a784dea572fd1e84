"""The desk: what isn't stored didn't happen; two programs on one store; followers that wait."""

import threading
from pathlib import Path
from typing import Any

import pytest

from dashboard.room import Room
from referee.desk import Desk, title_of
from referee.rules.yacht import Fill, Roll
from referee.store import ConflictError, StoreError

PLAYERS = {"players": ["Ana"]}


def test_what_could_not_be_stored_did_not_happen(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    match = room.desk.open(room.begin("yacht", PLAYERS)["id"])
    match.observe(Roll("Ana", (1, 2, 3, 4, 5)), 1.0, "x")
    real = room.store.append

    def full(*_args: Any) -> Any:
        raise StoreError("the disk is full", code="disk_full")

    monkeypatch.setattr(room.store, "append", full)
    answer = room.post(f"/matches/{match.id}/events", {"text": "choice"}, 503)
    assert answer["error"]["code"] == "disk_full"
    state = room.get(f"/matches/{match.id}")
    assert (state["revision"], state["sides"][0]["score"]) == (1, 0)
    monkeypatch.setattr(room.store, "append", real)
    assert room.post(f"/matches/{match.id}/events", {"text": "choice"})["sides"][0]["score"] == 15
    assert room.store.load(match.id).whole


def test_a_store_that_does_not_answer_leaves_the_match_as_it_was(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    match = room.desk.open(room.begin("yacht", PLAYERS)["id"])
    match.observe(Roll("Ana", (1, 2, 3, 4, 5)), 1.0, "x")
    before = room.get(f"/matches/{match.id}")

    def away(*_args: Any) -> Any:
        raise StoreError("no answer", code="store_down")

    with monkeypatch.context() as silent:
        for name in ("reading", "writing"):
            silent.setattr(room.store, name, away)
        for change, data in (("/events", {"text": "choice"}), ("/undo", {})):
            answer = room.post(f"/matches/{match.id}{change}", data, 503)
            assert answer["error"]["code"] == "store_down"
        state = room.get(f"/matches/{match.id}")
        assert (state["revision"], state["sides"]) == (1, before["sides"])
    assert room.post(f"/matches/{match.id}/events", {"text": "choice"})["sides"][0]["score"] == 15
    assert room.store.load(match.id).whole


def test_what_another_program_wrote_is_shown(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.desk.REFRESH_SECONDS", 0.0)
    match = room.desk.open(room.begin("yacht", PLAYERS)["id"])
    room.get(f"/matches/{match.id}")
    other = Desk(room.store).open(match.id)
    other.observe(Roll("Ana", (1, 2, 3, 4, 5)), 1.0, "two")
    version = match.version
    assert room.get(f"/matches/{match.id}")["revision"] == 1
    assert match.version > version  # who follows is told
    assert room.get(f"/matches/{match.id}")["version"] == match.version


DAMAGES = {
    "an entry": ("UPDATE events SET line = replace(line, 'x', 'y')", 400),
    "the first line": ("UPDATE matches SET header = 'x' || char(10)", 400),
    "a newer version's": ("UPDATE matches SET header = replace(header, '\"schema\":2', '\"schema\":9')", 400),
    "the list's result": ("UPDATE matches SET result = '{'", 200),
    "another result": ("UPDATE matches SET result = '[1]'", 200),
    "a result of texts": ('UPDATE matches SET result = \'{"score": 5, "winners": "x"}\'', 200),
    "the game": ("UPDATE matches SET game = 'chess'", 200),
    "the day": ("UPDATE matches SET begun = 1e30, changed = -1e30", 200),
    "a question": ("INSERT INTO questions SELECT id, 'k', '{', 1.0, NULL FROM matches", 200),
    "a clip": ("INSERT INTO evidence SELECT 'h', id, 'mp4', 1, 1.0, 'clip of entry x', 0 FROM matches", 200),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_what_is_damaged_in_one_match_hides_no_other(room: Room, what: str) -> None:
    damage, status = DAMAGES[what]
    hurt = room.begin("yacht", PLAYERS)["id"]
    room.desk.open(hurt).observe(Roll("Ana", (1, 2, 3, 4, 5)), 1.0, "x")
    with room.store.writing() as db:
        db.exec_driver_sql(damage)
    fresh = Room(Path(str(room.store.url.database)).parent)
    whole = fresh.begin("yacht", {"players": ["Bo"]})["id"]
    for page in ("/", "/statistics", f"/match/{whole}"):
        assert fresh.client.get(page).status_code == 200
    assert {m["id"] for m in fresh.get("/matches")["matches"]} == {hurt, whole}
    counts = fresh.get("/statistics")
    assert [p["name"] for p in counts["games"]["yacht"]] == ["Bo"] if status == 400 else ["Ana", "Bo"]
    assert counts["left_out"] == (status == 400)
    fresh.get(f"/matches/{hurt}", status)
    log = fresh.client.get(f"/api/v1/matches/{hurt}/log.jsonl")  # what is whole in it can be had in any case
    assert log.status_code == 200
    assert '"dice":[1,2,3,4,5]' in log.text
    fresh.close()


def test_two_programs_on_one_store(room: Room) -> None:
    match = room.desk.open(room.begin("yacht", PLAYERS)["id"])
    other = Desk(room.store).open(match.id)
    match.observe(Roll("Ana", (1, 2, 3, 4, 5)), 1.0, "one")
    with pytest.raises(ConflictError):
        other.observe(Roll("Ana", (6, 6, 6, 6, 6)), 1.0, "two")
    assert other.log.entries == match.log.entries  # it has been read again
    other.observe(Fill("Ana", "choice"), 2.0, "two")
    with pytest.raises(ConflictError):
        match.undo(3.0, "one")
    assert match.log.score == {"Ana": 15}
    assert match.revision == 2


def test_followers_wait_for_the_next_version(room: Room) -> None:
    match = room.desk.open(room.begin("yacht", PLAYERS)["id"])
    before = match.version
    assert match.wait(before, 0.01) == before
    threading.Timer(0.05, match.touched).start()
    assert match.wait(before, 5.0) == before + 1
    heard: list[int] = []
    room.desk.listen(lambda told: heard.append(told.revision))
    match.observe(Roll("Ana", (1, 2, 3, 4, 5)), 1.0, "x")
    assert heard == [1]


def test_a_title_is_made_of_the_sides(room: Room) -> None:
    assert room.begin("crokinole", about={"names": {"black": "Ana"}})["title"] == "Ana – natural"
    assert room.begin("crokinole", about={"title": "Final"})["title"] == "Final"
    assert title_of(room.desk.current().log)
    titles = {row.title for row in room.desk.rows()}
    assert titles == {"Ana – natural", "Final"}

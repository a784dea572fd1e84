"""The store: SQLite always, PostgreSQL where REFEREE_POSTGRES holds a URL."""

import json
import os
import random
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from calibration.errors import NotFoundError, UnusableInputError
from referee.cli import main
from referee.evidence import EvidenceFolder
from referee.kept_cameras import KeptCameras
from referee.log import MatchLog
from referee.logfile import options_of, parse_log, to_text
from referee.rules.yacht import Fill, Roll, Yacht
from referee.store import SCHEMA, ConflictError, Store, StoreError

POSTGRES = os.environ.get("REFEREE_POSTGRES", "")
KILLS = int(os.environ.get("REFEREE_KILLS", "40"))
PLAYERS = ["Ana", "Bo"]


def events_for(log: MatchLog, rng: random.Random) -> object:
    """Any legal event."""
    todo = log.engine.legal(log.state)
    if "fill" in todo["events"] and (rng.random() < 0.5 or "roll" not in todo["events"]):
        return Fill(todo["player"], rng.choice(list(todo["categories"])))
    return Roll(todo["player"], tuple(rng.randint(1, 6) for _ in range(5)))


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "sqlite":
        made = Store(f"sqlite:///{tmp_path / 'm.sqlite'}")
    elif POSTGRES:
        admin = Store(POSTGRES)
        with admin.writing() as db:
            db.execute(sa.text("DROP TABLE IF EXISTS questions, evidence, events, matches, store"))
        admin.close()
        made = Store(POSTGRES)
    else:
        pytest.skip("REFEREE_POSTGRES is not set")
    yield made
    made.close()


class Writer:
    """A scorekeeper with its own view of one match."""

    def __init__(self, store: Store, identifier: str) -> None:
        self.store, self.identifier = store, identifier
        self.read()

    def read(self) -> None:
        text = self.store.text(self.identifier)
        self.log = parse_log(text.encode()).log
        self.stored, self.sum = len(self.log.entries), json.loads(text.splitlines()[-1])["sum"]

    def note(self, rng: random.Random) -> None:
        self.log.observe(events_for(self.log, rng), time.time(), "writer")
        self.stored, self.sum = self.store.append(self.identifier, self.log, self.stored, self.sum, time.time())


def begin(store: Store) -> str:
    return store.create(MatchLog(Yacht({"players": PLAYERS}), (), {"place": "kitchen"}), 1000.0, "Ana - Bo")


def test_a_match_comes_back_as_it_was(store: Store) -> None:
    identifier = begin(store)
    writer, rng = Writer(store, identifier), random.Random(1)
    for _ in range(40):
        writer.note(rng)
    file = store.load(identifier)
    assert file.whole
    assert file.log.entries == writer.log.entries
    assert file.log.about == {"place": "kitchen"}
    assert options_of(file.log.engine)["players"] == PLAYERS
    assert store.text(identifier) == to_text(writer.log)
    (row,) = store.list()
    assert (row.id, row.game, row.title, row.events) == (identifier, "yacht", "Ana - Bo", 40)
    assert row.result["score"] == writer.log.score


def test_who_comes_second_is_told(store: Store) -> None:
    identifier = begin(store)
    first, second = Writer(store, identifier), Writer(store, identifier)
    first.note(random.Random(1))
    with pytest.raises(ConflictError, match="read again"):
        second.note(random.Random(2))
    second.read()
    second.note(random.Random(2))
    assert store.length(identifier) == 2
    assert store.load(identifier).whole


def test_two_writers_at_once_lose_and_double_nothing(store: Store) -> None:
    identifier = begin(store)
    noted = [0, 0]

    def write(me: int) -> None:
        writer, rng = Writer(store, identifier), random.Random(me)
        while noted[me] < 20:
            try:
                writer.note(rng)
                noted[me] += 1
            except ConflictError:
                writer.read()

    threads = [threading.Thread(target=write, args=(me,)) for me in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    file = store.load(identifier)
    assert file.whole
    assert len(file.log.entries) == sum(noted) == 40


def test_an_unknown_match(store: Store) -> None:
    with pytest.raises(NotFoundError, match="no match"):
        store.text("nobody")
    with pytest.raises(NotFoundError, match="no match"):
        log = MatchLog(Yacht({"players": PLAYERS}))
        log.observe(Roll("Ana", (1, 2, 3, 4, 5)), 0.0, "x")
        store.append("nobody", log, 0, "", 0.0)


def test_backup_while_a_match_goes_on(store: Store, tmp_path: Path) -> None:
    identifier = begin(store)
    writer = Writer(store, identifier)
    writer.note(random.Random(1))
    target = tmp_path / "kept" / "backup.sqlite"
    store.backup(target)
    writer.note(random.Random(2))
    copy = Store(f"sqlite:///{target}")
    assert copy.text(identifier) == "".join(store.text(identifier).splitlines(keepends=True)[:2])
    copy.close()
    with pytest.raises(UnusableInputError, match="exists already"):
        store.backup(target)


def test_kill_at_any_moment(tmp_path: Path) -> None:
    """SIGKILL while events are written: every acknowledged one is there, once, and the match goes on."""
    if not hasattr(os, "fork"):
        pytest.skip("needs fork")
    url = f"sqlite:///{tmp_path / 'm.sqlite'}"
    first = Store(url)
    identifier = begin(first)
    first.close()
    rng = random.Random(5)
    known = 0
    for turn in range(KILLS):
        read_end, write_end = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read_end)
            try:
                store, numbers = Store(url), random.Random(turn)
                writer = Writer(store, identifier)
                while True:
                    if writer.log.engine.over(writer.log.state):
                        writer.log.undo(0.0, "writer")
                        args = (identifier, writer.log, writer.stored, writer.sum, 0.0)
                        writer.stored, writer.sum = store.append(*args)
                    else:
                        writer.note(numbers)
                    os.write(write_end, f"{writer.stored}\n".encode())
            finally:
                os._exit(3)
        os.close(write_end)
        with os.fdopen(read_end, "rb") as pipe:
            acknowledged = [int(pipe.readline() or -1)]  # it has begun
            time.sleep(rng.random() * 0.03)
            os.kill(child, signal.SIGKILL)
            acknowledged += [int(line) for line in pipe.read().split()]
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), "the writer died by itself"
        store = Store(url)
        file = store.load(identifier)
        store.close()
        assert file.whole, file.problem
        count = len(file.log.entries)
        assert acknowledged[0] == known + 1
        assert acknowledged[-1] <= count <= acknowledged[-1] + 1
        known = count


def test_disk_full(tmp_path: Path) -> None:
    """Where the file can't grow, the event is refused with the reason, and what was there stays whole."""
    if not hasattr(os, "fork"):
        pytest.skip("needs fork and RLIMIT_FSIZE")
    resource = pytest.importorskip("resource")

    url = f"sqlite:///{tmp_path / 'm.sqlite'}"
    made = Store(url)
    identifier = begin(made)
    made.close()
    child = os.fork()
    if child == 0:
        code = 9
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
            store = Store(url)
            writer, rng = Writer(store, identifier), random.Random(1)
            try:
                for _ in range(100_000):
                    if writer.log.engine.over(writer.log.state):
                        writer.log.undo(0.0, "writer")
                    else:
                        writer.log.observe(events_for(writer.log, rng), 0.0, "w" * 3000)
                    args = (identifier, writer.log, writer.stored, writer.sum, 0.0)
                    writer.stored, writer.sum = store.append(*args)
            except StoreError as error:
                code = 0 if error.code == "disk_full" else 8
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.WEXITSTATUS(status) == 0
    again = Store(url)
    file = again.load(identifier)
    assert file.whole
    assert len(file.log.entries) > 5
    writer = Writer(again, identifier)
    writer.note(random.Random(3)) if not writer.log.engine.over(writer.log.state) else None
    again.close()


def test_an_older_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "m.sqlite"
    log = MatchLog(Yacht({"players": PLAYERS}))
    log.observe(Roll("Ana", (1, 2, 3, 4, 5)), 0.0, "x")
    header, line = to_text(log).splitlines(keepends=True)
    with sqlite3.connect(path) as db:
        db.executescript(
            "CREATE TABLE store (name VARCHAR(40) PRIMARY KEY, text TEXT NOT NULL);"
            "INSERT INTO store VALUES ('schema', '1');"
            "CREATE TABLE matches (id VARCHAR(36) PRIMARY KEY, game VARCHAR(20) NOT NULL, header TEXT NOT NULL,"
            " begun FLOAT NOT NULL, changed FLOAT NOT NULL);"
            "CREATE TABLE events (match VARCHAR(36) NOT NULL, number INTEGER NOT NULL, line TEXT NOT NULL,"
            " PRIMARY KEY (match, number));"
        )
        db.execute("INSERT INTO matches VALUES ('m1', 'yacht', ?, 1.0, 2.0)", (header,))
        db.execute("INSERT INTO events VALUES ('m1', 1, ?)", (line,))
    store = Store(f"sqlite:///{path}")
    assert store.load("m1").log.entries == log.entries
    Writer(store, "m1").note(random.Random(1))
    assert store.list()[0].result["score"] == {"Ana": 0, "Bo": 0} or store.list()[0].events == 2
    store.close()
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT text FROM store").fetchone() == (str(SCHEMA),)


def test_a_newer_schema_and_foreign_files_are_refused(tmp_path: Path) -> None:
    newer = tmp_path / "newer.sqlite"
    Store(f"sqlite:///{newer}").close()
    with sqlite3.connect(newer) as db:
        db.execute("UPDATE store SET text = ?", (str(SCHEMA + 1),))
    with pytest.raises(StoreError, match="install a newer one") as told:
        Store(f"sqlite:///{newer}")
    assert told.value.code == "newer_store"
    foreign = tmp_path / "foreign.sqlite"
    foreign.write_bytes(b"hello, this is a letter to my aunt " * 100)
    with pytest.raises(StoreError) as told:
        Store(f"sqlite:///{foreign}")
    assert told.value.code == "store_damaged"


@pytest.mark.parametrize(
    "url",
    [
        "mysql://x/y",
        "nonsense",
        "sqlite",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite:///m.sqlite?mode=ro",
        "sqlite+aiosqlite:///m.sqlite",
        "postgresql://me:p@ss:w/ord@host/name",
        "postgresql://me@host:54x/name",
        "postgresql+asyncpg://me@host/name",
    ],
)
def test_urls_that_can_not_be(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnusableInputError, match="store") as told:
        Store(url)
    assert "ss:w" not in str(told.value)
    assert list(tmp_path.iterdir()) == []


def test_the_address_as_providers_write_it() -> None:
    with pytest.raises(StoreError, match=r"^postgresql://me@127\.0\.0\.1:1/none: ") as told:
        Store("postgres://me@127.0.0.1:1/none")
    assert told.value.code == "store_down"
    assert "\n" not in str(told.value)


FOREIGN = (
    "CREATE TABLE recipes (name TEXT)",
    "CREATE TABLE store (price FLOAT)",
    "CREATE TABLE store (name TEXT, text TEXT)",
    "CREATE TABLE store (name TEXT, text TEXT); INSERT INTO store VALUES ('schema', 'two')",
    "CREATE TABLE store (name TEXT, text TEXT); INSERT INTO store VALUES ('schema', '0')",
    "CREATE TABLE store (name TEXT, text TEXT); INSERT INTO store VALUES ('schema', '1')",
)


@pytest.mark.parametrize("made_by", FOREIGN)
def test_a_database_of_another_program_is_refused_and_left_alone(made_by: str, tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(made_by)
    with pytest.raises(StoreError) as told:
        Store(f"sqlite:///{path}")
    assert told.value.code == "store_damaged"
    with sqlite3.connect(path) as db:
        assert len(db.execute("SELECT name FROM sqlite_master").fetchall()) == 1


@pytest.mark.parametrize("seed", range(8))
def test_a_file_with_damaged_bytes_is_refused_in_one_line(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "m.sqlite"
    made = Store(f"sqlite:///{path}")
    made.close()
    content, rng = bytearray(path.read_bytes()), random.Random(seed)
    for _ in range(200):
        content[rng.randrange(len(content))] = rng.randrange(256)
    path.write_bytes(content)
    with pytest.raises(StoreError) as told:
        Store(f"sqlite:///{path}")
    assert told.value.code == "store_damaged"
    assert "\n" not in str(told.value)


def test_a_place_where_no_file_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place, why in ((tmp_path, "folder"), (tmp_path / "file" / "m.sqlite", "folder can't be made")):
        with pytest.raises(StoreError, match=why):
            Store(f"sqlite:///{place}")
    made = Store(f"sqlite:///{tmp_path / 'm.sqlite'}")
    with pytest.raises(UnusableInputError, match="can't be written"):
        made.backup(tmp_path / "file" / "backup.sqlite")
    made.close()


def test_a_backup_that_fails_names_its_file_and_leaves_nothing(tmp_path: Path) -> None:
    made = Store(f"sqlite:///{tmp_path / 'm.sqlite'}")
    begin(made)
    made.close()
    (tmp_path / "m.sqlite").write_bytes(b"no longer a database" * 300)
    with pytest.raises(StoreError, match=r"into .*kept\.sqlite: this is no store"):
        made.backup(tmp_path / "kept.sqlite")
    assert not list(tmp_path.glob("kept*"))


def test_pictures_that_can_not_be_read_or_removed_cost_no_match(tmp_path: Path) -> None:
    made = Store(f"sqlite:///{tmp_path / 'm.sqlite'}")
    identifier = begin(made)
    folder = EvidenceFolder(made, 10_000)
    digest = folder.put(identifier, b"x", "jpg", 1.0)
    (folder.folder / f"{digest}.jpg").unlink()
    for name in (f"{digest}.jpg", "stray.jpg"):
        (folder.folder / name).mkdir()  # a folder can't be read, and not be removed like a file
    with pytest.raises(NotFoundError):
        folder.get(identifier, digest)
    assert folder.sweep() == 0
    folder.limit_bytes = 0
    assert folder.trim() == 1
    cameras = KeptCameras(tmp_path / "m.cameras.json")
    (tmp_path / "m.cameras.json").mkdir()
    cameras.keep(identifier, "0")
    assert cameras.all() == {}
    made.close()


def test_every_store_has_a_folder_of_its_own(tmp_path: Path) -> None:
    """A store removes at its start what it doesn't know: it must never look into another one's folder."""
    names = ("m.sqlite", "m.db", "m")
    stores = [Store(f"sqlite:///{tmp_path / name}") for name in names]
    assert len({s.folder for s in stores}) == len(names)
    assert stores[0].folder == tmp_path / "m.evidence"
    for made in stores:
        made.close()


def test_pictures_in_a_folder_once_shared_are_taken_over(tmp_path: Path) -> None:
    made = Store(f"sqlite:///{tmp_path / 'm.db'}")
    identifier = begin(made)
    shared = EvidenceFolder(made, 10_000)
    shared.folder = tmp_path / "m.evidence"
    digest = shared.put(identifier, b"x", "jpg", 1.0, view="kind = 'table'")
    (shared.folder / "of_another.jpg").write_bytes(b"y")
    found = EvidenceFolder(made, 10_000)
    assert found.get(identifier, digest)[0] == b"x"
    assert found.view_of(digest) is not None
    assert found.sweep() == 0
    assert (shared.folder / "of_another.jpg").exists()
    made.close()


def test_a_backup_beside_the_store_keeps_its_own_pictures(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'm.sqlite'}"
    made = Store(url)
    EvidenceFolder(made, 10_000).put(begin(made), b"x", "jpg", 1.0)
    made.close()
    assert main(["backup", str(tmp_path / "m.bak"), "--store", url]) == 0
    assert len(list((tmp_path / "m.bak-evidence").iterdir())) == 1
    copy = Store(f"sqlite:///{tmp_path / 'm.bak'}")
    assert EvidenceFolder(copy, 10_000).sweep() == 0
    copy.close()


def test_a_password_is_never_shown() -> None:
    with pytest.raises(StoreError) as told:
        Store("postgresql://me:secret@127.0.0.1:1/none?connect_timeout=1")
    assert "secret" not in str(told.value)


def test_evidence_is_limited_oldest_first_disputed_kept(store: Store, tmp_path: Path) -> None:
    identifier = begin(store)
    folder = EvidenceFolder(store, 2500)
    folder.folder = tmp_path / "files"
    first = folder.put(identifier, b"a" * 1000, "jpg", 1.0, "the line call", kept=True)
    second = folder.put(identifier, b"b" * 1000, "jpg", 2.0)
    third = folder.put(identifier, b"c" * 1000, "jpg", 3.0)
    assert [k.hash for k in folder.list(identifier)] == [first, third]
    assert folder.get(identifier, first) == (b"a" * 1000, "image/jpeg")
    with pytest.raises(NotFoundError, match="make room"):
        folder.get(identifier, second)
    assert len(list(folder.folder.iterdir())) == 2
    folder.protect(identifier, third)
    fourth = folder.put(identifier, b"d" * 1000, "jpg", 4.0)
    assert [k.hash for k in folder.list(identifier)] == [first, third]  # the newest had no room left
    folder.protect(identifier, first, kept=False)
    folder.put(identifier, b"e" * 1000, "jpg", 5.0)
    assert first not in [k.hash for k in folder.list(identifier)]
    assert fourth != third
    (folder.folder / "stray.jpg").write_bytes(b"x")
    assert folder.sweep() == 1
    with pytest.raises(NotFoundError):
        folder.protect(identifier, "../../etc/passwd")


def test_the_same_picture_twice_is_kept_once(store: Store, tmp_path: Path) -> None:
    folder = EvidenceFolder(store, 10_000)
    folder.folder = tmp_path / "files"
    one, two = begin(store), begin(store)
    assert folder.put(one, b"x", "jpg", 1.0) == folder.put(one, b"x", "jpg", 2.0) == folder.put(two, b"x", "jpg", 3.0)
    assert len(list(folder.folder.iterdir())) == 1
    assert folder.copy_to(tmp_path / "copy") == 1


def test_the_view_of_a_picture_comes_and_goes_with_it(store: Store, tmp_path: Path) -> None:
    folder = EvidenceFolder(store, 2500)
    folder.folder = tmp_path / "files"
    identifier = begin(store)
    with_view = folder.put(identifier, b"a" * 1000, "jpg", 1.0, view="kind = 'table'")
    without = folder.put(identifier, b"b" * 1000, "jpg", 2.0)
    path = folder.view_of(with_view)
    assert path is not None and path.read_text() == "kind = 'table'" and folder.view_of(without) is None
    assert folder.sweep() == 0 and folder.copy_to(tmp_path / "copy") == 3
    folder.put(identifier, b"c" * 1000, "jpg", 3.0)
    assert folder.view_of(with_view) is None
    assert len(list(folder.folder.iterdir())) == 2

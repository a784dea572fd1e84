"""The stored matches: SQLite in the user's data folder, or PostgreSQL by its URL; one transaction an event.

A match is its log and nothing else: the store keeps the log's lines exactly as :mod:`referee.logfile` writes them,
checksums and all, so that an export is the lines one after the other. A line is on the disk before :meth:`Store.append`
returns; two writers of one match can't both write the same line.
"""

import json
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from platformdirs import user_data_path
from sqlalchemy import event as sa_event
from sqlalchemy import exc

from calibration.errors import NotFoundError, TableError, UnusableInputError
from referee import __version__
from referee.log import MatchLog
from referee.logfile import LogFile, entry_line, header_line, line_sum, parse_log

SCHEMA = 2
BUSY_SECONDS = 10.0
"""How long a writer waits for another one before it gives up: an event takes milliseconds."""

metadata = sa.MetaData()
about_store = sa.Table(
    "store",
    metadata,
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
)
matches = sa.Table(
    "matches",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("game", sa.String(20), nullable=False),
    sa.Column("header", sa.Text, nullable=False),
    sa.Column("begun", sa.Float, nullable=False),
    sa.Column("changed", sa.Float, nullable=False),
    sa.Column("title", sa.Text, nullable=False, server_default=""),
    sa.Column("result", sa.Text, nullable=False, server_default=""),
)
events = sa.Table(
    "events",
    metadata,
    sa.Column("match", sa.String(36), sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("line", sa.Text, nullable=False),
)
evidence = sa.Table(
    "evidence",
    metadata,
    sa.Column("hash", sa.String(64), primary_key=True),
    sa.Column("match", sa.String(36), sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("kind", sa.String(10), nullable=False),
    sa.Column("bytes", sa.Integer, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("words", sa.Text, nullable=False),
    sa.Column("kept", sa.Boolean, nullable=False),
)
questions = sa.Table(
    "questions",
    metadata,
    sa.Column("match", sa.String(36), sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("key", sa.String(200), primary_key=True),
    sa.Column("data", sa.Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("closed", sa.Text),
)


class StoreError(TableError):
    """The store can't be used: disk_full, store_busy, store_damaged, newer_store or store_down."""


class ConflictError(TableError):
    """Somebody else wrote to the match first; read it again and decide anew."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="conflict")


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A stored match in the list. ``result`` is for showing and searching only: the truth is the log."""

    id: str
    game: str
    title: str
    begun: float
    changed: float
    events: int
    result: dict[str, Any]


def default_url() -> str:
    """The store in the user's data folder."""
    return f"sqlite:///{user_data_path('table-referee', appauthor=False) / 'matches.sqlite'}"


class Store:
    """Matches under one URL (``sqlite:///PATH`` or ``postgresql://...``); brings older schemas up to date."""

    def __init__(self, url: str | None = None) -> None:
        self.url = _parsed_url(url or default_url())
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._engine = self._connect()
        self._migrate()

    @property
    def shown_url(self) -> str:
        """The URL without its password."""
        return self.url.render_as_string(hide_password=True)

    @property
    def folder(self) -> Path:
        """Where files belong that are kept beside the matches (evidence)."""
        if self.is_sqlite and self.url.database not in (None, "", ":memory:"):
            path = Path(str(self.url.database))
            return path.with_name(path.stem + ".evidence")
        return user_data_path("table-referee", appauthor=False) / "evidence"

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    def create(self, log: MatchLog, at: float, title: str = "") -> str:
        """Store a new match with the entries that it has already; returns its id."""
        identifier = str(uuid.uuid4())
        header = header_line(log)
        lines, previous = [], line_sum(header)
        for entry in log.entries:
            lines.append(entry_line(log, entry, previous))
            previous = line_sum(lines[-1])
        row = {"id": identifier, "game": log.engine.game, "header": header, "begun": at, "changed": at}
        with self.writing() as db:
            db.execute(matches.insert(), {**row, "title": title, "result": _result(log)})
            if lines:
                db.execute(
                    events.insert(),
                    [{"match": identifier, "number": i, "line": line} for i, line in enumerate(lines, 1)],
                )
        return identifier

    def append(self, identifier: str, log: MatchLog, stored: int, previous_sum: str, at: float) -> tuple[int, str]:
        """Store what ``log`` has grown by since it had ``stored`` entries; returns its length and last checksum.

        ``previous_sum``: the checksum of the last stored line. All in one transaction; raises ConflictError when the
        match has another length in the store.
        """
        rows = []
        for entry in log.entries[stored:]:
            line = entry_line(log, entry, previous_sum)
            previous_sum = line_sum(line)
            rows.append({"match": identifier, "number": entry.number, "line": line})
        if not rows:
            return stored, previous_sum
        with self.writing() as db:
            changed = db.execute(
                matches.update().where(matches.c.id == identifier).values(changed=at, result=_result(log))
            )
            if changed.rowcount != 1:
                raise NotFoundError(f"there is no match {identifier}", code="no_match")
            if _length(db, identifier) != stored:
                raise ConflictError("somebody else wrote to this match first; it has been read again")
            db.execute(events.insert(), rows)
        return len(log.entries), previous_sum

    def text(self, identifier: str) -> str:
        """The log's file as text, exactly as it was written."""
        with self.reading() as db:
            header = db.execute(sa.select(matches.c.header).where(matches.c.id == identifier)).scalar_one_or_none()
            if header is None:
                raise NotFoundError(f"there is no match {identifier}", code="no_match")
            query = sa.select(events.c.line).where(events.c.match == identifier).order_by(events.c.number)
            return str(header) + "".join(db.execute(query).scalars())

    def load(self, identifier: str) -> LogFile:
        """Read a match; a damaged line stops the reading there, and ``problem`` says so."""
        return parse_log(self.text(identifier).encode(), f"match {identifier}")

    def length(self, identifier: str) -> int:
        """How many entries the stored match has."""
        with self.reading() as db:
            return _length(db, identifier)

    def begun(self, identifier: str) -> float:
        """When a match was begun, in seconds since 1970."""
        with self.reading() as db:
            found = db.execute(sa.select(matches.c.begun).where(matches.c.id == identifier)).scalar_one_or_none()
        if found is None:
            raise NotFoundError(f"there is no match {identifier}", code="no_match")
        return float(found)

    def list(self, limit: int = 200, game: str | None = None) -> list[MatchRow]:
        """The matches, the one changed last first."""
        count = sa.select(sa.func.count()).where(events.c.match == matches.c.id).scalar_subquery()
        query = sa.select(matches, count.label("count")).order_by(matches.c.changed.desc()).limit(limit)
        if game is not None:
            query = query.where(matches.c.game == game)
        with self.reading() as db:
            rows = db.execute(query).mappings().all()
        return [
            MatchRow(
                r["id"], r["game"], r["title"], r["begun"], r["changed"], r["count"], json.loads(r["result"] or "{}")
            )
            for r in rows
        ]

    def backup(self, target: Path) -> None:
        """Write everything into one new SQLite file, while matches may go on; ``target`` must not exist."""
        if target.exists():
            raise UnusableInputError(f"{target} exists already; choose another name for the backup")
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.with_name(target.name + ".new")
        fresh.unlink(missing_ok=True)
        if self.is_sqlite:
            with (
                _told(self.shown_url),
                closing(sqlite3.connect(str(self.url.database), timeout=BUSY_SECONDS)) as source,
                closing(sqlite3.connect(str(fresh))) as copy,
            ):
                source.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")
        else:
            self._copy_to(fresh)
        fresh.replace(target)

    def _copy_to(self, path: Path) -> None:
        other = Store(f"sqlite:///{path}")
        with self.reading() as db, other.writing() as copy:
            for table in (matches, events, evidence, questions):
                rows = [dict(row) for row in db.execute(sa.select(table)).mappings()]
                if rows:
                    copy.execute(table.insert(), rows)
        other.close()
        with closing(sqlite3.connect(str(path))) as plain:
            plain.execute("PRAGMA journal_mode=DELETE")

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """One transaction that writes; the database's errors come out as ours."""
        with _told(self.shown_url), self._engine.connect().execution_options(writes=True) as db, db.begin():
            yield db

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """One transaction that reads."""
        with _told(self.shown_url), self._engine.connect() as db:
            yield db

    def _connect(self) -> sa.Engine:
        if not self.is_sqlite:
            return sa.create_engine(self.url, pool_pre_ping=True)
        if self.url.database not in (None, "", ":memory:"):
            Path(str(self.url.database)).parent.mkdir(parents=True, exist_ok=True)
        engine = sa.create_engine(self.url, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False})

        @sa_event.listens_for(engine, "connect")
        def safe(connection: Any, _record: Any) -> None:
            connection.isolation_level = None  # SQLAlchemy says BEGIN itself, see below
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
                connection.execute(f"PRAGMA {pragma}").close()

        @sa_event.listens_for(engine, "begin")
        def begin(connection: sa.Connection) -> None:
            # a transaction that first reads and then writes must hold the lock from its start
            writes = connection.get_execution_options().get("writes", False)
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

        return engine

    def _migrate(self) -> None:
        with self.writing() as db:
            if not self.is_sqlite:
                db.execute(sa.text("SELECT pg_advisory_xact_lock(7291541)"))  # two programs may start at once
            names = sa.inspect(db).get_table_names()
            if "store" not in names:
                metadata.create_all(db)
                db.execute(about_store.insert(), {"name": "schema", "text": str(SCHEMA)})
                return
            found = db.execute(sa.select(about_store.c.text).where(about_store.c.name == "schema")).scalar_one()
            schema = int(found)
            if schema > SCHEMA:
                raise StoreError(
                    f"{self.shown_url}: written with schema {schema}, version {__version__} knows up to {SCHEMA}; "
                    "install a newer one",
                    code="newer_store",
                )
            for older in range(schema, SCHEMA):
                _MIGRATIONS[older](db)
            db.execute(about_store.update().where(about_store.c.name == "schema").values(text=str(SCHEMA)))


def _from_1(db: sa.Connection) -> None:
    """Schema 1 had neither titles and results for the list of matches nor evidence and questions."""
    for column in ("title", "result"):
        db.execute(sa.text(f"ALTER TABLE matches ADD COLUMN {column} TEXT NOT NULL DEFAULT ''"))
    evidence.create(db)
    questions.create(db)


_MIGRATIONS: dict[int, Callable[[sa.Connection], None]] = {1: _from_1}


def _length(db: sa.Connection, identifier: str) -> int:
    query = sa.select(sa.func.coalesce(sa.func.max(events.c.number), 0)).where(events.c.match == identifier)
    return int(db.execute(query).scalar_one())


def _result(log: MatchLog) -> str:
    tell = getattr(log.engine, "winners", None)
    return json.dumps({"score": log.score, "winners": tell(log.state) if tell else None})


def _parsed_url(text: str) -> sa.URL:
    try:
        url = sa.make_url(text)
    except exc.ArgumentError as error:
        raise UnusableInputError("the store's URL is not of the form sqlite:///PATH or postgresql://...") from error
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise UnusableInputError(f"the store can be sqlite or postgresql, not {url.get_backend_name()}")
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    return url


_KINDS = (
    ("full", "disk_full", "the disk is full; make room, nothing that was noted is lost"),
    ("no space", "disk_full", "the disk is full; make room, nothing that was noted is lost"),
    ("disk i/o", "disk_full", "the disk can't be written; see that it has room, nothing that was noted is lost"),
    ("locked", "store_busy", "another program holds the store; try again"),
    ("malformed", "store_damaged", "the file is damaged; go on with a backup"),
    ("not a database", "store_damaged", "this is no store of matches; choose another file"),
)


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Turn the database's errors into ours; a key that exists means that somebody else was faster."""
    try:
        yield
    except exc.IntegrityError as error:
        raise ConflictError("somebody else wrote to this match first; it has been read again") from error
    except (exc.DBAPIError, sqlite3.Error) as error:
        cause = str(getattr(error, "orig", error))
        for part, code, words in _KINDS:
            if part in cause.lower():
                raise StoreError(f"{name}: {words}", code=code) from error
        raise StoreError(f"{name}: {cause.splitlines()[0] if cause else 'no answer'}", code="store_down") from error
    except exc.NoSuchModuleError as error:
        raise StoreError(f"{name}: install the extra 'postgres' first ({error})", code="store_down") from error
    except ModuleNotFoundError as error:
        raise StoreError(f"{name}: install the extra 'postgres' first ({error})", code="store_down") from error

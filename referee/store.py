"""The stored matches: SQLite in the user's data folder, or PostgreSQL by its URL; one transaction an event.

A match is its log and nothing else: the store keeps the log's lines exactly as :mod:`referee.logfile` writes them,
checksums and all, so that an export is the lines one after the other. A line is on the disk before :meth:`Store.append`
returns; two writers of one match can't both write the same line.
"""

import hashlib
import json
import re
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

LAST_MOMENT = 253_000_000_000.0
"""In the year 9987: calendars end with 9999."""

POSTGRES_WAITS = {
    "connect_timeout": "10",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
"""How long a silent network is waited for, where the URL says nothing else; the system's own would be minutes."""

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


def folder_beside(path: Path) -> Path:
    """Where the pictures and clips of a SQLite file belong."""
    return path.with_name(path.stem + ".evidence" if path.suffix == ".sqlite" else path.name + "-evidence")


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
        return self.url.set(drivername=self.url.get_backend_name()).render_as_string(hide_password=True)

    @property
    def folder(self) -> Path:
        """Where files belong that are kept beside the matches (evidence); no two stores share one."""
        if self.is_sqlite:
            return folder_beside(Path(str(self.url.database)))
        url = self.url
        place = f"{url.host or ''}:{url.port or ''}/{url.database or ''}"
        word = re.sub(r"\W+", "-", url.database or "")
        name = f"evidence-{word}-{hashlib.sha256(place.encode()).hexdigest()[:8]}"
        return user_data_path("table-referee", appauthor=False) / name

    @property
    def folder_before(self) -> Path:
        """Where they were kept once, when stores could share a folder."""
        if self.is_sqlite:
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
                r["id"],
                r["game"],
                str(r["title"]),
                _moment(r["begun"]),
                _moment(r["changed"]),
                r["count"],
                _shown_result(r["result"]),
            )
            for r in rows
        ]

    def backup(self, target: Path) -> None:
        """Write everything into one new SQLite file, while matches may go on; ``target`` must not exist."""
        if target.exists():
            raise UnusableInputError(f"{target} exists already; choose another name for the backup")
        fresh = target.with_name(target.name + ".new")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            fresh.unlink(missing_ok=True)
            fresh.touch()
        except OSError as error:
            raise UnusableInputError(f"{target}: can't be written ({error.strerror}); choose another place") from error
        try:
            if self.is_sqlite:
                with (
                    _told(f"backup of {self.shown_url} into {target}"),
                    closing(sqlite3.connect(str(self.url.database), timeout=BUSY_SECONDS)) as source,
                    closing(sqlite3.connect(str(fresh))) as copy,
                ):
                    source.backup(copy)
                    copy.execute("PRAGMA journal_mode=DELETE")
            else:
                self._copy_to(fresh)
            fresh.replace(target)
        finally:
            fresh.unlink(missing_ok=True)

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
            waits = {name: value for name, value in POSTGRES_WAITS.items() if name not in self.url.query}
            with _told(self.shown_url):
                server = sa.create_engine(self.url, pool_pre_ping=True, connect_args=waits)

            @sa_event.listens_for(server, "connect")
            def patient(connection: Any, _record: Any) -> None:
                connection.execute(f"SET lock_timeout = '{BUSY_SECONDS:.0f}s'").close()
                connection.commit()

            return server
        path = Path(str(self.url.database))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = f"its folder can't be made ({error.strerror or error}); choose another place"
            raise StoreError(f"{self.shown_url}: {why}", code="store_down") from error
        if path.is_dir():
            raise StoreError(f"{self.shown_url}: this is a folder; name a file in it", code="store_down")
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
            names = set(sa.inspect(db).get_table_names())
            foreign = StoreError(f"{self.shown_url}: {FOREIGN}", code="store_damaged")
            if "store" not in names:
                # a server's database may hold tables of other programs, a file with any is another program's
                if names if self.is_sqlite else names & set(metadata.tables):
                    raise foreign
                metadata.create_all(db)
                db.execute(about_store.insert(), {"name": "schema", "text": str(SCHEMA)})
                return
            if not {"name", "text"} <= {column["name"] for column in sa.inspect(db).get_columns("store")}:
                raise foreign
            found = db.execute(sa.select(about_store.c.text).where(about_store.c.name == "schema")).scalar()
            if found is None or not str(found).isdecimal() or int(found) < 1:
                raise foreign
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


def _shown_result(text: str) -> dict[str, Any]:
    """What the list shows of a match; one that is damaged there shows nothing, and the log is still the truth."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    score, winners = (found.get("score"), found.get("winners")) if isinstance(found, dict) else (None, None)
    if not isinstance(score, dict) or not isinstance(winners, list | None):
        return {}
    return {"score": score, "winners": winners}


def _moment(value: Any) -> float:
    """Seconds since 1970 that a calendar can show."""
    return float(value) if isinstance(value, int | float) and 0 <= value < LAST_MOMENT else 0.0


def _parsed_url(text: str) -> sa.URL:
    form = UnusableInputError("the store's URL is not of the form sqlite:///PATH or postgresql://...")
    try:
        url = sa.make_url(text)
    except (exc.ArgumentError, ValueError) as error:  # a port that is no number, a password with an unwritten / or @
        raise form from error
    if url.drivername == "postgres":  # as many providers and libpq itself write it
        url = url.set(drivername="postgresql")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise UnusableInputError(f"the store can be sqlite or postgresql, not {url.get_backend_name()}")
    wanted = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}[url.get_backend_name()]
    if url.drivername not in (url.get_backend_name(), wanted, "sqlite+pysqlite"):
        raise UnusableInputError(f"the store's URL begins with {url.drivername}:, not {url.get_backend_name()}:")
    if wanted == "sqlite" and (url.query or url.database in (None, "", ":memory:")):
        raise form
    return url.set(drivername=wanted)


FOREIGN = "this is no store of matches; choose another file"
DAMAGED = "the file is damaged; go on with a backup"
DISK_FULL = "the disk is full; make room, nothing that was noted is lost"
UNREADABLE = "the file can't be read or written; see whose it is and that its folder can be written"
_KINDS = (
    ("disk is full", "disk_full", DISK_FULL),
    ("no space", "disk_full", DISK_FULL),
    ("disk i/o", "disk_full", "the disk can't be written; see that it has room, nothing that was noted is lost"),
    ("is locked", "store_busy", "another program holds the store; try again"),
    ("lock timeout", "store_busy", "another program holds the store; try again"),
    ("queuepool limit", "store_busy", "too many wait for the store; try again"),
    ("malformed", "store_damaged", DAMAGED),
    ("could not decode", "store_damaged", DAMAGED),
    ("not a database", "store_damaged", FOREIGN),
    ("unable to open", "store_down", UNREADABLE),
    ("readonly", "store_down", UNREADABLE),
    ("no such table", "store_damaged", "tables are missing; go on with a backup"),
    ("no such column", "store_damaged", "tables are missing; go on with a backup"),
)


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Turn the database's errors into ours; a key that exists means that somebody else was faster."""
    try:
        yield
    except UnicodeDecodeError as error:  # bytes that are no text in a damaged file, or in what is said of it
        raise StoreError(f"{name}: {DAMAGED}", code="store_damaged") from error
    except exc.IntegrityError as error:
        raise ConflictError("somebody else wrote to this match first; it has been read again") from error
    except (exc.DBAPIError, exc.TimeoutError, sqlite3.Error) as error:
        cause = str(getattr(error, "orig", error))
        for part, code, words in _KINDS:
            if part in cause.lower():
                raise StoreError(f"{name}: {words}", code=code) from error
        raise StoreError(f"{name}: {_one_line(cause)}", code="store_down") from error
    except exc.NoSuchModuleError as error:
        raise StoreError(f"{name}: install the extra 'postgres' first ({error})", code="store_down") from error
    except ModuleNotFoundError as error:
        raise StoreError(f"{name}: install the extra 'postgres' first ({error})", code="store_down") from error


def _one_line(cause: str) -> str:
    """A database's complaint in one line; of several addresses that were tried, and hints, the first."""
    lines = [line.strip() for line in cause.splitlines() if line.strip()]
    return lines[0] if lines else "no answer"

"""The match log as a file of JSON lines: one header, then one line an entry, each with a running checksum.

A file that is cut off or damaged is read up to its last whole entry, and a message says where that is. A file of
another program, or of a newer version of this one, is refused. Older schemas are converted while they are read.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from calibration.errors import UnusableInputError
from referee import __version__
from referee.log import Entry, MatchLog
from referee.rules import GAMES
from referee.rules.codec import from_json, to_json

SCHEMA = 2
MARK = "table-referee"


@dataclass(frozen=True)
class LogFile:
    """A log that was read. ``problem`` says where reading stopped and why; ``schema`` is the file's own."""

    log: MatchLog
    schema: int
    problem: str | None = None
    finished: bool = True

    @property
    def whole(self) -> bool:
        """Whether lines can simply be added: all of it was read, its last line ends, its schema is the current."""
        return self.problem is None and self.finished and self.schema == SCHEMA


def header_line(log: MatchLog) -> str:
    """The first line of a log's file, with its end of line."""
    data = {
        "log": MARK,
        "schema": SCHEMA,
        "game": log.engine.game,
        "options": options_of(log.engine),
        "software": __version__,
        "about": log.about,
    }
    return _line(data, "")


def options_of(engine: Any) -> dict[str, Any]:
    """The options that make this engine again."""
    options = engine.options
    return dict(options()) if callable(options) else dict(to_json(options))


def to_text(log: MatchLog) -> str:
    """The whole log as JSON lines."""
    lines = [header_line(log)]
    for entry in log.entries:
        lines.append(entry_line(log, entry, line_sum(lines[-1])))
    return "".join(lines)


def entry_line(log: MatchLog, entry: Entry, previous_sum: str) -> str:
    """One entry as a line; ``previous_sum`` is the checksum of the line before it."""
    data = to_json_entry(log.engine, entry)
    return _line(data, previous_sum)


def to_json_entry(engine: Any, entry: Entry) -> dict[str, Any]:
    """One entry as JSON data."""
    data: dict[str, Any] = {"number": entry.number, "at": entry.at, "who": entry.who, "kind": entry.kind}
    if entry.event is not None:
        data["event"] = engine.event_to_json(entry.event)
    optional = {"target": entry.target, "before": entry.before or None, "why": entry.why, "evidence": entry.evidence}
    return data | {name: item for name, item in optional.items() if item is not None}


def from_json_entry(engine: Any, data: dict[str, Any]) -> Entry:
    """The entry that JSON data describes; raises ValueError naming the wrong field."""
    event = data.get("event")
    rest = {name: item for name, item in data.items() if name != "event"}
    entry: Entry = from_json(Entry, rest)
    if event is None:
        return entry
    return replace(entry, event=engine.event_from_json(event))


def read_log(path: Path) -> LogFile:
    """Read a log's file; see :func:`parse_log`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnusableInputError(f"{path}: can't be read ({error.strerror})", code="unreadable_input") from error
    return parse_log(data, str(path))


def parse_log(data: bytes, name: str = "log") -> LogFile:
    """Read a log from bytes; raises UnusableInputError when its header says it can't be one of ours."""
    lines = data.split(b"\n")
    header = _header(lines[0], name)
    schema: int = header["schema"]
    try:
        engine = GAMES[header["game"]](header["options"])
    except (TypeError, ValueError) as error:
        raise UnusableInputError(f"{name}: line 1: {error}", code="bad_log") from error
    reader = _Reader(engine, schema, header.get("sum", ""))
    log = MatchLog(engine, (), header["about"])
    problem = None
    try:
        log.restore(reader.entries(lines[1:]))
    except (ValueError, RecursionError) as error:
        # splitting leaves a piece after the last line end: a line that is the last piece was not finished
        reason = "cut off" if reader.line == len(lines) else f"damaged ({error})"
        left = sum(1 for rest in lines[reader.line :] if rest.strip())
        offset = sum(len(line) + 1 for line in lines[: reader.line - 1])
        problem = f"{name}: line {reader.line} (byte {offset}) is {reason}; read up to entry {len(log.entries)}"
        problem += f", {left} lines after it are left out" if left else ""
    return LogFile(log, schema, problem, finished=data.endswith(b"\n"))


class _Reader:
    """Reads entries line by line; ``line`` is the number of the line being read."""

    def __init__(self, engine: Any, schema: int, header_sum: str) -> None:
        self.engine = engine
        self.schema = schema
        self.line = 1
        self._sum = header_sum

    def entries(self, lines: list[bytes]) -> Iterator[Entry]:
        """Yield the entries; raises ValueError in the line where the first damage is."""
        for number, line in enumerate(lines, start=2):
            self.line = number
            if line or number <= len(lines):
                fields = _parsed(line, self._sum, self.schema)
                self._sum = fields.pop("sum", "")
                yield from_json_entry(self.engine, _migrated(fields, self.schema))


def _header(line: bytes, name: str) -> dict[str, Any]:
    foreign = UnusableInputError(
        f"{name}: line 1 is not the first line of a match log; choose a file written by 'referee sheet'",
        code="foreign_log",
    )
    try:
        header = json.loads(line.decode())
    except (ValueError, RecursionError):
        raise foreign from None
    if not isinstance(header, dict) or header.get("log") != MARK or type(header.get("schema")) is not int:
        raise foreign
    if header["schema"] > SCHEMA:
        raise UnusableInputError(
            f"{name}: written with schema {header['schema']}, this version reads up to {SCHEMA}; install a newer one",
            code="newer_log",
        )
    if header["schema"] < 1:
        raise foreign
    if header["schema"] == SCHEMA and header.get("sum") != checksum(header, ""):
        raise UnusableInputError(f"{name}: line 1 is damaged: its checksum is wrong", code="bad_log")
    if header["schema"] == 1:
        header = {**header, "options": header.get("rules", {}), "about": {}}
    wrong = None
    if header.get("game") not in GAMES:
        wrong = f"game {header.get('game')!r} is not one of {', '.join(GAMES)}"
    for field in ("options", "about"):
        if not isinstance(header.get(field), dict):
            wrong = wrong or f"{field} is not an object"
    if wrong:
        raise UnusableInputError(f"{name}: line 1: {wrong}", code="bad_log")
    return header


def _parsed(line: bytes, before: str, schema: int) -> dict[str, Any]:
    data = json.loads(line.decode())
    if not isinstance(data, dict):
        raise ValueError("not an object")
    if schema >= 2 and data.get("sum") != checksum(data, before):
        raise ValueError("its checksum is wrong")
    return data


def checksum(data: dict[str, Any], before: str) -> str:
    """The checksum of a line's content and of everything before it, whatever the order of its fields."""
    body = {name: item for name, item in data.items() if name != "sum"}
    text = before + json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _line(data: dict[str, Any], before: str) -> str:
    whole = {**data, "sum": checksum(data, before)}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":")) + "\n"


def line_sum(line: str) -> str:
    """The checksum that stands in a line."""
    return str(json.loads(line)["sum"])


def _from_1(fields: dict[str, Any]) -> dict[str, Any]:
    """Schema 1 had no checksums, called ``at`` and ``who`` ``time`` and ``by``, and ``taken_back`` ``undone``."""
    names = {"time": "at", "by": "who"}
    fields = {names.get(name, name): item for name, item in fields.items()}
    if fields.get("kind") == "undone":
        fields["kind"] = "taken_back"
    return fields


_MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: _from_1}


def _migrated(fields: dict[str, Any], schema: int) -> dict[str, Any]:
    for older in range(schema, SCHEMA):
        fields = _MIGRATIONS[older](fields)
    return fields


class LogWriter:
    """Keeps a log's file up to date entry by entry; each is on the disk before the next is made."""

    def __init__(self, path: Path, log: MatchLog, start: bool = True) -> None:
        """Write the file anew when ``start`` is set, else go on with a file that holds ``log`` already."""
        self.path = path
        self.log = log
        text = to_text(log)
        if start:
            fresh = path.with_name(path.name + ".new")
            try:
                fresh.write_text(text, encoding="utf-8", newline="\n")
                fresh.replace(path)
            except OSError as error:
                raise _unwritable(path, error) from error
        self._sum = line_sum(text.splitlines()[-1])
        self._written = len(log.entries)

    def save(self) -> None:
        """Append what the log has grown by."""
        lines, last_sum = [], self._sum
        for entry in self.log.entries[self._written :]:
            lines.append(entry_line(self.log, entry, last_sum))
            last_sum = line_sum(lines[-1])
        try:
            with self.path.open("a", encoding="utf-8", newline="\n") as file:
                file.writelines(lines)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _unwritable(self.path, error) from error
        self._sum = last_sum
        self._written = len(self.log.entries)


def _unwritable(path: Path, error: OSError) -> UnusableInputError:
    return UnusableInputError(f"{path}: can't be written ({error.strerror}); choose another place")

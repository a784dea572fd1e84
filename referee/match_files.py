"""What a scored video is written as: JSON, CSV of the shots, the match log, CMN, the report."""

import csv
import io
import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from calibration.errors import TableError, UnusableInputError
from referee.exports import to_cmn
from referee.log import MatchLog
from referee.logfile import to_text
from referee.match_report import report

COLUMNS = ("number", "round", "start_s", "settled_s", "colour", "seat", "disc", "valid", "rule", "touched", "removed",
           "ditched", "twenties", "confidence")  # fmt: skip


@dataclass(frozen=True)
class Targets:
    """Where to write what; None: not at all."""

    json: Path | None = None
    csv: Path | None = None
    log: Path | None = None
    cmn: Path | None = None
    report: Path | None = None

    @classmethod
    def in_folder(cls, folder: Path, name: str) -> "Targets":
        """A result, a log, a table of shots and a report in a folder, named after the video."""
        return cls(
            folder / f"{name}.json", folder / f"{name}.csv", folder / f"{name}.log.jsonl", None,
            folder / f"{name}.report.html",
        )  # fmt: skip

    def or_else(self, other: "Targets") -> "Targets":
        """These where they are given, else the other's."""
        return Targets(
            self.json or other.json, self.csv or other.csv, self.log or other.log, self.cmn or other.cmn,
            self.report or other.report,
        )  # fmt: skip

    def named(self) -> dict[str, Path | None]:
        """The files by the option that names each."""
        return {"--json": self.json, "--csv": self.csv, "--log": self.log, "--cmn": self.cmn, "--report": self.report}


@contextmanager
def failure_told(target: Path | None) -> Iterator[None]:
    """Write why a video couldn't be scored where its result would have been: programs look there."""
    try:
        yield
    except TableError as error:
        if target is not None:
            write_text(target, json.dumps({"error": {"code": error.code, "message": str(error)}}) + "\n")
        raise


def make_folder(folder: Path) -> None:
    """Make a folder for results; raises UnusableInputError where that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusableInputError(f"{folder}: no folder can be made there ({error.strerror or error})") from error


def shots_csv(data: Mapping[str, Any]) -> str:
    """The shots as CSV (RFC 4180); lists of ids are joined by spaces."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for shot in data["shots"]:
        row = []
        for name in COLUMNS:
            item = shot[name]
            row.append(" ".join(map(str, item)) if isinstance(item, list | dict) else "" if item is None else item)
        writer.writerow(row)
    return out.getvalue()


def cmn_text(log: MatchLog, video: Path) -> str:
    """The match as CMN, dated by the video file; raises UnusableInputError while the match isn't over."""
    date = datetime.fromtimestamp(video.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    record = to_cmn(log, record_id=str(uuid.uuid4()), date=date)
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def write_all(
    targets: Targets, data: Mapping[str, Any], log: MatchLog, pictures: Mapping[int, bytes], video: Path
) -> list[str]:
    """Write everything that is wanted; returns what could not be made, in words."""
    notes: list[str] = []
    if targets.json is not None:
        write_text(targets.json, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    if targets.csv is not None:
        write_text(targets.csv, shots_csv(data))
    if targets.log is not None:
        write_text(targets.log, to_text(log))
    if targets.cmn is not None:
        try:
            write_text(targets.cmn, cmn_text(log, video))
        except UnusableInputError as error:
            notes.append(f"no CMN was written: {error}")
    if targets.report is not None:
        write_text(targets.report, report(data, pictures, video.name))
    return notes


def write_text(path: Path, text: str) -> None:
    """Write a file; raises UnusableInputError where that fails."""
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UnusableInputError(f"{path}: can't be written ({error.strerror or error})") from error

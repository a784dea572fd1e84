"""``referee replay LOG``: play a log through the rules again and show what each entry did."""

import json
import sys
import uuid
from pathlib import Path
from typing import Any

import click

from calibration.errors import UnusableInputError
from referee.commands.paths import FilePath
from referee.exports import log_of_cmn, named_sheet, read_cmn, to_cmn, to_csv
from referee.log import MatchLog
from referee.logfile import read_log, to_text
from referee.outputs import require_outputs


@click.command()
@click.argument("log_path", metavar="LOG", type=FilePath(dir_okay=False))
@click.option("--to", "last", type=click.IntRange(min=0), metavar="N", help="Stop after the log's entry N.")
@click.option("--csv", "csv_path", type=FilePath(), help="Write the score sheet as CSV.")
@click.option("--jsonl", "jsonl_path", type=FilePath(), help="Write the log as JSON lines.")
@click.option("--cmn", "cmn_path", type=FilePath(), help="Write Crokinole Match Notation.")
@click.option("--date", help="When the match was played, for --cmn: 2026-02-11T19:30:00Z.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def replay(
    *,
    log_path: Path,
    last: int | None,
    csv_path: Path | None,
    jsonl_path: Path | None,
    cmn_path: Path | None,
    date: str | None,
    as_json: bool,
) -> None:
    """Play the match LOG again through the rules: every entry that counts, the score after it, the score sheet.

    LOG may also be a match in Crokinole Match Notation, when it has points and twenties for every round.
    """
    outputs = {"--csv": csv_path, "--jsonl": jsonl_path, "--cmn": cmn_path}
    require_outputs(outputs, [("the log", log_path)])
    log, problem = _load(log_path)
    if problem:
        click.echo(f"referee: {problem}", err=True)
    if last is not None:
        if last > len(log.entries):
            raise UnusableInputError(f"--to {last}: the log has {len(log.entries)} entries")
        log = log.up_to(last)
    if cmn_path is not None and date is None:
        raise UnusableInputError("--cmn needs --date, when the match was played, e.g. 2026-02-11T19:30:00Z")
    # a result is told once all that was asked for has been done: who reads it as JSON gets one object
    record = None
    if cmn_path is not None and date is not None:
        record = to_cmn(log, record_id=str(uuid.uuid4()), date=date)
    if csv_path is not None:
        _write(csv_path, to_csv(log))
    if jsonl_path is not None:
        _write(jsonl_path, to_text(log))
    if cmn_path is not None:
        _write(cmn_path, json.dumps(record, indent=2, ensure_ascii=False) + "\n")
    if as_json:
        click.echo(json.dumps(_as_json(log, problem)))
    else:
        _show(log)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise UnusableInputError(f"{path}: can't be written ({error.strerror})") from error


def _load(path: Path) -> tuple[MatchLog, str | None]:
    """The log in a file, and what was wrong with the file."""
    try:
        file = read_log(path)
    except UnusableInputError as error:
        if error.code != "foreign_log":
            raise
        text = path.read_text(encoding="utf-8", errors="replace")
        if '"cmn"' not in text:
            raise
        matches = read_cmn(text, str(path))
        if len(matches) != 1:
            raise UnusableInputError(f"{path}: holds {len(matches)} matches; give a file with one") from error
        return log_of_cmn(matches[0]), None
    return file.log, file.problem


def _as_json(log: MatchLog, problem: str | None) -> dict[str, Any]:
    history = [
        {"entry": entry.number, "event": log.engine.event_to_json(event), "score": log.engine.score(state)}
        for entry, event, state in log.history()
    ]
    return {
        "schema": "replay/1",
        "game": log.engine.game,
        "entries": len(log.entries),
        "history": history,
        "score": log.score,
        "winners": winners(log),
        "stuck": None if log.stuck is None else {"entry": log.stuck.number, "why": str(log.stuck.error)},
        "problem": problem,
    }


def winners(log: MatchLog) -> list[str] | None:
    """Who has won, where the engine can tell, None while the game goes on."""
    tell = getattr(log.engine, "winners", None)
    found: list[str] | None = tell(log.state) if tell else None
    return found


def _show(log: MatchLog) -> None:
    for entry, event, state in log.history():
        data = log.engine.event_to_json(event)
        kind = data.pop("kind")
        told = " ".join(f"{name}={json.dumps(item, ensure_ascii=False)}" for name, item in data.items())
        score = ", ".join(f"{side} {points}" for side, points in log.engine.score(state).items())
        ruled = " (ruled)" if entry.kind == "ruled" else ""
        click.echo(f"{entry.number:>4}  {kind}{ruled} {told}  [{score}]")
    if log.stuck is not None:
        click.echo(f"stuck: {log.stuck}")
    show_sheet(log)


def show_sheet(log: MatchLog) -> None:
    """Print the score sheet as columns, and who has won."""
    rows = [[str(cell) for cell in row] for row in named_sheet(log)]
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(max(len(row) for row in rows))]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        click.echo("  ".join(cells).rstrip())
    won = [log.name_of(side) for side in winners(log) or ()]
    if won:
        click.echo(f"won by {won[0]}" if len(won) == 1 else "shared by " + " and ".join(won))
    sys.stdout.flush()

"""A judge's decision on a call, added to the match log: what was measured, who ruled, what it changed (C26).

The ruling stands in place of the shot that brought the disc to rest; it is one more entry and can be taken back like
any other.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from calibration.errors import NotFoundError, UnusableInputError
from referee.audit_files import Audited
from referee.audit_verify import require_whole
from referee.log import Change, MatchLog
from referee.logfile import LogFile, LogWriter, read_log
from referee.rules.crokinole import Rest, Shot
from vision.disc_values import GUARD_SIGMAS


@dataclass(frozen=True, slots=True)
class Ruling:
    """The decision: disc ``disc`` of the match counts ``value``, says ``who``.

    ``call``: the disc's number in the audit (None: the audit has one call). ``entry``: the shot in the log (None: the
    last one that brought the disc to rest). ``at``: seconds of the match's clock (None: those of the log's last entry).
    """

    disc: int
    value: int
    who: str
    why: str | None = None
    call: int | None = None
    entry: int | None = None
    at: float | None = None


def rule(audited: Audited, path: Path, ruling: Ruling) -> Change:
    """Add the ruling to the log in ``path``; returns what it changed.

    Raises UnusableInputError for evidence or a log that isn't as it was written, NotFoundError where the call or the
    shot isn't there, RuleError for a decision that can't be.
    """
    require_whole(audited)
    call = _call(audited, ruling.call)
    allowed = sorted(set(call.get("counts", {}).values()), reverse=True)
    if ruling.value not in allowed:
        raise UnusableInputError(
            f"--value {ruling.value}: a disc at {call.get('line')} counts {' or '.join(map(str, allowed))}"
        )
    if not ruling.who.strip():
        raise UnusableInputError("--who is empty: a ruling has somebody who made it")
    file = read_log(path)
    log = _usable(file, path)
    writer = LogWriter(path, log, start=False)
    number, shot = _shot(log, path, ruling)
    event = replace(shot, rests=tuple(_ruled(r, ruling.value, call) if r.id == ruling.disc else r for r in shot.rests))
    at = ruling.at if ruling.at is not None else log.entries[-1].at
    change = log.rule(event, at, ruling.who.strip(), target=number, why=_why(call, ruling), evidence=audited.hash)
    writer.save()
    return change


def _usable(file: LogFile, path: Path) -> MatchLog:
    if file.log.engine.game != "crokinole":
        raise UnusableInputError(f"{path}: a match of {file.log.engine.game}, not of crokinole")
    if not file.whole:
        problem = file.problem or "it was written by an older version, or its last line isn't finished"
        raise UnusableInputError(f"{path}: {problem}; 'referee sheet crokinole --log {path}' mends it", code="bad_log")
    return file.log


def _call(audited: Audited, disc: int | None) -> dict[str, Any]:
    calls: list[dict[str, Any]] = audited.evidence["calls"]
    there = ", ".join(str(c["disc"].get("id")) for c in calls)
    if disc is None:
        if len(calls) > 1:
            raise UnusableInputError(f"{audited.folder}: holds several calls; say which with --call (discs {there})")
        return calls[0]
    for call in calls:
        if call["disc"].get("id") == disc:
            return call
    raise NotFoundError(f"{audited.folder}: no call on disc {disc}; there are discs {there}", code="no_call")


def _shot(log: MatchLog, path: Path, ruling: Ruling) -> tuple[int, Shot]:
    """The entry to be ruled on and the shot that is in force there."""
    found = None
    for entry, event, _ in log.history():
        meant = ruling.entry is None or entry.number == ruling.entry
        if meant and isinstance(event, Shot) and any(r.id == ruling.disc for r in event.rests):
            found = entry.number, event
    if found is None:
        where = "" if ruling.entry is None else f" by entry {ruling.entry}"
        raise NotFoundError(f"{path}: no shot in force brought disc {ruling.disc} to rest{where}", code="no_entry")
    rest = next(r for r in found[1].rests if r.id == ruling.disc)
    if rest.state != "board":
        raise NotFoundError(
            f"{path}: after entry {found[0]} disc {ruling.disc} isn't on the board ({rest.state}), beside no line",
            code="no_entry",
        )
    return found


def _ruled(rest: Rest, value: int, call: dict[str, Any]) -> Rest:
    return replace(rest, value=value, maybe=(), inner=_inner(rest, call) if value == 10 else None)


def _inner(rest: Rest, call: dict[str, Any]) -> bool | None:
    """Whether a disc worth 10 comes to the inner line's outer edge (C7), from where it was measured."""
    if call.get("line") != "15/10":
        return False  # it lies at the middle line, a hand's breadth away
    gap, sigma = call.get("inner_gap_mm"), call["sigma_mm"]
    if not isinstance(gap, int | float) or abs(gap) < GUARD_SIGMAS * sigma:
        return rest.inner
    return gap <= 0


def _why(call: dict[str, Any], ruling: Ruling) -> str:
    measured = (
        f"measured {call['gap_mm']:+.2f} mm \u00b1 {call['expanded_mm']:.2f} mm (k={call['k']:g}) to the "
        f"{call['line']} line, touching with {100 * call['p_touching']:.1f} %; ruled {ruling.value}"
    )
    return measured if ruling.why is None else f"{measured}: {ruling.why.strip()}"

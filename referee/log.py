"""The match log: what was observed, ruled and taken back, in order; the score is the fold of the rules over it.

Nothing in a log is ever edited: a correction is one more entry. Entries are

- ``observed``: an event, by whatever watches the table (a camera, a person at the keyboard);
- ``ruled``: an event in place of an earlier one (``target``), or ahead of it (``before``), or at the end (no
  target); without an event the target doesn't count. The last ruling on an entry holds;
- ``taken_back``: the target no longer counts. Taking back a taking back brings it into force again.

Times are given by the caller, from the clock of the source: this module never looks at a clock.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal

from referee.rules.protocol import RuleError

Kind = Literal["observed", "ruled", "taken_back"]

UNDO, REDO = "undo", "redo"
"""The reasons of takings back that nobody gave a reason for."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log. ``at``: seconds of the source's clock; ``evidence``: hash of what the call rests on."""

    number: int
    at: float
    who: str
    kind: Kind
    event: Any = None
    target: int | None = None
    before: bool = False
    why: str | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class Stuck:
    """The entry at which the game can't go on, and why; what follows it waits for a ruling."""

    number: int
    error: RuleError

    def __str__(self) -> str:
        return f"entry {self.number} does not fit: {self.error}"


@dataclass(frozen=True, slots=True)
class Change:
    """What an entry changed.

    ``rescored``: entries that were scored anew; ``differing``: those after which the score is another one, each with
    both scores; ``fields``: what differs in the state now, each before and after.
    """

    entry: Entry
    score_before: dict[str, int]
    score_after: dict[str, int]
    rescored: int
    differing: tuple[tuple[int, dict[str, int], dict[str, int]], ...]
    fields: tuple[tuple[str, Any, Any], ...]
    stuck_before: Stuck | None
    stuck_after: Stuck | None

    def __str__(self) -> str:
        lines = [f"{self.rescored} entries scored anew"]
        if self.score_before == self.score_after:
            lines.append(f"the score stays {_score_text(self.score_after)}")
        else:
            lines.append(f"the score was {_score_text(self.score_before)}, is {_score_text(self.score_after)}")
        if self.differing:
            number, before, after = self.differing[0]
            lines.append(f"it differs from entry {number} on ({_score_text(before)}, now {_score_text(after)})")
        if self.fields:
            lines.append("changed: " + ", ".join(name for name, _, _ in self.fields))
        if self.stuck_after is not None:
            lines.append(f"{self.stuck_after}; what follows waits for a ruling")
        return "; ".join(lines)


def _score_text(score: dict[str, int]) -> str:
    return ", ".join(f"{side} {points}" for side, points in score.items())


class MatchLog:
    """The entries of one match over one engine; :attr:`state` and :attr:`score` are computed from them.

    ``about`` is free data for the file's first line (names, place, source).
    """

    def __init__(self, engine: Any, entries: Iterable[Entry] = (), about: dict[str, Any] | None = None) -> None:
        self.engine = engine
        self.about = dict(about or {})
        self._entries: list[Entry] = []
        self._folded: list[tuple[int, Any, Any]] = []  # (entry in force, its event, the state after it)
        self._stuck: Stuck | None = None
        self.restore(entries)

    def restore(self, entries: Iterable[Entry]) -> None:
        """Append entries that were written earlier.

        Raises ValueError at the first that can't follow, and keeps those before it.
        """
        try:
            for entry in entries:
                self._append(entry)
        finally:
            self._fold()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, in order."""
        return tuple(self._entries)

    @property
    def state(self) -> Any:
        """The state after everything that is in force (up to where the game is stuck)."""
        return self._folded[-1][2] if self._folded else self.engine.start()

    @property
    def score(self) -> dict[str, int]:
        """The points by player or side."""
        score: dict[str, int] = self.engine.score(self.state)
        return score

    @property
    def stuck(self) -> Stuck | None:
        """The first entry in force that can't have happened, after a ruling or a taking back ahead of it."""
        return self._stuck

    def history(self) -> Iterator[tuple[Entry, Any, Any]]:
        """Yield (entry, event in force, state after it) for everything that counts, in the order of play."""
        for number, event, state in self._folded:
            yield self._entries[number - 1], event, state

    def up_to(self, number: int) -> "MatchLog":
        """The log as it stood after its entry ``number``."""
        return MatchLog(self.engine, self._entries[:number], self.about)

    def observe(self, event: Any, at: float, who: str, evidence: str | None = None) -> Entry:
        """Append an observed event; raises RuleError, and appends nothing, when it can't have happened."""
        if self._stuck is not None:
            raise self._stuck.error
        state = self.engine.apply(self.state, event)
        entry = self._append(Entry(self._next, at, who, "observed", event, evidence=evidence))
        self._folded.append((entry.number, event, state))
        return entry

    def rule(
        self,
        event: Any,
        at: float,
        who: str,
        *,
        target: int | None = None,
        before: bool = False,
        why: str | None = None,
        evidence: str | None = None,
    ) -> Change:
        """Append a ruling and score anew what follows; see the module for ``target`` and ``before``.

        Raises ValueError for a target that isn't there and RuleError, appending nothing, when the ruled event
        itself can't have happened. Where a *later* entry no longer fits, the change says so (``stuck_after``).
        """
        entry = Entry(self._next, at, who, "ruled", event, target, before, why, evidence)
        return self._change(entry)

    def name_of(self, key: str) -> str:
        """What a side or a player is called: the name that was given at set-up, or else the key itself."""
        names = self.about.get("names")
        return str((isinstance(names, dict) and names.get(key)) or key)

    def refused(self, event: Any, target: int | None) -> str | None:
        """Why the rules would refuse a ruling (:meth:`rule`) as the match stands; None where they take it."""
        if event is None and target is None:
            return None
        try:
            MatchLog(self.engine, self._entries).rule(event, 0.0, "trial", target=target)
        except ValueError as error:
            return str(error)
        return None

    def take_back(self, target: int, at: float, who: str, why: str | None = None) -> Change:
        """Append a taking back of the entry ``target``; raises ValueError when it isn't in force."""
        return self._change(Entry(self._next, at, who, "taken_back", target=target, why=why))

    def undo(self, at: float, who: str) -> Change:
        """Take back the last entry in force; raises ValueError when there is none."""
        target = self.undoable
        if target is None:
            raise ValueError("nothing to undo")
        return self.take_back(target, at, who, UNDO)

    def redo(self, at: float, who: str) -> Change:
        """Bring back what was undone last; raises ValueError when nothing was, or play went on since."""
        target = self.redoable
        if target is None:
            raise ValueError("nothing to redo")
        return self.take_back(target, at, who, REDO)

    @property
    def in_force(self) -> frozenset[int]:
        """The entries that aren't taken back."""
        return frozenset(self._active())

    @property
    def undoable(self) -> int | None:
        """The entry that undo would take back."""
        active = self._active()
        numbers = [e.number for e in self._entries if e.kind != "taken_back" and e.number in active]
        return numbers[-1] if numbers else None

    @property
    def redoable(self) -> int | None:
        """The taking back that redo would take back itself."""
        active = self._active()
        for entry in reversed(self._entries):
            if entry.kind != "taken_back":
                return None
            assert entry.target is not None
            if entry.number in active and self._entries[entry.target - 1].kind != "taken_back":
                return entry.number
        return None

    @property
    def _next(self) -> int:
        return len(self._entries) + 1

    def _append(self, entry: Entry) -> Entry:
        self._check(entry)
        self._entries.append(entry)
        return entry

    def _check(self, entry: Entry) -> None:
        """Raise ValueError when an entry can't follow the ones before it."""
        if entry.number != self._next:
            raise ValueError(f"entry {entry.number} where entry {self._next} was expected")
        if not entry.who.strip():
            raise ValueError(f"entry {entry.number} does not say who made it")
        if entry.target is not None and not 1 <= entry.target < entry.number:
            raise ValueError(f"entry {entry.number} is about entry {entry.target}, which is not before it")
        if entry.kind == "observed" and (entry.event is None or entry.target is not None or entry.before):
            raise ValueError(f"entry {entry.number} is observed, so it has an event and no target")
        if entry.kind == "taken_back":
            if entry.event is not None or entry.target is None or entry.before:
                raise ValueError(f"entry {entry.number} takes back, so it has a target and no event")
            if entry.target not in self._active():
                raise ValueError(f"entry {entry.target} is taken back already")
        if entry.kind == "ruled":
            if entry.event is None and (entry.target is None or entry.before):
                raise ValueError(f"entry {entry.number} is a ruling without an event or an entry to strike out")
            if entry.before and entry.target is None:
                raise ValueError(f"entry {entry.number} does not say before which entry it belongs")
            if entry.target is not None and self._entries[entry.target - 1].kind == "taken_back":
                raise ValueError(f"entry {entry.number} rules on entry {entry.target}, which is a taking back")

    def _active(self) -> set[int]:
        """The entries in force. A taking back always follows its target, so one pass from the end decides."""
        struck: set[int] = set()
        active: set[int] = set()
        for entry in reversed(self._entries):
            if entry.number in struck:
                continue
            active.add(entry.number)
            if entry.kind == "taken_back" and entry.target is not None:
                struck.add(entry.target)
        return active

    def _in_force(self) -> list[tuple[int, Any]]:
        """(entry, event) for everything that counts, in the order of the game."""
        active = self._active()
        order: list[int] = []  # entries that have a place in the game, also those struck out
        place: dict[int, int] = {}  # entry -> the entry whose place it is about
        events: dict[int, tuple[int, Any]] = {}  # place -> the entry and event that hold there
        for entry in self._entries:
            if entry.kind == "taken_back":
                continue
            replaces = entry.kind == "ruled" and entry.target is not None and not entry.before
            about = entry.number if entry.target is None else place[entry.target]
            place[entry.number] = about if replaces else entry.number
            if not replaces:
                order.insert(order.index(about) if entry.before else len(order), entry.number)
            if entry.number in active:
                events[place[entry.number]] = (entry.number, entry.event)
        # who takes back an observed event means it whole, with what was ruled on it
        return [events[at] for at in order if at in active and events[at][1] is not None]

    def _fold(self) -> int:
        """Score anew from the first difference on; returns how many entries that were."""
        wanted = self._in_force()
        same = 0
        while (
            same < min(len(wanted), len(self._folded))
            and wanted[same][0] == self._folded[same][0]
            and wanted[same][1] is self._folded[same][1]
        ):
            same += 1
        del self._folded[same:]
        self._stuck = None
        for number, event in wanted[same:]:
            try:
                after = self.engine.apply(self.state, event)
            except RuleError as error:
                self._stuck = Stuck(number, error)
                break
            self._folded.append((number, event, after))
        return len(wanted) - same

    def _change(self, entry: Entry) -> Change:
        folded, stuck, state = list(self._folded), self._stuck, self.state
        self._append(entry)
        rescored = self._fold()
        if entry.kind == "ruled" and self._stuck is not None and self._stuck.number == entry.number:
            error = self._stuck.error
            self._entries.pop()
            self._fold()
            raise error
        scores = {number: self.engine.score(after) for number, _, after in folded}
        differing = []
        for number, _, after in self._folded:
            # a ruling stands where its target stood
            place = entry.target if number == entry.number and entry.target and not entry.before else number
            score = self.engine.score(after)
            if scores.get(place, score) != score:
                differing.append((number, scores[place], score))
        return Change(
            entry=entry,
            score_before=self.engine.score(state),
            score_after=self.score,
            rescored=rescored,
            differing=tuple(differing),
            fields=_differences(state, self.state),
            stuck_before=stuck,
            stuck_after=self._stuck,
        )


def _differences(before: Any, after: Any) -> tuple[tuple[str, Any, Any], ...]:
    names = [f.name for f in fields(before)] if is_dataclass(before) else getattr(before, "_fields", ())
    pairs = ((name, getattr(before, name), getattr(after, name)) for name in names)
    return tuple((name, old, new) for name, old, new in pairs if old != new)

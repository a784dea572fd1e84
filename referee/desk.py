"""The desk: the open matches, each written by one thread at a time, and who wants to hear of changes.

Whatever writes to a match (a camera's official, a scorekeeper's browser, a program) goes through here: the event is put
to the rules, stored, and only then told. What couldn't be stored didn't happen. Followers wait for a version number, so
that a slow one skips what it missed and delays nobody.
"""

import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from calibration.errors import NotFoundError, TableError, UnusableInputError
from referee.evidence import EvidenceFolder
from referee.log import Change, Entry, MatchLog
from referee.logfile import line_sum, options_of
from referee.questions import OpenQuestion, Questions
from referee.rules import GAMES
from referee.rules.protocol import RuleError
from referee.settings import DEFAULTS
from referee.store import ConflictError, MatchRow, Store, StoreError

T = TypeVar("T")
Clock = Callable[[], float]
Listener = Callable[["OpenMatch"], None]
TITLE_LONGEST = 120
SILENT_SECONDS = 5.0
"""How long those who look on don't ask a store again that didn't answer."""

REFRESH_SECONDS = 1.0
"""How often those who look on at a match see what another program has added to it."""


EVIDENCE_BYTES = DEFAULTS.whole("evidence_mb") * 1_000_000


class OpenMatch:
    """One match that is open: its log, its questions, and a version that grows with every change to be shown."""

    def __init__(self, desk: "Desk", identifier: str) -> None:
        self.desk = desk
        self.id = identifier
        self.questions = Questions(desk.store, identifier)
        self._lock = threading.RLock()
        self._news = threading.Condition()
        self._version = 0
        self._sum = ""
        self._tried: dict[str, tuple[int, tuple[str | None, ...]]] = {}
        self.log: MatchLog
        self._look_next = self._ask_next = 0.0
        self._beside: tuple[list[OpenQuestion], dict[int, str]] = ([], {})
        self._read()

    @property
    def version(self) -> int:
        """Grows with every change of the match, its questions, or what the camera says."""
        return self._version

    @property
    def revision(self) -> int:
        """How many entries the log has."""
        return len(self.log.entries)

    def wait(self, version: int, seconds: float) -> int:
        """Wait until the version is another one, at most so long; returns it."""
        with self._news:
            self._news.wait_for(lambda: self._version != version, seconds)
            return self._version

    def touched(self) -> None:
        """Something that is shown has changed."""
        with self._news:
            self._version += 1
            self._news.notify_all()

    def observe(self, event: Any, at: float, who: str, evidence: str | None = None) -> Entry:
        """Keep an observed event; raises RuleError where it can't have happened."""
        return self._write(lambda: self.log.observe(event, at, who, evidence), None)

    def rule(
        self,
        event: Any,
        at: float,
        who: str,
        *,
        target: int | None = None,
        before: bool = False,
        why: str | None = None,
        expected: int | None = None,
    ) -> Change:
        """Keep a ruling. ``expected``: the revision that the person had seen; ConflictError if it has changed."""
        return self._write(lambda: self.log.rule(event, at, who, target=target, before=before, why=why), expected)

    def note(self, event: Any, at: float, who: str, expected: int | None = None) -> Entry:
        """Keep an event that a person tells."""
        return self._write(lambda: self.log.observe(event, at, who), expected)

    def take_back(self, target: int, at: float, who: str, why: str | None, expected: int | None = None) -> Change:
        """Take back one entry."""
        return self._write(lambda: self.log.take_back(target, at, who, why), expected)

    def undo(self, at: float, who: str, expected: int | None = None) -> Change:
        """Take back the last entry in force."""
        return self._write(lambda: self.log.undo(at, who), expected)

    def redo(self, at: float, who: str, expected: int | None = None) -> Change:
        """Bring back what was undone last."""
        return self._write(lambda: self.log.redo(at, who), expected)

    def ask(self, question: OpenQuestion) -> None:
        """Put a question to people, once a key; the game goes on."""
        with self._lock:
            asked = self.questions.add(question)
        if asked:
            self.touched()

    def answer(self, key: str, choice: int, at: float, who: str) -> Change | Entry | None:
        """Rule as an open question was answered; the ruling keeps the question's words as its reason."""
        with self._lock:
            question = self.questions.open(key)
            if not 0 <= choice < len(question.answers):
                raise UnusableInputError(f"answer {choice}: the question has {len(question.answers)}")
            answer = question.answers[choice]
            event = None if answer.event is None else self.log.engine.event_from_json(answer.event)
            done: Change | Entry | None = None
            if question.entry is not None or event is not None:
                why = f"{question.why}: {answer.words}"
                done = self._write(lambda: self.log.rule(event, at, who, target=question.entry, why=why), None)
            self.questions.close(key, who, choice)
        self.touched()
        return done

    def refused(self, question: OpenQuestion) -> tuple[str | None, ...]:
        """For each answer of an open question, why the rules don't take it as the match stands now; None: they do."""
        held = self._tried.get(question.key)
        if held is None or held[0] != self.revision:
            tried = (None if a.event is None else self.log.engine.event_from_json(a.event) for a in question.answers)
            held = self.revision, tuple(self.log.refused(event, question.entry) for event in tried)
            self._tried[question.key] = held
        return held[1]

    def dismiss(self, key: str, who: str) -> None:
        """Close a question without a ruling: what holds goes on to hold."""
        with self._lock:
            self.questions.open(key)
            self.questions.close(key, who, None)
        self.touched()

    def event_of(self, data: Any) -> Any:
        """The event that JSON data means in this game; raises UnusableInputError naming the wrong field."""
        try:
            return self.log.engine.event_from_json(data)
        except (TypeError, ValueError) as error:
            raise UnusableInputError(str(error), code="bad_event") from error

    def text(self) -> str:
        """The log's file."""
        return self.desk.store.text(self.id)

    def _write(self, act: Callable[[], T], expected: int | None) -> T:
        with self._lock:
            if expected is not None and expected != self.revision:
                raise ConflictError(f"the match has gone on to entry {self.revision} meanwhile; look again")
            before = self.revision
            done = act()
            try:
                at = self.desk.clock()
                _, self._sum = self.desk.store.append(self.id, self.log, before, self._sum, at)
            except BaseException:
                self._back_to(before)
                self.touched()
                raise
        self.touched()
        self.desk.tell(self)
        return done

    def _back_to(self, revision: int) -> None:
        """What couldn't be stored didn't happen: go back to what is stored, or was when the store still answered."""
        try:
            self._read()
        except TableError:
            self.log = self.log.up_to(revision)

    def beside(self) -> tuple[list[OpenQuestion], dict[int, str]]:
        """The open questions and the clips by entry; while the store doesn't answer, those that were read last."""
        now = time.monotonic()
        if now >= self._ask_next:
            try:
                self._beside = (self.questions.all_open(), self.desk.evidence.clips(self.id))
            except StoreError as error:
                if error.code == "store_damaged":
                    raise
                self._ask_next = now + SILENT_SECONDS
        return self._beside

    def refresh(self) -> None:
        """Read what another program has added to the match meanwhile; looks at most once a while, never waits."""
        now = time.monotonic()
        if now < self._look_next or not self._lock.acquire(blocking=False):
            return
        try:
            self._look_next = now + REFRESH_SECONDS
            if self.desk.store.length(self.id) == self.revision:
                return
            self._read()
        except TableError:
            return  # what was read last is shown on; whoever writes is told what is wrong
        finally:
            self._lock.release()
        self.touched()

    def _read(self) -> None:
        text = self.desk.store.text(self.id)
        file = self.desk.store.load(self.id)
        if file.problem is not None:
            raise UnusableInputError(f"{file.problem}; go on with a backup", code="bad_log")
        self.log = file.log
        self._sum = line_sum(text.splitlines()[-1])


class Desk:
    """All matches of one store; ``clock`` times what people do (a camera brings its own time)."""

    def __init__(self, store: Store, evidence_bytes: int = EVIDENCE_BYTES, clock: Clock = time.time) -> None:
        self.store = store
        self.clock = clock
        self.evidence = EvidenceFolder(store, evidence_bytes)
        self._open: dict[str, OpenMatch] = {}
        self._lock = threading.Lock()
        self._listeners: list[Listener] = []

    def create(self, game: str, options: dict[str, Any], about: dict[str, Any], title: str = "") -> OpenMatch:
        """Begin a match; raises UnusableInputError naming the option that is wrong."""
        if game not in GAMES:
            raise UnusableInputError(f"game {str(game)[:40]!r} is unknown; known are {', '.join(GAMES)}")
        try:
            log = MatchLog(GAMES[game](options), (), about)
        except (TypeError, ValueError) as error:
            raise UnusableInputError(str(error)) from error
        named = title or title_of(log)
        return self.open(self.store.create(log, self.clock(), named[:TITLE_LONGEST]))

    def open(self, identifier: str) -> OpenMatch:
        """The match of this id; raises NotFoundError where there is none."""
        with self._lock:
            match = self._open.get(identifier)
            if match is None:
                match = self._open[identifier] = OpenMatch(self, identifier)
            return match

    def current(self) -> OpenMatch:
        """The match that changed last."""
        rows = self.store.list(limit=1)
        if not rows:
            raise NotFoundError("there is no match yet", code="no_match")
        return self.open(rows[0].id)

    def rows(self, limit: int = 200, game: str | None = None) -> list[MatchRow]:
        """The stored matches, the one changed last first."""
        return self.store.list(limit, game)

    def listen(self, listener: Listener) -> None:
        """Call ``listener`` after every stored change of any match, in the writer's thread: it must be quick."""
        self._listeners.append(listener)

    def tell(self, match: OpenMatch) -> None:
        """Tell the listeners of a change."""
        for listener in self._listeners:
            listener(match)


def title_of(log: MatchLog) -> str:
    """What a match is called: as it was named, or by its sides."""
    return str(log.about.get("title") or " – ".join(map(log.name_of, log.score)))


def again(match: OpenMatch) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Game, options and names of a match, to begin another one like it."""
    return match.log.engine.game, options_of(match.log.engine), dict(match.log.about)


def refusal(error: RuleError) -> list[dict[str, str]]:
    """The faults of a refused event as plain data."""
    return [{"clause": fault.clause, "wrong": fault.wrong, "expected": fault.expected} for fault in error.faults]

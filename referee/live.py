"""A live table: one source, one official and one match, from frames to kept events and open questions.

The camera sees, the rules decide: what an official proposes is put to the rules, and what they refuse becomes a
question. A dark, blurred, covered or moved picture is reported on the screen and never changes a score; while it is
dark or the board was moved, the official isn't fed at all.
"""

import hashlib
import logging
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from calibration.drift import check_view
from calibration.errors import NotFoundError, TableError
from calibration.profiles import as_text, table_file
from calibration.view import BoardView
from referee.clips import ClipRecorder, encode
from referee.desk import OpenMatch
from referee.evidence import CLIP
from referee.live_picture import LivePicture
from referee.log import Entry
from referee.officials import (
    NOWHERE,
    Correction,
    Evidence,
    Glances,
    Lain,
    Official,
    Proposal,
    Question,
    Seen,
    TakesBoard,
    TakesCorrections,
    TellsColours,
)  # fmt: skip
from referee.questions import Choice, OpenQuestion
from referee.rules.protocol import RuleError
from referee.settings import DEFAULTS, Settings
from referee.store import ConflictError, StoreError
from referee.table_look import Look, TableLook
from referee.watchdog import SourceState, WatchedSource
from vision.frames import Frame

CHECK_EVERY = 2.0
"""Seconds between two looks whether the board still lies where it was found; a look takes some 30 ms."""

WAIT = 0.25
STORE_PAUSE = 0.5
STORE_PAUSE_MOST = 10.0
"""Seconds until what the store didn't take is offered to it again, longer each time."""

FAULTS_MOST = 20
"""Failures after which an official is given up, and the table is only shown."""

NOT_FED: tuple[Look, ...] = ("dark", "moved")
WHO = "camera"
AS_SEEN, NOTHING = "as_seen", "nothing"
"""Answers where the rules refuse an event: it was as the camera saw it, or it didn't happen."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TableState:
    """What the screen says about the camera. ``table``: the official's word, or none where there is no official.

    ``provisional``: points of the round by side as they seem to lie there while the table settles. ``unstored``: events
    and questions that wait until the store takes them.
    """

    source: str
    condition: SourceState
    look: Look
    table: str
    provisional: dict[str, int] | None = None
    unstored: int = 0


class LiveTable:
    """Follows one match through one source until it is closed."""

    def __init__(
        self,
        match: OpenMatch,
        source: WatchedSource,
        official: Official | None,
        *,
        settings: Settings = DEFAULTS,
        clips: bool = False,
    ) -> None:
        self.match = match
        self.source = source
        self.official = official
        self.picture = LivePicture(settings.whole("picture_width"))
        self._look = TableLook(settings.number("dark_below"), settings.number("blurred_below"))
        self._epoch = time.time() if source.name.kind in ("usb", "stream") else 0.0
        self._at = 0.0
        self._checked = 0.0
        self._misfits = 0
        self._shown: tuple[object, ...] = ()
        self._revision = match.revision
        self._provisional: dict[str, int] | None = None
        self._finished = False
        self._entries: dict[float, int] = {}  # time of a proposal -> the entry that it became
        self._began, self._ours = match.revision, set[int]()
        self._told: deque[Proposal | Question] = deque()  # what the official has said and the store hasn't taken yet
        self._offer_at = 0.0
        self._offer_pause = STORE_PAUSE
        self._faults = 0
        self._by_hand: BoardView | None = None
        self._recorder = ClipRecorder() if clips else None
        self._watching = threading.RLock()  # an official is asked by one thread at a time
        self._films = ThreadPoolExecutor(1, "clips")
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="table", daemon=True)

    def start(self) -> "LiveTable":
        """Begin to follow."""
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop; the match stays as it is."""
        self._stop.set()
        self.source.close()
        self._films.shutdown(wait=False, cancel_futures=True)
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout=3.0)
        if self._told:
            log.warning("match %s: %d events seen last couldn't be stored", self.match.id, len(self._told))

    @property
    def at(self) -> float:
        """The time of the source, for what people do at this table."""
        return self._epoch + self._at

    @property
    def state(self) -> TableState:
        """What the screen says now."""
        table = "none" if self.official is None else self.official.seen.state
        shown = self.source.name.shown
        return TableState(shown, self.source.state, self._look.look, table, self._provisional, len(self._told))

    @property
    def colours(self) -> dict[str, str]:
        """The colour of each side's pieces, as far as the camera has seen it."""
        return self.official.colours() if isinstance(self.official, TellsColours) else {}

    def find_again(self) -> None:
        """The board or the camera was moved: look for the board anew."""
        self._look.forget()
        self._misfits = 0
        self._by_hand = None
        if self.official is not None:
            with self._watching:
                self.official.board_moved()

    def board_is(self, view: BoardView) -> None:
        """People have said where the board lies."""
        self._look.forget()
        self._misfits = 0
        self._by_hand = view
        frame = self.picture.frame
        if isinstance(self.official, TakesBoard) and frame is not None:
            with self._watching:
                self.official.use(view, frame)

    def correct(self, correction: Correction, who: str, why: str, expected: int | None = None) -> None:
        """Keep what a person says of one disc as a ruling, and go on from it.

        ``expected``: the revision that the person had seen. Raises RuleError, and changes nothing, where the rules
        refuse it.
        """
        with self._watching:
            official = self.official
            if not isinstance(official, TakesCorrections):
                raise NotFoundError("no camera reads discs on this table", code="no_camera")
            self._keep_up()
            found = official.ruling(self.match.log, correction)
            if found.event is None:
                entry = NOWHERE  # nothing was played yet: only the camera is told
            else:
                done = self.match.rule(found.event, self.at, who, target=found.target, why=why, expected=expected)
                entry = done.entry.number
            self._revision = self.match.revision
            self._follow(official)
            official.correct(entry, correction, found.number)
            official.follow(self.match.log.state)
            self.picture.redraw(self._seen())
        self.match.touched()

    def lain(self) -> tuple[BoardView | None, Sequence[Lain]]:
        """The board's view and the discs of the reading, as people may correct them."""
        with self._watching:
            self._keep_up()
            official = self.official
            return self.view, official.lain() if isinstance(official, TakesCorrections) else ()

    @property
    def view(self) -> BoardView | None:
        """Where the board lies, as the official has found it or people have said."""
        seen = None if self.official is None else self.official.seen.view
        return seen or self._by_hand

    def _run(self) -> None:
        while not self._stop.is_set():
            frame = self.source.newest(WAIT)
            try:
                if frame is not None:
                    self.see(frame)
                elif self.source.state.condition == "ended" and not self._finished:
                    self._finished = True
                    self._take(self.official.finish() if self.official else ())
                if frame is None:
                    with self._watching:
                        self._take(())
                        self._keep_up()
            except TableError as error:
                # with a full disk or a lost database the picture still goes on; the next frame tries again
                log.warning("%s", error)
            except Exception:
                # an official's fault must not end the table: the picture goes on, and the match is kept by hand
                log.exception("the official failed at %.2f s", self._at)
                self._faults += 1
                if self._faults >= FAULTS_MOST:
                    self.official = None
            self._tell()

    def see(self, frame: Frame) -> None:
        """Look at one frame; called by the table's own thread, and by tests."""
        with self._watching:
            self._see(frame)

    def _see(self, frame: Frame) -> None:
        self._at = frame.timestamp
        look = self._look.see(frame)
        if self._recorder is not None:
            self._recorder.add(frame)
        official = self.official
        if official is not None:
            self._take(())
            self._keep_up()
            if look not in NOT_FED:
                self._take(official.feed(frame))
                self._glance(official)
            self._check(frame, official, look)
        self.picture.show(frame, self._seen())

    def _glance(self, official: Official) -> None:
        """Show at once what seems to lie there when nothing moves any more; the score follows when that is sure."""
        if official.seen.state != "settling":
            self._provisional = None
        elif self._provisional is None and isinstance(official, Glances):
            self._provisional = official.glance()

    def _keep_up(self) -> None:
        """Go on from what now holds after a ruling or a taking back, even if no new frame comes any more."""
        if self.official is not None and self.match.revision != self._revision and not self._told:
            self._revision = self.match.revision
            self._follow(self.official)
            self.picture.redraw(self._seen())

    def _follow(self, official: Official) -> None:
        if isinstance(official, TakesCorrections):
            official.corrections_in_force(self.match.log.in_force)
        official.follow(self.match.log.state)

    def _seen(self) -> Seen | None:
        seen = None if self.official is None else self.official.seen
        if self._by_hand is not None and (seen is None or seen.view is None):
            return Seen("looking" if seen is None else seen.state, self._by_hand)
        return seen

    def _check(self, frame: Frame, official: Official, look: Look) -> None:
        """Check now and then that the board still lies where it was found; solve it again if it doesn't."""
        seen = official.seen
        due = frame.timestamp - self._checked >= CHECK_EVERY or frame.timestamp < self._checked
        if not due or seen.view is None or seen.state != "resting" or look not in ("good", "moved"):
            return
        self._checked = frame.timestamp
        self._misfits = 0 if check_view(frame.pixels, seen.view).ok else self._misfits + 1
        # twice in a row: once may be a sleeve over the lines
        if self._misfits >= 2 or look == "moved":
            self.find_again()

    def _take(self, told: Sequence[Proposal | Question]) -> None:
        """Put what the official says to the match, in its order; what the store doesn't take now waits."""
        self._told.extend(told)
        if not self._told or time.monotonic() < self._offer_at:
            if told:
                self._go_ahead()
            return
        waited = self._offer_at > 0.0
        try:
            while self._told:
                self._settle(self._told[0])
        except (StoreError, ConflictError) as error:
            if not waited:
                log.warning("%s; what the camera sees waits until the store takes it", error)
            self._offer_at = time.monotonic() + self._offer_pause
            self._offer_pause = min(2 * self._offer_pause, STORE_PAUSE_MOST)
            self._go_ahead()
            return
        except BaseException:
            self._told.popleft()  # what fails for another reason would fail again, and hold up all that follows
            raise
        self._offer_at, self._offer_pause = 0.0, STORE_PAUSE
        if waited:
            log.warning("the store takes events again; none was lost")

    def _go_ahead(self) -> None:
        """Let the official go on as if what waits for the store were in the log: it will be."""
        if self.official is None:
            return
        engine, state = self.match.log.engine, self.match.log.state
        for item in self._told:
            proposal = item if isinstance(item, Proposal) else item.proposal
            if proposal is not None:
                with suppress(RuleError):  # it is asked about when the log is there again
                    state = engine.apply(state, proposal.event)
        self.official.follow(state)

    def _settle(self, item: Proposal | Question) -> None:
        """Put the first that waits to the match; it waits no longer once all of it is stored."""
        if isinstance(item, Proposal):
            self._observe(item)
        else:
            entry = self._entries.get(item.about) if item.about is not None else None
            if item.proposal is not None:
                entry = self._observe(item.proposal, disputed=True)
                # noted once, also where the store fails before it has the question
                item = self._told[0] = replace(item, proposal=None, about=item.proposal.at)
                if entry is None:
                    # what the rules refused is asked about already: two questions about one shot help nobody
                    self._told.popleft()
                    return
            self._ask(item, entry)
        self._told.popleft()

    def _observe(self, proposal: Proposal, disputed: bool = False) -> int | None:
        """Put an event to the rules; returns its entry, None where they refuse it (then it is asked about)."""
        picture = self._keep(proposal.evidence, proposal.at, kept=disputed)
        at = self._epoch + proposal.at
        try:
            entry = self._noted(proposal) or self.match.observe(proposal.event, at, WHO, picture)
        except RuleError as error:
            answers = (Choice(AS_SEEN, self._json(proposal.event)), Choice(NOTHING))
            first = error.faults[0] if error.faults else None
            self.match.ask(
                OpenQuestion(
                    key=f"refused {proposal.at:.2f} {first}",
                    doubt="unexpected",
                    why=str(first or error),
                    at=at,
                    answers=answers,
                    clause=first.clause if first else None,
                    picture=picture,
                )
            )
            return None
        self._revision = self.match.revision
        self._entries[proposal.at] = entry.number
        self._ours.add(entry.number)
        if self.official is not None:
            self.official.follow(self.match.log.state)
        if self._recorder is not None and not self._stop.is_set():
            film = self._films.submit(self._film, entry.number, at, self._recorder.until(proposal.at))
            film.add_done_callback(_told)
        return entry.number

    def _noted(self, proposal: Proposal) -> Entry | None:
        """The entry of an event that the store took although its answer was lost, or that another program saw, too."""
        last = self.match.log.entries[-1:]
        others = (e for e in last if e.number > self._began and e.number not in self._ours)
        return next((e for e in others if (e.who, e.kind, e.event) == (WHO, "observed", proposal.event)), None)

    def _film(self, number: int, at: float, pictures: list[tuple[float, bytes]]) -> None:
        """Keep the clip of an event, in a thread of its own; if there is no room for it the match goes on."""
        try:
            content = encode(pictures)
            if content is not None:
                self.match.desk.evidence.put(self.match.id, content, "mp4", at, f"{CLIP}{number}")
                self.match.touched()
        except (TableError, OSError, ValueError) as error:
            log.warning("the clip of entry %d isn't kept: %s", number, error)

    def _ask(self, question: Question, entry: int | None) -> None:
        if question.about is not None and entry is not None and (seen := self.match.log.entries[entry - 1].evidence):
            with suppress(NotFoundError):  # it was removed already to make room
                self.match.desk.evidence.protect(self.match.id, seen)
        answers = tuple(Choice(a.words, None if a.event is None else self._json(a.event)) for a in question.answers)
        self.match.ask(
            OpenQuestion(
                key=question.key,
                doubt=question.doubt,
                why=question.why,
                at=self._epoch + question.at,
                answers=answers,
                entry=entry,
                gap_mm=question.gap_mm,
                sigma_mm=question.sigma_mm,
                clause=question.clause,
                picture=self._keep(question.evidence, question.at, kept=True),
            )
        )

    def _keep(self, evidence: Evidence | None, at: float, kept: bool) -> str | None:
        if evidence is None:
            return None
        folder, view = self.match.desk.evidence, view_text(evidence)
        try:
            return folder.put(self.match.id, evidence.jpeg, "jpg", self._epoch + at, evidence.words, kept, view)
        except StoreError as error:
            if error.code != "disk_full":
                raise
            # the match is worth more than its pictures: where the store has no room either, the event waits
            log.warning("a picture isn't kept: %s", error)
            return None

    def _json(self, event: Any) -> dict[str, Any]:
        data: dict[str, Any] = self.match.log.engine.event_to_json(event)
        return data

    def _tell(self) -> None:
        """Tell the followers when what the screen says about the camera is another."""
        state = self.state
        camera = (state.condition.condition, state.condition.why, state.look, state.table)
        shown = (*camera, state.provisional, state.unstored)
        if shown != self._shown:
            self._shown = shown
            self.match.touched()


def view_text(evidence: Evidence) -> str:
    """The view of a picture as a table profile; "" where there is none that a profile can hold."""
    if evidence.view is None:
        return ""
    try:
        return as_text(table_file(evidence.view, hashlib.sha256(evidence.jpeg).hexdigest()))
    except ValueError as error:
        log.warning("the board's place in a picture isn't kept: %s", error)
        return ""


def _told(film: "Future[None]") -> None:
    """Log a clip's failure of a kind that wasn't foreseen."""
    if not film.cancelled() and (error := film.exception()) is not None:
        log.error("a clip failed", exc_info=error)

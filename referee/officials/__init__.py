"""Officials: one a game, turning what the camera sees into proposed events and into questions for people.

An official is fed frames in the order of their timestamps and never sees a clock, a store or a screen. What it
proposes is put to the rules by whoever feeds it; what the rules refuse becomes a question, never a silent change.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from calibration.view import BoardView
    from referee.log import MatchLog
    from vision.frames import Frame
    from vision.readings import Disc, DiscState

Cause = Literal["too_close", "hidden", "unexpected", "ruling"]
"""Why a person is asked: a line call within its uncertainty, something not seen, something the rules don't expect,
something that only people can decide."""


NOWHERE = 0
"""In place of an entry's number: a correction that no entry of the log holds."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A picture that a call rests on: JPEG bytes, one line that says what it shows, and where the board lies in it."""

    jpeg: bytes = field(repr=False)
    words: str = ""
    view: "BoardView | None" = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """An event that was seen. ``at``: seconds of the source; ``confidence``: that it is right in every field."""

    event: Any
    at: float
    confidence: float = 1.0
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A possible answer: the word on its button and the event that then holds (None: nothing happened)."""

    words: str
    event: Any = None


@dataclass(frozen=True, slots=True)
class Question:
    """What the official can't decide. ``proposal`` holds meanwhile (None: the game waits for the answer).

    ``key`` is the same for the same doubt, so that it is asked once. ``gap_mm`` and ``sigma_mm``: the measured gap,
    where the doubt is a line call. ``clause``: the clause of the rules that decides. ``about``: seconds of an earlier
    proposal, which the chosen answer replaces.
    """

    key: str
    doubt: Cause
    why: str
    at: float
    answers: tuple[Answer, ...]
    proposal: Proposal | None = None
    gap_mm: float | None = None
    sigma_mm: float | None = None
    clause: str | None = None
    evidence: Evidence | None = None
    about: float | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a disc lies, as people say.

    ``mm`` on the board, or what it is worth there (``value``, ``state``, ``inner`` as the rules have them); what is
    None is left as it was, or follows from the place.
    """

    mm: tuple[float, float] | None = None
    value: int | None = None
    state: "DiscState | None" = None
    inner: bool = False


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person says of one disc of the reading.

    ``disc``: the camera's number, None for one that it doesn't see; ``place`` None: where it is read; ``there`` False:
    nothing lies there; ``side``: whose it is, None: as it is read.
    """

    disc: int | None
    place: Place | None = None
    side: str | None = None
    there: bool = True


@dataclass(frozen=True, slots=True)
class Ruled:
    """What a correction means for the log.

    ``event`` takes the place of entry ``target`` (None: a new entry; both None: the log has nothing to say it in);
    ``number`` is the log's of the disc then.
    """

    event: Any
    target: int | None
    number: int | None


@dataclass(frozen=True, slots=True)
class Lain:
    """A disc of the reading for people to correct.

    ``number``: the log's, None where the log doesn't know it; ``ruled``: it lies as people said.
    """

    disc: "Disc"
    number: int | None
    ruled: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """What the official saw last, for the screen: where the board lies (None: not found yet) and which discs on it.

    ``state`` is one word for people: ``looking`` for the board, ``resting``, ``moving``, ``hand``, or ``settling``,
    when nothing moves any more but something still may.
    """

    state: Literal["looking", "resting", "moving", "hand", "settling"] = "looking"
    view: "BoardView | None" = None
    discs: "tuple[Disc, ...]" = ()


class Official(Protocol):
    """Follows one match through one camera."""

    game: str

    def feed(self, frame: "Frame") -> Sequence[Proposal | Question]:
        """Look at the next frame; return what became certain, or must be asked, with it (mostly nothing)."""
        ...

    def finish(self) -> Sequence[Proposal | Question]:
        """The source has ended: return what is still to be told."""
        ...

    def follow(self, state: Any) -> None:
        """The match now stands at ``state`` (an event was kept, ruled or taken back): go on from there."""
        ...

    def board_moved(self) -> None:
        """Forget where the board lies: it or the camera was moved."""
        ...

    @property
    def seen(self) -> Seen:
        """What was seen last."""
        ...


@runtime_checkable
class TakesBoard(Protocol):
    """An official that can be told where the board lies."""

    def use(self, view: "BoardView", frame: "Frame") -> None:
        """The board lies here in this frame: people have said so, or it was saved before."""
        ...


@runtime_checkable
class Glances(Protocol):
    """An official that can tell at once what the table seems to hold, before it is sure that all is still."""

    def glance(self) -> dict[str, int] | None:
        """Points of the round by side as they seem to lie there now; None while that can't be told."""
        ...


@runtime_checkable
class TellsColours(Protocol):
    """An official that sees which pieces are whose."""

    def colours(self) -> dict[str, str]:
        """The colour of each side's pieces, as far as it was seen, in a word."""
        ...


@runtime_checkable
class TakesCorrections(Protocol):
    """An official whose readings people can correct, disc by disc."""

    def lain(self) -> Sequence[Lain]:
        """What it takes to lie on the table now."""
        ...

    def ruling(self, log: "MatchLog", correction: Correction) -> Ruled:
        """What a correction means for the log.

        Raises NotFoundError for a disc that isn't there, UnusableInputError for what no shot can have brought about.
        """
        ...

    def correct(self, entry: int, correction: Correction, number: int | None) -> None:
        """The ruling was kept as ``entry``: go on from what people said; ``number``: the log's of the disc."""
        ...

    def corrections_in_force(self, entries: Collection[int]) -> None:
        """These entries hold now: rulings by other entries are dropped, those brought back hold again."""
        ...

"""Officials: one a game, turning what the camera sees into proposed events and into questions for people.

An official is fed frames in the order of their timestamps and never sees a clock, a store or a screen. What it
proposes is put to the rules by whoever feeds it; what the rules refuse becomes a question, never a silent change.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from calibration.view import BoardView
    from vision.frames import Frame
    from vision.readings import Disc

Doubt = Literal["too_close", "hidden", "unexpected", "ruling"]
"""Why a person is asked: a line call within its uncertainty, something that wasn't seen, something that the rules
don't expect, something that only people can decide."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A picture that a call rests on: JPEG bytes and one line that says what it shows."""

    jpeg: bytes = field(repr=False)
    words: str = ""


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
    where the doubt is a line call. ``clause``: the clause of the rules that it hangs on.
    """

    key: str
    doubt: Doubt
    why: str
    at: float
    answers: tuple[Answer, ...]
    proposal: Proposal | None = None
    gap_mm: float | None = None
    sigma_mm: float | None = None
    clause: str | None = None
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What the official saw last, for the screen: where the board lies and which discs on it; None: not found yet.

    ``state`` is one word for people: ``looking`` for the board, ``resting``, ``moving``, ``hand``.
    """

    state: Literal["looking", "resting", "moving", "hand"] = "looking"
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

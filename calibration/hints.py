"""What is known before a picture is looked at, and the answer when no board can be solved in it."""

from dataclasses import dataclass
from typing import Literal

from calibration.boards import BoardModel
from calibration.camera import Camera


@dataclass(frozen=True, slots=True)
class BoardHints:
    """Knowledge from outside the picture; every field may be unknown (None).

    ``board``: the board's geometry in mm. ``shooting_mm``: radius of the shooting line. ``disc_mm``: diameter of
    the discs. ``camera``: calibrated intrinsics (``K``, ``dist``, ``width``, ``height``; its pose means nothing
    here), already scaled to the size of the picture. ``focal_px``: focal length in px of the picture as handed
    over, from EXIF: a guess, since cropping and digital zoom make it wrong.
    """

    board: BoardModel | None = None
    shooting_mm: float | None = None
    disc_mm: float | None = None
    camera: Camera | None = None
    focal_px: float | None = None

    def unused(self, saved: bool = False) -> tuple[str, ...]:
        """What of it isn't used because a ``saved`` set-up or the board gives the millimetres, a sentence each."""
        board = None if self.board is None else f"the board {self.board.name}"
        by = "the saved set-up" if saved else board
        if by is None:
            return ()
        line = None if self.shooting_mm is None else f"the shooting line of {self.shooting_mm:g} mm"
        given = (board if saved else None, line)
        return tuple(f"{what} that was given isn't used: {by} gives the lengths" for what in given if what is not None)


@dataclass(frozen=True, slots=True)
class NoBoard:
    """No solution, with the reason: falsy, so that ``if view := find_board(...)`` reads as it should.

    ``code`` is the machine's word: ``no_board`` (nothing like a board in the picture) or ``board_unsure``
    (something like one, that could not be solved well enough to trust). ``reason`` is one line for people.
    """

    code: Literal["no_board", "board_unsure"]
    reason: str

    def __bool__(self) -> Literal[False]:
        """Say no: nothing was solved."""
        return False

"""What gives a board its millimetres: a picture alone shows proportions, not sizes."""

from dataclasses import dataclass
from typing import Literal

ScaleSource = Literal["board", "shooting_line", "nca", "disc", "assumed", "by_hand"]
"""The measures of a named board or a board file; the shooting line's radius as given; the proportions of an NCA board;
the diameter of the discs; nothing yet, in a picture (``assumed``) or where people have set the board (``by_hand``)."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What gave the millimetres.

    ``tournament``: it is a tournament (NCA) board, so that the size of its discs is known (C3). ``detail`` says it in
    words, for people only: nothing is decided by them.
    """

    source: ScaleSource
    tournament: bool = False
    detail: str = ""

    @property
    def known(self) -> bool:
        """Whether the millimetres rest on more than a guess at the board's size."""
        return self.source not in ("assumed", "by_hand")


NCA_SCALE = Scale("nca", True, "NCA board: shooting line 304.8 mm")
ASSUMED_SCALE = Scale("assumed", detail="shooting line 304.8 mm (assumed)")

"""Pictures with truth: where they lie, and what nobody could guess from a picture of theirs."""

import os
from pathlib import Path
from typing import Any

from calibration.boards import BUILT_IN
from calibration.hints import BoardHints

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("REFEREE_DATA", ROOT.parent / "shared"))
"""The folder named by REFEREE_DATA, else the one beside the repository."""
NEAR_RADII = 0.9
"""A disc that is read within so many radii of a true one in the picture is that one."""


def options_of(truth: dict[str, Any]) -> BoardHints:
    """The truth's ``options``, as they would be given to the command, as hints."""
    words = truth.get("options", [])
    given = dict(zip(words[::2], words[1::2], strict=False))
    board = BUILT_IN.get(given.get("--board", ""))
    shooting, disc = given.get("--shooting-line"), given.get("--disc")
    return BoardHints(board, float(shooting) if shooting else None, float(disc) if disc else None)

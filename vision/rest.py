"""A rest: a moment at which everything but hands lies still and something may have changed.

A shot has run its course, or a hand has taken something off.
"""

from dataclasses import dataclass

from calibration.view import BoardView
from vision.frames import Frame
from vision.lens import Gray, Lens, Mask
from vision.tracks import Start, Track


@dataclass(frozen=True, eq=False)
class Rest:
    """A moment worth reading. Masks and pictures are squares of ``lens``; times are seconds of the source.

    ``settled``: since when everything lay still; ``hidden``: where hands are, or may be; ``tracks``: what moved since
    the last rest; ``shots``: the shots that left the shooting line meanwhile; ``scene``: counts the views of the board:
    a new number means that the camera has changed since the last rest; ``cut_short``: not a rest, but the last that was
    seen before the camera turned away.
    """

    frame: Frame
    at: float
    settled: float
    view: BoardView
    lens: Lens
    gray: Gray
    hidden: Mask
    tracks: tuple[Track, ...]
    shots: tuple[Start, ...]
    scene: int
    cut_short: bool = False

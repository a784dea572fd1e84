"""Where the discs that are gone went: seen leaving the surface, found in the ditch, or unknown.

Lengths in mm on the board, times in seconds.
"""

import math
from collections.abc import Sequence

from vision.shot_paths import LEAVING_MM_S, LEFT_AT
from vision.table import TableReading
from vision.tracks import Track

FAR_OUT = 0.7
"""In shooting-line radii: what was lost from sight this far out, going outwards fast, left into a hand's shadow;
farther in it struck another disc."""
LEAST_WAY_MM = 20.0
"""A way off the surface is seen over at least this length; hands and shadows make shorter ones."""


def ways_out(reading: TableReading, since: float) -> int:
    """How many things that moved since a shot began (s) were last seen on their way off the surface."""
    shooting = reading.rest.view.board.shooting

    def out(track: Track) -> bool:
        first, last = math.hypot(*track.start_mm), math.hypot(*track.end_mm)
        away = last > LEFT_AT * shooting and last > first
        fast = last > FAR_OUT * shooting and track.outward > LEAVING_MM_S
        return track.path >= LEAST_WAY_MM and (away or fast)

    return sum(track.end_s > since and out(track) for track in reading.rest.tracks)


def unseen_losses(reading: TableReading, since: float, vanished: Sequence[int], ditched: Sequence[int]) -> int:
    """How many of the discs that vanished, by their sides, left since a shot began (s) without a trace.

    ``ditched``: sides of the discs that are new in the ditch.
    """
    left = list(vanished)
    for side in ditched:
        if side in left:
            left.remove(side)
    return min(len(left), max(len(vanished) - ways_out(reading, since), 0))

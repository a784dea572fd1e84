"""What tracks tell about a shot: which starts are one shot, whether a disc left, which disc is which.

Lengths in mm on the board, times in seconds.
"""

import math

from vision.change_clues import TRACK_END_MM
from vision.changes import LEAVES_MM
from vision.pairing import nearest_pairs
from vision.shot_seen import Newcomer
from vision.table import TableReading
from vision.table_discs import TableDisc
from vision.tracks import SKIMS_FROM, Start, Track, pieces

LEFT_AT = 0.95
"""In shooting-line radii: a shot disc that lies nowhere was last seen beyond this, on its way out ..."""
LEAVING_MM_S = 200.0
"""... or going outwards at this speed, into a hand's shadow: it can't have stopped unseen."""
SAME_SHOT_S = 0.6
"""Two tracks that begin within this time are one shot."""
GLIMPSE_MM, GLIMPSE_POINTS, GLIMPSE_MM_S = 50.0, 4, 200.0
"""Something seen over this path, this often and this fast that leaves the board may be a shot that missed everything
..."""
GLIMPSE_BEFORE_S = 1.0
"""... unless the shot that was seen began less than this after it: then it is that shot's disc, or its hand."""


def single_starts(shots: tuple[Start, ...]) -> list[Start]:
    """The starts in order of time, those of one shot joined."""
    out: list[Start] = []
    for s in sorted(shots, key=lambda s: s.at):
        if not out or s.at - out[-1].at >= SAME_SHOT_S:
            out.append(s)
        elif s.strong and not out[-1].strong:
            out[-1] = s
    return out


def leaves(reading: TableReading, start: Start) -> bool:
    """Whether the shot disc, or what moved after a shot's start, was last seen leaving the surface."""
    edge = LEFT_AT * reading.rest.view.board.shooting
    if start.strong and (math.hypot(*start.track.end_mm) > edge or start.track.outward > LEAVING_MM_S):
        return True
    for track in reading.rest.tracks:
        away = math.hypot(*track.end_mm)
        gained = away - math.hypot(*track.start_mm)
        if track.start_s >= start.at and away > edge and gained > LEAVES_MM and len(pieces(track)) == 1:
            return True
    return False


def which_was_shot(
    group: int, start: Start | None, missing: list[TableDisc], newcomers: list[Newcomer]
) -> Newcomer | None:
    """Which newcomer was shot; None where it isn't on the board."""
    mine = [n for n in newcomers if n.group == group]
    own = [d for d in missing if d.group == group]
    if not mine:
        return None
    if start is not None:
        end = start.track.end_mm
        nearest = min(mine, key=lambda n: math.dist(n.seen.disc.mm, end))
        if math.dist(nearest.seen.disc.mm, end) < TRACK_END_MM:
            return nearest
    if len(mine) <= len(own):
        return None
    # as a rule, a disc that was moved lies nearer to where it lay than the disc that was shot
    return max(mine, key=lambda n: min((math.dist(n.seen.disc.mm, d.mm) for d in own), default=0.0))


def paired(missing: list[TableDisc], newcomers: list[Newcomer]) -> list[tuple[TableDisc, Newcomer]]:
    """Missing discs paired with the newcomers that they now are: the shortest ways first, within each side."""
    ways = (
        (math.dist(n.seen.disc.mm, d.mm), i, j)
        for i, d in enumerate(missing) for j, n in enumerate(newcomers) if n.group == d.group
    )  # fmt: skip
    return [(missing[i], newcomers[j]) for i, j in nearest_pairs(ways)]


def glimpses(reading: TableReading, shot_s: float | None) -> list[Track]:
    """Tracks up to a rest that left the board and may have been shots that missed everything.

    ``shot_s``: when the shot that was seen began (s); None where none was.
    """
    shooting = reading.rest.view.board.shooting
    out = []
    for track in reading.rest.tracks:
        fast = track.path >= max(GLIMPSE_MM, GLIMPSE_MM_S * (track.end_s - track.start_s))
        first, last = math.hypot(*track.start_mm), math.hypot(*track.end_mm)
        away = first < SKIMS_FROM * shooting and last > LEFT_AT * shooting and last > first
        before = shot_s is None or track.end_s < shot_s - GLIMPSE_BEFORE_S
        if before and fast and away and len(track.points) >= GLIMPSE_POINTS:
            out.append(track)
    return out

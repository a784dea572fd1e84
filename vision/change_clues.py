"""Clues to what changed between two rests: what hides a disc, what explains it, which disc is which. Lengths in mm."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from vision.rest import Rest
from vision.sides import Sides
from vision.table import Lab, SeenDisc, TableReading
from vision.table_discs import Change, TableDisc
from vision.tracks import SHOT_REACH_MM, Track

Place = tuple[float, float]
"""A board point in mm."""

SAME_PLACE_MM = 6.0
"""A disc is read within this of where it lies."""
COVERED = 0.25
"""A disc is hidden where a hand covers more than this share of its face."""
TRACK_END_MM = 45.0
"""A track ends within this distance of where its disc is read: it follows the disc's front edge or its shadow."""
STRUCK_PATH_MM, STRUCK_POINTS, STRUCK_MM_S = 60.0, 3, 300.0
"""Least path in mm, number of points and speed in mm/s of a struck disc's track; hands push over shorter ways,
slower."""
BESIDE_HOLE_MM = 46.0
"""A disc nearer to the hole than this changes how the hole looks: its body hides it or its shadow falls in. It is the
sum of both radii and of the shift of a disc's height at 45 degrees."""
SURELY = 0.8
"""A disc this probable is believed even there."""
GROUP_SURE = 0.75
"""From this probability on, a face is surely of one side."""


def covered(rest: Rest, mm: Place, radius: float | None = None) -> float:
    """Share of a disc's face, or of what lies within ``radius`` mm of a board point, that hands hide."""
    face = rest.lens.disc_mask(mm, radius or rest.view.board.disc_radius) > 0
    return float(rest.hidden[face].mean()) if face.any() else 0.0


def struck_track(reading: TableReading, disturbed: Sequence[TableDisc]) -> Track | None:
    """The track by which one of the ``disturbed`` discs left its place as only a struck disc does; None without one."""
    for track in reading.rest.tracks:
        if track.path < STRUCK_PATH_MM or track.reach < SHOT_REACH_MM or len(track.points) < STRUCK_POINTS:
            continue
        if math.hypot(*track.first_velocity()) < STRUCK_MM_S:
            continue
        if any(math.dist(d.mm, track.start_mm) < TRACK_END_MM for d in disturbed):
            return track
    return None


def hole_told(stayed: Sequence[Place], before: Sequence[Place], after: Sequence[Place]) -> bool:
    """Whether a change in how the hole looks tells that something fell in or was taken out.

    Discs at ``stayed`` (mm) are where they were; others lay at ``before`` and lie at ``after``. A disc that came to lie
    beside the hole changes its look by itself, and so does one that left, unless the hole's bare look is there to
    compare.
    """
    if any(math.hypot(*mm) < BESIDE_HOLE_MM for mm in after):
        return False
    left = any(math.hypot(*mm) < BESIDE_HOLE_MM for mm in before)
    return not (left and any(math.hypot(*mm) < BESIDE_HOLE_MM for mm in stayed))


def light_of(change: Change, sides: Sides) -> Lab | None:
    """By how much (3,) known faces now differ from their sides' colours; None without any known face."""
    off = [s.lab - sides.middles[d.group] for d, s in change.stayed if s is not None and d.group < len(sides.middles)]
    return np.asarray(np.median(np.array(off), axis=0)) if off else None


class Unclaimed:
    """The discs of a reading (``left``) that are none of those known from the last rest, as far as is found out."""

    def __init__(self, discs: Iterable[SeenDisc]) -> None:
        self.left = list(discs)

    def at(self, mm: Place) -> SeenDisc | None:
        """The disc that is read at a place (mm); None where none is."""
        best = min(self.left, key=lambda s: math.dist(s.disc.mm, mm), default=None)
        return best if best is not None and math.dist(best.disc.mm, mm) <= SAME_PLACE_MM else None

    def take(self, mm: Place) -> SeenDisc | None:
        """The same, which is then claimed."""
        found = self.at(mm)
        if found is not None:
            self.left.remove(found)
        return found


def other_side(d: TableDisc, seen: SeenDisc, sides: Sides) -> bool:
    """Whether what is seen is surely of another side than the disc that lay there."""
    group, sure = sides.group(seen)
    return group != d.group and sure > GROUP_SURE and d.group_sure > GROUP_SURE


def explained(reading: TableReading, seen: SeenDisc) -> bool:
    """Whether a surer disc nearby, by its body or its shade, explains what merely looks like a disc."""
    if seen.disc.confidence >= SURELY:
        return False
    surer = [s.disc.mm for s in reading.discs if s is not seen and s.disc.confidence > seen.disc.confidence]
    if math.hypot(*seen.disc.mm) <= reading.rest.view.board.disc_radius:
        return any(math.hypot(*mm) < BESIDE_HOLE_MM for mm in surer)
    return not seen.sure and any(math.dist(mm, seen.disc.mm) < BESIDE_HOLE_MM for mm in surer)

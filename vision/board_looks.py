"""How the board looked at the last rest, and how each of its places looks with nothing on it.

Pixels of two rests are compared here; what follows for the discs is decided in ``vision.changes``. Lengths in mm.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change_clues import COVERED, Place
from vision.disc_canonical import PX_PER_MM
from vision.disc_colours import LAB_WEIGHTS, TWO_SIDES
from vision.disc_faces import face
from vision.lens import Gray, Mask
from vision.likeness import Likeness, likeness
from vision.table import TableReading

LIKE = 0.8
"""Correlation from which a patch is the same one."""
QUIET_STEP = 3.0
"""Below this many grey levels nothing has changed, whatever the correlation: bare wood has little to correlate."""
BARE_STEP = 10.0
"""A shadow or other light may change the bare look of a place by this many grey levels."""
KNOWN_BARE = 0.8
"""This share of a place must have been seen bare before it can be called bare again."""
SHADOW_MM = 9.0
"""Beside a disc the board isn't bare: its shadow and, at a tilt, its body."""


@dataclass(frozen=True, eq=False)
class BoardLooks:
    """The board as one view showed it at its last rest.

    ``scene``: the view's number. ``last``, ``bare``: luma (FINE, FINE) uint8 at that rest, and of each place when it
    last lay bare, known where ``bare_known`` (FINE, FINE) is 1. ``unseen`` (COARSE, COARSE): 1 where hands hid the
    board at every rest so far. ``colours``: the canonical picture (SIZE, SIZE, 3) at that rest, where there is one.
    """

    scene: int
    last: Gray
    bare: Gray
    bare_known: Mask
    unseen: Mask
    colours: NDArray[np.uint8] | None

    def shown_in(self, reading: TableReading) -> bool:
        """Whether a reading is of the same view, so that their pixels can be compared."""
        return reading.rest.scene == self.scene

    def likeness(self, reading: TableReading, mm: Place, follow_from: float = math.inf) -> Likeness:
        """How a disc's place looks now against the last rest (see :func:`vision.likeness.likeness`)."""
        radius = reading.rest.view.board.disc_radius
        return likeness(self.last, reading.fine, reading.lens, mm, radius, follow_from)

    def bare_likeness(self, reading: TableReading, mm: Place) -> Likeness:
        """How a disc's place looks now against the bare board there."""
        return likeness(self.bare, reading.fine, reading.lens, mm, reading.rest.view.board.disc_radius)

    def knows_bare(self, reading: TableReading, mm: Place) -> bool:
        """Whether a disc's place was seen with nothing on it, through this same view."""
        if not self.shown_in(reading):
            return False
        place = reading.lens.disc_mask(mm, reading.rest.view.board.disc_radius) > 0
        return bool(place.any() and self.bare_known[place].mean() >= KNOWN_BARE)

    def is_bare(self, reading: TableReading, mm: Place) -> bool:
        """Whether a disc's place looks as it did when nothing lay there; False if it was never seen so."""
        if not self.knows_bare(reading, mm):
            return False
        like = self.bare_likeness(reading, mm)
        return like.step < QUIET_STEP or (like.same >= LIKE and like.step < BARE_STEP)

    def was_unseen(self, reading: TableReading, mm: Place) -> bool:
        """Whether hands hid a disc's place at every rest until now."""
        place = reading.rest.lens.disc_mask(mm, reading.rest.view.board.disc_radius) > 0
        return bool(place.any() and self.unseen[place].mean() > COVERED)

    def recoloured(self, reading: TableReading, mm: Place) -> bool:
        """Whether a disc's place has another colour than at the last rest.

        Luma alone can miss it: a blue disc on a dark board, across a pale line, looks like what was there before.
        """
        if self.colours is None or reading.known is None:
            return False
        looks, board = reading.known.looks, reading.rest.view.board
        frame, at = looks.frame, looks.frame.from_board(np.array([mm]))[0]
        radius, height = board.disc_radius / frame.scale * PX_PER_MM, board.disc_height / frame.scale
        before, now = (
            np.median(face(p, frame, (at[0], at[1]), radius, height), axis=0) for p in (self.colours, looks.now)
        )
        return bool(np.linalg.norm((now - before) * LAB_WEIGHTS) >= TWO_SIDES)


def looks_after(before: BoardLooks | None, reading: TableReading, lying: Iterable[Place]) -> BoardLooks:
    """How the board looks at a rest; ``before``: as it looked at the last one, ``lying`` (mm): where discs lie now."""
    rest = reading.rest
    size = (reading.lens.size, reading.lens.size)
    hidden = np.asarray(cv2.resize(rest.hidden, size, interpolation=cv2.INTER_NEAREST), dtype=np.uint8)
    radius = rest.view.board.disc_radius + SHADOW_MM
    free = (hidden == 0).astype(np.uint8)
    for mm in [*(s.disc.mm for s in reading.discs if s.sure), *lying]:
        reading.lens.draw_disc(free, mm, radius, 0)
    colours = None if reading.known is None else reading.known.looks.now
    if before is None or not before.shown_in(reading):
        return BoardLooks(rest.scene, reading.fine, reading.fine.copy(), free, rest.hidden.copy(), colours)
    return BoardLooks(
        rest.scene,
        np.where(hidden > 0, before.last, reading.fine),
        np.where(free > 0, reading.fine, before.bare),
        before.bare_known | free,
        before.unseen & rest.hidden,
        colours,
    )

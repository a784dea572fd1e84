"""The picture that will be the next rest if nothing stirs any more: it is read while that is waited for."""

import cv2
import numpy as np

from vision.differences import differs, shaded
from vision.frames import Frame
from vision.lens import Lens
from vision.motion import Sight
from vision.video import as_luma

Moment = tuple[Frame, Sight]
"""A frame and what was seen in it."""


class Draft:
    """Holds the first picture since the last motion in which nothing moves.

    ``free``: no hand hides anything in it; the first such picture takes the place of one in which a hand does.
    """

    def __init__(self) -> None:
        self.moment: Moment | None = None
        self.free = False

    def forget(self) -> None:
        """What was drafted is no rest."""
        self.moment = None

    def see(self, frame: Frame, sight: Sight, still_s: float, free: bool) -> None:
        """Take in the next frame: for how long nothing has moved, and whether no hand hides anything."""
        if still_s <= 0:
            self.moment = None
        elif self.moment is None or (free and not self.free):
            self.moment, self.free = (frame, sight), free

    def confirmed(self, frame: Frame, sight: Sight, lens: Lens) -> Moment | None:
        """What was drafted, if all lies and looks in ``frame`` as it did then; None where it doesn't.

        It doesn't where a disc crept on, too slowly to be seen to move, or a hand's shadow was still there.
        """
        if self.moment is None or not self.free or self.moment[0] is frame:
            return None
        fine = lens.finer
        then, now = (fine.look(as_luma(f)[0]) for f in (self.moment[0], frame))
        told = cv2.resize(lens.surface & (1 - sight.hand), (fine.size, fine.size), interpolation=cv2.INTER_NEAREST)
        where = np.asarray(told, dtype=np.uint8)
        if differs(then, now, where).any() or shaded(then, now, where, fine.view.board.disc_radius / fine.mm_per_px):
            return None
        return self.moment

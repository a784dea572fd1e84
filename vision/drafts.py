"""The picture that will be the next rest if nothing stirs any more: it is read while that is waited for."""

import cv2
import numpy as np

from vision.differences import differs
from vision.frames import Frame
from vision.lens import Lens
from vision.motion import Sight
from vision.video import as_luma

Moment = tuple[Frame, Sight]
"""A frame and what was seen in it."""


class Draft:
    """Holds the first picture since the last motion in which nothing moves and no hand hides anything."""

    def __init__(self) -> None:
        self.moment: Moment | None = None

    def forget(self) -> None:
        """What was drafted is no rest."""
        self.moment = None

    def see(self, frame: Frame, sight: Sight, still_s: float, free: bool) -> None:
        """Take in the next frame: for how long nothing has moved, and whether no hand hides anything."""
        if still_s <= 0:
            self.moment = None
        elif self.moment is None and free:
            self.moment = (frame, sight)

    def confirmed(self, frame: Frame, sight: Sight, lens: Lens) -> Moment:
        """What is the rest, now that everything has kept still: what was drafted, if all lies where it lay then.

        A disc that crept on meanwhile, too slowly to be seen to move, makes it the newest frame.
        """
        if self.moment is None:
            return frame, sight
        fine = lens.finer
        then, now = (fine.look(as_luma(f)[0]) for f in (self.moment[0], frame))
        hidden = cv2.resize(sight.hand, (fine.size, fine.size), interpolation=cv2.INTER_NEAREST)
        told = fine.surface & (1 - np.asarray(hidden, dtype=np.uint8))
        return (frame, sight) if differs(then, now, told).any() else self.moment

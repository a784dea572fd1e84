"""The picture that will be the next rest if nothing stirs any more: it is read while that is waited for.

The rest itself is read from a later picture, which differs little: it shows what was still creeping to a halt, and no
longer the shadow that has gone. Resting on the first picture without motion made shots of what still moved.
"""

from typing import NamedTuple

from vision.frames import Frame
from vision.motion import Sight


class Moment(NamedTuple):
    """A frame and what was seen in it."""

    frame: Frame
    sight: Sight


class Draft:
    """Holds the first picture since the last motion in which nothing moves.

    ``free``: no hand hides anything in it. The first such picture replaces one in which a hand does.
    """

    def __init__(self) -> None:
        self.moment: Moment | None = None
        self.free = False

    def forget(self) -> None:
        """What was drafted is no rest."""
        self.moment = None

    def see(self, now: Moment, still_s: float, free: bool) -> None:
        """Take in the next moment: for how long nothing has moved, and whether no hand hides anything."""
        if still_s <= 0:
            self.moment = None
        elif self.moment is None or (free and not self.free):
            self.moment, self.free = now, free

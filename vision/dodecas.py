"""Read Krakatoa's dodecas: the set by the body (white, grey, black), the colour of the spot on the top face.

Networks find the top faces and read a crop of each (vision/dice_nets.py). White, grey and black are relations under a
light that nobody knows, so the sets are told from all dodecas of the picture together: a body that is not clearly of
its set by itself takes the set whose sure bodies, brightness for brightness, it is most like.
"""

from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from vision.dice_nets import CLOSE, Found, aimed, crop, find, network, read, softmax
from vision.frames import Frame
from vision.readings import Dodeca, DodecaSet, SpotColour

COLOURS: tuple[SpotColour, ...] = get_args(SpotColour)
SETS: tuple[DodecaSet, ...] = get_args(DodecaSet)
NOTHING = 3
"""Class of the reader for what is no top face; before it the colours."""
BODY = slice(4, 7)
AIMS = slice(7, 10)
HOPELESS, LISTED = 0.02, 0.5
"""As for dice: finds let go after the first look; probability of a top face from which on a find is listed."""
SURE = 0.6
"""Probability from which on a set or a colour is said."""
TURNS = (0.0, 0.12, -0.12)


@dataclass(frozen=True, slots=True)
class Look:
    """What all looks at one find say: place and size across flats in pixels, probabilities of colours and sets."""

    x: float
    y: float
    across: float
    top: float
    colours: NDArray[np.float64]
    sets: NDArray[np.float64]


def read_dodecas(frame: Frame) -> tuple[Dodeca, ...]:
    """All dodecas of a frame, with points in pixels of the picture as shown, from the top of the picture down."""
    looks = [look(frame.pixels, f) for f in find(network("dodeca_find"), frame.pixels)]
    kept: list[Look] = []
    for one in sorted((x for x in looks if x is not None and x.top >= LISTED), key=lambda k: -k.top):
        if all(np.hypot(one.x - k.x, one.y - k.y) > CLOSE * max(one.across, k.across) for k in kept):
            kept.append(one)
    return tuple(sorted((_dodeca(frame, one) for one in kept), key=lambda d: (d.px[1], d.px[0])))


def look(picture: NDArray[np.uint8], found: Found) -> Look | None:
    """Look at a find once, and if it may be a dodeca, three times more at the place where the first look saw it."""
    net = network("dodeca_read")
    first = read(net, [crop(picture, found.x, found.y, found.edge)])[0]
    if softmax(first[: NOTHING + 1])[NOTHING] > 1 - HOPELESS:
        return None
    x, y, across = aimed(found.x, found.y, found.edge, first[AIMS])
    crops = [crop(picture, x, y, across, turn) for turn in TURNS]
    crops[1] = np.ascontiguousarray(crops[1][:, ::-1])
    later = read(net, crops)
    x, y, across = aimed(x, y, across, later[0, AIMS])
    outs = np.vstack([first[None], later])
    colours = softmax(outs[:, : NOTHING + 1]).mean(axis=0)
    top = float(1 - colours[NOTHING])
    return Look(x, y, across, top, colours[:NOTHING] / max(top, 1e-9), softmax(outs[:, BODY]).mean(axis=0))


def _dodeca(frame: Frame, seen: Look) -> Dodeca:
    colour, body = int(seen.colours.argmax()), int(seen.sets.argmax())
    px = frame.to_shown(np.array([[seen.x, seen.y]]))[0]
    return Dodeca(
        SETS[body] if seen.sets[body] >= SURE else None,
        COLOURS[colour] if seen.colours[colour] >= SURE else None,
        (float(px[0]), float(px[1])),
        seen.across * float(np.sqrt(frame.scale[0] * frame.scale[1])),
        round(float(seen.top * seen.sets[body] * seen.colours[colour]), 4),
    )

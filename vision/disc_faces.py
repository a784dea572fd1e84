"""What the faces of discs look like: the colour and texture of what of each shows its side's paint or wood."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.board_light import SHADED, UNEVEN, light_at
from vision.disc_canonical import HALF_MM, PX_PER_MM, SIZE, CanonicalFrame
from vision.disc_colours import LAB_WEIGHTS, lab_of, roughness
from vision.disc_looks import LISTED, Looks
from vision.disc_net import Candidate
from vision.readings import DiscState

FACE = (0.3, 0.72)
"""The face's colour is taken between these shares of its radius: a ring's hole and the bevel stay out."""
INNER, OUTER, STICKER = (0.3, 0.5), (0.65, 0.82), 12.0
"""Where a face's inner part differs by more than this (weighted Lab) from its outer part, a sticker, a print or a wide
hole lies there: the outer part shows the side. Of 1058 plain faces 99 in 100 differ by less than 10."""
PARTLY, PARTS, ALIKE = 7.0, 4, 10.0
"""A face rougher than the first (Lab lightness; plain faces are by less) lies partly under gloss or in a shadow. Its
darkest or lightest quarter shows its side's colour if it is nearer than the third (weighted Lab) to a plain face."""
AROUND, BARE = (1.3, 1.7), 9.0
"""A face nearer than the second (weighted Lab) to what lies around it, between these shares of its radius, or to what
lies between the lines elsewhere looks bare."""
DIM = 5.5
"""A face darker than this beside a surface darker than this (Lab lightness in the picture: a grey value of 20) shows no
colour. Of 2232 faces of real and rendered boards, dark rooms among them, none was as dark as that."""
RINGS = (0.2, 0.5, 0.84)
"""Shares of the shooting line's radius that lie between the lines of any board."""


@dataclass(frozen=True, eq=False)
class Faces:
    """What the faces of N candidates look like: CIE Lab (N, 3), evened out where the light over the board is uneven.

    ``rough`` (N,): their texture; ``ditched``, ``in_hole`` (N,): where they most likely lie; ``bare`` (N,): it looks as
    the bare surface does; ``dim`` (N,): it lies in the dark; ``shaded``: some lie in much less light than others, which
    is only roughly made up for at a shadow's edge.
    """

    lab: NDArray[np.float64]
    rough: NDArray[np.float64]
    ditched: NDArray[np.bool_]
    in_hole: NDArray[np.bool_]
    bare: NDArray[np.bool_]
    dim: NDArray[np.bool_]
    shaded: bool


def faces_of(looks: Looks, candidates: list[Candidate], states: list[DiscState], tops: NDArray[np.float64]) -> Faces:
    """The faces of N candidates in their likeliest states, at heights ``tops`` (N,) in mm above their points."""
    frame, picture = looks.frame, looks.now
    radius_px = looks.radius[0] / (frame.scale / PX_PER_MM)
    seen = [
        _own_colour(picture, frame, c.xy, radius_px, float(z) / frame.scale)
        for c, z in zip(candidates, tops, strict=True)
    ]
    rough = np.array([roughness(s) for s in seen])
    listed = np.array([c.chance >= LISTED for c in candidates], dtype=bool)
    lab = _unchanged(seen, rough, listed & (rough < PARTLY))
    around = np.array(
        [np.median(face(picture, frame, c.xy, radius_px, 0.0, AROUND), axis=0) for c in candidates]
    ).reshape(-1, 1, 3)
    dim = (lab[:, 0] < DIM) & (around[:, 0, 0] < DIM)
    ground = np.concatenate([around, np.tile(_surface(picture, frame), (len(lab), 1, 1))], axis=1)
    bare = np.linalg.norm((lab[:, None] - ground) * LAB_WEIGHTS, axis=2).min(axis=1) < BARE
    ditched = np.array([s == "ditch" for s in states], dtype=bool)
    compared = listed & ~ditched
    shade = 0.0
    if np.count_nonzero(compared) > 1:
        light = light_at(picture, frame, np.array([c.xy for c in candidates]), radius_px)
        shade = light.range(compared)
        lab = light.evened(lab) if shade > UNEVEN else lab
    in_hole = np.array([s == "hole" for s in states], dtype=bool)
    return Faces(lab, rough, ditched, in_hole, bare, dim, shade > SHADED)


def face(
    picture: NDArray[np.uint8],
    frame: CanonicalFrame,
    xy: tuple[float, float],
    radius: float,
    height: float,
    part: tuple[float, float] = FACE,
) -> NDArray[np.float64]:
    """Lab (N, 3) of the face, at ``height`` canonical mm, of a disc with its point at ``xy`` canonical pixels.

    ``part``: from and to how many radii from its middle.
    """
    k = frame.height / (frame.height - height)
    foot = ((frame.foot[0] + HALF_MM) * PX_PER_MM - 0.5, (HALF_MM - frame.foot[1]) * PX_PER_MM - 0.5)
    x, y = (f + (v - f) * k for v, f in zip(xy, foot, strict=True))
    r = radius * k
    wide = r * max(part[1], 1.0)
    x0, x1 = (int(np.clip(v, 0, SIZE - 1)) for v in (x - wide, x + wide + 1))
    y0, y1 = (int(np.clip(v, 0, SIZE - 1)) for v in (y - wide, y + wide + 1))
    yy, xx = np.mgrid[y0 : y1 + 1, x0 : x1 + 1]
    d = np.hypot(xx - x, yy - y) / r
    inside = (d >= part[0]) & (d <= part[1])
    pixels = picture[y0 : y1 + 1, x0 : x1 + 1][inside]
    if len(pixels) == 0:
        pixels = picture[y0 : y0 + 1, x0]
    return lab_of(pixels)


def _own_colour(
    picture: NDArray[np.uint8], frame: CanonicalFrame, xy: tuple[float, float], radius: float, height: float
) -> NDArray[np.float64]:
    """Lab (N, 3) of what of a face shows its side's colour, given as for :func:`face`."""
    inner, outer = (face(picture, frame, xy, radius, height, part) for part in (INNER, OUTER))
    middle = np.median(inner, axis=0)
    if np.linalg.norm((middle - np.median(outer, axis=0)) * LAB_WEIGHTS) < STICKER:
        return face(picture, frame, xy, radius, height)
    apart = np.linalg.norm((outer - middle) * LAB_WEIGHTS, axis=1)
    return np.asarray(outer[apart >= np.median(apart)])  # a wide sticker reaches into the outer part


def _unchanged(
    seen: list[NDArray[np.float64]], rough: NDArray[np.float64], plainly: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Lab (N, 3) of faces seen as Lab (M, 3) each: where gloss or a shadow lies over a part, that of the rest.

    The rest is what is like a face that is ``plainly`` (N,) seen; without such, as elsewhere, the median counts.
    """
    lab = np.array([np.median(s, axis=0) for s in seen]).reshape(-1, 3)
    plain = lab[plainly]
    for i in np.nonzero(rough >= PARTLY)[0]:
        ranked = seen[i][np.argsort(seen[i][:, 0])]
        some = max(1, len(ranked) // PARTS)
        parts = np.array([np.median(part, axis=0) for part in (ranked, ranked[:some], ranked[-some:])])
        far = np.linalg.norm((parts[:, None] - plain) * LAB_WEIGHTS, axis=2).min(axis=1, initial=ALIKE)
        lab[i] = parts[far.argmin()]
    return lab


def _surface(picture: NDArray[np.uint8], frame: CanonicalFrame) -> NDArray[np.float64]:
    """Median Lab (3, 3) of the canonical picture's three rings between the lines."""
    turn = np.arange(64) * (np.pi / 32)
    reach = frame.shooting * PX_PER_MM * np.array(RINGS)[:, None]
    x = np.round((SIZE - 1) / 2 + reach * np.cos(turn)).astype(int)
    y = np.round((SIZE - 1) / 2 + reach * np.sin(turn)).astype(int)
    return np.array([np.median(lab_of(ring), axis=0) for ring in picture[y, x]])

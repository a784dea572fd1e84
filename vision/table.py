"""What lies on the board at a rest: discs read and measured, with the colour of their faces, and compared by pixels.

The networks of ``vision.discs`` say what is a disc. Here their reading is joined with what the pixels of two rests say:
a place that looks as it did holds what it held, and where nothing has changed nothing is new.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.boards import BoardModel
from calibration.view import BoardView
from vision.contacts import Measured, measure_after, shared_radius
from vision.disc_colours import lab_of
from vision.disc_looks import Looks, look
from vision.disc_values import HOLE_PLACE_MM, standing, valued, with_states
from vision.discs import discs_of
from vision.lens import Gray, Lens
from vision.readings import Disc, DiscState
from vision.rest import Rest
from vision.video import as_luma

Lab = NDArray[np.float64]

FACE = (0.25, 0.72)
"""The face's colour is taken between these shares of its radius: a ring's hole and the bevel stay out.

It begins nearer to the middle than ``vision.discs.FACE``. With one range for both, the discs of the matches tried stay
as they are, but how sure their sides are changes, and with it a shot's confidence, by up to 0.02."""
FACE_POINTS = (6, 24)
"""Radii and angles at which it is sampled."""
RADIUS_PRIOR = 0.15
"""Makers' discs differ by this share in size."""
HOLE_CENTRED_MM, LEANS_CENTRED = 4.0, 0.1
"""A disc flat in the hole lies within 2 mm of its middle. One that leans is seen beside it, seldom nearer than the
first: its probability there is multiplied by the second."""
MEASURABLE = 0.9
"""Discs' size is measured only on discs that, with at least this probability, are discs and lie on the surface."""
CLEARANCE = 0.9
"""Two discs on the surface are at least this share of their width apart (places are uncertain)."""


@dataclass(frozen=True, eq=False)
class SeenDisc:
    """One disc of a reading with what a comparison needs: its face's Lab (3,), and whether the reading lists it."""

    disc: Disc
    lab: Lab
    sure: bool

    @property
    def measurable(self) -> bool:
        """Whether it helps to measure the discs' size: what may be none, or lies over the hole's edge, doesn't."""
        d = self.disc
        return self.sure and d.state == "board" and min(d.confidence, d.state_confidence) >= MEASURABLE


@dataclass(frozen=True, eq=False)
class TableReading:
    """All discs at one rest. ``fine``: the board (FINE, FINE) uint8 luma; ``lens``: the one that shows it.

    ``known``: what was found and measured in the picture, for the next one to be read from.
    """

    rest: Rest
    discs: tuple[SeenDisc, ...]
    fine: Gray
    lens: Lens
    disc_radius: float
    disc_radius_sigma: float
    known: "Known | None" = None


@dataclass(frozen=True, eq=False)
class Known:
    """What the next picture can be read from: where discs were found, and what was measured of them."""

    looks: Looks
    measured: Measured | None


def face_lab(image: NDArray[np.uint8], view: BoardView, disc: Disc) -> Lab:
    """Median Lab (3,), L in 0..100, of a disc's upper face in an image (H, W, 3) uint8 BGR."""
    board = view.board
    height = {"board": board.disc_height, "leaning": board.disc_height / 2, "hole": 0.0, "ditch": 0.0}[disc.state]
    radii = np.linspace(*FACE, FACE_POINTS[0]) * board.disc_radius
    turns = np.arange(FACE_POINTS[1]) * (2 * np.pi / FACE_POINTS[1])
    ring = np.stack([np.outer(radii, np.cos(turns)), np.outer(radii, np.sin(turns))], axis=-1).reshape(-1, 2)
    px = view.to_px(np.array(disc.mm) + ring, height)
    columns = np.clip(np.rint(px[:, 0]), 0, image.shape[1] - 1).astype(np.intp)
    rows = np.clip(np.rint(px[:, 1]), 0, image.shape[0] - 1).astype(np.intp)
    return np.asarray(np.median(lab_of(image[rows, columns]), axis=0))


def plausible(disc: Disc, board: BoardModel, radius: float) -> Disc:
    """The disc with its states as mechanics allows them at a table that is watched.

    What seems to lean in the middle of the hole lies flat there.
    """
    if math.hypot(*disc.mm) < HOLE_CENTRED_MM:
        chances = {s: p * (LEANS_CENTRED if s == "leaning" else 1.0) for s, p in disc.states}
        disc = with_states(disc, chances) if chances else disc
    return standing(disc, board, radius)


def apart(discs: list[Disc], least_mm: float) -> list[int]:
    """Indices of discs of which no two share a place, the surer of each pair; one may lie over another in the hole."""
    kept: list[int] = []
    for i in sorted(range(len(discs)), key=lambda i: -discs[i].confidence):
        d = discs[i]
        beside = (discs[k] for k in kept if "hole" not in (d.state, discs[k].state) or d.state == discs[k].state)
        if all(math.dist(d.mm, other.mm) >= least_mm for other in beside):
            kept.append(i)
    return sorted(kept)


def read_table(
    rest: Rest,
    radius: tuple[float, float] | None = None,
    before: Known | None = None,
    once_more: bool = True,
    patient: bool = True,
) -> TableReading:
    """Read the board at a rest.

    ``radius``: the discs' radius in mm as measured before, with its uncertainty. ``before``: what was found in an
    earlier picture; only what has changed since is looked at and measured anew, and what was in doubt, if it is to be
    looked at ``once_more``. ``patient``: now and then the whole is read anew.
    """
    image, view = rest.frame.pixels, rest.view
    looks = look(image, view, before.looks if before else None, once_more, patient)
    seen = discs_of(image, looks)
    size = radius or (seen.disc_radius_mm, seen.disc_radius_sigma_mm)
    found = [plausible(d, view.board, size[0]) for d in (*seen.discs, *seen.maybe)]
    sure = [i < len(seen.discs) for i in range(len(found))]
    kept = apart(found, 2 * CLEARANCE * size[0])
    measured = before.measured if before else None
    listed, measured = measure_after(measured, image, view, [found[i] for i in kept], radius=size)
    discs = [valued(d, size[0], view.board) if d.state == "board" else d for d in listed]
    out = [SeenDisc(d, face_lab(image, view, d), sure[i]) for i, d in zip(kept, discs, strict=True)]
    fine, lens = rest.lens.finer.look(as_luma(rest.frame)[0]), rest.lens.finer
    known = Known(looks, measured)
    return TableReading(rest, tuple(out), fine, lens, seen.disc_radius_mm, seen.disc_radius_sigma_mm, known)


def disc_radius(reading: TableReading) -> tuple[float, float]:
    """Radius of the discs in mm of the view and its standard uncertainty, from the rims of those on the surface.

    There must be at least one.
    """
    rest = reading.rest
    discs = [s.disc for s in reading.discs if s.sure]
    return shared_radius(rest.frame.pixels, rest.view, discs, (reading.disc_radius, RADIUS_PRIOR * reading.disc_radius))


def hole_disc(reading: TableReading) -> SeenDisc:
    """The reading of a disc flat in the hole that the networks don't see, though one came to lie there."""
    view = reading.rest.view
    px = view.to_px(np.zeros((1, 2)))[0]
    states: tuple[tuple[DiscState, float], ...] = (("hole", 1.0),)
    disc = Disc(0, "", (float(px[0]), float(px[1])), (0.0, 0.0), HOLE_PLACE_MM, "hole", 0.5, 1.0, states)
    disc = valued(disc, reading.disc_radius, view.board)
    return SeenDisc(disc, face_lab(reading.rest.frame.pixels, view, disc), False)

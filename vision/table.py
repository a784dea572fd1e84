"""What lies on the board at a rest: discs read and measured, with the colour of their faces, and compared by pixels.

The networks of ``vision.discs`` say what is a disc. Here their reading is joined with what the pixels of two rests say:
a place that looks as it did holds what it held, and where nothing has changed nothing is new.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import BoardModel
from calibration.view import BoardView
from vision.contacts import Measured, measure_after, shared_radius
from vision.disc_colours import LAB_WEIGHTS, THIRD_SIDE, TWO_SIDES, lab_of, words_for
from vision.disc_looks import Looks, look
from vision.disc_values import HOLE_PLACE_MM, standing, valued, with_states
from vision.discs import discs_of
from vision.lens import Gray, Lens
from vision.readings import Disc, DiscState
from vision.rest import Rest
from vision.video import as_luma

Lab = NDArray[np.float64]

FACE = (0.25, 0.72)
"""The face's colour is taken between these shares of its radius: a ring's hole and the bevel stay out."""
FACE_POINTS = (6, 24)
"""Radii and angles at which it is sampled."""
COLOUR_RATE = 0.15
"""Share by which a side's colour follows what is seen of it now: light changes in the course of an evening."""
PATCH_MM = 26.0
"""Half the side of the patch that is compared about a disc."""
RIM_MM = 3.0
"""What is compared reaches this far beyond the disc's outline, where its edge and shadow are."""
RADIUS_PRIOR = 0.15
"""Makers' discs differ by this share in size."""
HOLE_CENTRED_MM, LEANS_CENTRED = 4.0, 0.1
"""A disc flat in the hole lies within 2 mm of its middle. One that leans is seen beside it, seldom nearer than the
first: its probability there is multiplied by the second."""
FOUNDS = 0.6
"""A disc at least this probable may show a side that wasn't known before."""
GAIN_RANGE = (0.75, 1.33)
"""By how much light may change the contrast between two rests: a larger change is another object."""
MEASURABLE = 0.9
"""Only what is a disc, and lies on the surface, with at least this probability helps to measure all discs' size."""
CLEARANCE = 0.9
"""Two discs on the surface are at least this share of their width apart (places are uncertain)."""
ALIGN_STEPS = 6
ALIGN_FARTHEST_MM = 7.0
"""Farther than this a disc isn't followed by its pixels alone."""


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


@dataclass(frozen=True, slots=True)
class Likeness:
    """How a patch of one picture looks in another.

    ``same``: correlation (-1..1) with nothing moved; ``moved``: after the best shift that was tried; ``shift`` in mm;
    ``step``: mean change in grey levels over the disc, light taken out.
    """

    same: float
    moved: float
    shift: tuple[float, float]
    step: float

    @property
    def far(self) -> float:
        """Length of the shift in mm."""
        return math.hypot(*self.shift)


def likeness(
    before: Gray, after: Gray, lens: Lens, mm: tuple[float, float], radius: float, follow_from: float = math.inf
) -> Likeness:
    """Compare the patch about a board point in two squares (FINE, FINE) uint8 of ``lens``.

    Where it has changed by ``follow_from`` grey levels or more, it is looked for nearby, which takes long, and its
    shift is told.
    """
    half = round(PATCH_MM / lens.mm_per_px)
    x, y = lens.to_px(np.array([mm]))[0]
    cx, cy = (int(np.clip(round(v), half + 8, lens.size - half - 9)) for v in (x, y))
    box = (slice(cy - half, cy + half + 1), slice(cx - half, cx + half + 1))
    a = cv2.GaussianBlur(before[box].astype(np.float32), (0, 0), 1.0)
    wide = (slice(cy - half - 8, cy + half + 9), slice(cx - half - 8, cx + half + 9))
    whole = cv2.GaussianBlur(after[wide].astype(np.float32), (0, 0), 1.0)
    yy, xx = np.mgrid[-half : half + 1, -half : half + 1]
    away = np.hypot(xx - (x - cx), yy - (y - cy)) * lens.mm_per_px
    weight = np.clip((radius + RIM_MM - away) / 2.0, 0.0, 1.0)
    inner = slice(8, -8)
    same, step = _agreement(a, whole[inner, inner], weight)
    if step < follow_from:
        return Likeness(same, same, (0.0, 0.0), step)
    gy, gx = np.gradient(a)
    shift = np.zeros(2)
    best, best_shift = same, shift.copy()
    for _ in range(ALIGN_STEPS):
        grid_x = (xx + half + 8 + shift[0]).astype(np.float32)
        grid_y = (yy + half + 8 + shift[1]).astype(np.float32)
        b = cv2.remap(whole, grid_x, grid_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        agreement, _ = _agreement(a, b, weight)
        if agreement > best:
            best, best_shift = agreement, shift.copy()
        w = np.sqrt(weight).ravel()
        columns = np.stack([a.ravel(), np.ones(a.size, np.float32), gx.ravel(), gy.ravel()], axis=1) * w[:, None]
        gain, _, dx, dy = np.linalg.lstsq(columns, b.ravel() * w, rcond=None)[0]
        if abs(gain) < 0.2:
            break
        # b(x) = gain * a(x - d) = gain * a - gain * grad a . d
        shift = shift - np.array([dx, dy]) / gain
        if np.hypot(*shift) * lens.mm_per_px > ALIGN_FARTHEST_MM:
            break
    moved = (float(best_shift[0] * lens.mm_per_px), float(-best_shift[1] * lens.mm_per_px))
    return Likeness(float(same), float(best), moved, step)


def _agreement(a: NDArray[Any], b: NDArray[Any], weight: NDArray[np.float64]) -> tuple[float, float]:
    """Weighted correlation of two patches, and the RMS difference left once gain and level are taken out."""
    total = weight.sum()
    if total <= 0:  # nothing of it is in the picture
        return 0.0, 0.0
    ma, mb = float((weight * a).sum() / total), float((weight * b).sum() / total)
    da, db = a - ma, b - mb
    va, vb = float((weight * da * da).sum() / total), float((weight * db * db).sum() / total)
    cov = float((weight * da * db).sum() / total)
    r = cov / math.sqrt(max(va, 0.25) * max(vb, 0.25))
    gain = float(np.clip(math.sqrt(max(vb, 1.0) / max(va, 1.0)), *GAIN_RANGE))
    return r, math.sqrt(max(gain * gain * va + vb - 2 * gain * cov, 0.0))


@dataclass
class Sides:
    """The sides' colours as they are seen in the course of a match; sides are numbered groups of faces."""

    most: int = 2
    middles: list[Lab] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)

    def nearest(self, seen: SeenDisc) -> int | None:
        """The known group that a disc's face is most like; None while none is known."""
        if not self.middles:
            return None
        return int(np.argmin([self._gap(seen.lab, m) for m in self.middles]))

    def group(self, seen: SeenDisc, light: Lab | None = None, new: bool = False) -> tuple[int, float]:
        """Group of a disc by its face, and how sure that is (0..1); a new group where it is unlike all known ones.

        ``light`` (3,): by how much known discs now differ from their groups' colours. ``new``: something surely came to
        lie there, so that only whether it is a disc was in doubt.
        """
        face = seen.lab if light is None else seen.lab - light
        founds = new or seen.disc.confidence >= FOUNDS
        if not self.middles:
            return (self._found(face), 1.0) if founds else (0, 0.5)
        gaps = [self._gap(face, m) for m in self.middles]
        order = np.argsort(gaps)
        nearest = int(order[0])
        limit = TWO_SIDES if len(self.middles) == 1 else THIRD_SIDE
        if founds and len(self.middles) < self.most and gaps[nearest] >= limit:
            return self._found(face), 0.9
        if len(self.middles) == 1:
            return nearest, float(np.clip(1.5 - gaps[nearest] / TWO_SIDES, 0.5, 1.0))
        ratio = gaps[nearest] / max(gaps[nearest] + gaps[int(order[1])], 1e-6)
        return nearest, float(np.clip(1.25 - 1.5 * ratio, 0.5, 1.0))

    def gap(self, lab: Lab, group: int, light: Lab | None = None) -> float:
        """Weighted Lab distance of a face (3,) from its group's colour; 0 where no disc of that was seen yet."""
        if group >= len(self.middles):
            return 0.0
        return self._gap(lab if light is None else lab - light, self.middles[group])

    def learn(self, group: int, lab: Lab) -> None:
        """A face with Lab (3,) was seen that surely belongs to ``group``."""
        if group >= len(self.middles):
            return
        self.counts[group] += 1
        rate = max(COLOUR_RATE, 1 / (self.counts[group] + 1))
        self.middles[group] = self.middles[group] + rate * (lab - self.middles[group])

    def refound(self, group: int, faces: Sequence[Lab]) -> None:
        """What founded a side was no disc of it: its colour becomes that of these ``faces``, Lab (3,) each."""
        self.middles[group] = np.asarray(np.median(np.array(faces), axis=0))
        self.counts[group] = len(faces)

    def words(self) -> tuple[str, ...]:
        """Plain colour words of the groups."""
        return words_for(np.array(self.middles)) if self.middles else ()

    def _found(self, lab: Lab) -> int:
        self.middles.append(np.array(lab, dtype=np.float64))
        self.counts.append(0)
        return len(self.middles) - 1

    @staticmethod
    def _gap(a: Lab, b: Lab) -> float:
        return float(np.linalg.norm((a - b) * LAB_WEIGHTS))

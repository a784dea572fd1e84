"""First guess of a board in a picture: hypothesise circles from ellipses, verify by unrolling, rank.

Every ellipse found is taken as *some* circle of a board, for a range of focal lengths and both poses. Each hypothesis
is unrolled about its centre and judged by the circles that stand out there and by whether their ratios are a board's.
"""

from dataclasses import dataclass
from itertools import islice

import numpy as np

from calibration.arcs import Ellipse, edge_pixels, find_ellipses
from calibration.camera import Array, Camera
from calibration.labels import Labelling, label
from calibration.polar import hypotheses, poses_of_circle, profile, unroll
from calibration.sampling import Image

FOCAL_RANGE = (0.5, 5.0)
"""Focal lengths tried, in longest sides of the picture: wide-angle webcams to cropped telephoto pictures."""

FOCAL_COUNT = 11
COARSE_ANGLES = 48
COARSE_RADII = np.arange(0.04, 2.0, 0.009)
"""Radii looked at, in units of the ellipse's own circle: from a hole seen from the rail to a rail seen from the
inner line."""

TRIED = 9
"""Ellipses followed up; a board's is among the first three or four."""

CONVINCING = 3.2
"""The search ends at this coarse score. Photographs of other things reach half of it; other things with circles are
refused after refinement."""

RIVAL = 0.75
"""A place with at least this share of the best place's evidence is taken for a board as well."""

DISTINCT = 0.5
"""Centres closer than this share of the larger shooting line's radius in the picture belong to one board."""


ASIDE = (0.2, 0.1, 0.05)
"""Steps, in longest sides, in which the principal point is sought beside the middle (see ``calibration.cut_out``)."""


@dataclass(frozen=True)
class Candidate:
    """A board guessed: a camera whose unit is the shooting line's radius, and what was seen there.

    ``size_px`` is the shooting line's radius in px, ``whole`` the share of it that lies in the frame; ``circle`` the
    ellipse by which it was found, in pixels of the picture times ``scale``.
    """

    camera: Camera
    labelling: Labelling
    centre: Array
    size_px: float
    whole: float
    circle: Ellipse
    scale: float

    @property
    def score(self) -> float:
        """Sum of the evidence of the board's circles (see ``calibration.labels``)."""
        return self.labelling.score


def judged(pyramid: list[Image], cam: Camera, circle: Ellipse, scale: float) -> Candidate | None:
    """A hypothesis, a camera whose unit is the ellipse's own circle, unrolled and labelled; None without a board."""
    polar, seen = unroll(pyramid, cam, COARSE_RADII, COARSE_ANGLES)
    p = profile(polar, seen, COARSE_RADII)
    marks = label(p)
    if marks is None:
        return None
    unit = cam.scaled(1 / marks.shooting)
    whole = float(np.interp(marks.shooting, p.radii, p.seen))
    return Candidate(unit, marks, unit.project(np.zeros((1, 3)))[0], unit.px_per_unit(), whole, circle, scale)


def off_centre(pyramid: list[Image], best: Candidate) -> Candidate:
    """The best view of a candidate's ellipse by cameras whose principal point lies beside the picture's middle.

    Coordinate descent by the steps of ``ASIDE`` from ``best``, which is returned where nothing is better.
    """
    w, h = best.camera.width, best.camera.height
    x, y = 0.0, 0.0
    for step in ASIDE:
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            aside = (x + dx * step * max(w, h), y + dy * step * max(w, h))
            for cam in poses_of_circle(best.circle, best.scale, float(best.camera.K[0, 0]), w, h, aside):
                candidate = judged(pyramid, cam, best.circle, best.scale)
                if candidate is not None and candidate.score > best.score:
                    best, (x, y) = candidate, aside
    return best


def find_candidates(pyramid: list[Image], focal_px: float | None) -> list[Candidate]:
    """Boards guessed in a picture, one for each place: the largest and wholest of the good ones first, then the
    doubtful.

    ``focal_px``: where it is known.
    """
    h, w = pyramid[0].shape[:2]
    start = next((p for p in pyramid if max(p.shape) <= 2000), pyramid[-1])
    level_scale = start.shape[1] / w
    edges = edge_pixels(start)
    scale = edges.scale * level_scale
    focals = max(w, h) * np.geomspace(*FOCAL_RANGE, FOCAL_COUNT)
    if focal_px is not None:
        focals = np.array([focal_px])
    found: list[Candidate] = []
    for e in islice(find_ellipses(edges), TRIED):
        found += filter(None, (judged(pyramid, cam, e, scale) for cam in hypotheses(e, scale, w, h, focals)))
        if found and max(c.score for c in found) > CONVINCING:
            break
    found.sort(key=lambda c: -c.score)
    kept: list[Candidate] = []
    for c in found:
        if all(np.hypot(*(c.centre - k.centre)) > DISTINCT * max(c.size_px, k.size_px) for k in kept):
            kept.append(c)
    good = [c for c in kept if c.score > RIVAL * kept[0].score]
    return sorted(good, key=lambda c: -c.size_px * c.whole**2) + kept[len(good) :]

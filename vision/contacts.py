"""The gap between a disc and a painted line, in millimetres, with what it is uncertain by and why.

The disc is a cylinder; its place is refined by a small network that looks at the picture unrolled along its outline
(``vision.contact_patch``, ``vision.contact_net``), three times, each time from the place found before. Radius and
height are shared by all discs of a board and pooled over them. The line's inner edge comes from the calibration, with
its local departure from the circle where it has a significant one (``vision.line_edges``).

Verdicts follow decision rules with a guard band (ISO 10576-1; JCGM 106): ``clear`` or ``touching`` where the other has
a probability of less than 5 %, else ``too_close``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.boards import LINE_NAMES
from calibration.camera import Array
from calibration.view import BoardView
from vision.contact_edges import fit_edges
from vision.contact_net import ContactNet, Offsets, load
from vision.contact_patch import Cylinders, Patch, camera_axes, patches, prepare
from vision.contact_sigma import Budget, budgets, focal_share, height_lever
from vision.disc_values import NEAR_MM, p_touching, verdict_of
from vision.line_edges import Lines, painted_lines
from vision.readings import Disc, LineContact, LineName

PASSES = 3
CORRECTION_MAX_MM = 3.0
"""The network has seen starts off by up to 1.6 mm; what it moves a disc farther than this is not believed."""
RADIUS_PRIOR_MM = {"disc": 0.25, "nca": 0.12, "other": 0.8}
"""Standard deviation in mm of the discs' radius before their rims are asked: where the millimetres come from the discs
themselves, on a tournament board (C3; turned wood), and else (makers' discs are 25-38 mm across)."""
DETECTED_MIN_MM = 0.5
"""A radius by detection is trusted no further than this."""
HEIGHT_PRIOR_MM = {"nca": 0.4, "other": 1.5}
"""Standard deviation in mm of the discs' height before their walls are asked: on a tournament board (C3: about 3/8 in),
and else (makers' discs are 7-12 mm thick)."""
HEIGHT_EXPLAINS = 0.7
"""Least share of a sigma towards the camera that is left once the height is known."""
POOL_FLOOR_MM = (0.12, 0.45)
"""Errors of radius and height in mm that all discs of a picture share (light, blur): no pooling removes them."""

UNFAMILIAR_MM = (0.22, 1.1)
"""Least standard uncertainties of radius and height of discs that aren't a tournament board's: measured on boards of
other makers, whose discs the network takes for somewhat more usual than they are."""

TAUGHT_MM, TAUGHT_LEAST = (0.45, 1.25), 0.06
"""Spread of radius and height in mm about the start as the network was taught them (``training.gap_data``), and the
least share of an answer that is taken for the picture's."""

MOVED_FREE_MM = 2.2
"""A disc that had to be moved farther than starts are off is likely not what the network takes it for."""
EDGES_SUPPORT, EDGES_USUAL_MM = 0.6, 1.0
"""Edges seen on at least this share of the outline differ from the network by up to this where both are as good as they
are; beyond, half of it is doubt. They never move a disc: where they dissent they mostly run along a shadow."""


@dataclass(frozen=True)
class Refined:
    """Discs as measured.

    ``sigma`` (N, 2): the network's own, towards the camera and to the left of that; ``moved`` (N,): how far each lies
    from its start; ``doubt`` (N,): what its edges' dissent adds; ``sigma_radius`` and ``sigma_height``: of what all
    discs share. In mm.
    """

    cylinders: Cylinders
    sigma: Array
    moved: Array
    doubt: Array
    sigma_radius: float
    sigma_height: float


def measure(
    image: NDArray[np.uint8],
    view: BoardView,
    discs: Sequence[Disc],
    *,
    radius: tuple[float, float] | None = None,
    net: ContactNet | None = None,
) -> tuple[Disc, ...]:
    """Refine the place of every disc on the surface and measure its gap to each circle line near it.

    ``image`` is (H, W, 3) uint8 BGR as the view's camera saw it; ``discs`` are starts off by up to some 1.5 mm. Discs
    that lie flat on the surface get a refined ``mm``, ``sigma_mm``, ``px`` and their ``lines``; the others are returned
    as they are. ``radius`` is the discs' radius in mm with its standard uncertainty as detection measured it (unless
    given, the board model's with what is usual). ``net`` stands for another network than the package's own.
    Deterministic.
    """
    flat = [i for i, d in enumerate(discs) if d.state == "board"]
    if not flat:
        return tuple(discs)
    refined, factor, small = refine(image, view, discs, _radius_prior(view, radius), net or load())
    standing = _solids([d for d in discs if d.state == "leaning"], view, refined.cylinders)
    lines = painted_lines(small, factor, view, standing)
    budget = budgets(
        view,
        refined.cylinders,
        refined.sigma,
        surprise=np.hypot(refined.doubt, np.maximum(refined.moved - MOVED_FREE_MM, 0.0)),
        sigma_radius=refined.sigma_radius,
        sigma_height=refined.sigma_height,
        factor=factor,
    )
    top = view.camera.project(
        np.column_stack([refined.cylinders.centres, refined.cylinders.base + refined.cylinders.height])
    )
    out = list(discs)
    for k, i in enumerate(flat):
        c, r = refined.cylinders.centres[k], float(refined.cylinders.radius[k])
        out[i] = replace(
            discs[i],
            mm=(float(c[0]), float(c[1])),
            px=(float(top[k, 0]), float(top[k, 1])),
            sigma_mm=budget[k].place,
            lines=_contacts(lines, c, r, budget[k]),
        )
    return tuple(out)


def refine(
    image: NDArray[np.uint8], view: BoardView, discs: Sequence[Disc], radius: tuple[float, float], net: ContactNet
) -> tuple[Refined, float, NDArray[np.uint8]]:
    """Refine the places of the flat ones of ``discs``, of a radius known with a sigma (both in mm).

    Also the reduced picture that was looked at, and its factor.
    """
    starts = np.array([d.mm for d in discs if d.state == "board"], dtype=np.float64)
    n = len(starts)
    small, factor = prepare(image, view, starts)
    known = Cylinders(starts, np.full(n, radius[0]), np.full(n, view.board.disc_height))
    leaning = [d for d in discs if d.state == "leaning"]
    prior = (radius[1], _height_prior(view))
    spread, sigma, doubt = np.array(prior), np.ones((n, 2)), np.zeros(n)
    for turn in range(PASSES):
        others = _solids(leaning, view, known)
        seen = patches(small, factor, view, known, others)
        said = net(seen, mirror=turn == PASSES - 1)
        shared = []
        before, first = (known.radius[0], known.height[0]), (radius[0], view.board.disc_height)
        for k in (0, 1):
            value, own = _untaught(said.value[:, 2 + k], said.sigma[:, 2 + k], TAUGHT_MM[k])
            joined, spread[k] = _pooled(before[k] + value, own, first[k], prior[k], POOL_FLOOR_MM[k])
            shared.append(joined)
        offset, sigma = _given_height(view, known, said, shared[1])
        if turn == PASSES - 1:
            doubt = _dissent(seen, offset)
        ahead, left = camera_axes(view, known.centres)
        moved = known.centres + offset[:, :1] * ahead + offset[:, 1:] * left - starts
        far = np.linalg.norm(moved, axis=1, keepdims=True)
        moved *= np.minimum(1.0, CORRECTION_MAX_MM / np.maximum(far, 1e-9))
        known = Cylinders(starts + moved, np.full(n, shared[0]), np.full(n, shared[1]))
    if not view.tournament:
        spread = np.maximum(spread, UNFAMILIAR_MM)
    moved_by = np.linalg.norm(known.centres - starts, axis=1)
    return Refined(known, sigma, moved_by, doubt, float(spread[0]), float(spread[1])), factor, small


def _untaught(value: Array, sigma: Array, taught: float) -> tuple[Array, Array]:
    """What a network's values (N,) and sigmas (N,) say without the spread of the answers that it was taught with.

    It gives the mean of what is left possible, which lies towards the start where a disc shows little; pooled as they
    are, many discs would agree on the start.
    """
    share = np.maximum(1 - (sigma / taught) ** 2, TAUGHT_LEAST)
    return value / share, sigma / np.sqrt(share)


def _given_height(view: BoardView, known: Cylinders, said: Offsets, height: float) -> tuple[Array, Array]:
    """Offsets (N, 2) and sigmas (N, 2) once the height is agreed on.

    The network gives each disc's place as if it knew nothing of the height but what this disc shows, and errs in both
    alike: a rim seen in one place belongs to a higher disc nearer to the camera. All discs together know better.
    """
    lever = np.array([height_lever(math.tan(view.view_angle(c))) for c in known.centres])
    offset, sigma = said.value[:, :2].copy(), said.sigma[:, :2].copy()
    offset[:, 0] += lever * (height - known.height - said.value[:, 3])
    explained = (lever * said.sigma[:, 3]) ** 2
    sigma[:, 0] = np.sqrt(np.maximum(sigma[:, 0] ** 2 - explained, (HEIGHT_EXPLAINS * sigma[:, 0]) ** 2))
    return offset, sigma


def _dissent(seen: Patch, offset: Array) -> Array:
    """Doubt (N,) in mm about the network's offsets (N, 2) where plain edges agree on another place."""
    edges = fit_edges(seen)
    apart = np.linalg.norm(edges.offset - offset, axis=1)
    return np.where(edges.support >= EDGES_SUPPORT, np.maximum(apart - EDGES_USUAL_MM, 0.0) / 2, 0.0)


def _solids(leaning: Sequence[Disc], view: BoardView, flat: Cylinders) -> Cylinders:
    """All that stands up from the surface: the flat discs and, roughly, those tilted into the hole."""
    if not leaning:
        return flat
    n = len(leaning)
    return Cylinders(
        np.vstack([flat.centres, [d.mm for d in leaning]]),
        np.concatenate([flat.radius, np.full(n, view.board.disc_radius)]),
        np.concatenate([flat.height, np.full(n, view.board.disc_height)]),
    )


def _radius_prior(view: BoardView, detected: tuple[float, float] | None) -> tuple[float, float]:
    """Radius of the discs in mm and its sigma before the pictures of their rims are asked."""
    given = view.board.disc_radius
    if "disc" in view.scale_from:
        return given, RADIUS_PRIOR_MM["disc"]
    if view.tournament:
        return given, RADIUS_PRIOR_MM["nca"]
    if detected is None:
        return given, RADIUS_PRIOR_MM["other"]
    return detected[0], max(detected[1], DETECTED_MIN_MM)


def _height_prior(view: BoardView) -> float:
    """Standard deviation in mm of the discs' height as it shows, before their walls are asked.

    From above, focal length and distance can't be told apart by the lines; a camera taken for nearer than it is makes
    all discs look lower by the same share. So what their walls show is taken as it is: it corrects the parallax.
    """
    own = HEIGHT_PRIOR_MM["nca" if view.tournament else "other"]
    return math.hypot(own, focal_share(view) * view.board.disc_height)


def _pooled(values: Array, sigmas: Array, first: float, prior: float, floor: float) -> tuple[float, float]:
    """Weighted mean of what each disc says, without outliers, joined with what was believed first; and its sigma."""
    middle = float(np.median(values))
    weight = 1 / (sigmas**2 + (values - middle) ** 2 / 4)
    mean = float((weight * values).sum() / weight.sum())
    variance = 1 / float((1 / sigmas**2).sum()) + floor**2
    joint = 1 / (1 / variance + 1 / prior**2)
    return joint * (mean / variance + first / prior**2), math.sqrt(joint)


def _contacts(lines: Lines, centre: Array, radius: float, budget: Budget) -> tuple[LineContact, ...]:
    far = float(np.hypot(*centre))
    bearing = math.atan2(centre[1], centre[0])
    turn = bearing + np.linspace(-0.5, 0.5, 41)
    outline = centre + radius * np.column_stack([np.cos(turn), np.sin(turn)])
    reach = np.hypot(outline[:, 0], outline[:, 1])
    at = np.arctan2(outline[:, 1], outline[:, 0])
    out: list[LineContact] = []
    for name, line in zip(LINE_NAMES, lines, strict=True):
        if far + radius < line.inner - NEAR_MM or far - radius > line.outer + NEAR_MM:
            continue
        departure, spread = line.shape.at(at)
        beside = len(at) // 2
        gap = float((line.inner + departure - reach).min())
        parts, sigma = budget.gap(bearing, math.hypot(line.radius_sigma, line.width_sigma / 2, float(spread[beside])))
        touching = p_touching(gap, sigma)
        out.append(
            LineContact(
                line=_name(name),
                gap_mm=gap,
                sigma_mm=sigma,
                p_touching=touching,
                verdict=verdict_of(touching),
                inner_gap_mm=far - radius - line.outer - float(departure[beside]),
                parts=parts,
            )
        )
    return tuple(out)


def _name(name: str) -> LineName:
    return "15/10" if name == "15/10" else "10/5" if name == "10/5" else "shooting"

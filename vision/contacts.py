"""The gap between a disc and a painted line, in millimetres, with what it is uncertain by and why.

The disc is a cylinder; its place is refined by a small network that looks at the picture unrolled along its outline
(``vision.contact_patch``, ``vision.contact_net``), three times, each time from the place found before. Radius, height
and a shift of the upper rims are shared by all discs and asked of them together (``vision.contact_shared``). The
line's inner edge comes from the calibration, with its local departure from the circle where it has a significant one
(``vision.line_edges``).

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
from vision.contact_net import ContactNet, load
from vision.contact_patch import Cylinders, Patches, camera_axes, joined, patches, prepare
from vision.contact_shared import UNFAMILIAR_MM, Shared, agreed, believed_first, given_lean, radius_prior
from vision.contact_sigma import Budget, budgets
from vision.disc_values import NEAR_MM, p_touching, verdict_of
from vision.line_edges import Lines, PaintedLine, painted_lines
from vision.readings import Disc, LineContact

PASSES = 3
CORRECTION_MAX_MM = 3.0
"""The network was trained on starts up to 1.6 mm off; it isn't believed where it moves a disc farther than this."""
RADIUS_HOLDS_MM = 0.1
"""All discs are measured anew once their radius, as known from elsewhere, has changed by more than this."""
MOVED_FREE_MM = 2.2
"""A disc that had to be moved farther than this, and so than starts are usually off, is probably not what the network
takes it for; the excess counts as uncertainty."""
EDGES_SUPPORT, EDGES_USUAL_MM = 0.6, 1.0
"""Where edges are seen on at least the first share of the outline, network and edges usually agree to within the
second; half of any larger difference counts as doubt. Edges never move a disc: where they disagree, they mostly follow
a shadow."""


@dataclass(frozen=True)
class Refined:
    """Discs as measured.

    ``sigma`` (N, 2): the network's own, towards the camera and to the left of that; ``moved`` (N,): how far each lies
    from its start; ``doubt`` (N,): what its edges' dissent adds, all in mm; ``shared``: what they agree on.
    """

    cylinders: Cylinders
    sigma: Array
    moved: Array
    doubt: Array
    shared: Shared


@dataclass(frozen=True, eq=False)
class Measured:
    """What was measured in one picture, for the next one of the same view: what lies there still is as it was.

    ``discs``: those that lie flat, by the places (mm) from which they were measured; ``radius``: theirs in mm as it was
    given; ``shared``, ``lines``: what they agreed on, and the painted lines.
    """

    view: BoardView
    discs: dict[tuple[float, float], Disc]
    radius: float
    shared: Shared
    lines: Lines | None


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
    return measure_after(None, image, view, discs, radius=radius, net=net)[0]


def measure_after(
    before: Measured | None,
    image: NDArray[np.uint8],
    view: BoardView,
    discs: Sequence[Disc],
    *,
    radius: tuple[float, float] | None = None,
    net: ContactNet | None = None,
) -> tuple[tuple[Disc, ...], Measured | None]:
    """Measure as :func:`measure` does, going on from what was measured ``before``.

    Discs that start from the very place from which they were measured then keep that: whoever looked for them found
    nothing changed about them. Also returns what the next picture can go on from; None where nothing lies flat on the
    surface.
    """
    flat = [d for d in discs if d.state == "board"]
    if not flat:
        return tuple(discs), None
    size = radius_prior(view, radius)
    if before is None or before.view is not view or abs(before.radius - size[0]) > RADIUS_HOLDS_MM:
        before = Measured(view, {}, size[0], believed_first(view, size), None)
    stay = {d.mm: before.discs[d.mm] for d in flat if d.mm in before.discs}
    fresh = [d for d in flat if d.mm not in stay]
    shared, lines, found = before.shared, before.lines, stay
    if fresh:
        beside = joined(_leaning(discs, view), _as_measured(list(stay.values()), shared))
        refined, factor, small = refine(image, view, fresh, shared, beside, net or load())
        shared = refined.shared
        if lines is not None:  # what all discs err by alike doesn't shrink from picture to picture
            a, b, c = (max(own, known) for own, known in zip(shared.sigma, before.shared.sigma, strict=True))
            shared = replace(shared, sigma=(a, b, c))
        lines = lines or painted_lines(small, factor, view, joined(refined.cylinders, beside))
        found = stay | dict(zip((d.mm for d in fresh), _gauged(view, fresh, refined, factor, lines), strict=True))
    out = []
    for d in discs:
        m = found[d.mm] if d.state == "board" else d
        out.append(replace(d, mm=m.mm, px=m.px, sigma_mm=m.sigma_mm, lines=m.lines))
    return tuple(out), Measured(view, found, before.radius, shared, lines)


def shared_radius(
    image: NDArray[np.uint8], view: BoardView, discs: Sequence[Disc], radius: tuple[float, float]
) -> tuple[float, float]:
    """Radius in mm of those of ``discs`` that lie flat, and its standard uncertainty; ``radius``: as believed first."""
    flat = [d for d in discs if d.state == "board"]
    refined, _, _ = refine(image, view, flat, believed_first(view, radius), _leaning(discs, view), load())
    return refined.shared.radius, refined.shared.sigma[0]


def _gauged(view: BoardView, discs: Sequence[Disc], refined: Refined, factor: float, lines: Lines) -> list[Disc]:
    """The discs as they were refined, with their contacts."""
    surprise = np.hypot(refined.doubt, np.maximum(refined.moved - MOVED_FREE_MM, 0.0))
    budget = budgets(view, refined.cylinders, refined.sigma, surprise, refined.shared.sigma, factor)
    solid = refined.cylinders
    top = view.camera.project(np.column_stack([solid.centres + solid.shift, solid.base + solid.height]))
    out = []
    for k, d in enumerate(discs):
        c, r = solid.centres[k], float(solid.radius[k])
        at, seen = (float(c[0]), float(c[1])), (float(top[k, 0]), float(top[k, 1]))
        out.append(replace(d, mm=at, px=seen, sigma_mm=budget[k].place, lines=_contacts(lines, c, r, budget[k])))
    return out


def refine(
    image: NDArray[np.uint8], view: BoardView, discs: Sequence[Disc], prior: Shared, beside: Cylinders, net: ContactNet
) -> tuple[Refined, float, NDArray[np.uint8]]:
    """Refine the places of ``discs`` that lie flat on the surface; ``prior``: what is believed of them all.

    ``beside``: what else stands up from the surface and may hide something. Also the reduced picture that was looked
    at, and its factor.
    """
    starts = np.array([d.mm for d in discs], dtype=np.float64)
    n = len(starts)
    small, factor = prepare(image, view, starts)
    known = Cylinders(starts, np.full(n, prior.radius), np.full(n, prior.height), shift=prior.shift)
    shared, sigma, doubt = prior, np.ones((n, 2)), np.zeros(n)
    for turn in range(PASSES):
        seen = patches(small, factor, view, known, joined(known, beside))
        said = net(seen, mirror=turn == PASSES - 1)
        axes = np.stack(camera_axes(view, known.centres), axis=1)
        shared = agreed(view, known, said, axes, prior)
        offset, sigma = given_lean(view, known, said, axes, shared)
        if turn == PASSES - 1:
            doubt = _dissent(seen, offset)
        moved = known.centres + np.einsum("nk,nki->ni", offset, axes) - starts
        far = np.linalg.norm(moved, axis=1, keepdims=True)
        moved *= np.minimum(1.0, CORRECTION_MAX_MM / np.maximum(far, 1e-9))
        known = Cylinders(starts + moved, np.full(n, shared.radius), np.full(n, shared.height), shift=shared.shift)
    if not view.tournament_discs(prior.radius):
        radius, height, shift = shared.sigma
        shared = replace(shared, sigma=(max(radius, UNFAMILIAR_MM[0]), max(height, UNFAMILIAR_MM[1]), shift))
    return Refined(known, sigma, np.linalg.norm(known.centres - starts, axis=1), doubt, shared), factor, small


def _dissent(seen: Patches, offset: Array) -> Array:
    """Doubt (N,) in mm about the network's offsets (N, 2) where plain edges agree on another place."""
    edges = fit_edges(seen)
    apart = np.linalg.norm(edges.offset - offset, axis=1)
    return np.where(edges.support >= EDGES_SUPPORT, np.maximum(apart - EDGES_USUAL_MM, 0.0) / 2, 0.0)


def _leaning(discs: Sequence[Disc], view: BoardView) -> Cylinders:
    """Those tilted into the hole, roughly, as solids."""
    return _solids([d.mm for d in discs if d.state == "leaning"], view.board.disc_radius, view.board.disc_height)


def _as_measured(discs: Sequence[Disc], shared: Shared) -> Cylinders:
    return _solids([d.mm for d in discs], shared.radius, shared.height)


def _solids(places: list[tuple[float, float]], radius: float, height: float) -> Cylinders:
    n = len(places)
    return Cylinders(np.array(places).reshape(n, 2), np.full(n, radius), np.full(n, height))


def nearest(line: PaintedLine, centre: Array, radius: float) -> tuple[float, float]:
    """Where a disc's outline comes nearest to a line's inner edge, or reaches farthest over it.

    ``centre`` (2,) and ``radius`` in mm. Returns the direction from the board's centre in radians, and the gap in mm.
    """
    turn = math.atan2(centre[1], centre[0]) + np.linspace(-0.5, 0.5, 41)
    outline = centre + radius * np.column_stack([np.cos(turn), np.sin(turn)])
    bearing = np.arctan2(outline[:, 1], outline[:, 0])
    gap = line.inner + line.shape.at(bearing)[0] - np.hypot(outline[:, 0], outline[:, 1])
    k = int(gap.argmin())
    return float(bearing[k]), float(gap[k])


def _contacts(lines: Lines, centre: Array, radius: float, budget: Budget) -> tuple[LineContact, ...]:
    far = float(np.hypot(*centre))
    bearing = math.atan2(centre[1], centre[0])
    out: list[LineContact] = []
    for name, line in zip(LINE_NAMES, lines, strict=True):
        if far + radius < line.inner - NEAR_MM or far - radius > line.outer + NEAR_MM:
            continue
        _, gap = nearest(line, centre, radius)
        departure, spread = (float(v[0]) for v in line.shape.at(np.array([bearing])))
        parts, sigma = budget.gap(bearing, math.hypot(line.radius_sigma, line.width_sigma / 2, spread))
        touching = p_touching(gap, sigma)
        out.append(
            LineContact(
                line=name,
                gap_mm=gap,
                sigma_mm=sigma,
                p_touching=touching,
                verdict=verdict_of(touching),
                inner_gap_mm=far - radius - line.outer - departure,
                parts=parts,
            )
        )
    return tuple(out)

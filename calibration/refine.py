"""From a first guess to a solved camera: rounds of finding all circles' edges, adjusting, and labelling anew.

A first guess often takes the surface's edge or the rail for the shooting line; unrolled by the next round's better
camera, the circles tell themselves apart.
"""

from dataclasses import dataclass, replace

import numpy as np

from calibration.adjust import Adjusted, Observations, Priors, adjust
from calibration.boards import BUILT_IN, NCA_SHOOTING_MM
from calibration.camera import Camera
from calibration.circle_edges import EdgeKind, circle_edges
from calibration.cut_out import fitted, whole, widened
from calibration.focal import FLAT_DEG, settled
from calibration.hints import BoardHints
from calibration.labels import Labelling, label
from calibration.locate import Candidate
from calibration.polar import profile, unroll
from calibration.sampling import Image

LABELLED_MM = np.arange(10.0, 430.0, 1.0)
LABELLED_ANGLES = 120
"""Radii and directions at which a refined board is unrolled to be labelled: from within the hole to beyond the rail."""

CIRCLE_EVIDENCE = 0.25
"""A circle with less evidence than this in the unrolled board takes no part in the next round."""

CLEAR_LINE = 0.6
"""Once all three lines have this much evidence, the surface's edge is left out: its place depends on its bevel."""

FOCAL_TYPICAL = 0.92
FOCAL_SIGMA = 0.25
"""Prior of the focal length in longest sides and its log spread: phones 0.72 to 0.9, webcams 0.8 to 1, camcorders 1
to 1.5."""

EXIF_SIGMA = 0.06
"""Log spread of a focal length from EXIF, which is rounded and doesn't know of stabilisation's cropping; the edges
themselves contradict it where a picture was cropped a lot."""

LENS_SIGMA = 0.05
"""Prior spread of the lens's first radial term: phones and cameras keep to it, wide lenses have -0.1 to -0.3. So it is
the core of a heavy-tailed prior: what one round finds widens it for the next (iteratively reweighted)."""
CENTRE_SIGMA = 0.006
"""Prior spread of the principal point, in picture widths."""

NCA_TOLERANCE = 0.012
"""Lines whose ratios to the shooting line lie this close to 1/3 and 2/3 are an NCA board's: makers keep to about 0.5 %,
and other boards differ by 2 % and more."""

NCA_SIGMA_MM = 0.5

SAME_CIRCLE_MM = 8.0
"""A label this close to a fitted circle means that circle; the next one is 20 mm away."""


@dataclass(frozen=True)
class Round:
    """One round of refinement: half window and filter width in mm, directions, prior spread of the lens terms."""

    window: float
    sigma: float
    count: int
    lens: float
    k2: float = 0.0
    centre: float = 0.0
    relabel: bool = False
    lines_only: bool = False


ROUNDS = (
    Round(14, 2.5, 48, 0.0, relabel=True),
    Round(8, 2.0, 60, 0.0),
    Round(5, 1.5, 80, LENS_SIGMA, relabel=True),
    Round(4, 1.2, 120, LENS_SIGMA, 0.02, CENTRE_SIGMA),
    Round(3, 1.0, 180, LENS_SIGMA, 0.02, CENTRE_SIGMA, lines_only=True),
)

KINDS: dict[str, EdgeKind] = {"shooting": "ridge", "ten": "ridge", "fifteen": "ridge", "surface": "step"}


@dataclass(frozen=True)
class State:
    """What each round hands on to the next: the camera, and the radii in mm of the circles in use.

    In these millimetres the shooting line has its NCA radius, 304.8, whatever the board's own is.
    ``marks``: which circles they were taken for; ``fit``: the last round's, None before the first and where no round
    has found enough edges; ``cut``: the picture was taken for one cut out of a larger one.
    """

    camera: Camera
    radii: dict[str, float]
    marks: Labelling
    fit: Adjusted | None = None
    cut: bool = False


def relabelled(pyramid: list[Image], cam: Camera) -> tuple[Labelling | None, Camera]:
    """Unroll by ``cam`` (board in mm) and label afresh; the camera is rescaled so that the shooting line is 304.8."""
    polar, seen = unroll(pyramid, cam, LABELLED_MM, LABELLED_ANGLES)
    marks = label(profile(polar, seen, LABELLED_MM))
    return (marks, cam) if marks is None else (marks, cam.scaled(NCA_SHOOTING_MM / marks.shooting))


def radii_of(marks: Labelling) -> dict[str, float]:
    """Radii in mm, the shooting line at 304.8, of the circles that a labelling has seen well enough."""
    k = NCA_SHOOTING_MM / marks.shooting
    values = {"shooting": marks.shooting, "ten": marks.ten, "fifteen": marks.fifteen, "surface": marks.surface}
    return {name: r * k for name, r in values.items() if name == "shooting" or marks.evidence[name] > CIRCLE_EVIDENCE}


def is_nca(radii: dict[str, float]) -> bool:
    """Whether both inner lines stand where a tournament board's do (C3)."""
    s = radii["shooting"]
    if "ten" not in radii or "fifteen" not in radii:
        return False
    return abs(radii["ten"] / s - 2 / 3) < NCA_TOLERANCE and abs(radii["fifteen"] / s - 1 / 3) < NCA_TOLERANCE


def priors_for(hints: BoardHints, state: State, r: Round, names: list[str]) -> Priors:
    """What is known before this round: from EXIF or a profile, from the board's model, or from cameras in general."""
    cam = state.camera
    size = max(cam.width, cam.height)
    log_f, sigma = (
        (np.log(FOCAL_TYPICAL * size), FOCAL_SIGMA) if hints.focal_px is None else (np.log(hints.focal_px), EXIF_SIGMA)
    )
    model = hints.board or (BUILT_IN["nca"] if is_nca(state.radii) else None)
    mean = np.array([state.radii[n] for n in names])
    spread = np.array([0.0 if n == "shooting" else np.inf for n in names])  # the shooting line gives the scale
    if model is not None:
        k = NCA_SHOOTING_MM / model.shooting
        for i, n in enumerate(names):
            known = {"ten": model.ten, "fifteen": model.fifteen}.get(n)
            if known is not None:
                mean[i], spread[i] = known * k, NCA_SIGMA_MM
    if hints.camera is not None:
        return Priors(float(np.log(cam.K[0, 0])), 0.0, mean, spread)
    lens = float(np.hypot(r.lens, cam.dist[0])) if r.lens else 0.0
    return Priors(float(log_f), sigma, mean, spread, lens, r.k2, r.centre * size)


def refine(pyramid: list[Image], state: State, r: Round, hints: BoardHints, cut: bool) -> State:
    """One round: find all circles' edges, adjust, and label afresh where the round says so.

    ``cut``: the picture is taken for one cut out of a larger one, whatever the edges say.
    """
    drop_surface = r.lines_only and all(state.marks.evidence[n] > CLEAR_LINE for n in ("shooting", "ten", "fifteen"))
    names = [n for n in state.radii if n != "surface" or not drop_surface]
    cam = state.camera
    centre_scale = 1.0 / max(cam.px_per_unit(), 1e-6)
    sigma = max(r.sigma, 0.8 * centre_scale)
    window = max(r.window, 2.5 * centre_scale)
    edges = {n: circle_edges(pyramid, cam, state.radii[n], KINDS[n], window, r.count, sigma) for n in names}
    obs = Observations(
        np.concatenate([e.px for e in edges.values()]),
        np.concatenate([np.full(len(e.angles), k) for k, e in enumerate(edges.values())]),
        np.concatenate([e.scale for e in edges.values()]),
        np.concatenate([np.clip(e.strength / 6, 0.2, 1.5) for e in edges.values()]),
    )
    if len(obs.px) < 24:
        return state
    priors = priors_for(hints, state, r, names)
    radii = np.array([state.radii[n] for n in names])
    if hints.camera is not None:
        fit, cut = adjust(cam, radii, obs, priors), False
    else:
        asked = r.relabel or r.lines_only
        fit, cut = fitted(cam, radii, obs, priors, True if cut else None if asked else state.cut)
    if r.lines_only and hints.camera is None:
        wide = widened(priors, cam)
        if fit.camera.tilt_deg < FLAT_DEG:
            fit = settled(fit, obs, wide if cut else priors)
        if not whole(cam):  # it stays where it is, but who knows
            fit = adjust(fit.camera, fit.radii, obs, wide, steps=0)
    measured = state.radii | dict(zip(names, (float(v) for v in fit.radii), strict=True))
    state = State(fit.camera, measured, state.marks, fit, cut)
    if r.relabel:
        state = take_labels(state, *relabelled(pyramid, fit.camera))
    return state


def take_labels(state: State, marks: Labelling | None, cam: Camera) -> State:
    """Take over new labels; circles that stay what they were keep their fitted radii, finer than the labels'."""
    if marks is None:
        return state
    radii = radii_of(marks)
    if abs(marks.shooting - NCA_SHOOTING_MM) < SAME_CIRCLE_MM:
        cam = state.camera
        old = state.radii
        radii = {n: old[n] if n in old and abs(old[n] - r) < SAME_CIRCLE_MM else r for n, r in radii.items()}
    return replace(state, camera=cam, radii=radii, marks=marks)


def with_lens(cam: Camera, hints: BoardHints) -> Camera:
    """A first guess seen through the lens that is known, from a profile or by its focal length.

    The board stays where it is seen, and as large: its centre on its ray's pixel, the distance with the focal length.
    """
    if hints.camera is None:
        return cam if hints.focal_px is None else cam.at_focal(hints.focal_px)
    known = replace(cam, K=hints.camera.K, dist=hints.camera.dist)
    depth = cam.tvec[2] * known.K[0, 0] / cam.K[0, 0]
    return replace(known, tvec=np.append(known.normalise(cam.project(np.zeros((1, 3))))[0], 1.0) * depth)


def solve_candidate(pyramid: list[Image], c: Candidate, hints: BoardHints, cut: bool = False) -> State:
    """All rounds of refinement from one first guess; ``cut``: as if the picture was cut out of a larger one."""
    state = State(with_lens(c.camera.scaled(NCA_SHOOTING_MM), hints), radii_of(c.labelling), c.labelling)
    for r in ROUNDS:
        state = refine(pyramid, state, r, hints, cut)
    return state

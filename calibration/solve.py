"""From a first guess to a solved board: camera, lens and the board's own radii from sub-pixel line edges.

All circle lines are fitted at once (``calibration.adjust``) in a few rounds, from a wide window to a narrow one; between
rounds the board is unrolled by the better camera and its circles are labelled anew, since a first guess often takes
the surface's edge or the rail for the shooting line.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.adjust import Adjusted, Observations, Priors, adjust
from calibration.boards import BUILT_IN, NCA_SHOOTING_MM, BoardModel
from calibration.camera import Camera
from calibration.circle_edges import CircleEdges, circle_edges
from calibration.hints import BoardHints, NoBoard
from calibration.labels import Labelling, label
from calibration.locate import Candidate, build_pyramid, find_candidates, rescale
from calibration.polar import profile, unroll
from calibration.view import BoardView

NO_BOARD_BELOW = 2.0
UNSURE_BELOW = 2.6
"""Sum of evidence (``calibration.labels``) after refinement. Pictures without a board stay below the first; a board whose
lines are read well enough to score on lies above the second."""

BARE_LIMIT = 0.6
"""Evidence of a circle where no board has one (rugs, targets, plates)."""

CIRCLE_EVIDENCE = 0.25
"""A circle seen less than this by the unrolled board takes no part in the next round."""

CLEAR_LINE = 0.6
"""Evidence of all three lines from which they need no help by the surface's edge, whose place depends on its bevel."""

FOCAL_TYPICAL = 0.92
FOCAL_SIGMA = 0.25
"""Prior of the focal length in longest sides and its log spread: phones 0.72 to 0.9, webcams 0.8 to 1, camcorders 1 to 1.5."""

EXIF_SIGMA = 0.06
"""EXIF rounds, and phones stabilise by cropping; grossly cropped pictures are caught by the edges' own opinion."""

LENS_SIGMA = 0.05
CENTRE_SIGMA = 0.006
"""Prior spread of the principal point, in picture widths."""

NCA_TOLERANCE = 0.012
"""Ratios within this of 1/3 and 2/3 are an NCA board's; makers keep to some 0.5 %, other boards differ by 2 % and more."""

NCA_SIGMA_MM = 0.5

SAME_CIRCLE_MM = 8.0
"""A label that lands this near a fitted circle means that circle; the next one is 20 mm away."""

STEEPEST_DEG = 66.0
"""Beyond this a line is thinner than the blur and a disc hides the next one."""

OBLIQUE_DEG = 55.0
PLACES_TRIED = 2
FIRST_GUESS_BELOW = 1.0
"""Evidence of a first guess, often of the wrong circle, that isn't worth refining."""

HOLE_SEARCH_MM = 4.0
HOLE_COVERAGE = 0.7
HOLE_SCATTER_MM = 0.6
"""A hole's rim is trusted where most directions see it at one radius: makers' holes are 15-20 mm in radius here."""

CHECK_WINDOW_MM = 4.0
CHECK_COVERAGE = 0.5
CHECK_RESIDUAL_PX = 1.2
"""A camera that was moved by 2 px or more is told: line edges then scatter over the window."""


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
    Round(14, 2.5, 60, 0.0, relabel=True),
    Round(8, 2.0, 90, 0.0),
    Round(5, 1.5, 120, LENS_SIGMA, relabel=True),
    Round(4, 1.2, 180, LENS_SIGMA, 0.02, CENTRE_SIGMA),
    Round(3, 1.0, 240, LENS_SIGMA, 0.02, CENTRE_SIGMA, lines_only=True),
)

KINDS = {"shooting": "ridge", "ten": "ridge", "fifteen": "ridge", "surface": "step"}


@dataclass
class State:
    """What the rounds pass on: the camera and the radii in mm of the circles in use, the shooting line at 304.8."""

    camera: Camera
    radii: dict[str, float]
    marks: Labelling
    fit: Adjusted | None = None
    edges: dict[str, CircleEdges] | None = None


def relabelled(pyramid: list[NDArray[np.uint8]], cam: Camera, step: float) -> tuple[Labelling | None, Camera]:
    """Unroll by ``cam`` (board in mm) and label afresh; the camera is rescaled so that the shooting line is 304.8."""
    radii = np.arange(10.0, 430.0, step)
    polar, seen = unroll(pyramid, cam, radii, 120)
    marks = label(profile(polar, seen, radii))
    return (marks, cam) if marks is None else (marks, rescale(cam, NCA_SHOOTING_MM / marks.shooting))


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
    spread = np.full(len(names), np.inf)
    if model is not None:
        k = NCA_SHOOTING_MM / model.shooting
        for i, n in enumerate(names):
            known = {"ten": model.ten, "fifteen": model.fifteen}.get(n)
            if known is not None:
                mean[i], spread[i] = known * k, NCA_SIGMA_MM
    if hints.camera is not None:
        return Priors(float(np.log(cam.K[0, 0])), 0.0, radius=mean, radius_sigma=spread)
    return Priors(float(log_f), sigma, 0.0, r.lens, r.k2, r.centre * size, mean, spread)


def refine(pyramid: list[NDArray[np.uint8]], state: State, r: Round, hints: BoardHints) -> State:
    """One round: find all circles' edges, adjust, and label afresh where the round says so."""
    drop_surface = r.lines_only and all(state.marks.evidence[n] > CLEAR_LINE for n in ("shooting", "ten", "fifteen"))
    names = [n for n in state.radii if n != "surface" or not drop_surface]
    cam = state.camera
    centre_scale = 1.0 / max(px_mm(cam), 1e-6)
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
    fixed = np.array([n == "shooting" for n in names])
    fit = adjust(cam, np.array([state.radii[n] for n in names]), fixed, obs, priors_for(hints, state, r, names))
    radii = state.radii | dict(zip(names, (float(v) for v in fit.radii), strict=True))
    state = State(fit.camera, radii, state.marks, fit, edges)
    if r.relabel:
        state = take_labels(state, *relabelled(pyramid, fit.camera, 1.0))
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


def px_mm(cam: Camera) -> float:
    """Pixels a millimetre at the board's centre."""
    p = cam.project(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]))
    u, v = p[1] - p[0], p[2] - p[0]
    return float(np.sqrt(abs(u[0] * v[1] - u[1] * v[0])))


def solve_candidate(pyramid: list[NDArray[np.uint8]], c: Candidate, hints: BoardHints) -> State:
    """All rounds of refinement from one first guess."""
    state = State(rescale(c.camera, NCA_SHOOTING_MM), radii_of(c.labelling), c.labelling)
    if hints.camera is not None:
        state.camera = replace(state.camera, K=hints.camera.K, dist=hints.camera.dist)
    for r in ROUNDS:
        state = refine(pyramid, state, r, hints)
    return state


def find_board(image: NDArray[np.uint8], hints: BoardHints | None = None) -> BoardView | NoBoard:
    """Find and solve the board in a picture (uint8 BGR); the largest whole one where there are several.

    Returns a falsy :class:`NoBoard` with its reason where none is there or none can be trusted.
    """
    hints = hints or BoardHints()
    pyramid = build_pyramid(image)
    focal = None if hints.camera is None else float(hints.camera.K[0, 0])
    candidates = find_candidates(pyramid, focal)
    refusal: NoBoard | None = None
    for candidate in candidates[:PLACES_TRIED]:
        if candidate.score < FIRST_GUESS_BELOW:
            continue
        state = solve_candidate(pyramid, candidate, hints)
        answer = judge(pyramid, state)
        if answer is None:
            others = sum(c.score > UNSURE_BELOW for c in candidates if c is not candidate)
            return view_of(pyramid, state, hints, others)
        refusal = refusal if refusal and refusal.code == "board_unsure" else answer
    return refusal or NoBoard("no_board", "no concentric circles in a board's proportions were found")


def judge(pyramid: list[NDArray[np.uint8]], state: State) -> NoBoard | None:
    """Look at the solved board once more, as if its labels weren't known: None if it stands, else why it doesn't."""
    marks, cam = relabelled(pyramid, state.camera, 1.0)
    if state.fit is None or marks is None or marks.score < NO_BOARD_BELOW or not plausible(marks):
        found = 0.0 if marks is None else max(marks.score, 0.0)
        return NoBoard(
            "no_board", f"the circles found are not a board's (evidence {found:.1f}, a board has {UNSURE_BELOW:.1f})"
        )
    if abs(cam.tvec[2] / state.camera.tvec[2] - 1) * NCA_SHOOTING_MM > SAME_CIRCLE_MM:
        return NoBoard(
            "board_unsure", "it stays open which circle is the shooting line; a picture from higher up would show"
        )
    if marks.score < UNSURE_BELOW:
        return NoBoard(
            "board_unsure", f"the lines are too faint to trust (evidence {marks.score:.1f} of {UNSURE_BELOW:.1f})"
        )
    if state.camera.tilt_deg > STEEPEST_DEG:
        tilt = state.camera.tilt_deg
        return NoBoard(
            "board_unsure", f"the board is seen too flat ({tilt:.0f} degrees from above); hold the camera higher"
        )
    return None


def plausible(marks: Labelling) -> bool:
    """Whether the circles seen make a board: three of the lines and the hole, and nothing where boards are bare."""
    seen = sum(marks.evidence[n] > CIRCLE_EVIDENCE for n in ("shooting", "ten", "fifteen", "hole"))
    return seen >= 3 and marks.evidence["bare"] < BARE_LIMIT


def view_of(pyramid: list[NDArray[np.uint8]], state: State, hints: BoardHints, others: int) -> BoardView:
    """Pack a solved state as the carrier that the other floors take."""
    fit, r = state.fit, state.radii
    assert fit is not None
    camera = replace(state.camera, sigma=sigma_of(state.camera, fit), assumed=tuple(assumptions(hints, fit)))
    nca = BUILT_IN["nca"]
    board = BoardModel(
        "measured",
        NCA_SHOOTING_MM,
        r.get("ten", nca.ten),
        r.get("fifteen", nca.fifteen),
        hole_radius(pyramid, camera),
        surface=r.get("surface"),
    )
    view = BoardView(camera, board, "", fit.rms_px, tuple(warnings_for(camera, r, others)), covariance=fit.covariance)
    return with_scale(view, r, hints)


def with_scale(view: BoardView, radii: dict[str, float], hints: BoardHints) -> BoardView:
    """Give the view its millimetres: by a named model, the given shooting line, or an NCA board's ratios; else they wait."""
    if hints.board is not None:
        scaled = view.scaled(hints.board.shooting / NCA_SHOOTING_MM, f"board {hints.board.name}")
        model = replace(scaled.board, name=hints.board.name, disc_radius=hints.board.disc_radius)
        return replace(scaled, board=replace(model, disc_height=hints.board.disc_height))
    if hints.shooting_mm is not None:
        return view.scaled(hints.shooting_mm / NCA_SHOOTING_MM, f"shooting line {hints.shooting_mm:g} mm (given)")
    if hints.disc_mm is None and is_nca(radii):
        return replace(view, scale_from="NCA board: shooting line 304.8 mm")
    return replace(view, scale_from="shooting line 304.8 mm (assumed)", scale_known=False)


def hole_radius(pyramid: list[NDArray[np.uint8]], cam: Camera) -> float | None:
    """Radius in mm of the hole's rim, or None where no rim is seen (a disc lies in it, or it is painted over)."""
    edges = circle_edges(pyramid, cam, BUILT_IN["nca"].hole or 0.0, "step", HOLE_SEARCH_MM, 60, 1.2)
    if edges.coverage < HOLE_COVERAGE:
        return None
    middle = float(np.median(edges.offsets))
    if float(np.median(np.abs(edges.offsets - middle))) > HOLE_SCATTER_MM:
        return None
    return (BUILT_IN["nca"].hole or 0.0) + middle


def sigma_of(cam: Camera, fit: Adjusted) -> dict[str, float]:
    """Standard uncertainties of what people ask about, from the covariance of the fit."""
    if fit.covariance is None:
        return {}
    spread = dict(zip(fit.free, np.sqrt(np.clip(np.diag(fit.covariance), 0, None)), strict=True))
    turn = np.hypot(spread.get("turn_x", 0.0), spread.get("turn_y", 0.0))
    return {"focal_px": float(spread.get("log_focal", 0.0) * cam.K[0, 0]), "tilt_deg": float(np.degrees(turn))}


def assumptions(hints: BoardHints, fit: Adjusted) -> list[str]:
    """What was taken on trust, in words."""
    if hints.camera is not None:
        return ["intrinsics from a camera profile"]
    if hints.focal_px is not None:
        return ["focal length near the one in EXIF", "square pixels"]
    return ["focal length near that of common cameras", "square pixels"]


def warnings_for(cam: Camera, radii: dict[str, float], others: int) -> list[str]:
    """What a person should know about this board's picture."""
    words = []
    t = np.arange(90) * (2 * np.pi / 90)
    px = cam.project(NCA_SHOOTING_MM * np.column_stack([np.cos(t), np.sin(t), 0 * t]))
    inside = (px[:, 0] >= 0) & (px[:, 1] >= 0) & (px[:, 0] < cam.width) & (px[:, 1] < cam.height)
    if inside.mean() < 1:
        words.append(f"{100 * (1 - inside.mean()):.0f} % of the shooting line lies outside the picture")
    if others:
        words.append(f"{others} more board{'s' if others > 1 else ''} in the picture; the largest whole one is read")
    if cam.tilt_deg > OBLIQUE_DEG:
        words.append(
            f"seen from {cam.tilt_deg:.0f} degrees; from below {OBLIQUE_DEG:.0f} the far discs are read better"
        )
    missing = [n for n in ("ten", "fifteen") if n not in radii]
    if missing:
        words.append("not every circle line could be measured: " + ", ".join(missing))
    return words


@dataclass(frozen=True)
class Fit:
    """How well a saved view fits a new picture: share of line edges seen where expected, and their RMS distance in px."""

    coverage: float
    residual_px: float
    ok: bool


def check_view(image: NDArray[np.uint8], view: BoardView) -> Fit:
    """Whether the board still lies where ``view`` (of this picture's size) says; image uint8 BGR."""
    pyramid = build_pyramid(image)
    scale = view.board.shooting / NCA_SHOOTING_MM
    cam = rescale(view.camera, 1 / scale)
    seen, looked, squares, count = 0, 0, 0.0, 0
    for radius in view.board.radii:
        edges = circle_edges(pyramid, cam, radius / scale, "ridge", CHECK_WINDOW_MM, 120, max(1.2, 0.8 / px_mm(cam)))
        seen, looked = seen + len(edges.angles), looked + edges.looked
        off = edges.offsets * edges.scale
        squares, count = squares + float((np.clip(off, -3, 3) ** 2).sum()), count + len(off)
    coverage = seen / looked if looked else 0.0
    residual = float(np.sqrt(squares / count)) if count else float("inf")
    return Fit(coverage, residual, coverage > CHECK_COVERAGE and residual < CHECK_RESIDUAL_PX)

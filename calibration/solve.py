"""From a picture to a solved board: camera, lens and the board's own radii, or the reason why there is none."""

from dataclasses import replace

import numpy as np

from calibration.adjust import CAMERA_NAMES, Adjusted, move
from calibration.boards import BUILT_IN, HOLE_RADIUS_MM, NCA_SHOOTING_MM, BoardModel
from calibration.camera import Camera
from calibration.circle_edges import circle_edges
from calibration.cut_out import content_of, whole
from calibration.hints import BoardHints, NoBoard
from calibration.labels import Labelling
from calibration.locate import find_candidates, off_centre
from calibration.refine import (
    SAME_CIRCLE_MM,
    State,
    is_nca,
    relabelled,
    solve_candidate,
)
from calibration.sampling import Image, build_pyramid
from calibration.scale import ASSUMED_SCALE, NCA_SCALE, Scale
from calibration.view import BoardView

NO_BOARD_BELOW = 2.0
UNSURE_BELOW = 2.6
"""Sums of evidence (``calibration.labels``) after refinement. Photographs of other things stay below the first (at most
1.8 in 225), boards that can be scored lie above the second. So may plates and targets: :func:`plausible` rejects
those."""

INNER_LINES = {"ten": "10/5", "fifteen": "15/10"}
"""Names of the inner lines in a fit and for people. Both must be measured: by a guessed line, scores are guesses."""

FAINTEST_LINE = 0.2
"""How much more evidence each of the three lines needs than any circle found where boards have none: scores need every
line, and targets and rugs lack one or have others."""

HOLE_LEAST, SURFACE_LEAST = 0.22, 0.3
"""Evidence of the hole's rim and of the surface's edge that a board needs: each of 112 boards has more than 0.31 and
0.45, altered ones 0.25 and 0.37; of 81 drawn targets, rugs and rings with three lines of a board's one has both."""

BARE_LIMIT = 0.6
"""Evidence of a circle where no board has one (rugs, targets, plates)."""

STEEPEST_DEG = 66.0
"""Beyond this a line is thinner than the blur and a disc hides the next one."""

OBLIQUE_DEG = 55.0
PLACES_TRIED = 2
FIRST_GUESS_BELOW = 1.0
"""Evidence of a first guess, often of the wrong circle, that isn't worth refining."""

NARROWEST_PX = 16
"""Smaller side of a picture that is searched: narrower ones show no ring."""

HOLE_SEARCH_MM = 4.0
HOLE_COVERAGE = 0.7
HOLE_SCATTER_MM = 0.6
"""A hole's rim is trusted where most directions see it at one radius: makers' holes are 15-20 mm in radius here."""


SMALL_STEP = dict.fromkeys(CAMERA_NAMES, 1e-4) | {"cx": 0.1, "cy": 0.1}
"""Steps for numerical derivatives of the camera's place: in radians, shares, and (``cx``, ``cy``) pixels."""


def find_board(image: Image, hints: BoardHints | None = None) -> BoardView | NoBoard:
    """Find and solve the board in a picture (uint8 BGR); the largest whole one where there are several.

    Returns a falsy :class:`NoBoard` with its reason where none is there or none can be trusted.
    """
    hints = hints or BoardHints()
    narrow = min(image.shape[:2])
    if narrow < NARROWEST_PX:
        return NoBoard("no_board", f"the picture is only {narrow} pixel{'s' if narrow > 1 else ''} across")
    pyramid = build_pyramid(image)
    focal = None if hints.camera is None else float(hints.camera.K[0, 0])
    content = content_of(image)
    found = find_candidates(pyramid, focal)
    candidates = [replace(c, camera=replace(c.camera, content=content)) for c in found]
    refusal: NoBoard | None = None
    for candidate in candidates[:PLACES_TRIED]:
        if candidate.score < FIRST_GUESS_BELOW:
            continue
        state = solve_candidate(pyramid, candidate, hints)
        answer = judge(pyramid, state)
        if answer is not None and hints.camera is None:
            state = solve_candidate(pyramid, off_centre(pyramid, candidate), hints, cut=True)
            answer = judge(pyramid, state)
        if answer is None:
            others = sum(c.score > UNSURE_BELOW for c in candidates if c is not candidate)
            return view_of(pyramid, state, hints, others)
        if refusal is None or refusal.code == "no_board":
            refusal = answer
    if refusal is None:
        return NoBoard("no_board", "no concentric circles in a board's proportions were found")
    return refusal


def judge(pyramid: list[Image], state: State) -> NoBoard | None:
    """Look at the solved board once more, as if its labels weren't known: None if it stands, else why it doesn't."""
    marks, cam = relabelled(pyramid, state.camera)
    found = 0.0 if marks is None else max(marks.score, 0.0)
    if state.fit is None or marks is None or marks.score < NO_BOARD_BELOW:
        why = f"the circles found are not a board's (evidence {found:.1f}, a board has {UNSURE_BELOW:.1f})"
        return NoBoard("no_board", why)
    if not plausible(marks):
        return NoBoard("no_board", "there are circles, but not just a board's three lines (is one of them hidden?)")
    why = doubts_of(state, cam, marks)
    return NoBoard("board_unsure", why) if why else None


def doubts_of(state: State, again: Camera, marks: Labelling) -> str:
    """Why a solved board can't be trusted; "" where it can. ``again``, ``marks``: as it was labelled anew."""
    found = marks.score
    if abs(again.tvec[2] / state.camera.tvec[2] - 1) * NCA_SHOOTING_MM > SAME_CIRCLE_MM:
        return "it stays open which circle is the shooting line; a picture from higher up would show"
    if found < UNSURE_BELOW:
        return f"the lines are too faint to trust (evidence {found:.1f} of {UNSURE_BELOW:.1f})"
    for name, least, words in (("hole", HOLE_LEAST, "hole"), ("surface", SURFACE_LEAST, "playing surface's edge")):
        if marks.evidence[name] < least:
            return f"there are lines like a board's, but its {words} isn't seen; take away what hides it"
    missing = [line for name, line in INNER_LINES.items() if name not in state.radii]
    if missing:
        return f"the {' and the '.join(missing)} line couldn't be measured; keep glare and hands off it"
    if state.camera.tilt_deg > STEEPEST_DEG:
        return f"the board is seen too flat ({state.camera.tilt_deg:.0f} degrees from above); hold the camera higher"
    return ""


def plausible(marks: Labelling) -> bool:
    """Whether the circles seen make a board: all three lines, and nothing where boards are bare."""
    lines = min(marks.evidence[n] for n in ("shooting", "ten", "fifteen"))
    bare = marks.evidence["bare"]
    return lines - bare > FAINTEST_LINE and bare < BARE_LIMIT


def view_of(pyramid: list[Image], state: State, hints: BoardHints, others: int) -> BoardView:
    """The solved board as the other floors take it; ``others``: how many more boards are in the picture.

    Raises ValueError for a state without a fit, which :func:`judge` refuses.
    """
    fit, r = state.fit, state.radii
    if fit is None:
        raise ValueError("no camera was fitted to this board: it has no view")
    camera = replace(state.camera, sigma=sigma_of(state.camera, fit), assumed=tuple(assumptions(hints, state)))
    board = BoardModel(
        "measured",
        NCA_SHOOTING_MM,
        r["ten"],
        r["fifteen"],
        hole_radius(pyramid, camera),
        surface=r.get("surface"),
    )
    if hints.camera is not None:  # its focal length was measured elsewhere, and so was what it is uncertain by
        focal = hints.camera.sigma.get("focal_px", 0.0)
        camera = replace(camera, sigma={**camera.sigma, "focal_px": focal}, calibrated=True)
    view = BoardView(camera, board, ASSUMED_SCALE, fit.rms_px, tuple(warnings_for(camera, others)))
    return with_scale(view, r, hints)


def with_scale(view: BoardView, radii: dict[str, float], hints: BoardHints) -> BoardView:
    """Give the view its millimetres: by a named model, the given shooting line, or an NCA board's proportions.

    Where none of these is known they stay assumed, until discs are measured. A named model also says what no picture
    shows well: the widths of its lines, its discs, and the radii of hole and surface where they couldn't be measured.
    A diameter of the discs that is given beside the board or its line doesn't give the scale, but is what they have.
    """
    if hints.board is not None:
        given = hints.board
        scale = Scale("board", given == BUILT_IN["nca"], f"board {given.name}")
        scaled = view.scaled(given.shooting / NCA_SHOOTING_MM, scale)
        model = replace(
            given,
            ten=scaled.board.ten,
            fifteen=scaled.board.fifteen,
            hole=scaled.board.hole or given.hole,
            surface=scaled.board.surface or given.surface,
        )
        return _with_discs(replace(scaled, board=model), hints)
    if hints.shooting_mm is not None:
        scale = Scale("shooting_line", detail=f"shooting line {hints.shooting_mm:g} mm (given)")
        return _with_discs(view.scaled(hints.shooting_mm / NCA_SHOOTING_MM, scale), hints)
    return replace(view, scale=NCA_SCALE) if hints.disc_mm is None and is_nca(radii) else view


def _with_discs(view: BoardView, hints: BoardHints) -> BoardView:
    """The view with discs of the given diameter, where one is given."""
    if hints.disc_mm is None:
        return view
    return view.with_discs(hints.disc_mm / 2, given=True)


def hole_radius(pyramid: list[Image], cam: Camera) -> float | None:
    """Radius in mm of the hole's rim, or None where no rim is seen (a disc lies in it, or it is painted over)."""
    edges = circle_edges(pyramid, cam, HOLE_RADIUS_MM, "step", HOLE_SEARCH_MM, 60, 1.2)
    if edges.coverage < HOLE_COVERAGE:
        return None
    middle = float(np.median(edges.offsets))
    if float(np.median(np.abs(edges.offsets - middle))) > HOLE_SCATTER_MM:
        return None
    return HOLE_RADIUS_MM + middle


def sigma_of(cam: Camera, fit: Adjusted) -> dict[str, float]:
    """Standard uncertainties by name (see :class:`~calibration.camera.Camera`), from the covariance of the fit."""
    spread = dict(zip(fit.free, np.sqrt(np.clip(np.diag(fit.covariance), 0, None)), strict=True))
    turn = np.hypot(spread.get("turn_x", 0.0), spread.get("turn_y", 0.0))
    return {
        "focal_px": float(spread.get("log_focal", 0.0) * cam.K[0, 0]),
        "tilt_deg": float(np.degrees(turn)),
        "sideways": _sideways(cam, fit),
    }


def _sideways(cam: Camera, fit: Adjusted) -> float:
    """Standard uncertainty of the camera's place along the board, each way, over its height above it.

    Times a disc's height, it is how far the disc's top may appear from where this camera says that it appears.
    """
    at = [k for k, name in enumerate(fit.free) if name in CAMERA_NAMES]
    slopes = np.empty((2, len(at)))
    for column, k in enumerate(at):
        step = np.where(np.array(CAMERA_NAMES) == fit.free[k], SMALL_STEP[fit.free[k]], 0.0)
        slopes[:, column] = (move(cam, step).centre - move(cam, -step).centre)[:2] / (2 * step.sum() * cam.centre[2])
    return float(np.sqrt(np.trace(slopes @ fit.covariance[np.ix_(at, at)] @ slopes.T) / 2))


def assumptions(hints: BoardHints, state: State) -> list[str]:
    """What was taken on trust, in words."""
    if hints.camera is not None:
        return ["intrinsics from a camera profile"]
    focal = "near the one in EXIF" if hints.focal_px is not None else "near that of common cameras"
    middle = "near the picture's middle"
    if state.cut:
        middle = "where the edges want it: the picture was cut out of a larger one"
    elif not whole(state.camera):
        middle += ", though by its shape or margins the picture may have been cut out of a larger one"
    return [f"focal length {focal}", "square pixels", f"principal point {middle}"]


def warnings_for(cam: Camera, others: int) -> list[str]:
    """What a person should know about this board's picture."""
    words = []
    outside = cam.share_outside(NCA_SHOOTING_MM)
    if outside:
        words.append(f"{100 * outside:.0f} % of the shooting line lies outside the picture: discs there are not seen")
    if others:
        words.append(f"{others} more board{'s' if others > 1 else ''} in the picture; the largest whole one is read")
    if cam.tilt_deg > OBLIQUE_DEG:
        words.append(
            f"seen from {cam.tilt_deg:.0f} degrees; from below {OBLIQUE_DEG:.0f} the far discs are read better"
        )
    return words

"""Patches with known answers, cut from rendered scenes whose discs are known exactly.

Every picture is looked at many times, each time as a referee would who knows less than the truth: the discs' places,
radius and height, the camera and the lines are all off, by as much as detection and calibration leave them off.
"""

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import BoardModel
from calibration.camera import Array, Camera
from calibration.scale import Scale
from calibration.view import BoardView
from training.shared_data import SCENES
from vision.contact_patch import Cylinders, camera_axes, patches, prepare

FOLDERS = ("crokinole", "crokinole_variants")

START_MM = 1.6
"""Largest error of a first start: what a detector leaves."""
AGAIN_MM = 0.3
"""Standard deviation of a start that was refined once."""
RADIUS_MM, RADIUS_AGAIN_MM = 1.2, 0.12
HEIGHT_MM, HEIGHT_AGAIN_MM = 3.0, 0.5
SHIFT_MM = 0.2
"""Standard deviation, along each axis, of how far all upper faces appear beside where they are thought to."""
LINE_MM, BY_HAND_MM, BY_HAND, WIDTH_SHARE = 0.12, 0.4, 0.3, 0.15
"""Lines are measured so well; a share of them is drawn by hand and lies elsewhere beside this or that disc."""
SCALE_LOG = 0.2
"""The world is taken for up to this much (log) larger or smaller, so that no one radius and height is learnt."""
FOCAL_TILTS_DEG, FOCAL_SPREADS = (0.0, 3.0, 9.0, 15.0), (0.27, 0.23, 0.08, 0.01)
"""Relative standard deviation of a re-solved focal length by the camera's tilt: from straight above, the lines can't
tell it from the distance."""
K1_SPREADS, CENTRE_SPREAD = (0.025, 0.1), 0.008
"""What a re-solved camera leaves open in the first term of distortion, mostly and at times, and, by the picture's
width, in the principal point."""
ODD = 0.2
"""Share of cameras whose distortion is solved badly."""
REDUCED, LEAST_PX_PER_MM = 0.4, 0.36
"""Share of the looks at a picture that was taken from farther away, and the least detail: boards on 720 pixels."""
COMPRESSED, QUALITIES = 0.5, (60, 95)
"""Share of the reduced pictures that are compressed again, and how."""


@dataclass(frozen=True)
class Scene:
    """One picture: the true view, and its flat discs by the plane they lie on (``base``, centres, radius, height)."""

    name: str
    image: NDArray[np.uint8]
    view: BoardView
    groups: tuple[Cylinders, ...]


def true_view(truth: dict) -> BoardView:
    """The view that a scene's truth describes."""
    board = truth["board"]
    lines = {line["name"]: line for line in board["lines"]}
    inner, middle, outer = (lines[n] for n in ("15/10", "10/5", "shooting"))
    disc = truth["discs"][0] if truth["discs"] else truth["disc"]
    widths = tuple(line["outer_edge"] - line["inner_edge"] for line in (inner, middle, outer))
    model = BoardModel(
        "truth",
        outer["nominal_radius"],
        middle["nominal_radius"],
        inner["nominal_radius"],
        board["hole"]["diameter"] / 2,
        widths,
        board["surface_radius"],
        disc["diameter"] / 2,
        disc["thickness"],
    )
    pose = (np.array(truth[k], dtype=np.float64) for k in ("K", "dist", "rvec", "tvec"))
    return BoardView(Camera(*pose, truth["width"], truth["height"]), model, Scale("board", detail="truth"), 0.0)


def read_scene(path: Path) -> Scene | None:
    """Read one scene by its truth file; None where it shows no board."""
    truth = json.loads(path.read_text())
    if truth.get("nothing"):
        return None
    image = cv2.imread(str(path.with_suffix(".jpg")), cv2.IMREAD_COLOR)
    if image is None:
        raise FileNotFoundError(path.with_suffix(".jpg"))
    h, w = image.shape[:2]
    if (w, h) != (truth["width"], truth["height"]):
        image = cv2.resize(image, (truth["width"], truth["height"]), interpolation=cv2.INTER_AREA)
    by_base: dict[float, list[dict]] = {}
    for disc in truth["discs"]:
        if disc["in_frame"] and abs(disc["tilt_deg"]) < 0.5 and disc["state"] in ("board", "ditch", "off_board"):
            by_base.setdefault(round(disc["centre_mm"][2] - disc["thickness"] / 2, 2), []).append(disc)
    groups = tuple(
        Cylinders(
            np.array([d["centre_mm"][:2] for d in discs]),
            np.array([d["diameter"] / 2 for d in discs]),
            np.array([d["thickness"] for d in discs]),
            base,
        )
        for base, discs in by_base.items()
    )
    return Scene(f"{path.parent.name}/{path.stem}", np.asarray(image, dtype=np.uint8), true_view(truth), groups)


def scene_files() -> list[Path]:
    """All truth files of the scenes, in order."""
    return [p for f in FOLDERS for p in sorted((SCENES / f).glob("[cv]0[0-9][0-9].json"))]


def window_files(folder: Path, kinds: str = "t") -> list[Path]:
    """Truth files of path-traced windows: ``t`` whole boards and ``h`` other takes of their holes
    (``training.trace_boards``), ``m`` holes alone (``training.trace_holes``), ``w`` discs alone
    (``training.trace_discs``)."""
    return [p for kind in kinds for p in sorted(folder.glob(f"{kind}[0-9]*.json"))]


def in_window(truth: dict, view: BoardView, place: Array, reach: float) -> bool:
    """Whether all within ``reach`` mm of a place (2,) on the board was rendered; always so in a whole picture."""
    if "windows" not in truth:
        return True
    turn = np.arange(16) * np.pi / 8
    ring = place + reach * np.column_stack([np.cos(turn), np.sin(turn)])
    px = np.concatenate([view.to_px(ring, z) for z in (0.0, view.board.disc_height)])
    (left, top), (right, bottom) = px.min(0), px.max(0)
    return any(left >= w[0] and top >= w[1] and right < w[2] and bottom < w[3] for w in truth["windows"])


def jittered_view(view: BoardView, rng: np.random.Generator) -> BoardView:
    """The view as it might have been solved: lens off and the pose fitted to it, lines off."""
    camera, board = view.camera, view.board
    if rng.random() < 0.75:
        spread = np.interp(camera.tilt_deg, FOCAL_TILTS_DEG, FOCAL_SPREADS)
        K = camera.K.copy()
        K[[0, 1], [0, 1]] *= math.exp(np.clip(rng.normal(), -2, 2) * spread)
        K[:2, 2] += np.clip(rng.normal(size=2), -2, 2) * CENTRE_SPREAD * camera.width
        dist = np.array(camera.dist, dtype=np.float64)
        dist.flat[0] += np.clip(rng.normal(), -2, 2) * K1_SPREADS[int(rng.random() < ODD)]
        a, r = np.meshgrid(np.arange(16) * np.pi / 8, np.array(board.radii))
        points = np.column_stack([(r * np.cos(a)).ravel(), (r * np.sin(a)).ravel(), np.zeros(a.size)])
        seen = camera.project(points) + rng.normal(0, 0.08, (a.size, 2))
        ok, rvec, tvec = cv2.solvePnP(
            points, seen, K, dist, camera.rvec.copy(), camera.tvec.copy(), True, cv2.SOLVEPNP_ITERATIVE
        )
        if ok:
            camera = replace(camera, K=K, dist=dist, rvec=rvec.ravel(), tvec=tvec.ravel())
    off = BY_HAND_MM if rng.random() < BY_HAND else LINE_MM
    a, b, c = (r + rng.normal(0, off) for r in board.radii)
    wide = math.exp(rng.normal(0, WIDTH_SHARE))
    u, v, w = (x * wide for x in board.line_widths)
    return replace(view, camera=camera, board=replace(board, fifteen=a, ten=b, shooting=c, line_widths=(u, v, w)))


def _within(rng: np.random.Generator, n: int, radius: float) -> Array:
    a, r = rng.uniform(0, 2 * np.pi, n), radius * np.sqrt(rng.uniform(0, 1, n))
    return np.column_stack([r * np.cos(a), r * np.sin(a)])


def scaled(scene: Scene, factor: float) -> Scene:
    """The same picture of a world ``factor`` times as large: other radii, heights and pixels a millimetre."""
    camera, board = scene.view.camera, scene.view.board
    model = replace(
        board.scaled(factor), disc_radius=board.disc_radius * factor, disc_height=board.disc_height * factor
    )
    groups = tuple(
        Cylinders(g.centres * factor, g.radius * factor, g.height * factor, g.base * factor) for g in scene.groups
    )
    return replace(
        scene, view=replace(scene.view, camera=replace(camera, tvec=camera.tvec * factor), board=model), groups=groups
    )


def reduced(scene: Scene, rng: np.random.Generator) -> Scene:
    """The same scene in a picture of fewer pixels, as though taken from farther away through a longer lens."""
    camera = scene.view.camera
    detail = float(camera.K[0, 0] / np.linalg.norm(camera.centre))
    factor = math.exp(rng.uniform(math.log(min(1.0, LEAST_PX_PER_MM / detail)), 0.0))
    size = round(camera.width * factor), round(camera.height * factor)
    small = cv2.resize(scene.image, size, interpolation=cv2.INTER_AREA)
    if rng.random() < COMPRESSED:
        packed = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(*QUALITIES))])[1]
        small = cv2.imdecode(packed, cv2.IMREAD_COLOR)
    K = camera.K.copy()
    shares = np.array(size) / (camera.width, camera.height)
    K[:2] *= shares[:, None]
    K[:2, 2] += (shares - 1) / 2
    fewer = replace(camera, K=K, width=size[0], height=size[1])
    return replace(scene, image=np.asarray(small, np.uint8), view=replace(scene.view, camera=fewer))


def looks(scene: Scene, rng: np.random.Generator) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """One look at every disc of a scene: patches (N, CHANNELS, ANGLES, STEPS) and targets (N, outputs).

    Targets in mm, see ``vision.contact_net.OUTPUTS``; places are those that the assumed camera gives to the rings as
    they truly appear: where a line touches a disc in the picture it does so for every camera.
    """
    if rng.random() < REDUCED:
        scene = reduced(scene, rng)
    if rng.random() < 0.6:
        scene = scaled(scene, math.exp(rng.uniform(-SCALE_LOG, SCALE_LOG)))
    view = jittered_view(scene.view, rng)
    # seen by a camera taken for farther than it is, all heights look larger by the same share
    farther = float(view.camera.centre[2] / scene.view.camera.centre[2])
    every, wanted = [], []
    for real in scene.groups:
        n, base = len(real), real.base * farther
        rough = rng.random() < 0.6
        off = _within(rng, n, START_MM) if rough else rng.normal(0, AGAIN_MM, (n, 2))
        dr = rng.uniform(-RADIUS_MM, RADIUS_MM) if rng.random() < 0.4 else rng.normal(0, RADIUS_AGAIN_MM)
        dh = rng.uniform(-HEIGHT_MM, HEIGHT_MM) if rng.random() < 0.5 else rng.normal(0, HEIGHT_AGAIN_MM)
        height = np.maximum(real.height * (farther if rng.random() < 0.5 else 1.0) + dh, 4.0)
        foot = view.to_mm(scene.view.to_px(real.centres, real.base), base)
        seen = zip(real.centres, real.height, height, strict=True)
        top = np.concatenate([view.to_mm(scene.view.to_px(c, real.base + h), base + z) for c, h, z in seen])
        side = rng.normal(0, SHIFT_MM, 2)
        start = Cylinders(foot + off, real.radius + dr, height, base, (float(side[0]), float(side[1])))
        small, factor = prepare(scene.image, view, start.centres)
        every.append(patches(small, factor, view, start, start))
        ahead, left = camera_axes(view, start.centres)
        lean = top - foot - side
        error = (foot + top - side) / 2 - start.centres
        along = [(vector * axis).sum(1) for vector in (error, lean) for axis in (ahead, left)]
        wanted.append(np.column_stack([*along[:2], real.radius - start.radius, *along[2:]]))
    return np.concatenate(every), np.concatenate(wanted).astype(np.float32)

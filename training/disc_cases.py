"""Places on boards that show a disc, and places that don't, from everything that has exact truth.

Each case is a look at a picture as a referee would who knows less than the truth: view, places, radius and height are
all somewhat off. Places without a disc lie at random, beside discs, on lines and posts, where the first disc network is
fooled, and anywhere in pictures of other games. The pictures are the path-traced scenes under ``$REFEREE_DATA``,
path-traced windows (``training.trace_boards``) and drawn boards.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import BUILT_IN
from calibration.camera import Array, Camera
from calibration.scale import Scale
from calibration.view import BoardView
from training.drawn_boards import draw_scene
from training.gap_data import Scene, in_window, jittered_view, read_scene, scene_files, window_files
from training.shared_data import SCENES
from vision import disc_net
from vision.disc_canonical import canonical_picture, frame_of

LOOKS, DRAWN_SCENES, DRAWN_LOOKS = 10, 260, 2
VERTICAL_DEG, DISTANCE_LOG = 8.0, (-0.4, 1.2)
"""Below this tilt the distance is taken for exp of so much as far: cropped pictures are seen from far."""
CLEAR_RADII = 0.6
"""A place so many radii or more from every disc shows none."""
START_MM = 2.2
WINDOW_LOOKS, SPOT_LOOKS, SPOT_SPREAD_MM = 10, 2, 1.5
REACH_MM = 8.0
"""A patch shows so much beyond a disc's outline."""
EMPTY_RADII = 1.9
"""A hole with no disc nearer than so many radii to its middle shows only its floor."""
FOREIGN, FOREIGN_LOOKS, FOREIGN_PLACES = ("cards", "dice", "dodecas"), 4, 14
FALSE_FLOOR = 0.04
NO_PLACES = np.zeros((0, 2))

Size = tuple[float, float]
"""Radius and height of a disc in mm."""


@dataclass(frozen=True)
class Case:
    """A look at a picture: places (N, 2) in mm, whether each shows a disc (N,), the discs' radius and height in mm.

    ``scene`` numbers the path-traced scenes, of which some may be held out; -1 for all else.
    """

    image: NDArray[np.uint8]
    view: BoardView
    places: Array
    kinds: NDArray[np.int64]
    radius: float
    height: float
    scene: int = -1


def cases_of(source: str, windows: Path) -> Iterator[Case]:
    """All cases of a source: ``traced``, ``windows`` (their folder), ``drawn`` or ``foreign``; seeded."""
    if source == "windows":
        yield from window_cases(windows)
    elif source == "foreign":
        yield from foreign_cases()
    else:
        yield from board_cases(source == "traced")


def bare_places(rng: np.random.Generator, view: BoardView, discs: Array, radius: float, false: Array) -> Array:
    """Places (N, 2) in mm on the surface that show no disc; ``discs`` (M, 2) are where one is."""
    board = view.board
    reach = 1.06 * board.shooting

    def ring(count: int, r: Array) -> Array:
        a = rng.uniform(0, 2 * np.pi, count)
        return np.column_stack([r * np.cos(a), r * np.sin(a)])

    places = [ring(6, reach * np.sqrt(rng.uniform(0, 1, 6)))]
    places.append(ring(3, rng.choice(np.array(board.radii), 3) + rng.normal(0, 2, 3)))
    places.append(rng.normal(0, 1.5, (1, 2)))
    if len(discs):
        some = discs[rng.integers(0, len(discs), 4)]
        places.append(some + ring(4, radius * rng.uniform(0.65, 2.0, 4)))
    if len(false):
        places.append(false[rng.integers(0, len(false), 6)] + rng.normal(0, 1.0, (6, 2)))
    every = np.concatenate(places)
    if len(discs):
        gap = np.linalg.norm(every[:, None] - discs[None], axis=2).min(1)
        every = every[gap > CLEAR_RADII * radius]
    return np.asarray(every)


def distance_unknown(view: BoardView, rng: np.random.Generator) -> BoardView:
    """The view of a nearly vertical camera with focal length and distance both off: its lines can't tell them apart."""
    camera = view.camera
    if camera.tilt_deg > VERTICAL_DEG or rng.random() < 0.5:
        return view
    k = float(np.exp(rng.uniform(*DISTANCE_LOG)))
    K = camera.K.copy()
    K[[0, 1], [0, 1]] *= k
    return replace(view, camera=replace(camera, K=K, tvec=camera.tvec * np.array([1.0, 1.0, k])))


def start_error(rng: np.random.Generator, n: int) -> Array:
    """Where the first networks put N discs, beside the truth (N, 2) in mm."""
    a, r = rng.uniform(0, 2 * np.pi, n), START_MM * np.sqrt(rng.uniform(0, 1.3, n))
    return np.column_stack([r * np.cos(a), r * np.sin(a)])


def look_at(
    scene: Scene, view: BoardView, rng: np.random.Generator, discs: Array, bare: Array, size: Size, number: int = -1
) -> Case:
    """The case of true discs (N, 2) and bare places (M, 2) for discs of a true size, somewhat off."""
    places = np.concatenate([discs + start_error(rng, len(discs)), bare])
    kinds = np.repeat([1, 0], [len(discs), len(bare)])
    radius, height = size[0] * float(np.exp(rng.normal(0, 0.03))), size[1] + float(rng.normal(0, 0.7))
    return Case(scene.image, view, places, kinds, radius, height, number)


def board_cases(traced: bool) -> Iterator[Case]:
    """Cases of all traced or drawn scenes."""
    number = 0
    for k, source in enumerate(scene_files() if traced else range(DRAWN_SCENES)):
        scene = read_scene(source) if isinstance(source, Path) else draw_scene(source)
        if scene is None:
            continue
        if isinstance(source, Path):
            truth = json.loads(source.read_text())
            discs = np.array([d["centre_mm"][:2] for d in truth["discs"]]).reshape(-1, 2)
            false = fooled(scene, discs)
        else:
            discs = np.concatenate([g.centres for g in scene.groups]) if scene.groups else NO_PLACES
            false = NO_PLACES
        rng = np.random.default_rng([11, k])
        for _ in range(LOOKS if traced else DRAWN_LOOKS):
            view = distance_unknown(jittered_view(scene.view, rng), rng)
            for true in scene.groups:
                if true.base == 0.0:
                    size = float(true.radius[0]), float(true.height[0])
                    bare = bare_places(rng, view, discs, size[0], false)
                    yield look_at(scene, view, rng, true.centres, bare, size, number if traced else -1)
        number += 1


def window_cases(folder: Path) -> Iterator[Case]:
    """Cases of path-traced windows: discs, prints, and the floors of empty holes."""
    for k, path in enumerate(window_files(folder, "th")):
        scene, truth = read_scene(path), json.loads(path.read_text())
        if scene is None:
            continue
        rng = np.random.default_rng([13, k])
        size = scene.view.board.disc_radius, scene.view.board.disc_height
        every = np.array([d["centre_mm"][:2] for d in truth["discs"]]).reshape(-1, 2)
        flat = np.concatenate([g.centres for g in scene.groups if g.base == 0.0] or [NO_PLACES])
        flat = flat[[in_window(truth, scene.view, c, size[0] + REACH_MM) for c in flat]]
        bare = [np.array(s) for s in truth["spots"] if far_from(every, np.array(s), 1.2 * size[0])] * SPOT_LOOKS
        shown = in_window(truth, scene.view, np.zeros(2), size[0] + REACH_MM)
        if shown and far_from(every, np.zeros(2), EMPTY_RADII * size[0]):
            bare.append(np.zeros(2))
        marks = np.array(bare).reshape(-1, 2)
        for _ in range(WINDOW_LOOKS if len(flat) + len(marks) else 0):
            view = distance_unknown(jittered_view(scene.view, rng), rng)
            off = rng.normal(0, SPOT_SPREAD_MM, marks.shape)
            yield look_at(scene, view, rng, flat, marks + off, size)


def far_from(discs: Array, place: Array, least: float) -> bool:
    """Whether a place (2,) in mm keeps ``least`` from all discs (N, 2)."""
    return not len(discs) or float(np.linalg.norm(discs - place, axis=1).min()) > least


def fooled(scene: Scene, discs: Array) -> Array:
    """Places (N, 2) in mm where the first disc network sees something that is no disc."""
    frame = frame_of(scene.view)
    picture = canonical_picture(scene.image, scene.view, frame)
    found = disc_net.peaks(disc_net.run_network(picture, frame), FALSE_FLOOR)
    xy = np.array([c.xy for c in found]).reshape(-1, 2)
    places = frame.to_board(xy) if len(xy) else NO_PLACES
    if len(discs) and len(places):
        places = places[np.linalg.norm(places[:, None] - discs[None], axis=2).min(1) > scene.view.board.disc_radius]
    return np.asarray(places)


def foreign_cases() -> Iterator[Case]:
    """Cases of pictures of other games: letters, pips, spots, tables; nothing in them is a disc."""
    files = sorted(p for f in FOREIGN for p in (SCENES / f).glob("*.jpg"))
    for k, path in enumerate(files):
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise FileNotFoundError(path)
        h, w = image.shape[:2]
        rng = np.random.default_rng([12, k])
        for _ in range(FOREIGN_LOOKS):
            tilt, turn, size = np.radians(rng.uniform(0, 55)), rng.uniform(0, 2 * np.pi), max(h, w)
            f, far = size * rng.uniform(0.7, 1.4), rng.uniform(900, 2000)
            down = np.diag([1.0, -1.0, -1.0])
            lean = (
                np.asarray(cv2.Rodrigues(np.array([tilt, 0, 0]))[0]) @ down @ cv2.Rodrigues(np.array([0, 0, turn]))[0]
            )
            K = np.array([[f, 0, (w - 1) / 2], [0, f, (h - 1) / 2], [0, 0, 1.0]])
            camera = Camera(K, np.zeros(5), cv2.Rodrigues(lean)[0].ravel(), np.array([0.0, 0.0, far]), w, h)
            view = BoardView(camera, BUILT_IN["nca"], Scale("board", detail="foreign"), 0.0)
            px = rng.uniform([0.1 * w, 0.1 * h], [0.9 * w, 0.9 * h], (FOREIGN_PLACES, 2))
            places, radius = view.to_mm(px), float(rng.uniform(10, 22))
            kinds = np.zeros(len(places), np.int64)
            yield Case(np.asarray(image, np.uint8), view, places, kinds, radius, 0.6 * radius)

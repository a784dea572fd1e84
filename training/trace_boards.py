"""Path-trace boards with discs, in the places that matter only, with exact truth: for the networks that read discs.

    python -m training.trace_boards --out FOLDER --count 200 [--first 0]

Needs ``bpy`` (Blender as a Python module). Each scene is a picture of full size in which only windows about the discs,
the hole and some prints are rendered, the rest being filled with an even tone; and a truth file of the same form as
the scenes under ``$REFEREE_DATA``, with the windows and the places of prints besides. Seeded: a scene is always the
same.
"""

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from training import traced_world as world
from training.traced_layout import Board, Disc, bare_places, in_hole, make_board, on_board
from training.traced_paint import WHOLE, Look, Place, flat_discs, paint, paint_board, unlike

Array = NDArray[np.float64]
Colour = NDArray[np.float32]
Box = tuple[int, int, int, int]

WIDTH, HEIGHT = 1920, 1080
SAMPLES = 16
"""Rays a pixel; the denoiser does the rest."""
AROUND_MM = 10.0
"""A disc's window reaches so far beyond its outline: what the gap network looks at, and its worst start."""
HOLE_HALF_MM = 42.0
PRINT_HALF_MM = 27.0
PRINTS = 3
"""Windows about prints a scene."""
FLAT_SHARE = 0.7
"""Share of the boards that may bear dots and rings of a disc's size which do."""
HOLE_TAKES = 5
"""Pictures of the hole a scene, each with something else in it."""
SHORTEST = 0.75
"""Shortest focal length by the picture's width."""
MERGED = 1.25
"""Windows become one where that costs at most this many times their pixels."""


def make_camera(rng: np.random.Generator, shortest: float = SHORTEST) -> Camera:
    """A camera anywhere from straight above to 58 degrees, the board filling 45 to 100 % of the picture's height."""
    tilt = math.radians(rng.choice([rng.uniform(0, 18), rng.uniform(10, 58)], p=[0.45, 0.55]))
    focal = WIDTH * rng.uniform(shortest, 1.7)
    far = focal * 800 / (HEIGHT * rng.uniform(0.5, 1.05))
    a, roll = rng.uniform(0, 2 * np.pi), rng.normal(0, 0.08)
    back = np.array([math.sin(tilt) * math.cos(a), math.sin(tilt) * math.sin(a), math.cos(tilt)])
    side = np.array([-math.sin(a), math.cos(a), 0.0])
    down = np.cross(-back, side)
    x = math.cos(roll) * side + math.sin(roll) * down
    R = np.stack([x, np.cross(-back, x), -back])
    eye = np.array([rng.normal(0, 60), rng.normal(0, 60), 0.0]) + back * far
    K = np.array([[focal, 0, (WIDTH - 1) / 2], [0, focal, (HEIGHT - 1) / 2], [0, 0, 1.0]])
    return Camera(K, np.zeros(5), cv2.Rodrigues(R)[0].ravel(), -R @ eye, WIDTH, HEIGHT)


def window(camera: Camera, middle: Array, half: float, low: float, high: float) -> Box | None:
    """Pixels about a place (2,) in mm that show all within ``half`` mm at heights from low to high; None if cut off."""
    a = np.arange(16) * np.pi / 8
    ring = middle + half / math.cos(np.pi / 16) * np.column_stack([np.cos(a), np.sin(a)])
    px = np.concatenate([camera.project(np.column_stack([ring, np.full(16, z)])) for z in (low, high)])
    left, top = np.floor(px.min(0)).astype(int)
    right, bottom = np.ceil(px.max(0)).astype(int) + 1
    if left < 0 or top < 0 or right > WIDTH or bottom > HEIGHT:
        return None
    return int(left), int(top), int(right), int(bottom)


def area(box: Box) -> int:
    """Pixels of a window."""
    return (box[2] - box[0]) * (box[3] - box[1])


def joined(boxes: list[Box]) -> list[Box]:
    """The same windows with close ones made one."""
    left = list(boxes)
    while True:
        pairs = [(a, b, _both(a, b)) for i, a in enumerate(left) for b in left[i + 1 :]]
        good = [p for p in pairs if area(p[2]) <= MERGED * (area(p[0]) + area(p[1]))]
        if not good:
            return left
        a, b, both = min(good, key=lambda p: area(p[2]) - area(p[0]) - area(p[1]))
        left = [x for x in left if x is not a and x is not b] + [both]


def _both(a: Box, b: Box) -> Box:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def light(rng: np.random.Generator) -> None:
    """One to three lamps and the room with its windows."""
    room = np.full((32, 64, 3), rng.uniform(0.15, 0.6), np.float32) * rng.uniform(0.85, 1.15, 3).astype(np.float32)
    for _ in range(int(rng.integers(0, 5))):
        y, x, h, w = rng.integers(2, 16), rng.integers(0, 56), rng.integers(2, 7), rng.integers(2, 9)
        room[y : y + h, x : x + w] = rng.uniform(1, 9)
    world.sky(room, rng.uniform(0.4, 1.0))
    kind = str(rng.choice(["AREA", "POINT", "SUN"], p=[0.5, 0.3, 0.2]))
    for _ in range(int(rng.integers(1, 4))):
        high, a = math.radians(rng.uniform(30, 88)), rng.uniform(0, 2 * np.pi)
        far = rng.uniform(900, 2600)
        at = far * np.array([math.cos(high) * math.cos(a), math.cos(high) * math.sin(a), math.sin(high)])
        warm = np.array([1.0, rng.uniform(0.8, 1.0), rng.uniform(0.6, 1.0)], np.float32)
        power = float(rng.uniform(0.3, 1.6))
        if kind == "SUN":
            world.lamp(kind, at, 2.5 * power, math.radians(rng.uniform(0.5, 12)), warm)
        else:
            size = rng.uniform(200, 1500) if kind == "AREA" else rng.uniform(10, 120)
            world.lamp(kind, at, 30.0 * power * (far * world.UNIT) ** 2 / 4, float(size), warm)


def build(
    rng: np.random.Generator,
    board: Board,
    discs: list[Disc],
    sides: list[Colour],
    *,
    by_hand: bool = False,
    flats: bool = False,
) -> tuple[list[Place], list[Place]]:
    """Set up board and table; return where something is printed, and where that is as large as a disc.

    ``by_hand``: its lines wander; ``flats``: it may bear dots and rings of a disc's size.
    """
    surface = paint(rng)
    look = Look(surface, unlike(rng, surface, 0.9), board.lines)
    picture, spots = paint_board(rng, look, sides, by_hand=by_hand)
    large: list[Place] = []
    if flats and rng.random() < FLAT_SHARE:
        taken = [(float(d.centre[0]), float(d.centre[1])) for d in discs]
        large = flat_discs(rng, picture, look, sides, board.radius, taken)
    gloss = rng.uniform(0.15, 0.7), rng.choice([0.0, rng.uniform(0, 1)])
    top = world.material("surface", surface, *gloss)
    world.printed(top, world.picture_of("surface", picture), WHOLE.half_mm)
    ring = world.turned("surface", np.array([[board.hole, 0.0], [board.surface, 0.0]]), 512)
    world.dress(ring, top)
    body = world.material("body", surface * 0.85, 0.6, 0.0)
    edge = world.turned("edge", np.array([[board.surface, 0.0], [board.surface, -30.0]]), 512)
    world.dress(edge, body)
    build_hole(rng, board, surface, sides, body)
    rail = board.surface + rng.uniform(45, 62)
    world.dress(
        world.turned("ditch", np.array([[board.surface - 5, -12.0], [rail, -12.0]]), 256),
        world.material("ditch", paint(rng), 0.8, 0.0),
    )
    world.dress(
        world.turned("rail", np.array([[rail, -12.0], [rail, 18.0], [rail + 22, 18.0], [rail + 22, -30.0]]), 256),
        world.material("rail", paint(rng), 0.4, 0.2),
    )
    table = world.flat_shaded(world.turned("table", np.array([[0.01, -30.0], [4000.0, -30.0]]), 16))
    world.dress(table, world.material("table", paint(rng), 0.7, 0.0))
    if board.post[0]:
        post = world.material("post", paint(rng), 0.4, 0.2)
        first, count = rng.uniform(0, np.pi), int(rng.choice([6, 8, 8, 8]))
        r = sum(board.lines[0]) / 2
        for q in range(count):
            a = first + q * 2 * np.pi / count
            at = np.array([r * math.cos(a), r * math.sin(a), 0.0])
            if all(np.hypot(*(d.centre - at)[:2]) > board.radius + board.post[0] for d in discs):
                thing = world.turned("post", world.disc_profile(*board.post, 0.4, 0.1, 0.0, 0.0), 48)
                world.dress(thing, post)
                world.place(thing, at)
    return spots, large


def build_hole(
    rng: np.random.Generator, board: Board, surface: Colour, sides: list[Colour], body: world.Material
) -> None:
    """The hole's wall, its edge, often worn or painted, and its floor: wood, paint or felt of any colour, or dark."""
    sill = rng.uniform(0.15, 1.2) if rng.random() < 0.6 else 0.02
    wall = world.turned("wall", np.array([[board.hole, -board.depth], [board.hole, -sill]]))
    rim = world.turned("rim", np.array([[board.hole, -sill], [board.hole + sill, 0.002]]))
    raw = np.array([0.75, 0.6, 0.42], np.float32) * np.float32(rng.uniform(0.5, 1.2))
    worn = raw if rng.random() < 0.6 else paint(rng)
    world.dress(wall, body)
    world.dress(rim, world.material("rim", worn, 0.7, 0.0) if rng.random() < 0.5 else body)
    floor = world.flat_shaded(world.turned("floor", np.array([[0.01, -board.depth], [board.hole, -board.depth]])))
    kind = rng.random()
    if kind < 0.3:
        tone = surface * np.float32(0.8)
    elif kind < 0.6:
        tone = sides[int(rng.integers(len(sides)))]
    else:
        tone = paint(rng) if kind < 0.88 else np.full(3, rng.uniform(0.004, 0.02), np.float32)
    under = world.material("floor", tone, rng.uniform(0.3, 0.95), 0.0)
    strength, seed = rng.uniform(0.02, 0.3), float(rng.uniform(0, 50))
    world.grained(under, tone, strength, seed, world.FELT if rng.random() < 0.4 else world.FIBRES)
    world.dress(floor, under)


def put_discs(
    rng: np.random.Generator, board: Board, discs: list[Disc], sides: list[Colour], *, worn: float = 0.0
) -> list[world.Thing]:
    """Make the discs' solids; all of one shape and lacquer. ``worn``: chance that their walls are bare in parts."""
    top = min(math.exp(rng.uniform(math.log(0.25), math.log(2.5))), 0.4 * board.height)
    bottom = min(top * math.exp(rng.normal(0, 0.3)), 0.4 * board.height)
    dish = rng.choice([0.0, rng.uniform(-0.4, 0.8)])
    profile = world.disc_profile(board.radius, board.height, top, bottom, board.hollow, dish)
    rough, coat, wooden = rng.uniform(0.1, 0.7), rng.choice([0.0, rng.uniform(0, 1)]), rng.random() < 0.6
    bare = [paint(rng) if worn and rng.random() < worn else None for _ in sides]
    things = []
    for d in discs:
        thing = world.turned("disc", profile)
        colour = np.clip(sides[d.side] * math.exp(rng.normal(0, 0.06)), 0.005, 0.9).astype(np.float32)
        made = world.material("disc", colour, rough, float(coat))
        if wooden:
            world.grained(made, colour, rng.uniform(0.03, 0.35), float(rng.uniform(0, 50)))
        under = bare[d.side]
        if under is not None:
            share = float(rng.choice([rng.uniform(0.1, 0.5), 1.0], p=[0.75, 0.25]))
            world.worn(made, under, share, math.exp(rng.uniform(2, 4.5)), float(rng.uniform(0, 50)))
        world.dress(thing, made)
        world.place(thing, d.centre - d.axis * board.height / 2, _turned_to(rng, d.axis))
        things.append(thing)
        if rng.random() < 0.08 and not board.hollow:
            cap = world.turned("cap", world.disc_profile(rng.uniform(0.3, 0.7) * board.radius, 0.06, 0.01, 0.01, 0, 0))
            world.dress(cap, world.material("cap", paint(rng), rough, 0.0))
            world.place(cap, d.centre + d.axis * (board.height / 2 + 0.02), _turned_to(rng, d.axis))
            things.append(cap)
    return things


def _turned_to(rng: np.random.Generator, axis: Array) -> Array:
    """A rotation (3, 3) whose third column is ``axis``, turned about it by chance."""
    a = rng.uniform(0, 2 * np.pi)
    side = np.array([math.cos(a), math.sin(a), 0.0])
    side -= axis * (side @ axis)
    side /= np.linalg.norm(side)
    return np.column_stack([side, np.cross(axis, side), axis])


def develop(
    rng: np.random.Generator, windows: list[tuple[Box, Colour]], size: tuple[int, int] = (WIDTH, HEIGHT)
) -> NDArray[np.uint8]:
    """From light to an 8-bit picture: exposure, blur, noise, tone curve, sharpening; an even tone between windows."""
    every = np.concatenate([w.reshape(-1, 3) for _, w in windows])
    gain = rng.uniform(0.45, 1.15) / max(float(np.percentile(every, 97)), 1e-4)
    canvas = np.broadcast_to(np.median(every, axis=0), (size[1], size[0], 3)).astype(np.float32)
    for (left, top, right, bottom), window_ in windows:
        canvas[top:bottom, left:right] = window_
    canvas *= gain * np.exp(rng.normal(0, 0.1, 3)).astype(np.float32)
    if rng.random() < 0.3:
        canvas = cv2.GaussianBlur(canvas, (0, 0), rng.uniform(0.4, 1.1))
    noise = rng.normal(size=canvas.shape).astype(np.float32)
    canvas += noise * np.sqrt(np.maximum(canvas, 0) * 10 ** rng.uniform(-5, -3.3) + 1e-6)
    tone = np.clip(canvas, 0, 1) ** np.float32(1 / rng.uniform(1.8, 2.6))
    if rng.random() < 0.4:
        tone = tone + rng.uniform(0.2, 0.7) * (tone - cv2.GaussianBlur(tone, (0, 0), 1.0))
    return np.clip(np.round(tone * 255), 0, 255).astype(np.uint8)


def truth_of(board: Board, camera: Camera, discs: list[Disc], spots: list[Array], boxes: list[Box]) -> dict:
    """The truth in the scenes' own form."""
    names = ("15/10", "10/5", "shooting")
    lines = [
        {"name": n, "nominal_radius": (low + high) / 2, "inner_edge": low, "outer_edge": high}
        for n, (low, high) in zip(names, board.lines, strict=True)
    ]
    return {
        "width": WIDTH, "height": HEIGHT, "K": camera.K.tolist(), "dist": camera.dist.tolist(),
        "rvec": camera.rvec.tolist(), "tvec": camera.tvec.tolist(),
        "board": {"surface_radius": board.surface, "lines": lines, "hole": {"diameter": 2 * board.hole}},
        "disc": {"diameter": 2 * board.radius, "thickness": board.height},
        "discs": [
            {
                "centre_mm": d.centre.tolist(), "tilt_deg": math.degrees(math.acos(min(1.0, float(d.axis[2])))),
                "diameter": 2 * board.radius, "thickness": board.height, "state": d.state, "in_frame": True,
            }
            for d in discs
        ],
        "spots": [list(map(float, s)) for s in spots], "windows": [list(b) for b in boxes],
    }  # fmt: skip


def save(folder: Path, name: str, picture: NDArray[np.uint8], quality: int, truth: dict) -> None:
    """Write a picture and its truth."""
    cv2.imwrite(str(folder / f"{name}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    (folder / f"{name}.json").write_text(json.dumps(truth))


def take(rng: np.random.Generator, board: Board, camera: Camera, discs: list[Disc]) -> tuple[list[Disc], list[Box]]:
    """Set up lamps and camera; return the discs that are whole in the picture, and their windows."""
    light(rng)
    focus = float(np.linalg.norm(camera.centre))
    world.look_through(camera, rng.uniform(0.6, 4.0) if rng.random() < 0.25 else None, focus * rng.uniform(0.9, 1.1))
    found = [(d, window(camera, d.centre[:2], board.radius + AROUND_MM, 0.0, board.height)) for d in discs]
    return [d for d, box in found if box], [box for _, box in found if box]


def make_scene(seed: int, folder: Path, scratch: Path) -> None:
    """Trace one scene and write ``FOLDER/tSEED.jpg`` and ``.json``, and the hole's other takes as ``hSEED-K``."""
    rng = np.random.default_rng([31, seed])
    board, camera = make_board(rng), make_camera(rng)
    sides = [paint(rng)]
    sides.append(unlike(rng, sides[0]))
    world.fresh(SAMPLES, seed)
    central = in_hole(rng, board, int(rng.integers(2)))
    around = on_board(rng, board, [central.centre] if central else [], camera, len(sides))
    discs = ([central] if central else []) + around
    printed, large = build(rng, board, discs, sides, flats=True)
    put_discs(rng, board, around, sides)
    inside = put_discs(rng, board, discs[: len(discs) - len(around)], sides)
    seen, kept = take(rng, board, camera, discs)
    hole = window(camera, np.zeros(2), HOLE_HALF_MM, -board.depth, board.height)
    marks = [np.array(at) for at in printed[: 4 * PRINTS : 4] + printed[-2:]][:PRINTS] + bare_places(rng, board, discs)
    marks += [np.array(at) for at in large]
    tried = [(at, window(camera, at, PRINT_HALF_MM, 0.0, board.height)) for at in marks]
    spots = [at for at, box in tried if box]
    boxes = joined(kept + [box for _, box in tried if box] + ([hole] if hole else []))
    quality = int(rng.integers(80, 98))
    picture = develop(rng, [(b, world.trace(b, scratch / "window.exr")) for b in boxes])
    save(folder, f"t{seed:05d}", picture, quality, truth_of(board, camera, seen, spots, boxes))
    for number in range(1, HOLE_TAKES if hole else 0):
        picture, now, inside = retaken(rng, board, sides, around, inside, hole, scratch)
        save(folder, f"h{seed:05d}-{number}", picture, quality, truth_of(board, camera, now, [], [hole]))


def retaken(
    rng: np.random.Generator,
    board: Board,
    sides: list[Colour],
    around: list[Disc],
    inside: list[world.Thing],
    hole: Box,
    scratch: Path,
) -> tuple[NDArray[np.uint8], list[Disc], list[world.Thing]]:
    """A picture of the hole with something else in it than ``inside``: that picture, the discs in it, their solids.

    ``around``: the discs that stay.
    """
    world.remove(inside)
    one = in_hole(rng, board, int(rng.integers(2)))
    if one and any(np.hypot(*(one.centre - d.centre)[:2]) < 2 * board.radius for d in around):
        one = None
    now = [one] if one else []
    made = put_discs(rng, board, now, sides)
    return develop(rng, [(hole, world.trace(hole, scratch / "window.exr"))]), now, made


def trace_all(words: str, make: Callable[..., None], first_file: str, count: int, flags: tuple[str, ...] = ()) -> None:
    """The command line of a tracer: ``make`` every seed whose ``first_file`` (a format of it) isn't there yet.

    ``make`` is given the seed, the folder, one for scratch, and whether each of the ``flags`` is set, by name.
    """
    parser = argparse.ArgumentParser(description=words.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--first", type=int, default=0)
    for flag in flags:
        parser.add_argument(f"--{flag}", action="store_true")
    options = parser.parse_args()
    given = {flag: getattr(options, flag) for flag in flags}
    options.out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    with TemporaryDirectory() as scratch:
        for seed in range(options.first, options.first + options.count):
            if not (options.out / first_file.format(seed)).exists():
                make(seed, options.out, Path(scratch), **given)


if __name__ == "__main__":
    trace_all(__doc__ or "", make_scene, "t{:05d}.json", 200)

"""Path-trace small scenes of dice or dodecas with exact truth, for the networks that find and read them.

    python -m training.trace_dice --out FOLDER --count 500 [--first 0]             # dice
    python -m training.trace_dice --out FOLDER --count 500 --dodecas

Needs ``bpy`` (Blender as a Python module). Pictures and truth have the form of the scenes under ``$REFEREE_DATA``, and
what the truth calls ``visible_fraction`` is the share of the top face in view. Seeded: a scene is always the same.
"""

import math
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from training import traced_world as world
from training.dice_data import top_axis
from training.dice_heaps import heap
from training.dice_render import Die
from training.dice_tables import lights, on_bytes, table, things
from training.trace_boards import Box, develop, light, save, trace_all
from training.traced_dice import GLOSS, MM, in_view, solid
from training.traced_paint import paint

Array = NDArray[np.float64]

WIDTH, HEIGHT = 480, 360
SAMPLES = 5
"""Rays a pixel; the denoiser does the rest."""
EDGES = {False: (20.0, 54.0), True: (21.0, 46.0)}
"""Pixels an edge of dice, and of dodecas across flats."""
TILT_MOST = 57.0
SHEET, SHEET_EDGES = 900, 26.0
"""Pixels of the table's picture, and how many edges it spans before it repeats."""
LOOK = {False: 0.7, True: 0.42}
"""How far from its middle a top face is looked at, in half edges."""
AROUND = 0.9
"""What is traced reaches so far beyond the dice, in edges."""
SETS, COLOURS = ("steam", "ash", "lava"), ("yellow", "red", "blue")


def make_camera(rng: np.random.Generator, edge: float) -> Camera:
    """A camera that shows an edge at the origin as ``edge`` pixels, half the time steeply tilted, held about level."""
    tilt = math.radians(rng.choice([rng.uniform(0, TILT_MOST), rng.uniform(35, TILT_MOST)]))
    focal = WIDTH * math.exp(rng.uniform(math.log(0.5), math.log(2.5)))
    a, roll = rng.uniform(0, 2 * np.pi), rng.normal(0, 0.08)
    back = np.array([math.sin(tilt) * math.cos(a), math.sin(tilt) * math.sin(a), math.cos(tilt)])
    side = np.array([-math.sin(a), math.cos(a), 0.0])
    x = math.cos(roll) * side + math.sin(roll) * np.cross(-back, side)
    R = np.stack([x, np.cross(-back, x), -back])
    eye = back * (focal * MM / edge) + np.array([*rng.normal(0, 0.6 * MM, 2), 0.0])
    K = np.array([[focal, 0, (WIDTH - 1) / 2], [0, focal, (HEIGHT - 1) / 2], [0, 0, 1.0]])
    return Camera(K, np.zeros(5), cv2.Rodrigues(R)[0].ravel(), -R @ eye, WIDTH, HEIGHT)


def around(camera: Camera, dice: list[Die], edge: float) -> Box:
    """The part of the picture that shows the dice: left, top, right, bottom."""
    px = camera.project(np.array([d.centre for d in dice], np.float64) * MM)
    low = np.clip(px.min(0) - AROUND * edge, 0, (WIDTH - 3 * edge, HEIGHT - 3 * edge)).astype(int)
    high = np.clip(px.max(0) + AROUND * edge, low + 2 * edge, (WIDTH, HEIGHT)).astype(int)
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def lay_table(rng: np.random.Generator) -> None:
    """A table of any kind with flat things on it, and a few that stand about."""
    seen = table(rng, SHEET)
    seen = on_bytes(lambda r, raw: things(r, raw, int(r.choice([0, 0, 1, 3]))), rng, seen)
    linear = np.clip(seen * lights(rng, SHEET) / 255, 0.004, 0.95) ** np.float32(GLOSS)
    shiny = rng.random() < 0.4
    top = world.material("table", np.ones(3, np.float32), rng.uniform(0.15, 0.5) if shiny else 0.85, 0.0)
    half = SHEET_EDGES * MM / 2
    world.printed(top, world.picture_of("table", np.ascontiguousarray(linear[..., ::-1], np.float32)), half)
    board = world.flat_shaded(world.turned("table", np.array([[0.01, 0.0], [6000.0, 0.0]]), 16))
    world.dress(board, top)


def put_things(rng: np.random.Generator, dice: list[Die]) -> None:
    """Boxes, bowls and mugs beside the dice."""
    for _ in range(int(rng.choice([0, 0, 1, 2, 3]))):
        a, wide, high = rng.uniform(0, 2 * np.pi), rng.uniform(0.3, 3.0), rng.uniform(0.1, 3.0)
        at = rng.uniform(4, 9) * np.array([math.cos(a), math.sin(a)])
        if any(np.hypot(*(d.centre[:2] - at)) < wide + 1.3 for d in dice):
            continue
        flare = rng.uniform(0.7, 1.3)
        profile = np.array(
            [
                [flare * wide, 0.0],
                [wide, high],
                [0.9 * wide, high],
                [0.8 * flare * wide, 0.1 * high],
                [0.001, 0.1 * high],
            ]
        )
        thing = world.flat_shaded(world.turned("thing", profile * MM, int(rng.choice([4, 4, 6, 48]))))
        world.dress(thing, world.material("thing", paint(rng), rng.uniform(0.1, 0.8), 0.0))
        world.place(thing, np.array([*at, 0.0]) * MM)


def truth_of(dice: list[Die], made: list[world.Thing], camera: Camera, box: Box, dodecas: bool, name: str) -> dict:
    """The truth of the part ``box`` of a picture in the scenes' own form.

    ``foot_px``: where the middle of the lowest face appears.
    """
    rows = []
    corner, size = np.array(box[:2]), np.array(box[2:]) - box[:2]
    K = camera.K - np.array([[0, 0, box[0]], [0, 0, box[1]], [0, 0, 0.0]])
    for die, thing in zip(dice, made, strict=True):
        k, up = top_axis(die)
        middle, axis, half = die.centre.astype(np.float64) * MM, up.astype(np.float64), die.half * MM
        top = middle + axis * half
        u = np.cross(axis, [1.0, 0, 0] if abs(axis[0]) < 0.8 else [0, 1.0, 0])
        u /= np.linalg.norm(u)
        if not dodecas:  # along the face's own sides
            u = die.R[:, (k // 2 + 1) % 3].astype(np.float64)
        v = np.cross(axis, u)
        g = np.linspace(-1, 1, 7) * LOOK[dodecas] * half
        places = top + (g[:, None, None] * u + g[None, :, None] * v).reshape(-1, 3)
        px = camera.project(places) - corner
        inside = ((px >= 0) & (px < size)).all(axis=1)
        seen = float((inside & in_view(die, thing, camera.centre, places)).mean())
        (top_px, middle_px, foot_px) = (camera.project(np.stack([top, middle, middle - axis * half])) - corner).tolist()
        row = {
            "centre_mm": middle.tolist(), "centre_px": middle_px, "foot_px": foot_px, "visible_fraction": seen,
            "state": "cocked" if die.cocked else "flat",
        }  # fmt: skip
        s, value = die.style, int(die.values[k])
        if dodecas:
            bright = float(s.body.mean())
            row |= {"top_spot_centre_px": top_px, "top_colour": COLOURS[value],
                    "set": SETS[0 if bright > 180 else 1 if bright > 80 else 2]}  # fmt: skip
        else:
            row |= {"top_face_centre_px": top_px, "value": 0 if s.blank or value in s.masks else value}
        rows.append(row)
    return {
        "image": f"{name}.jpg", "width": int(size[0]), "height": int(size[1]), "K": K.tolist(), "dist": [0.0] * 5,
        "rvec": camera.rvec.tolist(), "tvec": camera.tvec.tolist(), "dice": rows,
        ("across_flats_mm" if dodecas else "die_edge_mm"): MM,
    }  # fmt: skip


def make_scene(seed: int, folder: Path, scratch: Path, dodecas: bool) -> None:
    """Trace one scene and write ``FOLDER/dSEED.jpg`` and ``.json``."""
    rng = np.random.default_rng([41, int(dodecas), seed])
    low, high = EDGES[dodecas]
    edge = math.exp(rng.uniform(math.log(low), math.log(high)))
    camera = make_camera(rng, edge)
    every = heap(rng, dodecas)
    px = camera.project(np.array([d.centre for d in every], np.float64) * MM)
    dice = [d for d, inside in zip(every, ((px > 0) & (px < (WIDTH, HEIGHT))).all(axis=1), strict=True) if inside]
    if not dice:
        return
    world.fresh(SAMPLES, seed)
    lay_table(rng)
    made = [solid(rng, die) for die in dice]
    put_things(rng, dice)
    light(rng)
    focus = float(np.linalg.norm(camera.centre))
    world.look_through(camera, rng.uniform(0.5, 3.0) if rng.random() < 0.3 else None, focus * rng.uniform(0.93, 1.05))
    box = around(camera, dice, edge)
    shot = world.trace(box, scratch / "window.exr")
    name, whole = f"d{seed:05d}", (0, 0, box[2] - box[0], box[3] - box[1])
    picture = develop(rng, [(whole, shot)], whole[2:])
    save(folder, name, picture, int(rng.integers(70, 98)), truth_of(dice, made, camera, box, dodecas, name))


if __name__ == "__main__":
    trace_all(__doc__ or "", make_scene, "d{:05d}.json", 500, ("dodecas",))

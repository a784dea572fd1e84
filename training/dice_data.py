"""Drawn pictures of dice and dodecas with their truth, from a seed; and the path-traced scenes in the same form.

A picture is (n, n, 3) uint8 BGR; its truth a float32 table (pieces, 9), see :data:`COLUMNS`.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from training.dice_bodies import dodeca_look, random_die, random_dodeca, random_style, rotation, tip
from training.dice_cards import spread
from training.dice_render import Array, Camera, Die, Lamp, Style, draw_die, shadow
from training.dice_tables import lights, noise, on_bytes, spoil, table, things
from training.dice_trays import ground, hard_light, small_copy

COLUMNS = ("x", "y", "edge", "value", "cocked", "seen", "set", "down_x", "down_y")
"""Top face's centre, pixels an edge (dodeca: inner diameter), its value (dice 1-6, 0 none; dodeca 0-2 yellow, red,
blue), whether it leans, share of the top face in view, set (dodeca), and the foot's offset from the top in edges."""

SIZE = 352
"""Pixels across a drawn picture."""


CARDS = 0.12
"""Share of pictures with playing cards; on most of these lie no dice."""


def random_camera(rng: np.random.Generator, n: int, edge: float) -> Camera:
    """A camera that sees an edge of 1 at the origin as ``edge`` pixels; tilt 0 to 56 degrees."""
    tilt = np.radians(rng.choice([rng.uniform(0, 56), rng.uniform(0, 25)]))
    roll = np.radians(rng.normal(0, 6) if tilt > np.radians(20) or rng.random() < 0.5 else rng.uniform(-180, 180))
    focal = n * float(np.exp(rng.uniform(np.log(0.75), np.log(3.5))))
    far = focal / edge
    back = np.array([0, -np.sin(tilt), np.cos(tilt)])
    right = np.array([1.0, 0, 0])
    down = -np.cross(back, right)
    R = np.stack([right, down, -back])
    c, s = np.cos(roll), np.sin(roll)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ R
    centre = (n / 2 + rng.uniform(-0.3, 0.3) * n, n / 2 + rng.uniform(-0.3, 0.3) * n)
    return Camera(R.astype(np.float32), (back * far).astype(np.float32), focal, centre)


def random_lamp(rng: np.random.Generator) -> Lamp:
    """One lamp and a sky."""
    high, a = np.radians(rng.uniform(28, 85)), rng.uniform(0, 2 * np.pi)
    way = np.array([np.cos(high) * np.cos(a), np.cos(high) * np.sin(a), np.sin(high)], np.float32)
    key = float(rng.uniform(0.1, 0.75))
    tint = np.exp(rng.normal(0, 0.06, 3)).astype(np.float32)
    sky = float(np.clip(1.02 - key + rng.normal(0, 0.1), 0.25, 1.2))
    dark = float(rng.uniform(0.1, 0.75)) * key / 0.75
    soft = float(rng.choice([rng.uniform(0.02, 0.15), rng.uniform(0.1, 0.6)]))
    lamp = Lamp(way, key, sky, dark, soft, tint)
    if rng.random() < 0.3:
        high, a = np.radians(rng.uniform(15, 80)), rng.uniform(0, np.pi)  # beyond the table, where tops mirror it
        pane = np.array([np.cos(high) * np.cos(a), np.cos(high) * np.sin(a), np.sin(high)], np.float32)
        lamp = replace(lamp, pane=pane, glare=float(rng.uniform(0.1, 0.75)))
    return lamp


def _apart(a: Die, b: Die) -> bool:
    """Whether the footprints of two cubes are clear of each other."""
    boxes = []
    for d in (a, b):
        yaw = float(np.degrees(np.arctan2(d.R[1, 0], d.R[0, 0])))
        boxes.append(((float(d.centre[0]), float(d.centre[1])), (2 * d.half * 1.01, 2 * d.half * 1.01), yaw))
    return bool(cv2.rotatedRectangleIntersection(boxes[0], boxes[1])[0] == cv2.INTERSECT_NONE)


def _ground(camera: Camera, xy: Array) -> Array:
    """Where pixels (N, 2) meet the table, (N, 2)."""
    d = camera.rays(xy)
    return np.asarray((camera.eye - d * (camera.eye[2] / np.minimum(d[:, 2:], -0.05)))[:, :2], np.float32)


def place_dice(rng: np.random.Generator, camera: Camera, n: int) -> list[Die]:
    """Dice on the table: scattered, touching, in rows, of one or several kinds and sizes."""
    kinds = [random_style(rng) for _ in range(int(rng.choice([1, 1, 2, 4])))]
    mixed = rng.random() < 0.2
    want = int(rng.choice([1, 2, 3, 5, 6, 8, 11]))
    close = rng.random() < 0.6
    dice: list[Die] = []
    for _ in range(want):
        style = kinds[int(rng.integers(len(kinds)))]
        half = 0.5 * (float(rng.choice([1.0, 0.75, 0.6])) if mixed else 1.0)
        for _ in range(8):
            yaw = float(rng.uniform(0, 2 * np.pi))
            if dice and close and rng.random() < 0.75:
                by = dice[int(rng.integers(len(dice)))]
                if rng.random() < 0.45:  # side by side in a row
                    yaw = float(np.arctan2(by.R[1, 0], by.R[0, 0]))
                    side = by.R[:2, int(rng.integers(2))] * rng.choice([-1, 1])
                    xy = by.centre[:2] + side * (by.half + half) * 1.02 + rng.normal(0, 0.05, 2)
                else:
                    a = rng.uniform(0, 2 * np.pi)
                    xy = by.centre[:2] + (by.half + half) * rng.uniform(1.02, 1.5) * np.array([np.cos(a), np.sin(a)])
            else:
                xy = _ground(camera, rng.uniform(-0.03, 1.03, (1, 2)).astype(np.float32) * n)[0]
            die = random_die(rng, style, np.asarray(xy, np.float32), yaw, half)
            if 0.4 < camera.scale(die.centre) / camera.scale(np.zeros(3, np.float32)) < 2.2 and all(
                _apart(die, o) for o in dice
            ):
                dice.append(die)
                break
    if rng.random() < 0.3:
        for die in dice:
            if rng.random() < 0.4:
                near = min(
                    (o for o in dice if o is not die),
                    key=lambda o: float(np.hypot(*(o.centre - die.centre)[:2])),
                    default=None,
                )
                tip(rng, die, None if near is None else near.centre[:2])
    if rng.random() < 0.06:
        for die in dice:
            die.moving = float(rng.uniform(0.5, 1.4)) if rng.random() < 0.6 else 0.0
    return dice


def place_dodecas(rng: np.random.Generator, camera: Camera, n: int) -> list[Die]:
    """Dodecas on the table, mostly nine."""
    bodies, spots, like = dodeca_look(rng)
    kinds = list(rng.permutation([0, 0, 0, 1, 1, 1, 2, 2, 2]))[: int(rng.choice([9, 9, 9, 6, 3]))]
    dice: list[Die] = []
    for kind in kinds:
        for _ in range(10):
            if dice and rng.random() < 0.6:
                by, a = dice[int(rng.integers(len(dice)))], rng.uniform(0, 2 * np.pi)
                xy = by.centre[:2] + rng.uniform(1.1, 1.5) * np.array([np.cos(a), np.sin(a)])
            else:
                xy = _ground(camera, rng.uniform(0, 1, (1, 2)).astype(np.float32) * n)[0]
            if all(np.hypot(*(o.centre[:2] - xy)) > 1.09 for o in dice):
                dice.append(random_dodeca(rng, int(kind), bodies, spots, np.asarray(xy, np.float32), 0.5, like))
                break
    return dice


def top_axis(die: Die) -> tuple[int, Array]:
    """Index of the uppermost face and its outward normal (3,) in the world."""
    if die.spots is not None:
        return 0, np.asarray(die.R[:, 2], np.float32)
    up = np.stack([die.R.T, -die.R.T], axis=1).reshape(6, 3)
    k = int(up[:, 2].argmax())
    return k, up[k]


def draw(
    rng: np.random.Generator, dodecas: bool, n: int = SIZE, photos: bool = False
) -> tuple[NDArray[np.uint8], Array]:
    """One picture and its truth; ``photos``: also on photographed ground, which needs scikit-image."""
    edge = float(np.exp(rng.uniform(np.log(24), np.log(150 if not dodecas else 90))))
    camera, lamp = random_camera(rng, n, edge), random_lamp(rng)
    image = table(rng, n, photos) if dodecas else ground(rng, n, photos)
    image = on_bytes(lambda r, raw: things(r, raw, int(r.choice([0, 0, 1, 3, 7]))), rng, image)
    cards = rng.random() < CARDS
    if cards:
        image = on_bytes(spread, rng, image)
    image *= lights(rng, n)
    if dodecas:
        dice = place_dodecas(rng, camera, n)
    else:
        dice = [] if rng.random() < (0.6 if cards else 0.06) else place_dice(rng, camera, n)
    shadow(image, dice, camera, lamp)
    dice.sort(key=lambda d: -float(np.linalg.norm(d.centre - camera.eye)))
    rough = noise(rng, 64, 0.7)
    owner = np.zeros((n, n), np.int16)
    for i, die in enumerate(dice):
        around = [o for o in dice if o is not die and np.hypot(*(o.centre - die.centre)[:2]) < 3]
        owner[draw_die(image, die, camera, lamp, around, rough)] = i + 1
    rows = []
    for i, die in enumerate(dice):
        k, up = top_axis(die)
        top = die.centre + up * die.half
        x, y = camera.project(np.asarray(top, np.float32))[0]
        scale = camera.scale(np.asarray(top, np.float32)) * 2 * die.half
        square = np.array([[a, b] for a in (-0.7, -0.35, 0, 0.35, 0.7) for b in (-0.7, -0.35, 0, 0.35, 0.7)]) * die.half
        e = die.R[:, [(k // 2 + 1) % 3, (k // 2 + 2) % 3]] if die.spots is None else die.R[:, :2] * 0.6
        q = np.round(camera.project(np.asarray(top + square @ e.T, np.float32))).astype(int)
        inside = ((q >= 0) & (q < n)).all(axis=1)
        qc = np.clip(q, 0, n - 1)
        seen = float((inside & (owner[qc[:, 1], qc[:, 0]] == i + 1)).mean())
        foot = camera.project(np.asarray(die.centre - up * die.half, np.float32))[0]
        s = die.style
        value = float(die.values[k])
        if die.spots is None and (s.blank or die.values[k] in s.masks or die.moving > 0.35):
            value = 0.0
        rows.append(
            [
                x,
                y,
                scale,
                value,
                die.cocked,
                seen,
                _set_of(s) if dodecas else -1,
                (foot[0] - x) / scale,
                (foot[1] - y) / scale,
            ]
        )
    if not dodecas:
        image = small_copy(rng, hard_light(rng, image), edge)
    return spoil(rng, image, dodecas), np.array(rows, np.float32).reshape(-1, len(COLUMNS))


def _set_of(style: Style) -> int:
    bright = float(style.body.mean())
    return 0 if bright > 180 else 1 if bright > 80 else 2


def scenes(folder: Path, dodecas: bool, first: int = 0) -> Iterator[tuple[NDArray[np.uint8], Array]]:
    """The path-traced pictures from ``first`` on with their truth, at their own size."""
    names = {"yellow": 0, "red": 1, "blue": 2}
    sets = {"steam": 0, "ash": 1, "lava": 2}
    for path in sorted(folder.glob("*[0-9].json"))[first:]:
        truth = json.loads(path.read_text())
        picture = cv2.imread(str(folder / truth["image"]))
        assert picture is not None, truth["image"]
        K = np.array(truth["K"])
        Rc, _ = cv2.Rodrigues(np.array(truth["rvec"]))
        length = truth["across_flats_mm"] if dodecas else truth["die_edge_mm"]
        rows = []
        for d in truth["dice"]:
            z = float((Rc @ np.array(d["centre_mm"]) + np.array(truth["tvec"]))[2])
            edge = K[0, 0] * length / z
            x, y = d["top_spot_centre_px"] if dodecas else d["top_face_centre_px"]
            foot = d["foot_px"] if "foot_px" in d else _foot(truth, d, length)
            value = names[d["top_colour"]] if dodecas else d["value"]
            inside = 0 <= x < picture.shape[1] and 0 <= y < picture.shape[0]
            rows.append([x, y, edge, value, d.get("state") == "cocked", d["visible_fraction"] if inside else 0,
                         sets[d["set"]] if dodecas else -1, (foot[0] - x) / edge, (foot[1] - y) / edge])  # fmt: skip
        yield np.asarray(picture, np.uint8), np.array(rows, np.float32).reshape(-1, len(COLUMNS))


def _foot(truth: dict[str, Any], die: dict[str, Any], length: float) -> Array:
    """Where the middle of the face opposite the top one appears, (2,)."""
    normals = truth["face_normals_local"]
    up = np.array(die["R"]) @ np.array(normals[die["top_face"]] if "top_face" in die else normals[str(die["value"])])
    low = np.array(die["centre_mm"]) - up * length / 2
    K, dist = np.array(truth["K"]), np.array(truth["dist"])
    px, _ = cv2.projectPoints(low.reshape(1, 3), np.array(truth["rvec"]), np.array(truth["tvec"]), K, dist)
    return np.asarray(px.reshape(2), np.float32)


__all__ = ["COLUMNS", "SIZE", "draw", "rotation", "scenes", "top_axis"]

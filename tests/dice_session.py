"""Filmed sessions of Yacht and Krakatoa, drawn frame by frame, with their truth: rests, hands that take dice, rolls."""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.dice_bodies import dodeca_look, random_die, random_dodeca, rotation
from training.dice_data import random_camera, top_axis
from training.dice_render import Array, Camera, Die, Lamp, Style, draw_die, shadow
from training.dice_tables import noise, table
from vision.frames import Frame

SIZE, EDGE, FPS = 448, 46.0, 10
LAMP = Lamp(np.array([0.35, 0.3, 0.887], np.float32), 0.6, 0.45, 0.5, 0.15, np.ones(3, np.float32))
WHITE, BLACK = np.array([226, 230, 232], np.float32), np.array([30, 28, 26], np.float32)
LETTERS = "YRB"
SETS = ("steam", "ash", "lava")


@dataclass(frozen=True)
class Happened:
    """One roll or throw: the values or set colours on the table once it has come to rest, what was kept or thrown."""

    shown: tuple[str, ...]
    left: tuple[str, ...]


class Film:
    """A fixed camera over one table."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.camera: Camera = random_camera(np.random.default_rng(11), SIZE, EDGE)
        self.table: Array = table(np.random.default_rng(5), SIZE)
        self.grain: Array = noise(rng, 64, 0.6)
        self.frame = 0

    def shot(self, dice: list[Die]) -> Frame:
        """The next frame with these dice on the table."""
        image = self.table.copy()
        shadow(image, dice, self.camera, LAMP)
        for die in sorted(dice, key=lambda d: -float(np.linalg.norm(d.centre - self.camera.eye))):
            draw_die(image, die, self.camera, LAMP, [], self.grain)
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.6), np.float32)
        image += 2.5 * self.rng.standard_normal(image.shape, np.float32)
        pixels: NDArray[np.uint8] = np.clip(image, 0, 255).astype(np.uint8)
        now = self.frame / FPS
        self.frame += 1
        return Frame(pixels, "film", "", SIZE, SIZE, timestamp=now)

    def places(self, count: int, taken: list[Array]) -> list[Array]:
        """Free places on the table, each clear of the others."""
        found: list[Array] = []
        while len(found) < count:
            at = self.rng.uniform(0.15, 0.85, 2) * SIZE
            ray = self.camera.rays(at[None].astype(np.float32))[0]
            xy = (self.camera.eye - ray * (self.camera.eye[2] / ray[2]))[:2]
            if all(np.hypot(*(xy - other)) > 1.6 for other in [*taken, *found]):
                found.append(np.asarray(xy, np.float32))
        return found

    def tumbling(self, dice: list[Die]) -> list[Die]:
        """The same dice on their way: elsewhere, turned, smeared."""
        moving = []
        for die, xy in zip(dice, self.places(len(dice), []), strict=True):
            R = rotation(self.rng.normal(size=3).astype(np.float32), float(self.rng.uniform(0, 3))) @ die.R
            centre = np.array([*xy, die.half * 1.5], np.float32)
            moving.append(Die(np.asarray(R, np.float32), centre, die.half, die.style, die.values, die.turns, die.spots,
                              moving=float(self.rng.uniform(0.4, 0.9))))  # fmt: skip
        return moving


def yacht(seed: int, turns: int) -> Iterator[tuple[Frame, Happened | None, bool]]:
    """Frames of whole turns of three rolls; with a roll's last frame what it was, and whether a turn ended there."""
    rng = np.random.default_rng(seed)
    film = Film(rng)
    style = Style(WHITE, BLACK, BLACK, BLACK, bevel=0.16)
    for _ in range(turns):
        kept: list[Die] = []
        for roll in range(3):
            spots = film.places(5 - len(kept), [d.centre[:2] for d in kept])
            thrown = [random_die(rng, style, xy, float(rng.uniform(0, 6.28)), 0.5) for xy in spots]
            for _ in range(3):
                yield film.shot(kept + film.tumbling(thrown)), None, False
            dice = kept + thrown
            for k in range(5):
                last = k == 4
                happened = Happened(_values(dice), _values(kept)) if last else None
                yield film.shot(dice), happened, last and roll == 2
            kept = [d for d in dice if rng.random() < 0.4][:4] if roll < 2 else []
            for _ in range(4):
                yield film.shot(kept), None, False


def krakatoa(seed: int, throws: int) -> Iterator[tuple[Frame, Happened | None]]:
    """Frames of a throw-off of two players and of the first throws of round 1, one set at a time after the first."""
    rng = np.random.default_rng(seed)
    film = Film(rng)
    bodies, spots, like = dodeca_look(np.random.default_rng(3))
    like.gloss = 0.1
    table_: dict[str, list[Die]] = {name: [] for name in SETS}
    order = [("steam",), ("steam",), SETS, ("ash",), ("steam",), ("ash",), ("lava",)][: 2 + throws]
    for number, names in enumerate(order):
        if number == 2:
            table_ = {name: [] for name in SETS}
        for name in names:
            table_[name] = []
        for _ in range(4):
            yield film.shot(_all(table_)), None
        left = [d.centre[:2] for d in _all(table_)]
        places = film.places(3 * len(names), left)
        for k, name in enumerate(names):
            kind = SETS.index(name)
            table_[name] = [random_dodeca(rng, kind, bodies, spots, xy, 0.5, like) for xy in places[3 * k : 3 * k + 3]]
        for k in range(5):
            shown = tuple("".join(LETTERS[d.values[0]] for d in table_[name]) for name in SETS)
            yield film.shot(_all(table_)), Happened(shown, names) if k == 4 else None


def _all(lying: dict[str, list[Die]]) -> list[Die]:
    return [d for dice in lying.values() for d in dice]


def _values(dice: list[Die]) -> tuple[str, ...]:
    return tuple(sorted(str(d.values[top_axis(d)[0]]) for d in dice))

"""Reading dodecas: on drawn pictures that training never saw, on the path-traced scenes, by the command."""

import json
import math
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from documented import undocumented

from referee.cli import main
from referee.dice_reader import set_value
from training.dice_data import draw, scenes
from training.dice_render import NORMALS
from vision.dodecas import COLOURS, SETS, Look, read_dodecas, sets_of, standing, without_doubles
from vision.frames import frame_of_pixels
from vision.readings import Dodeca, DodecaSet, SpotColour


def counts(pictures: list[tuple[np.ndarray, np.ndarray]], seen: float) -> tuple[int, int, int]:
    """Dodecas read right, those there, and what was read where no top face is."""
    right = total = invented = 0
    for picture, truth in pictures:
        dodecas = read_dodecas(frame_of_pixels(picture, "test"))
        for row in truth[(truth[:, 5] > seen) & (truth[:, 2] > 24)]:
            near = [d for d in dodecas if math.dist(d.px, row[:2]) < 0.3 * row[2]]
            total += 1
            right += any((d.set, d.colour) == (SETS[int(row[6])], COLOURS[int(row[3])]) for d in near)
        invented += sum(all(math.dist(d.px, row[:2]) > 0.3 * row[2] for row in truth) for d in dodecas)
    return right, total, invented


def test_faces_of_the_body() -> None:
    assert NORMALS.shape == (12, 3)
    assert np.allclose(np.linalg.norm(NORMALS, axis=1), 1, atol=1e-6)
    assert np.allclose(NORMALS[0], [0, 0, 1], atol=1e-6)
    cosines = np.sort(NORMALS @ NORMALS.T, axis=1)
    assert np.allclose(cosines[:, -6:-1], 5**-0.5, atol=1e-5)


def test_dodecas_of_drawn_pictures_are_read() -> None:
    right, total, invented = counts([draw(np.random.default_rng(seed), True) for seed in range(12)], 0.95)
    assert total > 30
    assert right >= 0.9 * total and invented <= 0.05 * total, (right, total, invented)


def test_scenes_are_read(shared_file: Callable[[str], Path]) -> None:
    held_out = list(scenes(shared_file("scenes/dodecas"), True))[::4]  # of every second one, which training never saw
    right, total, invented = counts(held_out, 0.4)
    assert right >= 0.98 * total and invented <= 1, (right, total, invented)


def a_look(x: float, y: float, foot: tuple[float, float], across: float = 40.0, chance: float = 0.95) -> Look:
    third = np.full(3, 1 / 3)
    return Look(x, y, across, chance, np.zeros(3), np.zeros(3), third, third, foot)


def test_what_stands_another_way_than_the_others_is_no_top() -> None:
    tops = [a_look(100 * k, 300, (0.0, 0.5)) for k in range(5)]
    side = a_look(220, 320, (0.4, -0.3))
    kept = standing([*tops, side], 600, 400)
    assert [(k.x, k.y) for k in kept] == [(k.x, k.y) for k in tops]
    assert standing([tops[0], side], 600, 400) == [tops[0], side]  # two can't outvote each other


def test_one_dodeca_is_listed_once() -> None:
    top, beside, neighbour = a_look(100, 100, (0, 0)), a_look(100, 120, (0, 0), chance=0.8), a_look(124, 100, (0, 0))
    odd = a_look(300, 100, (0, 0), across=90.0)
    assert without_doubles([beside, top, neighbour, odd]) == [top, neighbour]


def test_company_tells_grey_from_white_where_the_reader_is_in_doubt() -> None:
    chances = sets_of(np.array([210.0, 205, 208, 132, 130, 135, 40, 45, 42]))
    assert chances.argmax(axis=1).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def a_dodeca(name: DodecaSet, colour: SpotColour | None) -> Dodeca:
    return Dodeca(name, colour, (0.0, 0.0), 30.0, 0.9)


def test_value_of_a_set_needs_three_known_colours() -> None:
    two = (a_dodeca("steam", "yellow"), a_dodeca("steam", "yellow"))
    assert set_value("steam", (*two, a_dodeca("steam", "blue"))) == 2
    assert set_value("steam", (*two, a_dodeca("steam", "yellow"))) == 10
    assert set_value("steam", (*two, a_dodeca("steam", None))) is None
    assert set_value("steam", two) is None
    assert set_value("lava", two) is None


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture, _ = draw(np.random.default_rng(3), True)
    path = tmp_path / "dodecas.png"
    cv2.imwrite(str(path), picture)
    assert main(["read", str(path), "--game", "krakatoa", "--json"]) == 0
    reading = json.loads(capsys.readouterr().out)
    assert (reading["schema"], reading["game"]) == ("reading/1", "krakatoa")
    assert set(reading["score"]) == set(SETS)
    assert not undocumented(reading)
    for dodeca in reading["dodecas"]:
        assert {"set", "colour", "px", "confidence"} <= set(dodeca)
    assert main(["read", str(path), "--game", "krakatoa"]) == 0
    assert capsys.readouterr().out

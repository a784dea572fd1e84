"""Reading pipped dice: on drawn pictures that training never saw, on the path-traced scenes, by the command."""

import json
import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from documented import undocumented

from referee.cli import main
from training.dice_data import COLUMNS, draw, scenes
from training.dice_render import LAYOUTS
from vision.dice import SOMEWHERE, TOGETHER, Look, any_dice, colour_word, read_dice, without_doubles
from vision.dice_nets import CROP_PX, FINEST_PIXELS, crop, find, levels, softmax
from vision.dice_rest import DiceWatch, moved
from vision.frames import Frame, frame_of_pixels
from vision.networks import network
from vision.readings import Die


def test_drawn_pictures_repeat_and_know_their_dice() -> None:
    one, truth = draw(np.random.default_rng(5), False)
    two, again = draw(np.random.default_rng(5), False)
    assert np.array_equal(one, two) and np.array_equal(truth, again)
    assert truth.shape[1] == len(COLUMNS)
    assert set(truth[:, 3]) <= set(range(7))
    assert [len(LAYOUTS[v]) for v in range(1, 7)] == [1, 2, 3, 4, 5, 6]


def test_dice_of_drawn_pictures_are_read() -> None:
    right = wrong = total = 0
    for seed in range(24):
        picture, truth = draw(np.random.default_rng(seed), False)
        dice = read_dice(frame_of_pixels(picture, "drawn"))
        for row in truth[(truth[:, 5] > 0.95) & (truth[:, 3] > 0) & (truth[:, 4] == 0) & (truth[:, 2] > 26)]:
            near = [d for d in dice if math.dist(d.px, row[:2]) < 0.3 * row[2]]
            total += 1
            right += any(d.value == row[3] for d in near)
            wrong += any(d.value not in (None, row[3]) for d in near)
    assert total > 30
    assert right >= 0.55 * total and wrong <= 0.1 * total, (right, wrong, total)


def test_a_second_look_sees_more_at_the_same_places() -> None:
    net, once, twice = network("dice_find"), [], []
    for seed in range(16):
        picture, truth = draw(np.random.default_rng(seed), False)
        for chances, again in ((once, False), (twice, True)):
            finds = find(net, picture, again)
            for x, y, edge in truth[(truth[:, 5] > 0.95) & (truth[:, 2] > 26)][:, :3]:
                near = [f.chance for f in finds if math.dist((f.x, f.y), (x, y)) < 0.25 * edge]
                chances.append(max(near, default=0.0))
    assert len(once) > 10
    assert np.mean(twice) > np.mean(once) > 0.5


def test_scenes_are_read(shared_file: Callable[[str], Path]) -> None:
    right = wrong = total = 0
    for picture, truth in list(scenes(shared_file("scenes/dice"), False))[::5]:
        dice = read_dice(frame_of_pixels(picture, "scene"))
        for row in truth[(truth[:, 5] > 0.5) & (truth[:, 4] == 0)]:
            near = [d for d in dice if math.dist(d.px, row[:2]) < 0.35 * row[2]]
            total += 1
            right += any(d.value == row[3] for d in near)
            wrong += any(d.value not in (None, row[3]) for d in near)
    assert right >= 0.8 * total and wrong <= 0.1 * total, (right, wrong, total)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_read_where_nothing_lies(seed: int) -> None:
    rng = np.random.default_rng(seed)
    plain = np.full((480, 640, 3), rng.integers(0, 255, 3), np.uint8)
    noisy = np.clip(plain + rng.normal(0, 12, plain.shape), 0, 255).astype(np.uint8)
    assert read_dice(frame_of_pixels(noisy, "plain")) == ()


def test_tiny_pictures_are_no_trouble() -> None:
    for shape in ((1, 1, 3), (3, 700, 3), (20, 20, 3)):
        assert read_dice(frame_of_pixels(np.zeros(shape, np.uint8), "tiny")) == ()


def test_levels_reach_from_small_dice_to_a_filled_picture() -> None:
    scales = levels(1920, 1080)
    assert 1920 * 1080 * scales[0] ** 2 <= FINEST_PIXELS * 1.001
    assert 25 * scales[0] > 9 and 600 * scales[-1] < 32
    assert all(a / b == pytest.approx(1.8) for a, b in pairwise(scales))
    assert levels(100, 80)[0] == 1.0


@pytest.mark.parametrize("edge", [12.0, 40.0, 300.0])
def test_crop_has_its_place_in_the_middle(edge: float) -> None:
    picture = np.zeros((900, 900, 3), np.uint8)
    cv2.circle(picture, (450, 440), max(2, int(edge / 4)), (255, 255, 255), -1)
    patch = crop(picture, 450, 440, edge)[..., 0].astype(float)
    y, x = np.mgrid[0:CROP_PX, 0:CROP_PX]
    middle = (CROP_PX - 1) / 2
    assert (patch * x).sum() / patch.sum() == pytest.approx(middle, abs=0.3)
    assert (patch * y).sum() / patch.sum() == pytest.approx(middle, abs=0.3)


def test_dice_lie_where_one_find_is_sure_or_many_are_likely() -> None:
    assert any_dice([SOMEWHERE])
    assert any_dice([TOGETHER / 3] * 3)
    assert not any_dice([SOMEWHERE - 0.1, 0.5])
    assert not any_dice([])


def look_at(x: float, edge: float, odds: float) -> Look:
    return Look(x, 100.0, edge, odds, (0.0, 0.1, 0.1, 0.5, 0.1, 0.1, 0.1), 0.0, (0.0, 0.5))


def test_one_die_is_listed_once_and_marks_on_it_never() -> None:
    die, twin, pip, neighbour = (
        look_at(100, 50, 0.99),
        look_at(112, 48, 0.9),
        look_at(120, 14, 0.8),
        look_at(152, 50, 0.9),
    )
    assert without_doubles([twin, pip, neighbour, die]) == [die, neighbour]


@pytest.mark.parametrize(
    ("bgr", "word"),
    [
        ((20, 20, 22), "black"),
        ((235, 240, 240), "white"),
        ((40, 40, 190), "red"),
        ((180, 70, 30), "blue"),
        ((30, 200, 220), "yellow"),
    ],
)
def test_colour_words(bgr: tuple[int, int, int], word: str) -> None:
    assert colour_word(np.array(bgr, float)) == word


def test_exported_weights_are_gone_on_from(tmp_path: Path) -> None:
    torch, model = pytest.importorskip("torch"), pytest.importorskip("training.dice_model")
    torch.manual_seed(1)
    for one, two, side, export in (
        (model.Finder(), model.Finder(), 64, model.export_finder),
        (model.Reader("dice", 9), model.Reader("dice", 12), CROP_PX, model.export_reader),
    ):
        pictures = torch.rand(4, 3, side, side)
        export(one.eval(), tmp_path / "net.onnx")
        model.adopt(two, tmp_path / "net.onnx", pictures)
        told, again = one(pictures), two.eval()(pictures)
        assert torch.allclose(told, again[:, : told.shape[1]], atol=1e-3)
        assert (again[:, told.shape[1] :] == 0).all()


def test_softmax_sums_to_one() -> None:
    assert softmax(np.array([[1.0, 2.0, 900.0]])).sum() == pytest.approx(1)


def a_die(x: float, value: int | None, edge: float = 40.0) -> Die:
    return Die(value, (x, 50.0), edge, "flat", "white", 0.99)


def watched(path: list[tuple[float, tuple[Die, ...]]]) -> list[tuple[float, list[int | None]]]:
    script = dict(path)
    watch = DiceWatch(lambda frame: script[frame.timestamp])
    blank = np.zeros((4, 4, 3), np.uint8)
    rests = [watch.push(Frame(blank, "film", "", 4, 4, timestamp=t)) for t, _ in path]
    return [(r.start_s, [d.value for d in r.dice]) for r in rests if r is not None]


def test_a_rest_is_told_once_and_a_tumbling_die_never() -> None:
    still = [(0.1 * k, (a_die(50, 4),)) for k in range(6)]
    tumbling = [(0.6 + 0.1 * k, (a_die(60 + 30 * k, 1 + k % 6),)) for k in range(5)]
    after = [(1.1 + 0.1 * k, (a_die(250, 2),)) for k in range(6)]
    assert watched([*still, *tumbling, *after]) == [(0.0, [4]), (pytest.approx(1.1), [2])]
    assert watched(tumbling) == []


def test_a_short_disturbance_is_no_new_rest() -> None:
    still = [(0.1 * k, (a_die(50, 4),)) for k in range(6)]
    covered = [(0.6, ())]
    again = [(0.7 + 0.1 * k, (a_die(51, 4),)) for k in range(5)]
    assert watched([*still, *covered, *again]) == [(0.0, [4])]


def test_moved() -> None:
    assert moved([a_die(50, 4)], [a_die(54, 4)]) == pytest.approx(0.1)
    assert moved([a_die(50, 4)], [a_die(50, 5)]) == math.inf
    assert moved([a_die(50, 4)], []) == math.inf


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture, _ = draw(np.random.default_rng(1), False)
    path, overlay = tmp_path / "dice.png", tmp_path / "seen.png"
    cv2.imwrite(str(path), picture)
    assert main(["read", str(path), "--game", "yacht", "--json", "--overlay", str(overlay)]) == 0
    reading = json.loads(capsys.readouterr().out)
    assert (reading["schema"], reading["game"]) == ("reading/1", "yacht")
    assert reading["image"]["width"] == picture.shape[1]
    assert not undocumented(reading)
    for die in reading["dice"]:
        assert {"value", "px", "state", "body", "confidence"} <= set(die)
        assert die["state"] in {"flat", "cocked"} and (die["state"] == "flat" or die["value"] is None)
    assert overlay.exists()
    blank = tmp_path / "blank.png"
    cv2.imwrite(str(blank), np.full((300, 400, 3), 120, np.uint8))
    assert main(["read", str(blank), "--game", "yacht", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["dice"] == []


def test_every_rest_of_a_real_video_is_told_and_nothing_between(shared_file: Callable[[str], Path]) -> None:
    film = cv2.VideoCapture(str(shared_file("photos/dice/dicevision_dice_video_1.mp4")))
    watch, told, number = DiceWatch(read_dice), [], 0
    while True:
        more, pixels = film.read()
        if not more:
            break
        height, width = pixels.shape[:2]
        frame = Frame(np.asarray(pixels, np.uint8), "film", "", width, height, timestamp=number / 30)
        rest = watch.push(frame)
        if rest is not None:
            told.append((number, sorted(d.value or 0 for d in rest.dice)))
        number += 1
    spells = [
        (0, 20, [1, 4]),
        (42, 54, [3, 5]),
        (74, 86, [1, 5]),
        (106, 120, [1, 2]),
        (150, 160, [2, 4]),
        (186, 196, [1, 1]),
    ]
    assert len(told) == len(spells)
    for (at, values), (first, last, shown) in zip(told, spells, strict=True):
        assert first - 4 <= at <= last + 4 and values == shown

"""What lies over the board: seen, named, and never a sure score; bare boards have none."""

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.crokinole_reader import CrokinoleReading, cover_notes, read_crokinole
from referee.crokinole_score import score_position
from vision.frames import load_picture
from vision.readings import Cover, Disc

SAMPLES = Path(__file__).parents[1] / "sample_images"
Picture = NDArray[np.uint8]


def disc(number: int, colour: str, value: int) -> Disc:
    return Disc(number, colour, (0.0, 0.0), (0.0, 0.0), 0.1, "board", 1.0, 1.0, values=((value, 1.0),))


def laid(picture: Picture, shape: NDArray[np.uint8], colour: tuple[int, int, int]) -> Picture:
    """Lay a shape (H, W) of one colour on a picture: rounded at its edge, with a soft shadow."""
    shadow = cv2.GaussianBlur(np.roll(shape, (6, 8), (0, 1)), (0, 0), 8).astype(np.float32) / 255
    out = picture * (1 - 0.35 * shadow)[..., None]
    inside = cv2.distanceTransform((shape > 127).astype(np.uint8), cv2.DIST_L2, 5)
    light = 0.55 + 0.45 * np.sqrt(np.clip(inside / max(float(inside.max()), 1.0), 0, 1))
    grain = np.random.default_rng(4).normal(0, 3, picture.shape)
    solid = np.array(colour, np.float32) * light[..., None] + grain
    return np.asarray(np.clip(np.where(shape[..., None] > 127, solid, out), 0, 255), np.uint8)


def cup(picture: Picture, at: tuple[int, int], unit: float) -> Picture:
    """A white mug with coffee; ``unit``: pixels a mm."""
    rim, inner = (np.zeros(picture.shape[:2], np.uint8) for _ in range(2))
    cv2.circle(rim, at, round(42 * unit), 255, -1)
    cv2.line(rim, at, (at[0] + round(65 * unit), at[1]), 255, round(12 * unit))
    cv2.circle(inner, at, round(36 * unit), 255, -1)
    return laid(laid(picture, rim, (225, 228, 230)), inner, (40, 60, 95))


def phone(picture: Picture, at: tuple[int, int], unit: float) -> Picture:
    """A dark phone with its screen on."""
    body, screen = (np.zeros(picture.shape[:2], np.uint8) for _ in range(2))
    for mask, (long, wide) in ((body, (150, 74)), (screen, (132, 66))):
        corners = cv2.boxPoints(((float(at[0]), float(at[1])), (long * unit, wide * unit), 25.0))
        cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 255)
    return laid(laid(picture, body, (30, 30, 32)), screen, (170, 120, 70))


def hand(picture: Picture, at: tuple[int, int], unit: float) -> Picture:
    """A hand that reaches in from the right, its fingers about the place."""
    skin = (120, 150, 205)
    out = picture
    palm = np.array([at[0] + 70 * unit, at[1] + 10 * unit])

    def part(points: list[tuple[float, float]], width: float) -> NDArray[np.uint8]:
        mask = np.zeros(picture.shape[:2], np.uint8)
        cv2.polylines(mask, [np.round(points).astype(np.int32)], False, 255, max(round(width * unit), 1))
        for x, y in points:
            cv2.circle(mask, (round(x), round(y)), max(round(width * unit / 2), 1), 255, -1)
        return mask

    out = laid(out, part([tuple(palm), (palm[0] + 700 * unit, palm[1] + 120 * unit)], 62), skin)
    out = laid(out, part([tuple(palm), (palm[0] + 20 * unit, palm[1])], 80), skin)
    for k in range(4):
        y = palm[1] + (k - 1.5) * 21 * unit
        out = laid(out, part([(palm[0] - 20 * unit, y), (palm[0] - 85 * unit, y - 4 * unit * k)], 17), skin)
    return out


def read(picture: Picture, folder: Path) -> CrokinoleReading:
    cv2.imwrite(str(folder / "covered.png"), picture)
    return read_crokinole(load_picture(folder / "covered.png"))


@pytest.mark.parametrize("draw", [cup, phone, hand])
@pytest.mark.parametrize("name", ["01_from_above", "02_natural_and_black", "06_octagonal_dark_board", "08_filled_ring"])
def test_covered_discs_leave_no_sure_score(
    name: str, draw: Callable[[Picture, tuple[int, int], float], Picture], tmp_path: Path
) -> None:
    path = SAMPLES / f"{name}.jpg"
    truth = json.loads(path.with_suffix(".truth.json").read_text())
    counting = [d for d in truth["discs"] if d["state"] == "board" and d.get("value")]
    within = [d for d in counting if 100 < np.hypot(*d["mm"]) < 220]  # away from the hole, and from the edge
    beneath = max(within, key=lambda d: d["px"])
    at = round(beneath["px"][0]), round(beneath["px"][1])
    unit = beneath["radius_px"] / 15.9
    reading = read(draw(np.asarray(cv2.imread(str(path)), np.uint8), at, unit), tmp_path)
    assert reading.covers, "nothing is seen to cover the board"
    mm = np.array([c.mm for c in reading.covers])
    place = reading.view.to_mm(np.array([at], float))[0]
    assert np.linalg.norm(mm - place, axis=1).min() < 130
    assert not reading.score.sure
    assert any("something covers the board" in note for note in reading.warnings)
    for colour, points in truth["score"].items():
        if colour in reading.score.ranges:
            low, high = reading.score.ranges[colour]
            assert low <= points <= high, colour


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.jpg")), ids=lambda p: p.stem)
def test_nothing_covers_a_bare_board(path: Path) -> None:
    assert read_crokinole(load_picture(path)).covers == ()


def test_a_cover_leaves_all_sides_open() -> None:
    discs = [disc(1, "black", 10), disc(2, "natural", 15)]
    cover = Cover((120.0, 5.0), ((100.0, 0.0), (140.0, 0.0), (120.0, 40.0)), (15, 10))
    score = score_position(discs, covers=[cover])
    assert not score.sure
    assert score.points == {"black": 10, "natural": 15}
    assert score.ranges == {"black": (10, 35), "natural": (15, 40)}
    assert (score.doubts[0].disc, score.doubts[0].values) == (None, ())
    assert "120, 5 mm may hide up to 2 discs" in score.doubts[0].why


def test_no_more_hidden_discs_than_a_side_has_left() -> None:
    discs = [disc(k, "black", 5) for k in range(1, 12)]
    cover = Cover((120.0, 5.0), ((100.0, 0.0), (140.0, 0.0), (120.0, 40.0)), (10,) * 6)
    assert score_position(discs, covers=[cover]).ranges == {"black": (55, 65)}


def test_places_are_told_as_they_are_seen_in_the_picture() -> None:
    frame = load_picture(SAMPLES / "07_portrait_green_board.jpg")
    view = read_crokinole(frame).view
    centre = view.to_px(np.zeros((1, 2)))[0]
    half = 0.6 * np.abs(view.circle_px(view.board.shooting) - centre).max()
    asked = {(1, 0): "at the right", (0, -1): "at the top", (-1, 1): "at the lower left", (0, 0): "in the middle"}
    for way, words in asked.items():
        place = view.to_mm((centre + half * np.array(way))[None])[0]
        cover = Cover((float(place[0]), float(place[1])), (), (5,))
        assert cover_notes(frame, view, [cover]) == (f"something covers the board {words} (outlined in the overlay)",)

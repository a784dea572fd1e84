"""A place as seen whole: which way the patch is turned, what it shows, and what the network says of shipped samples."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.hints import BoardHints
from referee.crokinole_reader import hints_for, solve_view
from tests.test_discs import RADIUS, oblique_view
from vision.contact_patch import camera_axes, prepare
from vision.disc_whole import BEYOND, HALF_RADII, whole_odds, whole_patches
from vision.frames import load_picture
from vision.square_patch import PATCH

SAMPLES = Path(__file__).parents[1] / "sample_images"
HEIGHT = 9.5
BARE_RADII = 2.5
"""A place so many radii from every disc shows none."""


@pytest.mark.parametrize(("ahead", "left", "row", "column"), [(1, 0, 1, 0), (0, 1, 0, 1), (-1, 0, -1, 0)])
def test_the_camera_is_below(ahead: int, left: int, row: int, column: int) -> None:
    view = oblique_view()
    place = np.array([[90.0, -40.0]])
    axes = camera_axes(view, place)
    at = place + 0.8 * RADIUS * (ahead * axes[0] + left * axes[1])
    image = np.full((720, 1280, 3), 30, np.uint8)
    ring = at + 2.5 * np.array([(np.cos(a), np.sin(a)) for a in np.linspace(0, 2 * np.pi, 40)])
    cv2.fillPoly(image, [np.round(view.to_px(ring, HEIGHT / 2)).astype(np.int32)], (250, 250, 250))
    patches, tangents = whole_patches(image, 1.0, view, place, RADIUS, HEIGHT)
    rows, columns = np.nonzero(patches[0, ..., 0] > 180)
    step = 0.8 * PATCH / (2 * HALF_RADII)
    middle = (PATCH - 1) / 2
    assert rows.mean() - middle == pytest.approx(row * step, abs=1.5)
    assert columns.mean() - middle == pytest.approx(column * step, abs=1.5)
    assert (patches[0, 0, 0] == BEYOND).all()
    assert tangents[0] == pytest.approx(np.hypot(*(view.camera.centre[:2] - place[0])) / view.camera.centre[2])


def test_no_places() -> None:
    view = oblique_view()
    assert len(whole_odds(np.zeros((720, 1280, 3), np.uint8), 1.0, view, np.zeros((0, 2)), RADIUS, HEIGHT)) == 0


@pytest.mark.parametrize("name", sorted(p.name for p in SAMPLES.glob("*.jpg")))
def test_discs_of_the_samples_look_like_discs_and_bare_places_do_not(name: str) -> None:
    truth = json.loads((SAMPLES / name).with_suffix(".truth.json").read_text())
    if truth["game"] != "crokinole":
        pytest.skip("no crokinole board")
    frame = load_picture(SAMPLES / name)
    view = solve_view(frame, hints_for(frame, BoardHints(shooting_mm=None)))
    discs = [d for d in truth["discs"] if d["state"] == "board" and d.get("visible", 1.0) > 0.9]

    def places_of(some: list[dict]) -> np.ndarray:
        return view.to_mm(frame.from_shown(np.array([d["px"] for d in some], dtype=float)), view.board.disc_height)

    places, every = places_of(discs), places_of(truth["discs"])
    rng = np.random.default_rng(5)
    turn, far = rng.uniform(0, 2 * np.pi, 200), rng.uniform(30, 280, 200)
    bare = np.column_stack([far * np.cos(turn), far * np.sin(turn)])
    every = view.to_mm(
        frame.from_shown(np.array([d["px"] for d in truth["discs"]], dtype=float)), view.board.disc_height
    )
    bare = bare[np.linalg.norm(bare[:, None] - every, axis=2).min(axis=1) > BARE_RADII * RADIUS][:40]
    small, factor = prepare(frame.pixels, view, places)
    there = whole_odds(small, factor, view, places, view.board.disc_radius, view.board.disc_height)
    nothing = whole_odds(small, factor, view, bare, view.board.disc_radius, view.board.disc_height)
    assert (there > 0).mean() > 0.8, "one witness of four: it may err, the others outvote it"
    assert (nothing < 0).mean() > 0.9

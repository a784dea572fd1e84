"""The shipped sample pictures: small, with truth, and read without a wrong score that is called sure."""

import json
import math
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from referee.crokinole_json import reading_json
from referee.crokinole_reader import read_crokinole
from vision.frames import load_picture

SAMPLES = Path(__file__).parents[1] / "sample_images"
PICTURES = sorted(SAMPLES.glob("*.jpg"))
MAX_BYTES = 300_000
SURE_LEAST = 3
"""Of eight scores so many are called sure at least: who doubts everything is never wrong."""

Readings = dict[str, tuple[dict[str, Any], dict[str, Any]]]


@pytest.fixture(scope="module")
def readings() -> Readings:
    """Name -> (reading, truth) of every sample."""
    out = {}
    for path in PICTURES:
        truth = json.loads(path.with_name(path.stem + ".truth.json").read_text())
        out[path.stem] = (reading_json(read_crokinole(load_picture(path)), 0.0), truth)
    return out


def test_samples_are_small_and_complete() -> None:
    assert 6 <= len(PICTURES) <= 10
    table = (SAMPLES / "README.md").read_text()
    for path in PICTURES:
        assert path.stat().st_size <= MAX_BYTES
        assert path.stem in table


@pytest.mark.parametrize("name", [p.stem for p in PICTURES])
def test_truth_fits_the_picture(name: str) -> None:
    truth = json.loads((SAMPLES / f"{name}.truth.json").read_text())
    camera = {k: np.array(truth["camera"][k], dtype=float) for k in ("K", "dist", "rvec", "tvec")}
    for disc in truth["discs"]:
        if disc["state"] == "board":
            place = np.array([[*disc["mm"], 9.5]])
            px = cv2.projectPoints(place, camera["rvec"], camera["tvec"], camera["K"], camera["dist"])[0].ravel()
            assert math.dist(px, disc["px"]) < 3.0  # discs of other boards are a little thinner or thicker


@pytest.mark.parametrize("name", [p.stem for p in PICTURES])
def test_board_is_within_three_millimetres(name: str, readings: Readings) -> None:
    reading, truth = readings[name]
    lines = truth["board"]["lines"]
    radius = max(line["nominal_radius"] for line in lines)
    turn = np.arange(720) * np.pi / 360
    camera = {k: np.array(truth["camera"][k], dtype=float) for k in ("K", "dist", "rvec", "tvec")}

    def ring(r: float) -> np.ndarray:
        mm = np.column_stack([r * np.cos(turn), r * np.sin(turn), np.zeros(720)])
        return cv2.projectPoints(mm, camera["rvec"], camera["tvec"], camera["K"], camera["dist"])[0].reshape(-1, 2)

    found = np.array(reading["board"]["circles_px"]["shooting"])
    inner, outer = ring(radius - 3).astype(np.float32), ring(radius + 3).astype(np.float32)
    for x, y in found:
        assert cv2.pointPolygonTest(outer.reshape(-1, 1, 2), (float(x), float(y)), False) > 0
        assert cv2.pointPolygonTest(inner.reshape(-1, 1, 2), (float(x), float(y)), False) < 0


def test_discs_are_found_and_no_wrong_score_is_called_sure(
    readings: Readings,
) -> None:
    found = true = sure = 0
    for name, (reading, truth) in readings.items():
        wanted = [d for d in truth["discs"] if d["state"] != "ditch" and not d.get("unsure")]
        listed = [d for d in reading["discs"] if d["state"] != "ditch"]
        true += len(wanted)
        found += sum(any(math.dist(d["px"], t["px"]) < 0.9 * t["radius_px"] for d in listed) for t in wanted)
        if reading["score_sure"]:
            sure += 1
            assert sorted(v for v in reading["score"].values() if v) == sorted(
                v for v in truth["score"].values() if v
            ), name
    assert found >= 0.95 * true
    assert sure >= SURE_LEAST

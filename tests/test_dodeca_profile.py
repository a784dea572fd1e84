"""The profile of the dodecas: how it is measured, what it refuses, and what it does for a reading."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.errors import TableError, UnusableInputError
from calibration.profiles import DodecaFile, load, save
from referee import dodeca_profile
from referee.cli import main
from referee.dodeca_profile import known_colours, measure
from referee.officials.krakatoa import official_for
from referee.rules.krakatoa import KrakatoaEngine
from referee.settings import Settings
from vision.dodecas import COLOURS, SETS, DodecaColours, Look, body_fit, read_dodecas, spot_fit
from vision.frames import Frame, frame_of_pixels, load_picture
from vision.readings import Dodeca

BODIES = np.array([[220.0, 222, 224], [130, 130, 132], [35, 35, 36]])
SPOTS = np.array([[25.0, 190, 230], [36, 36, 190], [170, 75, 26]])


def nine() -> tuple[list[Look], list[Dodeca]]:
    looks, told = [], []
    for k in range(9):
        s, c = k // 3, k % 3
        place = float(50 + 40 * k), float(30 + 10 * k)
        looks.append(Look(*place, 30.0, 0.95, SPOTS[c], BODIES[s], np.eye(3)[c], np.eye(3)[s], (0.0, 0.3)))
        told.append(Dodeca(SETS[s], COLOURS[c], place, 30.0, 0.97))
    return looks, told


def frame() -> Frame:
    return frame_of_pixels(np.zeros((200, 500, 3), np.uint8), "nine.png")


def shows(monkeypatch: pytest.MonkeyPatch, looks: list[Look], told: list[Dodeca]) -> None:
    monkeypatch.setattr(dodeca_profile, "looks_at", lambda _: list(reversed(looks)))
    monkeypatch.setattr(dodeca_profile, "read_dodecas", lambda _: tuple(told))


def test_profile_of_nine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shows(monkeypatch, *nine())
    sha = "0" * 64
    profile = measure(replace(frame(), sha256=sha), 16.0)
    assert profile.across_mm == 16.0 and profile.steam == (224.0, 222.0, 220.0) and profile.blue == (26.0, 75.0, 170.0)
    path = tmp_path / "dodecas.toml"
    save(path, profile)
    assert load(path, DodecaFile) == profile
    assert np.allclose(known_colours(profile).bodies, BODIES) and np.allclose(known_colours(profile).spots, SPOTS)


@pytest.mark.parametrize("fault", ["eight", "four of one", "no blue", "dark steam"])
def test_what_is_no_good_to_measure_is_refused(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    looks, told = nine()
    if fault == "eight":
        looks = looks[:8]
    elif fault == "four of one":
        told[0] = replace(told[0], set="ash")
    elif fault == "no blue":
        told = [replace(d, colour="red") if d.colour == "blue" else d for d in told]
    else:
        looks = [
            replace(k, body=BODIES[2] / 2) if k.body is BODIES[0] or np.array_equal(k.body, BODIES[0]) else k
            for k in looks
        ]
    shows(monkeypatch, looks, told)
    with pytest.raises(TableError) as error:
        measure(frame(), 18.0)
    assert error.value.code == "no_dodecas"


def test_a_profile_with_lava_brighter_than_ash_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "dodecas.toml"
    colours = "ash = [20, 20, 20]\nlava = [90, 90, 90]\nyellow = [1, 1, 1]\nred = [1, 1, 1]\nblue = [1, 1, 1]\n"
    path.write_text(f'kind = "dodecas"\nsteam = [200, 200, 200]\n{colours}picture_sha256 = "{"a" * 64}"\n')
    with pytest.raises(UnusableInputError) as error:
        load(path, DodecaFile)
    assert error.value.code == "bad_profile" and "brighter" in str(error.value)


def test_a_known_light_tells_grey_from_white() -> None:
    dim = body_fit(BODIES * 0.8, BODIES)
    assert dim.argmax(axis=1).tolist() == [0, 1, 2]
    assert (body_fit(np.full((1, 3), np.nan), BODIES) == 0).all()
    assert spot_fit(SPOTS, SPOTS).argmax(axis=1).tolist() == [0, 1, 2]
    assert (spot_fit(np.full((1, 3), 120.0), SPOTS) == 0).all()  # grey: the profile says nothing


def test_the_official_takes_size_and_colours_from_the_profile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shows(monkeypatch, *nine())
    path = tmp_path / "dodecas.toml"
    save(path, measure(replace(frame(), sha256="0" * 64), 16.0))
    asked: list[object] = []
    monkeypatch.setattr("referee.officials.krakatoa.read_dodecas", lambda _, known: asked.append(known) or ())
    official = official_for(KrakatoaEngine(), None, Settings({"dodecas": str(path)}))
    official.feed(replace(frame(), timestamp=0.0))
    assert isinstance(asked[0], DodecaColours) and np.allclose(asked[0].bodies, BODIES)


def test_command_measures_a_picture_and_reads_it_with_that(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], shared_file: Callable[[str], Path]
) -> None:
    picture, profile = shared_file("scenes/dodecas/k001.jpg"), tmp_path / "dodecas.toml"
    plain = read_dodecas(load_picture(picture))
    assert main(["calibrate", "dice", str(picture), "-o", str(profile)]) == 0
    assert "nine dodecas" in capsys.readouterr().out
    known = read_dodecas(load_picture(picture), known_colours(load(profile, DodecaFile)))
    assert [(d.set, d.colour) for d in known] == [(d.set, d.colour) for d in plain]
    assert main(["read", str(picture), "--game", "krakatoa", "--table", str(profile), "--json"]) == 0

"""The drawn world of dice: marble, discs in the faces, trays, small copies."""

import numpy as np
import pytest

from training.dice_bodies import CLEAR_OF, apart, inlay, marble, random_die, random_style, turned
from training.dice_data import random_camera, random_lamp
from training.dice_render import Array, Style, draw_die
from training.dice_samples import worn
from training.dice_tables import noise
from training.dice_trays import LEAST_EDGE, ground, hard_light, small_copy

SIZE = 96
WHITE, RED = np.full(3, 230, np.float32), np.array((30, 30, 200), np.float32)


def drawn(style: Style, seed: int = 0) -> Array:
    """One die of the style, alone in the middle of a grey picture (SIZE, SIZE, 3)."""
    rng = np.random.default_rng(seed)
    image = np.full((SIZE, SIZE, 3), 90, np.float32)
    die = random_die(rng, style, np.zeros(2, np.float32), 0.3, 0.5)
    draw_die(image, die, random_camera(rng, SIZE, 40), random_lamp(rng), [], noise(rng, 64, 0.7))
    return image


def plain() -> Style:
    """A red die with white pips."""
    return Style(RED, WHITE, WHITE, WHITE)


def test_pips_stand_off() -> None:
    rng = np.random.default_rng(1)
    assert apart(rng, RED, WHITE) is RED
    faint = np.asarray(RED + 10, np.float32)
    assert float(np.abs(apart(rng, faint, RED) - RED).max()) >= CLEAR_OF


@pytest.mark.parametrize("seed", range(5))
def test_discs_and_circles_show(seed: int) -> None:
    rng = np.random.default_rng(seed)
    s = plain()
    inlay(rng, s)
    turned(rng, s)
    assert s.disc_ink is not None
    assert s.groove_ink is not None
    assert 0.55 <= s.disc <= 1
    assert not np.array_equal(drawn(s), drawn(plain()))


def test_marble_shows_its_colours() -> None:
    rng = np.random.default_rng(3)
    s = plain()
    marble(rng, s)
    assert s.swirl is not None
    assert not np.array_equal(drawn(s), drawn(plain()))


def test_styles_come_in_all_kinds() -> None:
    styles = [random_style(np.random.default_rng(k)) for k in range(200)]
    assert any(s.disc > 0 for s in styles)
    assert any(s.veins for s in styles)
    assert any(s.straight for s in styles)
    assert any(s.blank for s in styles)


@pytest.mark.parametrize("seed", range(12))
def test_grounds_and_light_keep_the_size(seed: int) -> None:
    rng = np.random.default_rng(seed)
    image = hard_light(rng, ground(rng, SIZE, photos=False))
    assert image.shape == (SIZE, SIZE, 3)
    assert image.dtype == np.float32
    assert np.isfinite(image).all()


def test_small_copies_spare_small_dice() -> None:
    image = noise(np.random.default_rng(0), SIZE, 0.5)[..., None] * 40 + np.full(3, 128, np.float32)
    for seed in range(40):
        assert small_copy(np.random.default_rng(seed), image, LEAST_EDGE) is image
    changed = [small_copy(np.random.default_rng(seed), image, 4 * LEAST_EDGE) is not image for seed in range(40)]
    assert any(changed)
    assert not all(changed)


def test_crops_wear_and_stay_crops() -> None:
    rng = np.random.default_rng(4)
    crop = np.clip(drawn(plain())[16:80, 16:80], 0, 255).astype(np.uint8)
    each = [worn(rng, crop) for _ in range(40)]
    assert all(one.shape == crop.shape and one.dtype == np.uint8 for one in each)
    assert 8 < sum(np.array_equal(one, crop) for one in each) < 36

"""Profiles across painted lines with known answers: drawn by chance, and cut from rendered scenes.

Drawn ones are left | ink | right in light, blurred by lens and pixel, veiled by gloss, turned into pixel values by some
tone curve, sharpened, their chroma halved, and resampled as ``vision.line_edges`` does. What a camera did is the same
for all profiles of a board, and unknown to the network.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.boards import LINE_NAMES
from training.gap_data import Scene, jittered_view, read_scene, reduced, scaled
from vision.contact_patch import Cylinders, prepare
from vision.line_edges import PROFILE_MM, PROFILE_STEP_MM, look_across
from vision.line_net import GROUPS, LINES, MIDDLE_MAX_MM, PROFILES, Profiles, network_input

Array = NDArray[np.float64]

FINE_MM, LENGTH = 0.1, 256
WIDTHS_MM = (0.6, 4.8)
USUAL_MM, USUAL_LOG, USUAL_SHARE = 1.6, 0.02, 0.25
"""A tournament board's lines are 1/16 in wide; this share of boards has them, the others any width."""
DETAIL_PX_PER_MM = (0.38, 2.3)
TILTED, TILT_LOG = 0.8, 0.4
"""Share of cameras that see some of a line from nearer than the rest, and by up to how much (log of the detail)."""
UNPAINTED = 0.72
"""Share of the zones between lines that are of the board's own colour."""
WORN, WEAR = 0.4, (0.35, 1.0)
"""Share of boards whose ink has thinned, and what is left of it."""
SHARPENED, HALVED = 0.5, 0.75
"""Share of the pictures that were sharpened, and of those with chroma at half the resolution."""
UNSEEN = 0.04
"""Share of lines that can't be seen."""
REDUCED, OTHER_WORLD, WORLD_LOG = 0.6, 0.5, 0.25
"""Share of the looks at a scene from farther away, and of those at a world larger or smaller by up to so much (log)."""
YCC = np.array([[0.114, 0.587, 0.299], [0.5, -0.3313, -0.1687], [-0.0813, -0.4187, 0.5]])
"""BGR to luma and chroma."""


@dataclass(frozen=True)
class Taught:
    """Inputs (N, F, PROFILES, 1) float32 with their answers: ``middle`` (N, PROFILES) in mm, ``log_width`` (N,)."""

    x: NDArray[np.float32]
    middle: NDArray[np.float32]
    log_width: NDArray[np.float32]


def log_uniform(rng: np.random.Generator, low: float, high: float, n: int) -> Array:
    """N numbers, uniform in their logarithm."""
    return np.exp(rng.uniform(math.log(low), math.log(high), n))


def tones(rng: np.random.Generator, n: int) -> Array:
    """Linear colours (N, 3): woods, near black, near white, any."""
    kind = rng.random(n)
    wood = np.array([0.17, 0.38, 0.62]) * np.exp(rng.normal(-0.2, 0.5, (n, 1)) + rng.normal(0, 0.15, (n, 3)))
    dark = np.exp(rng.uniform(-4.6, -3.0, (n, 1)) + rng.normal(0, 0.15, (n, 3)))
    light = rng.uniform(0.5, 0.9, (n, 1)) * np.exp(rng.normal(0, 0.08, (n, 3)))
    other = np.exp(rng.uniform(-4.0, -0.4, (n, 3)))
    pick = np.digitize(kind, [0.4, 0.6, 0.72])[:, None]
    return np.clip(np.choose(pick, [wood, dark, light, other]), 0.005, 0.95)


def filtered(values: Array, response: Array) -> Array:
    """Values (N, X, 3) with a frequency response (N, F) along X, their ends mirrored away from each other."""
    ramp = np.linspace(0, 1, values.shape[1])[None, :, None]
    trend = values[:, :1] * (1 - ramp) + values[:, -1:] * ramp
    spectrum = np.fft.rfft(values - trend, axis=1) * response[..., None]
    return np.asarray(np.fft.irfft(spectrum, values.shape[1], axis=1) + trend)


def painted(rng: np.random.Generator, n: int) -> tuple[Array, Array, Array, Array, Array, Array]:
    """What lies across the lines of N boards.

    Linear colours (N PROFILES, 3) left of, in and right of each line; middles and widths in mm (N PROFILES,); log
    widths of the boards (N,).
    """
    width = np.where(
        rng.random(n) < USUAL_SHARE, USUAL_MM * np.exp(rng.normal(0, USUAL_LOG, n)), log_uniform(rng, *WIDTHS_MM, n)
    )
    middle = rng.uniform(-0.5, 0.5, (n, LINES, 1)) + rng.normal(0, 0.06, (n, LINES, GROUPS))
    zones = tones(rng, n * (LINES + 1)).reshape(n, LINES + 1, 3)
    same = rng.random((n, LINES + 1, 1)) < UNPAINTED
    zones = np.where(same, zones[:, :1], zones)
    left = np.repeat(zones[:, :-1].reshape(-1, 3), GROUPS, axis=0) * np.exp(rng.normal(0, 0.04, (n * PROFILES, 1)))
    right = np.repeat(zones[:, 1:].reshape(-1, 3), GROUPS, axis=0)
    alike = np.abs(np.log(right / left)).max(1, keepdims=True) < 0.15
    right = np.where(alike, left * np.exp(rng.normal(0, 0.02, (n * PROFILES, 1))), right)
    ink, ground = tones(rng, n), zones[:, 0]
    near = np.abs(np.log(ink / ground)).max(1) < 0.5
    ink[near] = np.where(ground[near].mean(1, keepdims=True) > 0.12, 0.02, 0.7)
    dark = rng.random(n) < 0.35
    ink[dark] = np.exp(rng.uniform(-4.6, -3.4, (int(dark.sum()), 1)))
    kept = log_uniform(rng, *WEAR, n) ** 0.5
    thin = np.clip(1 - of_boards(kept)[:, None] * np.exp(rng.normal(0, 0.08, (n * PROFILES, 1))), 0, 0.6)
    thin *= of_boards(rng.random(n) < WORN)[:, None]
    inks = of_boards(ink) + thin * (left - of_boards(ink))
    widths = of_boards(width) * np.exp(rng.normal(0, 0.02, n * PROFILES))
    return left, inks, right, middle.reshape(-1), widths, np.log(width)


def of_boards(values: NDArray) -> NDArray:
    """What boards have (N, ...) for each of their profiles (N PROFILES, ...)."""
    return np.repeat(values, PROFILES, axis=0)


def draw(rng: np.random.Generator, n: int) -> Taught:
    """N boards drawn by chance."""
    m = n * PROFILES
    left, ink, right, middle, width, log_width = painted(rng, n)
    middle = np.clip(middle, -MIDDLE_MAX_MM, MIDDLE_MAX_MM)
    x = (np.arange(LENGTH) - LENGTH / 2) * FINE_MM
    tilt = rng.uniform(0, TILT_LOG, n) * (rng.random(n) < TILTED)
    order = np.tile(np.linspace(-1, 1, GROUPS), LINES)[None] * tilt[:, None] * rng.uniform(0.6, 1.1, (n, PROFILES))
    detail = (
        of_boards(log_uniform(rng, *DETAIL_PX_PER_MM, n)) * np.exp(order + rng.normal(0, 0.03, order.shape)).ravel()
    )

    def step(at: Array) -> Array:
        return np.clip((x[None] - at[:, None]) / FINE_MM + 0.5, 0, 1)[..., None]

    low, high = step(middle - width / 2), step(middle + width / 2)
    light = left[:, None] * (1 - low) + ink[:, None] * (low - high) + right[:, None] * high
    light *= 1 + 0.02 * rng.normal(size=(m, 1, 1)) * x[None, :, None]
    freq = np.fft.rfftfreq(LENGTH, FINE_MM)[None] / detail[:, None]
    lens = np.where(rng.random(n) < 0.8, log_uniform(rng, 0.25, 0.85, n), log_uniform(rng, 0.6, 2.5, n))
    lens = of_boards(lens) * np.exp(rng.normal(0, 0.07, m))
    wander = of_boards(rng.uniform(0, 0.3, n) ** 1.5 / 0.55) * rng.uniform(0.7, 1.2, m) * detail
    soft = np.hypot(lens, wander)[:, None]
    light = filtered(light, np.exp(-2 * (np.pi * freq * soft) ** 2) * np.sinc(freq))
    veil = of_boards(rng.uniform(0, 0.12, n) * (rng.random(n) < 0.6))[:, None, None] * rng.uniform(0.3, 1.5, (m, 1, 1))
    brightest = np.maximum(left, right).reshape(n, -1).max(1)
    gain = of_boards(rng.uniform(0.35, 1.1, n) / brightest) * np.exp(rng.normal(0, 0.12, m))
    balance = of_boards(np.exp(rng.normal(0, 0.1, (n, 1, 3))))
    value = np.clip(np.clip(light, 0, None) * gain[:, None, None] * balance + veil, 0, 1)
    value = value ** (1 / of_boards(rng.uniform(1.8, 2.6, (n, 1, 1))))
    curve = of_boards(rng.uniform(0, 0.9, (n, 1, 1)) * (rng.random((n, 1, 1)) < 0.6))
    value = value + curve * (value * value * (3 - 2 * value) - value)
    sharp = of_boards(rng.uniform(0.1, 1.0, (n, 1)) * (rng.random((n, 1)) < SHARPENED))
    around = np.exp(-2 * (np.pi * freq * of_boards(rng.uniform(0.6, 1.5, (n, 1)))) ** 2)
    value = filtered(value, (1 + sharp * (1 - around)) * np.sinc(freq) ** 2)
    halved = of_boards(rng.random((n, 1)) < HALVED)
    apart = value @ YCC.T
    apart[..., 1:] = filtered(apart[..., 1:], np.where(halved, np.sinc(2 * freq) ** 3, 1.0))
    offset = np.arange(-PROFILE_MM, PROFILE_MM + 1e-9, PROFILE_STEP_MM)
    index = np.rint(offset / FINE_MM).astype(int) + LENGTH // 2
    seen = apart[:, index] @ np.linalg.inv(YCC).T
    grain = rng.normal(size=(m, len(offset), 1))
    noise = rng.normal(size=seen.shape) * 0.3 + grain + 0.15 * np.cumsum(rng.normal(size=grain.shape), axis=1)
    seen = np.clip(seen + noise * of_boards(log_uniform(rng, 0.0007, 0.008, n))[:, None, None], 0, 1) * 255
    shown = rng.random((n, LINES)) >= UNSEEN
    boards = Profiles(seen.reshape(n, PROFILES, len(offset), 3), detail.reshape(n, PROFILES), shown)
    return taught(boards, middle.reshape(n, PROFILES), log_width)


def taught(boards: Profiles, middle: Array, log_width: Array) -> Taught:
    """Boards as the network sees them."""
    return Taught(network_input(boards), middle.astype(np.float32), log_width.astype(np.float32))


def cut(files: list[Path], looks: int) -> Taught:
    """Boards of rendered scenes, looked at by views that are somewhat off; lines too far off count as not seen."""
    colour, detail, seen, middle, width = [], [], [], [], []
    for k, path in enumerate(files):
        scene, truth = read_scene(path), json.loads(path.read_text())
        if scene is None:
            continue
        rng = np.random.default_rng([17, k])
        for _ in range(looks):
            here, factor = scene, 1.0
            if rng.random() < REDUCED:
                here = reduced(here, rng)
            if rng.random() < OTHER_WORLD:
                factor = math.exp(rng.uniform(-WORLD_LOG, WORLD_LOG))
                here = scaled(here, factor)
            across, off = looked_at(here, truth, factor, rng)
            near = (np.abs(off) <= MIDDLE_MAX_MM).reshape(LINES, GROUPS).all(1)
            colour.append(across.colour)
            detail.append(across.detail)
            seen.append(across.seen & near)
            middle.append(off)
            width.append(math.log(np.mean(here.view.board.line_widths)))
    return taught(Profiles(np.array(colour), np.array(detail), np.array(seen)), np.array(middle), np.array(width))


def looked_at(scene: Scene, truth: dict, factor: float, rng: np.random.Generator) -> tuple[Profiles, Array]:
    """One look across a scene's lines, and where their middles truly are (PROFILES,) in mm off the view's radii.

    ``factor``: how many times as large as in ``truth`` the world is.
    """
    view = jittered_view(scene.view, rng)
    flat = [g for g in scene.groups if g.base == 0.0]
    solids = flat[0] if flat else Cylinders(np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    radius = view.board.ten
    places = solids.centres if len(solids) else radius * np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    small, share = prepare(scene.image, view, places)
    seen = look_across(small, share, view, solids)
    lines = {line["name"]: line for line in truth["board"]["lines"]}
    off = np.zeros(PROFILES)
    for k, (name, believed) in enumerate(zip(LINE_NAMES, seen.radii, strict=True)):
        for i in range(k * GROUPS, (k + 1) * GROUPS):
            at = seen.bearings[i]
            if len(at):
                real = factor * drawn_radius(lines[name], at)[:, None] * np.column_stack([np.cos(at), np.sin(at)])
                there = np.hypot(*view.to_mm(scene.view.to_px(real)).T)
                off[i] = np.median(there - believed - seen.shapes[k].at(at)[0])
    return seen.profiles, off


def drawn_radius(line: dict, bearing: Array) -> Array:
    """Radius in mm of a line's middle at bearings (N,) in radians, as its truth has it."""
    radius = np.full(len(bearing), float(line["nominal_radius"]))
    for m, a, p in (line.get("wobble") or {}).get("radius", []):
        radius += a * np.cos(m * bearing + p)
    return radius

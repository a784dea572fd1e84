"""Train the network that reads where a painted line begins and ends from its mean profile.

    python -m training.train_lines --windows WINDOWS [--out vision/weights/lines.onnx]

Needs torch and onnx; a few minutes on one core. Most profiles are drawn by chance, seeded: left | ink | right in light,
blurred by lens and pixel, veiled by gloss, turned into pixel values by some tone curve, sharpened, and resampled as
``vision.line_edges`` does. The rest are cut from path-traced windows (``training.trace_boards``). What a camera did is
unknown to the network, so its sigmas hold what that leaves open.
"""

import argparse
import json
import math
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from training.gap_data import jittered_view, read_scene, window_files
from vision.contact_patch import Cylinders, prepare
from vision.line_edges import GROUPS, PROFILE_MM, PROFILE_STEP_MM, detail_across, profiles_across
from vision.line_net import LOG_SIGMA_MIN, MIDDLE_MAX_MM, MIDDLE_UNIT_MM, OUTPUTS, network_input

Array = NDArray[np.float64]

DRAWN, STEPS, BATCH, RATE = 300, 12_000, 1024, 2e-3
"""Batches drawn before training, and steps over them."""
CUT_SHARE, CUT_LOOKS, LEAST = 0.35, 12, 10
"""Share of cut profiles in each batch, looks at each picture, and the fewest bearings that make a mean profile."""
HIDDEN = 96
WORN = 0.4
"""Share of lines whose ink has thinned."""
NOISE = 0.006
FINE_MM = 0.1
LENGTH = 256
WIDTHS_MM = (0.6, 4.8)
USUAL_MM, USUAL_LOG, USUAL_SHARE = 1.6, 0.05, 0.15
NU = 5.0
"""Degrees of freedom of the loss: a few hopeless profiles must not rule."""


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


def draw(rng: np.random.Generator, n: int) -> tuple[Array, Array, Array]:
    """N profiles (N, S, 3) in 0..255, pixels a millimetre (N,), and truth (N, 2): middle in mm, log width."""
    x = (np.arange(LENGTH) - LENGTH / 2) * FINE_MM
    detail = log_uniform(rng, 0.45, 2.1, n)
    width = np.where(
        rng.random(n) < USUAL_SHARE, USUAL_MM * np.exp(rng.normal(0, USUAL_LOG, n)), log_uniform(rng, *WIDTHS_MM, n)
    )
    middle = rng.uniform(-MIDDLE_MAX_MM, MIDDLE_MAX_MM, n)
    left = tones(rng, n)
    right = np.where(rng.random((n, 1)) < 0.8, left, tones(rng, n))
    ink = tones(rng, n)
    near = np.abs(np.log(ink / left)).max(1) < 0.5
    ink[near] = np.where(left[near].mean(1, keepdims=True) > 0.12, 0.02, 0.7)
    dark = rng.random(n) < 0.35
    ink[dark] = np.exp(rng.uniform(-4.6, -3.4, (int(dark.sum()), 1)))
    ink += (1 - log_uniform(rng, 0.35, 1.0, n) ** 0.5)[:, None] * (left - ink) * (rng.random((n, 1)) < WORN)

    def step(at: Array) -> Array:
        return np.clip((x[None] - at[:, None]) / FINE_MM + 0.5, 0, 1)

    low, high = step(middle - width / 2), step(middle + width / 2)
    light = (left[:, None] * (1 - low)[..., None] + ink[:, None] * (low - high)[..., None]) + right[:, None] * high[
        ..., None
    ]
    light *= 1 + 0.02 * rng.normal(size=(n, 1, 1)) * x[None, :, None]
    freq = np.fft.rfftfreq(LENGTH, FINE_MM)[None] / detail[:, None]
    lens = np.where(rng.random(n) < 0.8, log_uniform(rng, 0.25, 0.8, n), log_uniform(rng, 0.6, 2.5, n))
    blur = np.exp(-2 * (np.pi * freq * lens[:, None]) ** 2) * np.sinc(freq)
    wander = np.exp(-2 * (np.pi * freq * detail[:, None] * rng.uniform(0, 0.25, (n, 1))) ** 2)
    light = filtered(light, blur * wander)
    veil = rng.uniform(0, 0.12, (n, 1, 1)) * (rng.random((n, 1, 1)) < 0.6)
    gain = rng.uniform(0.35, 1.1, (n, 1, 1)) / np.maximum(left, right).max(1)[:, None, None]
    value = np.clip(np.clip(light, 0, None) * gain * np.exp(rng.normal(0, 0.1, (n, 1, 3))) + veil, 0, 1)
    value = value ** (1 / rng.uniform(1.8, 2.6, (n, 1, 1)))
    curve = rng.uniform(0, 0.9, (n, 1, 1)) * (rng.random((n, 1, 1)) < 0.6)
    value = value + curve * (value * value * (3 - 2 * value) - value)
    sharp = rng.uniform(0.1, 0.9, (n, 1)) * (rng.random((n, 1)) < 0.45)
    soft = np.exp(-2 * (np.pi * freq * rng.uniform(0.6, 1.4, (n, 1))) ** 2)
    value = filtered(value, (1 + sharp * (1 - soft)) * np.sinc(freq) ** 2)
    offset = np.arange(-PROFILE_MM, PROFILE_MM + 1e-9, PROFILE_STEP_MM)
    index = np.rint(offset / FINE_MM).astype(int) + LENGTH // 2
    seen = value[:, index]
    noise = rng.normal(size=seen.shape) * 0.3 + rng.normal(size=(n, seen.shape[1], 1))
    seen = seen + noise * log_uniform(rng, 0.0007, 0.008, n)[:, None, None]
    return np.clip(seen, 0, 1) * 255, detail, np.column_stack([middle, np.log(width)])


def filtered(values: Array, response: Array) -> Array:
    """Values (N, X, 3) with a frequency response (N, F) along X, their ends mirrored away from each other."""
    ramp = np.linspace(0, 1, values.shape[1])[None, :, None]
    trend = values[:, :1] * (1 - ramp) + values[:, -1:] * ramp
    spectrum = np.fft.rfft(values - trend, axis=1) * response[..., None]
    return np.asarray(np.fft.irfft(spectrum, values.shape[1], axis=1) + trend)


def answer(net: nn.Module, x: torch.Tensor, truth: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Errors (N, 2) of middle in mm and log width, and the log sigmas (N, 2)."""
    said = net(x)
    off = said[:, :OUTPUTS] * torch.tensor([MIDDLE_UNIT_MM, 1.0]) - truth
    return off, said[:, OUTPUTS:].clamp(LOG_SIGMA_MIN, 2.0)


def cut(files: list[Path], looks: int) -> tuple[Array, Array, Array]:
    """As :func:`draw`, from rendered pictures: each line as seen, by a view that is somewhat off."""
    profiles, details, truths = [], [], []
    for k, path in enumerate(files):
        scene, truth = read_scene(path), json.loads(path.read_text())
        if scene is None or any(line.get("wobble") for line in truth["board"]["lines"]):
            continue
        rng = np.random.default_rng([17, k])
        flat = [g for g in scene.groups if g.base == 0.0]
        solids = flat[0] if flat else Cylinders(np.zeros((0, 2)), np.zeros(0), np.zeros(0))
        for _ in range(looks):
            view = jittered_view(scene.view, rng)
            for low, high in zip(scene.view.board.inner_edges, scene.view.board.outer_edges, strict=True):
                off = rng.uniform(-MIDDLE_MAX_MM, MIDDLE_MAX_MM) * 0.8
                radius = (low + high) / 2 - off
                small, factor = prepare(scene.image, view, radius * np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]]))
                bearing, _, colour, free, px = profiles_across(small, factor, view, solids, radius)
                free = free & shown(truth, px)
                some = np.nonzero(free)[0]
                if len(some) < LEAST:
                    continue
                across = detail_across(view, radius, bearing) * factor
                parts = np.array_split(some[np.argsort(across[some])], max(1, min(GROUPS, len(some) // LEAST)))
                part = parts[int(rng.integers(len(parts)))]
                way = np.column_stack([np.cos(bearing[part]), np.sin(bearing[part])])
                seen = view.to_mm(scene.view.to_px((low + high) / 2 * way))  # where that view has the line's middle
                profiles.append(np.median(colour[part], axis=0))
                details.append(float(np.median(across[part])))
                truths.append((float(np.median(np.hypot(*seen.T))) - radius, math.log(high - low)))
    return np.array(profiles), np.array(details), np.array(truths)


def shown(truth: dict, px: Array) -> NDArray[np.bool_]:
    """Which profiles with pixels (B, S, 2) lie wholly in a rendered window (B,)."""
    if "windows" not in truth:
        return np.ones(len(px), bool)
    inside = [
        ((px >= [left, top]) & (px < [right, bottom])).all(axis=(1, 2)) for left, top, right, bottom in truth["windows"]
    ]
    return np.asarray(np.any(inside, axis=0))


def main() -> None:
    """Train, judge, export."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--windows", type=Path, required=True)
    parser.add_argument("--drawn", type=int, default=DRAWN)
    parser.add_argument("--out", type=Path, default=Path("vision/weights/lines.onnx"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    size = network_input(*draw(rng, 2)[:2]).shape[1]
    net = nn.Sequential(
        nn.Linear(size, 2 * HIDDEN), nn.ReLU(), nn.Linear(2 * HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 2 * OUTPUTS)
    )
    tune = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=1e-4)
    plan = torch.optim.lr_scheduler.OneCycleLR(tune, RATE, total_steps=options.steps, pct_start=0.05)
    parts = [draw(rng, BATCH) for _ in range(options.drawn)]
    x = torch.from_numpy(np.concatenate([network_input(p, d) for p, d, _ in parts]))
    y = torch.from_numpy(np.concatenate([t for _, _, t in parts])).float()
    held = slice(0, 4 * BATCH)
    files = window_files(options.windows)
    profiles, detail, truth = cut(files, CUT_LOOKS)
    print(f"{len(truth)} profiles cut from {len(files)} pictures", flush=True)
    own, own_truth = torch.from_numpy(network_input(profiles, detail)), torch.from_numpy(truth).float()
    count = int(BATCH * CUT_SHARE)
    for step in range(options.steps):
        a, b = torch.randint(4 * BATCH, len(x), (BATCH - count,)), torch.randint(0, len(own), (count,))
        seen = torch.cat([x[a], own[b]]) + NOISE * torch.randn(BATCH, size)
        off, log_sigma = answer(net, seen, torch.cat([y[a], own_truth[b]]))
        z = off * torch.exp(-log_sigma)
        loss = (log_sigma + (NU + 1) / 2 * torch.log1p(z * z / NU)).sum(1).mean()
        tune.zero_grad()
        loss.backward()
        tune.step()
        plan.step()
        if step % 1000 == 999:
            with torch.no_grad():
                off, log_sigma = answer(net.eval(), x[held], y[held])
            e, z = off.abs(), 1.4826 * (off * torch.exp(-log_sigma)).abs().median(0)[0]
            width = (e[:, 1] * torch.exp(y[held, 1])).median()
            print(
                f"{step + 1} held out: middle {e[:, 0].median():.4f} mm, width {width:.4f} mm, spread {z.tolist()}",
                flush=True,
            )
            net.train()
    net.eval()
    torch.onnx.export(
        net, (torch.zeros(1, size),), str(options.out), input_names=["profile"], output_names=["edges"],
        opset_version=13, dynamo=False, dynamic_axes={"profile": {0: "n"}, "edges": {0: "n"}},
    )  # fmt: skip


if __name__ == "__main__":
    main()

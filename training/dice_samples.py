"""What the finder and the reader are shown: windows with maps, crops with labels, from pictures with truth tables."""

import cv2
import numpy as np
from numpy.typing import NDArray

from training.dice_data import Array
from vision.dice_nets import GREY, SIZE_UNIT_PX, STRIDE, crop

WINDOW = 160
"""Side of the finder's training pictures in pixels."""
RANGE = (9.0, 32.0)
"""Edges in pixels that the finder must find; within a factor of MAYBE outside, it may."""
MAYBE = 1.3
SEEN_FIND, SEEN_READ, SEEN_CUT = 0.6, 0.72, 0.5
"""Shares of a top face in view from which it must be found, must be read, and below which it can't be read."""

AIM_SIGMA, SIZE_SIGMA = 0.07, 0.1
"""Errors of a find: of its place in edges either way, of the log of its size."""
WIDE, OFTEN_WIDE = 2.2, 0.3
"""... so many times larger in this share: the finder misjudges the size of dice that it doesn't know."""
OFTEN_SHOWN = 0.8
"""Share of the faces looked at that are chosen among those in view: of hidden ones there is little to learn."""
OFTEN_SMALL = 0.35
"""Share of the side faces shown that are shown as if they were small dice."""
ANY_TURN = 0.2
"""Share of the reader's crops turned by any angle, as phones held over a table are; the others by some 7 degrees."""
CAST = 0.12
"""Standard deviation of the log gain of each channel: lamps, and cameras that balance them wrongly."""

DICE_GROUPS: tuple[int, ...] = (8, 1)
"""Reader's logits for dice: nothing to be told (0), values 1 to 6, no top face (7); leaning."""
DODECA_GROUPS: tuple[int, ...] = (4, 3)
"""For dodecas: colour of the top spot, no top face (3); the set."""
NO_FACE = 7
NO_TOP, SEEN_SPOT = 3, 0.25
"""A dodeca's top spot is read where this share of the face is in view; nothing is learnt of one that is hidden more."""
AIMS = 5
"""Offsets x and y in edges, log of the size's correction, and the foot's offset from the top face's centre in edges, at
the end of the reader's outputs."""

Sample = tuple[NDArray[np.uint8], Array]


def recolour(rng: np.random.Generator, picture: NDArray[np.uint8], dodecas: bool) -> NDArray[np.uint8]:
    """Change gain, gamma and, where colours mean nothing, their order and sign."""
    x = np.arange(256, dtype=np.float32) / 255
    tables = []
    shared = np.exp(rng.normal(0, 0.15)), np.exp(rng.normal(0, 0.15))
    for _ in range(3):
        gain, gamma = np.exp(rng.normal(0, 0.05 if dodecas else CAST)) * shared[0], shared[1]
        tables.append(np.clip(gain * x**gamma * 255, 0, 255).astype(np.uint8))
    out = np.asarray(cv2.LUT(picture, np.stack(tables, axis=-1)[None]), np.uint8)
    if not dodecas:
        if rng.random() < 0.25:
            out = out[..., rng.permutation(3)]
        if rng.random() < 0.05:
            out = 255 - out
    return np.ascontiguousarray(out)


def worn(rng: np.random.Generator, patch: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A crop as poorer cameras and coders give it: blurred, grainy, coarse, coded, grey, pale, lit from one side.

    Each now and then, on its own; every other crop stays as it was drawn.
    """
    if rng.random() < 0.5:
        return patch
    n = len(patch)
    x = patch.astype(np.float32)
    blurred, coarse, pale, lit, curve, sharp, grain, grey, coded = rng.random(9) < (
        0.25, 0.2, 0.2, 0.25, 0.25, 0.2, 0.25, 0.15, 0.2
    )  # fmt: skip
    if curve:
        x = 255 * (x / 255) ** np.float32(np.exp(rng.normal(0, 0.45)))
    if lit:
        y, across = np.mgrid[0:n, 0:n].astype(np.float32) / n - 0.5
        a, steep = rng.uniform(0, 2 * np.pi), rng.uniform(0, 1.2)
        x = x * np.exp(steep * (y * np.sin(a) + across * np.cos(a)))[..., None]
    if pale:
        x = x.mean() + (x - x.mean()) * rng.uniform(0.3, 0.9)
    if blurred:
        x = cv2.GaussianBlur(x, (0, 0), float(rng.uniform(0.4, 1.4)))
    if coarse:
        less = int(rng.integers(22, 50))
        small = cv2.resize(x, (less, less), interpolation=cv2.INTER_AREA)
        x = cv2.resize(small, (n, n), interpolation=int(rng.choice([cv2.INTER_LINEAR, cv2.INTER_CUBIC])))
    if sharp:
        x = x + rng.uniform(0.3, 1.5) * (x - cv2.GaussianBlur(x, (0, 0), float(rng.uniform(0.6, 1.5))))
    if grain:
        x = x + rng.normal(0, rng.uniform(2, 14), (n, n, 3 if rng.random() < 0.5 else 1))
    if grey:
        x = np.repeat(x @ rng.dirichlet((2, 2, 2))[:, None], 3, axis=2)
    out = np.clip(x, 0, 255).astype(np.uint8)
    if coded:
        _, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(15, 70))])
        out = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return out


def find_sample(rng: np.random.Generator, sample: Sample, dodecas: bool) -> tuple[NDArray[np.uint8], Array, Array]:
    """A window (WINDOW, WINDOW, 3), its heat (n, n) and aims (5, n, n)."""
    picture, truth = sample
    h, w = picture.shape[:2]
    aim = truth[int(rng.integers(len(truth)))] if len(truth) else None
    edge = float(np.exp(rng.uniform(np.log(RANGE[0] * 0.8), np.log(RANGE[1] * 1.2))))
    scale = edge / float(aim[2]) if aim is not None else float(np.exp(rng.uniform(-1.5, 0)))
    scale = min(scale, 1.3)
    small = picture
    while scale * w / small.shape[1] < 0.55 and min(small.shape[:2]) > 8:  # halving is exact and fast
        half = small.shape[1] // 2, small.shape[0] // 2
        small = np.asarray(cv2.resize(small, half, interpolation=cv2.INTER_AREA), np.uint8)
    fx, fy = small.shape[1] / w, small.shape[0] / h
    focus = truth[int(rng.integers(len(truth)))][:2] if len(truth) and rng.random() < 0.85 else rng.uniform(0, (w, h))
    at = rng.uniform(0.1, 0.9, 2) * WINDOW
    flip = -1.0 if rng.random() < 0.5 else 1.0
    A = np.array([[flip * scale, 0], [0, scale]])
    offset = at - A @ np.asarray(focus, np.float64)
    M = np.column_stack([A / np.array([fx, fy]), offset + A @ (0.5 / np.array([fx, fy]) - 0.5)])
    window = cv2.warpAffine(small, M, (WINDOW, WINDOW), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT,
                            borderValue=(GREY, GREY, GREY))  # fmt: skip
    n = WINDOW // STRIDE
    heat, aims = np.zeros((n, n), np.float32), np.zeros((5, n, n), np.float32)
    aims[4] = 1
    gy, gx = np.mgrid[0:n, 0:n].astype(np.float32)
    for row in truth:
        x, y = A @ row[:2] + offset
        cx, cy = (x - (STRIDE - 1) / 2) / STRIDE, (y - (STRIDE - 1) / 2) / STRIDE
        size = float(row[2]) * scale
        if not (-2 < cx < n + 2 and -2 < cy < n + 2):
            continue
        near = np.square(gx - cx) + np.square(gy - cy)
        fits = RANGE[0] <= size <= RANGE[1] and row[5] >= SEEN_FIND and -0.5 <= cx <= n - 0.5 and -0.5 <= cy <= n - 0.5
        if not fits:
            if RANGE[0] / MAYBE <= size <= RANGE[1] * MAYBE:
                aims[4][near < max(2.0, (0.35 * size / STRIDE) ** 2)] = 0
            continue
        spread = max(0.7, 0.11 * size / STRIDE)
        heat = np.maximum(heat, np.exp(-near / (2 * spread**2)))
        i, j = min(n - 1, max(0, round(float(cy)))), min(n - 1, max(0, round(float(cx))))
        heat[i, j] = 1
        close = near < max(1.1, (0.15 * size / STRIDE) ** 2)
        for k, v in enumerate((cx - gx, cy - gy, np.float32(np.log(size / SIZE_UNIT_PX)))):
            aims[k] = np.where(close, v, aims[k])
        aims[3][close] = 1
    return recolour(rng, np.asarray(window, np.uint8), dodecas), np.asarray(heat, np.float32), aims


def _elsewhere(rng: np.random.Generator, picture: NDArray[np.uint8], truth: Array) -> tuple[float, float, float]:
    """A place and size where there is no top face, mostly one that could be taken for one."""
    h, w = picture.shape[:2]
    kind = rng.random()
    if not len(truth) or kind < 0.2:
        edge = float(np.exp(rng.uniform(2.4, 4.6)))
        return float(rng.uniform(0, w)), float(rng.uniform(0, h)), edge
    x, y, edge, *_, down_x, down_y = truth[int(rng.integers(len(truth)))]
    a = rng.uniform(0, 2 * np.pi)
    if kind < 0.55:  # a side face
        share, away = rng.uniform(0.4, 1.0), rng.uniform(0, 0.5)
        x, y = x + edge * (down_x * share + away * np.cos(a)), y + edge * (down_y * share + away * np.sin(a))
        if rng.random() < OFTEN_SMALL:  # a spot or a group of pips there as one small die
            edge = edge * rng.uniform(0.35, 0.65)
    elif kind < 0.8:
        away = rng.uniform(0.4, 1.1)
        x, y = x + edge * away * np.cos(a), y + edge * away * np.sin(a)
    else:  # a pip or a whole group as one die
        x, y = x + rng.normal(0, 0.25) * edge, y + rng.normal(0, 0.25) * edge
        edge = edge * rng.choice([rng.uniform(0.25, 0.55), rng.uniform(1.8, 3)])
    return float(x), float(y), float(edge * np.exp(rng.normal(0, 0.15)))


def read_sample(
    rng: np.random.Generator, sample: Sample, at: tuple[float, float, float] | None = None, dodecas: bool = False
) -> tuple[NDArray[np.uint8], list[int], list[float]] | None:
    """A crop (CROP_PX, CROP_PX, 3), its labels (of DICE_GROUPS or DODECA_GROUPS) and aims; None where truth can't say.

    ``at``: a place and size that a finder took.
    """
    picture, truth = sample
    if at is None:
        if len(truth) and rng.random() < 0.72:
            shown = truth[truth[:, 5] >= SEEN_CUT] if rng.random() < OFTEN_SHOWN else truth
            rows = shown if len(shown) else truth
            x, y, edge = (float(v) for v in rows[int(rng.integers(len(rows)))][:3])
            wide = WIDE if rng.random() < OFTEN_WIDE else 1.0
            x, y = x + rng.normal(0, AIM_SIGMA * wide) * edge, y + rng.normal(0, AIM_SIGMA * wide) * edge
            at = x, y, edge * float(np.exp(rng.normal(0, SIZE_SIGMA * wide)))
        else:
            at = _elsewhere(rng, picture, truth)
    x, y, edge = at
    any_way = not dodecas and rng.random() < ANY_TURN
    turn = float(rng.uniform(-np.pi, np.pi)) if any_way else float(np.radians(rng.normal(0, 7)))
    flip = rng.random() < 0.5
    labels, aims = [NO_TOP if dodecas else NO_FACE, -1], [float("nan")] * AIMS
    if len(truth):
        away = np.hypot(truth[:, 0] - x, truth[:, 1] - y) / np.maximum(truth[:, 2], 1)
        ratio = np.abs(np.log(truth[:, 2] / edge))
        k = int((away + ratio).argmin())
        row = truth[k]
        if away[k] < 0.3 and ratio[k] < np.log(1.5):
            seen = float(row[5])
            if (seen < SEEN_SPOT) if dodecas else (SEEN_CUT <= seen < SEEN_READ):
                return None
            value = int(row[3]) if dodecas or seen >= SEEN_READ else 0
            labels = [value, int(row[6 if dodecas else 4])]
            c, s = np.cos(turn), np.sin(turn)
            d = (row[:2] - (x, y)) / edge
            dx = (c * d[0] - s * d[1]) * (-1 if flip else 1)
            foot = row[7:9]
            fx = (c * foot[0] - s * foot[1]) * (-1 if flip else 1)
            aims = [float(v) for v in (dx, s * d[0] + c * d[1], np.log(row[2] / edge), fx, s * foot[0] + c * foot[1])]
        elif away[k] < 0.4 and ratio[k] < np.log(1.7):
            return None
    patch = crop(picture, x, y, edge, turn)
    if flip:
        patch = np.asarray(patch[:, ::-1], np.uint8)
    patch = recolour(rng, np.ascontiguousarray(patch), dodecas)
    return patch if dodecas else worn(rng, patch), labels, aims

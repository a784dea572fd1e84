"""The two networks that look for dice and read them, alike for pipped dice and dodecas.

The finder (``weights/*_find.onnx``) is fully convolutional and knows pieces of some 9 to 32 pixels an edge; a pyramid
of the picture brings every piece to such a size. For each cell of four pixels it gives the chance that a top face has
its centre there, the offset to that point and the size (the form of CenterNet: Zhou, Wang & Kraehenbuehl, "Objects as
Points", 2019). The reader (``weights/*_read.onnx``) gets a crop around each find, taken from the full picture, and
says what lies there. They were trained on pictures drawn by ``training/dice_data.py``.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks import run

STRIDE = 4
"""Pixels a cell of the finder's maps."""
SIZE_UNIT_PX = 16.0
"""The finder gives sizes as logarithms of multiples of this."""
PAD = 16
"""The finder halves its input four times, so both sides are padded to a multiple of this."""
GREY = 114
"""Grey level that pictures are padded with: about their mean."""
STEP = 1.8
"""Ratio of two levels of the pyramid; the finder's range of sizes, 32 / 9, covers it nearly twice."""
BETWEEN = STEP**0.5
"""A second look's levels lie halfway between those of the first, and are mirrored: what the finder is unsure of at one
size and way round it often sees at another. Not at the finest level, which costs more than all others together."""
COARSE, MORE = 2, tuple(STEP ** (k / 8) for k in range(1, 8))
"""Levels from this one on, which have a tenth of the finest one's pixels at most, and ratios of sizes between them that
are looked at where nothing sure was found: dice unlike those that the finder learnt it sees at one size and misses an
eighth to either side of it."""
FINEST_PIXELS = 518_400
"""Largest level looked at: half of 1920 x 1080 in either direction, where a die of 25 pixels still has 12."""
SMALLEST_PX = 40
"""Smaller side of the coarsest level: a die that fills a picture has about the finder's largest size there."""
FLOOR = 0.22
"""Finds with a lower probability aren't looked at; the reader rejects what is no die."""
CLOSE = 0.45
"""Finds nearer to each other than this share of an edge are one (touching dice: 0.57 at 55 degrees)."""
AT_MOST = 64
"""Finds handed to the reader, the best first: a table holds 12 dice, a playful picture a few more."""
CROP_PX, CROP_EDGES = 64, 2.3
"""Side of the reader's picture in pixels and in edges: the whole die and the rims of its neighbours."""


@dataclass(frozen=True, slots=True)
class Found:
    """One find: top face's centre and size (length of an edge) in pixels, and its chance 0..1."""

    x: float
    y: float
    edge: float
    chance: float


def blob(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Pictures (N, H, W, 3) uint8 BGR as the networks take them: (N, 3, H, W) float32, -1..1."""
    return np.ascontiguousarray(pictures.transpose(0, 3, 1, 2), dtype=np.float32) / np.float32(127.5) - np.float32(1)


def levels(width: int, height: int) -> list[float]:
    """Scales of the pyramid for a picture, the finest first."""
    scale = min(1.0, float(np.sqrt(FINEST_PIXELS / (width * height))))
    scales = []
    while min(width, height) * scale >= SMALLEST_PX:
        scales.append(scale)
        scale /= STEP
    return scales or [scale]


def find(net: cv2.dnn.Net, picture: NDArray[np.uint8], again: bool = False) -> list[Found]:
    """All finds in a picture (H, W, 3) uint8 BGR over all levels, the best first, none twice.

    ``again``: with a second look (BETWEEN).
    """
    height, width = picture.shape[:2]
    found: list[Found] = []
    smaller = picture
    for k, scale in enumerate(levels(width, height)):
        if again and k:
            between = _sized(smaller, width * scale / BETWEEN, height * scale / BETWEEN)
            found += _mirrored(net, between, width, height)
        smaller = _sized(smaller, width * scale, height * scale)
        found += _level(net, smaller, width / smaller.shape[1], height / smaller.shape[0])
    return _single(found)


def find_more(net: cv2.dnn.Net, picture: NDArray[np.uint8]) -> list[Found]:
    """Finds of large pieces at further sizes (MORE), the best first, none twice."""
    height, width = picture.shape[:2]
    found: list[Found] = []
    scales, finer = levels(width, height), picture
    for before, scale in zip(scales[COARSE - 1 :], scales[COARSE:], strict=False):
        finer = _sized(finer, width * before, height * before)  # so that the whole picture isn't gone over each time
        for ratio in MORE:
            between = _sized(finer, width * scale / ratio, height * scale / ratio)
            found += _level(net, between, width / between.shape[1], height / between.shape[0])
            found += _mirrored(net, between, width, height)
    return _single(found)


def _single(found: list[Found]) -> list[Found]:
    """The finds, the best first, none twice."""
    found.sort(key=lambda f: -f.chance)
    kept: list[Found] = []
    for f in found:
        if all(np.hypot(f.x - k.x, f.y - k.y) > CLOSE * min(f.edge, k.edge) or _unlike(f, k) for k in kept):
            kept.append(f)
    return kept[:AT_MOST]


def _sized(picture: NDArray[np.uint8], width: float, height: float) -> NDArray[np.uint8]:
    size = (max(8, round(width)), max(8, round(height)))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _unlike(a: Found, b: Found) -> bool:
    """Whether two finds at one place differ so much in size that they may be a die and a mark on it."""
    return max(a.edge, b.edge) > 1.8 * min(a.edge, b.edge)


def _mirrored(net: cv2.dnn.Net, smaller: NDArray[np.uint8], width: int, height: int) -> list[Found]:
    """Finds in the mirror image of a level of a picture of this size, as they lie in the picture itself."""
    seen = _level(net, np.ascontiguousarray(smaller[:, ::-1]), width / smaller.shape[1], height / smaller.shape[0])
    return [Found(width - 1 - f.x, f.y, f.edge, f.chance) for f in seen]


def _level(net: cv2.dnn.Net, picture: NDArray[np.uint8], fx: float, fy: float) -> list[Found]:
    h, w = picture.shape[:2]
    filled = cv2.copyMakeBorder(picture, 0, -h % PAD, 0, -w % PAD, cv2.BORDER_CONSTANT, value=(GREY, GREY, GREY))
    maps = run(net, blob(np.asarray(filled, np.uint8)[None]))[0].astype(np.float64)
    heat = 1 / (1 + np.exp(-maps[0]))
    top = (heat > FLOOR) & (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8)))
    rows, cols = np.nonzero(top)
    dx, dy, size = maps[1:, rows, cols]
    x = (cols + dx) * STRIDE + (STRIDE - 1) / 2
    y = (rows + dy) * STRIDE + (STRIDE - 1) / 2
    edge = SIZE_UNIT_PX * np.exp(np.clip(size, -1.5, 1.5)) * np.sqrt(fx * fy)
    x, y = (x + 0.5) * fx - 0.5, (y + 0.5) * fy - 0.5
    return [Found(*(float(v) for v in f)) for f in zip(x, y, edge, heat[rows, cols], strict=True)]


def crop(picture: NDArray[np.uint8], x: float, y: float, edge: float, turn: float = 0.0) -> NDArray[np.uint8]:
    """The reader's picture (CROP_PX, CROP_PX, 3) around a top face, turned by ``turn`` radians, without aliasing."""
    side = CROP_EDGES * edge
    reach = int(np.ceil(side / 2 * (1 + abs(np.sin(turn))))) + 2
    h, w = picture.shape[:2]
    x0, y0 = max(0, round(x) - reach), max(0, round(y) - reach)
    part = picture[y0 : max(y0, min(h, round(y) + reach + 1)), x0 : max(x0, min(w, round(x) + reach + 1))]
    if min(part.shape[:2]) < 1:
        return np.full((CROP_PX, CROP_PX, 3), GREY, np.uint8)
    fx = fy = 1.0
    shrink = CROP_PX * 1.5 / side
    if shrink < 1:
        size = (max(1, round(part.shape[1] * shrink)), max(1, round(part.shape[0] * shrink)))
        fx, fy = size[0] / part.shape[1], size[1] / part.shape[0]
        part = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
    zoom = CROP_PX / side
    c, s = np.cos(turn) * zoom, np.sin(turn) * zoom
    A = np.array([[c / fx, -s / fy], [s / fx, c / fy]])
    centre = np.array([(x - x0 + 0.5) * fx - 0.5, (y - y0 + 0.5) * fy - 0.5])
    M = np.column_stack([A, (CROP_PX - 1) / 2 - A @ centre])
    out = cv2.warpAffine(part, M, (CROP_PX, CROP_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT,
                         borderValue=(GREY, GREY, GREY))  # fmt: skip
    return np.asarray(out, np.uint8)


def read(net: cv2.dnn.Net, crops: list[NDArray[np.uint8]]) -> NDArray[np.float64]:
    """The reader's raw outputs (N, outputs) for crops."""
    if not crops:
        return np.zeros((0, 0))
    out = []
    for one in crops:  # one shape for the network, however many there are
        out.append(run(net, blob(one[None])).astype(np.float64).reshape(-1))
    return np.stack(out)


def views(
    net: cv2.dnn.Net,
    picture: NDArray[np.uint8],
    at: tuple[float, float, float],
    sizes: tuple[float, ...],
    places: tuple[slice, slice],
) -> NDArray[np.float64]:
    """A reader's outputs (2 sizes, outputs) for a face (x, y, edge) at several sizes in its own, plain and mirrored.

    Offsets are given as for the face itself. ``places``: where the outputs hold the aims (offset x, y, log of the
    size), and the foot's offset.
    """
    x, y, edge = at
    aims, foot = places
    plain = [crop(picture, x, y, edge * size) for size in sizes]
    outs = read(net, plain + [np.ascontiguousarray(patch[:, ::-1]) for patch in plain])
    outs[len(plain) :, [aims.start, foot.start]] *= -1
    tiled = np.tile(sizes, 2)
    outs[:, aims.start : aims.start + 2] *= tiled[:, None]
    outs[:, aims.stop - 1] += np.log(tiled)
    return outs


def log_odds(p: float) -> float:
    """Log odds of a probability, with a hundredth of doubt either way."""
    return float(np.log((p + 0.01) / (1.01 - p)))


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities over the last axis."""
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def aimed(x: float, y: float, edge: float, aims: NDArray[np.float64]) -> tuple[float, float, float]:
    """Place and size corrected by a reader's aims; corrections beyond its training (0.3 edges, 1.5 times) are cut."""
    dx, dy, size = np.clip(aims, (-0.3, -0.3, -0.4), (0.3, 0.3, 0.4))
    return x + float(dx) * edge, y + float(dy) * edge, edge * float(np.exp(size))

"""Count pips without a network: the top face against drawn layouts of pips, turned, foreshortened and of several sizes.

A matched filter: the normalised cross-correlation (Lewis, "Fast normalized cross-correlation", 1995) over the face
alone, of either sign since pips may be brighter or darker than the body, with the best channel for it. An independent
second opinion beside the reader network.
"""

from functools import cache
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]

FACE_PX = 26
"""Side of the patch that is compared."""
FACE_EDGES = 1.25
"""... in edges: the face, turned by any angle but for its corners, and the way for shifts."""
TURNS = 12
"""Angles of a layout over 90 degrees."""
FLATTENED = (1.0, 0.85, 0.7, 0.57)
"""Foreshortening along the picture's y: cosines of 0, 32, 46 and 55 degrees."""
NEAREST = 2
"""Foreshortenings tried, those next to the face's own."""
SPREADS = (0.44, 0.5, 0.57)
"""Pips' distance from the middle over half an edge: dice are made with 0.42 to 0.6."""
RADII = (0.15, 0.21)
"""Pips' radius over half an edge."""
SHIFTS = (-1, 0, 1)
"""Pixels by which the patch is shifted against the layouts (0.05 edges: what the network's aim leaves)."""
BLUR = 0.45
"""Sigma of the blur before a picture is reduced, in pixels of the reduced one: finer detail would alias."""
NOISE = 3.0
"""Grey levels that count as nothing: a face without pips correlates with nothing."""
PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    6: ((-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)),
}


@cache
def layouts() -> tuple[Float32, Float32, NDArray[np.intp], NDArray[np.intp]]:
    """Layouts (L, n) of mean 0 and length 1 over their face, the faces (F, n), each layout's face and value (L,)."""
    middle, half = (FACE_PX - 1) / 2, FACE_PX / FACE_EDGES / 2
    y, x = (np.mgrid[0:FACE_PX, 0:FACE_PX].astype(np.float32) - middle) / half
    rows, masks, faces, values = [], [], [], []
    for flat, turn in product(FLATTENED, range(TURNS)):
        a = np.pi / 2 * turn / TURNS
        u, v = x * np.cos(a) + y / flat * np.sin(a), -x * np.sin(a) + y / flat * np.cos(a)
        mask = np.clip((0.9 - np.maximum(np.abs(u), np.abs(v))) * half + 0.5, 0, 1)
        masks.append(mask.ravel())
        for spread, radius, value in product(SPREADS, RADII, PIPS):
            for w in ((u, v), (-v, u)) if value in (2, 3, 6) else ((u, v),):  # these change with a quarter turn
                away = np.min([np.hypot(w[0] - i * spread, w[1] - j * spread) for i, j in PIPS[value]], axis=0)
                drawn = np.clip((radius - away) * half + 0.5, 0, 1)
                drawn = (drawn - (drawn * mask).sum() / mask.sum()) * mask
                rows.append((drawn / np.sqrt(np.square(drawn).sum())).ravel())
                faces.append(len(masks) - 1)
                values.append(value)
    return np.array(rows, np.float32), np.array(masks, np.float32), np.array(faces), np.array(values)


def foreshortened(flat: float) -> slice:
    """Those of FLATTENED that are tried for a face that is foreshortened by about ``flat``."""
    first = sum((a + b) / 2 > flat for a, b in zip(FLATTENED[:-1], FLATTENED[NEAREST:], strict=False))
    return slice(first, first + NEAREST)


def face_patch(picture: NDArray[np.uint8], x: float, y: float, zoom: float, side: int) -> Float32 | None:
    """The square (side, side, 3) BGR about a point of a picture (H, W, 3), ``zoom`` times as large there, unaliased.

    Beyond the picture its edge is repeated; None where hardly any of the square lies in the picture.
    """
    reach = int(side / zoom / 2) + 3
    h, w = picture.shape[:2]
    x0, y0 = max(0, int(x) - reach), max(0, int(y) - reach)
    part = picture[y0 : min(h, int(y) + reach + 1), x0 : min(w, int(x) + reach + 1)]
    if min(part.shape[:2]) < 2:
        return None
    if zoom < 1:
        part = np.asarray(cv2.GaussianBlur(part, (0, 0), BLUR / zoom), np.uint8)
    middle = (side - 1) / 2
    M = np.array([[zoom, 0, middle - zoom * (x - x0)], [0, zoom, middle - zoom * (y - y0)]])
    patch = cv2.warpAffine(part, M, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(patch, np.float32)


def pip_scores(picture: NDArray[np.uint8], x: float, y: float, edge: float, flat: float) -> NDArray[np.float64]:
    """Best correlation 0..1 of the face at (x, y), ``edge`` pixels, with each of the values 1 to 6.

    ``flat``: about how much the face is foreshortened.
    """
    return pip_fits(picture, x, y, edge, flat)[0]


def pip_fits(
    picture: NDArray[np.uint8], x: float, y: float, edge: float, flat: float
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """:func:`pip_scores`, and for each value (6,) which of the TURNS fits best."""
    patch = face_patch(picture, x, y, FACE_PX / (FACE_EDGES * edge), FACE_PX + 2 * max(SHIFTS))
    if patch is None:
        return np.zeros(6), np.zeros(6, np.intp)
    rows, masks, faces, values = layouts()
    near = foreshortened(flat)
    each = len(rows) // len(FLATTENED)
    rows, masks = rows[near.start * each : near.stop * each], masks[near.start * TURNS : near.stop * TURNS]
    faces, values = faces[: len(rows)], values[: len(rows)]  # alike at every foreshortening
    m = max(SHIFTS)
    channels = patch.transpose(2, 0, 1)
    channels = np.concatenate([channels, channels.mean(axis=0)[None]])
    views = np.stack([
        channels[:, m + dy : m + dy + FACE_PX, m + dx : m + dx + FACE_PX] for dy in SHIFTS for dx in SHIFTS
    ]).reshape(-1, FACE_PX * FACE_PX)  # fmt: skip
    weight = masks.sum(axis=1)[:, None]
    mean = masks @ views.T / weight
    spread = np.sqrt(np.maximum(masks @ np.square(views).T - weight * mean**2, 0) + NOISE**2 * weight)
    fit = (np.abs(rows @ views.T) / spread[faces]).max(axis=1)
    best = [int(np.where(values == value, fit, -1.0).argmax()) for value in PIPS]
    return np.asarray(fit[best], np.float64), np.asarray(faces[best] % TURNS)

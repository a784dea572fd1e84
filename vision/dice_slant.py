"""How a die's upper face is slanted, by its pips alone: they are round and lie on a square.

Seen from afar, a face is mapped by an affine map A, and A Aᵀ tells its slant, whichever way it is turned: for a face
whose foot (the middle of the opposite face) appears ``f`` edges away from its middle, at ``p`` focal lengths from the
picture's middle, A Aᵀ is proportional to I + p pᵀ - f fᵀ. So the pips measure the foot but for its sign, without any
training. A is fitted to the pixels by the enhanced correlation coefficient (Evangelidis & Psarakis, "Parametric Image
Alignment Using Enhanced Correlation Coefficient Maximization", PAMI 2008), from the best of many turned layouts.
"""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice_pips import NOISE, PIPS, face_patch

Floats = NDArray[np.float64]

EDGE_PX = 44
"""Pixels of an edge in the patch that is looked at."""
PATCH_PX = 2 * EDGE_PX
"""Side of that patch: layouts of 1.3 times the size, turned, with room to move."""
LAYOUT_PX, LAYOUT_REACH = 36, 0.82
"""Side of a layout in pixels; what half of it spans, in half edges: the pips and, of all sides, some of the body."""
COARSE = 2
"""Layouts are first tried on every second pixel."""
SPREAD = 0.5
"""Pips' distance from the middle in a layout, in half edges; how large the layout appears is fitted."""
RADII = (0.12, 0.145, 0.17, 0.2, 0.235, 0.27)
"""Pips' radii tried, a sixth apart, in half edges where their distance is SPREAD: dice are made with 0.13 to 0.26."""
LONE_RADIUS = 0.24
"""Of a single pip, whose size is fitted with the layout's."""
SOFT_PX = 1.2
"""Width of a drawn pip's rim: a pixel's, and a lens's."""
TURNS = 12
"""Angles tried over 90 degrees: half of a step is less than the fit bridges."""
SIZES, LONE_SIZES = (0.84, 0.95, 1.07, 1.2), (0.75, 1.0, 1.3)
"""Sizes tried, in the face's: pips' distances of 0.42 to 0.6, and radii of a lone pip of 0.18 to 0.31."""
STEEPEST = 0.15
"""Square of the foreshortening (cosine) from which on layouts are tried: 67 degrees, beyond which nothing is read."""
STEPS, ENOUGH = 40, 1e-4
"""Steps of the fit at most, and the gain in correlation below which it ends."""
FITS, FITS_WELL = 0.75, 0.85
"""Correlations below which a fit tells nothing, and from which on its error is as below; between, POORLY times that."""
POORLY = 2.0
LENGTHWISE = 0.9
"""Slants beyond this (71 degrees) are no faces that could be read, so the fit went astray."""
ERRORS_PX: dict[int, tuple[float, float]] = {
    1: (2.1, 2.1), 2: (5.0, 2.3), 3: (5.0, 2.3), 4: (0.65, 0.65), 5: (0.65, 0.65), 6: (1.1, 1.1)
}  # fmt: skip
"""Errors of a slant for an edge of one pixel, by value: along the line of the pips (LINES) and across it. Measured
against the truth of 357 traced scenes, none of them trained on; they fall with the edge's pixels, as errors of the
pips' places do. Pips on one line tell the scale along it by their roundness only."""
MADE: dict[int, tuple[float, float]] = {
    1: (0.03, 0.03), 2: (0.06, 0.03), 3: (0.06, 0.03), 4: (0.03, 0.03), 5: (0.03, 0.03), 6: (0.12, 0.03)
}  # fmt: skip
"""What is left of them however large the die: pips are drilled to within 2 or 3 %, and rows of sixes are drawn out or
crowded by up to a quarter."""
LINES: dict[int, tuple[float, float]] = {2: (1.0, 1.0), 3: (1.0, 1.0), 6: (0.0, 1.0)}
"""The line of the pips, or of the rows, in the layout; of other values none stands out."""


@dataclass(frozen=True, slots=True)
class Slant:
    """A face's slant (2,) (see :func:`slants`) and the covariance (2, 2) of its error."""

    seen: Floats
    error: Floats


def slants(foot: Floats, place: Floats) -> Floats:
    """Slants (..., 2) of faces whose feet lie at ``foot`` (..., 2), in edges, at ``place`` (..., 2), in focal lengths.

    With M = A Aᵀ: (Mxx - Myy, 2 Mxy) / (Mxx + Myy); (0, 0) for a face seen from above.
    """
    xx, yy = np.moveaxis(1 + np.square(place) - np.square(foot), -1, 0)
    xy = place[..., 0] * place[..., 1] - foot[..., 0] * foot[..., 1]
    return np.asarray(np.stack([xx - yy, 2 * xy], axis=-1) / np.maximum(xx + yy, 2 * STEEPEST)[..., None])


@cache
def _drawn(value: int, radius: float) -> NDArray[np.float32]:
    """A layout (LAYOUT_PX, LAYOUT_PX): 1 on pips, 0 beside them."""
    unit = LAYOUT_PX / 2 / LAYOUT_REACH
    y, x = (np.mgrid[0:LAYOUT_PX, 0:LAYOUT_PX] - (LAYOUT_PX - 1) / 2) / unit
    away = np.min([np.hypot(x - SPREAD * i, y - SPREAD * j) for i, j in PIPS[value]], axis=0)
    return np.asarray(np.clip((radius - away) * unit / SOFT_PX + 0.5, 0, 1), np.float32)


@cache
def _tried(value: int) -> tuple[Floats, Floats, NDArray[np.float32]]:
    """Maps (K, 2, 2) from a layout's half edges to the face's, its places (P, 2), layouts (R, P) of mean 0, length 1.

    K: turns and sizes; P: places of every COARSE-th pixel; R: radii.
    """
    quarters = {1: 0, 4: 1, 5: 1}.get(value, 2)  # turned by so many, a layout looks the same
    angles = np.pi / 2 * np.arange(max(1, quarters * TURNS)) / TURNS
    c, s = np.cos(angles), np.sin(angles)
    turned = np.stack([np.stack([c, -s], axis=-1), np.stack([s, c], axis=-1)], axis=1)
    sizes = np.array(LONE_SIZES if value == 1 else SIZES)
    rows = np.arange(COARSE // 2, LAYOUT_PX, COARSE)
    along = (rows - (LAYOUT_PX - 1) / 2) / (LAYOUT_PX / 2 / LAYOUT_REACH)
    places = np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)
    layouts = np.stack([_drawn(value, r)[np.ix_(rows, rows)].ravel() for r in _radii(value)])
    layouts = layouts - layouts.mean(axis=1, keepdims=True)
    layouts /= np.sqrt(np.square(layouts).sum(axis=1, keepdims=True))
    return (turned[:, None] * sizes[:, None, None]).reshape(-1, 2, 2), places, np.asarray(layouts, np.float32)


def _radii(value: int) -> tuple[float, ...]:
    return (LONE_RADIUS,) if value == 1 else RADII


def face_slant(picture: NDArray[np.uint8], x: float, y: float, edge: float, foot: Floats, value: int) -> Slant | None:
    """Slant of the face at (x, y), ``edge`` pixels, that bears ``value``; None where its pips can't be told.

    ``foot``: about where the middle of the opposite face appears (2,), in edges.
    """
    patch = _patch(picture, x, y, edge)
    if patch is None:
        return None
    maps, places, layouts = _tried(value)
    w, V = np.linalg.eigh(np.eye(2) - np.outer(foot, foot))
    maps = EDGE_PX / 2 * (V * np.sqrt(np.maximum(w, STEEPEST))) @ V.T @ maps
    middle = (PATCH_PX - 1) / 2
    at = np.asarray(middle + places @ maps.transpose(0, 2, 1), np.float32)
    seen = cv2.remap(patch, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    spread = np.square(seen).mean(axis=1) - np.square(seen.mean(axis=1))
    length = np.sqrt(len(places) * (np.maximum(spread, 0) + NOISE**2))
    fits = layouts @ seen / length[:, None]
    k, r, channel = (int(i) for i in np.unravel_index(int(np.abs(fits).argmax()), fits.shape))
    sign = float(np.sign(fits[k, r, channel]))
    start = maps[k] / (LAYOUT_PX / 2 / LAYOUT_REACH)
    start = np.column_stack([start, middle - start @ np.full(2, (LAYOUT_PX - 1) / 2)])
    view = np.ascontiguousarray(patch[..., channel])
    radii = _radii(value)
    near = radii[max(0, r - 1) : r + 2] if value in (2, 3) else radii[r : r + 1]  # roundness tells these the most
    fitted = [_fitted(sign * _drawn(value, radius), view, np.asarray(start, np.float32)) for radius in near]
    fit, A = max(fitted, key=lambda each: each[0])
    M = A @ A.T
    slant = np.array([M[0, 0] - M[1, 1], 2 * M[0, 1]]) / max(float(np.trace(M)), 1e-9)
    if fit < FITS or np.hypot(*slant) > LENGTHWISE:
        return None
    return Slant(slant, _error(value, edge, A) * (1.0 if fit >= FITS_WELL else POORLY**2))


def _patch(picture: NDArray[np.uint8], x: float, y: float, edge: float) -> NDArray[np.float32] | None:
    """The face in the middle of (PATCH_PX, PATCH_PX, 4): blue, green, red and their mean."""
    seen = face_patch(picture, x, y, EDGE_PX / edge, PATCH_PX)
    return None if seen is None else np.concatenate([seen, seen.mean(axis=-1, keepdims=True)], axis=-1)


def _fitted(layout: NDArray[np.float32], view: NDArray[np.float32], start: NDArray[np.float32]) -> tuple[float, Floats]:
    """Correlation of a layout with a view, and the linear part (2, 2) of its map into it; (0, ...) where none is found.

    ``start``: the map (2, 3) to begin with.
    """
    everywhere = np.full(view.shape, 255, np.uint8)
    until = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, STEPS, ENOUGH)
    try:
        fit, found = cv2.findTransformECC(layout, view, start.copy(), cv2.MOTION_AFFINE, until, everywhere, 1)
    except cv2.error:  # it left the patch, or there is nothing to see
        return 0.0, np.asarray(start[:, :2], np.float64)
    return float(fit), np.asarray(found[:, :2], np.float64)


def _error(value: int, edge: float, A: Floats) -> Floats:
    """Covariance (2, 2) of the slant of a well fitted face, ``edge`` pixels, whose layout A maps into the picture."""
    along, across = np.hypot(np.array(ERRORS_PX[value]) / edge, MADE[value])
    line = A @ LINES.get(value, (1.0, 0.0))
    turn = 2 * np.arctan2(line[1], line[0])
    R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.asarray(R * np.square([along, across]) @ R.T)

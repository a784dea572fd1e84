"""What lies over the surface and hides it, where discs would count: hands, arms, cups, papers, phones.

A reading can only vouch for what it sees. So each part of the surface that something covers, and that is large enough
to hide a whole disc, is named with what may lie beneath at most.
"""

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cover_net import CELL_PX, CELLS, cover_odds
from vision.disc_canonical import PX_PER_MM, SIZE
from vision.disc_looks import Looks
from vision.disc_net import Mask
from vision.disc_values import HOLE_VALUE, RING_VALUES, hole_radius
from vision.readings import Cover, Disc

LEAST_LOG_ODDS = -1.0
"""From these log odds on a cell counts as covered. The network is surer of bare boards: of 104 pictures without covers
it sees one large enough to count on none, of 228 altered ones on one, and a third more of what is hard to see."""
HIDES = 1.5
"""Radius, in disc radii, of the largest circle that a cover must hold to hide a whole disc: in real pictures it is 0.5
to 1.2 for fingers at the line, and twice as much for arms, cups and phones."""
OWN_RADII, OWN_SURE = 1.2, 0.8
"""What a disc that is read at least this surely covers itself, in radii, is no cover."""
PACKED = 0.91
"""Discs side by side fill at most this share of a surface (the densest packing of circles)."""
IN_PLAY = 24
"""Discs of two sides (C4): no more lie beneath anything."""
OUTSIDE = -10.0
"""Log odds given to cells outside the picture."""
OUTLINE_PX = 1.5
"""The outline keeps to the covered part within this many canonical pixels."""


def covers_of(looks: Looks, discs: Sequence[Disc]) -> tuple[Cover, ...]:
    """What covers the surface of the board that was looked at, the largest first; ``discs``: what was read there.

    Nothing is said of what lies outside the picture.
    """
    frame, radius = looks.frame, looks.radius[0]
    mask = _covered(looks)
    radius_px = radius / frame.scale * PX_PER_MM
    sure = [d.mm for d in discs if d.confidence >= OWN_SURE]
    for x, y in frame.from_board(np.array(sure).reshape(-1, 2)):
        cv2.circle(mask, (round(float(x)), round(float(y))), round(OWN_RADII * radius_px), 0, -1)
    depth = np.asarray(cv2.distanceTransform(mask, cv2.DIST_L2, 5), np.float32)
    count, parts = cv2.connectedComponents(mask, connectivity=8)
    found = [_cover(looks, parts == k, depth) for k in range(1, count) if depth[parts == k].max() >= HIDES * radius_px]
    return tuple(sorted((c for c in found if c.values), key=lambda c: -len(c.values)))


def _cover(looks: Looks, part: NDArray[np.bool_], depth: NDArray[np.float32]) -> Cover:
    """The cover of a part (SIZE, SIZE) of the canonical picture; ``depth``: how far inside each pixel lies."""
    frame = looks.frame
    outlines, _ = cv2.findContours(part.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    corners = cv2.approxPolyDP(max(outlines, key=len), OUTLINE_PX, True).reshape(-1, 2).astype(np.float64)
    rows, columns = np.nonzero(part)
    places = frame.to_board(np.column_stack([columns, rows]).astype(np.float64))
    middle = places[int(np.argmax(depth[rows, columns]))]
    values = _hidden_values(np.linalg.norm(places, axis=1), (frame.scale / PX_PER_MM) ** 2, looks)
    around = tuple((float(x), float(y)) for x, y in frame.to_board(corners))
    return Cover((float(middle[0]), float(middle[1])), around, values)


def _covered(looks: Looks) -> Mask:
    """1 (SIZE, SIZE) where something covers the surface within the shooting line, else 0."""
    frame = looks.frame
    odds = cover_odds(looks.now, frame.shooting)
    along = (np.arange(CELLS) + 0.5) * CELL_PX - 0.5
    cells = np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)
    seen = looks.view.camera.in_picture(np.column_stack([frame.to_board(cells), np.zeros(len(cells))]))
    odds = np.where(seen.reshape(CELLS, CELLS), odds, OUTSIDE)
    mask = np.asarray(cv2.resize(odds, (SIZE, SIZE), interpolation=cv2.INTER_LINEAR) > LEAST_LOG_ODDS, np.uint8)
    inside = np.zeros_like(mask)
    cv2.circle(inside, (SIZE // 2, SIZE // 2), round(frame.shooting * PX_PER_MM), 1, -1)
    return mask & inside


def _hidden_values(away: NDArray[np.float64], pixel: float, looks: Looks) -> tuple[int, ...]:
    """The most that discs beneath a cover may be worth, one by one, the highest first; no more than fit.

    ``away`` (N,): distances in mm of its pixels, of ``pixel`` square mm each, from the centre. A disc of which half
    shows may not have been seen either, so it may lie half a radius nearer.
    """
    board, radius = looks.view.board, looks.radius[0]
    fit = min(max(1, math.ceil(len(away) * pixel * PACKED / (math.pi * radius * radius))), IN_PLAY)
    reach = np.array(board.inner_edges) - radius / 2
    best = np.sort(np.array(RING_VALUES)[np.searchsorted(reach, away)])[::-1]
    values = [int(v) for v in best[np.linspace(0, len(best) - 1, fit).astype(int)] if v > 0]
    return (HOLE_VALUE, *values) if away.min() < hole_radius(board, radius) else tuple(values)

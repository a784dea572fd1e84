"""Patches around candidates for the second network, which tells true discs from false and measures them."""

import numpy as np
from numpy.typing import NDArray

from training.disc_data import spoil, warp
from training.disc_world import Piece, Scene
from vision.disc_canonical import SIZE, guide_channels
from vision.disc_net import PATCH, STATES, patch_at

Places = NDArray[np.float64]

NONE = len(STATES)
"""Class of what is no disc."""
ON, OFF = 0.55, 0.85
"""A patch shows the disc within ON radii of its middle; one with a disc between ON and OFF is left out."""
START_ERROR_PX = 2.2
"""Standard deviation of the places from which patches are cut around discs: what the first network leaves."""
PER_SCENE = {"board": 10, "ditch": 5, "hole": 2, "leaning": 2}
"""At most so many patches of discs a scene and state; discs at the hole are taken twice."""


def _label(at: Places, pieces: list[Piece]) -> tuple[int, tuple[float, float, float]] | None:
    """Class and aims (x, y in pixels from the place, log radius over 10 px) of a patch; None: counts neither way."""
    if not pieces:
        return NONE, (0.0, 0.0, 0.0)
    gaps = [float(np.hypot(p.xy[0] - at[0], p.xy[1] - at[1])) / p.radius_px for p in pieces]
    j = int(np.argmin(gaps))
    piece = pieces[j]
    if gaps[j] < OFF and (gaps[j] > ON or piece.ignored):
        return None
    if gaps[j] >= OFF:
        return NONE, (0.0, 0.0, 0.0)
    aims = (piece.xy[0] - at[0], piece.xy[1] - at[1], float(np.log(piece.radius_px / 10)))
    return STATES.index(piece.state), aims


def _wanted(rng: np.random.Generator, pieces: list[Piece], false: Places) -> list[Places]:
    """Places at which patches are cut: around discs, the hole, false alarms, beside discs, anywhere."""
    middle = np.full(2, (SIZE - 1) / 2)
    wanted = []
    for state, count in PER_SCENE.items():
        mine = [p for p in pieces if p.state == state]
        for k in rng.permutation(len(mine))[:count]:
            for _ in range(1 if state in ("board", "ditch") else 2):
                wanted.append(np.array(mine[k].xy) + rng.normal(0, START_ERROR_PX, 2))
    wanted += [middle + rng.normal(0, 2.5, 2) for _ in range(2)]
    wanted += [false[k] + rng.normal(0, 1, 2) for k in rng.permutation(len(false))[:10]]
    for _ in range(4):
        if pieces:
            p, a = pieces[int(rng.integers(len(pieces)))], rng.uniform(0, 2 * np.pi)
            wanted.append(np.array(p.xy) + p.radius_px * rng.uniform(0.9, 2.2) * np.array([np.cos(a), np.sin(a)]))
        a, r = rng.uniform(0, 2 * np.pi), 245 * np.sqrt(rng.uniform(0, 1))
        wanted.append(middle + r * np.array([np.cos(a), np.sin(a)]))
    return wanted


def patches(
    rng: np.random.Generator, scene: Scene, false: Places
) -> tuple[list[NDArray[np.float32]], list[int], list[tuple[float, float, float]]]:
    """Patches (5, PATCH, PATCH), classes and aims of one spoilt view of a scene.

    ``false`` (N, 2): places in the scene's picture at which the first network sees discs that aren't there.
    """
    marks = [Piece((float(x), float(y)), "false", 1.0) for x, y in false]
    whole = Scene(scene.picture, scene.foot, scene.height, scene.pieces + marks)
    picture, moved = warp(rng, whole, 0, 0, SIZE)
    pieces = [p for p in moved if p.state != "false"]
    alarms = np.array([p.xy for p in moved if p.state == "false"]).reshape(-1, 2)
    picture = spoil(rng, picture)
    guide = guide_channels(scene.foot, scene.height)
    x, classes, aims = [], [], []
    for place in _wanted(rng, pieces, alarms):
        at = np.round(place)
        label = _label(at, pieces)
        if label is None or at.min() < 0 or at.max() >= SIZE:
            continue
        x.append(patch_at(picture, guide, (int(at[0]), int(at[1]))))
        classes.append(label[0])
        aims.append(label[1])
    assert all(p.shape[-1] == PATCH for p in x)
    return x, classes, aims

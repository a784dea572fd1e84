"""Weigh the witnesses of a disc on the surface: the coefficients of ``vision/disc_odds.py``.

    python -m training.fit_disc_odds [--every 4]

Run it with networks in place that the judged scenes have not taught: ``training.train_rim --hold-out 1`` for all of
them, ``training.train_disc_judge --hold-out 4`` for every fourth. Every candidate on their boards, found by the real
calibration, is a case: the witnesses' numbers, and whether a disc lies there. A logistic regression weighs them; five
parts by scene, each judged by the other four, say how well. Prints the coefficients with the second network and without
(its weight is taken from every fourth scene, the others' from all: a fourth is too few for them).
"""

import argparse
import json
import zlib
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import TableError
from calibration.hints import BoardHints
from referee.crokinole_reader import hints_for, solve_view
from training.gap_data import scene_files
from vision.disc_canonical import PX_PER_MM, canonical_picture, frame_of
from vision.disc_looks import LOOKED_AT, joint_radius
from vision.disc_net import candidates_in
from vision.disc_odds import CENTRAL, FLOOR_SHARE, witnesses
from vision.frames import load_picture

Array = NDArray[np.float64]

SAME, AMBIGUOUS = 0.7, 1.1
"""A candidate within SAME radii of a disc is it; one between SAME and AMBIGUOUS radii is left out."""
RIDGE = 0.1
PARTS = 5
NAMES = ("second network", "rim network", "edges' support", "the whole")


def cases_of(path: Path) -> tuple[Array, Array]:
    """Witnesses (N, 4) and truth (N,) of one scene's candidates on the surface."""
    truth = json.loads(path.read_text())
    options = json.loads(path.with_suffix(".truth.json").read_text()).get("options", [])
    given = dict(zip(options[::2], options[1::2], strict=False)).get("--shooting-line")
    frame = load_picture(path.with_suffix(".jpg"))
    view = solve_view(frame, hints_for(frame, BoardHints(shooting_mm=float(given) if given else None)))
    canonical = frame_of(view)
    picture = canonical_picture(frame.pixels, view, canonical)
    candidates = [c for c in candidates_in(picture, canonical) if c.chance >= LOOKED_AT]
    radius_px = joint_radius(candidates)
    radius = radius_px[0] * canonical.scale / PX_PER_MM if radius_px else view.board.disc_radius
    places = canonical.to_board(np.array([c.xy for c in candidates]).reshape(-1, 2))
    far = np.hypot(places[:, 0], places[:, 1])
    picked = np.nonzero((far >= CENTRAL * radius) & (far < FLOOR_SHARE * view.board.shooting))[0]
    places = places[picked]
    seen, _ = witnesses(frame.pixels, view, [candidates[i] for i in picked], places, radius)
    discs = np.array([d["top_centre_px"] for d in truth["discs"] if d["in_frame"]]).reshape(-1, 2)
    tops = np.column_stack([places, np.full(len(places), view.board.disc_height)])
    shown = frame.to_shown(view.camera.project(tops)) if len(places) else np.zeros((0, 2))
    size = radius * view.px_per_mm(np.zeros(2))
    apart = np.linalg.norm(shown[:, None] - discs[None], axis=2).min(1, initial=np.inf) / size
    clear = (apart < SAME) | (apart > AMBIGUOUS)
    return seen[clear], (apart < SAME)[clear].astype(float)


def fitted(seen: Array, there: Array) -> Array:
    """Coefficients (K + 1,), the last one constant, of a logistic regression with a weak ridge."""
    design = np.column_stack([seen, np.ones(len(seen))])
    ridge = RIDGE * np.diag([1.0] * seen.shape[1] + [1e-6])
    w = np.zeros(design.shape[1])
    for _ in range(60):
        p = 1 / (1 + np.exp(-design @ w))
        w -= np.linalg.solve((design * (p * (1 - p))[:, None]).T @ design + ridge, design.T @ (p - there) + ridge @ w)
    return np.asarray(w)


def judge(seen: Array, there: Array, part: NDArray[np.intp], names: tuple[str, ...]) -> None:
    """Print coefficients over all cases, and how well four parts' do on the fifth."""
    chance = np.zeros(len(there))
    for p in range(PARTS):
        w = fitted(seen[part != p], there[part != p])
        chance[part == p] = 1 / (1 + np.exp(-np.column_stack([seen[part == p], np.ones((part == p).sum())]) @ w))
    loss = -np.log(np.where(there > 0, chance, 1 - chance) + 1e-9).mean()
    unsure = ((chance > 0.02) & (chance < 0.98)).mean()
    wrong = ((chance < 0.5) & (there == 1)).sum(), ((chance > 0.5) & (there == 0)).sum()
    print(
        f"log loss {loss:.4f}, between 2 and 98 % {unsure:.3f}, discs below a half {wrong[0]}, others above {wrong[1]}"
    )
    w = fitted(seen, there)
    print("  " + "; ".join(f"{n} {v:.2f}" for n, v in zip(names, w, strict=False)) + f"; offset {w[-1]:.2f}")


def main() -> None:
    """Collect, judge, fit, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    seen, there, part = [], [], []
    boards = [path for path in scene_files() if not json.loads(path.read_text()).get("nothing")]
    for path in boards[:: options.every]:
        try:
            a, b = cases_of(path)
        except TableError as error:
            print(f"{path.name}: {error}")
            continue
        seen.append(a)
        there.append(b)
        part += [zlib.crc32(path.stem.encode()) % PARTS] * len(b)
    x, y, k = np.concatenate(seen), np.concatenate(there), np.array(part)
    print(f"{len(y)} cases, {int(y.sum())} discs")
    judge(x, y, k, NAMES)
    judge(x[:, 1:], y, k, NAMES[1:])


if __name__ == "__main__":
    main()

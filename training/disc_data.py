"""Samples for the disc network: drawn scenes and path-traced ones, spoilt like real pictures, with their targets."""

import json
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import BoardModel
from calibration.camera import Camera
from calibration.scale import Scale
from calibration.view import BoardView
from training.disc_world import Piece, Scene
from vision.disc_canonical import SIZE, canonical_picture, frame_of, guide_channels
from vision.disc_net import STATES, STRIDE

IGNORED_VISIBLE = 0.35
"""Path-traced discs less visible than this count neither way."""
HOLE_WEIGHT, HOLE_CELLS = 3.0, 4.0
"""The heat weighs more within so many cells of the centre: what lies in the hole is hard to tell."""
GRAIN = np.random.default_rng(0).standard_normal((768, 768, 3), dtype=np.float32)
"""Sensor noise of unit variance, of which every picture takes another window."""


def scene_view(truth: dict[str, object]) -> BoardView:
    """Return the true view of a path-traced scene's truth."""
    t: dict = truth  # type: ignore[type-arg]
    board = t["board"]
    by_name = {line["name"]: line for line in board["lines"]}
    fifteen, ten, shooting = (by_name[n] for n in ("15/10", "10/5", "shooting"))
    disc = t["discs"][0] if t["discs"] else {"diameter": 31.75, "thickness": 9.5}
    radii = (line["nominal_radius"] for line in (shooting, ten, fifteen))
    hole, edge = board["hole"]["diameter"] / 2, board["surface_radius"]
    model = BoardModel("truth", *radii, hole, (2.0, 2.0, 2.0), edge, disc["diameter"] / 2, disc["thickness"])
    camera = Camera(
        np.array(t["K"]), np.array(t["dist"], float), np.array(t["rvec"], float), np.array(t["tvec"], float),
        t["width"], t["height"],
    )  # fmt: skip
    return BoardView(camera, model, Scale("board", detail="truth"), 0.0)


def load_scene(path: Path) -> Scene | None:
    """Path-traced scene in the canonical frame from its full truth; None where the picture shows no board."""
    t = json.loads(path.read_text())
    if t.get("nothing"):
        return None
    view = scene_view(t)
    picture = cv2.imread(str(path.with_name(t["image"])))
    frame = frame_of(view)
    soft = json.loads(path.with_suffix(".truth.json").read_text())
    unsure = [d["px"] for d in soft["discs"] if d.get("unsure")]
    pieces = []
    for d in t["discs"]:
        if d["state"] not in STATES or not d["in_frame"]:
            continue
        centre, axis = np.array(d["centre_mm"]), np.array(d["axis"]) * np.sign(d["axis"][2] or 1)
        half = d["thickness"] / 2
        point = {"board": centre - half * axis, "leaning": centre}.get(d["state"], centre + half * axis)
        px = frame.from_board(view.to_mm(view.camera.project(point[None])))[0]
        near = any(np.hypot(*(np.array(u) - d["top_centre_px"])) < 4 for u in unsure)
        radius = d["diameter"] / 2 / frame.scale * SIZE / 800
        hidden = d["visible_fraction"] < IGNORED_VISIBLE or near
        pieces.append(Piece((float(px[0]), float(px[1])), d["state"], radius, bool(hidden)))
    return Scene(canonical_picture(np.asarray(picture, np.uint8), view, frame), frame.foot, frame.height, pieces)


def spoil(rng: np.random.Generator, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What cameras and codecs do: colour, gamma, coarse and uneven resolution, blur, sharpening, noise, JPEG."""
    curve = np.linspace(0, 1, 256, dtype=np.float32)[:, None].repeat(3, axis=1)
    if rng.random() < 0.8:
        curve = curve ** np.float32(np.exp(rng.normal(0, 0.25))) * np.float32(np.exp(rng.normal(0, 0.15)))
        curve *= np.exp(rng.normal(0, 0.09, 3)).astype(np.float32)
    x = np.asarray(cv2.LUT(picture, curve[:, None, :].transpose(1, 0, 2)), np.float32)
    if rng.random() < 0.3:
        grey = x.mean(axis=2, keepdims=True)
        x = grey + (x - grey) * rng.uniform(0, 1.6)
    if rng.random() < 0.25:
        x = x * rng.uniform(0.3, 1) + rng.uniform(0, 0.25)
    h, w = x.shape[:2]
    if rng.random() < 0.65:
        s = rng.uniform(0.28, 1)
        fy = s * (rng.uniform(0.4, 1) if rng.random() < 0.4 else 1)
        small = cv2.resize(x, (max(8, round(w * s)), max(8, round(h * fy))), interpolation=cv2.INTER_AREA)
        if rng.random() < 0.3:
            small = small + rng.uniform(0.3, 1.5) * (small - cv2.GaussianBlur(small, (0, 0), 1.0))
        x = _noise(rng, small)
        x = _jpeg(rng, x)
        x = cv2.resize(x, (w, h), interpolation=cv2.INTER_LINEAR if rng.random() < 0.5 else cv2.INTER_CUBIC)
    else:
        if rng.random() < 0.4:
            x = cv2.GaussianBlur(x, (0, 0), rng.uniform(0.3, 1.6))
        elif rng.random() < 0.4:
            x = x + rng.uniform(0.3, 1.8) * (x - cv2.GaussianBlur(x, (0, 0), 1.2))
        x = _jpeg(rng, _noise(rng, x))
    return np.asarray(np.clip(x * 255, 0, 255), np.uint8)


def _noise(rng: np.random.Generator, x: NDArray[np.float32]) -> NDArray[np.float32]:
    if rng.random() < 0.6:
        i, j = rng.integers(0, len(GRAIN) - max(x.shape[:2]) + 1, 2)
        x = x + np.float32(rng.uniform(0, 0.035)) * GRAIN[i : i + x.shape[0], j : j + x.shape[1]]
    return np.clip(x, 0, 1)


def _jpeg(rng: np.random.Generator, x: NDArray[np.float32]) -> NDArray[np.float32]:
    if rng.random() < 0.6:
        code = cv2.imencode(
            ".jpg", np.asarray(x * 255, np.uint8), [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 95))]
        )[1]
        x = cv2.imdecode(code, cv2.IMREAD_COLOR).astype(np.float32) / 255
    return x


def warp(rng: np.random.Generator, scene: Scene, x0: int, y0: int, size: int) -> tuple[NDArray[np.uint8], list[Piece]]:
    """Window of the picture, and the truth in the whole picture, as a slightly wrong board solution shows them.

    Mirrored at random across the camera's axis.
    """
    flat = abs(scene.foot[1]) < 0.12 * scene.height  # from nearly straight above every turn is as likely
    turn = rng.uniform(0, 360) if flat else rng.normal(0, 6)
    m = cv2.getRotationMatrix2D((SIZE / 2 - 0.5, SIZE / 2 - 0.5), turn, float(np.exp(rng.normal(0, 0.015))))
    m[:, 2] += rng.normal(0, 0.9, 2)
    if rng.random() < 0.5:
        m = m @ np.array([[-1, 0, SIZE - 1], [0, 1, 0], [0, 0, 1.0]])
    scale = float(np.sqrt(abs(np.linalg.det(m[:, :2]))))
    moved = []
    for p in scene.pieces:
        x, y = m[:, :2] @ np.array(p.xy) + m[:, 2]
        moved.append(Piece((float(x), float(y)), p.state, p.radius_px * scale, p.ignored))
    m[:, 2] -= (x0, y0)
    picture = cv2.warpAffine(scene.picture, m, (size, size), flags=cv2.INTER_LINEAR)
    return np.asarray(picture, np.uint8), moved


def targets(pieces: list[Piece], x0: int, y0: int, size: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Target maps of a window (x0, y0, size) of the canonical picture.

    Heat (len(STATES), n, n) in 0..1, n = size / STRIDE, and aims (5, n, n): the offset to the disc's point in cells
    (x, y), log of its radius over 10 px, the weight of these three, and the weight of the heat.
    """
    n = size // STRIDE
    heat = np.zeros((len(STATES), n, n), np.float32)
    aims = np.zeros((5, n, n), np.float32)
    yy, xx = np.mgrid[0:n, 0:n].astype(np.float32)
    centre = ((SIZE - 1) / 2 - np.array([x0, y0]) + 0.5) / STRIDE - 0.5
    aims[4] = 1 + (HOLE_WEIGHT - 1) * (np.hypot(xx - centre[0], yy - centre[1]) < HOLE_CELLS)
    for p in pieces:
        cx, cy = ((v - o + 0.5) / STRIDE - 0.5 for v, o in zip(p.xy, (x0, y0), strict=True))
        if not (-3 < cx < n + 3 and -3 < cy < n + 3):
            continue
        d2 = (xx - cx) ** 2 + (yy - cy) ** 2
        if p.ignored:
            aims[4][d2 < (p.radius_px / STRIDE) ** 2 * 1.4] = 0
            continue
        bump = np.exp(-d2 / (2 * 0.8**2))
        k = STATES.index(p.state)
        i, j = int(np.clip(round(cy), 0, n - 1)), int(np.clip(round(cx), 0, n - 1))
        if -0.5 <= cx <= n - 0.5 and -0.5 <= cy <= n - 0.5:
            bump[i, j] = 1.0
        heat[k] = np.maximum(heat[k], bump)
        near = (d2 < 1.6**2) & (bump > aims[3])
        aims[0][near], aims[1][near] = (cx - xx)[near], (cy - yy)[near]
        aims[2][near] = np.log(p.radius_px / 10)
        aims[3][near] = bump[near]
    return heat, aims


def sample(
    rng: np.random.Generator, scene: Scene, size: int, hole: float = 0.45
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Input (5, size, size), heat and aims of a random window; with chance ``hole`` the centre hole is in it."""
    pad = size // 2 - 40 if rng.random() < hole else (SIZE - size) // 2
    middle = (SIZE - size) // 2
    shift = np.clip(middle + rng.integers(-pad, pad + 1, 2), 0, SIZE - size) // STRIDE * STRIDE
    x0, y0 = int(shift[0]), int(shift[1])
    picture, pieces = warp(rng, scene, x0, y0, size)
    window = spoil(rng, picture)
    guide = guide_channels(scene.foot, scene.height, (x0, y0, size))
    x = np.concatenate([window.transpose(2, 0, 1).astype(np.float32) / 127.5 - 1, guide])
    heat, aims = targets(pieces, x0, y0, size)
    return x, heat, aims

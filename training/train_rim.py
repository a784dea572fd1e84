"""Train the network that tells whether a disc's rim runs around a place.

    python -m training.train_rim --cache FOLDER [--hold-out 4] [--out vision/weights/rim.onnx]

Needs torch and onnx. Patches as the gap network's (``training.gap_data``), of discs, and of places without one: at
random, beside discs, on lines and posts, where the first disc network is fooled, and anywhere in pictures of other
games; from the path-traced scenes under ``$REFEREE_DATA`` and from drawn boards. With ``--hold-out N`` every N-th scene
is left out.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from calibration.boards import BUILT_IN
from calibration.camera import Array, Camera
from calibration.view import BoardView
from training.drawn_boards import draw_scene
from training.gap_data import DATA, Scene, jittered_view, read_scene, scene_files
from training.gap_net import NARROW, WRAP, augmented
from vision import disc_net
from vision.contact_patch import ANGLES, CHANNELS, STEPS, Cylinders, prepare
from vision.disc_canonical import canonical_picture, frame_of
from vision.disc_rim import BATCH, on_edges

LOOKS, DRAWN_SCENES, DRAWN_LOOKS = 10, 260, 2
VERTICAL_DEG, DISTANCE_LOG = 8.0, (-0.4, 1.2)
"""Below this tilt the distance is taken for exp of so much as far: cropped pictures are seen from far."""
CLEAR_RADII = 0.6
"""A place so many radii or more from every disc shows none."""
START_MM = 2.2
SAMPLES, BATCH_SIZE, RATE = 150_000, 128, 2e-3
TRACED_SHARE, FOREIGN_SHARE = 0.55, 0.12
FOREIGN, FOREIGN_LOOKS, FOREIGN_PLACES = ("cards", "dice", "dodecas"), 4, 14
FALSE_FLOOR = 0.04

Data = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]


class RimNet(nn.Module):
    """(N, CHANNELS, ANGLES + 2 WRAP, STEPS) in 0..1 to (N, 1) log odds of a disc."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for c, d, stride in ((CHANNELS, 24, (2, 2)), (24, 32, (2, 2)), (32, 48, (1, 1)), (48, NARROW, (1, 1))):
            k = 1 if d == NARROW else 3
            layers += [nn.Conv2d(c, d, k, stride, k // 2, bias=False), nn.BatchNorm2d(d), nn.ReLU()]
        self.features = nn.Sequential(*layers, nn.Dropout(0.15))
        self.dense = nn.Linear(NARROW * ((ANGLES + 2 * WRAP) // 4) * (STEPS // 4), 64)
        self.out = nn.Linear(64, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Run the network."""
        return self.out(functional.relu(self.dense(self.features(x).flatten(1))))


def bare_places(rng: np.random.Generator, view: BoardView, discs: Array, radius: float, false: Array) -> Array:
    """Places (N, 2) in mm on the surface that show no disc; ``discs`` (M, 2) are where one is."""
    board = view.board
    reach = 1.06 * board.shooting

    def ring(count: int, r: Array) -> Array:
        a = rng.uniform(0, 2 * np.pi, count)
        return np.column_stack([r * np.cos(a), r * np.sin(a)])

    places = [ring(6, reach * np.sqrt(rng.uniform(0, 1, 6)))]
    places.append(ring(3, rng.choice(np.array(board.radii), 3) + rng.normal(0, 2, 3)))
    places.append(rng.normal(0, 1.5, (1, 2)))
    if len(discs):
        some = discs[rng.integers(0, len(discs), 4)]
        places.append(some + ring(4, radius * rng.uniform(0.65, 2.0, 4)))
    if len(false):
        places.append(false[rng.integers(0, len(false), 6)] + rng.normal(0, 1.0, (6, 2)))
    every = np.concatenate(places)
    if len(discs):
        gap = np.linalg.norm(every[:, None] - discs[None], axis=2).min(1)
        every = every[gap > CLEAR_RADII * radius]
    return np.asarray(every)


def distance_unknown(view: BoardView, rng: np.random.Generator) -> BoardView:
    """The view of a nearly vertical camera with focal length and distance both off: its lines can't tell them apart."""
    camera = view.camera
    if camera.tilt_deg > VERTICAL_DEG or rng.random() < 0.5:
        return view
    k = float(np.exp(rng.uniform(*DISTANCE_LOG)))
    K = camera.K.copy()
    K[[0, 1], [0, 1]] *= k
    return replace(view, camera=replace(camera, K=K, tvec=camera.tvec * np.array([1.0, 1.0, k])))


def looks_at(scene: Scene, rng: np.random.Generator, discs: Array, false: Array) -> tuple[NDArray[np.uint8], list[int]]:
    """One look at a scene: patches of its discs and of bare places, and what they are."""
    view = distance_unknown(jittered_view(scene.view, rng), rng)
    parts, kinds = [], []
    for true in scene.groups:
        if true.base != 0.0:
            continue
        n = len(true)
        a, r = rng.uniform(0, 2 * np.pi, n), START_MM * np.sqrt(rng.uniform(0, 1.3, n))
        places = true.centres + np.column_stack([r * np.cos(a), r * np.sin(a)])
        radius = float(true.radius[0]) * float(np.exp(rng.normal(0, 0.03)))
        bare = bare_places(rng, view, discs, radius, false)
        every = np.concatenate([places, bare])
        height = float(true.height[0]) + rng.normal(0, 0.7)
        small, factor = prepare(scene.image, view, every)
        solids = Cylinders(every, np.full(len(every), radius), np.full(len(every), height))
        parts.append(on_edges(small, factor, view, solids)[0])
        kinds += [1] * n + [0] * len(bare)
    if not parts:
        return np.zeros((0, CHANNELS, ANGLES, STEPS), np.uint8), []
    return np.concatenate(parts), kinds


def fooled(scene: Scene, discs: Array) -> Array:
    """Places (N, 2) in mm where the first disc network sees something that is no disc."""
    frame = frame_of(scene.view)
    picture = canonical_picture(scene.image, scene.view, frame)
    found = disc_net.peaks(disc_net.run_network(picture, frame), FALSE_FLOOR)
    xy = np.array([c.xy for c in found]).reshape(-1, 2)
    places = frame.to_board(xy) if len(xy) else np.zeros((0, 2))
    if len(discs) and len(places):
        places = places[np.linalg.norm(places[:, None] - discs[None], axis=2).min(1) > scene.view.board.disc_radius]
    return np.asarray(places)


def data_of(name: str) -> Data:
    """Patches, kinds and scene numbers of all traced or drawn scenes."""
    patches, kinds, numbers = [], [], []
    sources = scene_files() if name == "traced" else list(range(DRAWN_SCENES))
    number = 0
    for k, source in enumerate(sources):
        scene = read_scene(source) if isinstance(source, Path) else draw_scene(source)
        if scene is None:
            continue
        if isinstance(source, Path):
            truth = json.loads(source.read_text())
            discs = np.array([d["centre_mm"][:2] for d in truth["discs"]]).reshape(-1, 2)
            false = fooled(scene, discs)
        else:
            discs = np.concatenate([g.centres for g in scene.groups]) if scene.groups else np.zeros((0, 2))
            false = np.zeros((0, 2))
        rng = np.random.default_rng([11, k])
        for _ in range(LOOKS if name == "traced" else DRAWN_LOOKS):
            p, c = looks_at(scene, rng, discs, false)
            patches.append(p)
            kinds += c
            numbers += [number if name == "traced" else -1] * len(c)
        number += 1
    return np.concatenate(patches), np.array(kinds), np.array(numbers)


def foreign_data() -> Data:
    """Patches of pictures of other games: letters, pips, spots, tables; nothing in them is a disc."""
    patches = []
    files = sorted(p for f in FOREIGN for p in (DATA / "scenes" / f).glob("*.jpg"))
    for k, path in enumerate(files):
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise FileNotFoundError(path)
        h, w = image.shape[:2]
        rng = np.random.default_rng([12, k])
        for _ in range(FOREIGN_LOOKS):
            tilt, turn, size = np.radians(rng.uniform(0, 55)), rng.uniform(0, 2 * np.pi), max(h, w)
            f, far = size * rng.uniform(0.7, 1.4), rng.uniform(900, 2000)
            down = np.diag([1.0, -1.0, -1.0])
            lean = (
                np.asarray(cv2.Rodrigues(np.array([tilt, 0, 0]))[0]) @ down @ cv2.Rodrigues(np.array([0, 0, turn]))[0]
            )
            K = np.array([[f, 0, (w - 1) / 2], [0, f, (h - 1) / 2], [0, 0, 1.0]])
            camera = Camera(K, np.zeros(5), cv2.Rodrigues(lean)[0].ravel(), np.array([0.0, 0.0, far]), w, h)
            view = BoardView(camera, BUILT_IN["nca"], "foreign", 0.0)
            px = rng.uniform([0.1 * w, 0.1 * h], [0.9 * w, 0.9 * h], (FOREIGN_PLACES, 2))
            places = view.to_mm(px)
            radius = float(rng.uniform(10, 22))
            small, factor = prepare(np.asarray(image, np.uint8), view, places)
            solids = Cylinders(places, np.full(len(places), radius), np.full(len(places), 0.6 * radius))
            patches.append(on_edges(small, factor, view, solids)[0])
    x = np.concatenate(patches)
    return x, np.zeros(len(x), np.int64), np.full(len(x), -1)


def cached(folder: Path, name: str) -> Data:
    """Data by name, made once and kept."""
    file = folder / f"rim_{name}.npz"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        patches, kinds, numbers = foreign_data() if name == "foreign" else data_of(name)
        np.savez(file, patches=patches, kinds=kinds, numbers=numbers)
    kept = np.load(file)
    return kept["patches"], kept["kinds"], kept["numbers"]


def report(net: RimNet, data: Data, pick: NDArray[np.int64]) -> str:
    """How well held-out samples are told apart."""
    net.eval()
    p = []
    with torch.no_grad():
        for i in range(0, len(pick), 256):
            x = torch.from_numpy(data[0][pick[i : i + 256]]).float() / 255
            p.append(torch.sigmoid(net(torch.cat([x[:, :, -WRAP:], x, x[:, :, :WRAP]], dim=2))).numpy()[:, 0])
    net.train()
    q, y = np.concatenate(p), data[1][pick]
    loss = -np.log(np.where(y == 1, q, 1 - q) + 1e-9).mean()
    missed, false = (q[y == 1] < 0.5).mean(), (q[y == 0] > 0.5).mean()
    return f"held out: discs missed {missed:.4f}, false {false:.4f}, log loss {loss:.4f}"


def export(net: RimNet, path: Path) -> None:
    """Write the network as ONNX, for BATCH patches at a time."""
    net.eval()
    example = torch.zeros(BATCH, CHANNELS, ANGLES + 2 * WRAP, STEPS)
    torch.onnx.export(
        net, (example,), str(path), input_names=["patches"], output_names=["odds"], opset_version=13, dynamo=False
    )


def main() -> None:
    """Train, judge, export."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--hold-out", type=int, default=0)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--out", type=Path, default=Path("vision/weights/rim.onnx"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(0)
    rng, noise = np.random.default_rng(0), torch.Generator().manual_seed(0)
    traced, made, other = (cached(options.cache, name) for name in ("traced", "drawn", "foreign"))
    out = traced[2] % options.hold_out == 0 if options.hold_out else np.zeros(len(traced[2]), bool)
    mine, held = np.nonzero(~out)[0], np.nonzero(out)[0]
    net = RimNet().to(memory_format=torch.channels_last)
    steps = options.samples // BATCH_SIZE
    tune = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=2e-3)
    plan = torch.optim.lr_scheduler.OneCycleLR(tune, RATE, total_steps=steps, pct_start=0.1)
    total, count, strange = 0.0, int(BATCH_SIZE * TRACED_SHARE), int(BATCH_SIZE * FOREIGN_SHARE)
    for step in range(steps):
        a, b = rng.choice(mine, count), rng.integers(0, len(made[1]), BATCH_SIZE - count - strange)
        c = rng.integers(0, len(other[1]), strange)
        x = torch.from_numpy(np.concatenate([traced[0][a], made[0][b], other[0][c]]))
        y = torch.from_numpy(np.concatenate([traced[1][a], made[1][b], other[1][c]])).float()
        x, _ = augmented(x, torch.zeros(len(x), 4), noise)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            said = net(x.to(memory_format=torch.channels_last))
        loss = functional.binary_cross_entropy_with_logits(said.float()[:, 0], y * 0.98 + 0.01)
        tune.zero_grad()
        loss.backward()
        tune.step()
        plan.step()
        total += float(loss.detach())
        if step % 200 == 199:
            words = report(net, traced, held) if len(held) else ""
            print(f"{step + 1}/{steps} loss {total / 200:.4f} {words}", flush=True)
            total = 0.0
    export(net, options.out)


if __name__ == "__main__":
    main()

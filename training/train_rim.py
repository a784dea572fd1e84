"""Train the network that tells whether a disc's rim runs around a place.

    python -m training.trace_boards --out WINDOWS --count 400
    python -m training.train_rim --cache FOLDER --windows WINDOWS [--hold-out 1] [--out vision/weights/rim.onnx]

Needs torch and onnx. Patches as the gap network's (``training.gap_data``), of discs, and of places without one: at
random, beside discs, on lines and posts, where the first disc network is fooled, and anywhere in pictures of other
games; from the path-traced scenes under ``$REFEREE_DATA``, path-traced windows (``training.trace_boards``) and drawn
boards. With ``--hold-out N`` every N-th scene is left out: with 1 all of them.
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
from training.gap_data import DATA, Scene, in_window, jittered_view, read_scene, scene_files, window_files
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
SAMPLES, BATCH_SIZE, RATE = 400_000, 128, 2e-3
SHARES = {"traced": 0.3, "windows": 0.35, "drawn": 0.23, "foreign": 0.12}
"""Of each batch."""
SMOOTHING = 0.004
"""What is taken from each answer's certainty: more would let no reading be surer than that."""
WINDOW_LOOKS, SPOT_LOOKS, SPOT_SPREAD_MM = 10, 2, 1.5
REACH_MM = 8.0
"""A patch shows so much beyond a disc's outline."""
EMPTY_RADII = 1.9
"""A hole with no disc nearer than so many radii to its middle shows only its floor."""
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


def start_error(rng: np.random.Generator, n: int) -> Array:
    """Where the first networks put N discs, beside the truth (N, 2) in mm."""
    a, r = rng.uniform(0, 2 * np.pi, n), START_MM * np.sqrt(rng.uniform(0, 1.3, n))
    return np.column_stack([r * np.cos(a), r * np.sin(a)])


def unrolled(
    scene: Scene, view: BoardView, rng: np.random.Generator, places: Array, size: tuple[float, float]
) -> NDArray[np.uint8]:
    """Patches at places (N, 2) in mm for discs of a true (radius, height) in mm, both somewhat off."""
    radius, height = size[0] * float(np.exp(rng.normal(0, 0.03))), size[1] + rng.normal(0, 0.7)
    small, factor = prepare(scene.image, view, places)
    solids = Cylinders(places, np.full(len(places), radius), np.full(len(places), height))
    return on_edges(small, factor, view, solids)[0]


def looks_at(scene: Scene, rng: np.random.Generator, discs: Array, false: Array) -> tuple[NDArray[np.uint8], list[int]]:
    """One look at a scene: patches of its discs and of bare places, and what they are."""
    view = distance_unknown(jittered_view(scene.view, rng), rng)
    parts, kinds = [], []
    for true in scene.groups:
        if true.base != 0.0:
            continue
        size = float(true.radius[0]), float(true.height[0])
        bare = bare_places(rng, view, discs, size[0], false)
        parts.append(
            unrolled(scene, view, rng, np.concatenate([true.centres + start_error(rng, len(true)), bare]), size)
        )
        kinds += [1] * len(true) + [0] * len(bare)
    if not parts:
        return np.zeros((0, CHANNELS, ANGLES, STEPS), np.uint8), []
    return np.concatenate(parts), kinds


def window_data(folder: Path) -> Data:
    """Patches of path-traced windows: discs, prints, and the floors of empty holes."""
    patches: list[NDArray[np.uint8]] = []
    kinds: list[int] = []
    for k, path in enumerate(window_files(folder, "th")):
        scene, truth = read_scene(path), json.loads(path.read_text())
        if scene is None:
            continue
        rng = np.random.default_rng([13, k])
        size = scene.view.board.disc_radius, scene.view.board.disc_height
        every = np.array([d["centre_mm"][:2] for d in truth["discs"]]).reshape(-1, 2)
        flat = np.concatenate([g.centres for g in scene.groups if g.base == 0.0] or [np.zeros((0, 2))])
        flat = flat[[in_window(truth, scene.view, c, size[0] + REACH_MM) for c in flat]]
        bare = [np.array(s) for s in truth["spots"] if far_from(every, np.array(s), 1.2 * size[0])] * SPOT_LOOKS
        shown = in_window(truth, scene.view, np.zeros(2), size[0] + REACH_MM)
        if shown and far_from(every, np.zeros(2), EMPTY_RADII * size[0]):
            bare.append(np.zeros(2))
        marks = np.array(bare).reshape(-1, 2)
        for _ in range(WINDOW_LOOKS if len(flat) + len(marks) else 0):
            view = distance_unknown(jittered_view(scene.view, rng), rng)
            off = rng.normal(0, SPOT_SPREAD_MM, marks.shape)
            places = np.concatenate([flat + start_error(rng, len(flat)), marks + off])
            patches.append(unrolled(scene, view, rng, places, size))
            kinds += [1] * len(flat) + [0] * len(marks)
    x = np.concatenate(patches)
    return x, np.array(kinds), np.full(len(x), -1)


def far_from(discs: Array, place: Array, least: float) -> bool:
    """Whether a place (2,) in mm keeps ``least`` from all discs (N, 2)."""
    return not len(discs) or float(np.linalg.norm(discs - place, axis=1).min()) > least


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


def cached(folder: Path, name: str, windows: Path) -> Data:
    """Data by name, made once and kept."""
    file = folder / f"rim_{name}.npz"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        if name == "windows":
            patches, kinds, numbers = window_data(windows)
        else:
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
    parser.add_argument("--windows", type=Path, required=True)
    parser.add_argument("--hold-out", type=int, default=0)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--out", type=Path, default=Path("vision/weights/rim.onnx"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(0)
    rng, noise = np.random.default_rng(0), torch.Generator().manual_seed(0)
    data = {name: cached(options.cache, name, options.windows) for name in SHARES}
    numbers = data["traced"][2]
    out = numbers % options.hold_out == 0 if options.hold_out else np.zeros(len(numbers), bool)
    held = np.nonzero(out)[0]
    pools = {name: np.arange(len(d[1])) for name, d in data.items()} | {"traced": np.nonzero(~out)[0]}
    shares = {n: s / sum(v for m, v in SHARES.items() if len(pools[m])) for n, s in SHARES.items() if len(pools[n])}
    net = RimNet().to(memory_format=torch.channels_last)
    steps = options.samples // BATCH_SIZE
    tune = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=2e-3)
    plan = torch.optim.lr_scheduler.OneCycleLR(tune, RATE, total_steps=steps, pct_start=0.1)
    total = 0.0
    for step in range(steps):
        picks = [(data[n], rng.choice(pools[n], round(BATCH_SIZE * share))) for n, share in shares.items()]
        x = torch.from_numpy(np.concatenate([d[0][pick] for d, pick in picks]))
        y = torch.from_numpy(np.concatenate([d[1][pick] for d, pick in picks])).float()
        x, _ = augmented(x, torch.zeros(len(x), 4), noise)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            said = net(x.to(memory_format=torch.channels_last))
        loss = functional.binary_cross_entropy_with_logits(said.float()[:, 0], y * (1 - 2 * SMOOTHING) + SMOOTHING)
        tune.zero_grad()
        loss.backward()
        tune.step()
        plan.step()
        total += float(loss.detach())
        if step % 200 == 199:
            words = report(net, data["traced"], held[::5]) if len(held) else ""
            print(f"{step + 1}/{steps} loss {total / 200:.4f} {words}", flush=True)
            total = 0.0
    export(net, options.out)


if __name__ == "__main__":
    main()

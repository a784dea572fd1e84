"""Speed and memory of reading one picture, against the goals; ratios below 1 are better than the goal.

One core: OpenCV and the linear algebra are held to one thread. Warm: the median of several readings in one process.
Cold: a whole ``referee read --json`` process.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cv2

from referee.crokinole_reader import read_crokinole
from vision.frames import load_picture

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "sample_images" / "01_from_above.jpg"
SIZES = {"1920x1080": ((1920, 1080), 250.0), "4000x3000": ((4000, 3000), 900.0)}
GOAL_COLD_MS = 1500.0
GOAL_MEMORY_MB = 500.0

PEAK = """
import resource, sys
from referee.cli import main
status = main(["read", sys.argv[1], "--json"])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, file=sys.stderr)
sys.exit(status)
"""


def picture_of(size: tuple[int, int], folder: Path) -> Path:
    """Write the sample picture enlarged to fill ``size``, as a camera's JPEG of that size."""
    image = cv2.imread(str(PICTURE))
    height, width = image.shape[:2]
    scale = max(size[0] / width, size[1] / height)
    large = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    if large.shape[:2] != size[::-1]:  # 4:3: the board keeps its place in the middle
        scale = size[0] / width
        large = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
        pad = size[1] - large.shape[0]
        large = cv2.copyMakeBorder(large, pad // 2, pad - pad // 2, 0, 0, cv2.BORDER_REFLECT)
    path = folder / f"{size[0]}x{size[1]}.jpg"
    cv2.imwrite(str(path), large, [cv2.IMWRITE_JPEG_QUALITY, 92])
    return path


def warm(path: Path, rounds: int) -> tuple[float, float, dict[str, float]]:
    """Median milliseconds of a reading, decoding included; of processor time alone; of its stages."""
    totals: list[float] = []
    busy: list[float] = []
    stages: dict[str, list[float]] = {}
    for _ in range(rounds + 1):
        start, worked = time.perf_counter(), time.process_time()
        frame = load_picture(path)
        loaded = time.perf_counter()
        reading = read_crokinole(frame)
        totals.append(1000 * (time.perf_counter() - start))
        busy.append(1000 * (time.process_time() - worked))
        for name, ms in {"load": 1000 * (loaded - start), **reading.stages_ms}.items():
            stages.setdefault(name, []).append(ms)
    medians = statistics.median(totals[1:]), statistics.median(busy[1:])
    return *medians, {name: statistics.median(v[1:]) for name, v in stages.items()}


def cold(path: Path, rounds: int) -> float:
    """Median milliseconds of a whole process."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "referee.cli", "read", str(path), "--json"], capture_output=True, check=True
        )
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def peak_memory(path: Path) -> float:
    """Peak resident memory in MB of a whole process."""
    run = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
    return float(run.stderr.strip().splitlines()[-1])


def report(what: str, value: float, goal: float, unit: str) -> dict[str, float | str]:
    """Print one figure beside its goal."""
    print(f"{what:34} {value:8.0f} {unit:3} goal {goal:6.0f}   ratio {value / goal:5.2f}")
    return {"what": what, "value": round(value, 1), "unit": unit, "goal": goal, "ratio": round(value / goal, 3)}


def main() -> int:
    """Run all measurements; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--save", action="store_true", help="store the figures in benchmarks/results/speed.json")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: picture_of(size, Path(folder)) for name, (size, _) in SIZES.items()}
        for name, path in paths.items():
            total, busy, stages = warm(path, options.rounds)
            figures.append(report(f"{name} warm, one core", total, SIZES[name][1], "ms"))
            print(
                f"    processor time {busy:.0f} ms; "
                + "   ".join(f"{stage} {ms:.0f} ms" for stage, ms in stages.items())
            )
        figures.append(report("1920x1080 cold, whole command", cold(paths["1920x1080"], 3), GOAL_COLD_MS, "ms"))
        figures.append(report("4000x3000 peak memory", peak_memory(paths["4000x3000"]), GOAL_MEMORY_MB, "MB"))
    if options.save:
        target = ROOT / "benchmarks" / "results" / "speed.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

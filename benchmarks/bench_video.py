"""Scoring a video against decoding it alone, and whether its memory grows with the length: ratios of one run.

Makes a 1080p30 H.264 file out of the test clip, several times in a row, or takes a file of yours. Speed is decoding
alone (PyAV, threads as it likes) over the whole pipeline, by wall clock and by processor time; the goal is 0.75.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np

from calibration.hints import BoardHints
from referee.officials.crokinole import CrokinoleOfficial
from vision.cores import shared_cores
from vision.video import VideoFile

ROOT = Path(__file__).parents[1]
CLIP = ROOT / "tests" / "video" / "four_shots.mp4"
CLIP_LINE_MM = 236.0
SIZE = (1920, 1080)
RATE = 30
GOAL_SPEED = 0.75
GOAL_MEMORY_MB = 600.0
GOAL_GROWTH = 1.1
"""The longer file may take this many times the memory of the shorter one: a shot's picture and board are kept."""


def enlarged(clip: Path, times: int, out: Path) -> Path:
    """Write the clip ``times`` times in a row at 1080p30, as H.264 of a camera's usual quality."""
    with av.open(str(out), "w") as target:
        stream = target.add_stream("libx264", rate=RATE, options={"crf": "21", "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        k = 0
        for _ in range(times):
            with VideoFile(clip) as source:
                for small in source.frames():
                    large = np.asarray(cv2.resize(small.pixels, SIZE, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
                    frame = av.VideoFrame.from_ndarray(large, format="bgr24")
                    frame.pts, frame.time_base = k, Fraction(1, RATE)
                    target.mux(stream.encode(frame))
                    k += 1
        target.mux(stream.encode(None))
    return out


def decode(path: Path) -> int:
    """Decode every frame and do nothing with it; returns their number."""
    with VideoFile(path) as video:
        return sum(1 for _ in video.frames())


def pipeline(path: Path, line_mm: float | None) -> int:
    """Watch, read and judge the whole file; returns the number of shots."""
    official = CrokinoleOfficial(hints=BoardHints(shooting_mm=line_mm))
    with shared_cores() as threads, VideoFile(path, threads) as video, closing(video.frames_ahead()) as frames:
        for frame in frames:
            official.feed(frame)
    official.finish()
    return len(official.ledger.shots)


def child(what: str, path: Path, line_mm: float | None) -> int:
    """Do one of the two in this process and print what it took as JSON."""
    start = time.perf_counter()
    count = decode(path) if what == "decode" else pipeline(path, line_mm)
    wall, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    figures = {"count": count, "wall_s": wall, "cpu_s": used.ru_utime + used.ru_stime, "peak_mb": peak_mb()}
    print(json.dumps(figures))
    return 0


def peak_mb() -> float:
    """The most memory that this process has held, in MB.

    On Linux the figure of ``getrusage`` begins with what the process that started this one held.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(peak.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / (1024 if sys.platform == "darwin" else 1)


def measured(what: str, path: Path, line_mm: float | None) -> dict[str, float]:
    """The figures of one of the two, in a process of its own."""
    command = [sys.executable, __file__, str(path), "--child", what]
    if line_mm is not None:
        command += ["--shooting-line", str(line_mm)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    figures: dict[str, float] = json.loads(run.stdout)
    return figures


def report(what: str, value: float, goal: float, unit: str, more_is_better: bool) -> None:
    """Print one figure beside its goal."""
    kept = value >= goal if more_is_better else value <= goal
    print(f"{what:44} {value:8.2f} {unit:3} goal {goal:6.2f}   {'kept' if kept else 'MISSED'}")


def main() -> int:
    """Run all measurements; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("video", type=Path, nargs="?", help="a file of yours instead of the test clip enlarged")
    parser.add_argument("--shooting-line", type=float, help="radius of its shooting line in mm, if it is no NCA board")
    parser.add_argument("--times", type=int, default=6, help="how many clips long the longer file is")
    parser.add_argument("--child", choices=("decode", "pipeline"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        return child(options.child, options.video, options.shooting_line)
    with tempfile.TemporaryDirectory() as folder:
        short: Path | None = None
        video, line_mm = options.video, options.shooting_line
        if video is None:
            line_mm = CLIP_LINE_MM
            short = enlarged(CLIP, 1, Path(folder) / "short.mp4")
            video = enlarged(CLIP, options.times, Path(folder) / "long.mp4")
        with VideoFile(video) as opened:
            length = opened.info.duration_s or 0.0
        alone, whole = measured("decode", video, line_mm), measured("pipeline", video, line_mm)
        print(f"{video.name}: {length:.0f} s, {alone['count']:.0f} frames, {whole['count']:.0f} shots")
        report("speed over decoding alone, wall clock", alone["wall_s"] / whole["wall_s"], GOAL_SPEED, "", True)
        report("speed over decoding alone, processor time", alone["cpu_s"] / whole["cpu_s"], GOAL_SPEED, "", True)
        report("peak memory", whole["peak_mb"], GOAL_MEMORY_MB, "MB", False)
        if short is not None:
            less = measured("pipeline", short, line_mm)
            words = f"memory of {options.times} clips over that of one"
            report(words, whole["peak_mb"] / less["peak_mb"], GOAL_GROWTH, "", False)
        print(f"    times real time: decoding {length / alone['wall_s']:.1f}, whole {length / whole['wall_s']:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

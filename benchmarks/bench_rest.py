"""From the rest of the table to the screen: how long after the last motion a shot's score is told.

    python benchmarks/bench_rest.py [--video FILE --log FILE] [--paced] [--out FILE]

Watches the shipped sample match frame by frame (or another video with the log of what happened in it). A score is
told with the frame that shows the table at rest for sure, and is read; by then the first frame in which nothing moved
has been read in a thread of its own, so that little is left to be looked at. The time is made of what the table
itself takes (seconds of the video between the true end of the motion and those frames) and of the processor's time of
either thread, one core each, so that what else runs on the machine doesn't count. ``--paced`` plays the video at its
own pace instead and takes the clock's time: what people see on a machine that does nothing else. The news then go to
a browser (``bench_live.py``).
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2

from referee.desk import Desk
from referee.hall import samples_folder
from referee.live import LiveTable
from referee.logfile import options_of, read_log
from referee.officials.registry import official_for
from referee.rules.crokinole import Shot
from referee.store import Store
from referee.watchdog import WatchedSource
from vision import table_reader
from vision.cameras import SourceName, open_source

GOAL_MS = 300
FAST = 1e9
WITHIN_S = 3.0
"""What is told later than this after a rest is about something else."""


@dataclass
class Told:
    """Moments (s) of the video at which something was told, and when that was if each core did nothing else."""

    settling: list[tuple[float, float]] = field(default_factory=list)
    score: list[tuple[float, float]] = field(default_factory=list)
    frames: list[float] = field(default_factory=list)
    reads: list[float] = field(default_factory=list)


@contextmanager
def readings_timed(done: dict[float, float]) -> Iterator[None]:
    """Note by the time of each picture that is read how much of a core its reading took."""
    plain = table_reader.read_table

    def timed(rest: Any, *more: Any) -> Any:
        begun = time.thread_time()
        reading = plain(rest, *more)
        done[rest.frame.timestamp] = time.thread_time() - begun
        return reading

    table_reader.read_table = timed  # type: ignore[assignment]
    try:
        yield
    finally:
        table_reader.read_table = plain


def watch(video: Path, log: Path, paced: bool) -> tuple[list[float], Told]:
    """Watch a video; the rests of its shots as they truly were (s), and what was told when."""
    truth = read_log(log).log
    rests = [entry.at for entry in truth.entries if isinstance(entry.event, Shot)]
    name = SourceName("video", "sample", str(video))
    out, took, free_at = Told(), dict[float, float](), 0.0
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder, readings_timed(took):
        store = Store(f"sqlite:///{folder}/m.sqlite")
        match = Desk(store).create("crokinole", options_of(truth.engine), {})
        source = WatchedSource(name, opener=open_source)
        source.close()
        table = LiveTable(match, source, official_for(match), clips=True)
        film = open_source(name, pace=1.0 if paced else FAST)
        known_reads: set[float] = set()
        kept: list[float] = []
        plain = match.observe

        def observe(*given: Any) -> Any:
            entry = plain(*given)
            kept.append(time.thread_time())  # the followers are told from here on
            return entry

        match.observe = observe  # type: ignore[method-assign]
        zero: float | None = None
        while (frame := film.read()) is not None:
            zero = time.perf_counter() - frame.timestamp if zero is None else zero
            known, settling = match.revision, table.state.provisional is not None
            begun = time.thread_time()
            table.see(frame)
            used = time.thread_time() - begun
            until = kept[0] - begun if kept else used
            kept.clear()
            out.frames.append(used)
            now = frame.timestamp + used
            fresh = [at for at in took if at not in known_reads]
            for at in sorted(fresh):  # one after another, each from the frame that it is of
                free_at = max(free_at, at + used) + took[at]
                out.reads.append(took[at])
            known_reads.update(fresh)
            clock = time.perf_counter() - zero
            if table.state.provisional is not None and not settling:
                out.settling.append((frame.timestamp, clock if paced else max(now, free_at)))
            if match.revision > known:
                out.score.append((frame.timestamp, clock if paced else max(frame.timestamp, free_at) + until))
        table.close()
        store.close()
    return rests, out


def spread(times: list[float]) -> dict[str, int]:
    """Median and worst in whole milliseconds."""
    ranked = sorted(times)
    return {"median": round(1000 * ranked[len(ranked) // 2]), "worst": round(1000 * ranked[-1])}


def measure(video: Path, log: Path, paced: bool) -> dict[str, object]:
    """One result for the score that stands and one for the provisional one."""
    rests, told = watch(video, log, paced)
    result: dict[str, object] = {
        "frames": len(told.frames),
        "frame_ms": spread(told.frames),
        "reading_ms": spread(told.reads),
        "by": "clock" if paced else "processor",
    }
    for name, moments in (("provisional", told.settling), ("score", told.score)):
        after = [next(((at - r, when - r) for at, when in moments if 0 <= at - r < WITHIN_S), None) for r in rests]
        ways = [way for way in after if way is not None]
        if ways:
            result[name] = {
                "shots": len(ways),
                "video_ms": spread([seen for seen, _ in ways]),
                "together_ms": spread([whole for _, whole in ways]),
                "within_goal": sum(whole <= GOAL_MS / 1000 for _, whole in ways),
            }
    return result


def main() -> None:
    """Print the result as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--video", type=Path, default=samples_folder() / "crokinole.mp4")
    parser.add_argument("--log", type=Path, default=samples_folder() / "crokinole.log.jsonl")
    parser.add_argument("--paced", action="store_true", help="play the video at its own pace and take the clock's time")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    text = json.dumps(measure(given.video, given.log, given.paced), indent=1)
    print(text)
    if given.out:
        given.out.write_text(text + "\n")


if __name__ == "__main__":
    main()

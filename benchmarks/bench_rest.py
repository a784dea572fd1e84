"""From the rest of the table to the screen: how long after the last motion a shot's score is told.

    python benchmarks/bench_rest.py [--out FILE]

Watches the shipped sample match frame by frame. The time is made of what the table itself takes (seconds of the video
between the true end of the motion and the frame with which the shot was told), of the processor's time for that frame
(so that what else runs on the machine doesn't count), and of the news to a browser (``bench_live.py`` measures that).
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

from referee.desk import Desk
from referee.hall import samples_folder
from referee.live import LiveTable
from referee.logfile import options_of, read_log
from referee.officials.registry import official_for
from referee.rules.crokinole import Shot
from referee.store import Store
from referee.watchdog import WatchedSource
from vision.cameras import SourceName, open_source

GOAL_MS = 300
FAST = 1e9


def spread(times: list[float]) -> dict[str, int]:
    """Median and worst in whole milliseconds."""
    ranked = sorted(times)
    return {"median": round(1000 * ranked[len(ranked) // 2]), "worst": round(1000 * ranked[-1])}


def measure() -> dict[str, object]:
    """Watch the sample; one result for the score that stands and one for the provisional one."""
    truth = read_log(samples_folder() / "crokinole.log.jsonl").log
    rests = [entry.at for entry in truth.entries if isinstance(entry.event, Shot)]
    video = SourceName("video", "sample", str(samples_folder() / "crokinole.mp4"))
    told: dict[str, list[tuple[float, float]]] = {"settling": [], "score": []}
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{folder}/m.sqlite")
        match = Desk(store).create("crokinole", options_of(truth.engine), {})
        source = WatchedSource(video, opener=open_source)
        source.close()
        table = LiveTable(match, source, official_for(match), clips=True)
        film = open_source(video, pace=FAST)
        frames = []
        while (frame := film.read()) is not None:
            known, settling = match.revision, table.state.table == "settling"
            begun = time.process_time()
            table.see(frame)
            took = time.process_time() - begun
            frames.append(took)
            if table.state.table == "settling" and not settling:
                told["settling"].append((frame.timestamp, took))
            if match.revision > known:
                told["score"].append((frame.timestamp, took))
        table.close()
        store.close()
    result: dict[str, object] = {"frames": len(frames), "processor_ms_a_frame": spread(frames)}
    for name, moments in told.items():
        ways = []
        for rest in rests:
            after = [(at - rest, took) for at, took in moments if 0 <= at - rest < 3]
            if after:
                ways.append(after[0])
        if ways:
            result[name] = {
                "shots": len(ways),
                "video_ms": spread([seen for seen, _ in ways]),
                "processor_ms": spread([took for _, took in ways]),
                "together_ms": spread([seen + took for seen, took in ways]),
                "within_goal": sum(seen + took <= GOAL_MS / 1000 for seen, took in ways),
            }
    return result


def main() -> None:
    """Print the result as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    text = json.dumps(measure(), indent=1)
    print(text)
    if given.out:
        given.out.write_text(text + "\n")


if __name__ == "__main__":
    main()

"""What a live table costs: the share of one core at 1080p30, and the memory over an hour of simulated play.

    python benchmarks/bench_live.py [--seconds 20] [--hour-frames 108000]

The first part decodes a 1080p30 H.264 video at its own pace, follows it with the official of crokinole, and sends the
moving picture to one viewer. The second part gives an hour of frames to a table as fast as it takes them, with an
event every eight seconds, and looks at the process's memory.
"""

import argparse
import json
import os
import socket
import tempfile
import threading
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from referee.dashboard import Dashboard
from referee.desk import Desk
from referee.hall import Hall, samples_folder
from referee.live import LiveTable
from referee.logfile import options_of, read_log
from referee.officials import Evidence, Proposal, Question, Seen
from referee.officials.registry import official_for
from referee.rules.yacht import Fill, Roll
from referee.settings import Settings
from referee.store import Store
from referee.watchdog import WatchedSource
from vision.cameras import open_source, parse_source
from vision.frames import Frame

SIZE = (1920, 1080)
FPS = 30
EVENT_SECONDS = 8


def make_video(path: Path, seconds: int) -> None:
    """The sample match, enlarged to 1080p30."""
    source: Any = av.open(str(samples_folder() / "crokinole.mp4"))
    with av.open(str(path), "w") as target:
        stream: Any = target.add_stream("libx264", rate=FPS, options={"preset": "ultrafast", "crf": "23"})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for count, frame in enumerate(source.decode(video=0)):
            if count >= seconds * FPS:
                break
            picture = frame.reformat(width=SIZE[0], height=SIZE[1], format="yuv420p")
            picture.pts, picture.time_base = count, Fraction(1, FPS)
            for packet in stream.encode(picture):
                target.mux(packet)
        for packet in stream.encode():
            target.mux(packet)
    source.close()


def share_of_a_core(seconds: int, viewer: bool) -> dict[str, float]:
    """Processor time over the video's own time while a table follows it; a busy machine only takes longer."""
    with tempfile.TemporaryDirectory() as folder:
        video = Path(folder) / "1080p30.mp4"
        make_video(video, seconds)
        store = Store(f"sqlite:///{folder}/m.sqlite")
        known = read_log(samples_folder() / "crokinole.log.jsonl").log
        match = Desk(store).create("crokinole", options_of(known.engine), {})
        source = WatchedSource(parse_source(str(video)), opener=open_source)
        table = LiveTable(match, source, official_for(match), clips=True)
        stop = threading.Event()

        def look() -> None:
            number = 0
            while not stop.is_set():
                found = table.picture.wait(number, 0.5)
                if found != number:
                    number = found
                    table.picture.jpeg()
                stop.wait(1 / 8)

        watcher = threading.Thread(target=look, daemon=True)
        if viewer:
            watcher.start()
        clock, cpu = time.perf_counter(), time.process_time()
        table.start()
        while source.state.condition not in ("ended", "lost"):
            time.sleep(0.2)
        wall, used = time.perf_counter() - clock, time.process_time() - cpu
        shown = source.state.frames / FPS
        stop.set()
        state = source.state
        table.close()
        store.close()
    return {
        "share_of_a_core": round(used / shown, 3),
        "frames": state.frames,
        "dropped": state.dropped,
        "seconds": round(wall, 1),
    }


class Busy:
    """Proposes a roll or a filled category every eight seconds of the source."""

    game = "yacht"

    def __init__(self) -> None:
        self.seen = Seen("resting")
        self._due = 0.0
        self.state: Any = None
        self.engine: Any = None

    def feed(self, frame: Frame) -> list[Proposal | Question]:
        """An event when it is due."""
        if frame.timestamp < self._due or self.engine.over(self.state):
            return []
        self._due = frame.timestamp + EVENT_SECONDS
        todo = self.engine.legal(self.state)
        event: Any = Roll(todo["player"], (1, 2, 3, 4, 5))
        if "fill" in todo["events"]:
            event = Fill(todo["player"], next(iter(todo["categories"])))
        done, picture = cv2.imencode(".jpg", frame.pixels)
        assert done
        return [Proposal(event, frame.timestamp, evidence=Evidence(bytes(picture.tobytes())))]

    def finish(self) -> list[Proposal | Question]:
        """Nothing is left."""
        return []

    def follow(self, state: Any) -> None:
        """Go on from here."""
        self.state = state

    def board_moved(self) -> None:
        """There is no board."""


def resident_mb() -> float:
    """Memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def memory_over_an_hour(frames: int) -> dict[str, Any]:
    """Memory after each tenth of the hour."""
    rng = np.random.default_rng(1)
    base = rng.integers(0, 255, (180, 320, 3), dtype=np.uint8)
    pictures = [np.roll(base, i, axis=1) for i in range(8)]
    told: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{folder}/m.sqlite")
        desk = Desk(store, evidence_bytes=5_000_000)
        official = Busy()
        players = [f"p{i}" for i in range(20)]
        match = desk.create("yacht", {"players": players}, {})
        official.engine, official.state = match.log.engine, match.log.state
        source = WatchedSource(parse_source(str(samples_folder() / "crokinole.mp4")), opener=open_source)
        source.close()
        table = LiveTable(match, source, official)
        for count in range(frames):
            pixels = pictures[count % 8]
            table.see(Frame(pixels, "", "", 320, 180, timestamp=count / FPS))
            if count % 4 == 0:
                table.picture.jpeg()
            if count % max(1, frames // 10) == max(1, frames // 10) - 1:
                told.append(round(resident_mb(), 1))
        events = match.revision
        table.close()
        store.close()
    return {"events": events, "resident_mb": told, "growth_after_first_tenth_mb": round(told[-1] - told[0], 1)}


def news_ms(followers: int = 10, events: int = 60) -> dict[str, Any]:
    """Milliseconds from an event's coming to the desk until the last of some followers has its new state."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{folder}/m.sqlite")
        desk = Desk(store)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        dashboard = Dashboard(Hall(desk, Settings({"port": port})))
        threading.Thread(target=dashboard.serve, daemon=True).start()
        match = desk.create("yacht", {"players": ["Ana"]}, {})
        heard: list[dict[int, float]] = [{} for _ in range(followers)]

        def follow(mine: dict[int, float]) -> None:
            line = socket.create_connection(("127.0.0.1", port))
            line.sendall(f"GET /api/v1/matches/{match.id}/stream HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            with line.makefile("rb") as lines:
                for text in lines:
                    if text.startswith(b"data: "):
                        mine.setdefault(json.loads(text[6:])["revision"], time.perf_counter())

        for mine in heard:
            threading.Thread(target=follow, args=(mine,), daemon=True).start()
        while not all(0 in mine for mine in heard):
            time.sleep(0.05)
        times = []
        for number in range(1, events + 1):
            begun = time.perf_counter()
            if number % 2:
                match.observe(Roll("Ana", (1, 2, 3, 4, 5)), 0.0, "bench")
            else:
                match.undo(0.0, "bench")
            while not all(number in mine for mine in heard):
                time.sleep(0.001)
            times.append(1000 * (max(mine[number] for mine in heard) - begun))
        dashboard.stop()
        store.close()
    times.sort()
    return {"followers": followers, "median": round(times[len(times) // 2]), "worst": round(times[-1])}


def main() -> None:
    """Print both results as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--hour-frames", type=int, default=3600 * FPS)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    result = {
        "news_ms": news_ms(),
        "1080p30_no_viewer": share_of_a_core(given.seconds, viewer=False),
        "1080p30_one_viewer": share_of_a_core(given.seconds, viewer=True),
        "an_hour": memory_over_an_hour(given.hour_frames),
    }
    text = json.dumps(result, indent=1)
    print(text)
    if given.out:
        given.out.write_text(text + "\n")


if __name__ == "__main__":
    main()

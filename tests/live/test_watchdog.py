"""A source that fails, hangs, ends or is too fast: it comes back, the newest frame wins, no password is told."""

import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from calibration.errors import UnusableInputError
from live.sources import NAME, Scripted, frame, mjpeg, until
from referee.watchdog import WatchedSource
from vision.cameras import SourceName, open_source, parse_source, unreachable


def watched(scripts: Iterator[Iterator[object]], **settings: float) -> WatchedSource:
    def opener(_name: SourceName) -> Scripted:
        return Scripted(next(scripts))

    return WatchedSource(NAME, **({"stall": 0.4, "longest_pause": 0.2} | settings), opener=opener)


def frames(start: float = 0.0) -> Iterator[object]:
    return (frame(start + i / 30) for i in itertools.count())


def test_the_newest_frame_wins_and_the_rest_is_counted() -> None:
    source = watched(iter([frames()]))
    until(lambda: source.state.frames >= 30)
    first = source.newest(1.0)
    assert first is not None
    assert first.timestamp >= 29 / 30
    until(lambda: source.state.dropped >= 40)
    second = source.newest(1.0)
    assert second is not None
    assert second.timestamp > first.timestamp
    state = source.state
    assert state.condition == "running"
    assert state.dropped <= state.frames
    source.close()
    assert source.state.condition == "closed"


def test_a_video_waits_for_who_looks_and_waiting_is_no_silence() -> None:
    name = SourceName("video", "a video", "x")
    source = WatchedSource(name, stall=0.2, opener=lambda _name: Scripted(frame(i / 30) for i in range(5)))
    time.sleep(0.7)  # longer than a camera may be silent
    seen = []
    while (found := source.newest(2.0)) is not None:
        seen.append(found.timestamp)
    assert seen == [i / 30 for i in range(5)]
    until(lambda: source.state.condition == "ended")
    assert (source.state.dropped, source.state.reopened) == (0, 0)
    source.close()


def test_a_source_that_fails_is_opened_again_and_time_goes_on() -> None:
    one = iter([frame(0.0), frame(1.0), unreachable("test camera", "pulled out")])
    source = watched(iter([one, frames()]))
    until(lambda: source.state.frames >= 2)
    until(lambda: source.state.reopened == 1 and source.state.frames > 5)
    newest = source.newest(2.0)
    assert newest is not None
    assert newest.timestamp > 1.0  # its own clock began at 0 again
    source.close()


def test_a_source_that_hangs_is_left_and_opened_again() -> None:
    def hangs() -> Iterator[object]:
        yield frame(0.0)
        yield 30.0

    source = watched(iter([hangs(), frames()]))
    until(lambda: source.state.condition == "lost")
    assert "no picture for" in source.state.why
    until(lambda: source.state.condition == "running" and source.state.frames > 5)
    source.close()


def test_a_source_that_is_not_there_is_tried_ever_more_rarely() -> None:
    times: list[float] = []

    def opener(_name: SourceName) -> Scripted:
        times.append(time.monotonic())
        raise unreachable("test camera", "not there")

    source = WatchedSource(NAME, stall=0.3, longest_pause=5.0, opener=opener)
    until(lambda: len(times) >= 3, 12)
    assert source.state.condition == "lost"
    assert source.state.why == "test camera can't be read (not there)"
    assert source.newest(0.01) is None
    assert times[2] - times[1] > times[1] - times[0]
    source.close()


def test_the_end_is_the_end() -> None:
    source = watched(iter([iter([frame(0.0), None])]))
    until(lambda: source.state.condition == "ended")
    assert source.newest(0.1) is not None
    assert source.newest(0.1) is None
    assert source.state.reopened == 0
    source.close()


def test_an_unexpected_failure_is_a_lost_source_not_a_dead_thread(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.CRITICAL):
        source = watched(iter([iter([frame(0.0), RuntimeError("driver")]), frames()]))
        until(lambda: source.state.reopened >= 1 and source.state.frames > 3)
        source.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_nobody_thought_of_is_a_lost_source_too() -> None:
    source = watched(iter([iter([frame(0.0), AttributeError("missing")]), frames()]))
    until(lambda: source.state.reopened >= 1 and source.state.frames > 3)
    source.close()


def test_an_mjpeg_server_that_is_killed_and_comes_back(caplog: pytest.LogCaptureFixture) -> None:
    with mjpeg() as server, caplog.at_level(logging.DEBUG):
        source = WatchedSource(parse_source(server.url), stall=1.0, longest_pause=0.5)
        until(lambda: source.state.frames > 3, 20)
        server.stop()
        until(lambda: source.state.condition == "lost", 20)
        seen = source.state.frames
        why = source.state.why
        server.start()
        until(lambda: source.state.frames > seen + 3, 30)
        assert source.state.reopened >= 1
        source.close()
    told = caplog.text + why + repr(source.name) + str(source.state)
    assert "hidden" not in told
    assert "someone" not in told
    assert f"127.0.0.1:{server.port}/stream.mjpg" in source.name.shown


def test_a_stream_that_is_not_there_says_so_without_its_password() -> None:
    with pytest.raises(UnusableInputError) as told:
        open_source(parse_source("rtsp://me:verysecret@127.0.0.1:9/live?key=alsosecret"))
    assert "secret" not in str(told.value)
    assert "rtsp://127.0.0.1:9/live" in str(told.value)
    assert told.value.__cause__ is None


def test_no_threads_are_left() -> None:
    before = threading.active_count()
    sources = [watched(iter([frames()])) for _ in range(3)]
    until(lambda: all(s.state.frames for s in sources))
    for source in sources:
        source.close()
    wait: Callable[[], bool] = lambda: threading.active_count() <= before  # noqa: E731
    until(wait)

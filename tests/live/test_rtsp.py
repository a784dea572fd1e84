"""An RTSP server of Debian's that is killed and comes back."""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from live.sources import until
from referee.watchdog import WatchedSource
from vision.cameras import parse_source

SERVER = Path(__file__).with_name("rtsp_server.py")
PYTHON = "/usr/bin/python3"
NEEDS = "import gi; gi.require_version('GstRtspServer', '1.0'); from gi.repository import GstRtspServer"


def there() -> bool:
    try:
        return subprocess.run([PYTHON, "-c", NEEDS], capture_output=True, check=False, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


@contextmanager
def rtsp(port: int) -> Iterator[subprocess.Popen[str]]:
    server = subprocess.Popen([PYTHON, str(SERVER), str(port)], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        assert server.stdout.readline() == "ready\n"
        yield server
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def test_an_rtsp_server_that_is_killed_and_comes_back() -> None:
    if not there():
        pytest.skip("Debian's gir1.2-gst-rtsp-server-1.0 and python3-gi are not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with rtsp(port):
        source = WatchedSource(parse_source(f"rtsp://me:hidden@127.0.0.1:{port}/live"), stall=2.0, longest_pause=1.0)
        until(lambda: source.state.frames > 3, 30)
        frame = source.newest(2.0)
        assert frame is not None
        assert frame.pixels.shape == (240, 320, 3)
    until(lambda: source.state.condition == "lost", 30)
    assert "hidden" not in source.state.why
    seen = source.state.frames
    with rtsp(port):
        until(lambda: source.state.frames > seen + 3, 40)
        again = source.newest(2.0)
        assert again is not None
        assert again.timestamp > frame.timestamp
        source.close()

"""Sources for tests: frames on demand, that fail, hang and come back; and an MJPEG server in this process."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np

from referee.hall import samples_folder
from vision.cameras import SourceName, open_source, unreachable
from vision.frames import Frame

NAME = SourceName("usb", "test camera", "0")


def picture(level: int = 120, width: int = 320, height: int = 180, seed: int = 1) -> np.ndarray:
    """A table with something on it to be sharp about."""
    rng = np.random.default_rng(seed)
    pixels = np.full((height, width, 3), level, np.uint8)
    for _ in range(40):
        x, y = int(rng.integers(0, width)), int(rng.integers(0, height))
        shade = int(np.clip(level + rng.integers(-100, 100), 0, 255))
        cv2.circle(pixels, (x, y), int(rng.integers(5, 22)), (shade, shade, shade), -1)
    return pixels


def frame(at: float, pixels: np.ndarray | None = None) -> Frame:
    pixels = picture() if pixels is None else pixels
    return Frame(pixels, "test", "", pixels.shape[1], pixels.shape[0], timestamp=at)


class Scripted:
    """A grabber that does what a script says: a Frame, None (end), an exception, or a number of seconds to hang."""

    def __init__(self, script: Iterator[object]) -> None:
        self.script = script
        self.closed = False

    def read(self) -> Frame | None:
        item = next(self.script, None)
        if isinstance(item, float):
            time.sleep(item)
            raise unreachable("test camera", "hung")
        if isinstance(item, Exception):
            raise item
        assert item is None or isinstance(item, Frame)
        time.sleep(0.002)
        return item

    def close(self) -> None:
        self.closed = True


def until(holds: Callable[[], bool], seconds: float = 8.0) -> None:
    """Wait until something holds; fails the test when it doesn't in time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


class Still:
    """A camera over a table on which nothing changes."""

    def __init__(self, pixels: np.ndarray, fps: float = 10.0) -> None:
        self.pixels, self.fps = pixels, fps
        self.begun = time.monotonic()

    def read(self) -> Frame | None:
        time.sleep(1 / self.fps)
        return frame(time.monotonic() - self.begun, self.pixels)

    def close(self) -> None:
        return


class Mjpeg:
    """An MJPEG server that can be killed and come back on the same port."""

    def __init__(self) -> None:
        self.port = 0
        self._server: ThreadingHTTPServer | None = None
        self._stop = threading.Event()

    @property
    def url(self) -> str:
        return f"http://someone:hidden@127.0.0.1:{self.port}/stream.mjpg"

    def start(self) -> None:
        self._stop = stop = threading.Event()
        done, data = cv2.imencode(".jpg", picture())
        assert done

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
                try:
                    while not stop.wait(0.04):
                        head = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(data)
                        self.wfile.write(head + data.tobytes() + b"\r\n")
                except OSError:
                    return

            def log_message(self, *_args: object) -> None:
                return

        ThreadingHTTPServer.allow_reuse_address = True
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        self._stop.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None


@contextmanager
def mjpeg() -> Iterator[Mjpeg]:
    server = Mjpeg()
    server.start()
    try:
        yield server
    finally:
        server.stop()


def sample_frame(at: float) -> Frame:
    """The sample match's picture at a time."""
    grabber = open_source(SourceName("video", "sample", str(samples_folder() / "crokinole.mp4"), at), pace=1e9)
    found = grabber.read()
    grabber.close()
    assert found is not None
    return found

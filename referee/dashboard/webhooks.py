"""Webhooks: other programs are told of every change of a score by a POST; a slow or dead one delays nothing."""

import json
import logging
import queue
import threading
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from calibration.errors import UnusableInputError
from referee import __version__
from referee.desk import OpenMatch
from vision.cameras import without_password

WAITING_MOST = 200
SECONDS = 5.0
TRIES = 3
log = logging.getLogger(__name__)


class Webhooks:
    """Sends ``{"schema": "webhook/1", "match": ..., "revision": ..., "score": ...}`` to each URL, in order."""

    def __init__(self, urls: tuple[str, ...]) -> None:
        for url in urls:
            if urlsplit(url).scheme not in ("http", "https"):
                raise UnusableInputError(f"webhooks: {without_password(url)!r} is no http:// or https:// URL")
        self._queues = [(url, queue.Queue[dict[str, Any] | None](WAITING_MOST)) for url in urls]
        self._pause = threading.Event()
        self._threads = [threading.Thread(target=self._send_all, args=pair, daemon=True) for pair in self._queues]
        for thread in self._threads:
            thread.start()

    def changed(self, match: OpenMatch) -> None:
        """Tell of a change. If too much is waiting, the oldest goes: the newest score is what counts."""
        engine = match.log.engine
        winners = engine.winners(match.log.state)
        body = {
            "schema": "webhook/1",
            "match": match.id,
            "game": engine.game,
            "revision": match.revision,
            "score": match.log.score,
            "over": winners is not None,
            "winners": winners,
        }
        for _, waiting in self._queues:
            while True:
                try:
                    waiting.put_nowait(body)
                    break
                except queue.Full:
                    waiting.get_nowait()

    def close(self, seconds: float = 2.0) -> None:
        """Send what waits, at most so long."""
        for _, waiting in self._queues:
            waiting.put(None)
        for thread in self._threads:
            thread.join(seconds)
        self._pause.set()

    def _send_all(self, url: str, waiting: "queue.Queue[dict[str, Any] | None]") -> None:
        while (body := waiting.get()) is not None:
            for attempt in range(TRIES):
                try:
                    self._send(url, body)
                    break
                except (OSError, urllib.error.URLError, ValueError) as error:
                    log.warning("webhook %s: %s", without_password(url), type(error).__name__)
                    if self._pause.wait(0.5 * 2**attempt):
                        return

    def _send(self, url: str, body: dict[str, Any]) -> None:
        headers = {"Content-Type": "application/json", "User-Agent": f"table-referee/{__version__}"}
        request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            answer.read(1024)

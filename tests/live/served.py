"""A dashboard that answers on a port of its own, for tests over the network and in a browser."""

import socket
import threading
from pathlib import Path
from typing import Any

from referee.dashboard import Dashboard
from referee.desk import Desk
from referee.hall import Hall
from referee.officials.registry import official_for
from referee.settings import Settings
from referee.store import Store


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Served:
    """``pace``: how many times as fast as they were taken videos are shown."""

    def __init__(self, folder: Path, pace: float = 1.0, **settings: Any) -> None:
        self.store = Store(f"sqlite:///{folder / 'm.sqlite'}")
        self.desk = Desk(self.store)
        self.dashboard = Dashboard(Hall(self.desk, Settings({"port": free_port(), **settings}), official_for, pace))
        self.port = self.dashboard.gate.port
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.dashboard.serve, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.dashboard.stop()
        self.thread.join(10)
        self.store.close()

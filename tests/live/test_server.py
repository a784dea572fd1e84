"""The served dashboard: many followers, a slow one among them; two scorekeepers; webhooks; kill -9 of the program."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from live.served import Served, free_port
from live.sources import until
from referee.dashboard.webhooks import Webhooks
from referee.desk import Desk
from referee.guardian import guarded
from referee.rules.yacht import Roll
from referee.store import Store

FOLLOWERS = 50
LATE = float(os.environ.get("REFEREE_LATE_SECONDS", "1.5"))
"""Seconds after which news count as late; the goal is 0.3, machines that test many things at once get more."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    made = Served(tmp_path)
    yield made
    made.close()


def call(port: int, path: str, data: Any = None) -> tuple[int, Any]:
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/v1{path}", body, {"Content-Type": "application/json"} if body else {}
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.loads(answer.read() or b"{}")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def connect(port: int, match: str, small: bool = False) -> socket.socket:
    made = socket.socket()
    if small:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    made.connect(("127.0.0.1", port))
    made.sendall(f"GET /api/v1/matches/{match}/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return made


class Follower:
    """Reads the stream and notes when it heard of each revision."""

    def __init__(self, port: int, match: str) -> None:
        self.heard: dict[int, float] = {}
        self.socket = connect(port, match)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with self.socket.makefile("rb") as lines:
            for line in lines:
                if line.startswith(b"data: "):
                    self.heard.setdefault(json.loads(line[6:])["revision"], time.monotonic())


def test_fifty_followers_and_a_slow_one(served: Served) -> None:
    match = served.desk.create("yacht", {"players": ["Ana"]}, {})
    slow = connect(served.port, match.id, small=True)
    followers = [Follower(served.port, match.id) for _ in range(FOLLOWERS)]
    until(lambda: all(0 in f.heard for f in followers), 30)
    for number in range(1, 31):
        begun = time.monotonic()
        if number % 2:
            match.observe(Roll("Ana", (1, 2, 3, 4, 5)), 0.0, "x")
        else:
            match.undo(0.0, "x")
        written = time.monotonic()
        until(lambda n=match.revision: all(n in f.heard for f in followers), LATE + 5)
        late = max(f.heard[match.revision] for f in followers) - written
        assert late < LATE, f"heard after {late:.2f} s"
        assert written - begun < LATE  # the slow one doesn't hold up the writer
    assert served.dashboard.gate.inside["viewers"] == FOLLOWERS + 1
    slow.close()
    for follower in followers:
        follower.socket.shutdown(socket.SHUT_RDWR)
    until(lambda: served.dashboard.gate.inside["viewers"] <= 1, 40)


def test_a_follower_too_many_is_told_so(tmp_path: Path) -> None:
    served = Served(tmp_path, max_viewers=2)
    match = served.desk.create("yacht", {"players": ["Ana"]}, {})
    first = [Follower(served.port, match.id) for _ in range(2)]
    until(lambda: all(0 in f.heard for f in first))
    status, answer = call(served.port, f"/matches/{match.id}/stream")
    assert (status, answer["error"]["code"]) == (503, "too_many")
    served.close()


def test_two_scorekeepers_at_once(served: Served) -> None:
    match = served.desk.create("yacht", {"players": ["Ana"]}, {})
    kept = [0, 0]

    def keep(me: int) -> None:
        while kept[me] < 8:
            _, state = call(served.port, f"/matches/{match.id}")
            act = "undo" if state["can_undo"] else "events"
            data = {"revision": state["revision"], "who": f"keeper {me}"}
            data |= {"text": "1 2 3 4 5"} if act == "events" else {}
            status, answer = call(served.port, f"/matches/{match.id}/{act}", data)
            kept[me] += status == 201
            assert status == 201 or answer["error"]["code"] == "conflict", answer

    threads = [threading.Thread(target=keep, args=(me,)) for me in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert match.revision == sum(kept)
    assert served.store.load(match.id).whole


def test_webhooks_are_told_in_order_and_a_dead_one_holds_up_nothing(tmp_path: Path) -> None:
    told: list[dict[str, Any]] = []

    class Hears(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_args: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Hears)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    store = Store(f"sqlite:///{tmp_path / 'm.sqlite'}")
    desk = Desk(store)
    hooks = Webhooks((f"http://127.0.0.1:{server.server_address[1]}/x", f"http://user:hidden@127.0.0.1:{free_port()}/"))
    desk.listen(hooks.changed)
    match = desk.create("yacht", {"players": ["Ana"]}, {})
    begun = time.monotonic()
    for _ in range(3):
        match.observe(Roll("Ana", (1, 2, 3, 4, 5)), 0.0, "x")
    assert time.monotonic() - begun < 2
    until(lambda: len(told) == 3)
    assert [item["revision"] for item in told] == [1, 2, 3]
    assert told[0]["schema"] == "webhook/1"
    hooks.close(0.1)
    server.shutdown()
    server.server_close()
    store.close()


def start(folder: Path, port: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "referee.cli", "watch", "--no-open", "--no-guard", "--port", str(port)]
    command += ["--store", f"sqlite:///{folder / 'm.sqlite'}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    assert "dashboard is at" in process.stdout.readline()
    return process


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_the_program_is_killed_and_the_match_goes_on(tmp_path: Path) -> None:
    port = free_port()
    process = start(tmp_path, port)
    until(lambda: _answers(port), 20)
    _, state = call(port, "/matches", {"game": "yacht", "options": {"players": ["Ana"]}})
    match, acknowledged = state["id"], 0
    for _ in range(3):

        def keep_going(p: int = port) -> None:
            nonlocal acknowledged
            while True:
                try:
                    status, news = call(p, f"/matches/{match}/events", {"text": "1 2 3 4 5"})
                    if status != 201:
                        status, news = call(p, f"/matches/{match}/undo", {})
                except (OSError, ValueError, http.client.HTTPException):
                    return
                if status == 201:
                    acknowledged = news["revision"]

        keeper = threading.Thread(target=keep_going, daemon=True)
        keeper.start()
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        keeper.join(20)
        process = start(tmp_path, port)
        until(lambda: _answers(port), 20)
        _, state = call(port, f"/matches/{match}")
        assert acknowledged <= state["revision"] <= acknowledged + 1
    process.send_signal(signal.SIGTERM)
    assert process.wait(15) == 0


def _answers(port: int) -> bool:
    try:
        return call(port, "/matches")[0] == 200
    except OSError:
        return False


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_the_program_starts_again_by_itself_and_ends_with_its_guardian(tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "referee.cli", "watch", "sample", "--no-open", "--port", str(port)]
    command += ["--store", f"sqlite:///{tmp_path / 'm.sqlite'}"]
    guardian = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert guardian.stdout is not None
    assert "dashboard is at" in guardian.stdout.readline()
    until(lambda: _answers(port), 30)
    until(lambda: call(port, "/matches/current")[1]["revision"] >= 1, 120)
    _, before = call(port, "/matches/current")
    child = int(subprocess.check_output(["pgrep", "-P", str(guardian.pid)], text=True).split()[0])
    os.kill(child, signal.SIGKILL)
    assert "dashboard is at" in guardian.stdout.readline()
    until(lambda: _answers(port), 30)
    _, after = call(port, "/matches/current")
    assert after["id"] == before["id"]
    assert after["revision"] >= before["revision"]
    assert after["camera"] is not None
    guardian.kill()
    guardian.wait()
    until(lambda: not _answers(port), 30)
    guardian.stdout.close()


def test_a_host_that_there_is_not_is_refused_in_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "referee.cli", "watch", "--no-open", "--host", "999.1.1.1", "--port", "8760"]
    done = subprocess.run([*command, "--store", f"sqlite:///{tmp_path}/m.db"], capture_output=True, check=False)
    assert done.returncode == 2
    why = b"can't listen on 999.1.1.1:8760 (there is no such address); choose another --host or --port"
    assert done.stderr.strip() == b"referee: " + why


def test_a_body_that_is_too_large_is_refused_in_the_one_form(tmp_path: Path) -> None:
    served = Served(tmp_path, max_body_kb=16)
    until(lambda: call(served.port, "/matches")[0] == 200, 10)
    asking = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
    asking.request("POST", "/api/v1/matches", b"x" * 50_000, {"Content-Type": "application/json"})
    answer = asking.getresponse()
    assert (answer.status, answer.headers["Content-Type"]) == (413, "application/json")
    assert json.loads(answer.read())["error"]["code"] == "too_large"
    served.close()


@pytest.mark.parametrize(("told", "runs"), [("2", 1), ("9 2 2 0", 4), ("9 130", 2)])
def test_only_a_first_wrong_call_is_final(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str, runs: int
) -> None:
    """What has run before was called rightly: then a store or a port is away, and comes back."""
    monkeypatch.setattr("referee.guardian.PAUSES", (0.0,))
    todo = tmp_path / "todo"
    todo.write_text(told)
    script = (
        f"import pathlib, sys; p = pathlib.Path({str(todo)!r}); first, *rest = p.read_text().split(); "
        "p.write_text(' '.join(rest)); sys.exit(int(first))"
    )
    handlers = {name: signal.getsignal(name) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        status = guarded([], [sys.executable, "-c", script])
    finally:
        for name, handler in handlers.items():
            signal.signal(name, handler)
    assert status == int(told.rsplit(maxsplit=1)[-1])
    assert len(told.split()) - len(todo.read_text().split()) == runs

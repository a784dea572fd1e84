"""Restarts the program when it has crashed or was killed; the match goes on at its last stored event.

The guarded program is the same command with an environment variable set. It ends with its guardian, whose end closes
the pipe on its standard input. A wrong call (exit status 2) and an orderly end are final; what has run before was no
wrong call, so a status of 2 then says that something is away (a store, a port), and it is tried again.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from types import FrameType

import click

GUARDED = "TABLE_REFEREE_GUARDED"
FINAL = (0, 130)
WRONG_CALL = (2, 3)
PAUSES = (0.5, 1.0, 2.0, 5.0, 10.0)
LONG_SECONDS = 60.0
"""A program that ran for this long is restarted at once; one that dies sooner, after longer and longer pauses."""


def guarded(arguments: Sequence[str], command: Sequence[str] | None = None) -> int:
    """Run the command, again after each crash; return the exit status of a final end."""
    command = command or [sys.executable, "-m", "referee.cli"]
    stopping = False
    process: subprocess.Popen[bytes] | None = None

    def stop(number: int, _frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True
        if process is not None and process.stdin is not None:
            process.stdin.close()

    for name in ("SIGINT", "SIGTERM", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)
    deaths = 0
    extra: list[str] = []
    while True:
        begun = time.monotonic()
        process = subprocess.Popen(
            [*command, *arguments, *extra], stdin=subprocess.PIPE, env={**os.environ, GUARDED: "1"}
        )
        status = process.wait()
        if stopping:
            return 0
        if status in FINAL or (status in WRONG_CALL and not extra):
            return status
        deaths = 0 if time.monotonic() - begun > LONG_SECONDS else deaths + 1
        pause = PAUSES[min(deaths, len(PAUSES)) - 1] if deaths else 0.0
        click.echo(f"referee: the dashboard ended ({status}); it is started again", err=True)
        time.sleep(pause)
        extra = ["--resume", "--no-open"]

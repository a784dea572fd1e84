"""``referee watch [SOURCE]``: the dashboard, with a camera if one is named."""

import logging
import os
import signal
import sys
import threading
import webbrowser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import click

from calibration.errors import UnusableInputError
from referee.commands.paths import FilePath
from referee.guardian import GUARDED, guarded
from referee.settings import load_settings


@click.command()
@click.argument("source", required=False)
@click.option("--list", "only_list", is_flag=True, help="List the cameras that this machine names, and stop.")
@click.option("--match", "identifier", help="Go on with the match of this id instead of the last one.")
@click.option("--store", "url", help="The store's URL: sqlite:///PATH or postgresql://...  [the setting 'store']")
@click.option("--host", help="Listen on this address; 0.0.0.0 lets other machines in, with a token.")
@click.option("--port", type=click.IntRange(1, 65535), help="Listen on this port.")
@click.option("--open/--no-open", "browse", default=True, show_default=True, help="Open the browser.")
@click.option("--guard/--no-guard", default=True, show_default=True, help="Start again by itself after a crash.")
@click.option("--resume", is_flag=True, hidden=True, help="Go on after a crash.")
@click.option("--settings", "file", type=FilePath(dir_okay=False), help="Read this settings file.")
def watch(
    *,
    source: str | None,
    only_list: bool,
    identifier: str | None,
    url: str | None,
    host: str | None,
    port: int | None,
    browse: bool,
    guard: bool,
    resume: bool,
    file: Path | None,
) -> int:
    """Open the dashboard: set up a match, follow it live, keep it by hand, look at those that were played.

    SOURCE is a camera (0, or part of its name), a stream (rtsp://, http://), a video file, a folder of pictures, or
    "sample" for the shipped sample match. With one, the last open match goes on through it, or a new one begins;
    without one, cameras go on with the matches that they followed when the program ended.
    """
    if guard and not only_list and not os.environ.get(GUARDED):
        return guarded(sys.argv[1:])
    from referee.dashboard import Dashboard
    from referee.desk import Desk
    from referee.hall import Hall
    from referee.officials.registry import official_for
    from referee.store import Store
    from vision.cameras import list_cameras

    if only_list:
        for camera in list_cameras():
            click.echo(f"{camera.index:>3}  {camera.name}")
        return 0
    logging.basicConfig(level=logging.WARNING, format="referee: %(message)s")
    settings = load_settings(file).changed(store=url, host=host, port=port)
    store = Store(settings.text("store") or None)
    officials = partial(official_for, settings=settings)
    hall = Hall(Desk(store, settings.whole("evidence_mb") * 1_000_000), settings, officials)
    hall.desk.evidence.sweep()
    try:
        dashboard = Dashboard(hall)
    except (OSError, ValueError) as error:
        where = f"{settings.text('host')}:{settings.whole('port')}"
        # the server's own word for a host that there isn't is a ValueError
        why = error.strerror if isinstance(error, OSError) else "there is no such address"
        raise UnusableInputError(f"can't listen on {where} ({why}); choose another --host or --port") from error
    path = hall.enter(source, identifier, resume)
    gate = dashboard.gate
    entry = gate.address + path if gate.local else f"{gate.address}/join/{gate.keeper}"
    click.echo(f"The dashboard is at {entry}  (Ctrl+C stops it; the matches are kept in {store.shown_url})")
    if not gate.local:
        click.echo("Other machines can call it; this address holds the scorekeeper's token.")
    _stop_on_signals(dashboard.stop)
    if os.environ.get(GUARDED):
        threading.Thread(target=_stop_with_guardian, args=(dashboard.stop,), daemon=True).start()
    if browse:
        threading.Thread(target=webbrowser.open, args=(entry,), daemon=True).start()
    dashboard.serve()
    store.close()
    return 0


def _stop_with_guardian(stop: Callable[[], None]) -> None:
    """Stop when the program that guards this one is gone: its end of the pipe is closed then."""
    sys.stdin.buffer.read()
    stop()


def _stop_on_signals(stop: Callable[[], None]) -> None:
    def handler(_signal: int, _frame: FrameType | None) -> None:
        # waitress stops when its sockets are closed; what is stored is stored
        threading.Thread(target=stop, daemon=True).start()

    for name in ("SIGINT", "SIGTERM", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handler)

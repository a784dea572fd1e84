"""What flows: a match's state as server-sent events, and the moving picture.

A follower is told the newest state whenever it has changed, and skips those it was too slow for. Each takes one of a
limited number of places, and gives it back when it leaves or the dashboard stops.
"""

import time
from collections.abc import Callable, Iterator
from typing import cast

from flask import Blueprint, Response, request

from calibration.errors import NotFoundError
from referee.dashboard.context import Context, context, find_match, texts
from referee.desk import OpenMatch
from referee.live import LiveTable

streams = Blueprint("streams", __name__, url_prefix="/api/v1/matches/<identifier>")
BEAT_SECONDS = 10.0
"""A word at least so often, so that a connection that is gone is noticed."""

WAIT_SECONDS = 0.5
SENDS = 2
"""Browsers show a picture when the next one begins, so the newest one is sent once more if none follows."""
BOUNDARY = "table-referee-frame"


@streams.get("/stream")
def stream(identifier: str) -> Response:
    """Server-sent events: ``state`` with the whole state as data, now and after every change."""
    ctx, match, language, gone = context(), find_match(identifier), texts().language, _gone()
    place = ctx.gate.place("viewers")
    place.__enter__()

    def flow() -> Iterator[str]:
        try:
            yield "retry: 1500\n\n"
            yield from _states(ctx, match, language, gone)
        finally:
            place.__exit__(None, None, None)

    return _streamed(flow(), "text/event-stream; charset=utf-8")


def _streamed(flow: Iterator[str] | Iterator[bytes], kind: str) -> Response:
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    response = Response(flow, content_type=kind, headers=headers)
    # the generator runs its clean-up also when the follower goes before its first word
    next_close = response.close
    response.call_on_close(getattr(flow, "close", next_close))
    return response


def _gone() -> Callable[[], bool]:
    """Whether the follower has hung up, as far as the server can tell."""
    return cast(Callable[[], bool], request.environ.get("waitress.client_disconnected", lambda: False))


def _states(ctx: Context, match: OpenMatch, language: str, gone: Callable[[], bool]) -> Iterator[str]:
    version = -1
    spoken = time.monotonic()
    while not ctx.stopping.is_set() and not gone():
        match.refresh()
        found = match.wait(version, WAIT_SECONDS) if version >= 0 else match.version
        if found != version:
            version, spoken = found, time.monotonic()
            yield f"event: state\nid: {version}\ndata: {ctx.state_text(match, language)}\n\n"
        elif time.monotonic() - spoken > BEAT_SECONDS:
            spoken = time.monotonic()
            yield ": still here\n\n"


@streams.get("/picture.jpg")
def picture(identifier: str) -> Response:
    """The newest picture; ``plain=1``: without rings and discs."""
    content = _table(context(), find_match(identifier)).picture.jpeg("plain" not in request.args)
    if content is None:
        raise NotFoundError("there is no picture yet", code="no_picture")
    return Response(content, mimetype="image/jpeg")


@streams.get("/picture.mjpg")
def moving(identifier: str) -> Response:
    """The moving picture; ``plain=1``: without rings and discs."""
    ctx, match = context(), find_match(identifier)
    _table(ctx, match)
    place = ctx.gate.place("streams")
    place.__enter__()
    drawn, gone = "plain" not in request.args, _gone()

    def flow() -> Iterator[bytes]:
        try:
            yield from _pictures(ctx, match, drawn, gone)
        finally:
            place.__exit__(None, None, None)

    return _streamed(flow(), f"multipart/x-mixed-replace; boundary={BOUNDARY}")


def _pictures(ctx: Context, match: OpenMatch, drawn: bool, gone: Callable[[], bool]) -> Iterator[bytes]:
    pause = 1 / ctx.hall.settings.number("picture_fps")
    number, due, sends = 0, 0.0, 0
    while not (ctx.stopping.is_set() or gone()) and (table := ctx.hall.table(match)) is not None:
        found = table.picture.wait(number, WAIT_SECONDS)
        sends = sends + 1 if found == number else 1
        content = table.picture.jpeg(drawn) if sends <= SENDS else None
        number = found
        if content is None:
            continue
        time.sleep(max(0.0, due - time.monotonic()))
        due = time.monotonic() + pause
        head = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(content)}\r\n\r\n"
        yield head.encode() + content + b"\r\n"


def _table(ctx: Context, match: OpenMatch) -> LiveTable:
    table = ctx.hall.table(match)
    if table is None:
        raise NotFoundError("no camera follows this match", code="no_camera")
    return table

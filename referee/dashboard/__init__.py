"""The dashboard: a Flask app over the hall, its pages, its JSON API, its streams; served by waitress."""

import json
import logging
import select
import threading
from typing import Any

from flask import Flask, Response, g, jsonify, render_template, request
from werkzeug.exceptions import HTTPException

from calibration.errors import TableError
from referee.dashboard.api import api
from referee.dashboard.audits import audits
from referee.dashboard.context import Context, install, texts
from referee.dashboard.guard import Gate, RefusedError, make_gate, protect
from referee.dashboard.pages import pages
from referee.dashboard.streams import streams
from referee.dashboard.table_api import table_api
from referee.dashboard.texts import NAMES
from referee.dashboard.webhooks import Webhooks
from referee.desk import refusal
from referee.hall import Hall
from referee.rules.protocol import RuleError

__all__ = ["Context", "Dashboard", "create_app"]

STATUS = {
    "conflict": 409,
    "no_shot": 409,
    "no_match": 404,
    "no_question": 404,
    "no_picture": 404,
    "no_page": 404,
    "no_camera": 404,
    "no_call": 404,
    "no_disc": 404,
    "no_board": 404,
    "board_unsure": 404,
    "gone": 404,
    "disk_full": 503,
    "store_busy": 503,
    "store_down": 503,
}
HTTP_CODES = {404: "no_page", 405: "no_method", 413: "too_large", 400: "bad_request"}
LOOP_SECONDS = 0.25
STOP_SECONDS = 3
log = logging.getLogger(__name__)


def create_app(hall: Hall, gate: Gate | None = None) -> Flask:
    """The app; every refusal, from wherever, leaves in one form."""
    gate = gate or make_gate(hall.settings)
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = hall.settings.whole("max_body_kb") * 1024
    app.json.sort_keys = False  # type: ignore[attr-defined]  # Flask's own provider has it
    install(app, hall, gate)
    protect(app, gate)
    for blueprint in (api, table_api, streams, audits, pages):
        app.register_blueprint(blueprint)
    _register_errors(app)
    return app


def _register_errors(app: Flask) -> None:
    @app.errorhandler(TableError)
    def table_error(error: TableError) -> Any:
        status = error.status if isinstance(error, RefusedError) else STATUS.get(error.code, 400)
        return _refused(status, error.code, str(error))

    @app.errorhandler(RuleError)
    def rule_error(error: RuleError) -> Any:
        return _refused(409, "against_the_rules", str(error), refusal(error))

    @app.errorhandler(ValueError)
    def value_error(error: ValueError) -> Any:
        return _refused(400, "bad_request", str(error))

    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> Any:
        status = error.code or 500
        return _refused(status, HTTP_CODES.get(status, "refused"), error.description or error.name)

    @app.errorhandler(Exception)
    def unexpected(error: Exception) -> Any:
        log.exception("a request failed: %s", request.path)
        return _refused(500, "internal", f"this should not happen: {type(error).__name__}")


def _refused(status: int, code: str, message: str, faults: list[dict[str, str]] | None = None) -> Any:
    """The one form of every refusal: JSON for programs, a page for people."""
    wants_page = request.accept_mimetypes.best_match(["application/json", "text/html"]) == "text/html"
    if wants_page and not request.path.startswith("/api/"):
        values = {"t": texts(), "languages": NAMES, "role": g.get("role", "nobody"), "js_texts": {}}
        return render_template("refused.html", message=message, status=status, **values), status
    error: dict[str, Any] = {"code": code, "message": message}
    if faults is not None:
        error["faults"] = faults
    answer: Response = jsonify(error=error)
    return answer, status


def refusing_in_json() -> type:
    """The server's channel: what it refuses itself, before the app is asked, has the form of every refusal."""
    from waitress.channel import HTTPChannel  # noqa: PLC0415
    from waitress.task import ErrorTask  # noqa: PLC0415

    class Refusal(ErrorTask):  # type: ignore[misc]  # waitress has no types
        def execute(self) -> None:
            error = self.request.error
            code = HTTP_CODES.get(error.code, "internal" if error.code >= 500 else "bad_request")
            told = {"error": {"code": code, "message": f"{error.reason}: {error.body}"}}
            content = json.dumps(told).encode()
            self.status = f"{error.code} {error.reason}"
            self.response_headers.append(("Content-Type", "application/json"))
            self.set_close_on_finish()
            self.content_length = len(content)
            self.write(content)

    class Channel(HTTPChannel):  # type: ignore[misc]
        error_task_class = Refusal

    return Channel


class Dashboard:
    """The app with its server; ``serve`` blocks until ``stop``."""

    def __init__(self, hall: Hall) -> None:
        # imported here: tests of the app need no server
        from waitress import create_server  # noqa: PLC0415

        settings = hall.settings
        self.hall = hall
        self.gate = make_gate(settings)
        self.app = create_app(hall, self.gate)
        self.context: Context = self.app.extensions["referee"]
        self.webhooks = Webhooks(settings.words("webhooks"))
        hall.desk.listen(self.webhooks.changed)
        followers = settings.whole("max_viewers") + settings.whole("max_streams")
        self._sockets: dict[int, Any] = {}
        self._stopped = threading.Event()
        self._server: Any = create_server(
            self.app,
            map=self._sockets,
            host=self.gate.host,
            port=self.gate.port,
            threads=settings.whole("threads") + followers,
            connection_limit=2 * followers + 200,
            channel_timeout=120,
            # a slow follower fills this much and then waits; nobody else does
            outbuf_high_watermark=1_000_000,
            outbuf_overflow=4_000_000,
            max_request_body_size=settings.whole("max_body_kb") * 1024,
            # so that a follower who hangs up is noticed at once, and its place is free again
            channel_request_lookahead=1,
            max_request_header_size=32_768,
            clear_untrusted_proxy_headers=True,
            ident=None,
        )
        channel = refusing_in_json()
        for listener in list(self._sockets.values()):
            listener.channel_class = channel

    def serve(self) -> None:
        """Answer until stopped."""
        from waitress import wasyncore  # noqa: PLC0415

        while not self._stopped.is_set():
            # waitress's own loop ends by an exception in the main thread only
            wasyncore.loop(timeout=LOOP_SECONDS, map=self._sockets, count=1, use_poll=hasattr(select, "poll"))
        for socket in list(self._sockets.values()):
            socket.close()

    def stop(self) -> None:
        """End the streams, let the cameras go, stop answering."""
        self.context.stopping.set()
        self.webhooks.close()
        self.hall.close()
        self._server.task_dispatcher.shutdown(timeout=STOP_SECONDS)
        self._stopped.set()

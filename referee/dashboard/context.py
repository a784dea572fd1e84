"""What every route needs: the hall, the gate, the reader's language, one match as JSON."""

import json
import threading
import time
from collections.abc import Sequence
from typing import Any, cast

from flask import Flask, Response, current_app, g, request

from calibration.errors import UnusableInputError
from referee.dashboard.guard import Gate, RefusedError
from referee.dashboard.summary import summary
from referee.dashboard.texts import LANGUAGES, Texts, choose
from referee.desk import OpenMatch
from referee.hall import Hall

LANGUAGE_COOKIE = "referee_language"
WHO_LONGEST = 60
COMMON = ("who", "revision")
"""Fields that any change may have."""


class Context:
    """Kept in the app's extensions; ``stopping`` ends all streams."""

    def __init__(self, hall: Hall, gate: Gate) -> None:
        self.hall = hall
        self.gate = gate
        self.stopping = threading.Event()
        self._cache: dict[tuple[str, str], tuple[tuple[int, int, int], str]] = {}
        self._lock = threading.Lock()

    def state_text(self, match: OpenMatch, language: str) -> str:
        """The state of a match as JSON text, made once a version for all who ask."""
        with self._lock:
            key = (match.id, language)
            # a round clock runs on while nothing else changes
            ticks = int(time.monotonic()) if "clock_minutes" in match.log.about else 0
            stamp = (match.version, match.revision, ticks)
            known = self._cache.get(key)
            if known is None or known[0] != stamp:
                data = summary(match, self.hall.table(match), Texts(language), self.hall.at(match))
                known = self._cache[key] = (stamp, json.dumps(data, ensure_ascii=False))
            return known[1]


def context() -> Context:
    """The context of the app that answers."""
    return cast(Context, current_app.extensions["referee"])


def install(app: Flask, hall: Hall, gate: Gate) -> Context:
    """Put the context into an app."""
    made = Context(hall, gate)
    app.extensions["referee"] = made
    return made


def texts() -> Texts:
    """The texts in the reader's language: named in the address, chosen earlier, or the browser's."""
    if "texts" not in g:
        asked = [request.args.get("lang", ""), request.cookies.get(LANGUAGE_COOKIE, "")]
        setting = context().hall.settings.text("language")
        browser = [tag for tag, _ in request.accept_languages] if setting == "auto" else []
        g.texts = Texts(choose([tag for tag in asked if tag in LANGUAGES] + browser, setting))
    return cast(Texts, g.texts)


def find_match(identifier: str) -> OpenMatch:
    """The match of a route: its id, or ``current`` for the one that changed last."""
    desk = context().hall.desk
    match = desk.current() if identifier == "current" else desk.open(identifier)
    match.refresh()
    return match


def state_answer(match: OpenMatch, status: int = 200) -> Response:
    """A match as the screen shows it, as an answer."""
    text = context().state_text(match, texts().language)
    return Response(text, status, mimetype="application/json")


def body(*known: str) -> dict[str, Any]:
    """The request's JSON object; raises RefusedError where it isn't one, or has a field that isn't ``known``.

    ``who`` and ``revision`` may stand in any change.
    """
    try:
        data = json.loads(request.get_data().decode())
        json.dumps(data, ensure_ascii=False).encode()  # half a character can be written, but is no text
    except (ValueError, RecursionError):
        raise RefusedError("the request's body is no JSON", "bad_json", 400) from None
    if not isinstance(data, dict):
        raise RefusedError("the request's body is no JSON object", "bad_json", 400)
    only(data, (*known, *COMMON))
    return data


def only(data: dict[str, Any], known: Sequence[str], where: str = "") -> None:
    """Refuse what has a field that isn't known: a misspelt one would be left out silently."""
    for name in data:
        if name not in known:
            raise UnusableInputError(
                f"unknown field {where + name[:40]!r}; known are {', '.join(known)}", code="bad_request"
            )


def field(data: dict[str, Any], name: str, kind: type, default: Any = ...) -> Any:
    """One field of a body, checked; raises UnusableInputError naming it."""
    value = data.get(name, default)
    if value is ...:
        raise UnusableInputError(f"field {name!r} is missing", code="bad_request")
    right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if not right and value is not default:
        raise UnusableInputError(f"field {name!r} is {str(value)[:40]!r}, expected {kind.__name__}", code="bad_request")
    return value


def who(data: dict[str, Any]) -> str:
    """Who keeps the score, for the log."""
    name = str(field(data, "who", str, "scorekeeper")).strip()[:WHO_LONGEST]
    return name or "scorekeeper"

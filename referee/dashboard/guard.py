"""Who may do what: host names, origins, tokens, limits, and the protective headers of every answer.

When only this machine can call, nobody needs a token. Where others can, changes need the scorekeeper's token, and
watching needs the viewer's if the setting says so. Tokens come by QR code and stay in a cookie.
"""

import hmac
import ipaddress
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from flask import Flask, Response, g, request

from calibration.errors import TableError
from referee.settings import Settings

Role = Literal["nobody", "viewer", "keeper"]
COOKIE = "referee_token"
SAFE = ("GET", "HEAD", "OPTIONS")
OPEN_PATHS = ("/static/", "/join/")
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; manifest-src 'self'"
)


class RefusedError(TableError):
    """A request that isn't allowed; ``status`` is HTTP's."""

    def __init__(self, message: str, code: str, status: int) -> None:
        super().__init__(message, code=code)
        self.status = status


def new_token() -> str:
    """A token nobody can guess."""
    return secrets.token_urlsafe(18)


def is_loopback(host: str) -> bool:
    """Whether only this machine can call an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def own_addresses() -> list[str]:
    """The addresses under which this machine is called in its networks, the likeliest first."""
    found: list[str] = []
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))  # nothing is sent: it only chooses the way out
            found.append(str(probe.getsockname()[0]))
    except OSError:
        found = []
    try:
        found += [str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    except OSError:
        return found
    return list(dict.fromkeys(a for a in found if not is_loopback(a)))


@dataclass
class Gate:
    """The doors of one dashboard: where it listens, its tokens, who is inside."""

    host: str
    port: int
    allowed: frozenset[str]
    keeper: str = field(default_factory=new_token, repr=False)
    viewer: str = field(default_factory=new_token, repr=False)
    viewers_need_token: bool = False
    limits: dict[str, int] = field(default_factory=dict)
    inside: dict[str, int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def local(self) -> bool:
        """Whether only this machine can call."""
        return is_loopback(self.host)

    @property
    def address(self) -> str:
        """The address to tell others: of the network where it listens on all."""
        host = self.host
        if host in ("0.0.0.0", "::"):
            host = (own_addresses() or ["127.0.0.1"])[0]
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    def role(self, token: str) -> Role:
        """What a token allows."""
        if self.local or hmac.compare_digest(token.encode(), self.keeper.encode()):
            return "keeper"
        if not self.viewers_need_token or hmac.compare_digest(token.encode(), self.viewer.encode()):
            return "viewer"
        return "nobody"

    @contextmanager
    def place(self, kind: str) -> Iterator[None]:
        """Take one of the limited places for as long as a stream lasts."""
        with self.lock:
            if self.inside.get(kind, 0) >= self.limits[kind]:
                raise RefusedError(f"there are {self.limits[kind]} followers already; try later", "too_many", 503)
            self.inside[kind] = self.inside.get(kind, 0) + 1
        try:
            yield
        finally:
            with self.lock:
                self.inside[kind] -= 1


def make_gate(settings: Settings) -> Gate:
    """The gate that the settings ask for."""
    host = settings.text("host")
    names = {"localhost", "127.0.0.1", "::1", *settings.words("allowed_hosts")}
    if host in ("0.0.0.0", "::"):
        names |= {socket.gethostname(), f"{socket.gethostname()}.local", *own_addresses()}
    else:
        names.add(host)
    limits = {"viewers": settings.whole("max_viewers"), "streams": settings.whole("max_streams"), "audits": 1}
    return Gate(
        host,
        settings.whole("port"),
        frozenset(name.lower() for name in names),
        viewers_need_token=settings.flag("viewers_need_token"),
        limits=limits,
    )


def protect(app: Flask, gate: Gate) -> None:
    """Put the gate before every route of the app and its headers on every answer."""

    @app.before_request
    def check() -> None:
        _check_host(gate)
        g.role = gate.role(_token())
        if request.method not in SAFE:
            _check_origin()
            if g.role != "keeper":
                raise RefusedError("this needs the scorekeeper's token", "no_token", 403)
        elif g.role == "nobody" and not request.path.startswith(OPEN_PATHS):
            raise RefusedError("looking on needs a token here; use the QR code", "no_token", 403)

    @app.after_request
    def headers(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = CSP
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
        response.headers.setdefault("Cache-Control", "no-store")
        return response


def _token() -> str:
    given = request.headers.get("Authorization", "")
    if given.lower().startswith("bearer "):
        return given[7:].strip()
    return request.cookies.get(COOKIE, "")


def _check_host(gate: Gate) -> None:
    """Only the names that this dashboard is known by: a foreign name that leads here is DNS rebinding."""
    try:
        name = (urlsplit(f"//{request.headers.get('Host', '')}").hostname or "").lower()
    except ValueError:
        name = ""
    if name not in gate.allowed:
        raise RefusedError("this name isn't allowed for the dashboard (setting allowed_hosts)", "wrong_host", 421)


def _check_origin() -> None:
    """A change may only come from the dashboard's own pages, or from a program, which sends neither header."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None and site not in ("same-origin", "none"):
        raise RefusedError("a change must come from the dashboard's own pages", "wrong_origin", 403)
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc.lower() != request.headers.get("Host", "").lower():
        raise RefusedError("a change must come from the dashboard's own pages", "wrong_origin", 403)
    # an address or method that there isn't is told as such
    if request.routing_exception is None and request.mimetype != "application/json":
        raise RefusedError("a change is sent as application/json", "not_json", 415)

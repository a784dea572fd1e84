"""Hostile and mistaken requests: each refused before it reaches anything, in the one form."""

from pathlib import Path

import pytest

from dashboard.room import API, Room
from referee.dashboard.context import LANGUAGE_COOKIE
from referee.dashboard.guard import COOKIE, CSP, Gate, RefusedError, is_loopback


def error(answer: object) -> str:
    data = answer.get_json()  # type: ignore[attr-defined]
    assert set(data) == {"error"}
    assert {"code", "message"} <= set(data["error"]) <= {"code", "message", "faults"}
    return str(data["error"]["code"])


def every_route(room: Room) -> list[tuple[str, str]]:
    found = []
    for rule in room.app.url_map.iter_rules():
        path = rule.rule
        for name in rule.arguments:
            path = path.replace(f"<path:{name}>", "style.css").replace(f"<{name}>", "x")
        found += [(method, path) for method in rule.methods or () if method in ("GET", "POST", "DELETE", "PUT")]
    return found


def test_a_foreign_host_is_refused_on_every_route(room: Room) -> None:
    for method, path in every_route(room):
        for host in ("evil.example", "evil.example:8760", "127.0.0.1.evil.example", "", "[::2]:80", "a b"):
            answer = room.client.open(path, method=method, headers={"Host": host, "Accept": "application/json"})
            assert answer.status_code == 421, (method, path, host)
            assert error(answer) == "wrong_host"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8760", "LOCALHOST:1", "[::1]:8760"])
def test_own_names_are_let_in(room: Room, host: str) -> None:
    assert room.client.get(f"{API}/matches", headers={"Host": host}).status_code == 200


def test_every_change_is_held_against_its_origin(room: Room) -> None:
    for method, path in every_route(room):
        if method == "GET":
            continue
        for headers in (
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Origin": "http://localhost:9999"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
        ):
            answer = room.client.open(path, method=method, json={}, headers=headers)
            assert answer.status_code == 403, (method, path, headers)
            assert error(answer) == "wrong_origin"


def test_own_pages_and_programs_may_change(room: Room) -> None:
    data = {"game": "yacht", "options": {"players": ["Ana"]}}
    for headers in ({}, {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}):
        assert room.client.post(f"{API}/matches", json=data, headers=headers).status_code == 201


def test_a_change_is_json(room: Room) -> None:
    answer = room.client.post(f"{API}/matches", data="game=yacht", content_type="application/x-www-form-urlencoded")
    assert (answer.status_code, error(answer)) == (415, "not_json")
    answer = room.client.post(f"{API}/matches", data='{"game": "yacht"}', content_type="text/plain")
    assert (answer.status_code, error(answer)) == (415, "not_json")


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"null", b"\xff\xfe", b'{"a":' * 5000, b'"text"', b"NaN"])
def test_bad_json_is_refused(room: Room, body: bytes) -> None:
    answer = room.client.post(f"{API}/matches", data=body, content_type="application/json")
    assert answer.status_code == 400
    assert error(answer) in ("bad_json", "bad_request")


@pytest.mark.parametrize(
    "body",
    [
        {"game": 5},
        {"game": "chess"},
        {"game": "yacht", "options": "x"},
        {"game": "yacht", "options": {"players": 7}},
        {"game": "yacht", "options": {"players": [{"a": 1}]}},
        {"game": "crokinole", "options": {"discs": True}},
        {"game": "crokinole", "options": {"sides": [1, 2]}},
        {"game": "crokinole", "options": {"nonsense": 1}},
        {"game": "krakatoa", "options": {"values": 3}},
        {"game": "krakatoa", "options": {"players": 1e9}},
        {"game": "kraken", "options": {"last_trick": []}},
        {"game": "yacht", "about": {"names": [1]}},
        {"game": "yacht", "source": 3},
    ],
)
def test_wrong_fields_are_named_never_a_crash(room: Room, body: dict[str, object]) -> None:
    answer = room.client.post(f"{API}/matches", json=body)
    assert answer.status_code == 400, answer.get_data(as_text=True)
    assert error(answer) != "internal"


def test_huge_bodies_are_refused(room: Room) -> None:
    big = b'{"game": "' + b"x" * (300 * 1024) + b'"}'
    answer = room.client.post(f"{API}/matches", data=big, content_type="application/json")
    assert (answer.status_code, error(answer)) == (413, "too_large")


@pytest.mark.parametrize(
    "path",
    [
        "/static/../guard.py",
        "/static/..%2fguard.py",
        "/static/%2e%2e/guard.py",
        "/static//etc/passwd",
        "/match/..%2f..%2fetc%2fpasswd",
        f"{API}/matches/..%2f..%2fetc/log.jsonl",
        f"{API}/matches/current/evidence/..%2f..%2f..%2fetc%2fpasswd",
        "/join/..%2f..%2fetc%2fpasswd.svg",
    ],
)
def test_no_path_reaches_the_file_system(room: Room, path: str) -> None:
    room.begin("yacht", {"players": ["Ana"]})
    answer = room.client.get(path, follow_redirects=True)
    assert answer.status_code in (200, 404)
    assert b"root:" not in answer.data
    assert b"def protect" not in answer.data


def test_headers_on_every_answer(room: Room) -> None:
    for method, path in every_route(room):
        if path.endswith(("stream", ".mjpg")):
            continue
        answer = room.client.open(path, method=method, json={} if method != "GET" else None)
        assert answer.headers["Content-Security-Policy"] == CSP, path
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "unsafe-inline" not in CSP


def test_pages_hold_no_inline_script_and_no_inline_style(room: Room) -> None:
    room.begin("yacht", {"players": ["Ana"]})
    pages = ["/", "/new", "/match/current", "/board", "/overlay", "/statistics", "/join", "/match/nobody"]
    for path in pages:
        text = room.client.get(path, headers={"Accept": "text/html"}).get_data(as_text=True)
        assert "<script>" not in text
        assert " style=" not in text
        assert " onclick" not in text.lower()
        for start in text.split("<script")[1:]:
            assert 'src="/static/' in start.split(">")[0] or 'type="application/json"' in start.split(">")[0]


def test_names_are_shown_as_text(room: Room) -> None:
    name = "</script><b onload=alert(1)>"
    room.begin("crokinole", {}, about={"names": {"black": name}, "title": name})
    for path in ("/", "/match/current", "/board", "/overlay", "/statistics"):
        assert "<b onload" not in room.client.get(path).get_data(as_text=True)


def test_changes_need_the_scorekeepers_token_where_others_may_call(open_room: Room) -> None:
    data = {"game": "yacht", "options": {"players": ["Ana"]}}
    refused = open_room.client.post(f"{API}/matches", json=data)
    assert (refused.status_code, error(refused)) == (403, "no_token")
    wrong = {"Authorization": f"Bearer {open_room.gate.viewer}"}
    assert open_room.client.post(f"{API}/matches", json=data, headers=wrong).status_code == 403
    right = {"Authorization": f"Bearer {open_room.gate.keeper}"}
    assert open_room.client.post(f"{API}/matches", json=data, headers=right).status_code == 201
    assert open_room.client.get(f"{API}/matches").status_code == 200
    page = open_room.client.get("/match/current").get_data(as_text=True)
    assert 'data-role="viewer"' in page
    assert "entry-card" not in page


def test_the_code_lets_in_and_leaves_the_address(open_room: Room) -> None:
    answer = open_room.client.get(f"/join/{open_room.gate.keeper}")
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/"
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert COOKIE in cookie
    assert open_room.client.post(f"{API}/matches", json={"game": "kraken"}).status_code == 201
    stranger = open_room.app.test_client()
    assert "Set-Cookie" in stranger.get("/join/guess").headers or stranger.get("/join/guess").status_code == 302
    assert stranger.post(f"{API}/matches", json={"game": "kraken"}).status_code == 403


def test_a_viewer_is_not_told_the_scorekeepers_code(open_room: Room) -> None:
    text = open_room.client.get("/join").get_data(as_text=True)
    assert open_room.gate.keeper not in text
    assert open_room.client.get("/join/keeper.svg").status_code in (302, 404)
    open_room.client.get(f"/join/{open_room.gate.keeper}")
    assert open_room.client.get("/join/keeper.svg").mimetype == "image/svg+xml"


def test_looking_on_may_need_a_token_too(tmp_path: Path) -> None:
    room = Room(tmp_path, host="0.0.0.0", viewers_need_token=True)
    for path in ("/", f"{API}/matches", "/join", "/statistics"):
        assert room.client.get(path, headers={"Accept": "application/json"}).status_code == 403
    assert room.client.get("/static/style.css").status_code == 200
    room.client.get(f"/join/{room.gate.viewer}")
    assert room.client.get("/").status_code == 200
    assert room.client.post(f"{API}/matches", json={"game": "kraken"}).status_code == 403
    room.close()


def test_a_language_link_never_leaves_the_dashboard(room: Room) -> None:
    for back in ("//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"):
        assert room.client.get("/language/es", query_string={"back": back}).headers["Location"] == "/"
    assert room.client.get("/language/es", query_string={"back": "/new"}).headers["Location"] == "/new"


def test_places_for_followers_are_limited_and_given_back() -> None:
    gate = Gate("127.0.0.1", 1, frozenset(), limits={"viewers": 2, "streams": 0})
    with gate.place("viewers"), gate.place("viewers"), pytest.raises(RefusedError) as told:
        gate.place("viewers").__enter__()
    assert told.value.status == 503
    with gate.place("viewers"):
        pass
    assert gate.inside["viewers"] == 0


def test_loopback_is_told_from_the_rest() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "localhost", "::1", "127.9.9.9")))
    assert not any(map(is_loopback, ("0.0.0.0", "192.168.1.4", "::", "example.org")))


def test_tokens_are_not_in_what_is_printed_of_the_gate(room: Room) -> None:
    assert room.gate.keeper not in repr(room.gate)
    assert len(room.gate.keeper) >= 20
    assert room.gate.keeper != room.gate.viewer


@pytest.mark.parametrize(
    ("path", "data", "field"),
    [
        ("/matches", {"game": "yacht", "optoins": {}}, "optoins"),
        ("/matches", {"game": "yacht", "about": {"nmaes": {}}}, "about.nmaes"),
        ("/matches/current/events", {"text": "1 2 3 4 5", "revison": 0}, "revison"),
        ("/matches/current/undo", {"target": 1}, "target"),
        ("/matches/current/answers", {"key": "k", "chioce": 1}, "chioce"),
        ("/matches/current/source", {"suorce": "sample"}, "suorce"),
    ],
)
def test_an_unknown_field_is_refused_by_its_name(room: Room, path: str, data: dict[str, object], field: str) -> None:
    room.begin("yacht", options={"players": ["Ana"]})
    answer = room.post(path, data, 400)
    assert answer["error"]["code"] == "bad_request"
    assert answer["error"]["message"].startswith(f"unknown field '{field}'; known are ")
    assert room.get("/matches/current")["revision"] == 0


@pytest.mark.parametrize(
    ("method", "path"), [("DELETE", "/matches/current"), ("PUT", "/matches"), ("POST", "/cameras")]
)
def test_a_method_that_an_address_does_not_know_is_told_as_such(room: Room, method: str, path: str) -> None:
    answer = room.client.open(API + path, method=method)
    assert (answer.status_code, error(answer)) == (405, "no_method")


@pytest.mark.parametrize(
    ("address", "kept"),
    [("/new?lang=es", "es"), ("/new?lang=xx", None), ("/new", None), ("/board?lang=ko", None)],
)
def test_a_language_in_the_address_is_kept_but_a_display_keeps_none(room: Room, address: str, kept: str | None) -> None:
    room.begin("yacht", options={"players": ["Ana"]})
    assert room.client.get(address).status_code == 200
    cookie = room.client.get_cookie(LANGUAGE_COOKIE)
    assert (None if cookie is None else cookie.value) == kept

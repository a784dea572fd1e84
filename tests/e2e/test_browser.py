"""The dashboard in a real browser: a whole shipped match from set-up to export, and each game kept by mouse and keys.

Needs Debian's chromium (or CHROMIUM names another one). REFEREE_SCREENSHOTS names a folder for pictures to look at.
"""

import os
import shutil
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.dashboard import Dashboard
from referee.desk import Desk
from referee.hall import Hall
from referee.logfile import parse_log
from referee.officials.registry import official_for
from referee.settings import Settings
from referee.store import Store

sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)")
PACE = 8.0
PICTURES = os.environ.get("REFEREE_SCREENSHOTS")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Running:
    """A dashboard that answers."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.store = Store(f"sqlite:///{folder / 'm.sqlite'}")
        self.desk = Desk(self.store)
        self.dashboard = Dashboard(Hall(self.desk, Settings({"port": free_port(), **settings}), official_for, PACE))
        self.url = f"http://127.0.0.1:{self.dashboard.gate.port}"
        self.thread = threading.Thread(target=self.dashboard.serve, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.dashboard.stop()
        self.thread.join(10)
        self.store.close()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    made = Running(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as play:
        made = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


def page_of(browser: Any, width: int = 1280, height: int = 900, scheme: str = "light", locale: str = "en-GB") -> Any:
    """A page that fails the test on any error in its console."""
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, locale=locale, accept_downloads=True
    )
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("console", lambda said: page.problems.append(said.text) if said.type == "error" else None)
    return page


def photograph(page: Any, name: str) -> None:
    if PICTURES:
        Path(PICTURES).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(PICTURES) / f"{name}.png"))


def revision(page: Any, number: int) -> None:
    page.wait_for_selector(f'#live[data-revision="{number}"]')


def test_the_shipped_match_from_set_up_to_export(running: Running, browser: Any, tmp_path: Path) -> None:
    page = page_of(browser)
    page.goto(running.url)
    photograph(page, "home-empty")
    page.click("#sample")
    page.wait_for_selector("#picture-card:not([hidden]) #picture[src]")
    page.wait_for_selector("#questions .question", timeout=60_000)
    photograph(page, "live-question")
    page.keyboard.press("1")
    page.wait_for_selector("#questions-card[hidden]", state="attached")
    phone = page_of(browser, 390, 844, "dark", "ko-KR")
    phone.goto(f"{running.url}/match/current")
    phone.wait_for_selector(".side-score")
    photograph(phone, "phone-dark-ko")
    page.wait_for_selector("#cmn:not([hidden])", state="attached", timeout=90_000)
    photograph(page, "live-over")
    assert page.inner_text("#turn").startswith("Won by")
    spoken = page.inner_text("#spoken")
    for word in ("Uxía", "Min-jun"):
        assert word in spoken
    match = running.desk.current()
    scores = [int(text) for text in page.locator(".side-score").all_inner_texts()]
    assert scores == list(match.log.score.values())
    assert phone.locator(".side-score").all_inner_texts() == [str(n) for n in scores]
    page.wait_for_selector("#events button[title^='Replay']")
    page.locator("#events button[title^='Replay']").first.click()
    for _ in range(100):
        if page.evaluate("document.getElementById('shown-clip').currentTime") > 0.1:
            break
        page.wait_for_timeout(100)
    assert page.evaluate("document.getElementById('shown-clip').currentTime") > 0.1
    assert page.evaluate("document.getElementById('shown-clip').playbackRate") == 0.5
    photograph(page, "replay")
    page.keyboard.press("Escape")
    with page.expect_download() as log:
        page.click("text=Export: log")
    file = parse_log(Path(log.value.path()).read_bytes())
    assert file.whole
    assert file.log.score == match.log.score
    assert any(entry.kind == "ruled" for entry in file.log.entries)
    with page.expect_download() as cmn:
        page.click("#cmn")
    assert '"cmn": "1.0"' in Path(cmn.value.path()).read_text(encoding="utf-8")
    for path, name in (
        ("/board", "board"),
        ("/overlay?back=123&side=top-right", "overlay"),
        ("/statistics", "statistics"),
    ):
        page.goto(running.url + path)
        page.wait_for_load_state()
        page.wait_for_timeout(400)
        photograph(page, name)
    assert page.problems == []
    assert phone.problems == []


def test_the_board_is_found_and_can_be_dragged(running: Running, browser: Any) -> None:
    match = running.desk.create("crokinole", {}, {})
    page = page_of(browser)
    page.goto(f"{running.url}/match/{match.id}/camera")
    page.select_option("[name=camera]", "sample")
    page.click("#source button")
    page.wait_for_selector(".handle")
    page.wait_for_selector("#accept:not([hidden])")
    rings = page.locator(".ring").count()
    assert rings == 4
    page.wait_for_timeout(300)
    photograph(page, "camera-found")
    box = page.locator(".handle").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 12, y + 9, steps=4)
    page.mouse.up()
    assert page.locator(".ring.loose").count() == 1
    photograph(page, "camera-dragged")
    page.click("#accept")
    page.wait_for_selector(".ring:not(.loose)")
    table = running.dashboard.hall.table(match)
    assert table is not None
    page.click("#accept")
    page.wait_for_selector("#sides .side")
    assert page.problems == []


def test_crokinole_by_hand_with_corrections(running: Running, browser: Any) -> None:
    page = page_of(browser, scheme="dark")
    page.goto(f"{running.url}/new")
    page.fill("[name=name0]", "Ana")
    page.fill("[name=name1]", "Bo")
    page.fill("[name=rounds]", "1")
    page.fill("[name=discs]", "2")
    photograph(page, "new-dark")
    page.click("button[type=submit]")
    page.wait_for_selector("#entry .options")
    save = "#entry .button.primary"
    page.click("#entry button[title='15']")
    page.click(save)
    revision(page, 1)
    page.click("#entry button[title='10']")
    page.click("#entry [aria-label='It touched'] button")
    page.click(save)
    revision(page, 2)
    assert "touched #1" in page.inner_text("#last")
    photograph(page, "hand-dark")
    page.keyboard.press("u")
    revision(page, 3)
    page.keyboard.press("r")
    revision(page, 4)
    page.keyboard.press("c")
    page.wait_for_selector("input[name=why]")
    page.fill("input[name=why]", "looked again")
    page.click("#entry button[title='5']")
    photograph(page, "correcting-dark")
    page.click(save)
    revision(page, 5)
    assert "looked again" in page.inner_text("#events")
    page.keyboard.press("?")
    page.wait_for_selector("#help[open]")
    photograph(page, "help-dark")
    page.keyboard.press("Escape")
    for i in (3, 4):
        page.click("#entry button[title='in the hole, 20']")
        page.click("#entry [aria-label='It touched'] button")
        page.click(save)
        revision(page, 3 + i)
    page.click(save)
    page.wait_for_selector(".side.winner")
    assert [int(n) for n in page.locator(".side-score").all_inner_texts()] == list(
        running.desk.current().log.score.values()
    )
    assert page.problems == []


def test_yacht_by_keys(running: Running, browser: Any) -> None:
    page = page_of(browser, locale="es-ES")
    page.goto(f"{running.url}/new")
    page.check("input[name=game][value=yacht]", force=True)
    page.fill("[name=people]", "Ana, Bo")
    page.click("button[type=submit]")
    page.wait_for_selector("[data-die='0']")
    page.focus("[data-die='0']")
    for key in "33366":
        page.keyboard.press(key)
    page.click("#entry .button.primary")
    revision(page, 1)
    photograph(page, "yacht-es")
    page.click("#entry button:has-text('Full')")
    revision(page, 2)
    assert page.locator(".side-score").all_inner_texts() == ["21", "0"]
    assert "Full" in page.inner_text("#last")
    assert page.problems == []


def test_krakatoa_and_kraken_by_mouse(running: Running, browser: Any) -> None:
    page = page_of(browser, 390, 844, locale="gl-ES")
    page.goto(f"{running.url}/new")
    page.check("input[name=game][value=krakatoa]", force=True)
    page.fill("[name=people]", "Uxía, Brais")
    page.click("button[type=submit]")
    for turn in (1, 2):
        page.wait_for_selector("[data-spot='steam0']")
        for i in range(3):
            for _ in range(turn):
                page.click(f"[data-spot='steam{i}']")
        page.click("#entry .button.primary")
        revision(page, turn)
    page.wait_for_selector("[data-spot='lava2']")
    photograph(page, "krakatoa-phone-gl")
    page.goto(f"{running.url}/new")
    page.check("input[name=game][value=kraken]", force=True)
    page.click("button[type=submit]")
    page.click("#entry .options button")
    revision(page, 1)
    page.click("#entry button[aria-label=S]")
    revision(page, 2)
    page.click("#entry .cards button:not([disabled])")
    revision(page, 3)
    photograph(page, "kraken-phone-gl")
    assert page.problems == []


def test_a_viewer_by_the_code_may_look_and_no_more(tmp_path: Path, browser: Any) -> None:
    running = Running(tmp_path, host="0.0.0.0")
    match = running.desk.create("yacht", {"players": ["Ana"]}, {})
    page = page_of(browser)
    page.goto(f"{running.url}/match/{match.id}")
    page.wait_for_selector(".side-score")
    assert page.locator("#entry").count() == 0
    page.goto(f"{running.url}/join/{running.dashboard.gate.keeper}")
    page.goto(f"{running.url}/join")
    photograph(page, "join")
    page.goto(f"{running.url}/match/{match.id}")
    page.wait_for_selector("#entry button")
    assert page.problems == []
    running.close()

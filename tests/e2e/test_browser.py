"""The dashboard in a real browser: a whole shipped match from set-up to export, and each game kept by mouse and keys.

Needs Debian's chromium (or CHROMIUM names another one). REFEREE_SCREENSHOTS names a folder for pictures to look at.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live.served import Served
from live.sources import Still, sample_frame, until

from referee.desk import OpenMatch
from referee.hall import samples_folder
from referee.live import LiveTable
from referee.logfile import options_of, parse_log, read_log
from referee.officials.registry import official_for
from referee.questions import Choice, OpenQuestion
from referee.watchdog import WatchedSource
from vision.cameras import SourceName

sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (apt-get install chromium)")
PACE = 8.0
CORRECTED = 5
"""An entry of the sample after which discs of both sides lie on the board."""
CLOSE = 15
"""An entry of the sample after which a disc lies 0.4 mm from a line."""
PICTURES = os.environ.get("REFEREE_SCREENSHOTS")


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Served]:
    made = Served(tmp_path, PACE)
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


def test_the_shipped_match_from_set_up_to_export(running: Served, browser: Any, tmp_path: Path) -> None:
    page = page_of(browser)
    page.goto(running.url)
    photograph(page, "home-empty")
    page.click("#sample")
    page.wait_for_selector("#picture-card:not([hidden]) #picture[src]")
    match = running.desk.current()
    until(lambda: match.revision >= CORRECTED, 300)
    entry = match.log.entries[CORRECTED - 1]
    shown = Choice("#5: 10", match.log.engine.event_to_json(entry.event))
    # as the official asks where a line is too close
    line = {"gap_mm": 0.2, "sigma_mm": 0.3, "clause": "C16", "entry": entry.number, "picture": entry.evidence}
    match.ask(OpenQuestion("line", "too_close", "#5, 10/5", entry.at, (shown, Choice("no shot")), **line))
    page.wait_for_selector("#questions .question")
    # not by wait_for_function: its polling evaluates text, which the page's security policy forbids
    until(lambda: page.evaluate("document.querySelector('#questions img')?.naturalWidth ?? 0") > 0, 30)
    photograph(page, "live-question")
    page.keyboard.press("1")
    page.wait_for_selector("#questions-card[hidden]", state="attached")
    phone = page_of(browser, 390, 844, "dark", "ko-KR")
    phone.goto(f"{running.url}/match/current")
    phone.wait_for_selector(".side-score")
    photograph(phone, "phone-dark-ko")
    page.wait_for_selector("#cmn:not([hidden])", state="attached", timeout=600_000)
    photograph(page, "live-over")
    assert page.inner_text("#turn").startswith("Won by")
    spoken = page.inner_text("#spoken")
    for word in ("Uxía", "Min-jun"):
        assert word in spoken
    scores = [int(text) for text in page.locator(".side-score").all_inner_texts()]
    assert scores == list(match.log.score.values())
    wanted = [str(n) for n in scores]
    until(lambda: phone.locator(".side-score").all_inner_texts() == wanted, 30)  # it hears of the end on its own
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
    known = read_log(samples_folder() / "crokinole.log.jsonl").log
    close = min(match.log.entries, key=lambda e: abs(e.at - known.entries[CLOSE - 1].at))
    page.click(f"#events li[data-number='{close.number}'] button[title^='Show the picture']")
    with page.expect_download(timeout=120_000) as audit:
        page.click("#shown-audit")
    assert Path(audit.value.path()).read_bytes().startswith(b"%PDF")
    page.keyboard.press("Escape")
    page.click(f"#events li[data-number='{known.entries[0].number}'] button[title^='Show the picture']")
    page.click("#shown-audit")
    page.wait_for_selector("#shown-note:has-text('no disc')", timeout=120_000)
    photograph(page, "no-call-to-audit")
    page.keyboard.press("Escape")
    page.problems = [p for p in page.problems if "404" not in p]  # the browser's own word about that answer
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


def test_a_reading_is_corrected_by_mouse_touch_and_keys(running: Served, browser: Any) -> None:
    known = read_log(samples_folder() / "crokinole.log.jsonl").log
    match = running.desk.create("crokinole", options_of(known.engine), dict(known.about))
    for entry in known.entries[:CORRECTED]:
        match.note(entry.event, entry.at, "Ana")
    pixels = sample_frame(known.entries[CORRECTED - 1].at).pixels
    source = WatchedSource(SourceName("usb", "test camera", "0"), opener=lambda _name: Still(pixels))
    table = LiveTable(match, source, official_for(match)).start()
    running.dashboard.hall._tables[match.id] = table
    page = page_of(browser)
    page.goto(f"{running.url}/match/{match.id}")
    page.wait_for_selector("#fix:not([hidden])")
    until(lambda: len(table.lain()[1]) == len(match.log.state.board), 60)
    page.keyboard.press("b")
    marks = page.locator("#discs .mark")
    page.wait_for_selector("#discs .mark:focus")
    assert marks.count() == len(match.log.state.board)
    photograph(page, "correcting-board")
    entries = match.revision
    first = marks.first
    number = int(first.get_attribute("data-disc"))
    where = {lain.disc.id: lain.disc.mm for lain in table.lain()[1]}[number]
    # by keys: some steps to the right, kept
    for _ in range(4):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    revision(page, entries + 1)
    moved = {lain.disc.id: lain.disc.mm for lain in table.lain()[1]}[number]
    assert moved[0] > where[0] + 10
    # by mouse
    page.wait_for_selector(f"#discs [data-disc='{number}'].ruled:focus")
    x, y = page.evaluate(
        """number => { const drawn = document.querySelector(`#discs [data-disc="${number}"] polygon`);
        const box = drawn.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2]; }""",
        number,
    )
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 40, steps=5)
    page.mouse.up()
    revision(page, entries + 2)
    dragged = {lain.disc.id: lain.disc.mm for lain in table.lain()[1]}[number]
    assert dragged[1] > moved[1] + 10
    # a ring further out, then said outright, then gone; each can be undone
    page.wait_for_selector("#discs .mark.ruled:focus")
    page.keyboard.press("-")
    revision(page, entries + 3)
    page.click("#reading button[aria-label='5']")
    revision(page, entries + 4)
    assert {lain.disc.id: lain.disc.value for lain in table.lain()[1]}[number] == 5
    page.wait_for_selector(f"#discs [data-disc='{number}']:focus")
    page.keyboard.press("Delete")
    revision(page, entries + 5)
    until(lambda: page.locator("#discs .mark").count() == len(where) - 1, 30)
    page.keyboard.press("u")
    revision(page, entries + 6)
    until(lambda: page.locator("#discs .mark").count() == len(where), 30)
    # a missed shot is added: the side on turn, moved from the middle to its place
    page.keyboard.press("Escape")
    page.locator("#reading .group").last.locator(f"button >> nth={turn_of(match)}").click()
    page.wait_for_selector("#discs [data-disc='new']:focus")
    for _ in range(5):
        page.keyboard.press("Shift+ArrowUp")
    photograph(page, "correcting-adding")
    page.keyboard.press("Enter")
    revision(page, entries + 7)
    assert len(table.lain()[1]) == len(where) + 1
    phone = page_of(browser, 390, 844, "dark", "gl-ES")
    phone.goto(f"{running.url}/match/{match.id}")
    phone.wait_for_selector("#fix:not([hidden])")
    phone.click("#fix")
    phone.wait_for_selector("#discs .mark")
    phone.locator("#reading button").first.click()
    photograph(phone, "correcting-phone-dark-gl")
    assert page.problems == []
    assert phone.problems == []


def turn_of(match: OpenMatch) -> int:
    return int(match.log.state.setup.sides.index(match.log.engine.legal(match.log.state)["side"]))


def test_the_board_is_found_and_can_be_dragged(running: Served, browser: Any) -> None:
    match = running.desk.create("crokinole", {}, {})
    page = page_of(browser)
    page.goto(f"{running.url}/match/{match.id}/camera")
    page.select_option("[name=camera]", "sample")
    page.click("#source button")
    page.wait_for_selector(".handle")
    page.wait_for_selector("#accept:not([hidden])")
    rings = page.locator(".ring").count()
    assert rings >= 3
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


def test_the_cameras_page_keeps_asking_for_a_picture_and_shows_its_source(browser: Any, tmp_path: Path) -> None:
    """The first answers come before the first picture; the list shows what is followed, not its first entry."""
    media = tmp_path / "media"
    media.mkdir()
    (media / "a.mp4").touch()
    shutil.copy(samples_folder() / "crokinole.mp4", media / "b.mp4")
    running = Served(tmp_path, PACE, media=str(media))
    match = running.desk.create("crokinole", {}, {})
    running.dashboard.hall.attach_named(match, "b.mp4")
    page = page_of(browser)
    refused: list[str] = []

    def late(route: Any) -> None:
        if len(refused) < 2:
            refused.append(route.request.url)
            route.fulfill(status=404, json={"error": {"code": "no_picture", "message": "there is no picture yet"}})
        else:
            route.continue_()

    page.route("**/view", late)
    page.goto(f"{running.url}/match/{match.id}/camera")
    page.locator("#rings .ring").first.wait_for(state="attached")
    assert len(refused) == 2
    assert page.input_value("[name=camera]") == "b.mp4"
    assert page.is_hidden("#notice")
    photograph(page, "camera-late")
    page.unroute("**/view")
    running.dashboard.hall.attach(match, str(samples_folder() / "crokinole.mp4"))
    page.goto(f"{running.url}/match/{match.id}/camera")
    assert page.input_value("[name=camera]") == "sample"
    running.close()


def test_crokinole_by_hand_with_corrections(running: Served, browser: Any) -> None:
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


def test_long_names_and_long_matches_on_screen_and_paper(running: Served, browser: Any) -> None:
    match = running.desk.create("yacht", {"players": ["W" * 60, "Bo"]}, {})
    roll = match.event_of({"kind": "roll", "player": "W" * 60, "dice": [1, 2, 3, 4, 5]})
    for _ in range(50):
        match.note(roll, 1.0, "x")
        match.undo(2.0, "x")
    match.note(roll, 3.0, "x")
    match.ask(OpenQuestion("q", "unexpected", "six dice in view", 3.0, (Choice("nothing"),), clause="Y1"))
    page = page_of(browser, 390, 844, scheme="dark")
    for path in ("/", "/statistics", f"/match/{match.id}"):
        page.goto(running.url + path)
        page.wait_for_selector("h1")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
    page.wait_for_selector(".question.plain")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    title, clause = page.locator(".question-title").bounding_box(), page.locator(".question .clause").bounding_box()
    assert abs(title["x"] - clause["x"]) < 2 and clause["width"] > 250  # one below the other without a picture
    assert page.locator("#events li").count() == 80
    page.click("#earlier")
    until(lambda: page.locator("#events li").count() == 101)
    match.undo(4.0, "x")
    page.wait_for_selector("#events li[data-number='102']")
    until(lambda: page.locator("#events li").count() == 102)
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != "rgb(18, 22, 27)"
    assert page.evaluate(
        "document.getElementById('events').scrollHeight <= document.getElementById('events').clientHeight"
    )
    for hidden in (".event-tools", "#tools-card", "#entry-card"):
        assert not page.locator(hidden).first.is_visible(), hidden
    assert page.locator("h1").bounding_box()["height"] > 20
    assert page.problems == []


def test_two_scorekeepers_correct_the_same_event(running: Served, browser: Any) -> None:
    match = running.desk.create("yacht", {"players": ["Ana"]}, {})
    match.note(match.event_of({"kind": "roll", "player": "Ana", "dice": [1, 2, 3, 4, 5]}), 1.0, "x")
    pages = [page_of(browser), page_of(browser, 390, 844)]
    for page in pages:
        page.goto(f"{running.url}/match/{match.id}")
        page.click("li[data-number='1'] .event-tools button:has-text('✎')")
        page.fill("input[name=why]", "I saw it")
    match.note(match.event_of({"kind": "fill", "player": "Ana", "category": "choice"}), 2.0, "x")
    for page in pages:  # the match goes on, and what is being written stays
        revision(page, 2)
        assert page.input_value("input[name=why]") == "I saw it"
    first, second = pages
    assert not first.locator("#typed-box").is_visible()  # what is typed there is a new event, never a correction
    first.focus("[data-die='0']")
    for key in "66666":
        first.keyboard.press(key)
    first.click("#entry .button.primary")
    revision(second, 3)
    second.wait_for_selector("#notice:has-text('changed meanwhile')")
    assert second.locator("input[name=why]").count() == 0
    assert not first.locator("#notice").is_visible()
    assert first.locator("#typed-box").is_visible()
    assert match.log.score == {"Ana": 30}
    assert first.problems == second.problems == []


def test_yacht_by_keys(running: Served, browser: Any) -> None:
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


def test_krakatoa_and_kraken_by_mouse(running: Served, browser: Any) -> None:
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
    running = Served(tmp_path, host="0.0.0.0")
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

"""The match log: folding, undo and redo, rulings, and its file."""

import json
import random
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from calibration.errors import UnusableInputError
from referee.log import Entry, MatchLog
from referee.logfile import LogWriter, checksum, parse_log, read_log, to_text
from referee.rules import GAMES
from referee.rules.crokinole import Crokinole, Recorded, Rest, Result, Shot
from referee.rules.protocol import RuleError
from referee.rules.yacht import Fill, Roll, Yacht


def hand(first: int, second: int, twenties: tuple[int, int] = (0, 0)) -> Result:
    return Result((first, second), twenties)


def match(*rounds: Result) -> MatchLog:
    log = MatchLog(Crokinole())
    for number, event in enumerate(rounds):
        log.observe(event, float(number), "camera")
    return log


def test_score_is_the_fold_over_what_was_observed() -> None:
    log = match(hand(55, 40), hand(20, 60))
    assert log.score == {"black": 15, "natural": 40}
    assert [(e.number, e.at, e.who, e.kind) for e in log.entries] == [
        (1, 0.0, "camera", "observed"),
        (2, 1.0, "camera", "observed"),
    ]
    assert [entry.number for entry, _, _ in log.history()] == [1, 2]


def test_what_can_not_have_happened_is_not_noted() -> None:
    log = match(hand(55, 40))
    with pytest.raises(RuleError, match="C15"):
        log.observe(Recorded(), 2.0, "camera")
    assert len(log.entries) == 1


def test_undo_and_redo_of_any_depth() -> None:
    log = match(hand(55, 40), hand(20, 60), hand(5, 0))
    states = [log.state]
    for _ in range(3):
        log.undo(9.0, "keyboard")
        states.append(log.state)
    assert log.state == log.engine.start()
    assert log.undoable is None
    with pytest.raises(ValueError, match="nothing to undo"):
        log.undo(9.0, "keyboard")
    for state in reversed(states[:-1]):
        log.redo(9.0, "keyboard")
        assert log.state == state
    with pytest.raises(ValueError, match="nothing to redo"):
        log.redo(9.0, "keyboard")
    assert len(log.entries) == 9, "nothing is ever removed"
    log.undo(9.0, "keyboard")
    assert log.state == states[1]


def test_redo_ends_where_play_went_on() -> None:
    log = match(hand(55, 40), hand(20, 60))
    log.undo(2.0, "keyboard")
    log.observe(hand(10, 0), 3.0, "keyboard")
    assert log.redoable is None
    log.undo(4.0, "keyboard")
    assert log.redoable == 5
    log.redo(5.0, "keyboard")
    assert log.score == {"black": 25, "natural": 0}


def test_a_ruling_in_the_middle_scores_anew_and_says_what_changed() -> None:
    log = match(hand(55, 40), hand(20, 60), hand(5, 0))
    change = log.rule(hand(40, 40), 4.0, "judge", target=1, why="a 15 was a 10", evidence="ab12")
    assert log.score == {"black": 5, "natural": 40}
    assert (change.score_before, change.score_after) == ({"black": 20, "natural": 40}, {"black": 5, "natural": 40})
    assert change.rescored == 3
    assert change.differing == (
        (4, {"black": 15, "natural": 0}, {"black": 0, "natural": 0}),
        (2, {"black": 15, "natural": 40}, {"black": 0, "natural": 40}),
        (3, {"black": 20, "natural": 40}, {"black": 5, "natural": 40}),
    )
    assert [name for name, _, _ in change.fields] == ["score", "played"]
    assert str(change) == (
        "3 entries scored anew; the score was black 20, natural 40, is black 5, natural 40; it differs from entry 4 on"
        " (black 15, natural 0, now black 0, natural 0); changed: score, played"
    )
    assert (log.entries[3].why, log.entries[3].evidence, log.entries[3].who) == ("a 15 was a 10", "ab12", "judge")
    assert [entry.number for entry, _, _ in log.history()] == [4, 2, 3]


def test_a_ruling_can_be_ruled_on_undone_and_redone() -> None:
    log = match(hand(55, 40), hand(20, 60))
    log.rule(hand(40, 40), 4.0, "judge", target=1)
    log.rule(hand(50, 40), 5.0, "judge", target=3)
    assert log.score == {"black": 10, "natural": 40}
    log.undo(6.0, "keyboard")
    assert log.score == {"black": 0, "natural": 40}
    log.undo(6.0, "keyboard")
    assert log.score == {"black": 15, "natural": 40}
    log.redo(6.0, "keyboard")
    log.redo(6.0, "keyboard")
    assert log.score == {"black": 10, "natural": 40}


def test_a_ruling_that_changes_nothing_says_so() -> None:
    log = match(hand(55, 40))
    text = str(log.rule(hand(55, 40), 1.0, "judge", target=1))
    assert text == "1 entries scored anew; the score stays black 15, natural 0"


def test_an_entry_can_be_struck_out_or_put_in() -> None:
    log = match(hand(55, 40), hand(20, 60))
    log.rule(None, 3.0, "judge", target=1)
    assert log.score == {"black": 0, "natural": 40}
    log.rule(hand(100, 5), 3.0, "judge", target=2, before=True)
    assert log.score == {"black": 95, "natural": 40}
    assert [entry.number for entry, _, _ in log.history()] == [4, 2]
    log.rule(hand(10, 5), 3.0, "judge", target=4)
    assert log.score == {"black": 5, "natural": 40}
    log.rule(hand(5, 0), 3.0, "judge")
    assert log.score == {"black": 10, "natural": 40}
    log.take_back(4, 3.0, "judge")
    assert log.score == {"black": 5, "natural": 40}


def test_taking_back_an_observed_entry_takes_its_rulings_along() -> None:
    log = match(hand(55, 40), hand(20, 60))
    log.rule(hand(40, 40), 3.0, "judge", target=1)
    log.take_back(1, 4.0, "players", "the round was played again (C13)")
    assert log.score == {"black": 0, "natural": 40}
    with pytest.raises(ValueError, match="entry 1 is taken back already"):
        log.take_back(1, 5.0, "players")


def test_a_ruling_that_can_not_be_is_refused() -> None:
    log = match(hand(55, 40), hand(20, 60))
    with pytest.raises(RuleError, match="C17"):
        log.rule(hand(42, 40), 4.0, "judge", target=1)
    assert len(log.entries) == 2
    assert log.score == {"black": 15, "natural": 40}


def test_where_later_entries_no_longer_fit_the_change_says_so() -> None:
    engine = Crokinole({"discs": 2})
    log = MatchLog(engine)
    log.observe(Shot("A", 1, (), (Rest(1, value=15),)), 1.0, "camera")
    log.observe(Shot("C", 2, (1,), (Rest(2, value=5), Rest(1, value=5))), 2.0, "camera")
    log.observe(Shot("A", 3, (2,), (Rest(3, value=5),)), 3.0, "camera")
    change = log.rule(Shot("C", 2, (1,), (Rest(2, "ditch"), Rest(1, value=5))), 4.0, "judge", target=2)
    assert change.stuck_after is not None
    assert change.stuck_after.number == 3
    assert "entry 3 does not fit: C12: disc 2 touched, which is out since an earlier shot" in str(change)
    assert str(change).endswith("what follows waits for a ruling")
    assert log.stuck == change.stuck_after
    with pytest.raises(RuleError, match="C12"):
        log.observe(Shot("C", 4, (), (Rest(4, value=15),)), 5.0, "camera")
    again = log.rule(Shot("A", 3, (1,), (Rest(3, value=15),)), 6.0, "judge", target=3)
    assert again.stuck_before is not None and again.stuck_after is None and log.stuck is None
    assert {disc.id: disc.value for disc in log.state.board} == {1: 5, 3: 15}


def test_state_as_it_stood_after_an_entry() -> None:
    log = match(hand(55, 40), hand(20, 60))
    log.rule(hand(40, 40), 4.0, "judge", target=1)
    assert log.up_to(2).score == {"black": 15, "natural": 40}
    assert log.up_to(0).score == {"black": 0, "natural": 0}
    assert log.up_to(3).score == log.score


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (Entry(9, 0.0, "x", "observed", hand(5, 0)), "entry 9 where entry 3 was expected"),
        (Entry(3, 0.0, " ", "observed", hand(5, 0)), "entry 3 does not say who made it"),
        (Entry(3, 0.0, "x", "observed"), "entry 3 is observed, so it has an event and no target"),
        (Entry(3, 0.0, "x", "observed", hand(5, 0), 1), "entry 3 is observed, so it has an event and no target"),
        (Entry(3, 0.0, "x", "observed", hand(5, 0), None, True), "entry 3 is observed, so it has an event"),
        (Entry(3, 0.0, "x", "ruled", hand(5, 0), 3), "entry 3 is about entry 3, which is not before it"),
        (Entry(3, 0.0, "x", "ruled", hand(5, 0), 0), "entry 3 is about entry 0, which is not before it"),
        (Entry(3, 0.0, "x", "ruled"), "entry 3 is a ruling without an event or an entry to strike out"),
        (Entry(3, 0.0, "x", "ruled", None, 1, True), "entry 3 is a ruling without an event"),
        (Entry(3, 0.0, "x", "ruled", hand(5, 0), None, True), "entry 3 does not say before which entry it belongs"),
        (Entry(3, 0.0, "x", "ruled", hand(5, 0), 2), "entry 3 rules on entry 2, which is a taking back"),
        (Entry(3, 0.0, "x", "taken_back"), "entry 3 takes back, so it has a target and no event"),
        (Entry(3, 0.0, "x", "taken_back", hand(5, 0), 2), "entry 3 takes back, so it has a target and no event"),
        (Entry(3, 0.0, "x", "taken_back", None, 1), "entry 1 is taken back already"),
    ],
)
def test_entries_that_can_not_follow(entry: Entry, message: str) -> None:
    log = match(hand(55, 40))
    log.undo(1.0, "keyboard")
    with pytest.raises(ValueError, match=message):
        log.restore([entry])
    assert len(log.entries) == 2


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_undoing_everything_and_redoing_it_comes_back_to_the_same(seed: int) -> None:
    pick = random.Random(seed)
    log = MatchLog(Crokinole({"rounds": 99}))
    for at in range(pick.randint(1, 12)):
        observed = [e.number for e in log.entries if e.kind != "taken_back"]
        kind = pick.choice(("observe", "observe", "rule", "insert", "undo", "redo"))
        result = hand(5 * pick.randint(0, 20), 5 * pick.randint(0, 20))
        if kind == "undo" and log.undoable:
            log.undo(at, "x")
        elif kind == "redo" and log.redoable:
            log.redo(at, "x")
        elif kind in ("rule", "insert") and observed:
            log.rule(result, at, "x", target=pick.choice(observed), before=kind == "insert")
        else:
            log.observe(result, at, "x")
    state, depth = log.state, 0
    while log.undoable:
        log.undo(0.0, "x")
        depth += 1
    assert log.state == log.engine.start()
    for _ in range(depth):
        log.redo(0.0, "x")
    assert log.state == state
    # scored step by step or read back and scored at once: the same
    assert parse_log(to_text(log).encode()).log.state == state


# the file


def yacht_log() -> MatchLog:
    log = MatchLog(Yacht({"players": ["Ann", "Zoë"]}), about={"place": "Basel"})
    log.observe(Roll("Ann", (1, 2, 2, 4, 6)), 1.5, "camera", evidence="0f" * 8)
    log.observe(Fill("Ann", "twos"), 2.0, "camera")
    log.rule(Roll("Ann", (2, 2, 2, 4, 6)), 3.0, "judge", target=1, why="die misread")
    log.undo(4.0, "keyboard")
    return log


def test_a_log_reads_back_as_it_was() -> None:
    log = yacht_log()
    file = parse_log(to_text(log).encode())
    assert file.log.entries == log.entries
    assert (file.log.score, file.log.about) == (log.score, {"place": "Basel"})
    assert (file.problem, file.schema, file.whole) == (None, 2, True)


def test_every_line_is_json_and_carries_a_running_checksum() -> None:
    lines = [json.loads(line) for line in to_text(yacht_log()).splitlines()]
    assert (lines[0]["log"], lines[0]["schema"], lines[0]["game"]) == ("table-referee", 2, "yacht")
    assert lines[1] == {
        "number": 1,
        "at": 1.5,
        "who": "camera",
        "kind": "observed",
        "event": {"kind": "roll", "player": "Ann", "dice": [1, 2, 2, 4, 6]},
        "evidence": "0f" * 8,
        "sum": checksum(lines[1], lines[0]["sum"]),
    }


@pytest.mark.parametrize("cut", range(1, 400, 7))
def test_a_cut_off_log_is_read_up_to_its_last_whole_entry(cut: int) -> None:
    log = yacht_log()
    data = to_text(log).encode()
    header = data.index(b"\n") + 1
    kept = data[:-cut]
    if len(kept) < header - 1:
        pytest.skip("cut inside the first line")
    file = parse_log(kept, "m.jsonl")
    whole = kept[header:].count(b"\n")
    # a last line that only lacks its line end is whole, but nothing may be added to it
    assert len(file.log.entries) in (whole, whole + 1)
    assert file.log.entries == log.entries[: len(file.log.entries)]
    if file.problem:
        line, offset = whole + 2, kept.rindex(b"\n") + 1
        assert file.problem == (f"m.jsonl: line {line} (byte {offset}) is cut off; read up to entry {whole}")
    if not kept.endswith(b"\n"):
        assert not file.whole


def test_damage_in_the_middle_is_named_with_what_is_left_out() -> None:
    data = to_text(yacht_log()).encode()
    for old, new in ((b'"twos"', b'"ones"'), (b'"who":"camera","kind":"observed","event":{"kind":"fill"', b"\xff\xfe")):
        file = parse_log(data.replace(old, new), "m.jsonl")
        assert len(file.log.entries) == 1
        assert file.problem is not None
        offset = sum(len(line) + 1 for line in data.split(b"\n")[:2])
        assert file.problem.startswith(f"m.jsonl: line 3 (byte {offset}) is damaged (")
        assert file.problem.endswith("; read up to entry 1, 2 lines after it are left out")


def test_a_lost_line_and_lines_out_of_order_are_noticed() -> None:
    lines = to_text(yacht_log()).splitlines(keepends=True)
    for broken in (
        [*lines[:2], *lines[3:]],
        [lines[0], lines[2], lines[1], *lines[3:]],
        [*lines[:2], "\n", *lines[2:]],
    ):
        assert "is damaged" in str(parse_log("".join(broken).encode()).problem)


def signed(*lines: dict[str, Any]) -> bytes:
    """Lines with right checksums, to see what is checked beside them."""
    text, before = "", ""
    for line in lines:
        before = checksum(line, before)
        text += json.dumps({**line, "sum": before}) + "\n"
    return text.encode()


HEAD: dict[str, Any] = {"log": "table-referee", "schema": 2, "game": "yacht", "options": {}, "about": {}}
ROLL: dict[str, Any] = {"kind": "roll", "player": "A", "dice": [1, 1, 1, 1, 1]}


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"number": 1, "at": 0, "who": "x", "kind": "seen"}, "field 'kind' is 'seen', expected one of 'observed'"),
        ({"number": 1, "who": "x", "kind": "observed", "event": ROLL}, "field 'at' is missing"),
        ({"number": True, "at": 0, "who": "x", "kind": "observed", "event": ROLL}, "field 'number' is True"),
        (
            {"number": 1, "at": "0", "who": "x", "kind": "observed", "event": ROLL},
            "field 'at' is '0', expected a number",
        ),
        ({"number": 1, "at": 0, "who": "x", "kind": "observed", "event": {"kind": "x"}}, "field 'kind' is 'x'"),
        ({"number": 1, "at": 0, "who": "x", "kind": "observed", "event": ROLL, "z": 1}, "unknown field 'z'"),
        ({"number": 2, "at": 0, "who": "x", "kind": "observed", "event": ROLL}, "entry 2 where entry 1 was expected"),
    ],
)
def test_entries_of_a_wrong_form_are_named(entry: dict[str, Any], message: str) -> None:
    file = parse_log(signed(HEAD, entry, entry))
    assert file.log.entries == ()
    assert message in str(file.problem)
    assert "line 2 (byte" in str(file.problem)


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        (b"", "foreign_log", "line 1 is not the first line of a match log"),
        (b"\n", "foreign_log", "line 1 is not"),
        (b"\x89PNG\r\n\x1a\n", "foreign_log", "line 1 is not"),
        (b"[" * 100_000, "foreign_log", "line 1 is not"),
        (b'{"cmn":"1.0"}\n', "foreign_log", "line 1 is not"),
        (b'{"log":"other","schema":2}\n', "foreign_log", "line 1 is not"),
        (b'{"log":"table-referee"}\n', "foreign_log", "line 1 is not"),
        (b'{"log":"table-referee","schema":true}\n', "foreign_log", "line 1 is not"),
        (b'{"log":"table-referee","schema":0}\n', "foreign_log", "line 1 is not"),
        (b'{"log":"table-referee","schema":3}\n', "newer_log", "written with schema 3, this version reads up to 2"),
        (b'{"log":"table-referee","schema":2,"game":"yacht"}\n', "bad_log", "line 1 is damaged: its checksum is wrong"),
        (signed({**HEAD, "game": "chess"}), "bad_log", "game 'chess' is not one of crokinole"),
        (signed({**HEAD, "options": []}), "bad_log", "options is not an object"),
        (signed({**HEAD, "options": {"x": 1}}), "bad_log", "option 'x' is unknown"),
        (signed({**HEAD, "about": 3}), "bad_log", "about is not an object"),
    ],
)
def test_foreign_newer_and_broken_headers_are_refused(data: bytes, code: str, message: str) -> None:
    with pytest.raises(UnusableInputError, match=message) as caught:
        parse_log(data, "m.jsonl")
    assert caught.value.code == code
    assert str(caught.value).startswith("m.jsonl: ")


def test_a_log_of_schema_1_is_read_and_brought_up_to_date(tmp_path: Path) -> None:
    old = tmp_path / "old.jsonl"
    old.write_text(
        '{"log":"table-referee","schema":1,"game":"yacht","rules":{"players":["Ann"]}}\n'
        '{"number":1,"time":1.0,"by":"camera","kind":"observed","event":{"kind":"roll","player":"Ann","dice":[1,1,1,4,5]}}\n'
        '{"number":2,"time":2.0,"by":"camera","kind":"observed","event":{"kind":"fill","player":"Ann","category":"ones"}}\n'
        '{"number":3,"time":3.0,"by":"keyboard","kind":"undone","target":2}\n',
        encoding="utf-8",
    )
    file = read_log(old)
    assert (file.problem, file.schema, file.whole) == (None, 1, False)
    assert file.log.score == {"Ann": 0}
    assert file.log.entries[2] == Entry(3, 3.0, "keyboard", "taken_back", target=2)
    LogWriter(old, file.log)
    now = read_log(old)
    assert (now.schema, now.whole, now.log.entries) == (2, True, file.log.entries)


def test_reading_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnusableInputError, match="can't be read") as caught:
        read_log(tmp_path / "none.jsonl")
    assert caught.value.code == "unreadable_input"


def test_the_writer_adds_entries_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    log = MatchLog(Yacht())
    writer = LogWriter(path, log)
    assert read_log(path).log.entries == ()
    log.observe(Roll("A", (1, 1, 1, 1, 1)), 1.0, "x")
    writer.save()
    log.observe(Fill("A", "ones"), 2.0, "x")
    log.undo(3.0, "x")
    writer.save()
    assert path.read_text(encoding="utf-8") == to_text(log)
    again = read_log(path)
    more = LogWriter(path, again.log, start=False)
    again.log.redo(4.0, "x")
    more.save()
    more.save()
    assert path.read_text(encoding="utf-8") == to_text(again.log)
    assert read_log(path).whole


def test_a_writer_whose_file_went_away_says_so(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    log = MatchLog(Yacht())
    writer = LogWriter(tmp_path / "d" / "m.jsonl", log)
    (tmp_path / "d" / "m.jsonl").unlink()
    (tmp_path / "d").rmdir()
    log.observe(Roll("A", (1, 1, 1, 1, 1)), 1.0, "x")
    with pytest.raises(UnusableInputError, match="can't be written"):
        writer.save()


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_file_changed_anywhere_never_gives_another_game_silently(data: st.DataObject) -> None:
    log = yacht_log()
    raw = bytearray(to_text(log).encode())
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] = data.draw(st.integers(0, 255))
    try:
        file = parse_log(bytes(raw))
    except UnusableInputError:
        return
    assert file.log.entries == log.entries[: len(file.log.entries)]
    assert file.problem or file.log.entries == log.entries


@pytest.mark.parametrize("game", ["crokinole", "yacht"])
def test_options_are_kept_in_the_first_line(game: str) -> None:
    engine = GAMES[game]({})
    assert parse_log(to_text(MatchLog(engine)).encode()).log.engine.options() == engine.options()

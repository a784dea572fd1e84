"""CSV of the score sheet, and Crokinole Match Notation in and out."""

import csv
import io
import json
from typing import Any

import pytest

from calibration.errors import UnusableInputError
from referee.exports import log_of_cmn, read_cmn, score_sheet, to_cmn, to_csv
from referee.log import MatchLog
from referee.rules.crokinole import Crokinole, Result
from referee.rules.protocol import RuleError
from referee.rules.yacht import Fill, Roll, Yacht

ID = "550e8400-e29b-41d4-a716-446655440000"
DATE = "2026-02-11T19:30:00Z"


def nca(*rounds: Result, **options: Any) -> MatchLog:
    log = MatchLog(Crokinole({"preset": "nca", "rounds": 2, **options}))
    for event in rounds:
        log.observe(event, 1.0, "keyboard")
    return log


ROUNDS = (Result((45, 20), (1, 0)), Result((15, 35), (0, 1)))


def cmn() -> dict[str, Any]:
    """A record with everything in it that may be there, and fields nobody knows."""
    return {
        "cmn": "1.0",
        "id": ID,
        "x-club": {"table": 4},
        "match": {
            "date": DATE,
            "format": "singles",
            "teams": [
                {"players": [{"name": "Ann", "cid": "CRK-00142", "hand": "left"}]},
                {"players": [{"name": "Bob"}], "seed": 2},
            ],
            "gameFormat": {"type": "fixed", "count": 2, "note": "short"},
            "games": [
                {"winner": 0, "hammer": 1, "scores": [45, 20], "twenties": [1, 0], "length": 300},
                {"winner": 1, "hammer": 0, "scores": [15, 35], "twenties": [0, 1]},
            ],
            "winner": None,
            "referee": "Eve",
        },
        "event": {"name": "Tuesday", "round": 4},
        "source": {"app": "other", "version": "1.5.0", "build": 7},
    }


def changed(path: str, value: Any) -> str:
    """The record as text with one field set, or taken out for the value ``...``."""
    data: Any = cmn()
    *way, last = path.split(".")
    here = data
    for step in way:
        here = here[int(step) if step.isdigit() else step]
    key: Any = int(last) if last.isdigit() else last
    if value is ...:
        del here[key]
    else:
        here[key] = value
    return json.dumps(data)


def test_csv_of_crokinole_is_the_score_sheet() -> None:
    rows = list(csv.reader(io.StringIO(to_csv(nca(*ROUNDS)))))
    assert rows[0][:4] == ["round", "shoots first", "shoots last (hammer)", "points black"]
    assert rows[1:] == [
        ["1", "A", "C", "45", "20", "1", "0", "2", "0", "2", "0"],
        ["2", "C", "A", "15", "35", "0", "1", "0", "2", "2", "2"],
    ]
    assert to_csv(nca()).count("\r\n") == 1


def test_csv_never_runs_a_name_as_a_formula() -> None:
    engine = Yacht({"players": ["=1+1", "Zoë, Ann", "@x", "-y", "+z"]})
    first = to_csv(MatchLog(engine)).splitlines()[0]
    assert first == "category,'=1+1,\"Zoë, Ann\",'@x,'-y,'+z"


def test_csv_of_a_game_without_a_sheet_lists_the_score_after_each_entry() -> None:
    class Plain:
        game = "yacht"

        def __init__(self) -> None:
            self.inner = Yacht()
            self.start, self.apply = self.inner.start, self.inner.apply
            self.score, self.event_to_json = self.inner.score, self.inner.event_to_json

    log = MatchLog(Plain())
    log.observe(Roll("A", (1, 1, 1, 1, 1)), 1.0, "x")
    log.observe(Fill("A", "ones"), 2.0, "x")
    assert score_sheet(log) == [["entry", "event", "A"], [1, "roll", 0], [2, "fill", 5]]


def test_cmn_of_a_match() -> None:
    record = to_cmn(nca(*ROUNDS, first="C"), record_id=ID, date=DATE, teams=(("Ann",), ("Bob",)))
    assert record == {
        "cmn": "1.0",
        "id": ID,
        "match": {
            "date": DATE,
            "format": "singles",
            "teams": [{"players": [{"name": "Ann"}]}, {"players": [{"name": "Bob"}]}],
            "gameFormat": {"type": "fixed", "count": 2},
            "games": [
                {"winner": 0, "hammer": 1, "shotFirst": 1, "shotLast": 0, "scores": [45, 20], "twenties": [1, 0]},
                {"winner": 1, "hammer": 0, "shotFirst": 0, "shotLast": 1, "scores": [15, 35], "twenties": [0, 1]},
            ],
            "winner": None,
        },
        "source": {"app": "table-referee", "version": "0.1.0"},
    }
    assert read_cmn(json.dumps(record))[0].document == record


def test_cmn_of_doubles_first_to_a_number_and_a_tied_round() -> None:
    log = MatchLog(Crokinole({"preset": "nca", "players": "4", "target": 3}))
    for points in ((5, 5), (15, 0)):
        log.observe(Result(points, (0, 0)), 1.0, "x")
    match = to_cmn(log, record_id=ID, date=DATE)["match"]
    assert (match["format"], match["winner"]) == ("doubles", 0)
    assert match["gameFormat"] == {"type": "first_to", "target": 3}
    assert match["games"][0]["winner"] is None
    assert match["teams"][1] == {"players": [{"name": "natural 1"}, {"name": "natural 2"}]}
    assert [(g["shotFirst"], g["shotLast"]) for g in match["games"]] == [(0, 1), (1, 0)]


def test_cmn_hammer_is_who_shot_first_and_is_never_called_hammer_here() -> None:
    game = read_cmn(json.dumps(cmn()))[0].games[0]
    assert (game.shot_first, game.shot_last) == (1, 0)
    assert not hasattr(game, "hammer")
    without = read_cmn(changed("match.games.0.hammer", ...))[0].games[0]
    assert (without.shot_first, without.shot_last) == (None, None)


def test_cmn_is_read_with_unknown_fields_kept() -> None:
    match = read_cmn(json.dumps(cmn()))[0]
    assert (match.id, match.date, match.doubles, match.teams) == (ID, DATE, False, (("Ann",), ("Bob",)))
    assert (match.winner, match.rounds, match.target) == (None, 2, None)
    assert match.games[0].scores == (45, 20)
    assert match.document == cmn()
    back = to_cmn(log_of_cmn(match), record_id=ID, date=DATE, teams=match.teams, base=match.document)
    assert back["x-club"] == {"table": 4}
    assert back["event"] == {"name": "Tuesday", "round": 4}
    assert back["source"] == {"app": "table-referee", "version": "0.1.0", "build": 7}
    assert back["match"]["referee"] == "Eve"
    assert back["match"]["gameFormat"] == {"type": "fixed", "count": 2, "note": "short"}
    assert back["match"]["games"][0]["length"] == 300
    assert back["match"]["teams"] == cmn()["match"]["teams"]
    assert {**back["match"]["games"][1], "shotFirst": 0, "shotLast": 1} == back["match"]["games"][1]


def test_cmn_becomes_a_log_of_rounds_kept_by_hand() -> None:
    log = log_of_cmn(read_cmn(json.dumps(cmn()))[0])
    assert log.score == {"Ann": 2, "Bob": 2}
    assert log.engine.winners(log.state) == ["Ann", "Bob"]
    assert [done.first for done in log.state.played] == ["C", "A"]
    assert [entry.who for entry in log.entries] == ["CMN", "CMN"]
    assert log.entries[0].at == 1770838200.0
    assert log_of_cmn(read_cmn(json.dumps(cmn()))[0], {"preset": "match-play"}).score == {"Ann": 2, "Bob": 2}
    first_to = json.loads(json.dumps(cmn()))
    first_to["match"]["gameFormat"] = {"type": "first_to", "target": 9}
    assert log_of_cmn(read_cmn(json.dumps(first_to))[0]).engine.setup.target == 9
    bare = json.loads(changed("match.gameFormat", ...))
    assert log_of_cmn(read_cmn(json.dumps(bare))[0]).engine.setup.rounds == 2


def test_cmn_doubles_become_a_log_for_four() -> None:
    data = cmn()
    data["match"]["format"] = "doubles"
    data["match"]["teams"] = [{"players": [{"name": n} for n in pair]} for pair in (("Ann", "Al"), ("Bob", "Bea"))]
    log = log_of_cmn(read_cmn(json.dumps(data))[0])
    assert log.engine.setup.players == "4"
    assert log.score == {"Ann and Al": 2, "Bob and Bea": 2}
    assert log.state.played[0].first == "B"


def test_cmn_that_can_not_be_scored_is_kept_but_makes_no_log() -> None:
    for path in ("match.games.1.scores", "match.games.1.twenties"):
        match = read_cmn(changed(path, ...))[0]
        with pytest.raises(UnusableInputError, match=rf"games\[1\].{path.split('.')[-1]} is missing"):
            log_of_cmn(match)
    with pytest.raises(UnusableInputError, match=r"games\[1\].winner is 0, its scores say otherwise"):
        log_of_cmn(read_cmn(changed("match.games.1.winner", 0))[0])
    with pytest.raises(RuleError, match="C17"):
        log_of_cmn(read_cmn(changed("match.games.1.twenties", [0, 2]))[0])


def test_cmn_batches_share_event_and_source() -> None:
    one = cmn()
    batch = {
        "cmn": "1.0",
        "batch": True,
        "event": {"name": "league"},
        "source": {"app": "other"},
        "matches": [{"id": ID, "match": one["match"]}, {"id": "b", "match": one["match"], "event": {"name": "own"}}],
    }
    first, second = read_cmn(json.dumps(batch))
    assert first.document["event"] == {"name": "league"}
    assert second.document["event"] == {"name": "own"}
    assert second.document["source"] == {"app": "other"}
    batch["matches"] = 3
    with pytest.raises(UnusableInputError, match="CMN: matches is '3', expected a list of matches"):
        read_cmn(json.dumps(batch))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("cmn", "2.0", "cmn is '2.0', expected 1.0 or 1.0-draft"),
        ("cmn", ..., "cmn is 'None', expected 1.0"),
        ("id", ..., "id is 'None', expected a text"),
        ("id", "", "id is '', expected a text"),
        ("match", [], "match is .*, expected an object"),
        ("match.date", ..., "match.date is 'None', expected a date in UTC ending in Z"),
        ("match.date", "2026-02-11T19:30:00", "date is '2026-02-11T19:30:00', expected UTC, ending in Z"),
        ("match.date", "yesterdayZ", "date is 'yesterdayZ'"),
        ("match.format", "triples", "match.format is 'triples', expected singles or doubles"),
        ("match.teams", [], "expected exactly two teams"),
        ("match.teams.0", 3, r"match.teams\[0\] is '3', expected an object"),
        ("match.teams.0.players", [], "expected 1 players"),
        ("match.teams.1.players.0", "Bob", r"match.teams\[1\].players\[0\] is 'Bob', expected an object"),
        ("match.teams.1.players.0.name", ..., "expected a name for each player"),
        ("match.format", "doubles", "expected 2 players"),
        ("match.games", {}, "expected a list of games"),
        ("match.games.0", 3, "expected an object"),
        ("match.games.0.winner", ..., "winner is 'missing', expected 0, 1 or null"),
        ("match.games.0.winner", 2, "winner is '2', expected 0, 1 or null"),
        ("match.games.0.winner", True, "winner is 'True', expected 0, 1 or null"),
        ("match.games.0.hammer", "A", "hammer is 'A', expected 0, 1 or null"),
        ("match.games.0.scores", [1], "expected two whole numbers"),
        ("match.games.0.scores", [1, -5], "expected two whole numbers"),
        ("match.games.0.twenties", [1.5, 0], "expected two whole numbers"),
        ("match.winner", ..., "match.winner is 'missing', expected 0, 1 or null"),
        ("match.winner", "Ann", "match.winner is 'Ann', expected 0, 1 or null"),
        ("match.gameFormat", 4, "match.gameFormat is '4', expected an object"),
        ("match.gameFormat.type", "best_of", "type is 'best_of', expected fixed or first_to"),
        ("match.gameFormat.count", ..., "count is 'None', expected a whole number from 1"),
    ],
)
def test_cmn_with_a_wrong_field_is_refused_naming_it(path: str, value: Any, message: str) -> None:
    with pytest.raises(UnusableInputError, match=message) as caught:
        read_cmn(changed(path, value), "m.cmn")
    assert caught.value.code == "bad_cmn"


@pytest.mark.parametrize("text", ["", "[1]", "{", "[" * 100_000])
def test_cmn_that_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(UnusableInputError, match=r"m\.cmn"):
        read_cmn(text, "m.cmn")


def test_cmn_is_not_written_where_it_would_be_wrong() -> None:
    done = nca(*ROUNDS)
    with pytest.raises(UnusableInputError, match="over: C24 asks for more rounds"):
        to_cmn(nca(ROUNDS[0]), record_id=ID, date=DATE)
    with pytest.raises(UnusableInputError, match="expected a UUID"):
        to_cmn(done, record_id="7", date=DATE)
    with pytest.raises(UnusableInputError, match="ending in Z"):
        to_cmn(done, record_id=ID, date="2026-02-11T19:30:00+01:00")
    with pytest.raises(UnusableInputError, match="expected two of 1 players"):
        to_cmn(done, record_id=ID, date=DATE, teams=(("Ann", "Al"), ("Bob",)))
    for log in (MatchLog(Yacht()), MatchLog(Crokinole({"players": "3"})), MatchLog(Crokinole({"players": "2v1"}))):
        with pytest.raises(UnusableInputError, match="CMN is for crokinole between two teams"):
            to_cmn(log, record_id=ID, date=DATE)

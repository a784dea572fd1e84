"""The commands ``sheet``, ``replay`` and ``rules``: a match kept by keyboard, without any camera."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from referee.cli import main
from referee.commands.sheet import sheet
from referee.keyboard.words import Words
from referee.log import MatchLog
from referee.logfile import LogWriter, read_log, to_text
from referee.rules import GAMES
from referee.rules.clauses import clause, clauses
from referee.rules.yacht import Roll


def keep(path: Path, typed: str, *args: str, game: str = "crokinole") -> str:
    """Type lines at the prompt; the end of the input stops it, as a broken off session does."""
    result = CliRunner().invoke(sheet, [game, "--log", str(path), *args], input=typed, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.jsonl"


def test_a_whole_match_by_rounds(path: Path) -> None:
    out = keep(path, "55/1 40/0\n20/1 120/5\n0/0 5/0\nquit\n")
    assert "round 1 (black 0, natural 0): A or C shoots disc 1 of 24" in out
    assert "round 1: black +15, natural +0" in out
    assert "won by natural" in out
    assert read_log(path).log.score == {"black": 15, "natural": 100}


def test_shot_by_shot_with_what_each_causes(path: Path) -> None:
    out = keep(
        path, "shot 15\nshot 10 hit 1 1=ditch\nshot 20\nshot 10 hit ?\nshot 10i hit 2 2=20\nshot lean hit 4\nend\n"
    )
    assert "not valid, C8: no opposing disc was touched" in out
    assert "take off: 3" in out
    assert "to be ruled: C7: which discs did disc 4 touch?" in out
    assert "Type the shot again" in out
    assert "twenty: disc 2 for natural" in out
    assert "C15: a round recorded after" in out
    assert [e.kind for e in read_log(path).log.entries] == ["observed"] * 6


def test_a_round_is_ended_with_a_value_settled(path: Path) -> None:
    out = keep(path, "shot 15\nshot 5?10 hit 1\n?\nend\nend 2=10\n", "--set", "discs=1")
    assert "all discs shot, 'end' records the round" in out
    assert "On the board: 1 (black, 15), 2 (natural, open)" in out
    assert "C26: the value of disc 2 is open" in out
    assert "round 1: black +5, natural +0" in out


def test_help_at_every_prompt(path: Path) -> None:
    for typed in ("?", "help", "", "HELP"):
        out = keep(path, typed + "\n")
        assert "The whole round: points before subtracting / twenties, for black, natural: 55/1 40/0" in out
        assert "leave a disc in the hole, inside the 15 circle or touching it (C7)" in out
        assert "undo, redo" in out
    out = keep(path, "180/0 0/0\n?\n")
    assert "The game is over." in out
    nca = keep(path.with_name("n"), "?\nshot 15\n?\ntimeout\n", "--preset", "nca")
    assert "timeout: the time of the round has run out" in nca
    assert "touch an opposing disc (C8)" in nca
    assert "On the board: 1 (black, 15)" in nca


NONSENSE = [
    "hello", "55", "55/1", "55/1 40/0 3/0", "55/1/2 3", "-5/0 5/0", "99999/0 0/0", "shot", "shot x", "shot 15 hit",
    "shot 15 hit x", "shot 15 7", "shot 15 x=5", "shot 15 9=5", "end 3", "end", "end x=5", "undo", "redo", "rule",
    "rule 1", "rule x shot 15", "strike 9", "insert 1 55/1 40/0", "timeout", "\x00\x01", "é" * 3000, "shot 15?",
    "shot ?15", "1e9/0 0/0", "rule 99999999999999999999 shot 15", "٣/٠ ٣/٠",
]  # fmt: skip


@pytest.mark.parametrize("typed", NONSENSE)
def test_nonsense_asks_again_and_notes_nothing(path: Path, typed: str) -> None:
    out = keep(path, typed + "\n10/0 5/0\n")
    assert "Nothing was noted. Type ? for help." in out
    assert read_log(path).log.score == {"black": 5, "natural": 0}
    assert len(read_log(path).log.entries) == 1


@pytest.mark.parametrize(
    "typed", ["hello", "1 2 3", "1 2 3 4 5 6", "1 2 3 4 9", "keep 1 roll", "f", "fill", "full house"]
)
def test_nonsense_in_yacht_asks_again(path: Path, typed: str) -> None:
    out = keep(path, typed + "\n1 1 1 1 1\n", game="yacht")
    assert "Nothing was noted" in out
    assert len(read_log(path).log.entries) == 1


def test_undo_redo_and_rulings_at_the_prompt(path: Path) -> None:
    out = keep(
        path,
        "55/1 40/0\n20/1 60/0\nundo\nundo\nredo\nredo\n"
        "rule 1 40/0 40/0 because a 15 was a 10\ninsert 2 20/0 5/0\nstrike 2\nlog\nscore\n",
    )
    assert "the score was black 15, natural 40, is black 0, natural 40" in out
    log = read_log(path).log
    assert log.score == {"black": 15, "natural": 0}
    assert [e.kind for e in log.entries] == ["observed"] * 2 + ["taken_back"] * 4 + ["ruled"] * 3
    assert log.entries[6].why == "a 15 was a 10"
    assert "   9  ruled about entry 2 by keyboard" in out
    assert "   1  observed by keyboard: {'kind': 'result'" in out


def test_a_ruling_on_a_shot_is_read_as_that_shot(path: Path) -> None:
    out = keep(path, "shot 15\nshot 10 hit 1\nrule 2 shot 5 hit 1 1=ditch\n")
    assert "changed: board, out, outcome" in out
    log = read_log(path).log
    assert {d.id: d.value for d in log.state.board} == {2: 5}


def test_stuck_after_a_ruling_says_so_until_it_is_settled(path: Path) -> None:
    out = keep(path, "shot 15\nshot 10 hit 1\nshot 15 hit 2\nrule 2 shot ditch\nshot 5\nstrike 3\n")
    assert "entry 3 does not fit: C12" in out
    assert "undo, rule or strike" in out
    assert "round 1 (black 0, natural 0): A (black) shoots disc 3 of 24" in out


def test_the_same_command_goes_on_after_an_interruption(path: Path) -> None:
    keep(path, "55/1 40/0\n")
    out = keep(path, "undo\nredo\n20/1 60/0\n")
    assert f"Going on with {path} after entry 1" in out
    assert read_log(path).log.score == {"black": 15, "natural": 40}
    assert read_log(path).whole


def test_every_entry_is_on_the_disk_before_the_next_prompt(path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "referee.cli", "sheet", "crokinole", "--log", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("55/1 40/0\n")
    process.stdin.flush()
    for line in process.stdout:
        if "black +15" in line:
            break
    process.kill()
    process.communicate()
    assert read_log(path).log.score == {"black": 15, "natural": 0}


def test_a_cut_off_log_is_mended_and_the_old_one_kept(path: Path) -> None:
    keep(path, "55/1 40/0\n20/1 60/0\n")
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    out = keep(path, "5/0 0/0\n")
    assert "line 3 (byte" in out and "is cut off; read up to entry 1" in out
    assert path.with_name("m.jsonl.before").read_bytes() == whole[:-20]
    assert read_log(path).log.score == {"black": 20, "natural": 0}
    path.write_bytes(path.read_bytes()[:-1])
    assert "is brought up to date" in keep(path, "5/0 0/0\n")
    assert read_log(path).whole


def test_another_game_or_other_options_are_refused(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(path, "55/1 40/0\n", "--preset", "match-play")
    assert main(["sheet", "yacht", "--log", str(path)]) == 2
    assert "is a match of crokinole; choose another file with --log" in capsys.readouterr().err
    assert main(["sheet", "crokinole", "--log", str(path), "--preset", "nca"]) == 2
    assert "was begun with another" in capsys.readouterr().err
    keep(path, "", "--preset", "match-play")
    fresh = str(path.with_name("f"))
    for wrong in (["--preset", "club"], ["--set", "discs=0"], ["--set", "discs"], ["--players", "7"], ["--set", "x=1"]):
        assert main(["sheet", "crokinole", "--log", fresh, *wrong]) == 2
    assert not Path(fresh).exists()
    path.write_text("hello")
    assert main(["sheet", "crokinole", "--log", str(path)]) == 2
    assert "is not the first line of a match log" in capsys.readouterr().err


def test_players_and_seats_from_the_command_line(path: Path) -> None:
    out = keep(path, "60/0 40/0 20/0\n?\n", "--players", "3", "--set", "sides=Ann,Bob,Cem", "--set", "first=B")
    assert "round 1 (Ann 0, Bob 0, Cem 0): B (Bob) shoots disc 1 of 36" in out
    assert "round 1: Ann +2, Bob +1, Cem +0" in out
    assert "for Ann, Bob, Cem: 55/1 40/0 35/1" in out


def test_a_yacht_turn(path: Path) -> None:
    out = keep(
        path,
        "1 2 2 4 6\nkeep 2 2 roll 4 4 6\nkeep 4 4 roll 144\nfour of\n6666?\n?\nkeep 6666 roll 6\nyacht\nfill twos\n",
        "--players",
        "Ann, Bob",
        game="yacht",
    )
    assert "turn 1, Ann: 3 rolls left" in out
    assert "turn 1, Ann: dice 22446, 1 roll left" in out
    assert "turn 1, Ann: dice 44144, no roll left" in out
    assert "Ann: four of a kind 17" in out
    assert "The dice don't count yet: 1 cocked (Y7)" in out
    assert "Bob: yacht 50" in out
    assert "Y2: a category filled before a roll" in out
    assert read_log(path).log.score == {"Ann": 17, "Bob": 50}


def test_yacht_to_the_end(path: Path) -> None:
    names = ["yacht", "big", "little", "four of", "full", "choice", "sixes", "fives", "fours", "threes", "twos", "ones"]
    out = keep(path, "".join(f"11111\n?\n{name}\n" for name in names) + "?\n11111\n", game="yacht")
    assert "won by A" in out
    assert "game over: A 65" in out
    assert "Or a category: yacht (50)" in out
    assert "The game is over." in out
    again = keep(path, "", game="yacht")
    assert again.count("won by A") == 1
    assert "This match is over; another one is begun in another file, with --log." in again


def test_every_game_can_be_told_in_the_general_form(path: Path) -> None:
    for game in GAMES:
        out = keep(path.with_name(game), "?\nnonsense\nx y\nx y=z\n", game=game)
        assert out.count("Nothing was noted") == 3
    keep(
        path, "deal dealer=N\ntrump seat=E suit=S\ndeclare seat=E cards=QS,KS,AS\nlaid seat=E card=9S\n", game="kraken"
    )
    assert len(read_log(path).log.entries) == 4
    engine = GAMES["yacht"]({})
    plain = Words(engine)
    assert "  roll player=... dice=... kept=... announced=..." in plain.help(engine.start())
    assert "  rolls_left: 3" in plain.help(engine.start())
    assert plain.parse("roll player=A dice=1,2,2,4,6 announced=5", None) == Roll("A", (1, 2, 2, 4, 6), (), 5)
    assert plain.parse("roll player=A dice=[1,null] kept=1,", None) == Roll("A", (1, None), (1,))
    assert plain.prompt(engine.start()) == "turn 1 of A, 0 of 3 rolls done; totals A 0"
    with pytest.raises(ValueError, match="'dice' is not of the form field=value"):
        plain.parse("roll dice", None)


def test_a_kraken_round_by_cards(path: Path) -> None:
    typed = "stake 100\ndeal N\n?\ntrump s\n?\ncontra N\n?\ndeclare E QS,KS,AS\n9S\n?\n10c\nJS\n7h\n?\nundo\n7S\n"
    out = keep(path, typed, game="kraken")
    log = read_log(path).log
    kinds = [log.engine.event_to_json(event)["kind"] for _, event, _ in log.history()]
    assert kinds == ["stake", "deal", "trump", "challenge", "declare", "laid", "laid", "laid", "laid"]
    assert "trump S: E names trump, one of C, D, H, S" in out
    assert "contra W: a challenge by S or N" in out
    assert "declare E QS,KS,AS: a run or four before the first trick" in out
    assert "A card that S lays: 9S, 10H" in out
    nonsense = "1S\n9S 8S\nAS AS\ndeal\ndeal X\ntrump\nclaim\nrecord\nclaim NS\npair\ndeclare\nstake x\n9Z\n"
    out = keep(path, nonsense, game="kraken")
    assert out.count("Nothing was noted") == 13
    assert "no card can be laid now" in keep(path.with_name("n"), "9S\n", game="kraken")


def test_a_krakatoa_game_begins_by_colours(path: Path) -> None:
    typed = (
        "?\nA steam YYB\nB ash RRB\n?\nYYY RRR BBB\n?\nagain YYB YRR RRB\nYYB YRR RRR\nash YYB YRB RRR hit\n"
        "?\nyyb yrb rrr miss\nYYB YR? RRR hit\n?\nstands YYB YRR RRR\n"
    )
    out = keep(path, typed, "--players", "A,B", game="krakatoa")
    log = read_log(path).log
    kinds = [log.engine.event_to_json(event)["kind"] for _, event, _ in log.history()]
    assert kinds == ["throw_off", "throw_off", "throw", "throw", "throw", "throw", "throw", "ruling"]
    assert "which set was thrown? steam, ash or lava ahead of the colours" in out
    assert "All nine thrown once more: again YYB YRR RRR" in out
    assert "To be ruled: " in out
    out = keep(
        path, "foo\nYYX YYY YYY\nYYY YYY\nash YYY YYY\nhit\nagain\nstands\nash YYY YYY YYY YYY\n", game="krakatoa"
    )
    assert out.count("Nothing was noted") == 8


def test_replay_shows_entries_scores_and_sheet(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(path, "55/1 40/0\n20/1 60/0\nrule 1 40/0 40/0\n")
    assert main(["replay", str(path)]) == 0
    out = capsys.readouterr().out
    assert "   3  result (ruled) points=[40, 40] twenties=[0, 0]  [black 0, natural 0]" in out
    assert "   2  result points=[20, 60] twenties=[1, 0]  [black 0, natural 40]" in out
    assert main(["replay", str(path), "--to", "2"]) == 0
    assert "[black 15, natural 40]" in capsys.readouterr().out
    assert main(["replay", str(path), "--to", "4"]) == 2
    assert "the log has 3 entries" in capsys.readouterr().err


def test_replay_as_json_and_its_exports(path: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    keep(path, "45/1 20/0\n15/0 35/1\n", "--preset", "nca", "--set", "rounds=2")
    csv, lines, cmn = tmp_path / "s.csv", tmp_path / "l.jsonl", tmp_path / "m.json"
    assert main(["replay", str(path), "--json", "--csv", str(csv), "--jsonl", str(lines), "--cmn", str(cmn),
                 "--date", "2026-02-11T19:30:00Z"]) == 0  # fmt: skip
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (data["score"], data["winners"], data["stuck"]) == ({"black": 2, "natural": 2}, ["black", "natural"], None)
    assert data["history"][0]["entry"] == 1
    assert csv.read_bytes().count(b"\r\n") == 3
    assert lines.read_bytes() == path.read_bytes()
    assert json.loads(cmn.read_text())["match"]["games"][0]["scores"] == [45, 20]
    assert main(["replay", str(cmn)]) == 0
    assert "shared by black and natural" in capsys.readouterr().out
    assert main(["replay", str(path), "--cmn", str(cmn)]) == 2
    assert "--cmn needs --date" in capsys.readouterr().err
    cmn.write_text('{"cmn": "1.0", "batch": true, "matches": []}')
    assert main(["replay", str(cmn)]) == 2
    assert "holds 0 matches" in capsys.readouterr().err


def test_files_that_can_not_be_written(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(path, "55/1 40/0\n")
    missing = str(path.parent / "none" / "x")
    assert main(["replay", str(path), "--csv", missing]) == 2
    assert f"the folder {path.parent / 'none'} doesn't exist" in capsys.readouterr().err
    assert main(["sheet", "yacht", "--log", missing]) == 2
    assert "can't be written (No such file or directory)" in capsys.readouterr().err
    assert main(["replay", str(path.parent)]) == 2


def test_replay_of_a_damaged_log_says_where(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(path, "55/1 40/0\n20/1 60/0\n")
    path.write_bytes(path.read_bytes()[:-20])
    assert main(["replay", str(path), "--json"]) == 0
    captured = capsys.readouterr()
    assert "line 3 (byte" in captured.err
    assert json.loads(captured.out)["problem"] in captured.err
    path.write_text("{}")
    assert main(["replay", str(path), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "foreign_log"


def test_replay_tells_where_it_is_stuck(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(path, "shot 15\nshot 10 hit 1\nshot 15 hit 2\nrule 2 shot ditch\n")
    assert main(["replay", str(path)]) == 0
    assert "stuck: entry 3 does not fit: C12" in capsys.readouterr().out
    assert main(["replay", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stuck"]["entry"] == 3


def test_rules_of_a_game_and_one_clause(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "crokinole"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("C1   The playing surface")
    assert "\nC26  A line call" in out
    assert main(["rules", "kraken", "r14A"]) == 0
    assert capsys.readouterr().out.startswith("R14a ")
    assert main(["rules", "crokinole", "C99"]) == 2
    assert "crokinole has no clause 'C99'; it has C1, C2" in capsys.readouterr().err
    assert main(["rules", "chess"]) == 2


@pytest.mark.parametrize(
    ("game", "numbers"),
    [
        ("crokinole", ["C1", "C2", "C3", "C4", "C4a", *[f"C{n}" for n in range(5, 27)]]),
        ("yacht", [f"Y{n}" for n in range(1, 8)]),
        ("krakatoa", [f"K{n}" for n in range(1, 18)]),
        ("kraken", [*[f"R{n}" for n in range(1, 15)], "R14a", *[f"R{n}" for n in range(15, 19)]]),
    ],
)
def test_every_clause_has_a_text(game: str, numbers: list[str]) -> None:
    assert list(clauses(game)) == numbers
    assert all(len(text) > 20 for text in clauses(game).values())


def test_the_texts_have_the_clauses_of_the_rules(shared_data: Path) -> None:
    import re  # noqa: PLC0415

    for game in GAMES:
        source = (shared_data / "rules" / f"{game}.md").read_text(encoding="utf-8")
        assert re.findall(r"^- ([CKRY]\d+[a-z]?) ", source, re.M) == list(clauses(game))


def tells(number: str, *words: str) -> bool:
    return all(word in clause("crokinole", number) for word in words)


def test_c1_the_surface_and_the_ditch_are_told() -> None:
    assert tells("C1", "660.4 mm", "50.8 mm")


def test_c2_regions_and_posts_are_told() -> None:
    assert tells("C2", "The hole counts 20", "inner line 15", "middle line 10", "shooting line 5", "Eight posts")


def test_c3_the_tournament_board_is_told() -> None:
    assert tells("C3", "101.6, 203.2 and 304.8 mm", "34.9 mm", "31.75 mm", "9.5 mm")


def test_c4_discs_are_told() -> None:
    assert tells("C4", "12 discs and 2 spare", "a third set of 12")


def test_c4a_c5_c6_what_people_see_to_is_told() -> None:
    assert tells("C4a", "everybody sees") and tells("C5", "at most half") and tells("C6", "shooting hand", "cheek")


def test_clauses_of_a_game_nobody_knows() -> None:
    with pytest.raises(ValueError, match="game 'chess' is unknown; known are crokinole"):
        clauses("chess")


def test_the_commands_start_without_the_camera_side() -> None:
    code = (
        "import sys; from referee.cli import main; main(['rules', 'yacht']); "
        "import referee.commands.sheet, referee.commands.replay; "
        "sys.exit(bool({'cv2', 'numpy', 'scipy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0


def test_the_rules_import_the_standard_library_alone() -> None:
    code = (
        "import sys; import referee.rules, referee.rules.clauses, referee.rules.crokinole, referee.rules.yacht; "
        "rest = {m.split('.')[0] for m in sys.modules} - sys.stdlib_module_names; "
        "sys.exit(repr(rest - {'referee', '__main__', 'sitecustomize'} ) if "
        "{m for m in rest if not m.startswith('_')} - {'referee', 'sitecustomize'} else 0)"
    )
    result = subprocess.run([sys.executable, "-I", "-c", code], check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_replay_tells_a_failure_as_one_object(path: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Nothing is told and written before all of it is known to be possible."""
    other = tmp_path / "yacht.jsonl"
    LogWriter(other, MatchLog(GAMES["yacht"]({"players": ["Ana"]})))
    cmn, csv = tmp_path / "m.json", tmp_path / "m.csv"
    when = ["--date", "2026-01-01T00:00:00Z"]
    assert main(["replay", str(other), "--json", "--cmn", str(cmn), "--csv", str(csv), *when]) == 2
    assert list(json.loads(capsys.readouterr().out)) == ["error"]
    assert not csv.exists()


@pytest.mark.parametrize("name", ["yacht.jsonl", "none.jsonl"])
def test_output_that_nobody_reads_to_its_end(tmp_path: Path, name: str) -> None:
    log = MatchLog(GAMES["yacht"]({"players": ["Ana"]}))
    log.observe(Roll("Ana", (1, 2, 3, 4, 5)), 0.0, "x")
    (tmp_path / "yacht.jsonl").write_text(to_text(log))
    command = [sys.executable, "-m", "referee.cli", "replay", str(tmp_path / name), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()
    assert process.returncode == 1

"""Krakatoa against K1-K17, each clause by name, and its worked example to the point."""

from dataclasses import replace

import pytest

from referee.rules.krakatoa import SETS, VALUE_TABLES, KrakatoaEngine, Ruling, State, Throw, ThrowOff, ValueTable
from referee.rules.krakatoa.state import Line
from referee.rules.krakatoa.values import COMBINATIONS, FACES, bonuses, eruption, in_order, quake, rumble
from referee.rules.protocol import RuleError

TWO = KrakatoaEngine()
TABLE = ValueTable()
# Three Busts: no points, but a Little Rumble
NOTHING = "RRB RBB RRB"


def refused(engine: KrakatoaEngine, state: State, event: object) -> list[str]:
    with pytest.raises(RuleError) as caught:
        engine.apply(state, event)  # type: ignore[arg-type]
    assert caught.value.position == engine.position(state)
    return [str(fault) for fault in caught.value.faults]


def off(engine: KrakatoaEngine, state: State, *throws: tuple[str, str]) -> State:
    for player, colours in throws:
        state = engine.apply(state, ThrowOff(player, "ash", colours))
    return state


def begun(engine: KrakatoaEngine = TWO) -> State:
    """The game with A to throw in round 1 and no marks."""
    throws = [(engine.players[0], "YRR")] + [(name, "RRB") for name in engine.players[1 : len(engine.sides)]]
    return off(engine, engine.start(), *throws)


def throw(state: State, sets: str, thrown: str = "", engine: KrakatoaEngine = TWO, **seen: object) -> State:
    """The player on turn throws what is due (``thrown`` names another choice) and hits unless told otherwise."""
    legal = engine.legal(state)
    names = tuple(thrown.split()) or tuple(legal["sets"][0])
    steam, ash, lava = sets.split()
    return engine.apply(state, Throw(legal["player"], steam, ash, lava, names, **({"hit": True} | seen)))  # type: ignore[arg-type]


def at(engine: KrakatoaEngine = TWO, **changes: object) -> State:
    """The game in some round, with lines and boxes as given."""
    state = replace(begun(engine), **changes)  # type: ignore[arg-type]
    return state


def turn(state: State, *sets: str, engine: KrakatoaEngine = TWO) -> State:
    for one in sets:
        state = throw(state, one, engine=engine)
    return state


def last(state: State) -> tuple:
    t = state.throws[-1]
    return t.points, t.total, t.mark, t.bonus, t.why


# K1


def test_k1_nine_dodecas_of_twelve_faces():
    assert SETS == ("steam", "ash", "lava")
    assert FACES == {"Y": 3, "R": 4, "B": 5}
    assert sum(FACES.values()) == 12


def test_k1_what_no_throw_can_show():
    state = begun()
    assert refused(TWO, state, Throw("A", "YYYY", "XRR", "RRB", ("steam", "steam", "fire"))) == [
        "K1: no such set: 'fire'; expected steam, ash or lava",
        "K1: a set thrown twice: steam, steam, fire; expected each set once",
        "K1: 4 dodecas in a set: YYYY; expected three",
        "K1: no such colour: 'X'; expected Y, R or B",
    ]
    assert refused(TWO, state, Throw("B", "YYY", "RRR", "RRB", (), moved_mm=-1.0)) == [
        "K4: B throws out of turn; expected A",
        "K5: nothing thrown; expected at least one set",
        "K6: a movement of -1.0 mm; expected 0 mm or more",
    ]


# K2


@pytest.mark.parametrize(("players", "sides"), [(2, "AB"), (3, "ABC"), (4, "ABCD")])
def test_k2_two_to_four_players(players, sides):
    assert "".join(KrakatoaEngine(players=players).sides) == sides


@pytest.mark.parametrize("players", [1, 5, 0, "AB", ("A",), ("A", "A"), ("A", ""), tuple("ABCDE")])
def test_k2_other_numbers_of_players(players):
    with pytest.raises(ValueError, match=r"^players: .*, expected 2 to 4, or as many different names \(K2\)$"):
        KrakatoaEngine(players=players)


def test_k2_the_highest_total_wins_and_equal_totals_share():
    state = at(round=7, lines=(Line(30), Line(30)))
    assert TWO.winners(state) == ["A", "B"]
    assert TWO.winners(replace(state, lines=(Line(30), Line(31)))) == ["B"]
    assert TWO.winners(replace(state, round=6)) is None
    assert TWO.over(state)
    assert not TWO.over(replace(state, round=6))
    assert TWO.legal(state) == {"events": []}
    assert TWO.position(state) == "game over; totals A 30, B 30"
    assert TWO.score(state) == {"A": 30, "B": 30}


def test_k2_names():
    engine = KrakatoaEngine(players=("Ann", "Ben"))
    state = off(engine, engine.start(), ("Ann", "RRB"), ("Ben", "RRR"))
    assert engine.legal(state)["player"] == "Ben"


# K3


def test_k3_the_highest_set_starts_in_any_order_of_throwing():
    state = TWO.start()
    assert TWO.legal(state) == {
        "events": ["throw_off"],
        "players": ["A", "B"],
        "sets": [["steam"], ["ash"], ["lava"]],
    }
    assert TWO.position(state) == "throw-off, A and B to throw; totals A 0, B 0"
    assert refused(TWO, state, ThrowOff("C", "ash", "XQ")) == [
        "K3: C throws out of turn; expected A or B",
        "K1: no such colour: 'Q', 'X'; expected Y, R or B",
    ]
    state = off(TWO, state, ("B", "RRR"))
    assert TWO.legal(state)["players"] == ["A"]
    assert refused(TWO, state, ThrowOff("B", "ash", "YYY")) == ["K3: B throws out of turn; expected A"]
    state = off(TWO, state, ("A", "YRB"))
    assert TWO.legal(state)["player"] == "B"
    assert state.round == 1
    assert state.order == (1, 0)
    assert (state.heat, state.waiting) == ((), ())
    assert [(t.side, t.set, t.colours, t.value, t.mark) for t in state.throw_off] == [
        (1, "ash", "RRR", 5, 2),
        (0, "ash", "YRB", 1, 0),
    ]


def test_k3_the_tied_throw_again_and_only_they():
    three = KrakatoaEngine(players=3)
    state = off(three, three.start(), ("A", "YYR"), ("B", "RRB"), ("C", "YYB"))
    assert three.legal(state)["players"] == ["A", "C"]
    state = off(three, state, ("C", "RRB"), ("A", "RBB"))
    assert three.legal(state)["players"] == ["A", "C"]
    state = off(three, state, ("A", "RRB"), ("C", "YRB"))
    assert three.legal(state)["player"] == "C"
    # the first throw of B is the last one of B
    assert state.order == (2, 0, 1)


@pytest.mark.parametrize(
    ("colours", "marks"), [("YYB", (1, 0)), ("YRY", (1, 0)), ("BBB", (2, 0)), ("YYY", (2, 0)), ("RRB", (0, 0))]
)
def test_k3_deuce_x_and_volcano_xx_in_the_first_box(colours, marks):
    state = off(TWO, TWO.start(), ("A", colours), ("B", "YRR" if colours != "YRR" else "RRB"))
    assert state.lines[0].marks == marks
    assert state.lines[1].marks == (0, 0)


def test_k3_the_mark_is_the_loser_s_as_well():
    state = off(TWO, TWO.start(), ("A", "RRR"), ("B", "YYB"))
    assert [line.marks for line in state.lines] == [(2, 0), (1, 0)]
    state = throw(state, "YRR RRB RRB")
    assert last(state)[:3] == (4, 4, "xx")


def test_k3_the_last_throw_decides_the_mark():
    state = off(TWO, TWO.start(), ("A", "YYB"), ("B", "YYR"), ("A", "RRB"), ("B", "BBB"))
    assert [line.marks for line in state.lines] == [(0, 0), (2, 0)]


def test_k3_no_throw_before_the_throw_off_is_decided_and_none_after():
    sets = Throw("A", "YYB", "RRB", "RRB", SETS)
    assert refused(TWO, TWO.start(), sets) == ["K3: a throw before the throw-off is decided; expected a throw-off"]
    assert refused(TWO, begun(), ThrowOff("A", "fire", "YYYY")) == [
        "K3: a throw-off during the game; expected a throw",
        "K1: no such set: 'fire'; expected steam, ash or lava",
        "K1: 4 dodecas in a set: YYYY; expected three",
    ]
    over = at(round=7)
    assert refused(TWO, over, sets) == ["K4: A throws after the last round; expected no further event"]
    assert refused(TWO, over, ThrowOff("A", "ash", "YYY")) == [
        "K4: A throws after the last round; expected no further event"
    ]
    with pytest.raises(TypeError, match="'x' is no event of Krakatoa"):
        TWO.apply(over, "x")  # type: ignore[arg-type]


# K4


def test_k4_five_throws_a_turn_and_six_rounds():
    state = begun()
    seen = []
    while not state.over:
        legal = TWO.legal(state)
        seen.append((legal["round"], legal["throw"], legal["player"]))
        state = throw(state, "RRB RBB YRB" if legal["player"] == "A" else "RRB RBB RRB", hit=False)
    assert len(seen) == 60
    assert seen[:11] == [(1, n, "A") for n in range(1, 6)] + [(1, n, "B") for n in range(1, 6)] + [(2, 1, "A")]
    assert {r for r, _, _ in seen} == set(range(1, 7))
    # throw 1 can't be a scratch
    assert TWO.score(state)["A"] == 6


def test_k4_the_higher_total_starts_the_next_round():
    state = at(lines=(Line(10), Line(30)), turn=1, throw=5)
    assert TWO.legal(throw(state, "RRB RBB YRB"))["player"] == "B"
    state = at(lines=(Line(32), Line(30)), turn=1, throw=5)
    assert throw(state, "RRB RBB YRB").order == (0, 1)


def test_k4_on_a_tie_who_started_the_last_one():
    state = at(lines=(Line(31), Line(30)), order=(0, 1), turn=1, throw=5)
    assert throw(state, "RRB RBB YRB").order == (0, 1)
    state = at(lines=(Line(30), Line(31)), order=(1, 0), turn=1, throw=5)
    assert throw(state, "RRB RBB YRB").order == (1, 0)


def test_k4_on_a_tie_of_others_the_first_of_them_in_the_last_order():
    three = KrakatoaEngine(players=3)
    state = at(three, lines=(Line(50), Line(10), Line(49)), order=(1, 2, 0), turn=2, throw=5)
    state = replace(state, lines=(Line(49), Line(10), Line(50)))
    assert throw(state, "RRB RBB YRB", engine=three).order == (2, 0, 1)
    state = at(three, lines=(Line(49), Line(50), Line(10)), order=(2, 0, 1), turn=2, throw=5)
    assert throw(state, "RRB RBB RRB", engine=three).order == (1, 2, 0)
    tied = at(three, lines=(Line(49), Line(49), Line(10)), order=(2, 0, 1), turn=2, throw=5)
    assert throw(tied, "RRB RBB RRB", engine=three, hit=False).order == (0, 1, 2)


# K5


def test_k5_which_sets_are_thrown():
    state = begun()
    choices = []
    for _ in range(5):
        legal = TWO.legal(state)
        choices.append((legal["sets"], legal["must_hit"]))
        state = throw(state, "RRB RBB YRB")
    one = [["steam"], ["ash"], ["lava"]]
    assert choices == [
        ([["steam", "ash", "lava"]], False),
        (one, True),
        ([["steam"]], True),
        ([["ash"]], True),
        ([["lava"]], True),
    ]


def test_k5_the_first_throw_may_be_thrown_once_more_and_that_result_stands():
    state = throw(at(lines=(Line(10, (1, 0)), Line())), "YYY YRR RRR")
    assert TWO.legal(state)["rethrow"] is True
    assert last(state) == (32, 42, "x", "xx", "Big Rumble")
    again = throw(state, "YRR RRB RRB", thrown="steam ash lava", hit=None)
    # neither points nor bonus of the first one, and the mark counts for the second: 10 + 1 * 2
    assert last(again) == (2, 12, "x", "", "")
    assert again.throws[-1].rethrow
    first = again.throws[0]
    assert (first.annulled, first.points, first.total, first.bonus, first.second, first.why) == (
        True,
        0,
        10,
        "",
        "",
        "",
    )
    legal = TWO.legal(again)
    assert (legal["throw"], legal["rethrow"]) == (2, False)
    assert again.lines[0] == Line(12, (0, 0))


def test_k5_the_bonus_of_the_first_result_is_gone():
    state = throw(at(lines=(Line(0, (1, 0)), Line())), "YYY YYY YYY")
    assert state.lines[0].marks == (2, 2)
    assert state.throws[-1].second == "xx"
    again = throw(state, "YRR RRB RBB", thrown="steam ash lava")
    assert again.lines[0] == Line(2, (0, 0))
    assert again.throws[0].second == ""
    keep = throw(state, "YYY YYY YYY", thrown="ash")
    assert keep.lines[0].total == 60 + 120
    assert keep.before is None


def test_k5_a_rethrow_of_the_second_player_leaves_all_else_alone():
    state = turn(begun(), *["YRR RRB YRB"] * 5)
    first = state.lines[0]
    state = throw(state, "YYY YRR RRR")
    state = throw(state, "YRR RRB YRB", thrown="steam ash lava")
    assert state.lines == (first, Line(2))
    assert [t.total for t in state.throws] == [2, 4, 6, 8, 10, 0, 2]
    assert [t.annulled for t in state.throws] == [False] * 5 + [True, False]


def test_k5_a_second_rethrow_is_flagged():
    state = throw(throw(begun(), NOTHING), NOTHING, thrown="steam ash lava")
    flagged = throw(state, NOTHING, thrown="steam ash lava")
    assert flagged.pending is not None
    assert flagged.pending.reasons == ("steam and ash and lava thrown, expected steam or ash or lava (K5)",)


def test_k5_the_rethrow_is_over_with_throw_2():
    state = throw(throw(begun(), NOTHING), NOTHING)
    assert TWO.legal(state)["rethrow"] is False
    assert throw(state, NOTHING, thrown="steam ash lava").pending is not None


# K6


@pytest.mark.parametrize(
    ("seen", "scratch"),
    [
        ({"hit": True}, False),
        ({"hit": False}, True),
        ({"hit": None, "moved_mm": 12.7}, False),
        ({"hit": None, "moved_mm": 12.69}, True),
        ({"hit": None, "moved_mm": 0.0}, True),
        ({"hit": True, "moved_mm": 3.0}, False),
        ({"hit": False, "moved_mm": 3.0}, True),
    ],
)
def test_k6_half_an_inch_or_another_face(seen, scratch):
    state = throw(begun(), "RRB RRB YRB")
    state = throw(state, "YRB RRB YRB", thrown="steam", **seen)
    assert state.throws[-1].scratch is scratch
    assert state.throws[-1].points == (0 if scratch else 2)
    assert state.lines[0].total == (1 if scratch else 3)


def test_k6_other_colours_in_a_set_left_on_the_table_are_a_hit():
    state = throw(begun(), "RRB RRB YRB")
    hit = throw(state, "RRB RBB BRY", thrown="steam", hit=None)
    assert not hit.throws[-1].scratch
    hit = throw(state, "RRB RBB YRB", thrown="steam", hit=None, moved_mm=2.0)
    assert not hit.throws[-1].scratch
    assert refused(TWO, state, Throw("A", "RRB", "RBB", "YRB", ("steam",), hit=False)) == [
        "K6: no hit, though a set left on the table shows other faces; expected a hit"
    ]
    assert refused(TWO, state, Throw("A", "RRB", "RRB", "YRB", ("steam",), hit=False, moved_mm=12.7)) == [
        "K6: no hit, though a dodeca moved by 12.7 mm; expected a hit"
    ]
    # the order of the dodecas within a set says nothing, nor do the colours of the set thrown
    missed = throw(state, "YYY BRR RYB", thrown="steam", hit=False)
    assert missed.throws[-1].scratch
    assert missed.throws[-1].sets == ("YYY", "RRB", "YRB")
    again = throw(throw(begun(), "BRR BBR YRB"), "YYY RBB RYB", thrown="steam", hit=False)
    assert again.throws[-1].scratch


def test_k6_not_known_whether_it_hit_waits_for_a_ruling():
    state = throw(begun(), "RRB RRB YRB")
    waits = throw(state, "YRB RRB YRB", hit=None)
    assert waits.pending is not None
    assert waits.pending.reasons == ("not known whether it hit (K6)",)
    assert last(TWO.apply(waits, Ruling("stands")))[:2] == (2, 3)
    assert TWO.apply(waits, Ruling("nothing")).throws[-1].scratch


def test_k6_a_scratch_has_no_points_and_no_bonus_and_uses_up_its_marks():
    state = at(lines=(Line(8, (2, 1)), Line()), throw=3)
    state = throw(state, "RRR RRR BBB", hit=False)
    assert last(state) == (0, 8, "xx", "", "")
    assert state.lines[0].marks == (1, 0)


def test_k6_the_first_throw_has_nothing_to_hit():
    state = throw(begun(), "RRB RRB YRB", hit=False)
    assert not state.throws[-1].scratch
    again = throw(state, "RRB YRB YRB", thrown="steam ash lava", hit=False)
    assert last(again)[:2] == (2, 2)
    nothing_known = throw(state, "RRB YRB YRB", thrown="steam ash lava", hit=None)
    assert nothing_known.pending is None


def test_k6_the_table_of_another_turn_says_nothing():
    state = turn(begun(), *["RRB RRB YRB"] * 5)
    assert TWO.legal(state)["player"] == "B"
    assert state.table == (None, None, None)
    state = throw(state, "YRB YRB YRB")
    assert state.table == ("YRB", "YRB", "YRB")


# K7


@pytest.mark.parametrize(("mark", "points"), [(0, 8), (1, 16), (2, 32)])
def test_k7_all_three_sets_times_the_mark(mark, points):
    state = at(lines=(Line(1, (mark, 0)), Line()), throw=4)
    assert TWO.legal(state)["multiplier"] == points // 8
    assert TWO.legal(state)["mark"] == ("", "x", "xx")[mark]
    state = throw(state, "YYB YRR RRR")
    assert last(state)[:3] == (points, 1 + points, ("", "x", "xx")[mark])
    assert state.throws[-1].thrown == ("ash",)
    assert state.throws[-1].sets == ("YYB", "YRR", "RRR")


# K8


@pytest.mark.parametrize(
    ("colours", "value", "title"),
    [
        ("YYY", 10, "Volcano"),
        ("RRR", 5, "Volcano"),
        ("BBB", 3, "Volcano"),
        ("YYB", 2, "Deuce"),
        ("YYR", 2, "Deuce"),
        ("YRR", 1, ""),
        ("YBB", 1, ""),
        ("YRB", 1, ""),
        ("RRB", 0, "Bust"),
        ("RBB", 0, "Bust"),
    ],
)
def test_k8_values_and_names(colours, value, title):
    assert colours in COMBINATIONS
    for order in (colours, colours[::-1], colours[1:] + colours[0]):
        assert TABLE.value(order) == value
        assert TABLE.title(order) == title
        assert in_order(order) == colours
    assert TABLE.name == "standard"
    assert set(VALUE_TABLES["standard"]) == set(COMBINATIONS)


def test_k8_a_group_s_own_table():
    own = KrakatoaEngine(values={"BYY": 4, "RRR": 7, "BBB": 0, "YRB": 0})
    assert own.table.name == "own"
    assert own.table.value("YBY") == 4
    assert own.table.title("YBY") == "Deuce"
    assert own.table.title("BBB") == "Volcano"
    assert own.table.title("YRB") == "Bust"
    # what it leaves out is a Bust, also a Volcano or a Deuce
    for left_out in ("YYY", "YYR", "YBB"):
        assert (own.table.value(left_out), own.table.title(left_out)) == (0, "Bust")
    assert own.options()["values"] == {"YYB": 4, "RRR": 7, "BBB": 0, "YRB": 0}
    state = off(own, own.start(), ("A", "YYY"), ("B", "YYB"))
    assert [line.marks for line in state.lines] == [(0, 0), (1, 0)]
    assert own.legal(state)["player"] == "B"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("other", "values: 'other' is none of standard, nor a table"),
        ({"YY": 1}, "values: 'YY' is no combination of three of Y, R, B"),
        ({"YYX": 1}, "values: 'YYX' is no combination of three of Y, R, B"),
        ({"YYY": -1}, "values: YYY is worth -1, expected a whole number of 0 or more"),
        ({"YYY": 1.5}, "values: YYY is worth 1.5, expected a whole number of 0 or more"),
        ({"YYY": True}, "values: YYY is worth True, expected a whole number of 0 or more"),
        ({"YYR": 1, "RYY": 2}, "values: YYR stands there twice"),
        ({}, "values: every combination is worth the same, so that no throw-off could be decided"),
        (
            dict.fromkeys(COMBINATIONS, 3),
            "values: every combination is worth the same, so that no throw-off could be decided",
        ),
    ],
)
def test_k8_tables_that_are_refused(values, message):
    with pytest.raises(ValueError) as caught:
        KrakatoaEngine(values=values)
    assert str(caught.value) == message


# K9


def test_k9_marks_add_up_to_xx_at_most():
    # a Little Quake and a Little Rumble: 3 + 3 + 5 = 11 of red and blue with three Volcanoes is a Big one, so 5 + 0 + 0
    state = throw(at(lines=(Line(6), Line())), "RRR RRB RBB")
    assert last(state) == (5, 11, "", "xx", "Little Quake, Little Rumble")
    assert state.lines[0].marks == (2, 0)
    # an x that waits and an x more
    state = throw(at(lines=(Line(0, (0, 1)), Line()), throw=2), "RRR RRB RBB")
    assert last(state)[3:] == ("x", "Little Rumble")
    assert state.lines[0].marks == (2, 0)
    # xx and xx are xx
    state = throw(at(lines=(Line(0, (0, 2)), Line()), throw=2), "RRR RRR RBB")
    assert last(state)[3:] == ("xx", "Big Rumble")
    assert state.lines[0].marks == (2, 0)
    state = throw(at(lines=(Line(10), Line())), "RRR RRR RBB")
    assert last(state) == (10, 20, "", "xx", "Big Quake, Big Rumble")
    assert state.lines[0].marks == (2, 0)


def test_k9_over_the_end_of_a_round_into_the_next_one_s_first_box():
    state = at(lines=(Line(4, (0, 0)), Line()), throw=5)
    state = throw(state, "YYB RRB YRR")
    assert last(state)[3:] == ("", "")
    state = at(lines=(Line(8), Line()), throw=5)
    state = throw(state, "YYB RRB YRR")
    assert state.lines[0].marks == (1, 0)
    state = turn(state, *["RRB RBB YRB"] * 5)
    assert (TWO.legal(state)["player"], TWO.legal(state)["mark"], TWO.legal(state)["round"]) == ("A", "x", 2)


# K10


@pytest.mark.parametrize("total", [11, 22, 33, 44, 55, 66, 77, 88, 99, 111, 166, 277, 411])
def test_k10_little_quake(total):
    assert quake(total - 1, total) is not None
    assert (quake(total - 1, total).name, quake(total - 1, total).next) == ("Little Quake", 1)  # type: ignore[union-attr]


@pytest.mark.parametrize("total", [20, 40, 60, 80, 100, 180, 200, 240, 320])
def test_k10_big_quake(total):
    assert (quake(total - 1, total).name, quake(total - 1, total).next) == ("Big Quake", 2)  # type: ignore[union-attr]


@pytest.mark.parametrize("total", [1, 10, 30, 50, 70, 90, 101, 110, 112, 12, 21, 130])
def test_k10_no_quake(total):
    assert quake(total - 1, total) is None


def test_k10_only_when_the_total_has_changed():
    assert quake(20, 20) is None
    assert quake(0, 0) is None
    state = throw(at(lines=(Line(40), Line()), throw=2), NOTHING.replace("RRB", "RRB"))
    assert "Quake" not in last(state)[4]


# K11


@pytest.mark.parametrize(
    ("sets", "name", "weight"),
    [
        ("RRB RBB RRB", "Little Rumble", 1),
        ("RRR RBB RRB", "Little Rumble", 1),
        ("RRR BBB RRB", "Big Rumble", 2),
        ("RRR BBB RRR", "Big Rumble", 2),
        ("YYB YBB YBB", "Little Rumble", 1),
        ("RRR RRR YRR", "Big Rumble", 2),
        ("RRR RRR RRR", None, 0),
        ("RRB RRB YRR", None, 0),
        ("RRR BBB YYY", None, 0),
    ],
)
def test_k11_rumbles(sets, name, weight):
    found = rumble(tuple(sets.split()), TABLE)
    assert (None if found is None else (found.name, found.next, found.second)) == (name and (name, weight, 0))


def test_k11_a_rumble_of_busts_without_points():
    state = throw(at(lines=(Line(7), Line())), "RRB RBB RRB")
    assert last(state) == (0, 7, "", "x", "Little Rumble")


# K12


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        ("YYY RRR BBB", ("Little Eruption", 1, 1)),
        ("BBB YYY RRR", ("Little Eruption", 1, 1)),
        ("YYY YYY YYY", ("Great Eruption", 2, 2)),
        ("BBB BBB BBB", ("Great Eruption", 2, 2)),
        ("RRR RRR BBB", None),
        ("YRB YRB YRB", None),
        ("YYY RRR YRB", None),
    ],
)
def test_k12_eruptions(sets, expected):
    found = eruption(tuple(sets.split()), TABLE)
    assert (found and (found.name, found.next, found.second)) == expected


def test_k12_they_pay_on_the_next_two_throws():
    state = throw(at(lines=(Line(0), Line())), "YYY RRR BBB")
    assert last(state) == (18, 18, "", "x", "Little Eruption")
    assert state.throws[-1].second == "x"
    state = throw(state, "YYB RRR BBB")
    assert last(state)[:3] == (20, 38, "x")
    state = throw(state, "YRR RRR BBB")
    assert last(state)[:3] == (18, 56, "x")
    state = throw(state, "YRR RRR BBB")
    assert last(state)[2] == ""


def test_k12_great_eruption_over_the_end_of_a_round():
    state = throw(at(lines=(Line(0), Line()), throw=5), "BBB BBB BBB")
    assert state.lines[0].marks == (2, 2)
    assert state.throws[-1].second == "xx"
    assert state.turn == 1


def test_k12_all_bonuses_of_a_throw_add_up():
    # 2 + 18 = 20: a Big Quake and a Little Eruption
    assert [b.name for b in bonuses(2, 20, ("YYY", "RRR", "BBB"), TABLE)] == ["Big Quake", "Little Eruption"]
    state = throw(at(lines=(Line(2), Line())), "YYY RRR BBB")
    assert state.lines[0].marks == (2, 1)
    assert state.throws[-1].announcement == "20 and Big Quake, Little Eruption"


def test_k12_throw_4_of_round_six_marks_throw_5_only():
    state = at(round=6, lines=(Line(0), Line()), throw=4)
    state = throw(state, "BBB BBB BBB")
    assert state.lines[0].marks == (2, 0)
    assert (state.throws[-1].bonus, state.throws[-1].second) == ("xx", "")
    state = throw(state, "YRR RRB YBB")
    assert last(state)[:3] == (8, 17, "xx")
    assert TWO.legal(state)["player"] == "B"
    assert state.boxes_used == 0
    # throw 3 still has two throws before it, also where all boxes are used
    state = throw(at(round=6, lines=(Line(0), Line()), throw=3, boxes_used=3), "BBB BBB BBB")
    assert state.lines[0].marks == (2, 2)
    state = throw(at(round=6, lines=(Line(0), Line()), throw=3), "BBB BBB BBB")
    assert state.lines[0].marks == (2, 2)
    # and so has throw 4 of the round before
    state = throw(at(round=5, lines=(Line(0), Line()), throw=4), "BBB BBB BBB")
    assert state.lines[0].marks == (2, 2)


# K13


def final(total: int = 0, boxes_used: int = 0, side: int = 0, engine: KrakatoaEngine = TWO) -> State:
    """Throw 5 of round six."""
    lines = tuple(Line(total if i == side else 300) for i in range(len(engine.sides)))
    return at(engine, round=6, lines=lines, throw=5, turn=side, boxes_used=boxes_used)


def test_k13_a_bonus_won_with_the_last_throw_is_thrown_for_at_once():
    state = throw(final(), "RRB RBB RRB")
    legal = TWO.legal(state)
    assert (legal["player"], legal["throw"], legal["box"], legal["mark"], legal["boxes_left"]) == ("A", 6, 1, "x", 2)
    assert legal["sets"] == [["steam"], ["ash"], ["lava"]]
    assert legal["must_hit"] is True
    assert legal["rethrow"] is False
    assert TWO.position(state) == "round 6, throw 6 (bonus box 1) of A; totals A 0, B 300"
    state = throw(state, "YRR RBB RRB", thrown="steam")
    assert last(state) == (2, 2, "x", "", "")
    assert state.throws[-1].box == 1
    assert state.throws[-2].box is None
    assert TWO.legal(state)["player"] == "B"
    assert TWO.legal(state)["boxes_left"] == 2


def test_k13_new_bonuses_go_to_the_following_box():
    state = throw(final(), "RRB RBB RRB")
    state = throw(state, "RRB RBB RRB")
    assert (TWO.legal(state)["box"], TWO.legal(state)["mark"]) == (2, "x")
    state = throw(state, "RRB RBB RRB")
    assert (TWO.legal(state)["box"], TWO.legal(state)["boxes_left"]) == (3, 0)
    state = throw(state, "RRB RBB RRB")
    # no box left
    assert last(state) == (0, 0, "x", "", "Little Rumble")
    assert TWO.legal(state)["player"] == "B"
    # and none for B either
    state = turn(replace(state, throw=5), "RRB RBB RRB")
    assert (state.throws[-1].bonus, state.throws[-1].why) == ("", "Little Rumble")
    assert state.over


def test_k13_an_eruption_takes_two_boxes_and_they_add_up():
    state = throw(final(), "BBB BBB BBB")
    assert (state.boxes_used, state.lines[0].marks) == (1, (2, 2))
    state = throw(state, "RRB RBB RRB")
    assert (state.boxes_used, state.lines[0].marks) == (2, (2, 0))
    state = throw(state, "YYY RRR BBB")
    assert (state.boxes_used, state.lines[0].marks, last(state)[:3]) == (3, (1, 0), (72, 81, "xx"))
    assert state.throws[-1].second == ""
    state = throw(state, "YRR RBB RRB")
    assert last(state)[:3] == (2, 83, "x")
    assert TWO.legal(state)["player"] == "B"


def test_k13_a_little_eruption_and_a_rumble_behind_it():
    state = throw(final(1), "YYY RRR BBB")
    assert state.lines[0].marks == (1, 1)
    state = throw(state, "RRB RBB RRB")
    # x and x in box 2
    assert state.lines[0].marks == (2, 0)
    state = throw(state, "YRR RRB RRB")
    assert last(state)[2] == "xx"
    assert state.boxes_used == 2


def test_k13_what_finds_no_box_lapses():
    one = throw(final(boxes_used=2), "BBB BBB BBB")
    assert (one.boxes_used, one.lines[0].marks) == (3, (2, 0))
    assert (one.throws[-1].bonus, one.throws[-1].second, one.throws[-1].why) == ("xx", "", "Great Eruption")
    two = throw(final(boxes_used=1), "BBB BBB BBB")
    assert (two.boxes_used, two.lines[0].marks) == (2, (2, 2))
    none = throw(final(boxes_used=3), "BBB BBB BBB")
    assert (none.boxes_used, none.lines[0].marks) == (3, (0, 0))
    assert TWO.legal(none)["player"] == "B"


def test_k13_an_extra_throw_can_be_a_scratch():
    state = throw(final(), "BBB BBB BBB")
    state = throw(state, "BBB BBB BBB", thrown="ash", hit=False)
    assert last(state) == (0, 9, "xx", "", "")
    assert (state.boxes_used, state.lines[0].marks) == (2, (2, 0))


def test_k13_the_box_of_the_second_player_follows_the_first_one_s():
    state = throw(final(boxes_used=1, side=1), "RRB RBB RRB")
    assert TWO.legal(state)["box"] == 2
    assert throw(state, "YRR RBB RRB").over


# K14


def test_k14_three_players_clockwise_from_the_highest():
    three = KrakatoaEngine(players=3)
    state = off(three, three.start(), ("A", "RRB"), ("B", "YYY"), ("C", "RRB"))
    assert state.order == (1, 2, 0)


TEAMS = KrakatoaEngine(players=4, teams=True)


def test_k14_teams_share_a_line_and_take_turns_by_round():
    assert TEAMS.sides == ("A+C", "B+D")
    state = TEAMS.start()
    assert TEAMS.legal(state)["players"] == ["A", "C", "B", "D"]
    state = off(TEAMS, state, ("C", "RRB"), ("B", "RRR"))
    legal = TEAMS.legal(state)
    assert (legal["player"], legal["side"]) == ("B", "B+D")
    seen = []
    while not state.over:
        legal = TEAMS.legal(state)
        seen.append((legal["round"], legal["player"]))
        state = throw(state, "RRB RBB YRB", engine=TEAMS, hit=legal["player"] == "B")
    throwers = {number: {player for r, player in seen if r == number} for number in range(1, 7)}
    assert throwers == {n: set("AB") if n % 2 else set("CD") for n in range(1, 7)}
    assert set(TEAMS.score(state)) == {"A+C", "B+D"}
    assert state.throws[0].player == "B"
    assert state.throws[0].side == "B+D"


def test_k14_extra_throws_are_the_second_partner_s():
    state = at(TEAMS, round=6, throw=5)
    assert TEAMS.legal(state)["player"] == "C"
    state = throw(state, "RRB RBB RRB", engine=TEAMS)
    assert (TEAMS.legal(state)["player"], TEAMS.legal(state)["box"]) == ("C", 1)
    assert refused(TEAMS, state, Throw("A", "YRR", "RBB", "RRB", ("steam",), hit=True)) == [
        "K4: A throws out of turn; expected C"
    ]


def test_k14_teams_need_four_players():
    with pytest.raises(ValueError, match=r"^teams: 3 players, expected 4 \(K14\)$"):
        KrakatoaEngine(players=3, teams=True)


# K15


def test_k15_basic_game_has_no_bonuses():
    basic = KrakatoaEngine(basic=True)
    state = off(basic, basic.start(), ("A", "YYY"), ("B", "YYB"))
    assert [line.marks for line in state.lines] == [(0, 0), (0, 0)]
    state = throw(state, "BBB BBB BBB", engine=basic)
    assert state.lines[0] == Line(9, (0, 0))
    assert last(state) == (9, 9, "", "", "")
    assert basic.options()["basic"] is True


# K16


def test_k16_the_worked_example_to_the_point():
    state = at(round=3, lines=(Line(152), Line(100)), throw=4)
    state = throw(state, "YYB YRR RRR")
    assert last(state) == (8, 160, "", "xx", "Big Quake")
    assert state.throws[-1].announcement == "160 and Big Quake"
    assert TWO.legal(state)["mark"] == "xx"
    state = throw(state, "RRB BBB RBB")
    assert last(state) == (12, 172, "xx", "x", "Little Rumble")
    assert state.throws[-1].announcement == "172 and Little Rumble"
    state = turn(state, *["RRB RBB YRB"] * 5)
    legal = TWO.legal(state)
    assert (legal["player"], legal["round"], legal["throw"], legal["mark"]) == ("A", 4, 1, "x")


# K17


def test_k17_a_wrong_set_waits_for_a_ruling():
    state = throw(throw(begun(), NOTHING), NOTHING)
    flagged = throw(state, "YRR RRB RRB", thrown="lava")
    assert flagged.flags == ("round 1, throw 3 of A: lava thrown, expected steam (K5)",)
    assert TWO.legal(flagged) == {
        "events": ["ruling"],
        "ruling": ["lava thrown, expected steam (K5)"],
        "player": "A",
    }
    assert TWO.position(flagged) == "round 1, throw 3 of A, waiting for a ruling; totals A 0, B 0"
    assert flagged.lines == state.lines
    assert refused(TWO, flagged, Throw("B", "YRR", "RRB", "RRB", ("steam",), hit=True)) == [
        "K17: a throw while another waits for a ruling; expected a ruling",
        "K4: B throws out of turn; expected A",
    ]
    stands = TWO.apply(flagged, Ruling("stands"))
    assert last(stands)[:2] == (2, 2)
    assert stands.throws[-1].thrown == ("lava",)
    assert (stands.pending, stands.throw, stands.flags) == (None, 4, flagged.flags)
    again = TWO.apply(flagged, Ruling("again"))
    assert (again.pending, again.throw, again.lines, again.table) == (None, 3, state.lines, (None, None, None))
    nothing = TWO.apply(flagged, Ruling("nothing"))
    assert nothing.throws[-1].scratch
    assert nothing.lines[0] == Line(0, (0, 0))
    assert nothing.throw == 4


def test_k17_not_all_nine_at_first_and_two_sets_later():
    first = throw(begun(), NOTHING, thrown="steam")
    assert first.pending is not None
    assert first.pending.reasons == ("steam thrown, expected all nine (K5)",)
    both = throw(begun(), "Y? RRB RRB", thrown="ash")
    assert both.pending is not None
    assert both.pending.reasons == (
        "ash thrown, expected all nine (K5)",
        "1 of steam missing or off the table (K17)",
        "1 of steam can't be read (K17)",
    )
    two = throw(throw(begun(), NOTHING), NOTHING, thrown="steam lava")
    assert two.pending is not None
    assert two.pending.reasons == ("steam and lava thrown, expected steam or ash or lava (K5)",)


def test_k17_a_wrong_set_that_missed_is_a_scratch_when_it_stands():
    state = throw(throw(begun(), NOTHING), NOTHING)
    flagged = throw(state, "RRB RBB YYY", thrown="lava", hit=False)
    assert TWO.apply(flagged, Ruling("stands")).throws[-1].scratch


def test_k17_a_die_missing_or_a_face_not_read():
    flagged = throw(begun(), "Y? RRB B")
    assert flagged.pending is not None
    assert flagged.pending.reasons == (
        "1 of steam missing or off the table (K17)",
        "1 of steam can't be read (K17)",
        "2 of lava missing or off the table (K17)",
    )
    assert refused(TWO, flagged, Ruling("stands", steam="YYR")) == [
        "K17: colours still unknown: YYR RRB B; expected all colours, to let it stand"
    ]
    assert refused(TWO, flagged, Ruling("stands", steam="YY?", lava="BBBB", ash="XXX")) == [
        "K17: 'YY?' ruled; expected three colours that are known",
        "K1: no such colour: 'X'; expected Y, R or B",
        "K1: 4 dodecas in a set: BBBB; expected three",
        "K17: 'BBBB' ruled; expected three colours that are known",
        "K17: colours still unknown: YY? XXX BBBB; expected all colours, to let it stand",
    ]
    state = TWO.apply(flagged, Ruling("stands", steam="YYR", lava="BBB"))
    assert last(state)[:2] == (5, 5)
    assert state.throws[-1].sets == ("YYR", "RRB", "BBB")
    state = TWO.apply(flagged, Ruling("stands", steam="YYR", ash="YRB", lava="BBB"))
    assert state.throws[-1].sets == ("YYR", "YRB", "BBB")
    nothing = TWO.apply(flagged, Ruling("nothing"))
    assert nothing.throws[-1].sets == ("Y?", "RRB", "B")
    assert nothing.table == (None, "RRB", None)
    assert TWO.legal(TWO.apply(flagged, Ruling("again")))["throw"] == 1


def test_k17_a_set_not_read_before_can_t_show_a_change():
    state = TWO.apply(throw(begun(), "Y? RRB RRB"), Ruling("nothing"))
    # steam was not known, so that its colours now prove no hit
    waits = throw(state, "YRB RBB RRB", thrown="ash", hit=None)
    assert waits.pending is not None
    unread = throw(throw(begun(), "YRB RRB RRB"), "Y?B RRB RRB", thrown="ash", hit=None)
    assert unread.pending is not None
    assert unread.pending.reasons == ("1 of steam can't be read (K17)", "not known whether it hit (K6)")
    assert not TWO.apply(unread, Ruling("stands", steam="YRB")).throws[-1].scratch


def test_k17_the_throw_off_as_well():
    state = TWO.apply(TWO.start(), ThrowOff("A", "lava", "YY?"))
    assert state.flags == ("throw-off, A and B to throw: 1 of lava can't be read (K17)",)
    assert TWO.legal(state) == {"events": ["ruling"], "ruling": ["1 of lava can't be read (K17)"], "player": "A"}
    assert refused(TWO, state, ThrowOff("B", "ash", "RRB")) == [
        "K17: a throw while another waits for a ruling; expected a ruling"
    ]
    assert refused(TWO, state, Ruling("nothing")) == [
        "K17: a throw-off ruled to count nothing; expected stands or again"
    ]
    assert refused(TWO, state, Ruling("stands", ash="YYY")) == [
        "K17: colours still unknown: YY?; expected all colours, to let it stand"
    ]
    ruled = TWO.apply(state, Ruling("stands", lava="RYY"))
    assert [(t.side, t.set, t.colours, t.value) for t in ruled.throw_off] == [(0, "lava", "YYR", 2)]
    again = TWO.apply(state, Ruling("again"))
    assert TWO.legal(again)["players"] == ["A", "B"]


def test_k17_a_ruling_without_a_flagged_throw():
    assert refused(TWO, begun(), Ruling("stands")) == ["K17: a ruling where no throw waits for one; expected a throw"]


def test_k17_a_ruled_rethrow_is_one():
    state = throw(begun(), "YYY YRR RRR")
    flagged = throw(state, "YR? RRB RRB", thrown="steam ash lava")
    ruled = TWO.apply(flagged, Ruling("stands", steam="YRR"))
    assert ruled.throws[-1].rethrow
    assert last(ruled)[:2] == (1, 1)
    assert ruled.throws[0].annulled
    nothing = TWO.apply(flagged, Ruling("nothing"))
    assert (nothing.lines[0].total, nothing.throws[-1].rethrow, nothing.throw) == (0, True, 2)


def test_k17_what_must_be_announced():
    state = throw(begun(), "YRR RRB RRB")
    assert state.throws[-1].announcement == "1"


# The rest


def test_a_full_legal_answer():
    assert TWO.legal(begun()) == {
        "events": ["throw"],
        "player": "A",
        "side": "A",
        "round": 1,
        "throw": 1,
        "sets": [["steam", "ash", "lava"]],
        "rethrow": False,
        "must_hit": False,
        "mark": "",
        "multiplier": 1,
        "box": None,
        "boxes_left": 3,
    }
    assert TWO.position(begun()) == "round 1, throw 1 of A; totals A 0, B 0"


def test_options_are_written_out():
    assert KrakatoaEngine().options() == TWO.options()
    assert KrakatoaEngine(players=4, teams=True).options()["teams"] is True
    assert TWO.options() == {"players": ["A", "B"], "teams": False, "values": "standard", "basic": False}
    assert KrakatoaEngine(**TEAMS.options()).sides == ("A+C", "B+D")
    assert TEAMS.options()["teams"] is True
    assert TWO.game == "krakatoa"


def test_events_as_json_and_back():
    events = [
        ThrowOff("A", "ash", "YYB"),
        Throw("A", "YYB", "RRB", "RRR", ("steam",), hit=True),
        Throw("A", "YYB", "RRB", "RRR", SETS, moved_mm=3.5),
        Ruling("stands", steam="YYY"),
        Ruling("again"),
    ]
    for event, kind in zip(events, ["throw_off", "throw", "throw", "ruling", "ruling"], strict=True):
        data = TWO.event_to_json(event)
        assert data["kind"] == kind
        assert TWO.event_from_json(data) == event
    with pytest.raises(ValueError, match="decision"):
        TWO.event_from_json({"kind": "ruling", "decision": "maybe"})


def test_the_sheet_lists_every_box_and_the_extra_throws():
    state = turn(begun(), "YRR RRB RRB")
    state = throw(state, "YRR YRR RRB", thrown="steam ash lava")
    sheet = TWO.sheet(state)
    assert sheet[0] == ["throw", "A", "B"]
    assert sheet[1] == ["1.1", 2, ""]
    assert sheet[-1] == ["total", 2, 0]
    assert [row[0] for row in sheet[1:-1]] == [f"{r}.{t}" for r in range(1, 7) for t in range(1, 6)]
    extra = throw(throw(final(), "RRB RBB RRB"), "YRR RBB RRB")
    assert TWO.sheet(extra)[-2] == ["6.6", 2, ""]

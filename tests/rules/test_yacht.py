"""Yacht: Y1-Y7."""

import json
import random
from collections import Counter
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from referee.log import MatchLog
from referee.logfile import parse_log, to_text
from referee.rules import GAMES
from referee.rules.protocol import RuleError
from referee.rules.yacht import CATEGORIES, Event, Fill, Roll, State, Yacht, points

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = json.loads((HERE / "yacht_cases.json").read_text(encoding="utf-8"))["cases"]
SOLO = Yacht()
PAIR = Yacht({"players": ["Ann", "Bob"]})


def play(engine: Yacht, *events: Event) -> State:
    return reduce(engine.apply, events, engine.start())


def roll(*dice: int | None, who: str = "A", kept: tuple[int, ...] = (), **more: Any) -> Roll:
    return Roll(who, dice, kept, **more)


def message(engine: Yacht, state: State, event: Any) -> str:
    with pytest.raises(RuleError) as caught:
        engine.apply(state, event)
    return str(caught.value)


def full_game(engine: Yacht, hands: Any = None) -> State:
    state = engine.start()
    for turn in range(12):
        for player in engine.players:
            dice = (hands or {}).get(player, (1, 1, 1, 1, 1))
            state = engine.apply(state, Roll(player, dice))
            state = engine.apply(state, Fill(player, CATEGORIES[turn]))
    return state


@pytest.mark.parametrize("case", CASES, ids=[f"{c['category']}-{''.join(map(str, c['dice']))}" for c in CASES])
def test_y4_y6_scored_hands(case: dict[str, Any]) -> None:
    for option, expected in (("five", case["points"]), ("four", case["points_four_option"])):
        engine = Yacht({"four_of_a_kind": option})
        state = play(engine, Roll("A", tuple(case["dice"])), Fill("A", case["category"]))
        assert engine.score(state) == {"A": expected}


def test_y4_the_copied_hands_are_the_shared_ones(shared_data: Path) -> None:
    assert json.loads((shared_data / "rules" / "yacht_cases.json").read_text(encoding="utf-8")) == CASES
    assert len(CASES) == 29


def test_y4_every_hand_against_the_words_of_the_table() -> None:
    for dice in product(range(1, 7), repeat=5):
        if list(dice) != sorted(dice):
            continue
        most = max(dice.count(v) for v in dice)
        kinds = len(set(dice))
        assert points("yacht", dice) == (50 if kinds == 1 else 0)
        assert points("choice", dice) == sum(dice)
        assert points("full house", dice) == (sum(dice) if kinds == 2 and most == 3 else 0)
        assert points("four of a kind", dice) == (sum(dice) if most >= 4 else 0)
        alike = next((v for v in dice if dice.count(v) >= 4), 0)
        assert points("four of a kind", dice, "four") == 4 * alike
        assert points("little straight", dice) == (30 if dice == (1, 2, 3, 4, 5) else 0)
        assert points("big straight", dice) == (30 if dice == (2, 3, 4, 5, 6) else 0)
        for value, name in enumerate(("ones", "twos", "threes", "fours", "fives", "sixes"), start=1):
            assert points(name, dice) == value * dice.count(value)


def test_y4_order_of_the_dice_does_not_matter() -> None:
    assert points("four of a kind", (2, 6, 6, 6, 6), "four") == points("four of a kind", (6, 6, 6, 6, 2), "four") == 24
    assert points("little straight", (5, 3, 1, 2, 4)) == 30


def test_y1_twelve_turns_each_by_turns() -> None:
    state = full_game(PAIR)
    assert PAIR.over(state)
    assert state.turn == 24
    assert PAIR.legal(state) == {"events": []}
    assert message(PAIR, state, roll(1, 1, 1, 1, 1, who="Ann")) == (
        "Y1: Ann after the last turn; expected nothing, the game is over (game over; totals Ann 65, Bob 65)"
    )
    assert "Y1: Ann after the last turn" in message(PAIR, state, Fill("Ann", "ones"))


def test_y1_players_out_of_turn_are_named() -> None:
    state = play(PAIR, roll(1, 2, 3, 4, 5, who="Ann"))
    assert message(PAIR, state, roll(1, 2, 3, 4, 5, who="Bob")) == (
        "Y1: Bob out of turn; expected Ann (turn 1 of Ann, 1 of 3 rolls done, dice 1-2-3-4-5; totals Ann 0, Bob 0)"
    )
    assert "Y1: Bob out of turn" in message(PAIR, state, Fill("Bob", "ones"))
    assert "Y1: Zoe out of turn" in message(PAIR, state, Fill("Zoe", "ones"))
    after = play(PAIR, roll(1, 2, 3, 4, 5, who="Ann"), Fill("Ann", "ones"))
    assert PAIR.player(after) == "Bob"


def test_y1_five_dice_of_six_sides() -> None:
    start = SOLO.start()
    at = " (turn 1 of A, 0 of 3 rolls done; totals A 0)"
    assert message(SOLO, start, roll(1, 2, 3, 4, 5, 6)) == "Y1: 6 dice; expected five dice" + at
    assert message(SOLO, start, roll(1, 2, 3, 4, 7)) == "Y1: a die showing 7; expected 1 to 6" + at
    assert message(SOLO, start, roll(0, 2, 3, 4, 6)) == "Y1: a die showing 0; expected 1 to 6" + at
    assert play(SOLO, roll(1, 2, 3, 4, 6)).dice == (1, 2, 3, 4, 6)


def test_y2_the_published_example() -> None:
    state = play(SOLO, roll(1, 2, 2, 4, 6), roll(2, 2, 4, 4, 6, kept=(2, 2)), roll(1, 4, 4, 4, 4, kept=(4, 4)))
    assert (state.rolls, state.dice) == (3, (1, 4, 4, 4, 4))
    assert SOLO.score(play(SOLO, roll(1, 4, 4, 4, 4), Fill("A", "four of a kind"))) == {"A": 17}


def test_y2_a_die_kept_before_may_be_rolled_again() -> None:
    state = play(SOLO, roll(1, 2, 2, 4, 6), roll(2, 2, 4, 4, 6, kept=(2, 2)), roll(1, 1, 1, 1, 2))
    assert state.rolls == 3
    assert state.flags == ()


def test_y2_kept_dice_lay_there_and_stay() -> None:
    state = play(SOLO, roll(1, 2, 2, 4, 6))
    at = " (turn 1 of A, 1 of 3 rolls done, dice 1-2-2-4-6; totals A 0)"
    assert message(SOLO, state, roll(3, 3, 1, 1, 1, kept=(3, 3))) == (
        "Y2: kept [3, 3]; expected dice that lay there: 1-2-2-4-6" + at
    )
    assert message(SOLO, state, roll(2, 3, 4, 4, 6, kept=(2, 2))) == (
        "Y2: kept [2, 2] of 2-3-4-4-6; expected kept dice that stay as they are" + at
    )
    assert message(SOLO, state, roll(1, 2, 2, 4, 6, kept=(1, 2, 2, 4, 6))) == (
        "Y2: a roll of no dice; expected one to five dice rolled" + at
    )
    assert play(SOLO, roll(1, 2, 2, 4, 6), roll(1, 2, 2, 4, 5, kept=(1, 2, 2, 4))).rolls == 2
    assert message(SOLO, SOLO.start(), roll(2, 2, 4, 4, 6, kept=(2, 2))) == (
        "Y2: kept [2, 2]; expected dice that lay there: none (turn 1 of A, 0 of 3 rolls done; totals A 0)"
    )


def test_y2_one_may_stop_early_but_not_before_the_first_roll() -> None:
    assert play(SOLO, roll(1, 2, 3, 4, 5), Fill("A", "little straight")).turn == 1
    assert message(SOLO, SOLO.start(), Fill("A", "ones")) == (
        "Y2: a category filled before a roll; expected a roll of all five dice"
        " (turn 1 of A, 0 of 3 rolls done; totals A 0)"
    )


def test_y3_one_open_category_is_filled_and_never_changes() -> None:
    state = play(SOLO, roll(1, 1, 1, 4, 5), Fill("A", "ones"), roll(1, 1, 1, 1, 5))
    assert message(SOLO, state, Fill("A", "ones")) == (
        "Y3: ones filled already with 3; expected an open category: yacht, big straight, little straight, "
        "four of a kind, full house, choice, sixes, fives, fours, threes, twos"
        " (turn 2 of A, 1 of 3 rolls done, dice 1-1-1-1-5; totals A 3)"
    )
    assert message(SOLO, state, Fill("A", "aces")) == (
        "Y4: category 'aces'; expected one of yacht, big straight, little straight, four of a kind, full house, "
        "choice, sixes, fives, fours, threes, twos, ones"
        " (turn 2 of A, 1 of 3 rolls done, dice 1-1-1-1-5; totals A 3)"
    )
    assert state.sheet == ((("ones", 3),),)
    assert "an open category: none" in message(SOLO, full_game(SOLO), Fill("A", "ones"))


def test_y3_zero_when_the_dice_do_not_fit() -> None:
    assert play(SOLO, roll(1, 2, 3, 4, 6), Fill("A", "yacht")).sheet == ((("yacht", 0),),)


def test_y3_each_player_has_a_sheet() -> None:
    state = play(
        PAIR, roll(1, 1, 1, 4, 5, who="Ann"), Fill("Ann", "ones"), roll(1, 1, 1, 1, 5, who="Bob"), Fill("Bob", "ones")
    )
    assert state.sheet == ((("ones", 3),), (("ones", 4),))
    assert (state.rolls, state.dice, state.turn) == (0, (), 2)


def test_y5_the_highest_total_wins_and_equal_totals_share() -> None:
    assert PAIR.winners(full_game(PAIR)) == ["Ann", "Bob"]
    assert PAIR.winners(full_game(PAIR, {"Bob": (6, 6, 6, 6, 6)})) == ["Bob"]
    assert PAIR.winners(PAIR.start()) is None
    assert SOLO.position(full_game(SOLO)) == "game over; totals A 65"


def test_y6_is_an_option() -> None:
    assert Yacht().four_of_a_kind == "five"
    assert points("four of a kind", (4, 4, 4, 4, 1)) == 17
    assert points("four of a kind", (4, 4, 4, 4, 1), "four") == 16


def test_y7_a_fourth_roll_is_flagged_and_not_counted() -> None:
    three = play(SOLO, roll(1, 2, 3, 4, 6), roll(1, 2, 3, 4, 6), roll(1, 2, 3, 4, 6))
    four = SOLO.apply(three, roll(5, 5, 5, 5, 5))
    assert four.flags == ("Y7: A, turn 1: a fourth roll, not counted",)
    assert (four.dice, four.rolls, four.doubt) == ((1, 2, 3, 4, 6), 3, None)
    assert SOLO.score(SOLO.apply(four, Fill("A", "yacht"))) == {"A": 0}
    assert SOLO.apply(four, Fill("A", "yacht")).flags == four.flags


def test_y7_a_cocked_die_has_no_value_until_it_is_rolled_again() -> None:
    state = play(SOLO, roll(5, 5, 5, 5, None))
    assert (state.flags, state.doubt) == (("Y7: A, turn 1: 1 cocked",), "1 cocked")
    assert message(SOLO, state, Fill("A", "fives")) == (
        "Y7: dice that don't count yet (1 cocked); expected a re-roll or a ruling"
        " (turn 1 of A, 1 of 3 rolls done, dice 5-5-5-5-?; totals A 0)"
    )
    assert set(SOLO.legal(state)["categories"].values()) == {None}
    again = SOLO.apply(state, roll(5, 5, 5, 5, 2, kept=(5, 5, 5, 5)))
    assert (again.rolls, again.dice, again.doubt) == (1, (5, 5, 5, 5, 2), None)
    assert again.flags == state.flags
    assert message(SOLO, state, roll(1, None, 5, 5, 5, kept=(5, 5, 5, 5))).startswith("Y2: kept [5, 5, 5, 5] of 1-?-5")


def test_y7_re_rolling_more_than_the_cocked_die_is_a_new_roll() -> None:
    assert play(SOLO, roll(5, 5, 5, 1, None), roll(5, 5, 5, 1, 2, kept=(5, 5, 5))).rolls == 2


def test_y7_a_cocked_die_of_the_third_roll_is_not_a_fourth_roll() -> None:
    cocked = play(SOLO, roll(1, 2, 3, 4, 6), roll(1, 2, 3, 4, 6), roll(1, 2, None, 4, 6))
    assert SOLO.legal(cocked)["events"] == ["roll"]
    done = SOLO.apply(cocked, roll(1, 2, 5, 4, 6, kept=(1, 2, 4, 6)))
    assert (done.rolls, done.doubt, done.flags) == (3, None, ("Y7: A, turn 1: 1 cocked",))
    assert SOLO.legal(done)["events"] == ["fill"]
    all_again = SOLO.apply(cocked, roll(1, 2, 5, 4, 6))
    assert all_again.flags[1:] == ("Y7: A, turn 1: a fourth roll, not counted",)
    assert all_again.doubt == "1 cocked"


def test_y7_a_die_off_the_table_is_flagged() -> None:
    state = play(SOLO, roll(5, 5, 5, 5))
    assert (state.flags, state.doubt) == (("Y7: A, turn 1: 1 off the table",), "1 off the table")
    assert SOLO.apply(state, roll(5, 5, 5, 5, 1, kept=(5, 5, 5, 5))).rolls == 1
    both = play(SOLO, roll(5, None, None))
    assert both.doubt == "2 cocked; 2 off the table"
    assert both.flags == ("Y7: A, turn 1: 2 cocked", "Y7: A, turn 1: 2 off the table")


def test_y7_fewer_dice_than_announced_are_flagged() -> None:
    first = roll(1, 2, 2, 4, 6)
    state = play(SOLO, first, roll(2, 2, 4, 6, 6, kept=(2, 2, 4), announced=3))
    assert (state.doubt, state.flags) == ("2 rolled, 3 announced", ("Y7: A, turn 1: 2 rolled, 3 announced",))
    assert SOLO.legal(state)["events"] == ["roll"]
    assert SOLO.apply(state, roll(1, 1, 1, 1, 1)).doubt is None
    assert play(SOLO, first, roll(2, 2, 4, 6, 6, kept=(2, 2), announced=3)).doubt is None
    assert play(SOLO, first, roll(2, 2, 4, 6, 6, kept=(2, 2), announced=2)).doubt is None
    assert "Y2: 6 dice announced; expected one to five" in message(SOLO, SOLO.start(), roll(1, 2, 2, 4, 6, announced=6))
    assert "Y2: 0 dice announced; expected one to five" in message(SOLO, SOLO.start(), roll(1, 2, 2, 4, 6, announced=0))
    assert play(SOLO, roll(1, 2, 2, 4, 6, announced=5)).doubt is None
    assert play(SOLO, first, roll(1, 2, 2, 4, 5, kept=(1, 2, 2, 4), announced=1)).doubt is None


def test_y7_flags_name_player_and_turn() -> None:
    state = play(
        PAIR,
        roll(1, 1, 1, 1, 1, who="Ann"),
        Fill("Ann", "ones"),
        roll(1, 1, 1, 1, 1, who="Bob"),
        Fill("Bob", "ones"),
        roll(1, 1, 1, 1, None, who="Ann"),
    )
    assert state.flags == ("Y7: Ann, turn 2: 1 cocked",)


def test_all_faults_are_named_at_once() -> None:
    assert message(PAIR, PAIR.start(), Roll("Bob", (9, 1, 1, 1, 1, 1), (3,))) == (
        "Y1: Bob out of turn; expected Ann / Y1: 6 dice; expected five dice / Y1: a die showing 9; expected 1 to 6 / "
        "Y2: kept [3]; expected dice that lay there: none / "
        "Y2: kept [3] of 9-1-1-1-1-1; expected kept dice that stay as they are"
        " (turn 1 of Ann, 0 of 3 rolls done; totals Ann 0, Bob 0)"
    )
    doubtful = play(PAIR, roll(1, 1, 1, 1, None, who="Ann"))
    assert [f.split(":")[0] for f in message(PAIR, doubtful, Fill("Bob", "x")).split(" / ")] == ["Y1", "Y4", "Y7"]


def test_legal_lists_open_categories_with_their_points() -> None:
    start = SOLO.legal(SOLO.start())
    assert (start["player"], start["turn"], start["rolls_left"], start["events"]) == ("A", 1, 3, ["roll"])
    assert start["categories"] == dict.fromkeys(CATEGORIES)
    state = play(SOLO, roll(1, 1, 1, 1, 1), Fill("A", "ones"), roll(2, 2, 3, 3, 3))
    assert SOLO.legal(state) == {
        "player": "A",
        "turn": 2,
        "rolls_left": 2,
        "dice": [2, 2, 3, 3, 3],
        "events": ["roll", "fill"],
        "categories": {
            "yacht": 0,
            "big straight": 0,
            "little straight": 0,
            "four of a kind": 0,
            "full house": 13,
            "choice": 13,
            "sixes": 0,
            "fives": 0,
            "fours": 0,
            "threes": 9,
            "twos": 4,
        },
        "doubt": None,
    }
    four = Yacht({"four_of_a_kind": "four"})
    assert four.legal(play(four, roll(1, 2, 2, 2, 2)))["categories"]["four of a kind"] == 8
    second = play(PAIR, roll(1, 1, 1, 1, 1, who="Ann"), Fill("Ann", "ones"))
    assert "ones" in PAIR.legal(second)["categories"]
    assert PAIR.legal(second)["turn"] == 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"player": ["A"]}, "option 'player' is unknown; known are players, four_of_a_kind"),
        ({"players": "Ann"}, "option 'players' is 'Ann', expected a list of names"),
        ({"players": ["Ann", 3]}, "option 'players' is ['Ann', 3], expected a list of names"),
        ({"players": ["Ann", " "]}, "option 'players' is ['Ann', ' '], expected a list of names"),
        ({"players": []}, "option 'players' is [], expected one or more different names (Y1)"),
        ({"players": ["A", "A"]}, "option 'players' is ['A', 'A'], expected one or more different names (Y1)"),
        ({"four_of_a_kind": "six"}, "option 'four_of_a_kind' is 'six', expected five or four (Y6)"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError) as caught:
        GAMES["yacht"](options)
    assert str(caught.value) == text


def test_written_options_make_the_same_engine() -> None:
    options = {"players": ["Ann", "Bob"], "four_of_a_kind": "four"}
    assert Yacht(options).options() == options
    assert Yacht().options() == {"players": ["A"], "four_of_a_kind": "five"}


def test_events_survive_json() -> None:
    for event, data in (
        (roll(1, None, kept=(1,), announced=4), {"kind": "roll", "player": "A", "dice": [1, None], "kept": [1],
                                                 "announced": 4}),
        (Fill("A", "ones"), {"kind": "fill", "player": "A", "category": "ones"}),
    ):  # fmt: skip
        assert SOLO.event_to_json(event) == data
        assert SOLO.event_from_json(data) == event
    with pytest.raises(TypeError, match=r"^int is no event of yacht$"):
        SOLO.apply(SOLO.start(), 3)  # type: ignore[arg-type]


def test_sheet_shows_categories_and_totals() -> None:
    state = play(PAIR, roll(1, 1, 1, 4, 5, who="Ann"), Fill("Ann", "ones"))
    sheet = PAIR.sheet(state)
    assert sheet[0] == ["category", "Ann", "Bob"]
    assert sheet[1] == ["yacht", "", ""]
    assert sheet[-2:] == [["ones", 3, ""], ["total", 3, 0]]
    assert len(sheet) == 14


class YachtMachine(RuleBasedStateMachine):
    """Random legal play: ends after twelve turns each, sums right, undo restores, replay equals play."""

    @initialize(
        players=st.sampled_from((("A",), ("A", "B"))), four=st.sampled_from(("five", "four")), seed=st.integers()
    )
    def begin(self, players: tuple[str, ...], four: str, seed: int) -> None:
        self.engine = Yacht({"players": players, "four_of_a_kind": four})
        self.log = MatchLog(self.engine)
        self.pick = random.Random(seed)

    def _event(self, state: State) -> Event:
        todo = self.engine.legal(state)
        if self.pick.choice(todo["events"]) == "fill":
            return Fill(todo["player"], self.pick.choice(list(todo["categories"])))
        known = [v for v in state.dice if v is not None]
        # after the third roll only the dice without value may be rolled
        count = len(known) if todo["rolls_left"] == 0 else self.pick.randint(0, min(4, len(known)))
        kept = self.pick.sample(known, count)
        fresh = [self.pick.choice((1, 2, 3, 4, 5, 6, 6, 6, None)) for _ in range(5 - count)]
        if self.pick.random() < 0.05:
            fresh.pop()
        return Roll(todo["player"], (*kept, *fresh), tuple(kept))

    @precondition(lambda self: not self.engine.over(self.log.state))
    @rule()
    def go_on(self) -> None:
        before = self.log.state
        self.log.observe(self._event(before), 1.0, "test")
        after = self.log.state
        self.log.undo(1.0, "test")
        assert self.log.state == before
        self.log.redo(1.0, "test")
        assert self.log.state == after

    @precondition(lambda self: self.log.undoable is not None)
    @rule()
    def undo(self) -> None:
        self.log.undo(1.0, "test")

    @invariant()
    def sums_are_right(self) -> None:
        if not hasattr(self, "log"):
            return
        state = self.log.state
        for player, row in zip(self.engine.players, state.sheet, strict=True):
            assert all(n >= 0 for _, n in row)
            assert len({c for c, _ in row}) == len(row) <= 12
            assert self.engine.score(state)[player] == sum(n for _, n in row)
        assert sum(map(len, state.sheet)) == state.turn
        assert state.rolls <= 3
        assert not Counter(state.dice) - Counter([*range(1, 7), None] * 5)

    def teardown(self) -> None:
        if not hasattr(self, "log"):
            return
        assert parse_log(to_text(self.log).encode()).log.state == self.log.state
        state = self.log.state
        for _ in range(2000):
            if self.engine.over(state):
                break
            state = self.engine.apply(state, self._event(state))
        assert self.engine.winners(state)


YachtMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestYachtMachine = YachtMachine.TestCase

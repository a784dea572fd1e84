"""The account of a match: what later moments say about earlier calls, made of shots told by hand."""

import math
from dataclasses import replace

import pytest

from calibration.boards import BoardModel
from referee.crokinole_match import Ledger
from referee.match_doubts import MatchDoubt
from referee.match_judging import side_near
from vision.disc_values import plain_contacts, valued
from vision.doubts import ShotDoubt, doubt
from vision.readings import Disc
from vision.shot_seen import DiscAfter, OnTable, Shot
from vision.shot_sides import UNKNOWN_SURE
from vision.shots import TableFollower
from vision.tracks import Track, shot_start

BOARD = BoardModel(name="nca", shooting=304.8, ten=203.2, fifteen=101.6, hole=17.45, disc_radius=15.9)
SEATS = {0: (0.0, -304.8), 1: (0.0, 304.8), 2: (304.8, 0.0)}


def disc(mm, states=(("board", 1.0),)) -> Disc:
    lines = plain_contacts(mm, 0.1, BOARD.disc_radius, 0.05, BOARD) if states[0][0] == "board" else ()
    found = Disc(0, "", (0.0, 0.0), mm, 0.1, states[0][0], 1.0, states[0][1], states, lines)
    return valued(found, BOARD.disc_radius, BOARD)


class Table:
    """Tells shots one after another, as a follower would; ids count up."""

    def __init__(self, groups=2, **about) -> None:
        self.ledger = Ledger(groups, **about)
        self.lying: dict[int, OnTable] = {}
        self.at = 0.0
        self.shots = 0

    def shoot(self, group, place=None, touched=(), maybe=(), sure=1.0, doubts=(), moved=None):
        self.at += 5.0
        self.shots += 1
        number, empty = self.shots, not self.lying
        before = {i: self.lying[i].disc for i in (*touched, *maybe)}
        for i, where in (moved or {}).items():
            self.lying[i] = replace(self.lying[i], disc=where)
        if place is not None:
            self.lying[number] = OnTable(number, group, place)
        after = [DiscAfter(number, group, place, None)]
        after += [DiscAfter(i, self.lying[i].group, self.lying[i].disc, d) for i, d in before.items()]
        lying = tuple(self.lying.values())
        seen = Shot(self.at, SEATS[group] if sure > UNKNOWN_SURE or place is None else None, True, self.at + 1, group,
                    sure, number, tuple(after), tuple(touched), tuple(maybe), lying, (), tuple(doubts))  # fmt: skip
        judged = self.ledger.add(seen, empty)
        for i in (*judged.outcome.removed, *(i for i, _ in judged.outcome.twenties)):
            self.take(i, called=True)
        return judged

    def take(self, disc_id, called=False):
        self.lying.pop(disc_id)
        if called:
            self.ledger.settled([disc_id])
        else:
            self.ledger.hands(self.at + 2, [disc_id], list(self.lying.values()))

    def asked(self):
        return [r.doubt for r in self.ledger.reviews]


MIDDLE = (0.5, 0.0)
IN_15 = (60.0, 0.0)


def test_a_doubtful_disc_that_hands_take_out_of_the_hole_was_a_twenty():
    table = Table()
    first = table.shoot(0, disc(MIDDLE, (("leaning", 0.55), ("hole", 0.45))))
    assert not first.outcome.twenties
    table.take(1)
    table.shoot(1, disc(IN_15))
    again = table.ledger.shots[0]
    assert again.outcome.twenties == ((1, 0),) and again.board == ()
    assert table.ledger.state.twenties == (1, 0) and table.asked() == []


def test_a_disc_that_can_not_have_been_in_the_hole_is_asked_about():
    table = Table()
    table.shoot(0, disc(IN_15))
    table.take(1)
    table.shoot(1, disc((0.0, 70.0)))
    assert table.ledger.state.twenties == (0, 0)
    assert doubt(MatchDoubt.TAKEN, 1) in table.asked()


def test_a_twenty_that_is_left_on_the_board_was_none():
    table = Table()
    sunk = disc(MIDDLE, (("hole", 0.8), ("leaning", 0.2)))
    first = table.shoot(0, sunk)
    assert first.outcome.twenties
    table.ledger.still_there([1], 9.0, [OnTable(1, 0, sunk)])
    assert table.ledger.state.twenties == (0, 0)
    assert [d.id for d in table.ledger.state.board] == [1]
    assert doubt(MatchDoubt.LEFT_THERE, 1) in table.asked()


def test_what_may_have_been_touched_was_if_hands_take_it_off_as_touched():
    table = Table()
    table.shoot(0, disc((0.0, 70.0)))
    table.shoot(1, disc((60.0, 60.0)), touched=[1])
    # side 0 hits no opponent, and it is open whether it touched its own disc
    third = table.shoot(0, disc((0.0, -60.0)), maybe=[1])
    assert third.outcome.removed == (3,) and doubt(MatchDoubt.TOUCHED, 1) in table.asked()
    table.take(1)
    table.shoot(1, disc((70.0, -40.0)))
    assert set(table.ledger.shots[2].outcome.removed) == {1, 3}
    assert table.asked() == []


def test_whose_shot_it_was_is_found_by_where_it_came_from():
    table = Table()
    first = table.shoot(0, None, sure=UNKNOWN_SURE, doubts=[doubt(ShotDoubt.SIDE_UNSEEN)])
    assert first.group == 0 and table.asked() == [doubt(ShotDoubt.SIDE_UNSEEN)]
    # the next one shows that side 0 sits elsewhere
    table.shots, before = 1, SEATS.copy()
    SEATS.update({0: (0.0, 304.8), 1: (0.0, -304.8)})
    try:
        table.shoot(0, disc(IN_15))
    finally:
        SEATS.update(before)
    assert [s.group for s in table.ledger.shots] == [1, 0]
    assert table.asked() == []


def test_what_was_never_a_disc_takes_its_consequences_along():
    table = Table()
    ghost = disc((0.0, -70.0))
    table.ledger.begin([OnTable(50, 1, ghost)])
    table.lying[50] = OnTable(50, 1, ghost)
    first = table.shoot(0, disc(IN_15))
    assert not first.outcome.valid and first.outcome.rule == "missed_opponent"
    table.ledger.never_there({50})
    again = table.ledger.shots[0]
    assert again.outcome.valid and [d.id for d in again.board] == [1]
    assert [d.id for d in table.ledger.state.board] == [1]


def test_a_side_twice_in_a_row_is_asked_about():
    table = Table()
    table.shoot(0, disc(IN_15))
    table.shoot(0, disc((0.0, 70.0)))
    assert table.asked() == [doubt(MatchDoubt.TWICE)]


def test_of_two_shots_of_a_side_one_that_left_nothing_may_be_none():
    table = Table()
    table.shoot(0, disc(IN_15))
    table.shoot(1, disc((0.0, 350.0), (("ditch", 1.0),)), touched=(1,))
    table.shoot(0, None)
    table.shoot(0, disc((0.0, 70.0)))
    twice, traceless = doubt(MatchDoubt.TWICE), doubt(MatchDoubt.TRACELESS)
    assert [r.key for r in table.ledger.reviews] == [(4, twice), (3, traceless)]


def test_questions_survive_when_a_round_is_judged_anew():
    table = Table()
    table.shoot(0, disc(IN_15))
    table.shoot(0, disc((0.0, 70.0)))
    table.ledger.regroup({77: 1})
    assert table.asked() == [doubt(MatchDoubt.TWICE)]


def test_an_empty_board_and_the_same_side_again_open_a_round_once_all_discs_are_shot():
    table = Table(discs=1)
    table.shoot(0, disc(IN_15))
    table.shoot(1, disc((0.0, 70.0)), touched=[1])
    for i in (1, 2):
        table.take(i)
    table.shoot(1, disc(IN_15))
    table.ledger.finish(99.0)
    assert [len(r.shots) for r in table.ledger.rounds] == [2, 1]
    assert table.ledger.rounds[0].complete and table.ledger.rounds[0].points == (15, 15)


DITCHED = disc((0.0, 350.0), (("ditch", 1.0),))


def test_a_round_of_three_sides_ends_with_the_third_sides_last_shot():
    table = Table(3, discs=2)
    for group in (0, 1, 2, 0, 1, 2):
        table.shoot(group, DITCHED)
        table.lying.clear()
    assert [len(r.shots) for r in table.ledger.rounds] == [6]
    table.shoot(1, DITCHED)  # C23: the first shot moves clockwise
    table.ledger.finish(99.0)
    assert [(len(r.shots), r.complete) for r in table.ledger.rounds] == [(6, True), (1, False)]


def test_the_third_side_counts_where_nobody_says_how_many_discs_there_are():
    table = Table(3)
    for turn in range(18):
        table.shoot(turn % 3, DITCHED)
        table.lying.clear()
    table.shoot(1, DITCHED)
    table.ledger.finish(99.0)
    assert [(len(r.shots), r.complete) for r in table.ledger.rounds] == [(18, True), (1, False)]
    assert table.ledger.side_discs() == 6


def test_a_board_that_is_cleared_early_is_asked_about_with_the_shots_of_all_sides():
    table = Table(3, discs=2)
    for group, touched in ((0, []), (1, [1]), (2, [2]), (0, [3])):
        table.shoot(group, disc((0.0, 30.0 * table.shots - 45.0)), touched=touched)
    for i in list(table.lying):
        table.take(i)
    table.ledger.finish(99.0)
    assert doubt(MatchDoubt.CLEARED, shots="2 + 1 + 1") in table.asked()


def test_where_a_shot_came_from_names_a_side_only_where_one_sits():
    table = Table()
    table.shoot(0, disc(IN_15))
    table.shoot(1, disc((0.0, 70.0)), touched=[1])
    assert side_near((40.0, -300.0), table.ledger.shots) == 0
    assert side_near((-40.0, 300.0), table.ledger.shots) == 1
    assert side_near((304.0, 0.0), table.ledger.shots) is None


def test_a_glimpse_told_as_a_shot_leaves_the_board_as_it_was():
    follower, table = TableFollower(), Table()
    lying = (OnTable(1, 0, disc(IN_15)),)
    table.shoot(0, disc(IN_15))
    glimpse = track([(0.0, 280.0), (30.0, 340.0)], 0.1)
    follower.glimpsed(glimpse, 1, lying)  # the first id is the disc's that lies there
    seen = follower.glimpsed(glimpse, 1, lying)
    judged = table.ledger.add(seen, False)
    table.ledger.ask(judged.number, seen.start_s, doubt(MatchDoubt.BARELY_SEEN))
    assert judged.group == 1 and not judged.outcome.valid and judged.outcome.rule == "missed_opponent"
    assert [d.id for d in judged.board] == [1]


def track(way, step: float) -> Track:
    """A track through the points of ``way`` (mm), one every ``step`` seconds."""
    return Track([(k * step, float(x), float(y)) for k, (x, y) in enumerate(way)])


def straight(start, end, count: int, seconds: float) -> Track:
    """A straight track of ``count`` points."""
    share = [k / (count - 1) for k in range(count)]
    way = [(start[0] + f * (end[0] - start[0]), start[1] + f * (end[1] - start[1])) for f in share]
    return track(way, seconds / (count - 1))


@pytest.mark.parametrize(
    ("seen", "is_shot"),
    [
        (straight((0, -280), (0, -40), 8, 0.3), True),  # straight in
        (straight((-250, 150), (150, 270), 8, 0.4), True),  # skims the edge from within the line
        (straight((-340, -14), (-325, -60), 5, 0.2), False),  # a finger in the ditch
        (straight((85, -66), (69, 14), 6, 0.37), False),  # slow, in the middle: too long unseen for a shot
        (straight((0, 20), (0, 300), 8, 0.3), False),  # what was struck, on its way out
        (straight((0, -304), (0, -290), 4, 0.2), False),  # straightening
    ],
)
def test_what_is_a_shot(seen, is_shot):
    start = shot_start(seen, BOARD.shooting)
    assert (start is not None) == is_shot
    if start is not None:
        assert math.hypot(*start.xy) == pytest.approx(BOARD.shooting, rel=0.01)

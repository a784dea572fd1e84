"""Points of a position and when they are called sure."""

from dataclasses import replace

import pytest

from referee.crokinole_score import score_position
from vision.readings import Disc, DiscState


def disc(
    number: int, colour: str, *values: tuple[int, float], confidence: float = 1.0, state: DiscState = "board"
) -> Disc:
    return Disc(number, colour, (0.0, 0.0), (0.0, 0.0), 0.1, state, confidence, 1.0, values=values)


def test_sum_by_colour() -> None:
    score = score_position([disc(1, "black", (20, 1.0)), disc(2, "black", (5, 1.0)), disc(3, "natural", (15, 1.0))])
    assert score.points == {"black": 25, "natural": 15}
    assert score.sure
    assert score.ranges == {"black": (25, 25), "natural": (15, 15)}
    assert score.doubts == ()


def test_no_discs_is_a_sure_nothing() -> None:
    score = score_position([])
    assert (score.points, score.sure) == ({}, True)


@pytest.mark.parametrize(("unseen", "sure"), [(0.0, True), (0.21, True), (0.36, False)])
def test_a_board_a_third_outside_the_picture_is_never_sure(unseen: float, sure: bool) -> None:
    score = score_position([disc(1, "black", (20, 1.0))], unseen=unseen)
    assert score.sure is sure and (not score.doubts) is sure


def test_close_disc_is_a_doubt_with_its_range() -> None:
    score = score_position([disc(1, "black", (10, 0.6), (5, 0.4)), disc(2, "natural", (15, 1.0))])
    assert not score.sure
    assert score.points == {"black": 10, "natural": 15}
    assert score.ranges == {"black": (5, 10), "natural": (15, 15)}
    assert [(d.disc, d.values) for d in score.doubts] == [(1, (10, 5))]


def test_many_small_doubts_add_up() -> None:
    almost = [disc(i, "black", (10, 0.98), (5, 0.02)) for i in range(1, 13)]
    assert not score_position(almost).sure
    assert score_position(almost[:3]).sure


def test_disc_that_may_not_be_there() -> None:
    score = score_position([disc(1, "black", (15, 1.0), confidence=0.7)])
    assert not score.sure
    assert score.ranges == {"black": (0, 15)}
    assert "probability of 0.70" in score.doubts[0].why


def test_unlisted_candidate_leaves_the_score_open() -> None:
    score = score_position([disc(1, "black", (15, 1.0))], [disc(1, "natural", (10, 1.0), confidence=0.3)])
    assert not score.sure
    assert score.points == {"black": 15, "natural": 0}
    assert score.ranges == {"black": (15, 15), "natural": (0, 10)}
    assert score.doubts[0].disc is None


def test_unknown_value_is_never_sure() -> None:
    score = score_position([disc(1, "black")])
    assert not score.sure
    assert score.ranges == {"black": (0, 20)}


@pytest.mark.parametrize(
    ("discs", "words"),
    [
        ([disc(i, "black", (5, 1.0)) for i in range(1, 14)], "13 black discs"),
        ([disc(i, c, (5, 1.0)) for i, c in enumerate(("black", "white", "red", "blue"), 1)], "4 colours"),
        ([disc(i, "black", (20, 1.0), state="hole") for i in (1, 2)], "#1 and #2 can't both"),
    ],
)
def test_what_the_rules_exclude_is_asked_about(discs: list[Disc], words: str) -> None:
    score = score_position(discs)
    assert not score.sure
    assert words in score.doubts[-1].why
    for colour, points in score.points.items():
        low, high = score.ranges[colour]
        assert low <= points <= high


@pytest.mark.parametrize("confidence", [1.0, 0.5])
def test_ditch_raises_no_doubt(confidence: float) -> None:
    score = score_position([disc(1, "black", (0, 1.0), state="ditch", confidence=confidence)])
    assert score.sure
    assert score.points == {"black": 0}


def test_a_single_disc_of_a_third_colour_is_asked_about_unless_it_is_surely_one() -> None:
    two = [disc(i, colour, (10, 1.0)) for i, colour in enumerate(("black", "black", "white", "white"))]
    assert score_position(two).sure
    assert score_position([*two, disc(4, "green", (5, 1.0))]).sure
    score = score_position([*two, disc(4, "green", (5, 1.0), confidence=0.96)])
    assert not score.sure
    assert score.ranges["green"] == (0, 5)
    assert any("single green disc" in d.why for d in score.doubts)
    assert score_position(
        [*two, disc(4, "green", (5, 1.0), confidence=0.96), disc(5, "green", (5, 1.0)), disc(6, "black", (0, 1.0))]
    ).sure


def test_a_disc_that_may_be_of_either_other_side_is_taken_away_once() -> None:
    unclear = replace(disc(1, "orange", (20, 1.0)), colours=(("orange", 0.6), ("purple", 0.2), ("green", 0.2)))
    score = score_position([unclear, disc(2, "orange", (15, 1.0)), disc(3, "purple", (5, 1.0))])
    assert score.ranges == {"orange": (15, 35), "purple": (5, 25), "green": (0, 20)}
    assert score.probability == pytest.approx(0.6)
    (only,) = score.doubts
    assert only.why.startswith("it may be purple (20 %) or green (20 %)")

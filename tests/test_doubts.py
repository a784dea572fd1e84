"""Doubts are data: compared by kind and contents, put into words only for people."""

import pickle
import string

import pytest

from referee.match_doubts import MatchDoubt, deferred_doubts, touch_doubt, value_doubts
from vision.doubts import DiscDoubt, DoubtKind, ShotDoubt, doubt
from vision.readings import Disc, LineContact


def near(line: LineContact, confidence: float = 0.9) -> Disc:
    return Disc(3, "", (0.0, 0.0), (200.0, 0.0), 0.1, "board", confidence, 1.0, lines=(line,))


def test_what_reads_the_same_is_the_same_doubt() -> None:
    one, other = (doubt(MatchDoubt.AT_LINE, 3, gap=gap, line="10/5", sigma=0.2) for gap in (-0.2103, -0.2098))
    assert one == other
    assert len({one, other}) == 1
    assert one != doubt(MatchDoubt.AT_LINE, 4, gap=-0.21, line="10/5", sigma=0.2)
    assert one != doubt(MatchDoubt.AT_LINE, 3, gap=-0.22, line="10/5", sigma=0.2)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (doubt(ShotDoubt.SIDE_UNSEEN), "which side shot wasn't seen"),
        (touch_doubt([2, 6]), "it isn't clear whether disc 2, 6 was touched"),
        (
            doubt(MatchDoubt.AT_LINE, 3, gap=0.004, line="shooting", sigma=0.1),
            "disc 3 is +0.00 mm from the shooting line (sigma 0.10)",
        ),
        (doubt(MatchDoubt.DOES_NOT_FIT, rules="C6: {disc 9}"), "what was seen doesn't fit: C6: {disc 9}"),
        (doubt(DiscDoubt.EXISTENCE, chance=0.7), "it is a disc with a probability of 0.70 only"),
    ],
)
def test_a_doubt_has_its_sentence(made, words) -> None:
    assert made.words == words
    assert pickle.loads(pickle.dumps(made)) == made


def test_a_disc_too_close_to_a_line_is_one_doubt_however_it_is_found() -> None:
    disc = near(LineContact("shooting", 0.1, 0.2, 0.3, "too_close", -30.0))
    assert deferred_doubts(3, disc, open_board=False) == value_doubts(3, disc)
    assert value_doubts(3, disc) == [doubt(MatchDoubt.AT_LINE, 3, gap=0.1, line="shooting", sigma=0.2)]


def test_the_inner_line_is_asked_about_on_an_open_board_only() -> None:
    disc = near(LineContact("15/10", -30.0, 0.2, 1.0, "touching", 0.1), confidence=0.3)
    assert [d.kind for d in deferred_doubts(3, disc, open_board=False)] == [MatchDoubt.FAINT]
    assert [d.kind for d in deferred_doubts(3, disc, open_board=True)] == [MatchDoubt.FAINT, MatchDoubt.INNER_LINE]


def test_sentences_name_discs_by_one_field() -> None:
    for kind in (k for kinds in DoubtKind.__subclasses__() for k in kinds):
        fields = [name for _, name, _, _ in string.Formatter().parse(kind.value) if name]
        assert len(fields) == len(set(fields)), kind

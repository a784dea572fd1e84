"""Which side shot, from who came and who is missing: one disc more tells, else the turn, else the ditch."""

import numpy as np
import pytest

from vision.doubts import ShotDoubt
from vision.readings import Disc
from vision.shot_seen import Newcomer
from vision.shot_sides import UNKNOWN_SURE, left_there, who_shot
from vision.table import SeenDisc
from vision.table_discs import TableDisc

DISC = Disc(0, "", (0.0, 0.0), (0.0, 0.0), 0.1, "board", 0.99, 1.0)


def came(*groups: int, sure: float = 0.9) -> list[Newcomer]:
    return [Newcomer(SeenDisc(DISC, np.zeros(3), True), g, sure) for g in groups]


def lay(*groups: int) -> list[TableDisc]:
    return [TableDisc(10 + k, g, [DISC], DISC) for k, g in enumerate(groups)]


@pytest.mark.parametrize(
    ("missing", "newcomers", "ditched", "suggested", "group", "sure", "doubts"),
    [
        pytest.param(lay(), came(1), [], None, 1, 0.9, [], id="one-came"),
        pytest.param(lay(0), came(0, 1), [], None, 1, 0.9, [], id="one-moved-one-came"),
        pytest.param(lay(), came(1, sure=0.6), [], 0, 1, 0.6, [ShotDoubt.COLOUR_UNCLEAR], id="unclear-against-turn"),
        pytest.param(lay(), came(1, sure=0.6), [], 1, 1, 0.6, [], id="unclear-as-the-turn"),
        pytest.param(lay(), came(0, 1), [], 1, 1, UNKNOWN_SURE, [ShotDoubt.TOO_MANY_CAME], id="both-came"),
        pytest.param(lay(), came(1, 1), [], None, 1, UNKNOWN_SURE, [ShotDoubt.TOO_MANY_CAME], id="two-came"),
        pytest.param(lay(0), came(0), [1], 1, 1, 1.0, [], id="nobody-came-turn-tells"),
        pytest.param(lay(0), came(), [1], None, 1, 1.0, [], id="ditch-tells"),
        pytest.param(lay(0), came(), [], None, 0, UNKNOWN_SURE, [ShotDoubt.SIDE_UNSEEN], id="nothing-tells"),
    ],
)
def test_who_shot(missing, newcomers, ditched, suggested, group, sure, doubts):
    found = who_shot(missing, newcomers, ditched, suggested)
    assert (found.group, found.sure, [d.kind for d in found.doubts]) == (group, sure, doubts)


@pytest.mark.parametrize(
    ("taken", "newcomers", "suggested", "left"),
    [
        pytest.param(lay(1), came(0, 1), 0, [10], id="one-more-than-a-shot-brings"),
        pytest.param(lay(1), came(1), 0, [], id="one-shot-brings-one"),
        pytest.param(lay(0), came(0, 1), 0, [], id="the-side-on-turn-shot-one-itself"),
        pytest.param(lay(1, 1), came(0, 1, 1), 0, [10, 11], id="two-left-there"),
    ],
)
def test_discs_left_there_that_were_to_be_taken_off(taken, newcomers, suggested, left):
    assert [d.id for d in left_there(taken, [], newcomers, suggested)] == left

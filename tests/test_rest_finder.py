"""What is waited for while a view holds, and how long the board isn't looked for after a failure: told by hand."""

import numpy as np
import pytest

from calibration.boards import BUILT_IN
from calibration.hints import BoardHints, NoBoard
from tests.views import view_from_above
from vision.board_finder import BoardFinder
from vision.drafts import Moment
from vision.frames import Frame, frame_of_pixels
from vision.lens import Lens
from vision.motion import Sight
from vision.rest import Rest
from vision.rest_finder import Phase, RestFinder
from vision.tracks import Track

BOARD = BUILT_IN["nca"]
VIEW = view_from_above(640, 640, focal=700.0, away=1000.0)
LENS = Lens(VIEW, np.array([[1.0, 0, 0], [0, 1.0, 0]]))
DISC = LENS.disc_mask((40.0, 0.0), BOARD.disc_radius)
HAND_MM2 = 5000.0


def frame(at: float) -> Frame:
    return frame_of_pixels(np.zeros((640, 640, 3), np.uint8), "v", at)


def moment(at: float, *, still: float = 9.0, hand_mm2: float = 0.0, changed: bool = False) -> Moment:
    none = np.zeros((LENS.size, LENS.size), np.uint8)
    return Moment(frame(at), Sight(at, none, none, hand_mm2, DISC if changed else none, 0.0, (), still, still))


class Table:
    """A view taken at 0 s of a board of which nothing is known, or (``known``) that was seen before."""

    def __init__(self, known: bool = False) -> None:
        self.known = known
        self.rests = RestFinder(VIEW, LENS, 1, 0.0, [])
        self.sees(0.0, still=0.0)

    def sees(self, at: float, **about) -> list[Rest]:
        now = moment(at, **about)
        self.rests.look(now.sight.gray, at)
        return self.rests.decide(now, self.known)

    def shoots(self, at: float) -> None:
        way = [(at + 0.02 * k, 0.0, -290.0 + 30.0 * k) for k in range(8)]
        self.rests.eye.tracks.append(Track(way))


@pytest.fixture
def table() -> Table:
    table = Table()
    assert table.rests.phase is Phase.FRESH
    (first,) = table.sees(0.3)
    assert first.shots == () and table.rests.phase is Phase.QUIET
    return table


def test_a_fresh_view_waits_for_a_calm_moment() -> None:
    table = Table()
    assert table.sees(0.1) == [] and table.rests.phase is Phase.FRESH, "calm, but not for long enough"
    assert table.sees(0.4, still=0.1) == []
    assert len(table.sees(0.6)) == 1 and table.rests.phase is Phase.QUIET


def test_what_looks_like_a_hand_from_the_start_is_waited_for_longer_unless_the_board_was_known() -> None:
    assert Table().sees(0.5, hand_mm2=HAND_MM2) == []
    (rest,) = Table().sees(1.1, hand_mm2=HAND_MM2)
    assert not rest.hidden.any(), "it is part of the scene by now"
    assert len(Table(known=True).sees(0.5, hand_mm2=HAND_MM2)) == 1


def test_nothing_is_read_while_nothing_changes(table: Table) -> None:
    assert all(table.sees(at) == [] and table.rests.phase is Phase.QUIET for at in (1.0, 2.0, 10.0))


def test_a_change_is_read_once_no_hand_hides_it(table: Table) -> None:
    assert table.sees(1.0, changed=True, hand_mm2=HAND_MM2, still=0.2) == []
    assert table.rests.phase is Phase.CHANGED
    (rest,) = table.sees(1.2, changed=True, still=0.4)
    assert rest.at == 1.2 and table.rests.phase is Phase.QUIET


def test_a_change_that_goes_again_is_forgotten(table: Table) -> None:
    table.sees(1.0, changed=True, hand_mm2=HAND_MM2, still=0.2)
    assert table.sees(1.1) == [] and table.rests.phase is Phase.QUIET and table.rests.finish() == []


def test_a_shot_is_read_when_everything_lies_still(table: Table) -> None:
    table.shoots(1.0)
    assert table.sees(1.2, still=0.0) == [] and table.rests.phase is Phase.SHOT
    assert table.sees(1.5, still=0.1) == [] and table.rests.phase is Phase.SHOT, "three frames are too few"
    (rest,) = table.sees(1.6, still=0.2)
    assert len(rest.shots) == 1 and rest.settled == pytest.approx(1.4) and table.rests.phase is Phase.QUIET


def test_a_shot_under_a_hand_is_read_in_the_end_where_least_was_hidden(table: Table) -> None:
    table.shoots(1.0)
    assert table.sees(2.0, still=0.5, hand_mm2=HAND_MM2) == []
    assert table.sees(2.2, still=0.7, hand_mm2=HAND_MM2 / 2) == []
    (rest,) = table.sees(5.0, still=3.0, hand_mm2=HAND_MM2 / 2 + 100)
    assert rest.at == 2.2 and len(rest.shots) == 1


def test_a_shot_is_told_cut_short_where_the_view_is_lost(table: Table) -> None:
    table.shoots(1.0)
    table.sees(1.2, still=0.0)
    table.sees(1.9, still=0.0)
    (rest,) = table.rests.parting()
    assert rest.cut_short and rest.at == 1.9 and table.rests.phase is Phase.QUIET
    assert table.rests.parting() == []


def test_of_shots_before_a_knock_those_stay_known_that_began_before_it_was_felt(table: Table) -> None:
    table.shoots(1.0)
    table.sees(1.2, still=0.0)
    last, kept = table.rests.knocked(since=1.1)
    assert last == [] and len(kept) == 1 and table.rests.phase is Phase.QUIET
    table.shoots(2.0)
    table.sees(2.2, still=0.0)
    assert table.rests.knocked(since=1.9)[1] == []


def test_the_board_is_looked_for_at_longer_and_longer_intervals() -> None:
    answers: list[object] = [NoBoard("no_board", "nothing round"), NoBoard("no_board", "nothing round"), VIEW]
    finder = BoardFinder(BoardHints(), lambda _pixels, _hints: answers.pop(0))
    assert not finder.pauses(0.0) and finder.find(frame(0.0)) is None
    assert finder.refusal is not None and finder.pauses(0.4) and not finder.pauses(0.5)
    assert finder.find(frame(0.5)) is None
    assert finder.pauses(1.4) and not finder.pauses(1.5)
    assert finder.find(frame(1.5)) is VIEW
    answers.append(NoBoard("no_board", "gone"))
    assert finder.find(frame(9.0)) is None and not finder.pauses(9.5), "the pauses begin anew"

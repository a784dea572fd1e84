"""What lies still is read once: only what changed is looked at anew, and a reading may begin before it is wanted."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.boards import BUILT_IN
from calibration.scale import ASSUMED_SCALE
from tests.views import view_from_above
from vision import disc_looks, table_reader
from vision.differences import differs
from vision.disc_canonical import SIZE, canonical_picture, frame_of
from vision.disc_looks import CARRIED_MOST, Looks, look, windows_of
from vision.disc_net import GRID_PX, WHOLE, Candidate
from vision.discs import ALONE_ODDS, discs_of
from vision.drafts import Draft, Moment
from vision.frames import frame_of_pixels
from vision.lens import Lens
from vision.motion import Sight
from vision.rest import Rest
from vision.table_reader import TableReader

BOARD = BUILT_IN["nca"]
SIDE = 900
CLIP = Path(__file__).parent / "video" / "four_shots.mp4"


VIEW = view_from_above(SIDE, SIDE, focal=1000.0, away=1000.0)
LENS = Lens(VIEW, np.array([[1.0, 0, 0], [0, 1.0, 0]]))
HERE, THERE, FAR = (90.0, 60.0), (-120.0, 80.0), (-40.0, -180.0)


def board(*discs: tuple[float, float], seed: int = 1, light: float = 1.0) -> np.ndarray:
    """A painted board (SIDE, SIDE, 3) uint8 BGR with coding noise of its own and dark discs."""
    grain = cv2.GaussianBlur(np.random.default_rng(3).normal(0, 30, (SIDE, SIDE)).astype(np.float32), (0, 0), 4)
    wood = np.stack([120 + 3 * grain, 170 + 3 * grain, 200 + 3 * grain], axis=-1)
    for radius in (*BOARD.radii, BOARD.hole or 17.45):
        cv2.polylines(wood, [np.rint(VIEW.circle_px(radius)).astype(np.int32)], True, (40, 50, 60), 2, cv2.LINE_AA)
    for mm in discs:
        x, y = VIEW.to_px(np.array([mm]), BOARD.disc_height)[0]
        reach = BOARD.disc_radius * VIEW.px_per_mm(np.array(mm))
        for share, colour in ((1.15, (70, 95, 115)), (1.0, (30, 25, 25)), (0.85, (50, 45, 45))):
            cv2.circle(wood, (round(x * 16), round(y * 16)), round(reach * share * 16), colour, -1, cv2.LINE_AA, 4)
    noise = np.random.default_rng(seed).normal(0, 1.0, wood.shape)
    return np.clip(wood * light + noise, 0, 255).astype(np.uint8)


class Windows:
    """Which windows of the canonical picture the first network was shown."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: list[tuple[int, int, int]] = []
        plain = disc_looks.candidates_in

        def noted(picture: Any, frame: Any, windows: Any = (WHOLE,), zone: Any = None) -> Any:
            self.seen += windows
            return plain(picture, frame, windows, zone)

        monkeypatch.setattr(disc_looks, "candidates_in", noted)

    def taken(self) -> list[tuple[int, int, int]]:
        out, self.seen = self.seen, []
        return out


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Windows:
    return Windows(monkeypatch)


def likely(looks: Any) -> list[tuple[int, int]]:
    """Discs outside the painted hole, in centimetres."""
    return sorted(
        (round(float(x) / 10), round(float(y) / 10))
        for c, (x, y) in zip(looks.weighed, looks.places, strict=True)
        if c.chance > 0.5 and np.hypot(x, y) > BOARD.disc_radius
    )


def test_only_what_changed_is_looked_at_and_the_rest_carried_over(windows: Windows) -> None:
    first = look(board(HERE, THERE), VIEW)
    assert windows.taken() == [WHOLE]
    assert likely(first) == [(-12, 8), (9, 6)]
    second = look(board(HERE, THERE, FAR, seed=2), VIEW, first)
    assert second.carried == 1
    shown = windows.taken()
    assert shown and sum(n * n for _, _, n in shown) < SIZE * SIZE / 2
    whole = look(board(HERE, THERE, FAR, seed=2), VIEW)
    assert likely(second) == likely(whole) == [(-12, 8), (-4, -18), (9, 6)]


def test_a_disc_that_is_gone_or_moved_is_not_carried_over(windows: Windows) -> None:
    first = look(board(HERE, THERE), VIEW)
    moved = (THERE[0] + 30, THERE[1])
    assert likely(look(board(HERE, moved, seed=2), VIEW, first)) == [(-9, 8), (9, 6)]
    assert likely(look(board(HERE, seed=2), VIEW, first)) == [(9, 6)]


def test_other_light_is_no_change_but_another_view_and_long_carrying_are(windows: Windows) -> None:
    first = look(board(HERE, THERE), VIEW)
    windows.taken()
    assert look(board(HERE, THERE, seed=2, light=0.9), VIEW, first).carried == 1
    assert WHOLE not in windows.taken()
    for view, carried in ((replace(VIEW), 0), (VIEW, CARRIED_MOST)):
        assert look(board(HERE, THERE, seed=2), view, replace(first, carried=carried)).carried == 0
        assert windows.taken() == [WHOLE]


def test_while_the_score_is_waited_for_the_whole_is_not_looked_at_again(windows: Windows) -> None:
    before = replace(look(board(HERE), VIEW), carried=CARRIED_MOST)
    windows.taken()
    assert look(board(HERE, seed=2), VIEW, before, patient=False).carried == CARRIED_MOST + 1
    assert WHOLE not in windows.taken()
    assert look(board(HERE, seed=2), VIEW, before).carried == 0


def test_in_other_millimetres_the_same_is_found_without_looking_again(windows: Windows) -> None:
    wider = VIEW.scaled(1.1, ASSUMED_SCALE)
    before = look(board(HERE, THERE), VIEW)
    windows.taken()
    now = look(board(HERE, THERE, seed=2), wider, before.rescaled(wider), once_more=False)
    assert not windows.taken()
    anew = look(board(HERE, THERE, seed=2), wider)
    assert likely(now) == likely(anew) != likely(before)
    assert now.radius == pytest.approx(anew.radius, rel=0.01)


def test_in_other_millimetres_a_lens_shows_the_same_squares() -> None:
    picture, wider = board(HERE), VIEW.scaled(1.1, ASSUMED_SCALE)
    seen, fine = LENS.look(picture), LENS.finer.look(picture)
    other = LENS.rescaled(wider)
    assert np.array_equal(other.look(picture), seen) and np.array_equal(other.finer.look(picture), fine)
    assert other.radius.max() == pytest.approx(1.1 * LENS.radius.max()) and other.finer.view is wider


def test_what_is_in_doubt_is_looked_at_once_more_unless_that_was_a_moment_ago(windows: Windows) -> None:
    first = look(board(HERE, THERE), VIEW)
    unsure = replace(first.weighed[0], chances=(0.7, 0.0, 0.0, 0.0))
    first = replace(first, weighed=(unsure, *first.weighed[1:]))
    windows.taken()
    left = look(board(HERE, THERE, seed=2), VIEW, first, once_more=False)
    assert windows.taken() == [] and unsure in left.weighed
    again = look(board(HERE, THERE, seed=2), VIEW, left)
    assert len(windows.taken()) >= 1 and unsure not in again.weighed


def test_windows_hold_their_zone_on_the_grid_and_near_ones_are_joined() -> None:
    zone = np.zeros((SIZE, SIZE), np.uint8)
    zone[100:120, 100:130] = zone[100:120, 140:150] = zone[400:420, 505:] = 1
    found = windows_of(zone)
    assert len(found) == 2
    for x, y, n in found:
        assert n % GRID_PX == x % GRID_PX == y % GRID_PX == 0
        assert x >= 0 and y >= 0 and x + n <= SIZE and y + n <= SIZE
    held = np.zeros_like(zone)
    for x, y, n in found:
        held[y : y + n, x : x + n] = 1
    assert not (zone & (1 - held)).any()
    zone[:] = 1
    assert windows_of(zone) == [WHOLE]
    assert windows_of(np.zeros_like(zone)) == []


def test_noise_and_light_are_no_difference_but_half_a_millimetre_is() -> None:
    fine = LENS.finer
    everywhere = np.ones((fine.size, fine.size), np.uint8)
    before, again, dimmed, moved = (
        fine.look(cv2.cvtColor(p, cv2.COLOR_BGR2GRAY))
        for p in (board(HERE), board(HERE, seed=2), board(HERE, light=0.9), board((HERE[0] + 0.6, HERE[1]), seed=2))
    )
    assert not differs(before, again, everywhere).any()
    assert not differs(before, dimmed, everywhere).any()
    changed = differs(before, moved, everywhere)
    assert changed.any() and not (changed & (1 - fine.disc_mask(HERE, BOARD.disc_radius + 8))).any()


def sight(at: float, hand: np.ndarray | None = None) -> Sight:
    none = np.zeros((LENS.size, LENS.size), np.uint8)
    mask = none if hand is None else hand
    return Sight(at, none, mask, float(mask.sum()), none, 0.0, (), 0.0, 0.0)


def test_a_draft_is_the_first_picture_without_motion() -> None:
    first, still, moving = (frame_of_pixels(board(HERE, seed=k), "v", k / 30) for k in range(3))
    draft = Draft()
    draft.see(Moment(first, sight(0.0)), 0.0, True)
    assert draft.moment is None, "it still moves"
    draft.see(Moment(first, sight(0.0)), 0.03, True)
    draft.see(Moment(still, sight(0.1)), 0.06, True)
    assert draft.moment is not None and draft.moment.frame is first
    draft.see(Moment(moving, sight(0.2)), 0.0, True)
    assert draft.moment is None


def test_a_picture_without_a_hand_takes_the_place_of_one_with_a_hand() -> None:
    frames = [frame_of_pixels(board(HERE, seed=k), "v", k / 30) for k in range(2)]
    draft = Draft()
    draft.see(Moment(frames[0], sight(0.0)), 0.03, False)
    draft.see(Moment(frames[1], sight(0.1)), 0.06, True)
    assert draft.free and draft.moment is not None and draft.moment.frame is frames[1]


def rest_of(frame: Any, at: float) -> Rest:
    none = np.zeros((LENS.size, LENS.size), np.uint8)
    return Rest(frame, at, at, VIEW, LENS, none, none, (), (), 1)


def test_readings_begun_are_used_in_order_and_none_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[float] = []
    plain = table_reader.read_table

    def noted(rest: Rest, *more: Any) -> Any:
        read.append(rest.at)
        if rest.at == 9.0:
            raise ValueError("a fault")
        return plain(rest, *more)

    monkeypatch.setattr(table_reader, "read_table", noted)
    frames = [frame_of_pixels(board(HERE, seed=k), "v", float(k)) for k in range(3)]
    reader = TableReader()
    reader.begin(rest_of(frames[0], 0.0), None)
    reader.begin(rest_of(frames[1], 1.0), None)
    wanted = rest_of(frames[1], 1.5)
    assert reader.begun(wanted, None) and not reader.begun(wanted, (15.9, 0.1))
    reading = reader.read(wanted, None)
    assert read == [0.0, 1.0] and reading.rest is wanted
    assert reading.known is not None and reading.known.looks.carried == 1, "the second was read from the first"
    assert [s.disc.value for s in reading.discs if s.disc.state == "board"] == [10]
    kept, view = pickle.loads(pickle.dumps((reader, VIEW)))
    again = kept.read(replace(rest_of(frames[2], 2.0), view=view), None)
    assert again.known is not None and again.known.looks.carried == 2, "a job put aside goes on from what it had read"
    reader.begin(rest_of(frames[2], 9.0), None)
    assert reader.ready() is None and reader.ready() is None, "what failed is no reading, asked how often it may be"
    assert reader.read(rest_of(frames[0], 2.0), None).rest.at == 2.0, "a fault in what isn't wanted loses nothing"
    with pytest.raises(ValueError, match="a fault"):
        reader.read(rest_of(frames[2], 9.0), None)


def test_a_rest_read_ahead_leaves_what_was_in_doubt_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    once_more: list[bool] = []
    plain = table_reader.read_table

    def noted(rest: Rest, radius: Any, known: Any, more: bool, patient: bool) -> Any:
        once_more.append(more)
        return plain(rest, radius, known, more, patient)

    monkeypatch.setattr(table_reader, "read_table", noted)
    frames = [frame_of_pixels(board(HERE, seed=k), "v", at) for k, at in enumerate((0.0, 0.1, 0.2, 3.0, 9.0))]
    reader = TableReader()
    reader.begin(rest_of(frames[0], 0.0), None, patient=False)
    reader.read(rest_of(frames[1], 0.1), None)
    reader.read(rest_of(frames[2], 0.2), None)
    reader.begin(rest_of(frames[3], 3.0), None, patient=False)
    reader.read(rest_of(frames[4], 9.0), None)
    assert once_more == [True, False, True, True, True], "a moment after a draft only"


def test_the_whole_is_read_anew_when_the_score_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disc_looks, "CARRIED_MOST", 2)
    monkeypatch.setattr(table_reader, "CARRIED_MOST", 2)
    frames = [frame_of_pixels(board(HERE, seed=k), "v", at) for k, at in enumerate((0.0, 5.0, 5.1, 9.0, 9.1))]
    rests = [rest_of(f, f.timestamp) for f in frames]
    reader = TableReader()
    carried = []
    for k, rest in enumerate(rests):
        if k in (1, 3):
            reader.begin(rest, None, patient=False)
        else:
            known = reader.read(rest, None).known
            assert known is not None
            carried.append(known.looks.carried)
    assert carried == [0, 2, 2], "the second draft was read from the whole of the rest before it"


def test_a_lone_disc_in_the_hole_is_doubted_in_single_pictures_only() -> None:
    image, frame = board((0.0, 0.0), (93.75, 0.0)), frame_of(VIEW)
    picture = canonical_picture(image, VIEW, frame)
    middle = (SIZE - 1) / 2
    sunk = Candidate((middle, middle), 10.0, (0.0, 0.9, 0.0, 0.0))
    beside = Candidate((middle + 60.0, middle), 10.0, (0.95, 0.0, 0.0, 0.0))

    def chance(*there: Candidate) -> float:
        places = frame.to_board(np.array([c.xy for c in there]))
        looks = Looks(VIEW, frame, picture, picture, there, there, places, (BOARD.disc_radius, 0.2))
        return next(d.confidence for d in discs_of(image, looks, ALONE_ODDS).discs if d.state == "hole")

    followed = Looks(VIEW, frame, picture, picture, (sunk,), (sunk,), np.zeros((1, 2)), (BOARD.disc_radius, 0.2))
    assert discs_of(image, followed).discs[0].confidence == pytest.approx(0.9)
    assert chance(sunk) == pytest.approx(0.9 * ALONE_ODDS / (0.1 + 0.9 * ALONE_ODDS))
    assert chance(sunk, beside) == pytest.approx(0.9)

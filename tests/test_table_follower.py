"""What is told of discs from rest to rest, on boards painted by hand: nothing is lost without a question."""

from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from calibration.boards import BUILT_IN
from tests.views import view_from_above
from vision.board_looks import BoardLooks
from vision.disc_net import Candidate
from vision.disc_odds import in_hole
from vision.disc_values import plain_contacts, valued
from vision.doubts import ShotDoubt, doubt
from vision.lens import FINE, Lens
from vision.motion import MotionEye
from vision.readings import Disc
from vision.rest import Rest
from vision.scene import SceneGate
from vision.shot_seen import Shot
from vision.shots import TableFollower
from vision.table import SeenDisc, TableReading
from vision.tracks import Track, moving, shot_start

BOARD = BUILT_IN["nca"]
LIGHT, DARK = np.array([75.0, 5.0, 25.0]), np.array([12.0, 0.0, 0.0])
FADED = LIGHT + 0
"""Of almost the light discs' grey, in the luma that rests are compared by."""
GREY = {id(LIGHT): 200, id(DARK): 25, id(FADED): 172}


VIEW = view_from_above(640, 640, focal=700.0, away=1000.0)
LENS = Lens(VIEW, np.array([[1.0, 0, 0], [0, 1.0, 0]]))
SHARP = replace(LENS, size=FINE)


def painted(discs, sunk: bool) -> np.ndarray:
    """The board (FINE, FINE) uint8: grained wood, a hole lit from one side, discs; ``sunk``: with a dark one in it."""
    grain = np.random.default_rng(3).normal(0, 12, (FINE, FINE)).astype(np.float32)
    board = np.clip(140 + 4 * cv2.GaussianBlur(grain, (0, 0), 3), 0, 255).astype(np.uint8)
    hole = SHARP.disc_mask((0.0, 0.0), BOARD.hole or 17.45) > 0
    board[hole & (SHARP.grid[..., 0] < 0)] = 150
    board[hole & (SHARP.grid[..., 0] >= 0)] = 50
    if sunk:
        board[hole] = 22
    for mm, lab in discs:
        board[SHARP.disc_mask(mm, BOARD.disc_radius) > 0] = GREY[id(lab)]
    return cv2.GaussianBlur(board, (0, 0), 1.0)


class Table:
    """Rests of one board one after another; ``observe`` returns what the follower makes of each."""

    def __init__(self) -> None:
        self.follower = TableFollower()
        self.at = 0.0

    def observe(self, discs=(), sunk=False, ways=(), turn=1, unread=(), hand=None, printed=()):
        """``unread``: discs that are there; ``printed``: what is read though there is none; ``hand``: its middle."""
        self.at += 5.0
        tracks = tuple(Track([(self.at - 1 + t, float(x), float(y)) for t, x, y in way]) for way in ways)
        shots = tuple(s for s in (shot_start(t, BOARD.shooting) for t in tracks) if s is not None)
        none = np.zeros((LENS.size, LENS.size), np.uint8)
        frame = SimpleNamespace(pixels=np.full((640, 640, 3), 15, np.uint8))
        hidden = none if hand is None else LENS.disc_mask(hand, 50.0)
        rest = Rest(frame, self.at, self.at, VIEW, LENS, none, hidden, tracks, shots, 1)  # type: ignore[arg-type]
        seen = tuple(SeenDisc(read(mm), lab, True) for mm, lab in (*discs, *printed))
        reading = TableReading(rest, seen, painted([*discs, *unread], sunk), SHARP, BOARD.disc_radius, 0.1)
        return self.follower.observe(reading, lambda _: turn)


def read(mm) -> Disc:
    lines = plain_contacts(mm, 0.1, BOARD.disc_radius, 0.05, BOARD)
    found = Disc(0, "", (0.0, 0.0), mm, 0.1, "board", 0.99, 1.0, (("board", 1.0),), lines)
    return valued(found, BOARD.disc_radius, BOARD)


def way(start, end, count=10, seconds=0.4, after=0.0):
    share = [k / (count - 1) for k in range(count)]
    return [(after + f * seconds, *(a + f * (b - a) for a, b in zip(start, end, strict=True))) for f in share]


IN = way((-150, -214), (-26, 78))
"""A shot that ends where it strikes the disc at (10, 70)."""


@pytest.fixture
def table():
    made = Table()
    made.observe()
    first = made.observe([((10.0, 70.0), LIGHT)], ways=[way((20, 280), (8, 80))], turn=0)
    assert isinstance(first, Shot) and first.group == 0 and not first.doubts
    return made


def test_a_disc_that_fell_into_the_hole_unread_after_it_struck_another_is_a_twenty(table):
    rolls_in = way((-11, 24), (-3, 8), 4, 0.2, 0.5)
    shot = table.observe([((-30.0, 90.0), LIGHT)], sunk=True, ways=[IN, rolls_in])
    assert isinstance(shot, Shot) and shot.group == 1 and shot.touched == (1,)
    assert shot.after[0].disc is not None and shot.after[0].disc.state == "hole"
    assert not shot.doubts


def test_a_hole_that_looks_filled_is_asked_about_where_nothing_was_seen_to_fall_in(table):
    shot = table.observe([((-30.0, 90.0), LIGHT)], sunk=True, ways=[IN])
    assert isinstance(shot, Shot) and shot.after[0].disc is not None and shot.after[0].disc.state == "hole"
    assert doubt(ShotDoubt.HOLE_FILLED) in shot.doubts
    # and it is no news at the next rest
    assert not isinstance(table.observe([((-30.0, 90.0), LIGHT)], sunk=True), Shot)


def test_a_disc_that_lies_nowhere_is_asked_about_though_it_moved_another(table):
    shot = table.observe([((-30.0, 90.0), LIGHT)], ways=[IN])
    assert isinstance(shot, Shot) and shot.after[0].disc is None and doubt(ShotDoubt.NOT_FOUND) in shot.doubts


def test_a_disc_that_was_seen_to_leave_is_not_asked_about(table):
    out = way((-20, 60), (-250, 190), 8, 0.3, 0.45)
    shot = table.observe([((-30.0, 90.0), LIGHT)], ways=[IN, out])
    assert isinstance(shot, Shot) and shot.after[0].disc is None and not shot.doubts


def test_a_struck_disc_that_is_gone_unseen_is_asked_about(table):
    out = way((-20, 60), (-250, 190), 8, 0.3, 0.45)
    shot = table.observe(ways=[IN, out])
    assert isinstance(shot, Shot) and [a.disc for a in shot.after] == [None, None]
    assert shot.doubts == (doubt(ShotDoubt.UNSEEN_LOSS, 1),)


def test_a_disc_that_is_read_no_more_is_gone_where_its_colour_is_though_luma_hardly_changed(table):
    hands = table.observe(unread=[((10.0, 70.0), FADED)])
    assert not isinstance(hands, Shot) and hands.taken == (1,)


def test_a_disc_that_is_not_read_stays_where_nothing_has_changed(table):
    hands = table.observe(unread=[((10.0, 70.0), LIGHT)])
    assert not isinstance(hands, Shot) and not hands.taken and [d.id for d in hands.lying] == [1]


ON_LINE = (-146.0, 258.0)


def test_what_ends_at_a_hand_is_the_hand_unless_something_on_the_board_says_otherwise(table):
    strays = way((-150, -214), (-110, 60))
    still = [((10.0, 70.0), LIGHT)]
    assert not isinstance(table.observe(still, ways=[strays], hand=(-110.0, 60.0)), Shot)
    assert not isinstance(table.observe(still, ways=[strays], hand=(-52.0, 60.0)), Shot), "nor beside one"
    placed = way((-52, -296), (60, -272), 5, 0.3)
    assert not isinstance(table.observe(still, ways=[placed], hand=(90.0, -300.0)), Shot)
    shot = table.observe([((30.0, 120.0), LIGHT)], ways=[strays], hand=(-110.0, 60.0))
    assert isinstance(shot, Shot) and shot.touched == (1,)
    shot = table.observe([((30.0, 120.0), LIGHT)], ways=[strays])
    assert isinstance(shot, Shot) and doubt(ShotDoubt.NOT_FOUND) in shot.doubts


def test_a_finger_that_comes_for_a_disc_to_be_taken_off_shoots_nothing(table):
    table.follower.leaving = {1}
    assert not isinstance(table.observe([((10.0, 70.0), LIGHT)], ways=[IN]), Shot)
    table.follower.leaving = set()
    assert isinstance(table.observe([((10.0, 70.0), LIGHT)], ways=[IN]), Shot)


def test_what_is_read_where_a_disc_has_just_left_its_bare_place_is_none(table, monkeypatch):
    monkeypatch.setattr(BoardLooks, "recoloured", lambda *given: True)
    hands = table.observe(printed=[((10.0, 71.0), DARK)])
    assert not isinstance(hands, Shot) and hands.taken == (1,)
    shot = table.observe(printed=[((-80.0, 71.0), DARK)])
    assert isinstance(shot, Shot), "elsewhere a disc of luma's own grey is told by its colour"


def test_a_disc_that_leaves_behind_its_own_luma_is_gone_once_the_colour_is_another(table, monkeypatch):
    there = ((10.0, 70.0), LIGHT)
    came = ((-60.0, -40.0), DARK)
    shot = table.observe([came], unread=[there], ways=[way((-150, -214), (-60, -40))])
    assert isinstance(shot, Shot) and [d.id for d in shot.lying] == [1, 2], "not read, but it looks as before"
    monkeypatch.setattr(BoardLooks, "recoloured", lambda self, reading, mm: mm == there[0])
    shot = table.observe([came], unread=[there], ways=[way((-150, -214), (-26, 78))])
    assert isinstance(shot, Shot) and 1 not in [d.id for d in shot.lying]


def test_a_disc_that_lies_on_the_line_at_first_sight_is_knocked_off_like_any_other():
    table = Table()
    table.observe([(ON_LINE, LIGHT)])
    off = way((-150, 275), (-165, 330), 5, 0.2, 0.5)
    shot = table.observe([((-130.0, 231.0), DARK)], ways=[way((-124, -240), (-140, 222)), off])
    assert isinstance(shot, Shot) and shot.group == 1 and shot.touched == (1,) and not shot.doubts


def test_a_disc_that_was_placed_before_the_video_began_is_the_one_that_is_shot():
    table = Table()
    table.observe([(ON_LINE, LIGHT), ((0.0, 120.0), DARK)])
    shot = table.observe([((60.0, 10.0), LIGHT), ((0.0, 120.0), DARK)], ways=[way((-130, 225), (60, 10))], turn=0)
    assert isinstance(shot, Shot) and shot.group == 0 and not shot.touched and not shot.doubts
    assert [d.id for d in shot.lying] == [2, shot.disc] and table.follower.phantoms == {1}


def test_a_shot_is_told_though_its_track_begins_with_the_finger():
    flicked = Track([(0.0, -334.0, 180.0), *[(0.05 + t, x, y) for t, x, y in way((-270, 140), (60, -40))]])
    start = shot_start(flicked, BOARD.shooting)
    assert start is not None and start.strong
    assert shot_start(Track(way((-340, 180), (-300, 150), 4, 0.3)), BOARD.shooting) is None


def test_a_disc_that_was_put_right_before_it_was_shot_begins_when_it_is_shot():
    points = way((231, 167), (150, 108), 10, 0.4)
    put_right = [(-0.32, 252.0, 175.0), (-0.2, 254.0, 177.0)]
    start = shot_start(Track([*put_right, *points]), BOARD.shooting)
    assert start is not None and start.at == pytest.approx(-0.06, abs=0.05)
    assert shot_start(Track([*put_right, (-0.1, 240.0, 170.0)]), BOARD.shooting) is None
    on_its_way = [(t, x, y) for t, x, y in points if not 0.1 < t < 0.25]  # not seen for a while
    assert shot_start(Track(on_its_way), BOARD.shooting) == shot_start(moving(Track(on_its_way)), BOARD.shooting)
    assert moving(Track(on_its_way)).start == points[0]


def test_over_the_holes_edge_a_disc_can_lie_flat_but_not_over_its_middle():
    seen = Candidate((0.0, 0.0), 10.0, (0.04, 0.25, 0.31, 0.0))
    odds = {"none": 0.03, "hole": 0.0, "leaning": 0.02, "board": 0.95}
    beside, over = in_hole(seen, odds, beside=True), in_hole(seen, odds)
    assert beside.chance > 0.6 and beside.chances[0] == max(beside.chances)
    assert over.chances[0] < 0.01


def test_a_shift_of_the_whole_picture_is_told_from_what_moves_in_it():
    grain = np.random.default_rng(1).normal(0, 30, (360, 640)).astype(np.float32)
    scene = np.clip(120 + 3 * cv2.GaussianBlur(grain, (0, 0), 4), 0, 255).astype(np.uint8)
    for radius, shade in ((165, 40), (150, 190), (135, 60), (90, 60), (45, 60)):
        cv2.circle(scene, (320, 180), radius, shade, 12 if radius > 140 else 2, cv2.LINE_AA)

    def shifted(change) -> list[bool]:
        gate = SceneGate()
        out = []
        for k in range(12):
            gate.look(change(k, scene.copy()), k / 30)
            out.append(gate.shifted())
        return out

    def arm(k, picture):
        cv2.line(picture, (0, 0), (60 + 25 * k, 40 + 12 * k), 200, 60)
        return picture

    assert not any(shifted(lambda k, picture: picture))
    assert not any(shifted(arm))

    def flicker(k, picture):
        bands = 1 + 0.08 * np.sin(np.arange(360) / 40 + k)
        return np.clip(picture * bands[:, None], 0, 255).astype(np.uint8)

    assert not any(shifted(flicker))
    assert any(shifted(lambda k, picture: np.roll(picture, min(max(k - 5, 0), 3), axis=1)))
    assert any(shifted(lambda k, picture: np.roll(picture, 4 * max(k - 5, 0), axis=0)))


def test_the_last_that_is_seen_of_a_hand_is_no_motion_of_a_disc():
    bare, eye = cv2.resize(painted([], False), (LENS.size, LENS.size), interpolation=cv2.INTER_AREA), MotionEye(LENS)

    def seen(at, *patches, grey=30):
        picture = bare.copy()
        for mm, radius in patches:
            LENS.draw_disc(picture, mm, radius, grey)
        return eye.look(picture, at / 25)

    arm = [((20.0 * k, -30.0 * k), 40.0) for k in range(2, 14)]
    for at in range(5):
        seen(at)
    for at in range(5, 10):
        assert seen(at, *arm).hand_mm2 > 5000
    last = [seen(at, ((40.0, -60.0), 7.0), grey=80) for at in (10, 11)]
    assert all(s.movers for s in last) and last[-1].still_s > 0.05, "a fingertip that the arm's end leaves behind"
    assert seen(12, ((-150.0, 60.0), 15.0)).still_s == 0, "but a disc moves where there was no hand"

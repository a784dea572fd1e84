"""The board in the camera's eye: geometry that must invert, circles that must be found, pictures that must be
refused."""

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.adjust import Observations, Priors, adjust, move
from calibration.arcs import Ellipse, edge_pixels, find_ellipses
from calibration.boards import BUILT_IN, BoardModel
from calibration.camera import Array, Camera
from calibration.circle_edges import circle_edges
from calibration.drift import check_view
from calibration.hints import BoardHints, NoBoard
from calibration.polar import poses_of_circle
from calibration.sampling import build_pyramid
from calibration.scale import ASSUMED_SCALE, Scale
from calibration.solve import find_board, with_scale
from calibration.view import BoardView

SIZE = (960, 720)


def camera(
    tilt_deg: float, turn_deg: float = 20.0, focal: float = 900.0, k1: float = 0.0, away: float = 1100.0
) -> Camera:
    tilt, turn = np.radians(tilt_deg), np.radians(turn_deg)
    about_z = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    down = np.diag([1.0, -1.0, -1.0])
    about_x = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    rvec = cv2.Rodrigues(about_x @ down @ about_z)[0].ravel()
    K = np.array([[focal, 0, (SIZE[0] - 1) / 2], [0, focal, (SIZE[1] - 1) / 2], [0, 0, 1.0]])
    return Camera(K, np.array([k1, 0, 0, 0, 0.0]), rvec, np.array([15.0, -10.0, away]), *SIZE)


def draw(cam: Camera, board: BoardModel, line: tuple[int, int, int], wood: tuple[int, int, int]) -> np.ndarray:
    """A plain board drawn by asking every pixel where it lies: four samples a pixel, mild noise."""
    step = (np.arange(2) - 0.5) / 2
    total = np.zeros((SIZE[1], SIZE[0], 3))
    for dy in step:
        for dx in step:
            v, u = np.mgrid[0 : SIZE[1], 0 : SIZE[0]].astype(float)
            mm = cam.to_plane(np.column_stack([(u + dx).ravel(), (v + dy).ravel()]))
            r = np.hypot(mm[:, 0], mm[:, 1]).reshape(SIZE[1], SIZE[0])
            picture = np.full((SIZE[1], SIZE[0], 3), (120, 130, 120), float)
            picture[r < board.shooting * 1.25] = (50, 60, 90)
            picture[r < board.shooting * 1.083] = wood
            for radius in board.radii:
                picture[np.abs(r - radius) < 1.2] = line
            picture[r < board.shooting * 0.057] = (40, 40, 60)
            total += picture / 4
    noise = np.random.default_rng(7).normal(0, 2, total.shape)
    return np.clip(total + noise, 0, 255).astype(np.uint8)


def circle_error(view: BoardView, true: Camera, board: BoardModel) -> float:
    """Largest distance in mm of the solved shooting line from the true one."""
    mm = true.to_plane(view.circle_px(view.board.shooting))
    return float(np.abs(np.hypot(mm[:, 0], mm[:, 1]) - board.shooting).max())


FAMILY = BUILT_IN["family"]


@pytest.mark.parametrize("inside", [(200, 225, 240), (40, 30, 140)])
def test_a_line_beside_a_filled_ring_is_found_by_its_ink(inside: tuple[int, int, int]) -> None:
    cam = camera(30.0, focal=400.0)  # a third of a pixel a mm: the ridge filter is wider than the line
    board = BUILT_IN["nca"]
    picture = draw(cam, board, (60, 60, 70), (50, 70, 90))
    v, u = np.mgrid[0 : SIZE[1], 0 : SIZE[0]].astype(float)
    mm = cam.to_plane(np.column_stack([u.ravel(), v.ravel()]))
    r = np.hypot(mm[:, 0], mm[:, 1]).reshape(SIZE[1], SIZE[0])
    picture[(r < board.ten - 1.2) & (r > board.fifteen + 1.2)] = inside
    edges = circle_edges(build_pyramid(picture), cam, board.ten + 1.0, "ridge", 5.5, 120, 2.3)
    assert edges.coverage > 0.8
    assert float(np.median(edges.offsets)) == pytest.approx(-1.0, abs=0.3)


@settings(max_examples=40, deadline=None)
@given(
    tilt=st.floats(0, 60), turn=st.floats(0, 360), k1=st.floats(-0.2, 0.1), z=st.floats(0, 20),
    seed=st.integers(0, 2**16),
)  # fmt: skip
def test_rays_invert_projection(tilt: float, turn: float, k1: float, z: float, seed: int) -> None:
    cam = camera(tilt, turn, k1=k1)
    mm = np.random.default_rng(seed).uniform(-250, 250, (20, 2))
    px = cam.project(np.column_stack([mm, np.full(20, z)]))
    assert np.abs(cam.to_plane(px, z) - mm).max() < 1e-3


def test_projection_is_opencvs() -> None:
    cam = camera(33, k1=-0.2)
    points = np.random.default_rng(1).uniform(-300, 300, (50, 3))
    theirs = cv2.projectPoints(points.reshape(-1, 1, 3), cam.rvec, cam.tvec, cam.K, cam.dist)[0].reshape(-1, 2)
    assert np.abs(theirs - cam.project(points)).max() < 1e-9


@settings(max_examples=30, deadline=None)
@given(tilt=st.floats(2, 60), turn=st.floats(0, 360))
def test_one_of_the_two_poses_of_a_circle_is_the_true_one(tilt: float, turn: float) -> None:
    cam = camera(tilt, turn)
    t = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    px = cam.project(300 * np.column_stack([np.cos(t), np.sin(t), 0 * t])).astype(np.float32)
    (cx, cy), (d1, d2), deg = cv2.fitEllipseDirect(px)
    big = d1 >= d2
    e = Ellipse(cx, cy, max(d1, d2) / 2, min(d1, d2) / 2, np.radians(deg if big else deg + 90))
    poses = poses_of_circle(e, 1.0, 900.0, *SIZE)
    centre = cam.project(np.zeros((1, 3)))[0]
    assert min(np.hypot(*(p.project(np.zeros((1, 3)))[0] - centre)) for p in poses) < 0.3


def test_adjustment_recovers_a_camera_from_exact_edges() -> None:
    true = camera(35, focal=950, k1=-0.05)
    radii = np.array([101.6, 203.2, 304.8])
    t = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    px, circle = [], []
    for k, r in enumerate(radii):
        px.append(true.project(r * np.column_stack([np.cos(t), np.sin(t), 0 * t])))
        circle.append(np.full(90, k))
    n = 3 * 90
    obs = Observations(np.concatenate(px), np.concatenate(circle), np.full(n, 0.9), np.ones(n))
    start = move(true, np.array([0.02, -0.02, 0.004, 0.003, 0.02, 0.05, 0.05, 0, 0, 0]))
    off = radii + np.array([1.0, -1.0, 0.0])
    fit = adjust(start, off, obs, Priors(np.log(950), 0.3, off, np.array([np.inf, np.inf, 0.0]), k1_sigma=0.1))
    assert fit.rms_px < 1e-3
    assert np.abs(fit.radii - radii).max() < 0.05
    assert abs(fit.camera.K[0, 0] / 950 - 1) < 0.01
    assert fit.covariance.shape == (len(fit.free),) * 2


def test_circles_without_a_held_radius_are_refused() -> None:
    radii = np.array([101.6, 203.2, 304.8])
    obs = Observations(np.zeros((3, 2)), np.arange(3), np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match="no circle's radius is held"):
        adjust(camera(35), radii, obs, Priors(np.log(950), 0.3, radii, np.full(3, np.inf)))


BOARDS = [
    pytest.param(12, 0.0, BUILT_IN["nca"], (25, 25, 30), (150, 190, 220), id="nca-dark-lines"),
    pytest.param(48, -0.05, BUILT_IN["nca"], (30, 40, 160), (210, 215, 220), id="oblique-red-lines"),
    pytest.param(25, 0.0, FAMILY, (60, 130, 230), (110, 60, 30), id="family-orange-on-blue"),
    pytest.param(0, 0.0, FAMILY, (235, 240, 240), (40, 45, 50), id="straight-above-white-on-dark"),
]


@pytest.mark.parametrize(("tilt", "k1", "board", "line", "wood"), BOARDS)
def test_board_is_found_and_solved(
    tilt: float, k1: float, board: BoardModel, line: tuple[int, int, int], wood: tuple[int, int, int]
) -> None:
    cam = camera(tilt, k1=k1)
    view = find_board(draw(cam, board, line, wood))
    assert isinstance(view, BoardView), view
    assert circle_error(view, cam, board) < 0.6
    assert view.board.ten / view.board.shooting == pytest.approx(board.ten / board.shooting, abs=0.004)
    assert view.board.fifteen / view.board.shooting == pytest.approx(board.fifteen / board.shooting, abs=0.004)
    assert view.scale.source == ("nca" if board.name == "nca" else "assumed")
    assert view.residual_px < 0.5


def test_hints_give_the_scale_in_their_order() -> None:
    cam = camera(20)
    picture = draw(cam, FAMILY, (20, 20, 20), (160, 190, 220))
    by_line = find_board(picture, BoardHints(shooting_mm=280.0, disc_mm=30.0))
    by_name = find_board(picture, BoardHints(board=FAMILY, shooting_mm=280.0))
    by_disc = find_board(picture, BoardHints(disc_mm=30.0))
    assert isinstance(by_line, BoardView) and by_line.board.shooting == pytest.approx(280.0)
    assert isinstance(by_name, BoardView) and by_name.board.shooting == pytest.approx(FAMILY.shooting)
    assert isinstance(by_disc, BoardView) and not by_disc.scale.known
    assert [v.scale.source for v in (by_line, by_name, by_disc)] == ["shooting_line", "board", "assumed"]


def test_a_board_file_gives_what_the_picture_does_not_show() -> None:
    given = BoardModel("Duncan's discs", 609.6, 440.0, 208.0, 17.5, (5.0, 4.0, 3.0), 660.0, 15.5, 9.0)
    bare = BoardView(camera(20), BoardModel("measured", 304.8, 219.5, 103.5), ASSUMED_SCALE, 0.1)
    view = with_scale(bare, {}, BoardHints(board=given))
    assert view.board == replace(given, ten=439.0, fifteen=207.0)
    # the name has "nca" in it, which means nothing
    assert view.scale == Scale("board", False, "board Duncan's discs") and not view.tournament
    whole = replace(bare, board=replace(bare.board, hole=8.0, surface=331.0))
    assert with_scale(whole, {}, BoardHints(board=given)).board == replace(view.board, hole=16.0, surface=662.0)
    assert with_scale(bare, {}, BoardHints(board=BUILT_IN["nca"])).tournament


@pytest.mark.parametrize("known", [{"board": BUILT_IN["family"]}, {"shooting_mm": 310.0}])
def test_a_diameter_beside_the_board_is_that_of_its_discs(known: dict[str, Any]) -> None:
    bare = BoardView(camera(20), BoardModel("measured", 304.8, 219.5, 103.5), ASSUMED_SCALE, 0.1)
    without, given = (with_scale(bare, {}, BoardHints(**known, disc_mm=mm)) for mm in (None, 28.0))
    assert not without.board.disc_given
    assert given.board == replace(without.board, disc_radius=14.0, disc_given=True)


def test_a_board_partly_outside_the_frame_is_solved_and_said() -> None:
    cam = camera(15)
    moved = Camera(cam.K, cam.dist, cam.rvec, cam.tvec + np.array([380.0, 90.0, 0.0]), *SIZE)
    view = find_board(draw(moved, BUILT_IN["nca"], (20, 20, 20), (160, 190, 220)))
    assert isinstance(view, BoardView), view
    assert circle_error(view, moved, BUILT_IN["nca"]) < 1.5
    assert any("outside the picture" in w for w in view.warnings)


def noise() -> np.ndarray:
    return np.random.default_rng(3).integers(0, 255, (480, 640, 3)).astype(np.uint8)


def target() -> np.ndarray:
    """Rings at equal steps: circles, but nobody's board."""
    picture = np.full((600, 800, 3), 230, np.uint8)
    for k in range(8, 0, -1):
        cv2.circle(picture, (400, 300), 32 * k, (30, 30, 200) if k % 2 else (240, 240, 240), -1, cv2.LINE_AA)
    return picture


REFUSED = {
    "blank": lambda: np.full((480, 640, 3), 128, np.uint8),
    "noise": noise,
    "target": target,
    "tiny": lambda: np.full((8, 8, 3), 10, np.uint8),
    "a strip": lambda: noise()[:20].repeat(30, 1),
    "a row of pixels": lambda: noise()[:1].repeat(3, 1),
    "a column of pixels": lambda: noise()[:, :2].repeat(3, 0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_pictures_without_a_board_are_refused(name: str) -> None:
    answer = find_board(REFUSED[name]())
    assert isinstance(answer, NoBoard)
    assert answer.code in ("no_board", "board_unsure")
    assert answer.reason


def test_a_moved_camera_is_noticed() -> None:
    cam = camera(20)
    picture = draw(cam, BUILT_IN["nca"], (20, 20, 20), (160, 190, 220))
    view = find_board(picture)
    assert isinstance(view, BoardView)
    assert check_view(picture, view).ok
    shifted = cv2.warpAffine(picture, np.array([[1.0, 0, 3], [0, 1, 0]]), SIZE, borderMode=cv2.BORDER_REPLICATE)
    assert check_view(shifted, view).fault == "moved"
    assert check_view(np.full_like(picture, 90), view).fault == "nothing_there"


def test_scaling_a_view_moves_nothing_in_the_picture() -> None:
    cam = camera(30)
    view = BoardView(cam, FAMILY, ASSUMED_SCALE, 0.1)
    scaled = view.scaled(0.9, Scale("disc", detail="disc diameter 28.6 mm"))
    there: Array = scaled.circle_px(scaled.board.shooting)
    assert np.abs(there - view.circle_px(view.board.shooting)).max() < 1e-6
    assert scaled.scale.known and scaled.board.disc_radius == FAMILY.disc_radius


def test_a_resized_view_sees_the_same_places() -> None:
    view = BoardView(replace(camera(30, k1=0.05), sigma={"focal_px": 8.0, "tilt_deg": 1.0}), FAMILY, ASSUMED_SCALE, 0.4)
    small = view.resized(0.5, 0.25, SIZE[0] // 2, SIZE[1] // 4)
    picture_of = (view.circle_px(200.0) + 0.5) * [0.5, 0.25] - 0.5
    assert np.abs(small.circle_px(200.0) - picture_of).max() < 1e-9
    assert (small.camera.width, small.camera.height) == (SIZE[0] // 2, SIZE[1] // 4)
    assert small.camera.sigma == pytest.approx({"focal_px": 8.0 * 0.125**0.5, "tilt_deg": 1.0})
    assert small.residual_px == pytest.approx(0.4 * 0.125**0.5)


def test_ellipses_survive_planks() -> None:
    picture = np.full((500, 700, 3), 180, np.uint8)
    for y in range(0, 500, 60):
        cv2.line(picture, (0, y), (700, y + 8), (90, 90, 90), 2)
    cv2.ellipse(picture, (350, 250), (160, 110), 15, 0, 360, (40, 40, 120), -1, cv2.LINE_AA)
    best = next(find_ellipses(edge_pixels(picture)))
    assert (best.a, best.b) == pytest.approx((160, 110), abs=2.0)

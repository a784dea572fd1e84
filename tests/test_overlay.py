"""The drawing lies where the reading says, at every size, and never touches the picture it was made from."""

import numpy as np
import pytest

from calibration.view import BoardView
from tests.views import view_from_above
from vision import overlay
from vision.overlay import LINE_COLOUR, Caption
from vision.readings import Disc, LineContact


def view_of(width: int, height: int, tilt_deg: float) -> BoardView:
    return view_from_above(width, height, focal=1.1 * width, away=1500.0, tilt_deg=tilt_deg)


def disc(view: BoardView, x: float, y: float) -> Disc:
    px = view.to_px(np.array([[x, y]]), view.board.disc_height)[0]
    near = LineContact("10/5", 0.12, 0.1, 0.1, "too_close", -31.0)
    return Disc(3, "black", (px[0], px[1]), (x, y), 0.1, "board", 1.0, 1.0, lines=(near,), values=((10, 0.9), (5, 0.1)))


@pytest.mark.parametrize(("width", "height"), [(640, 480), (1920, 1080), (4000, 3000), (720, 1280)])
def test_lines_are_drawn_where_they_are_solved(width: int, height: int) -> None:
    view = view_of(width, height, 35)
    image = np.full((height, width, 3), 90, np.uint8)
    drawn = overlay.draw(image, view, [disc(view, 150, 80)], Caption([("black", "10")], ["a line of text"]))
    assert (image == 90).all()
    factor = drawn.shape[1] / width
    top = drawn.shape[0] - round(height * factor)
    assert 0 < top < 0.4 * drawn.shape[0]
    assert max(drawn.shape[1], drawn.shape[0] - top) >= 1600
    at = (view.circle_px(view.board.inner_edges[2], count=90) + 0.5) * factor - 0.5 + (0, top)
    inside = (at > 3).all(1) & (at < (drawn.shape[1] - 4, drawn.shape[0] - 4)).all(1)
    cyan = np.abs(drawn.astype(int) - np.array(LINE_COLOUR)).sum(2) < 160
    hits = [cyan[round(y) - 2 : round(y) + 3, round(x) - 2 : round(x) + 3].any() for x, y in at[inside]]
    assert np.mean(hits) > 0.97


def test_the_base_is_outlined_and_not_the_top() -> None:
    view = view_of(1920, 1080, 50)
    one = disc(view, 0, 100)
    base = overlay.base_outline(view, one)
    assert np.hypot(*(view.to_mm(base) - one.mm).T) == pytest.approx(view.board.disc_radius, abs=1e-6)
    assert base.mean(0)[1] > one.px[1]  # nearer to the camera than the face, which is raised


def test_rectified_board_is_round_and_upright() -> None:
    view = view_of(1920, 1080, 40)
    image = np.zeros((1080, 1920, 3), np.uint8)
    far = view.to_px(np.array([[0.0, 250.0]]))[0].round().astype(int)
    image[far[1] - 4 : far[1] + 5, far[0] - 4 : far[0] + 5] = 255
    out = overlay.rectified(image, view)
    y, x = np.argwhere(out[..., 0] > 128).mean(0)
    half = out.shape[0] / 2
    mm = overlay.BOARD_MARGIN * 330.2
    assert (x - half) / half * mm == pytest.approx(0, abs=3)
    assert (half - y) / half * mm == pytest.approx(250, abs=3)


def test_no_discs_and_long_captions() -> None:
    view = view_of(800, 600, 5)
    words = "a very long line of text that has to be broken " * 8
    drawn = overlay.draw(np.zeros((600, 800, 3), np.uint8), view, [], Caption([], [words]))
    assert drawn.shape[0] > 1200

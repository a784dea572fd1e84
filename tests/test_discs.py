"""Discs: the canonical frame, the worth of places, sides by colour, and whole scenes with known truth."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.boards import BoardModel
from calibration.camera import Camera
from calibration.scale import Scale
from calibration.solve import find_board
from calibration.view import BoardView
from vision import disc_odds
from vision.disc_canonical import SHOOTING, SIZE, canonical_picture, frame_of, guide_channels
from vision.disc_colours import colour_chances, sides_of, words_for
from vision.disc_looks import LISTED, grounded, joint_radius, look, of_one_size
from vision.disc_net import PATCH, STATES, Candidate, apart, candidates_in, patch_at
from vision.disc_values import p_touching, plain_contacts, valued, verdict_of
from vision.discs import MAYBE, read_discs
from vision.frames import load_picture
from vision.readings import Disc, DiscsSeen

SAMPLES = Path(__file__).parents[1] / "sample_images"
BOARD = BoardModel("test", 304.8, 203.2, 101.6, 17.45, surface=330.2)
RADIUS = 15.875
WITHIN = 0.9
"""A disc is found where its face's centre lies within this share of its radius."""


def oblique_view(scale: float = 1.0) -> BoardView:
    """Return a camera 45 degrees over a board, seen from one side."""
    eye = np.array([500.0, -300.0, 700.0]) * scale
    back = eye / np.linalg.norm(eye)
    x = np.cross([0.0, 0.0, 1.0], back)
    x /= np.linalg.norm(x)
    R = np.stack([x, -np.cross(back, x), -back])
    K = np.array([[1200.0, 0, 639.5], [0, 1200.0, 359.5], [0, 0, 1]])
    camera = Camera(K, np.zeros(5), cv2.Rodrigues(R)[0].ravel(), -R @ eye, 1280, 720)
    return BoardView(camera, BOARD.scaled(scale), Scale("board", detail="test"), 0.0)


def disc(x: float, y: float, **fields: object) -> Disc:
    made = Disc(1, "black", (0.0, 0.0), (x, y), 0.1, "board", 1.0, 1.0)
    return replace(made, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("scale", [1.0, 1.3])
def test_canonical_frame_and_back(scale: float) -> None:
    view = oblique_view(scale)
    frame = frame_of(view)
    mm = np.random.default_rng(3).uniform(-300, 300, (50, 2)) * scale
    px = frame.from_board(mm)
    assert np.allclose(frame.to_board(px), mm)
    assert np.allclose(frame.from_board(np.zeros((1, 2))), (SIZE - 1) / 2)
    foot = frame.from_board(view.camera.centre[None, :2])[0]
    assert foot[0] == pytest.approx((SIZE - 1) / 2)
    assert foot[1] > SIZE / 2, "the camera is at the bottom"
    assert frame.height == pytest.approx(700.0)


def test_canonical_picture_shows_what_lies_where_the_frame_says() -> None:
    view = oblique_view()
    image = np.full((720, 1280, 3), 40, np.uint8)
    place = np.array([[120.0, 60.0]])
    rim = place + 12 * np.array([(math.cos(a), math.sin(a)) for a in np.linspace(0, 2 * np.pi, 40)])
    cv2.fillPoly(image, [np.round(view.to_px(rim)).astype(np.int32)], (250, 250, 250))
    frame = frame_of(view)
    seen = canonical_picture(image, view, frame)[..., 0] > 150
    rows, cols = np.nonzero(seen)
    assert np.hypot(*(np.array([cols.mean(), rows.mean()]) - frame.from_board(place)[0])) < 0.7


def test_guide_channels() -> None:
    radius, tangent = guide_channels((0.0, -500.0), 700.0)
    assert radius[SIZE // 2, SIZE // 2] == pytest.approx(0, abs=0.01)
    assert radius.max() == pytest.approx(400 * math.sqrt(2) / SHOOTING, rel=0.01)
    assert tangent[0].mean() > tangent[-1].mean(), "the far edge is seen more obliquely"


@pytest.mark.parametrize(
    ("x", "value"),
    [(30, 15), (80, 15), (84, 15), (85.5, 10), (150, 10), (186, 10), (187, 5), (287.5, 5), (289, 0), (320, 0)],
)
def test_value_follows_from_the_outermost_reach(x: float, value: int) -> None:
    lines = plain_contacts((x, 0.0), 0.1, RADIUS, 0.05, BOARD)
    seen = valued(disc(x, 0.0, lines=lines), RADIUS, BOARD)
    assert seen.value == value
    assert sum(p for _, p in seen.values) == pytest.approx(1.0, abs=1e-3)


def test_a_disc_on_the_edge_of_a_line_is_open() -> None:
    x = BOARD.inner_edges[1] - RADIUS
    lines = plain_contacts((x, 0.0), 0.3, RADIUS, 0.05, BOARD)
    seen = valued(disc(x, 0.0, lines=lines), RADIUS, BOARD)
    assert {v for v, _ in seen.values} == {10, 5}
    assert dict(seen.values)[5] == pytest.approx(0.5, abs=1e-6)
    assert any("10/5" in d.words for d in seen.why)
    assert lines[0].verdict == "too_close"


@pytest.mark.parametrize(
    ("states", "value", "count"),
    [
        ((("hole", 1.0),), 20, 1),
        ((("leaning", 1.0),), 15, 1),
        ((("ditch", 1.0),), 0, 1),
        ((("hole", 0.7), ("leaning", 0.3)), 20, 2),
        ((("leaning", 0.6), ("board", 0.4)), 15, 1),
    ],
)
def test_value_follows_from_the_state(states: tuple[tuple[str, float], ...], value: int, count: int) -> None:
    seen = valued(disc(2.0, 0.0, state=states[0][0], states=states), RADIUS, BOARD)
    assert seen.value == value
    assert len(seen.values) == count


def test_probabilities_and_verdicts() -> None:
    assert p_touching(0.0, 0.1) == pytest.approx(0.5)
    assert p_touching(0.1645, 0.1) == pytest.approx(0.05, abs=1e-3)
    assert verdict_of(p_touching(0.17, 0.1)) == "clear"
    assert verdict_of(p_touching(-0.17, 0.1)) == "touching"
    assert verdict_of(p_touching(0.1, 0.1)) == "too_close"


@pytest.mark.parametrize(
    ("sides", "words"),
    [
        (((20, 0, 0), (75, 6, 26)), {"black", "natural"}),
        (((20, 0, 0), (42, 55, 35)), {"black", "red"}),
        (((40, 8, -42), (85, 0, 2), (62, 42, 55)), {"blue", "white", "orange"}),
        (((70, 8, 28),), {"natural"}),
    ],
)
def test_sides_by_colour(sides: tuple[tuple[float, float, float], ...], words: set[str]) -> None:
    rng = np.random.default_rng(1)
    true = np.repeat(np.arange(len(sides)), 8)
    lab = np.array(sides, float)[true] + rng.normal(0, (5, 1.5, 2), (len(true), 3))
    group, unsure = sides_of(lab, np.ones(len(lab)), np.ones(len(lab)))
    assert not unsure.any()
    assert len({(int(a), int(b)) for a, b in zip(group, true, strict=True)}) == len(sides)
    middles = np.array([np.median(lab[group == k], axis=0) for k in range(len(sides))])
    assert set(words_for(middles)) == words


def test_one_disc_and_none_have_a_side_too() -> None:
    assert list(sides_of(np.array([[50.0, 0, 0]]), np.ones(1), np.ones(1))[0]) == [0]
    # a chain of shades leads from the lightest face to the darkest: it may be one side in half shade
    chain = np.array([[90 - 6 * k, 6, 20] for k in range(12)], float)
    assert sides_of(chain, np.ones(12), np.ones(12))[1].all()
    assert list(sides_of(np.zeros((0, 3)), np.ones(0), np.ones(0))[0]) == []


def test_two_groups_that_hardly_differ_are_two_sides_with_doubt() -> None:
    lab = np.array([[20, 0, 0], [22, 1, 0], [25, 11, 7], [26, 12, 8]], float)
    group, unsure = sides_of(lab, np.ones(4), np.ones(4))
    assert unsure.all() and list(group == group[0]) == [True, True, False, False]


def test_one_side_that_spans_too_much_may_be_two() -> None:
    lab = np.array([[v, 2, 10] for v in (24, 40, 45, 49, 66, 74)], float)  # a chain: black and pale in soft shade
    group, unsure = sides_of(lab, np.ones(6), np.ones(6))
    assert unsure.all() and len(set(group)) == 2


GLOSSY = np.array([[99, -7, 21], [99, -4, 13], [73, 4, -7], [59, 18, 28], [64, 8, -1], [52, 15, 18]], float)
"""Pale discs, and dark wood of which two mirror a window."""
GRAIN_OF_WOOD = np.array([0.2, 0.3, 4.0, 5.6, 4.0, 5.0])


def test_gloss_that_looks_like_neither_side_belongs_to_that_of_its_texture() -> None:
    group, unsure = sides_of(GLOSSY, GRAIN_OF_WOOD, np.ones(6))
    assert not unsure.any() and list(group == group[0]) == [True, True, False, False, False, False]


def test_gloss_that_may_be_of_either_side_is_open_and_the_others_are_not() -> None:
    _, unsure = sides_of(GLOSSY[[0, 1, 2, 3, 5]], np.ones(5), np.ones(5))
    assert list(unsure) == [False, False, True, False, False]


def test_a_face_half_in_shadow_is_not_told_by_its_texture() -> None:
    lab = np.array([[40, 9, 10]] * 5 + [[75, 8, 27]] * 4 + [[57, 9, 12]] * 2, float)
    lab[:, 0] += np.tile([-1.5, 1.5], 6)[:11]
    rough = np.array([2.7] * 5 + [2.0] * 4 + [29.0] * 2)
    group, _ = sides_of(lab, rough, np.ones(11))
    assert list(group == group[0]) == [True] * 5 + [False] * 4 + [True] * 2


@pytest.mark.parametrize(
    ("middle", "lies", "state"),
    [(300.0, 0.0, "board"), (322.0, 0.0, "board"), (352.0, -12.0, "ditch"), (330.0, 0.0, "ditch")],
)
@pytest.mark.parametrize("bearing", [0.5, 2.6, 4.1])
def test_a_disc_that_could_not_have_fallen_off_lies_on_the_surface(
    middle: float, lies: float, state: str, bearing: float
) -> None:
    view = oblique_view()
    frame, at = frame_of(view), middle * np.array([np.cos(bearing), np.sin(bearing)])
    # what looks as though it lay in the ditch is placed by its upper face
    face = view.to_mm(view.to_px(at[None], lies + view.board.disc_height))
    (found,), places = grounded(view, frame, [Candidate((0.0, 0.0), 10.0, (0.0, 0.0, 0.0, 0.9))], face)
    assert STATES[int(np.argmax(found.chances))] == state
    assert found.chance == pytest.approx(0.9)
    if state == "board":
        assert places[0] == pytest.approx(at, abs=0.1)
        assert frame.to_board(np.array([found.xy]))[0] == pytest.approx(at, abs=0.1)


@pytest.mark.parametrize(
    ("proposed", "sharp", "soft", "open_"), [(0.8, -4, 4, True), (0.8, -4, -4, False), (0.3, -4, 4, False)]
)
def test_a_disc_that_only_a_smoothed_picture_shows_stays_open(
    monkeypatch: pytest.MonkeyPatch, proposed: float, sharp: float, soft: float, open_: bool
) -> None:
    picture = np.zeros((720, 1280, 3), np.uint8)
    picture[::2] = 255

    def witnesses(image: np.ndarray, view: BoardView, candidates: list[Candidate], *_: object) -> tuple:
        says = sharp if np.array_equal(image, picture) else soft
        seen = np.zeros((len(candidates), len(disc_odds.WEIGHTS)))
        seen[:, 1] = says / disc_odds.WEIGHTS[1]
        return seen, np.zeros((len(candidates), 2))

    monkeypatch.setattr(disc_odds, "witnesses", witnesses)
    candidate = Candidate((300.0, 250.0), 10.0, (proposed, 0.0, 0.0, 0.0))
    (found,), _ = disc_odds.weighed(picture, oblique_view(), [candidate], np.array([[70.0, 10.0]]), RADIUS)
    assert (MAYBE < found.chance < LISTED) == open_
    assert open_ or found.chance < MAYBE


@pytest.mark.parametrize(("size", "likely"), [(10.0, True), (10.5, True), (9.0, False), (12.0, False)])
def test_what_is_of_another_size_than_the_discs_is_hardly_one(size: float, likely: bool) -> None:
    discs = [Candidate((20.0 * k, 9.0), 10.0 + 0.1 * k, (0.97, 0.0, 0.0, 0.0)) for k in (-1, 0, 1, 2)]
    other = Candidate((200.0, 200.0), size, (0.9, 0.0, 0.0, 0.0))
    found = of_one_size([*discs, other], [*discs, other], [*discs, other])
    assert all(c.chance > 0.96 for c in found[:-1])
    assert (found[-1].chance > 0.85) if likely else (found[-1].chance < LISTED)
    # two tell nothing of each other
    assert of_one_size([discs[0], other], [discs[0], other], [discs[0], other]) == [discs[0], other]


def test_discs_half_believed_say_more_of_the_size_than_one_in_the_hole() -> None:
    large = [Candidate((20.0 * k, 9.0), 14.0 + 0.1 * k, (0.4, 0.0, 0.0, 0.0)) for k in range(5)]
    central = Candidate((255.5, 255.5), 10.0, (0.0, 0.7, 0.2, 0.0))
    joint = joint_radius([central, *large])
    assert joint is not None and joint[0] == pytest.approx(14.2)
    assert joint_radius([central]) == (10.0, pytest.approx(10 * math.hypot(0.035, 0.01)))
    assert joint_radius([Candidate((9.0, 9.0), 10.0, (0.2, 0.0, 0.0, 0.0))]) is None
    shade = [Candidate((30.0 * k, 9.0), 12.6, (0.0, 0.0, 0.0, 0.6)) for k in range(4)]
    assert joint_radius([central, *shade]) == joint_radius([central])


def test_discs_large_for_their_board_are_found() -> None:
    frame = load_picture(SAMPLES / "01_from_above.jpg")
    view = find_board(frame.pixels)
    assert isinstance(view, BoardView)
    usual = read_discs(frame.pixels, view)
    small = replace(view.board, shooting=0.7 * view.board.shooting, surface=None)
    seen = read_discs(frame.pixels, replace(view, board=small))
    inner = [d for d in usual.discs if math.hypot(*d.mm) < small.shooting]
    assert len(inner) >= 5
    assert all(min(math.dist(d.mm, other.mm) for other in seen.discs) < 3.0 for d in inner)
    assert seen.disc_radius_mm == pytest.approx(usual.disc_radius_mm, rel=0.03)


def test_large_discs_that_come_to_an_empty_board_are_found_like_any() -> None:
    frame = load_picture(SAMPLES / "01_from_above.jpg")
    solved = find_board(frame.pixels)
    assert isinstance(solved, BoardView)
    view = replace(solved, board=replace(solved.board, shooting=0.7 * solved.board.shooting, surface=None))
    bare = frame.pixels.copy()
    for d in read_discs(frame.pixels, solved).discs:  # painted over with what lies beside
        x, y = (round(v) for v in d.px)
        bare[y - 25 : y + 26, x - 25 : x + 26] = np.median(
            bare[y - 25 : y + 26, x - 25 : x + 26].reshape(-1, 3), axis=0
        )
    alone, later = look(frame.pixels, view), look(frame.pixels, view, look(bare, view))
    assert len(later.weighed) == len(alone.weighed)
    assert later.radius[0] == pytest.approx(alone.radius[0], rel=0.02)


def test_like_sides_get_different_words() -> None:
    assert len(set(words_for(np.array([[70.0, 8, 28], [52.0, 10, 26], [60.0, 8, 24]])))) == 3


def test_nothing_is_read_from_an_even_picture() -> None:
    seen = read_discs(np.full((720, 1280, 3), 128, np.uint8), oblique_view())
    assert isinstance(seen, DiscsSeen)
    assert seen.discs == ()


def load(path: Path) -> tuple[np.ndarray, BoardView, dict]:  # type: ignore[type-arg]
    t = json.loads(path.read_text())
    lines = {line["name"]: line for line in t["board"]["lines"]}
    widths = tuple(lines[n]["outer_edge"] - lines[n]["inner_edge"] for n in ("15/10", "10/5", "shooting"))
    board = BoardModel(
        "scene", lines["shooting"]["nominal_radius"], lines["10/5"]["nominal_radius"], lines["15/10"]["nominal_radius"],
        t["board"]["hole"]["diameter"] / 2, widths, t["board"]["surface_radius"],  # type: ignore[arg-type]
    )  # fmt: skip
    K, dist, rvec, tvec = (np.array(t[k], float) for k in ("K", "dist", "rvec", "tvec"))
    camera = Camera(K, dist, rvec, tvec, t["width"], t["height"])
    return cv2.imread(str(path.with_name(t["image"]))), BoardView(camera, board, Scale("board", detail="scene"), 0.0), t


@pytest.mark.parametrize(
    "name", ["crokinole/c003.json", "crokinole/c024.json", "crokinole/c039.json", "crokinole_variants/v021.json"]
)
def test_whole_scenes(name: str, shared_file: Callable[[str], Path]) -> None:
    image, view, truth = load(shared_file(f"scenes/{name}"))
    seen = read_discs(image, view)
    wanted = [d for d in truth["discs"] if d["state"] in ("board", "hole", "leaning") and d["in_frame"]]
    found = [d for d in seen.discs if d.state != "ditch"]
    assert len(found) == len(wanted)
    pairs = []
    for d in wanted:
        radius = d["diameter"] / 2 * view.px_per_mm(np.array(d["centre_mm"][:2]))
        near = min(found, key=lambda f, d=d: math.dist(f.px, d["top_centre_px"]))  # type: ignore[misc]
        assert math.dist(near.px, d["top_centre_px"]) < WITHIN * radius
        assert (near.state == "hole") == (d["state"] == "hole")
        pairs.append((near.colour, d["colour"]))
        if d["state"] == "board":
            assert math.dist(near.mm, d["centre_mm"][:2]) < 4.0
        if all(abs(g) > 4 for g in d["gap_mm"].values()):
            assert near.value == d["score"]
    assert len(set(pairs)) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    assert seen.disc_radius_mm == pytest.approx(truth["discs"][0]["diameter"] / 2, rel=0.05)


def test_same_picture_same_reading(shared_file: Callable[[str], Path]) -> None:
    image, view, _ = load(shared_file("scenes/crokinole/c003.json"))
    assert read_discs(image, view) == read_discs(image, view)


def test_candidates_are_apart_and_ranked(shared_file: Callable[[str], Path]) -> None:
    image, view, _ = load(shared_file("scenes/crokinole/c024.json"))
    frame = frame_of(view)
    found = candidates_in(canonical_picture(image, view, frame), frame)
    assert [c.chance for c in found] == sorted((c.chance for c in found), reverse=True)
    assert all(math.dist(a.xy, b.xy) > 5 for i, a in enumerate(found) for b in found[:i])
    assert all(sum(c.chances) <= 1 + 1e-9 for c in found)


def test_of_two_that_reach_into_each_other_the_more_probable_stays() -> None:
    flat, unlikely = (0.9, 0.0, 0.0, 0.0), (0.3, 0.0, 0.0, 0.0)
    pair = [Candidate((100.0, 100.0), 10.0, unlikely), Candidate((112.0, 100.0), 10.0, flat)]
    assert apart(pair, 1.5) == [pair[1]]
    assert len(apart(pair)) == 2
    below = Candidate((112.0, 100.0), 10.0, (0.0, 0.9, 0.0, 0.0))
    assert len(apart([pair[0], below], 1.5)) == 2, "a disc may overhang one that lies in the hole"


@pytest.mark.parametrize("at", [(256, 256), (3, 500), (511, 0)])
def test_patches_at_and_beyond_the_edge(at: tuple[int, int]) -> None:
    picture = np.full((SIZE, SIZE, 3), 200, np.uint8)
    picture[at[1], at[0]] = (0, 255, 0)
    patch = patch_at(picture, guide_channels((0.0, -500.0), 700.0), at)
    assert patch.shape == (5, PATCH, PATCH)
    assert list(patch[:3, PATCH // 2, PATCH // 2]) == [-1, 1, -1]


BLACK, NATURAL, WHITE = (27.0, 2.0, -4.0), (72.0, 8.0, 26.0), (85.0, -1.0, 1.0)


@pytest.mark.parametrize(
    ("face", "sides", "likeliest", "sure"),
    [
        ((30.0, 2.0, -3.0), (BLACK, WHITE), 0, True),
        ((57.0, 3.0, 1.0), (BLACK, WHITE), 0, False),  # half-way: a reflection on black, no shade on white
        ((57.0, 3.0, 1.0), (WHITE, BLACK), 1, False),
        ((80.0, 0.0, 1.0), (BLACK, WHITE), 1, True),
        ((55.0, 7.0, 16.0), (BLACK, NATURAL), 1, True),  # natural in the shade keeps its hue
    ],
)
def test_a_reflection_lightens_faces_and_never_darkens_them(
    face: tuple[float, float, float], sides: tuple[tuple[float, float, float], ...], likeliest: int, sure: bool
) -> None:
    middles = np.array(sides)
    group, chances = colour_chances(np.array([face]), middles, np.array([-1]))
    assert group[0] == likeliest
    assert bool(chances[0, likeliest] > 0.95) is sure

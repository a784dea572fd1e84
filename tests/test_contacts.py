"""Gaps: patches and geometry on drawn discs, decisions, honesty and accuracy on scenes with known truth."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.boards import BoardModel
from calibration.camera import Camera
from calibration.scale import NCA_SCALE, Scale
from calibration.view import BoardView
from vision.contact_net import MIRRORED, Offsets, load
from vision.contact_patch import ANGLES, CHANNELS, STEPS, Cylinders, camera_axes, parallax, patches, prepare
from vision.contact_shared import DETECTED_MIN_MM, RADIUS_PRIOR_MM, Shared, agreed, believed_first, radius_prior
from vision.contacts import measure, measure_after
from vision.disc_values import GUARD_SIGMAS, p_touching, verdict_of
from vision.line_edges import PROFILE_MM, PROFILE_STEP_MM, only_edges, painted_lines
from vision.line_net import LINES, PROFILES, Profiles, read_lines
from vision.readings import Disc

RADIUS, HEIGHT = 15.875, 9.5
BOARD = BoardModel("test", 304.8, 203.2, 101.6, 17.45, (2.0, 2.0, 2.0), 330.2)


def view_from(eye: tuple[float, float, float], focal: float = 900.0) -> BoardView:
    """Return a camera at ``eye`` (mm) that looks at the board's centre."""
    back = np.array(eye) / np.linalg.norm(eye)
    x = np.cross([0.3, 1.0, 0.0], back)
    x /= np.linalg.norm(x)
    R = np.stack([x, -np.cross(back, x), -back])
    K = np.array([[focal, 0, 399.5], [0, focal, 299.5], [0, 0, 1.0]])
    camera = Camera(K, np.zeros(5), cv2.Rodrigues(R)[0].ravel(), -R @ np.array(eye), 800, 600)
    return BoardView(camera, BOARD, NCA_SCALE, 0.1)


def drawn(view: BoardView, places: list[tuple[float, float]], wander: float = 0.0) -> NDArray[np.uint8]:
    """Draw light discs with darker walls on a grey board with dark lines, three times finer than it is returned."""
    k = 3
    h, w = view.camera.height, view.camera.width
    K, R, eye = view.camera.K, view.camera.rotation, view.camera.centre.astype(np.float32)
    u = (((np.arange(w * k) + 0.5) / k - 0.5 - K[0, 2]) / K[0, 0]).astype(np.float32)[None, :]
    v = (((np.arange(h * k) + 0.5) / k - 0.5 - K[1, 2]) / K[1, 1]).astype(np.float32)[:, None]
    ray = [np.float32(R[0, i]) * u + np.float32(R[1, i]) * v + np.float32(R[2, i]) for i in range(3)]
    slope = np.stack([ray[0] / ray[2], ray[1] / ray[2]], axis=-1)
    x, y = (eye[i] - slope[..., i] * eye[2] for i in range(2))
    rho = np.hypot(x, y)
    if wander:
        rho = rho - wander * np.cos(3 * np.arctan2(y, x))
    picture = np.full(rho.shape, 120, np.float32)
    for low, high in zip(BOARD.inner_edges, BOARD.outer_edges, strict=True):
        picture[(rho > low) & (rho < high)] = 30
    for place in places:
        beside = np.hypot(x - np.float32(place[0]), y - np.float32(place[1])) - RADIUS
        picture *= 1 - 0.4 * np.exp(-np.maximum(beside, 0) / 2.5)  # where a disc stands less light gets in
    for place in sorted(places, key=lambda p: -math.dist(p, eye[:2])):
        middle = (view.to_px(np.array([place]))[0] * k).astype(int)
        reach = 45 * k
        part = tuple(slice(max(m - reach, 0), m + reach) for m in middle[::-1])
        for z in np.linspace(0, HEIGHT, 12):
            at = eye[:2] + slope[part] * (z - eye[2]) - np.array(place, np.float32)
            picture[part][np.hypot(at[..., 0], at[..., 1]) < RADIUS] = 215 if z == HEIGHT else 150
    small = cv2.GaussianBlur(cv2.resize(picture, (w, h), interpolation=cv2.INTER_AREA), (0, 0), 0.5)
    return np.asarray(np.repeat(small[..., None], 3, axis=2).round(), dtype=np.uint8)


def disc(place: tuple[float, float], number: int = 1) -> Disc:
    """Return a disc as detection hands it over."""
    return Disc(number, "natural", (0.0, 0.0), place, 0.6, "board", 0.99, 0.99)


@pytest.mark.parametrize(
    ("gap", "sigma", "expected"),
    [
        (0.5, 0.1, "clear"),
        (-0.5, 0.1, "touching"),
        (0.1, 0.1, "too_close"),
        (-0.1, 0.1, "too_close"),
        (0.0, 0.1, "too_close"),
        (-60.0, 0.1, "touching"),
    ],
)
def test_verdict(gap: float, sigma: float, expected: str) -> None:
    assert verdict_of(p_touching(gap, sigma)) == expected


def test_guard_band_is_five_percent() -> None:
    assert 0.5 * math.erfc(GUARD_SIGMAS / math.sqrt(2)) == pytest.approx(0.05, abs=1e-4)


def test_patch_does_not_hang_on_the_turn_of_the_camera() -> None:
    views = [view_from((math.cos(a) * 600, math.sin(a) * 600, 900)) for a in (0.4, 2.0)]
    seen = []
    for a, view in zip((0.4, 2.0), views, strict=True):
        place = (200 * math.cos(a), 200 * math.sin(a))
        image = drawn(view, [place])
        solid = Cylinders(np.array([place]), np.array([RADIUS]), np.array([HEIGHT]))
        seen.append(patches(image, 1.0, view, solid, solid)[0])
    assert seen[0].shape == (CHANNELS, ANGLES, STEPS)
    assert np.abs(seen[0].astype(int) - seen[1]).mean() < 3


def test_a_nearer_disc_hides_and_is_masked() -> None:
    view = view_from((700, 0, 600))
    solid = Cylinders(np.array([[100.0, 0.0], [133.0, 0.0]]), np.full(2, RADIUS), np.full(2, HEIGHT))
    masks = patches(np.zeros((600, 800, 3), np.uint8), 1.0, view, solid, solid)[:, 6:8]
    assert masks[0, 1, 0].any()
    assert masks[0].mean() > masks[1].mean()


def test_large_pictures_are_reduced() -> None:
    view = view_from((0, 10, 700), focal=4000.0)
    small, factor = prepare(np.zeros((600, 800, 3), np.uint8), view, np.zeros((1, 2)))
    assert factor < 0.5
    assert small.shape[1] == round(800 * factor)


def test_same_answer_twice_and_for_a_mirror_image() -> None:
    view = view_from((300, -700, 800))
    patch = patches(
        drawn(view, [(150, 60)]),
        1.0,
        view,
        *[Cylinders(np.array([[151.0, 60.4]]), np.array([RADIUS]), np.array([HEIGHT]))] * 2,
    )
    net = load()
    first, again = net(patch, mirror=True), net(patch, mirror=True)
    assert np.array_equal(first.value, again.value)
    back = (-np.arange(ANGLES)) % ANGLES
    other = net(patch[:, :, back], mirror=True)
    assert other.value[0] == pytest.approx(first.value[0] * MIRRORED, abs=1e-4)


@pytest.mark.parametrize(("height", "shift"), [(0.0, (0.0, 0.0)), (-2.5, (0.0, 0.0)), (1.5, (0.3, -0.2))])
def test_all_discs_together_say_how_far_their_rims_lean(height: float, shift: tuple[float, float]) -> None:
    view = view_from((60.0, -40.0, 1100.0))
    rng = np.random.default_rng(5)
    places = rng.uniform(-200, 200, (14, 2))
    discs = Cylinders(places, np.full(14, RADIUS), np.full(14, HEIGHT))
    axes = np.stack(camera_axes(view, places), axis=1)
    lean = parallax(view, discs) * height + shift
    value = np.zeros((14, 5))
    value[:, 3:] = np.einsum("ni,nki->nk", lean, axes) + rng.normal(0, 0.02, (14, 2))
    value[0, 3:] += 1.5  # one that is taken for something else
    prior = Shared(RADIUS, HEIGHT, (0.0, 0.0), (0.12, 2.5, 0.25))
    found = agreed(view, discs, Offsets(value, np.full((14, 5), 0.03)), axes, prior)
    assert found.height == pytest.approx(HEIGHT + height, abs=0.4)
    assert found.shift == pytest.approx(shift, abs=0.05)
    assert found.radius == pytest.approx(RADIUS, abs=0.02)
    none = agreed(view, discs, Offsets(value, np.full((14, 5), 5.0)), axes, prior)
    assert none.height == pytest.approx(HEIGHT, abs=0.3)  # who sees nothing leaves what was believed first
    assert none.sigma[1] == pytest.approx(2.5, rel=0.1)


@pytest.mark.parametrize("eye", [(80.0, 40.0, 1100.0), (400.0, 300.0, 900.0), (-700.0, 200.0, 750.0)])
def test_drawn_discs_are_found_from_wrong_starts(eye: tuple[float, float, float]) -> None:
    view = view_from(eye)
    places = [(150.0, 110.0), (-60.0, 50.0), (20.0, -270.0), (-200.0, -80.0)]
    image = drawn(view, places)
    starts = [disc((x + 0.7, y - 0.8), i) for i, (x, y) in enumerate(places)]
    for true, found in zip(places, measure(image, view, starts), strict=True):
        away = math.dist(true, found.mm)
        assert away < 0.6
        assert away < 4 * found.sigma_mm


def test_what_lies_still_keeps_its_measures_and_the_rest_is_measured() -> None:
    view = view_from((400.0, 300.0, 900.0))
    still, gone, come = (150.0, 110.0), (-60.0, 50.0), (20.0, -270.0)
    starts = {p: (p[0] + 0.5, p[1] - 0.4) for p in (still, gone, come)}
    first, known = measure_after(None, drawn(view, [still, gone]), view, [disc(starts[still]), disc(starts[gone], 2)])
    assert known is not None
    picture = drawn(view, [(still[0] + 0.3, still[1]), come])
    second, after = measure_after(known, picture, view, [disc(starts[still]), disc(starts[come], 3)])
    assert (second[0].mm, second[0].sigma_mm, second[0].lines) == (first[0].mm, first[0].sigma_mm, first[0].lines)
    assert math.dist(second[1].mm, come) < 0.6
    assert after is not None
    assert set(after.discs) == {starts[still], starts[come]}
    other = replace(view, residual_px=0.2)
    anew, _ = measure_after(known, picture, other, [disc(starts[still])])
    assert anew[0].mm != first[0].mm, "another view: nothing is taken over"


def test_gaps_verdicts_and_parts() -> None:
    view = view_from((400.0, 300.0, 900.0))
    inner = BOARD.inner_edges[1]
    places = [(inner - RADIUS - gap, 0.0) for gap in (3.0,)] + [(0.0, inner - RADIUS + 3.0), (0.0, -250.0)]
    found = measure(drawn(view, places), view, [disc(p, i) for i, p in enumerate(places)])
    clear, touching, alone = found
    contact = next(c for c in clear.lines if c.line == "10/5")
    assert contact.verdict == "clear"
    assert contact.gap_mm == pytest.approx(3.0, abs=1.0)
    assert contact.p_touching < 0.05
    assert contact.sigma_mm == pytest.approx(math.sqrt(sum(v * v for _, v in contact.parts)))
    assert next(c for c in touching.lines if c.line == "10/5").verdict == "touching"
    assert alone.lines == ()
    reach = math.hypot(*clear.mm)
    assert contact.inner_gap_mm == pytest.approx(reach - RADIUS - BOARD.outer_edges[1], abs=0.5)


def test_beyond_a_line_is_touching() -> None:
    view = view_from((400.0, 300.0, 900.0))
    place = (BOARD.outer_edges[1] + RADIUS + 4.0, 0.0)
    found = measure(drawn(view, [place]), view, [disc(place)])[0]
    contact = next(c for c in found.lines if c.line == "10/5")
    assert contact.verdict == "touching"
    assert contact.gap_mm < -2 * RADIUS
    assert contact.inner_gap_mm == pytest.approx(4.0, abs=0.7)


def test_other_states_are_left_alone() -> None:
    view = view_from((400.0, 300.0, 900.0))
    image = drawn(view, [])
    others = [replace(disc((0.0, 0.0)), state="hole"), replace(disc((0.0, 340.0)), state="ditch")]
    assert measure(image, view, others) == tuple(others)
    assert measure(image, view, []) == ()


def test_a_hand_painted_line_is_followed_and_a_circle_is_left() -> None:
    view = view_from((300.0, 200.0, 1000.0))
    nothing = Cylinders(np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    bearing = np.linspace(-3, 3, 7)
    straight = painted_lines(drawn(view, []), 1.0, view, nothing)[1]
    assert np.abs(straight.shape.at(bearing)[0]).max() < 0.08
    wavy = painted_lines(drawn(view, [], wander=0.5), 1.0, view, nothing)[1]
    assert wavy.shape.at(bearing)[0] == pytest.approx(0.5 * np.cos(3 * bearing), abs=0.15)


@pytest.mark.parametrize(("width", "middle"), [(1.2, 0.1), (1.6, 0.0), (2.4, 0.3), (3.6, -0.4)])
def test_line_edges_from_blurred_profiles(width: float, middle: float) -> None:
    fine, offset = np.linspace(-8, 8, 3201), np.arange(-PROFILE_MM, PROFILE_MM + 1e-9, PROFILE_STEP_MM)
    profiles, detail = [], np.tile([0.8, 1.0, 1.3], LINES)
    for px_per_mm in detail:
        light = np.where(np.abs(fine - middle) < width / 2, 0.02, 0.45)
        taps = np.exp(-0.5 * (fine / (0.64 / px_per_mm)) ** 2)
        seen = np.convolve(light - 0.45, taps / taps.sum(), "same") + 0.45
        profiles.append(np.repeat(np.interp(offset, fine, seen)[:, None] ** (1 / 2.2) * 255, 3, axis=1))
    said = read_lines(Profiles(np.array(profiles), detail, np.ones(LINES, dtype=bool)))
    assert np.abs(said.middle - middle).max() < 0.08
    assert (np.abs(said.middle - middle) < 3.5 * np.hypot(said.middle_sigma, 0.02)).all()
    assert abs(said.log_width - math.log(width)) < max(0.06, 3 * said.log_width_sigma)
    assert said.log_width_sigma < 0.2


Colour = tuple[float, float, float]
BROWN, TAN, CREAM, BLACK = ((80.0, 110.0, 160.0), (120.0, 160.0, 200.0), (170.0, 225.0, 250.0), (20.0, 20.0, 20.0))


@pytest.mark.parametrize(
    ("inside", "ink", "outside", "only_edge"),
    [
        (CREAM, TAN, BROWN, True),
        (BROWN, CREAM, CREAM, True),
        (CREAM, BLACK, BROWN, False),
        (BROWN, CREAM, BROWN, False),
    ],
)
def test_ink_like_what_lies_beside_it_shows_only_an_edge(
    inside: Colour, ink: Colour, outside: Colour, only_edge: bool
) -> None:
    offset = np.arange(-PROFILE_MM, PROFILE_MM + 1e-9, PROFILE_STEP_MM)[:, None]
    seen = np.where(offset < -0.8, inside, np.where(offset > 0.8, outside, ink))
    seen = cv2.GaussianBlur(seen, (1, 0), sigmaX=0, sigmaY=2.0, borderType=cv2.BORDER_REPLICATE)
    profiles = Profiles(np.tile(seen[None], (PROFILES, 1, 1)), np.ones(PROFILES), np.array([True, True, False]))
    assert list(only_edges(profiles)) == [only_edge, only_edge, False]


def test_a_width_under_the_blur_is_not_sure() -> None:
    offset = np.arange(-PROFILE_MM, PROFILE_MM + 1e-9, PROFILE_STEP_MM)
    faint = 150 - 20 * np.exp(-0.5 * (offset / 2.0) ** 2)
    profiles = np.tile(faint[None, :, None], (PROFILES, 1, 3))
    said = read_lines(Profiles(profiles, np.full(PROFILES, 0.45), np.ones(LINES, dtype=bool)))
    assert said.log_width_sigma > 0.15


def test_without_lines_the_width_is_unknown() -> None:
    view = view_from((300.0, 200.0, 1000.0))
    blank = np.full((view.camera.height, view.camera.width, 3), 128, np.uint8)
    nothing = Cylinders(np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    assert {line.width_sigma for line in painted_lines(blank, 1.0, view, nothing)} == {0.7}


@pytest.mark.parametrize("name", ["crokinole/c001", "crokinole/c021", "crokinole_variants/v013"])
def test_scene_from_true_camera(name: str, shared_file: Callable[[str], Path]) -> None:
    path = shared_file(f"scenes/{name}.json")
    truth = json.loads(path.read_text())
    lines = {line["name"]: line for line in truth["board"]["lines"]}
    order = [lines[n] for n in ("15/10", "10/5", "shooting")]
    true = truth["discs"][0]
    model = BoardModel(
        "truth",
        *(line["nominal_radius"] for line in reversed(order)),
        line_widths=tuple(line["outer_edge"] - line["inner_edge"] for line in order),
        disc_radius=true["diameter"] / 2,
    )
    pose = (np.array(truth[k], dtype=np.float64) for k in ("K", "dist", "rvec", "tvec"))
    view = BoardView(Camera(*pose, truth["width"], truth["height"]), model, NCA_SCALE, 0.1)
    image = np.asarray(cv2.imread(str(path.with_suffix(".jpg"))), dtype=np.uint8)
    flat = [d for d in truth["discs"] if d["state"] == "board"]
    rng = np.random.default_rng(3)
    starts = [disc(tuple(np.array(d["centre_mm"][:2]) + rng.normal(0, 0.5, 2)), d["id"]) for d in flat]
    found = measure(image, view, starts)
    errors, z = [], []
    for d, f in zip(flat, found, strict=True):
        gaps = {k: g for k, g in d["gap_mm"].items() if abs(g) <= 3}
        measured = {c.line: c for c in f.lines}
        assert set(gaps) <= set(measured)
        errors += [abs(measured[k].gap_mm - g) for k, g in gaps.items()]
        z += [abs(measured[k].gap_mm - g) / measured[k].sigma_mm for k, g in gaps.items()]
    assert np.median(errors) < 0.4
    assert max(z) < 4


@pytest.mark.parametrize(
    ("scale", "prior"),
    [
        (NCA_SCALE, (BOARD.disc_radius, RADIUS_PRIOR_MM["nca"])),
        (Scale("disc", detail="--table"), (BOARD.disc_radius, RADIUS_PRIOR_MM["disc"])),
        (Scale("board", detail="board Duncan's discs"), (15.3, DETECTED_MIN_MM)),
    ],
)
def test_what_is_known_of_the_discs_hangs_on_the_source_of_the_scale_not_on_its_words(
    scale: Scale, prior: tuple[float, float]
) -> None:
    view = replace(view_from((0.0, -300.0, 900.0)), scale=scale)
    assert radius_prior(view, (15.3, 0.1)) == prior


@pytest.mark.parametrize(
    ("seen", "usual"), [((15.3, 0.3), True), ((18.8, 0.3), False), ((13.9, 0.3), False), ((17.2, 0.56), True)]
)
def test_a_tournament_board_may_have_other_discs(seen: tuple[float, float], usual: bool) -> None:
    view = view_from((0.0, -300.0, 900.0))
    expected = (RADIUS, RADIUS_PRIOR_MM["nca"]) if usual else (seen[0], DETECTED_MIN_MM)
    assert radius_prior(view, seen) == expected
    tall = believed_first(view, expected).sigma[1]
    assert (tall < 1.0) == usual  # nor is anything known of their height


def test_discs_that_somebody_measured_are_not_measured_by_detection() -> None:
    board = replace(BOARD, disc_radius=13.0, disc_given=True)
    view = replace(view_from((0.0, -300.0, 900.0)), scale=Scale("board", detail="board Club"), board=board)
    assert radius_prior(view, (14.0, 0.1)) == (13.0, RADIUS_PRIOR_MM["disc"])

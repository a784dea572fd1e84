"""Two small networks, run by OpenCV: the canonical picture in, candidates for discs with their states out.

The first (``weights/discs.onnx``, trained by ``training/train_discs.py``) is fully convolutional and gives, for each
cell of four pixels, how much it looks like a disc of each state, and the offset to the disc's point. The second
(``weights/disc_judge.onnx``, ``training/train_disc_judge.py``) sees a patch around each such place and says what it is,
where exactly, and how sure it is of that.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.disc_canonical import SIZE, CanonicalFrame, guide_channels
from vision.networks import answer, answers
from vision.readings import DiscState

Mask = NDArray[np.uint8]

STATES: tuple[DiscState, ...] = ("board", "hole", "leaning", "ditch")
STRIDE = 4
"""Pixels of the canonical picture a cell: 6.25 mm, less than half a disc's radius."""
RADIUS_UNIT_PX = 10.0
"""The network gives radii as logarithms of multiples of this."""
FLOOR = 0.04
"""Peaks of the first network below this are ignored (99 of 100 true discs of unknown scenes reach it)."""
MOST = 60
"""At most this many are judged: 26 discs of two sides, and about as many false alarms."""
CENTRAL_PX = 4.0
"""The hole is judged too unless a peak lies this near to the centre."""
PATCH = 40
"""Side of the second network's patch in pixels (62 mm: a disc and its neighbours)."""
PLACE_UNIT_PX = 4.0
"""The second network gives places in units of this."""
FIRST_SHARE = 0.5
"""Weight of the first network's place in the final one; the two networks' errors have little in common."""
GAIN, HEAT_GAIN, OFFSET = 0.55, 1.3, 0.0
"""The log odds of a disc from those of the second and of the first network; fitted on scenes unknown to both."""
HEAT_RANGE = (0.02, 0.98)
"""Probabilities of the first network are taken to lie in this range."""
STATE_GAIN = 0.6
"""Factor on the second network's log odds between states, of which it is too sure; set by hand."""
SIGMA_GAIN = 1.15
"""Standard deviation over the scale of the Laplace distribution that the second network gives; fitted too."""
APART = 0.8
"""Two peaks within this share of a radius are one disc (lying discs are two radii apart, piled ones at least one)."""
FLAT_APART = 1.5
"""The same for two discs on the surface once they are measured: two radii, less what places may be off."""

Window = tuple[int, int, int]
"""A square of the canonical picture: its left and upper edge and its side, in pixels, multiples of GRID_PX."""
WHOLE: Window = (0, 0, SIZE)
GRID_PX = 16
"""The first network's deepest cells are this wide: windows that begin on them are seen as the whole picture is."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One place at which a disc may lie, in canonical pixels.

    ``xy`` is the point of the disc on the board's plane (base centre; upper face's centre in hole and ditch; body's
    centre where it leans), ``sigma_px`` its standard uncertainty (x, y). ``chances`` holds the probability of a disc
    in each of :data:`STATES`; what they lack to 1 is the probability that there is none. ``heat`` is what the first
    network made of the place, ``log_odds`` of a disc what the second one did.
    """

    xy: tuple[float, float]
    radius_px: float
    chances: tuple[float, float, float, float]
    sigma_px: tuple[float, float] = (1.0, 1.0)
    heat: float = 0.0
    log_odds: float = 0.0

    @property
    def chance(self) -> float:
        """Probability that there is a disc at all."""
        return sum(self.chances)

    @property
    def on_surface(self) -> bool:
        """Whether its most probable state is to lie flat on the surface."""
        return self.chances[0] == max(self.chances)


def run_network(picture: NDArray[np.uint8], frame: CanonicalFrame, window: Window = WHOLE) -> NDArray[np.float32]:
    """Raw maps (7, n, n) float32 from a ``window`` of the canonical picture (SIZE, SIZE, 3) uint8 BGR.

    Four logits of heat in the order of :data:`STATES`, offsets x and y in cells, log of the radius.
    """
    x, y, n = window
    blob = np.empty((1, 5, n, n), np.float32)
    part = np.ascontiguousarray(picture[y : y + n, x : x + n])
    blob[:, :3] = cv2.dnn.blobFromImage(part, 1 / 127.5, mean=(127.5, 127.5, 127.5))
    blob[:, 3:] = guide_channels(frame.foot, frame.height, window, frame.shooting)
    return np.asarray(answer("discs", blob)[0], dtype=np.float32)


def apart(candidates: list[Candidate], flat: float = APART) -> list[Candidate]:
    """Candidates without those that lie within most of a radius of a more probable one, most probable first.

    ``flat``: the same for two that lie on the surface, which can't reach into each other.
    """
    ordered = sorted(candidates, key=lambda c: -c.chance)
    xy = np.array([c.xy for c in ordered]).reshape(-1, 2)
    radius, surface = np.array([c.radius_px for c in ordered]), np.array([c.on_surface for c in ordered], dtype=bool)
    reach = np.where(surface[:, None] & surface, flat, APART) * np.minimum(radius[:, None], radius)
    near = np.linalg.norm(xy[:, None] - xy, axis=2) < reach
    free = np.ones(len(ordered), dtype=bool)
    kept: list[Candidate] = []
    for i, c in enumerate(ordered):
        if free[i]:
            kept.append(c)
            free &= ~near[i]
    return kept


def peaks(maps: NDArray[np.float32], floor: float = FLOOR, corner: tuple[int, int] = (0, 0)) -> list[Candidate]:
    """Local maxima of the first network's heat over all states; its probabilities are timid, but ranked.

    ``corner`` (x, y): canonical pixels at which the window that the maps are of begins.
    """
    heat = 1 / (1 + np.exp(-maps[: len(STATES)].astype(np.float64)))
    top = heat.max(axis=0)
    rows, cols = np.nonzero((top >= cv2.dilate(top, np.ones((3, 3), np.uint8))) & (top > floor))
    dx, dy, log_radius = maps[len(STATES) :, rows, cols].astype(np.float64)
    xy = np.column_stack([cols + dx, rows + dy]) * STRIDE + (STRIDE - 1) / 2 + np.array(corner)
    radius = RADIUS_UNIT_PX * np.exp(np.clip(log_radius, -1.0, 1.0))
    around = np.stack([cv2.dilate(h, np.ones((3, 3), np.uint8)) for h in heat])[:, rows, cols]
    shares = around * (top[rows, cols] / around.sum(axis=0))
    found = []
    for i in range(len(rows)):
        a, b, c, d = (float(v) for v in shares[:, i])
        place = (float(xy[i, 0]), float(xy[i, 1]))
        found.append(Candidate(place, float(radius[i]), (a, b, c, d), heat=float(top[rows[i], cols[i]])))
    return apart(found)


def judged(picture: NDArray[np.uint8], frame: CanonicalFrame, candidates: list[Candidate]) -> list[Candidate]:
    """Candidates measured anew by the second network, from the canonical picture (SIZE, SIZE, 3) uint8 BGR."""
    if not candidates:
        return []
    guide = guide_channels(frame.foot, frame.height, shooting=frame.shooting)
    at = np.clip(np.round([c.xy for c in candidates]).astype(int), 0, SIZE - 1)
    patches = np.stack([patch_at(picture, guide, (int(x), int(y))) for x, y in at])
    out = answers("disc_judge", patches).astype(np.float64)
    none, states = out[:, len(STATES)], out[:, : len(STATES)]
    some = np.logaddexp.reduce(states, axis=1)
    heat = np.clip([c.heat for c in candidates], *HEAT_RANGE)
    chance = 1 / (1 + np.exp(-(GAIN * (some - none) + HEAT_GAIN * np.log(heat / (1 - heat)) + OFFSET)))
    shares = np.exp(STATE_GAIN * (states - states.max(axis=1, keepdims=True)))
    shares *= (chance / shares.sum(axis=1))[:, None]
    measures = out[:, len(STATES) + 1 :]
    own = at + measures[:, :2] * PLACE_UNIT_PX
    first = np.array([c.xy for c in candidates])
    xy = np.where((heat > FLOOR)[:, None], own + FIRST_SHARE * (first - own), own)
    sigma = PLACE_UNIT_PX * SIGMA_GAIN * np.exp(np.clip(measures[:, 3:5], -4.0, 2.0))
    radius = RADIUS_UNIT_PX * np.exp(np.clip(measures[:, 2], -1.0, 1.0))
    found = []
    for i in range(len(candidates)):
        a, b, c, d = (float(v) for v in shares[i])
        x, y = (float(v) for v in xy[i])
        sx, sy = (float(v) for v in sigma[i])
        odds = float(some[i] - none[i])
        found.append(Candidate((x, y), float(radius[i]), (a, b, c, d), (sx, sy), candidates[i].heat, odds))
    return apart(found, FLAT_APART)


def candidates_in(
    picture: NDArray[np.uint8], frame: CanonicalFrame, windows: Sequence[Window] = (WHOLE,), zone: Mask | None = None
) -> list[Candidate]:
    """All candidates of a canonical picture (SIZE, SIZE, 3) uint8 BGR, most probable first.

    The first network proposes places, freely; the hole is always among them; the second one judges each. ``zone``:
    places are only taken where this mask (SIZE, SIZE) isn't 0, and looked for in these ``windows``.
    """
    found = [c for w in windows for c in peaks(run_network(picture, frame, w), corner=w[:2])]
    proposed = [c for c in found if within(zone, c.xy)]
    proposed = (proposed if len(windows) == 1 else apart(proposed))[:MOST]
    middle = ((SIZE - 1) / 2, (SIZE - 1) / 2)
    if within(zone, middle) and all(math.dist(c.xy, middle) > CENTRAL_PX for c in proposed):
        proposed.append(Candidate(middle, RADIUS_UNIT_PX, (0.0, 0.0, 0.0, 0.0)))
    return judged(picture, frame, proposed)


def within(zone: Mask | None, xy: tuple[float, float]) -> bool:
    """Whether a canonical pixel lies in a mask (SIZE, SIZE); None: everything does."""
    if zone is None:
        return True
    x, y = (min(max(round(v), 0), SIZE - 1) for v in xy)
    return bool(zone[y, x])


def patch_at(picture: NDArray[np.uint8], guide: NDArray[np.float32], at: tuple[int, int]) -> NDArray[np.float32]:
    """Input (5, PATCH, PATCH) of the second network around a pixel (x, y); black beyond the picture."""
    half = PATCH // 2
    x0, y0 = at[0] - half, at[1] - half
    xs, ys = max(x0, 0), max(y0, 0)
    xe, ye = min(x0 + PATCH, SIZE), min(y0 + PATCH, SIZE)
    out = np.full((5, PATCH, PATCH), -1.0, dtype=np.float32)
    inside = (slice(ys - y0, ye - y0), slice(xs - x0, xe - x0))
    out[:3, *inside] = picture[ys:ye, xs:xe].transpose(2, 0, 1).astype(np.float32) / 127.5 - 1
    out[3:, *inside] = guide[:, ys:ye, xs:xe]
    return out

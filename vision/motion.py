"""Still, moving, or a hand over the table: from a small luma picture of the board (``vision.lens``), frame by frame.

What differs from the plate (the board as it last lay still) is foreground; foreground that reaches in from outside is a
hand; what is foreground, moves, and is no hand, is a disc on its way, and is followed. Lengths in mm on the board,
times in seconds of the source.
"""

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.lens import Gray, Lens, Mask
from vision.tracks import Track

LAG_S = 0.1
"""Motion is change over this long: exact duplicate frames occur, so two neighbouring frames say nothing."""
LOW_PASS_MM = 160.0
"""Changes of light are smooth over this length (mains flicker in bands, exposure, a hand's soft shadow)."""
LOW_PASS_CLIP = 12
"""Grey levels at most by which one pixel bends the estimate of the light: a hand is no light."""
LEAST_STEP, MOST_STEP = 9.0, 30.0
"""Grey levels that are a change: never less (coding noise), never asked more (a natural disc on bare wood)."""
NOISE_TIMES = 6.0
"""A change is this many times the noise seen where nothing happens."""
DEVIATION_TIMES = 4.0
"""... and this many times the usual deviation of that very pixel (edges shimmer)."""
PLATE_RATE = 0.08
"""Share by which the plate follows slow changes of light, each time it is refreshed at rest."""
PLATE_EVERY_S = 0.2
HAND_DISCS = 1.5
"""A hand is at least this many discs large where it reaches in from outside ..."""
HAND_REST_DISCS = 4.0
"""... this large where it reaches over the ditch, or where a sleeve as dark as the ditch cuts it off and it was hand
before: a blurred disc with its shadow is at most 3. Discs that lie together, with the gaps they left, may be larger:
what is cut off is a hand only while it stirs, and ..."""
CUT_OFF_S = 1.2
"""... for so long after it stirred last, or reached in from outside."""
HAND_ALONE_DISCS = 24.0
"""What is larger than this is no group of discs."""
DITCH = 1.12
"""In shooting-line radii: from here on there is ditch; groups of discs lie within."""
HAND_OVERLAP = 0.3
"""Share of a patch that must have been hand before for it to be hand still."""
HAND_MARGIN_MM = 10.0
"""The hand's shadow and blur."""
SMALLEST_MM2 = 90.0
"""The smallest patch that is looked at: an eighth of a disc (a natural disc on wood shows as a rim in pieces)."""
FASTEST_MM_S = 4500.0
"""Faster than any shot seen (3 m/s)."""
GATE_MM = 30.0
LOST_S = 0.25
"""A track that wasn't seen for so long has ended."""
TRACKS_KEPT = 60


@dataclass(frozen=True, slots=True)
class Mover:
    """Something that moves and is no hand: its middle in mm and its size in square mm."""

    xy: tuple[float, float]
    area: float


@dataclass(frozen=True, slots=True)
class Sight:
    """What one frame shows. ``hand``: mask (n, n) with its margin; areas in square mm.

    ``hand_mm2``: on the surface; ``changed``: mask (n, n) of what differs from the plate and is no hand, in the field;
    ``still_s``: for how long nothing but hands has moved; ``calm_s``: for how long nothing at all has.
    """

    at: float
    gray: Gray
    hand: Mask
    hand_mm2: float
    changed: Mask
    changed_mm2: float
    movers: tuple[Mover, ...]
    still_s: float
    calm_s: float


class MotionEye:
    """Follows one lens through time."""

    def __init__(self, lens: Lens) -> None:
        self.lens = lens
        self.plate: NDArray[np.float32] | None = None
        self._earlier: NDArray[np.float32] | None = None
        self.tracks: list[Track] = []
        self.done: deque[Track] = deque(maxlen=TRACKS_KEPT)
        n = lens.size
        self._deviation = np.full((n, n), 1.5, np.float32)
        self._usual = self._usual_steps()
        self._plate8: Gray | None = None
        self._past: deque[tuple[float, Gray]] = deque()
        self._hand: Mask = np.zeros((n, n), np.uint8)
        self._alive = np.full((n, n), -np.inf, np.float32)
        self._moved_at = -math.inf
        self._stirred_at = -math.inf
        self._refreshed = -math.inf
        self.use(lens)
        margin = 2 * round(HAND_MARGIN_MM / lens.mm_per_px) + 1
        self._margin = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (margin, margin))
        self._window = (2 * round(LOW_PASS_MM / lens.mm_per_px / 2) + 1,) * 2
        self._samples = {step: np.flatnonzero(lens.field[::step, ::step]) for step in (4, 8)}

    def use(self, lens: Lens) -> None:
        """Go on with a lens that shows the same squares, its millimetres being others."""
        self.lens = lens
        self._over_ditch = ((lens.radius > DITCH * lens.view.board.shooting) & (lens.field > 0)).astype(np.uint8)
        self._mm2 = lens.mm_per_px**2
        self._disc_mm2 = math.pi * lens.view.board.disc_radius**2
        self.tracks = []
        self.done.clear()

    def difference(self, a: Gray, b: Gray) -> NDArray[np.int16]:
        """Return a - b (n, n) int16 freed of what is smooth: another exposure, bands of flicker."""
        some = self._samples[8]
        ratio = (b[::8, ::8].ravel()[some].astype(np.float32) + 8) / (a[::8, ::8].ravel()[some].astype(np.float32) + 8)
        gain = _middle(ratio, 1.0)
        d = cv2.subtract(cv2.convertScaleAbs(a, alpha=gain, beta=8 * gain - 8), b, dtype=cv2.CV_16S)
        low = cv2.blur(np.clip(d, -LOW_PASS_CLIP, LOW_PASS_CLIP), self._window)
        return np.asarray(d - low, dtype=np.int16)

    def _changed(self, d: NDArray[np.int16]) -> Mask:
        """1 where a difference (n, n) is more than noise."""
        size = np.abs(d)
        noise = 1.4826 * _middle(size[::4, ::4].ravel()[self._samples[4]], 1.0)
        step = min(max(NOISE_TIMES * noise, LEAST_STEP), MOST_STEP)
        # whole numbers exceed a threshold where they exceed its whole part
        return np.asarray(size > np.maximum(self._usual, np.int16(step)), dtype=np.uint8)

    def _usual_steps(self) -> NDArray[np.int16]:
        return np.asarray(DEVIATION_TIMES * self._deviation, dtype=np.int16)

    def stirs(self, gray: Gray) -> bool:
        """Whether anything in the field differs between a picture (n, n) uint8 and the last that was looked at."""
        if not self._past:
            return True
        changed = self._changed(self.difference(gray, self._past[-1][1]))
        return cv2.countNonZero(changed & self.lens.field) * self._mm2 > SMALLEST_MM2 / 2

    def look(self, gray: Gray, at: float) -> Sight:
        """Take in the next picture (n, n) uint8, taken at ``at`` seconds."""
        if self.plate is None:
            self.plate = gray.astype(np.float32)
        if self._plate8 is None:
            self._plate8 = np.rint(self.plate).astype(np.uint8)
        against = self.difference(gray, self._plate8)
        foreground = _closed(self._changed(against))
        while len(self._past) > 1 and self._past[1][0] <= at - LAG_S:
            self._past.popleft()
        before = self._past[0][1] if self._past else gray
        stirred = self._changed(self.difference(gray, before))
        self._past.append((at, gray))
        hand = self._find_hand(foreground, stirred, at)
        wide = np.asarray(cv2.dilate(hand, self._margin), dtype=np.uint8) if cv2.countNonZero(hand) else hand
        mine = foreground & (1 - wide) & self.lens.field
        movers = self._movers(mine & stirred)
        if movers:
            self._moved_at = at
        if movers or cv2.countNonZero(stirred & self.lens.field) * self._mm2 > SMALLEST_MM2:
            self._stirred_at = at
        self._follow(movers, at)
        changed = self._large(mine)
        sight = Sight(
            at, gray, wide, cv2.countNonZero(wide & self.lens.surface) * self._mm2, changed,
            cv2.countNonZero(changed) * self._mm2, movers, at - self._moved_at, at - self._stirred_at,
        )  # fmt: skip
        self._hand = hand
        if sight.calm_s > LAG_S and at - self._refreshed >= PLATE_EVERY_S:
            self._refresh(gray, foreground, against)
            self._refreshed = at
        return sight

    def settle(self, gray: Gray, hidden: Mask) -> None:
        """The board as it lies now becomes the plate, but for what is ``hidden`` (n, n)."""
        assert self.plate is not None
        self._earlier, self._plate8 = self.plate, None
        self.plate = np.where(hidden > 0, self.plate, gray.astype(np.float32))

    def unsettle(self, mask: Mask) -> None:
        """Take back the last ``settle`` within ``mask`` (n, n): what lies there wasn't told."""
        if self.plate is not None and self._earlier is not None:
            self._plate8 = None
            self.plate = np.where(mask > 0, self._earlier, self.plate)

    def take_tracks(self) -> tuple[Track, ...]:
        """All tracks since the last call; those under way go on as new ones."""
        out = (*self.done, *self.tracks)
        self.done.clear()
        self.tracks = [Track([t.points[-1]]) for t in self.tracks]
        return out

    def _refresh(self, gray: Gray, foreground: Mask, against: NDArray[np.int16]) -> None:
        assert self.plate is not None
        quiet = foreground == 0
        self.plate += np.where(quiet, np.float32(PLATE_RATE) * (gray.astype(np.float32) - self.plate), 0)
        size = np.minimum(np.abs(against), 20).astype(np.float32)
        self._deviation += np.where(quiet, np.float32(PLATE_RATE) * (size - self._deviation), 0)
        np.maximum(self._deviation, 0.5, out=self._deviation)
        self._usual, self._plate8 = self._usual_steps(), None

    def _find_hand(self, foreground: Mask, stirred: Mask, at: float) -> Mask:
        """The patches (n, n) of the foreground that are hands, arms, heads."""
        out = np.zeros_like(foreground)
        found = _patches(foreground)
        if found is None:
            return out
        labels, box = found.labels, found.box

        def mm2(mask: Mask) -> NDArray[np.float64]:
            there = labels[mask[box] > 0]
            return np.asarray(np.bincount(there, minlength=len(found.sizes)) * self._mm2, dtype=np.float64)

        area = found.sizes * self._mm2
        outside, over_ditch, before = mm2(self.lens.outside), mm2(self._over_ditch), mm2(self._hand)
        size = area / self._disc_mm2
        linked = (size >= HAND_DISCS) & (outside > SMALLEST_MM2)
        linked |= (size >= HAND_REST_DISCS) & (over_ditch > SMALLEST_MM2)
        linked |= (size >= HAND_ALONE_DISCS) | (outside >= 0.9 * area)  # what lies outside wholly is nobody's disc
        cut_off = ~linked & (size >= HAND_REST_DISCS) & (before > HAND_OVERLAP * area)
        linked[0] = cut_off[0] = False
        alive = self._alive[box]
        for k in np.flatnonzero(cut_off):
            mine = labels == k
            if (stirred[box][mine]).sum() * self._mm2 > SMALLEST_MM2:
                linked[k] = True
            elif alive[mine].max() < at - CUT_OFF_S:
                cut_off[k] = False
        alive[linked[labels]] = at
        out[box] = (linked | cut_off)[labels]
        return out

    def _large(self, mask: Mask) -> Mask:
        """The mask without its patches below SMALLEST_MM2."""
        out = np.zeros_like(mask)
        found = _patches(mask)
        if found is not None:
            keep = found.sizes * self._mm2 >= SMALLEST_MM2
            keep[0] = False
            out[found.box] = keep[found.labels]
        return out

    def _movers(self, mask: Mask) -> tuple[Mover, ...]:
        found = _patches(_closed(mask))
        if found is None:
            return ()
        area = found.sizes * self._mm2
        large = [k for k in range(1, len(area)) if area[k] >= SMALLEST_MM2]
        places = self.lens.to_mm(found.middles[large])
        return tuple(Mover((float(x), float(y)), float(area[k])) for k, (x, y) in zip(large, places, strict=True))

    def _follow(self, movers: Iterable[Mover], at: float) -> None:
        """Give each mover to the track that expects it, the nearest first; others begin new ones."""
        ended = [t for t in self.tracks if at - t.end[0] > LOST_S]
        self.done.extend(t for t in ended if len(t.points) > 1)
        self.tracks = [t for t in self.tracks if at - t.end[0] <= LOST_S]
        movers = list(movers)
        pairs = []
        for i, track in enumerate(self.tracks):
            dt = at - track.end[0]
            vx, vy = track.speed()
            for j, mover in enumerate(movers):
                ahead = math.hypot(track.end[1] + vx * dt - mover.xy[0], track.end[2] + vy * dt - mover.xy[1])
                gone = math.hypot(track.end[1] - mover.xy[0], track.end[2] - mover.xy[1])
                fresh = len(track.points) < 2
                limit = FASTEST_MM_S * dt if fresh else GATE_MM + 0.7 * math.hypot(vx, vy) * dt
                cost = gone if fresh else min(ahead, gone)
                if cost <= limit:
                    pairs.append((cost, i, j))
        taken: set[int] = set()
        given: set[int] = set()
        for _, i, j in sorted(pairs):
            if i not in taken and j not in given:
                taken.add(i)
                given.add(j)
                self.tracks[i].points.append((at, *movers[j].xy))
        self.tracks += [Track([(at, *m.xy)]) for j, m in enumerate(movers) if j not in given]


class _Patches(NamedTuple):
    """Patches of a mask: ``labels`` within ``box`` (rows, columns), 0 for none; sizes (K,) and middles (K, 2) in px."""

    labels: NDArray[np.uint16]
    box: tuple[slice, slice]
    sizes: NDArray[np.int32]
    middles: NDArray[np.float64]


def _patches(mask: Mask) -> _Patches | None:
    """The patches of a mask (n, n), looked for where it isn't 0 only; None where it is 0 everywhere."""
    x, y, w, h = cv2.boundingRect(mask)
    if not w:
        return None
    box = (slice(y, y + h), slice(x, x + w))
    _, labels, stats, middles = cv2.connectedComponentsWithStats(mask[box], connectivity=8, ltype=cv2.CV_16U)
    sizes = np.asarray(stats[:, cv2.CC_STAT_AREA], dtype=np.int32)
    return _Patches(np.asarray(labels, dtype=np.uint16), box, sizes, np.asarray(middles) + np.array([x, y]))


def _middle(values: NDArray[Any], without: float) -> float:
    """The upper median of numbers (N,); ``without`` any, that."""
    if not values.size:
        return without
    k = values.size // 2
    return float(np.partition(values, k)[k])


def _closed(mask: Mask) -> Mask:
    """The mask (n, n) with gaps of a pixel closed: a disc of the board's colour shows as a rim in pieces."""
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), dtype=np.uint8)

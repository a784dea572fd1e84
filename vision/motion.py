"""Still, moving, or a hand over the table: told frame by frame from a small luma picture (``vision.lens``).

What differs from the plate (the board as it last lay still) is foreground. Foreground that reaches in from outside is a
hand; foreground that moves and is no hand is a disc on its way, and is followed. Lengths in mm on the board, times in
seconds of the source.
"""

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.differences import upper_median
from vision.lens import Gray, Lens, Mask
from vision.pairing import nearest_pairs
from vision.tracks import Track

LAG_S = 0.1
"""Motion is change over this long: exact duplicates of frames occur, so two neighbouring frames tell nothing."""
LOW_PASS_MM = 160.0
"""Changes of light are smooth over this length (mains flicker in bands, exposure, a hand's soft shadow)."""
LOW_PASS_CLIP = 12
"""One pixel bends the estimate of the light by this many grey levels at most: a hand is not light."""
LEAST_STEP, MOST_STEP = 9.0, 30.0
"""Grey levels that count as a change: never fewer (coding noise), never required to be more (natural discs on bare
wood)."""
NOISE_TIMES = 6.0
"""A change is this many times the noise seen where nothing happens."""
DEVIATION_TIMES = 4.0
"""... and this many times the usual deviation of that very pixel (edges shimmer)."""
PLATE_RATE = 0.08
"""Share by which the plate follows slow changes of light each time it is refreshed at rest."""
PLATE_EVERY_S = 0.2
HAND_DISCS = 1.5
"""A hand is at least this many discs large where it reaches in from outside ..."""
HAND_REST_DISCS = 4.0
"""... or this large where it reaches over the ditch, or where a sleeve as dark as the ditch cuts off what was hand
before: a blurred disc with its shadow has at most 3. Discs that lie together, with the gaps they left, may be larger:
so what is cut off is a hand only while it stirs, and ..."""
CUT_OFF_S = 1.2
"""... for so long after it stirred last, or reached in from outside."""
HAND_ALONE_DISCS = 24.0
"""What is larger than this is no group of discs."""
DITCH = 1.12
"""In shooting-line radii: the ditch begins here, and groups of discs lie within."""
IS_OUTSIDE, IS_DITCH, WAS_HAND = 1, 2, 4
"""Bits that mark a pixel, so that one count of all their combinations serves three masks."""
HAND_OVERLAP = 0.3
"""Share of a patch that must have been hand before for it to be hand still."""
HAND_MARGIN_MM = 10.0
"""The hand's shadow and blur."""
SMALLEST_MM2 = 90.0
"""The smallest patch that counts: an eighth of a disc (a natural disc on wood shows as a rim in pieces)."""
FASTEST_MM_S = 4500.0
"""Faster than any shot seen (3 m/s)."""
GATE_MM = 30.0
"""A mover continues a track if it lies this near to the track's last or expected place; more if that is fast."""
LOST_S = 0.25
"""A track that wasn't seen for this long has ended."""
TRACKS_KEPT = 60
"""Ended tracks that are kept until they are asked for: the latest."""


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
        self._past: deque[tuple[float, Gray, Mask]] = deque()
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
        """Take a lens from now on: the first one, or one that shows the same square in other millimetres."""
        self.lens = lens
        over_ditch = (lens.radius > DITCH * lens.view.board.shooting) & (lens.field > 0)
        self._places = (IS_OUTSIDE * (lens.outside > 0) + IS_DITCH * over_ditch).astype(np.uint8)
        self._mm2 = lens.mm_per_px**2
        self._disc_mm2 = math.pi * lens.view.board.disc_radius**2
        self.tracks = []
        self.done.clear()

    def difference(self, a: Gray, b: Gray) -> NDArray[np.int16]:
        """By how much a and b differ, (n, n) int16, without what is smooth: another exposure, bands of flicker."""
        some = self._samples[8]
        ratio = (b[::8, ::8].ravel()[some].astype(np.float32) + 8) / (a[::8, ::8].ravel()[some].astype(np.float32) + 8)
        gain = upper_median(ratio)
        d = cv2.subtract(cv2.convertScaleAbs(a, alpha=gain, beta=8 * gain - 8), b, dtype=cv2.CV_16S)
        low = cv2.blur(np.clip(d, -LOW_PASS_CLIP, LOW_PASS_CLIP), self._window)
        return np.asarray(cv2.absdiff(d, low), dtype=np.int16)

    def _changed(self, size: NDArray[np.int16]) -> Mask:
        """1 where a difference (n, n) is more than noise."""
        noise = 1.4826 * upper_median(size[::4, ::4].ravel()[self._samples[4]])
        step = min(max(NOISE_TIMES * noise, LEAST_STEP), MOST_STEP)
        # an integer exceeds a threshold if it exceeds its whole part
        return ((size > self._usual) & (size > np.int16(step))).view(np.uint8)

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
        before, hidden = self._past[0][1:] if self._past else (gray, self._hand)
        stirred = self._changed(self.difference(gray, before))
        hand = self._find_hand(foreground, stirred, at)
        wide = np.asarray(cv2.dilate(hand, self._margin), dtype=np.uint8) if cv2.countNonZero(hand) else hand
        mine = foreground & (1 - wide) & self.lens.field
        self._past.append((at, gray, wide))
        movers = self._movers(mine & stirred)
        if movers and (not cv2.countNonZero(hidden) or self._movers(mine & stirred & (1 - hidden))):
            # where a hand was just now, the change is the hand leaving, or its last trace
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
            self._refresh(self.plate, gray, foreground, against)
            self._refreshed = at
        return sight

    def settle(self, gray: Gray, hidden: Mask) -> None:
        """The board as it lies now becomes the plate, except where it is ``hidden`` (n, n).

        Raises ValueError before the first :meth:`look`.
        """
        if self.plate is None:
            raise ValueError("nothing was looked at yet: there is no plate to change")
        self._earlier, self._plate8 = self.plate, None
        self.plate = np.where(hidden > 0, self.plate, gray.astype(np.float32))

    def unsettle(self, mask: Mask) -> None:
        """Take back the last ``settle`` within ``mask`` (n, n): what lies there couldn't be told."""
        if self.plate is not None and self._earlier is not None:
            self._plate8 = None
            self.plate = np.where(mask > 0, self._earlier, self.plate)

    def take_tracks(self) -> tuple[Track, ...]:
        """All tracks since the last call; those under way go on as new ones."""
        out = (*self.done, *self.tracks)
        self.done.clear()
        self.tracks = [Track([t.points[-1]]) for t in self.tracks]
        return out

    def _refresh(self, plate: NDArray[np.float32], gray: Gray, foreground: Mask, against: NDArray[np.int16]) -> None:
        """Let the ``plate``, in place, and the pixels' usual deviations follow where there is no foreground."""
        quiet = foreground == 0
        plate += np.where(quiet, np.float32(PLATE_RATE) * (gray.astype(np.float32) - plate), 0)
        size = np.minimum(against, 20).astype(np.float32)
        self._deviation += np.where(quiet, np.float32(PLATE_RATE) * (size - self._deviation), 0)
        np.maximum(self._deviation, 0.5, out=self._deviation)
        self._usual, self._plate8 = self._usual_steps(), None

    def _find_hand(self, foreground: Mask, stirred: Mask, at: float) -> Mask:
        """The patches (n, n) of the foreground that are hands, arms, heads."""
        out = np.zeros_like(foreground)
        found = _patches(foreground)
        if found is None:
            return out
        outside, over_ditch, before = (count * self._mm2 for count in self._overlaps(found))
        area = found.sizes * self._mm2
        size = area / self._disc_mm2
        linked = (size >= HAND_DISCS) & (outside > SMALLEST_MM2)
        linked |= (size >= HAND_REST_DISCS) & (over_ditch > SMALLEST_MM2)
        linked |= (size >= HAND_ALONE_DISCS) | (outside >= 0.9 * area)  # what lies outside wholly is nobody's disc
        cut_off = ~linked & (size >= HAND_REST_DISCS) & (before > HAND_OVERLAP * area)
        alive = self._alive.ravel()
        for k in np.flatnonzero(cut_off):
            mine = found.at[found.label == k]
            if np.count_nonzero(stirred.ravel()[mine]) * self._mm2 > SMALLEST_MM2:
                linked[k] = True
            elif alive[mine].max() < at - CUT_OFF_S:
                cut_off[k] = False
        alive[found.at[linked[found.label]]] = at
        out.ravel()[found.at] = (linked | cut_off)[found.label]
        return out

    def _overlaps(self, found: "_Patches") -> list[NDArray[np.intp]]:
        """How many pixels (K,) of each patch lie outside, how many over the ditch, and how many were hand before."""
        places = self._places.ravel()[found.at] + WAS_HAND * self._hand.ravel()[found.at]
        counts = np.bincount(found.label * 8 + places, minlength=8 * len(found.sizes)).reshape(-1, 8)
        return [counts[:, np.arange(8) & bit > 0].sum(axis=1) for bit in (IS_OUTSIDE, IS_DITCH, WAS_HAND)]

    def _large(self, mask: Mask) -> Mask:
        """The mask without its patches below SMALLEST_MM2."""
        out = np.zeros_like(mask)
        found = _patches(mask)
        if found is not None:
            out.ravel()[found.at] = (found.sizes * self._mm2 >= SMALLEST_MM2)[found.label]
        return out

    def _movers(self, mask: Mask) -> tuple[Mover, ...]:
        found = _patches(_closed(mask)) if cv2.countNonZero(mask) else None
        if found is None:
            return ()
        area = found.sizes * self._mm2
        large = np.flatnonzero(area >= SMALLEST_MM2)
        places = self.lens.to_mm(found.middles()[large])
        return tuple(Mover((float(x), float(y)), float(area[k])) for k, (x, y) in zip(large, places, strict=True))

    def _follow(self, movers: Iterable[Mover], at: float) -> None:
        """Give each mover to the track that expects it, the nearest first; others begin new ones."""
        ended = [t for t in self.tracks if at - t.end_s > LOST_S]
        self.done.extend(t for t in ended if len(t.points) > 1)
        self.tracks = [t for t in self.tracks if at - t.end_s <= LOST_S]
        movers = list(movers)
        ways = []
        for i, track in enumerate(self.tracks):
            last, x, y = track.end
            dt = at - last
            vx, vy = track.speed()
            for j, mover in enumerate(movers):
                ahead = math.hypot(x + vx * dt - mover.xy[0], y + vy * dt - mover.xy[1])
                gone = math.hypot(x - mover.xy[0], y - mover.xy[1])
                fresh = len(track.points) < 2
                limit = FASTEST_MM_S * dt if fresh else GATE_MM + 0.7 * math.hypot(vx, vy) * dt
                cost = gone if fresh else min(ahead, gone)
                if cost <= limit:
                    ways.append((cost, i, j))
        given = nearest_pairs(ways)
        for i, j in given:
            self.tracks[i].points.append((at, *movers[j].xy))
        known = {j for _, j in given}
        self.tracks += [Track([(at, *m.xy)]) for j, m in enumerate(movers) if j not in known]


class _Patches(NamedTuple):
    """Patches of a mask (n, n), numbered from 1, as the flat list of their pixels.

    ``sizes`` (K,) in pixels (0 has none); for all M pixels ``at``: its index in the flattened mask, and ``label``: the
    number of its patch; ``side``: n.
    """

    at: NDArray[np.intp]
    label: NDArray[np.intp]
    sizes: NDArray[np.intp]
    side: int

    def middles(self) -> NDArray[np.float64]:
        """Middles (K, 2) in pixels, without meaning for 0."""
        rows, columns = np.divmod(self.at, self.side)
        sums = [np.bincount(self.label, weights=w, minlength=len(self.sizes)) for w in (columns, rows)]
        return np.column_stack(sums) / np.maximum(self.sizes, 1)[:, None]


def _patches(mask: Mask) -> _Patches | None:
    """The patches of a mask (n, n) of 0 and 1; None where it is 0 everywhere.

    Most pixels are in no patch, and counting the others alone takes a third of the time of OpenCV's own statistics.
    """
    x, y, w, h = cv2.boundingRect(mask)
    if not w:
        return None
    part = np.ascontiguousarray(mask[y : y + h, x : x + w])
    count, labels = cv2.connectedComponents(part, connectivity=8, ltype=cv2.CV_16U)
    some = np.flatnonzero(part.view(np.bool_))
    label = labels.ravel()[some].astype(np.intp)
    side = mask.shape[1]
    at = some + some // w * (side - w) + (y * side + x)
    return _Patches(at, label, np.bincount(label, minlength=count), side)


def _closed(mask: Mask) -> Mask:
    """The mask (n, n) with gaps of a pixel closed: a disc of the board's colour shows as a rim in pieces."""
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), dtype=np.uint8)

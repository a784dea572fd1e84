"""The paths of things that moved, and which of them is a shot. Lengths in mm on the board, times in seconds."""

import math
from dataclasses import dataclass, field

SHOT_PATH_MM = 55.0
"""A shot's path, outside any hand, is at least this long; placing and straightening make shorter ones."""
SHOT_REACH_MM = 35.0
"""... that leads somewhere: off a post it may come straight back."""
SLOWEST_MM_S = 100.0
"""A shot starts faster than this: it has to come 55 mm far on a waxed board."""
FARTHEST_START = 1.2
"""In shooting-line radii: what begins farther out isn't shot from the line."""
SKIMS_FROM = 1.05
"""In shooting-line radii: a shot that only skims the board's edge is believed if its disc is first seen within this,
half a disc from the line (C5); what begins in the ditch is a hand's doing."""
OUTWARD, LATEST_SEEN = 0.35, 0.75
"""In shooting-line radii. A track first seen farther than this past the board's middle, or from the line it came from,
is that of another disc, which was struck."""
UNSEEN_S = 0.45
"""A shot disc appears from under the hand within this time; what must have been moving unseen for longer is no shot."""
STRONG_POINTS, STRONG_PATH_MM, STRONG_SPEED_MM_S, STRONG_S = 4, 120.0, 300.0, 0.5
"""No finger makes a track of so many points and so long a path, which is also as long as the speed gives over the time
that it lasted (STRONG_S at most)."""


LEAP_S, LEAP_MM = 0.1, 150.0
"""A mover lost for this long and found again this far away may be another one, such as a hand's shadow here and
there."""
LAY_MM = 25.0
"""Something that had come no farther than this, and slowly, before it was lost for LEAP_S lay there or was put
straight: its path begins after that."""


@dataclass(slots=True)
class Track:
    """The path of one mover. ``points`` are (t, x, y), seconds and mm."""

    points: list[tuple[float, float, float]] = field(default_factory=list)

    @property
    def start(self) -> tuple[float, float, float]:
        """Where and when it was seen first."""
        return self.points[0]

    @property
    def end(self) -> tuple[float, float, float]:
        """Where and when it was seen last."""
        return self.points[-1]

    @property
    def start_s(self) -> float:
        """When it was seen first."""
        return self.points[0][0]

    @property
    def end_s(self) -> float:
        """When it was seen last."""
        return self.points[-1][0]

    @property
    def start_mm(self) -> tuple[float, float]:
        """Where it was seen first."""
        return self.points[0][1:]

    @property
    def end_mm(self) -> tuple[float, float]:
        """Where it was seen last."""
        return self.points[-1][1:]

    @property
    def reach(self) -> float:
        """Its largest distance from its start, in mm."""
        _, x, y = self.points[0]
        return max(math.hypot(q[1] - x, q[2] - y) for q in self.points)

    @property
    def least(self) -> float:
        """Its smallest distance from the board's middle, in mm."""
        return min(math.hypot(q[1], q[2]) for q in self.points)

    @property
    def path(self) -> float:
        """Length of its way in mm."""
        steps = zip(self.points[:-1], self.points[1:], strict=True)
        return sum(math.hypot(b[1] - a[1], b[2] - a[2]) for a, b in steps)

    @property
    def outward(self) -> float:
        """Speed in mm/s away from the board's middle over the last points."""
        _, x, y = self.points[-1]
        vx, vy = self.speed()
        return (vx * x + vy * y) / max(math.hypot(x, y), 1.0)

    def speed(self) -> tuple[float, float]:
        """Velocity (x, y) in mm/s over the last points (0, 0 for a single one)."""
        if len(self.points) < 2:
            return 0.0, 0.0
        a, b = self.points[max(0, len(self.points) - 3)], self.points[-1]
        dt = max(b[0] - a[0], 1e-3)
        return (b[1] - a[1]) / dt, (b[2] - a[2]) / dt

    def first_velocity(self) -> tuple[float, float]:
        """Velocity (x, y) in mm/s over the first points."""
        if len(self.points) < 2:
            return 0.0, 0.0
        a, b = self.points[0], self.points[min(2, len(self.points) - 1)]
        dt = max(b[0] - a[0], 1e-3)
        return (b[1] - a[1]) / dt, (b[2] - a[2]) / dt


def pieces(track: Track) -> list[Track]:
    """The parts of a track between leaps, in order of time; the track itself where it has none."""
    points = track.points
    ends = [
        k for k in range(1, len(points))
        if points[k][0] - points[k - 1][0] > LEAP_S and math.dist(points[k][1:], points[k - 1][1:]) > LEAP_MM
    ]  # fmt: skip
    return [Track(points[a:b]) for a, b in zip([0, *ends], [*ends, len(points)], strict=True)] if ends else [track]


def scaled_track(track: Track, factor: float) -> Track:
    """The track with its lengths multiplied."""
    return Track([(t, x * factor, y * factor) for t, x, y in track.points])


@dataclass(frozen=True, slots=True)
class Start:
    """Where and when a shot disc left the shooting line (seconds, mm), and the track that tells it."""

    at: float
    xy: tuple[float, float]
    track: Track

    @property
    def strong(self) -> bool:
        """Whether the track alone is a shot: fingers make short and slow ones at most."""
        points = self.track.points
        path = self.track.path + math.dist(self.xy, points[0][1:])
        lasted = points[-1][0] - points[0][0]
        return len(points) >= STRONG_POINTS and path >= max(STRONG_PATH_MM, STRONG_SPEED_MM_S * min(lasted, STRONG_S))


def shot_start(track: Track, shooting: float) -> Start | None:
    """The start of the shot that a track is; None for a track that is no shot.

    A shot moves inwards by SHOT_PATH_MM or more from near the line of radius ``shooting`` mm. A track that begins
    farther out, with the finger that flicks the disc, is a shot if what follows is beyond doubt. One that leaps is
    looked at piece by piece.
    """
    starts = (_start_of(moving(part), shooting) for part in pieces(track))
    return next((s for s in starts if s is not None), None)


def moving(track: Track) -> Track:
    """The track from where what lay there began to move."""
    points, begin = track.points, 0
    for k in range(1, len(points)):
        if math.dist(points[k - 1][1:], points[0][1:]) > LAY_MM:
            break
        seconds = points[k][0] - points[0][0]
        slow = math.dist(points[k][1:], points[0][1:]) < SLOWEST_MM_S * seconds
        if slow and points[k][0] - points[k - 1][0] > LEAP_S:
            begin = k
    return Track(points[begin:]) if begin else track


def _start_of(track: Track, shooting: float) -> Start | None:
    inside = next((k for k, p in enumerate(track.points) if math.hypot(*p[1:]) <= FARTHEST_START * shooting), 0)
    if inside:
        found = _start_of(Track(track.points[inside:]), shooting)
        return None if found is None or not found.strong else Start(found.at, found.xy, track)
    if len(track.points) < 2 or track.path < SHOT_PATH_MM or track.reach < SHOT_REACH_MM:
        return None
    t, x, y = track.start
    vx, vy = track.first_velocity()
    speed = math.hypot(vx, vy)
    if speed < SLOWEST_MM_S or math.hypot(x, y) > FARTHEST_START * shooting:
        return None
    ux, uy = vx / speed, vy / speed
    # back along the way to the shooting line
    along = x * ux + y * uy
    under = along * along - (x * x + y * y - shooting * shooting)
    back = along + math.sqrt(max(under, 0.0))
    if under <= 0 or along > OUTWARD * shooting or back > min(LATEST_SEEN * shooting, UNSEEN_S * speed):
        return None
    start = Start(t - max(back, 0.0) / speed, (x - ux * back, y - uy * back), track)
    if track.least > shooting - SHOT_PATH_MM and not (start.strong and math.hypot(x, y) < SKIMS_FROM * shooting):
        return None
    return start

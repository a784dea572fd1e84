"""Which of the circles in a profile is which: the board's radii as ratios to its shooting line.

The windows below hold every board known to us: tournament boards (1/3, 2/3), family boards (0.34, 0.72) and others
(0.30, 0.61 to 0.37, 0.70). A line is a thin ridge, the surface's edge a step; without that test the edge or the rail is
taken for the shooting line.
"""

from dataclasses import dataclass

import numpy as np

from calibration.camera import Array
from calibration.polar import Profile

TEN_WINDOW = (0.585, 0.745)
FIFTEEN_WINDOW = (0.28, 0.39)
HOLE_WINDOW = (0.042, 0.072)
SURFACE_WINDOW = (1.05, 1.12)
RAIL_WINDOW = (1.18, 1.36)

BARE_WINDOWS = ((0.42, 0.56), (0.77, 0.96))
"""No board has a circle here: one that is found says that another radius is the shooting line."""

WINDOWS = np.array([TEN_WINDOW, FIFTEEN_WINDOW, HOLE_WINDOW, *BARE_WINDOWS, SURFACE_WINDOW, RAIL_WINDOW])
LINE_WINDOWS = 5
"""In the first five of the windows a line is looked for, in the others a step."""

STEP_AS_LINE = 0.55
"""A filled ring may end without a line; a step then stands for it, but counts less than a ridge."""

WEIGHTS = {"shooting": 1.0, "ten": 1.0, "fifteen": 1.0, "surface": 0.8, "hole": 0.5, "rail": 0.3, "bare": -0.8}


@dataclass(frozen=True)
class Labelling:
    """Radii in the profile's units of the circles taken for the board's, their evidence in 0..1, and the sum."""

    shooting: float
    ten: float
    fifteen: float
    surface: float
    evidence: dict[str, float]
    score: float


def _best(values: Array, radii: Array, low: int, high: int) -> tuple[float, float]:
    """(radius, value) of the largest of the values from number ``low`` to before ``high``; (0, 0) without any."""
    if high <= low:
        return 0.0, 0.0
    k = low + int(values[low:high].argmax())
    return float(radii[k]), float(values[k])


def floor_of(values: Array) -> float:
    """Evidence that circles of no board would have here: the median where anything was seen."""
    some = values[values > 0]
    return float(np.median(some)) if len(some) else 0.0


def label(p: Profile) -> Labelling | None:
    """The most likely labelling of a profile; None where no radius can be a shooting line."""
    line = np.maximum(p.ridge, STEP_AS_LINE * p.step)
    base_line, base_step = floor_of(line), floor_of(p.step)
    line = np.clip((line - base_line) / max(1 - base_line, 0.2), 0, 1)
    step = np.clip((p.step - base_step) / max(1 - base_step, 0.2), 0, 1)
    peaks = np.zeros(len(line), bool)
    peaks[1:-1] = (p.ridge[1:-1] >= p.ridge[:-2]) & (p.ridge[1:-1] >= p.ridge[2:])
    best: Labelling | None = None
    for k in np.nonzero(peaks & (line > 0.12))[0]:
        s = float(p.radii[k])
        if s < p.radii[0] / 0.2:
            continue
        ends = np.searchsorted(p.radii, s * WINDOWS).tolist()
        ten, fifteen, hole, *bares = (_best(line, p.radii, *e) for e in ends[:LINE_WINDOWS])
        surface, rail = (_best(step, p.radii, *e) for e in ends[LINE_WINDOWS:])
        bare = max(value for _, value in bares)
        evidence = {
            "shooting": float(line[k]), "ten": ten[1], "fifteen": fifteen[1],
            "surface": surface[1], "hole": hole[1], "rail": rail[1],
            "bare": bare,
        }  # fmt: skip
        score = sum(WEIGHTS[name] * value for name, value in evidence.items())
        if best is None or score > best.score:
            best = Labelling(s, ten[0], fifteen[0], surface[0], evidence, score)
    return best

"""What a gap is uncertain by, part by part, in millimetres.

The network's own sigma is trained on rendered discs from slightly wrong cameras; here it is recalibrated on scenes it
never saw (log sigma linear in log network sigma, log pixels per millimetre, tangent of the view angle and the direction
to the camera; fitted with a Student-t loss by ``training/fit_gap_sigma.py``), and joined with what it can't know.
"""

import math
from dataclasses import dataclass

from calibration.camera import Array
from calibration.view import BoardView
from vision.contact_patch import Cylinders, camera_axes

EDGE = (0.488, 1.043, -0.434, -0.012, 0.038)
"""log sigma = EDGE . (1, log network sigma, log pixels per mm, tan view angle, cosine of outward against camera)."""
EDGE_MIN_MM = 0.13
"""Least standard uncertainty assumed: on discs unlike its training data (drawn ones) the network errs by this much
however sure it is."""
LINE_MM = 0.05
"""Standard uncertainty of a line's radius beside a disc from grain and wear, beyond what the fit says."""
FOCAL_ABOVE, FOCAL_TILTED, FOCAL_HALF_DEG = 0.2, 0.01, 5.0
"""Relative standard uncertainty of a focal length solved from circles alone: a fifth from straight above, where it is
not told from the distance, a hundredth from aside, half-way at 5 degrees of tilt (measured on rendered scenes)."""
LEAN_SHARE = 0.5
"""Share of an error in how far the upper rim appears from the foot that goes into the place: what is seen best is the
middle between them."""


def focal_share(view: BoardView) -> float:
    """Relative standard uncertainty of the focal length, and so of the camera's distance."""
    said = view.camera.sigma
    if "focal_px" in said:
        return said["focal_px"] / float(view.camera.K[0, 0])
    return FOCAL_TILTED + FOCAL_ABOVE / (1 + (view.camera.tilt_deg / FOCAL_HALF_DEG) ** 2)


@dataclass(frozen=True)
class Budget:
    """What makes one disc's place and gaps uncertain, in mm.

    ``edge``: the network's sigmas towards the camera and sideways; ``radius``, ``height``, ``shift``: what all discs
    share; ``surprise``: what is odd about this one. ``detail``: pixels per millimetre there; ``azimuth`` (radians)
    points from the disc to the camera; ``tangent`` is that of the view angle.
    """

    edge: tuple[float, float]
    detail: float
    azimuth: float
    tangent: float
    radius: float
    height: float
    shift: float
    surprise: float

    @property
    def place(self) -> float:
        """Standard uncertainty of the place in mm, per direction."""
        toward = self._edge(1.0), self._edge(0.0)
        return math.sqrt((toward[0] ** 2 + toward[1] ** 2) / 2 + (LEAN_SHARE * self.shift) ** 2 + self.surprise**2)

    def _edge(self, cosine: float) -> float:
        sigma = math.hypot(cosine * self.edge[0], math.sqrt(1 - cosine * cosine) * self.edge[1])
        terms = (1.0, math.log(sigma), math.log(self.detail), self.tangent, cosine)
        return max(math.exp(sum(a * b for a, b in zip(EDGE, terms, strict=True))), EDGE_MIN_MM)

    def gap(self, bearing: float, line: float) -> tuple[tuple[tuple[str, float], ...], float]:
        """Parts and sum of the uncertainty of a gap at a bearing in radians; ``line`` is its inner edge's."""
        cosine = math.cos(bearing - self.azimuth)
        parts = (
            ("edge", math.hypot(self._edge(cosine), self.surprise)),
            ("pose", LEAN_SHARE * self.shift),
            ("line", math.hypot(LINE_MM, line)),
            ("radius", self.radius),
            ("height", LEAN_SHARE * self.height * self.tangent * abs(cosine)),
        )
        return parts, math.sqrt(sum(v * v for _, v in parts))


def budgets(
    view: BoardView,
    discs: Cylinders,
    sigma: Array,
    surprise: Array,
    shared: tuple[float, float, float],
    factor: float,
) -> list[Budget]:
    """Budget of each of N discs in a picture reduced by ``factor``; all uncertainties in mm.

    ``sigma`` (N, 2): the network's own, towards the camera and sideways; ``surprise`` (N,): what is odd about each
    disc; ``shared``: those of radius, height and shift, which all discs have in common.
    """
    ahead, _ = camera_axes(view, discs.centres)
    radius, height, shift = shared
    return [
        Budget(
            edge=(float(sigma[k, 0]), float(sigma[k, 1])),
            detail=max(view.px_per_mm(c) * factor, 0.05),
            azimuth=math.atan2(ahead[k, 1], ahead[k, 0]),
            tangent=math.tan(view.view_angle(c)),
            radius=radius,
            height=height,
            shift=shift,
            surprise=float(surprise[k]),
        )
        for k, c in enumerate(discs.centres)
    ]

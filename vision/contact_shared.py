"""What all discs of a picture share, in mm: their radius, and how far their upper rims appear from their feet.

A disc's upper rim appears beside its foot, away from the camera: its parallax. A camera taken for nearer than it is
makes all discs look lower by one share, a wrong tilt shifts all upper faces alike; so with a height and a shift that
all discs agree on, the parallax is right whatever the camera, which from straight above the lines can't tell.
"""

import math
from dataclasses import dataclass

import numpy as np

from calibration.camera import Array
from calibration.view import BoardView
from vision.contact_net import Offsets
from vision.contact_patch import Cylinders, parallax
from vision.contact_sigma import focal_share

RADIUS_PRIOR_MM = {"disc": 0.25, "nca": 0.12, "other": 0.8}
"""Standard deviation in mm of the discs' radius before their rims are asked: where somebody measured the discs or the
millimetres come from them, on a tournament board (C3; turned wood), and else (makers' discs are 25-38 mm across)."""
DETECTED_MIN_MM = 0.5
"""A radius by detection is trusted no further than this."""
HEIGHT_PRIOR_MM = {"nca": 0.4, "other": 1.5}
"""Standard deviation in mm of the discs' height before their walls are asked: on a tournament board (C3: about 3/8 in),
and else (makers' discs are 7-12 mm thick)."""
SHIFT_TILTS_DEG, SHIFT_PRIOR_MM = (0.0, 5.0, 10.0, 16.0), (0.1, 0.2, 0.2, 0.05)
"""Standard deviation in mm, by the camera's tilt, of how far the upper faces appear beside where the camera has them:
near the vertical, tilt and principal point can't be told apart by the lines (measured on rendered scenes)."""
POOL_FLOOR_MM = (0.12, 0.16, 0.06)
"""Errors of radius, of leans by the height, and of the shift in mm that all discs of a picture share (light, blur): no
pooling removes them. Measured, as those below, on scenes that the network hadn't seen."""
UNFAMILIAR_MM = (0.15, 0.5)
"""Least standard uncertainties of radius and height of discs that aren't a tournament board's: the network takes them
for somewhat more usual than they are."""

TAUGHT_MM, TAUGHT_LEAST = (0.45, 1.25, 0.22), 0.06
"""Spread of radius, height and shift in mm about the start as the network was taught them (``training.gap_data``), and
the least share of an answer that is taken for the picture's."""
TAUGHT_REACH = 3.0
"""Nothing is believed that lies farther from the start, in those spreads: it was never taught."""
USUAL_FOCAL, USUAL_SIDEWAYS = 0.25, 0.025
"""Relative standard uncertainty of the focal length, and of the camera's place sideways over its height, up to which
the network's discs were seen by wrongly solved cameras. Pictures cut out of larger ones are worse, and what it says of
height and shift then lies too near to where it starts."""
TAIL_MM = 0.5
"""A disc whose lean departs by this much from the others' counts half as much as its sigma says, or less."""
LEAN_ROUNDS = 4


@dataclass(frozen=True)
class Shared:
    """Radius, height as it shows, shift of the upper faces, and their standard uncertainties; all in mm."""

    radius: float
    height: float
    shift: tuple[float, float]
    sigma: tuple[float, float, float]


def believed_first(view: BoardView, radius: tuple[float, float]) -> Shared:
    """What is known of the discs before their rims are asked; ``radius`` with its sigma."""
    sigma = radius[1], _height_prior(view, radius[0]), _shift_prior(view)
    return Shared(radius[0], view.board.disc_height, (0.0, 0.0), sigma)


def agreed(view: BoardView, known: Cylinders, said: Offsets, axes: Array, prior: Shared) -> Shared:
    """What the discs agree on, given what the network says of each about ``known`` and what was believed first.

    ``axes`` (N, 2, 2): unit vectors on the board, towards the camera and to its left. Height and shift are fitted to
    all leans together (each is a disc's parallax for one of height, times the height's error, and the shift's) by
    least squares, outliers counting less.
    """
    value, own = _untaught(said.value[:, 2], said.sigma[:, 2], np.full(len(known), TAUGHT_MM[0]))
    radius, radius_sigma = _pooled(known.radius[0] + value, own, prior.radius, prior.sigma[0], POOL_FLOOR_MM[0])
    away = parallax(view, known)
    steep = np.linalg.norm(away, axis=1)
    taught = np.column_stack([np.hypot(TAUGHT_MM[1] * steep, TAUGHT_MM[2]), np.full(len(known), TAUGHT_MM[2])])
    lean, sigma = _untaught(said.value[:, 3:], said.sigma[:, 3:], taught)
    # lean . axis = height . (parallax . axis) + shift . axis, for both axes of all discs
    terms = np.concatenate([np.einsum("ni,nki->nk", away, axes)[..., None], axes], axis=2).reshape(-1, 3)
    wanted, weak = lean.ravel(), sigma.ravel() ** 2
    first = np.array([prior.height - known.height[0], prior.shift[0] - known.shift[0], prior.shift[1] - known.shift[1]])
    stiff = np.diag(1 / np.array([prior.sigma[1], prior.sigma[2], prior.sigma[2]]) ** 2)
    found, left = first, np.zeros_like(wanted)
    for _ in range(LEAN_ROUNDS):
        weight = 1 / (weak * (1 + (left / TAIL_MM) ** 2))
        normal = stiff + (terms * weight[:, None]).T @ terms
        found = np.linalg.solve(normal, stiff @ first + terms.T @ (weight * wanted))
        left = wanted - terms @ found
    spread = np.sqrt(np.diag(np.linalg.inv(normal)))
    floor = POOL_FLOOR_MM[1] / max(float(np.sqrt((steep**2).mean())), 1e-3)
    beyond = _beyond_taught(view)
    height_sigma = math.hypot(min(math.hypot(spread[0], floor), prior.sigma[1]), beyond[0])
    shift_sigma = math.hypot(min(math.hypot(float(spread[1:].max()), POOL_FLOOR_MM[2]), prior.sigma[2]), beyond[1])
    shift = known.shift[0] + float(found[1]), known.shift[1] + float(found[2])
    return Shared(radius, float(known.height[0] + found[0]), shift, (radius_sigma, height_sigma, shift_sigma))


def given_lean(view: BoardView, known: Cylinders, said: Offsets, axes: Array, shared: Shared) -> tuple[Array, Array]:
    """Offsets (N, 2) of the feet and the middles' sigmas (N, 2), once it is agreed on how far the upper rims lean.

    The network sees the middle between a disc's two rings best; which part of what it sees is rim and which is foot,
    all discs together know better than one.
    """
    change = parallax(view, known) * (shared.height - known.height)[:, None] + np.subtract(shared.shift, known.shift)
    lean = np.einsum("ni,nki->nk", change, axes)
    return said.value[:, :2] - lean / 2, said.sigma[:, :2]


def _untaught(value: Array, sigma: Array, taught: Array) -> tuple[Array, Array]:
    """What a network's values and sigmas say without the spread of the answers that it was ``taught`` with.

    It gives the mean of what is left possible, which lies towards the start where a disc shows little; pooled as they
    are, many discs would agree on the start.
    """
    share = np.maximum(1 - (sigma / taught) ** 2, TAUGHT_LEAST)
    reach = TAUGHT_REACH * taught
    return np.clip(value / share, -reach, reach), sigma / np.sqrt(share)


def radius_prior(view: BoardView, detected: tuple[float, float] | None) -> tuple[float, float]:
    """Radius of the discs in mm and its sigma before the pictures of their rims are asked.

    ``detected``: as detection saw it, with its sigma. A tournament board's discs may be another maker's all the same.
    """
    given = view.board.disc_radius
    if view.discs_given:
        return given, RADIUS_PRIOR_MM["disc"]
    if view.tournament_discs(*(detected or (given, 0.0))):
        return given, RADIUS_PRIOR_MM["nca"]
    if detected is None:
        return given, RADIUS_PRIOR_MM["other"]
    return detected[0], max(detected[1], DETECTED_MIN_MM)


def _height_prior(view: BoardView, radius: float) -> float:
    """Standard deviation in mm of the discs' height as it shows, before their walls are asked; ``radius`` in mm.

    From above, focal length and distance can't be told apart by the lines; a camera taken for nearer than it is makes
    all discs look lower by the same share. So what their walls show is taken as it is: it corrects the parallax.
    """
    own = HEIGHT_PRIOR_MM["nca" if view.tournament_discs(radius) else "other"]
    return math.hypot(own, focal_share(view) * view.board.disc_height)


def _shift_prior(view: BoardView) -> float:
    """Standard deviation in mm of the upper faces' shift before the discs are asked."""
    usual = float(np.interp(view.camera.tilt_deg, SHIFT_TILTS_DEG, SHIFT_PRIOR_MM))
    return math.hypot(usual, view.camera.sigma.get("sideways", 0.0) * view.board.disc_height)


def _beyond_taught(view: BoardView) -> tuple[float, float]:
    """Doubt in mm about height and shift of the upper faces where the camera is known less than the network's were."""
    focal, sideways = focal_share(view), view.camera.sigma.get("sideways", 0.0)
    unknown = max(focal**2 - USUAL_FOCAL**2, 0.0), max(sideways**2 - USUAL_SIDEWAYS**2, 0.0)
    return view.board.disc_height * math.sqrt(unknown[0]), view.board.disc_height * math.sqrt(unknown[1])


def _pooled(values: Array, sigmas: Array, first: float, prior: float, floor: float) -> tuple[float, float]:
    """Weighted mean of what each disc says, without outliers, joined with what was believed first; and its sigma."""
    middle = float(np.median(values))
    weight = 1 / (sigmas**2 + (values - middle) ** 2 / 4)
    mean = float((weight * values).sum() / weight.sum())
    variance = 1 / float((1 / sigmas**2).sum()) + floor**2
    joint = 1 / (1 / variance + 1 / prior**2)
    return joint * (mean / variance + first / prior**2), math.sqrt(joint)

"""Turns a board's axes: as the JSON format defines them, or as they lay when the board was seen before.

The first needs the angle of the quadrant lines in one picture, the second the angle between two pictures of one board.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.scale import Scale
from calibration.view import BoardView
from vision.frames import Frame
from vision.lens import Gray, Lens
from vision.video import as_luma

TURN_STEP_DEG = 0.25
RIDGE_MM = 3.5
"""A quadrant line is brighter or darker than the surface this far on either side of it."""
LINE_STANDS_OUT = 5.0
"""Quadrant lines are believed where their ridge is this many times the usual one at other angles."""
TURN_BELIEVED = 0.12
"""From this agreement of two pictures of one board on, the turn found between them is believed."""


@dataclass(frozen=True, slots=True)
class Sizing:
    """The size of a board as its first discs gave it: a factor for its mm, and the discs' radius then."""

    factor: float
    disc_radius: float
    scale: Scale

    def of(self, view: BoardView) -> BoardView:
        """The view, its millimetres as yet assumed, with those that the discs gave."""
        return view.scaled(self.factor, self.scale).with_discs(self.disc_radius)


def aligned(view: BoardView, frame: Frame, sizing: Sizing | None, before: tuple[Lens, Gray] | None) -> BoardView:
    """The view with its axes as the JSON format defines them: y up in the picture, quadrant lines on the diagonals.

    ``before``: the board as it was seen before; its axes are kept, whatever the camera does.
    """
    if sizing is not None:
        view = sizing.of(view)
    view = view.turned(view.upright_turn())
    gray = np.asarray(cv2.cvtColor(frame.pixels, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    turn = quadrant_turn(gray, view)
    if turn is not None:
        view = view.turned(turn)
    if before is None:
        return view
    lens, looked = before
    luma, to_plane = as_luma(frame)
    now = Lens(view, to_plane).look(luma)
    quarter = np.pi / 2
    steps = None if turn is None else (0.0, quarter, -quarter, 2 * quarter)
    by, agreement = turn_between(looked, now, lens, steps)
    if agreement < TURN_BELIEVED:
        return view
    if steps is not None:
        by = round(by / quarter) * quarter
    view = view.turned(by)
    return view.with_discs(lens.view.board.disc_radius)


def quadrant_turn(image: Gray, view: BoardView) -> float | None:
    """Turn in radians, in (-pi/4, pi/4], that puts the quadrant lines on the diagonals; None where none is seen.

    ``image`` is (H, W) uint8 as the view's camera saw it.
    """
    board = view.board
    angles = np.deg2rad(np.arange(0, 360, TURN_STEP_DEG))
    score = np.zeros(len(angles))
    margin = 2.5 * board.disc_radius / 4
    for inner, outer in ((board.fifteen, board.ten), (board.ten, board.shooting)):
        radii = np.linspace(inner + margin, outer - margin, 24)
        ring = np.stack([np.outer(radii, np.cos(angles)), np.outer(radii, np.sin(angles))], axis=-1)
        side = RIDGE_MM * np.stack([-np.sin(angles), np.cos(angles)], axis=-1)[None]
        left, middle, right = (
            cv2.remap(image, *view.sampling_map(ring + k * side), cv2.INTER_LINEAR).astype(np.float32)
            for k in (-1.0, 0.0, 1.0)
        )
        ridge = middle - (left + right) / 2
        step = np.abs(left - right)
        score += np.abs(np.median(np.where(step < np.abs(ridge), ridge, 0.0), axis=0))
    folded = score.reshape(4, -1)
    joint = np.sort(folded, axis=0)[1:].sum(axis=0)  # a logo counts in one quadrant only
    best = int(np.argmax(joint))
    usual = float(np.median(joint)) + 1.4826 * float(np.median(np.abs(joint - np.median(joint)))) + 0.5
    if joint[best] < LINE_STANDS_OUT * usual:
        return None
    turn = angles[best] - np.pi / 4
    return float((turn + np.pi / 4) % (np.pi / 2) - np.pi / 4)


def turn_between(before: Gray, after: Gray, lens: Lens, steps: tuple[float, ...] | None = None) -> tuple[float, float]:
    """Turn in radians by which the board in ``after`` appears turned against ``before``, and how well they then agree.

    Both are squares (size, size) uint8 of a lens. ``steps`` restricts the turns that are considered. What lies at
    azimuth a before lies at a + turn after.
    """
    count, rings = 1440, 64
    polar = []
    far = 1.06 * lens.view.board.shooting / lens.mm_per_px
    centre = ((lens.size - 1) / 2, (lens.size - 1) / 2)
    for picture in (before, after):
        p = cv2.warpPolar(picture, (rings, count), centre, far, cv2.WARP_POLAR_LINEAR).astype(np.float32)
        p = p[:, 8:]
        p = p - cv2.blur(p, (1, 121), borderType=cv2.BORDER_REPLICATE)
        limit = 2.5 * p.std(axis=0, keepdims=True) + 1e-3
        p = np.clip(p, -limit, limit)
        polar.append(p / (p.std(axis=0, keepdims=True) + 1.0))
    spectra = [np.fft.rfft(p, axis=0) for p in polar]
    match = np.fft.irfft((np.conj(spectra[0]) * spectra[1]).sum(axis=1), count)
    match /= np.sqrt((polar[0] ** 2).sum() * (polar[1] ** 2).sum()) + 1e-6
    turns = -2 * np.pi * np.arange(count) / count  # polar rows run with image y downwards
    turns = (turns + np.pi) % (2 * np.pi) - np.pi
    if steps is not None:
        near = np.min(np.abs(np.angle(np.exp(1j * (turns[:, None] - np.array(steps)[None])))), axis=1)
        match = np.where(near < np.deg2rad(3.0), match, -1.0)
    best = int(np.argmax(match))
    return float(turns[best]), float(match[best])

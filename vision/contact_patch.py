"""The picture around a disc, unrolled along the two circles that its outline is made of.

A disc that lies flat is a cylinder. What shows of it ends on the far side at its upper rim and on the near side
where its wall meets the board, so two rings are sampled, both of 64 angles by 28 distances from the outline: one in
the plane of the upper face, one in the plane of the board. Angle zero points towards the camera's foot, so that
every disc is seen from the same side whatever its place; a turn of the camera changes nothing, and a mirror image is
the same patch with its angles reversed.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array
from calibration.view import BoardView

ANGLES = 64
STEPS = 28
STEP_MM = 0.5
"""Near one pixel of an ordinary photograph (0.7-1.6 pixels a mm): finer steps would sample nothing new."""
INSIDE_MM = 6.5
"""How far inside the outline a ring begins: past bevel and highlight, and beyond the worst start."""
DETAIL_PX_PER_MM = 2.0
"""Pictures with more detail than this are reduced first, so that the steps do not skip over pixels."""

CHANNELS = 12
"""Colour of both rings (2 x 3), what hides them (2), painted lines (2), and two constants (see ``patches``)."""

Patch = NDArray[np.uint8]


@dataclass(frozen=True)
class Cylinders:
    """Flat discs as solids, in mm: centres (N, 2), radius (N,), height (N,) and the height they lie at, ``base``."""

    centres: Array
    radius: Array
    height: Array
    base: float = 0.0

    def moved(self, by: Array) -> "Cylinders":
        """Return the same discs moved by (N, 2) mm."""
        return Cylinders(self.centres + by, self.radius, self.height, self.base)

    def __len__(self) -> int:
        return len(self.centres)


def camera_axes(view: BoardView, centres: Array) -> tuple[Array, Array]:
    """Unit vectors (N, 2) on the board at ``centres`` (N, 2): towards the camera's foot, and that turned left."""
    d = view.camera.centre[:2] - centres
    n = np.linalg.norm(d, axis=1, keepdims=True)
    ahead = np.where(n > 1e-6, d / np.maximum(n, 1e-6), np.array([1.0, 0.0]))
    return ahead, np.column_stack([-ahead[:, 1], ahead[:, 0]])


def prepare(image: NDArray[np.uint8], view: BoardView, near: Array) -> tuple[NDArray[np.uint8], float]:
    """Reduce a picture that holds more than :data:`DETAIL_PX_PER_MM` over ``near`` (N, 2); return it and the factor."""
    scale = max((view.px_per_mm(c) for c in near), default=1.0)
    if scale <= DETAIL_PX_PER_MM:
        return image, 1.0
    factor = DETAIL_PX_PER_MM / scale
    h, w = image.shape[:2]
    size = (max(1, round(w * factor)), max(1, round(h * factor)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8), size[0] / w


def _rings(view: BoardView, discs: Cylinders) -> tuple[Array, Array]:
    """Board points (N, 2, ANGLES, STEPS, 2) in mm of the upper and the lower ring, and their heights (N, 2)."""
    ahead, left = camera_axes(view, discs.centres)
    turn = np.arange(ANGLES) * (2 * np.pi / ANGLES)
    way = np.cos(turn)[None, :, None] * ahead[:, None] + np.sin(turn)[None, :, None] * left[:, None]
    reach = discs.radius[:, None] + (np.arange(STEPS) * STEP_MM - INSIDE_MM)
    ring = discs.centres[:, None, None] + way[:, :, None] * reach[:, None, :, None]
    height = np.column_stack([discs.base + discs.height, np.full(len(discs), discs.base)])
    return np.repeat(ring[:, None], 2, axis=1), height


def on_plane(view: BoardView, points: Array, height: Array, plane: float) -> Array:
    """Where the rays through ``points`` (..., 2) at ``height`` (broadcast to ``...``) meet the plane at ``plane``."""
    eye = view.camera.centre
    share = (eye[2] - plane) / (eye[2] - height)
    return np.asarray(eye[:2] + (points - eye[:2]) * share[..., None])


def _inside_hull(
    view: BoardView, points: Array, discs: Cylinders, which: NDArray[np.intp], margin: float
) -> NDArray[np.bool_]:
    """Which of ``points`` (N, M, 2) on the plane of the board lie in the shadow that disc ``which`` (N,) throws.

    The shadow of a cylinder, seen from the camera, is the hull of two circles; a point lies in it where it is nearer to
    the segment between their centres than the radius there.
    """
    eye = view.camera.centre
    low = discs.centres[which]
    grow = (eye[2] - discs.base) / (eye[2] - discs.base - discs.height[which])
    high = eye[:2] + (low - eye[:2]) * grow[:, None]
    along = high - low
    length = np.maximum((along**2).sum(1), 1e-9)
    share = np.clip(((points - low[:, None]) * along[:, None]).sum(2) / length[:, None], 0.0, 1.0)
    gap = np.linalg.norm(points - low[:, None] - share[..., None] * along[:, None], axis=2)
    radius = discs.radius[which][:, None] * (1 + share * (grow[:, None] - 1))
    return np.asarray(gap < radius + margin)


def hidden(view: BoardView, ground: Array, discs: Cylinders, others: Cylinders) -> NDArray[np.bool_]:
    """Which of the points (N, M, 2) around ``discs`` show one of ``others`` instead, front to back.

    ``ground`` are the points on the plane of the board. A disc nearer to the camera hides what lies behind it; one
    farther away counts only where the disc itself doesn't hide it. A disc is never hidden by itself (others within
    a third of a radius are taken for it).
    """
    out = np.zeros(ground.shape[:2], bool)
    if not len(others):
        return out
    eye = view.camera.centre[:2]
    far = np.linalg.norm(discs.centres[:, None] - others.centres[None], axis=2)
    reach = 3.5 * discs.radius[:, None] + others.radius[None]
    i, j = np.nonzero((far < reach) & (far > discs.radius[:, None] / 3))
    if not len(i):
        return out
    cover = _inside_hull(view, ground[i], others, j, 0.0)
    own = _inside_hull(view, ground[i], discs, i, 0.0)
    front = np.linalg.norm(others.centres[j] - eye, axis=1) < np.linalg.norm(discs.centres[i] - eye, axis=1)
    np.logical_or.at(out, i, cover & (front[:, None] | ~own))
    return out


def hidden_ground(view: BoardView, ground: Array, others: Cylinders, margin: float) -> NDArray[np.bool_]:
    """Which points (N, M, 2) of the board's surface lie behind one of ``others`` or within ``margin`` mm of it."""
    out = np.zeros(ground.shape[:2], bool)
    flat = ground.reshape(1, -1, 2)
    for k in range(len(others)):
        near = np.linalg.norm(flat[0] - others.centres[k], axis=1) < 6 * others.radius[k]
        spot = _inside_hull(view, flat[:, near], others, np.array([k]), margin)
        out.reshape(-1)[near] |= spot[0]
    return out


def patches(image: NDArray[np.uint8], factor: float, view: BoardView, discs: Cylinders, others: Cylinders) -> Patch:
    """Patches (N, CHANNELS, ANGLES, STEPS) of ``discs`` in a picture reduced by ``factor`` (see ``prepare``).

    Channels, all uint8: square-root blue, green, red of the upper ring, then of the lower ring; what hides the upper
    and the lower ring (neighbours, the picture's edge); how much of a step is painted line, upper and lower; and two
    constants: tangent of the view angle (128 a unit) and pixels a millimetre (80 a unit).
    """
    n = len(discs)
    out = np.zeros((n, CHANNELS, ANGLES, STEPS), np.uint8)
    if not n:
        return out
    ring, height = _rings(view, discs)
    points = np.concatenate([ring, np.broadcast_to(height[:, :, None, None, None], (*ring.shape[:4], 1))], axis=-1)
    px = view.camera.project(points.reshape(-1, 3))
    small = ((px + 0.5) * factor - 0.5).astype(np.float32).reshape(n * 2 * ANGLES, STEPS, 2)
    colour = cv2.remap(image, small[..., 0], small[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).reshape(
        n, 2, ANGLES, STEPS, 3
    )
    root = np.round(np.sqrt(np.arange(256) * 255.0)).astype(np.uint8)
    out[:, :6] = root[colour].transpose(0, 1, 4, 2, 3).reshape(n, 6, ANGLES, STEPS)
    ground = on_plane(view, ring, np.broadcast_to(height[:, :, None, None], ring.shape[:4]), discs.base)
    size = np.array([view.camera.width - 1, view.camera.height - 1])
    beyond = ((px < 0) | (px > size)).any(1).reshape(n, 2, ANGLES, STEPS)
    masked = hidden(view, ground.reshape(n, -1, 2), discs, others).reshape(beyond.shape) | beyond
    out[:, 6:8] = masked * np.uint8(255)
    if discs.base == 0.0:
        rho = np.linalg.norm(ground, axis=-1)
        cover = np.zeros(rho.shape)
        for low, high in zip(view.board.inner_edges, view.board.outer_edges, strict=True):
            cover += np.clip(
                (np.minimum(rho, high - STEP_MM / 2) - np.maximum(rho, low + STEP_MM / 2)) / STEP_MM + 1, 0, 1
            )
        out[:, 8:10] = np.round(255 * np.clip(cover, 0, 1)).astype(np.uint8)
    tangent = np.tan([view.view_angle(c) for c in discs.centres])
    detail = np.array([view.px_per_mm(c) for c in discs.centres]) * factor
    constants = np.column_stack([128 * tangent, 80 * detail])
    out[:, 10:12] = np.clip(np.round(constants), 0, 255).astype(np.uint8)[:, :, None, None]
    return out

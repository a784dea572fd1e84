"""The picture around a disc, unrolled along the two circles that its outline is made of.

A disc that lies flat is a cylinder. What shows of it ends on the far side at its upper rim and on the near side
where its wall meets the board, so two rings are sampled, both of 64 angles by 28 distances from the outline: one in
the plane of the upper face, one in the plane of the board. Angle zero points towards the camera's foot, so that
every disc is seen from the same side whatever its place; a turn of the camera changes nothing, and a mirror image is
the same patch with its angles reversed.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Array, resized_px
from calibration.view import BoardView

ANGLES = 64
STEPS = 28
STEP_MM = 0.5
"""About one pixel of an ordinary photograph (0.7-1.6 pixels per mm): finer steps would sample nothing new."""
INSIDE_MM = 6.5
"""How far inside the outline a ring begins: past bevel and highlight, and beyond the worst start."""
DETAIL_PX_PER_MM = 2.0
"""Pictures with more detail than this are reduced first, so that no pixels are skipped between two steps."""

CHANNELS = 12
"""Colour of both rings (2 x 3), what hides them (2), painted lines (2), and two constants (see ``patches``)."""

Patches = NDArray[np.uint8]
"""N of them: (N, CHANNELS, ANGLES, STEPS)."""


@dataclass(frozen=True)
class Cylinders:
    """Flat discs as solids, in mm: centres (N, 2), radius (N,), height (N,) and the height they lie at, ``base``.

    ``shift``: how far all upper faces appear beside where the camera has them, which is what a wrong tilt does.
    """

    centres: Array
    radius: Array
    height: Array
    base: float = 0.0
    shift: tuple[float, float] = (0.0, 0.0)

    def moved(self, by: Array) -> "Cylinders":
        """Return the same discs moved by (N, 2) mm."""
        return replace(self, centres=self.centres + by)

    def __len__(self) -> int:
        return len(self.centres)


def joined(some: Cylinders, more: Cylinders) -> Cylinders:
    """Discs on one plane together; the shift is that of the first."""
    if not len(more):
        return some
    return Cylinders(
        np.concatenate([some.centres, more.centres]),
        np.concatenate([some.radius, more.radius]),
        np.concatenate([some.height, more.height]),
        some.base,
        some.shift,
    )


def parallax(view: BoardView, discs: Cylinders) -> Array:
    """How far (N, 2) in mm each upper face appears from its foot, away from the camera, for one of height."""
    eye = view.camera.centre
    return np.asarray((discs.centres - eye[:2]) / (eye[2] - discs.base - discs.height)[:, None])


def camera_axes(view: BoardView, centres: Array) -> tuple[Array, Array]:
    """Unit vectors (N, 2) on the board at ``centres`` (N, 2): towards the camera's foot, and that turned left."""
    d = view.camera.centre[:2] - centres
    n = np.linalg.norm(d, axis=1, keepdims=True)
    ahead = np.where(n > 1e-6, d / np.maximum(n, 1e-6), np.array([1.0, 0.0]))
    return ahead, np.column_stack([-ahead[:, 1], ahead[:, 0]])


def prepare(image: NDArray[np.uint8], view: BoardView, near: Array) -> tuple[NDArray[np.uint8], float]:
    """Reduce a picture that holds more than :data:`DETAIL_PX_PER_MM` over ``near`` (N, 2); return it and the factor."""
    scale = float(view.scales(near).max(initial=0.0))
    if scale <= DETAIL_PX_PER_MM:
        return image, 1.0
    factor = DETAIL_PX_PER_MM / scale
    h, w = image.shape[:2]
    size = (max(1, round(w * factor)), max(1, round(h * factor)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8), size[0] / w


def _rings(view: BoardView, discs: Cylinders) -> tuple[Array, Array]:
    """Board points, x and y (2, N, ANGLES, STEPS) in mm, of the rings about ``discs``, the same for upper and lower."""
    ahead, left = camera_axes(view, discs.centres)
    turn = np.arange(ANGLES) * (2 * np.pi / ANGLES)
    reach = (discs.radius[:, None] + (np.arange(STEPS) * STEP_MM - INSIDE_MM))[:, None, :]
    x, y = (
        discs.centres[:, k, None, None]
        + (np.cos(turn) * ahead[:, k, None] + np.sin(turn) * left[:, k, None])[:, :, None] * reach
        for k in (0, 1)
    )
    return x, y


def _shadow_ends(view: BoardView, discs: Cylinders) -> tuple[Array, Array]:
    """Middles (N, 2) on the plane of the board of the upper faces' shadows, and how much wider (N,) they are."""
    eye = view.camera.centre
    grow = (eye[2] - discs.base) / (eye[2] - discs.base - discs.height)
    return eye[:2] + (discs.centres - eye[:2]) * grow[:, None], grow


def _in_shadow(
    view: BoardView, x: Array, y: Array, discs: Cylinders, which: NDArray[np.intp], margin: float = 0.0
) -> NDArray[np.bool_]:
    """Which (K, M) of the points x, y (M,) on the plane of the board lie in the shadows of K of ``discs``.

    The shadow of a cylinder, seen from the camera, is the hull of two circles; a point lies in it where it is nearer to
    the segment between their centres than the radius there.
    """
    low = discs.centres[which]
    high, grow = (v[which] for v in _shadow_ends(view, discs))
    along = high - low
    size = np.maximum((along**2).sum(1), 1e-9)
    (low_x, low_y), (along_x, along_y) = low.T[..., None], along.T[..., None]
    dx, dy = x - low_x, y - low_y
    share = np.clip((dx * along_x + dy * along_y) / size[:, None], 0.0, 1.0)
    dx -= share * along_x
    dy -= share * along_y
    radius = discs.radius[which][:, None] * (1 + share * (grow[:, None] - 1)) + margin
    return np.asarray(dx * dx + dy * dy < radius * radius, dtype=np.bool_)


def _may_hide(view: BoardView, discs: Cylinders, others: Cylinders) -> NDArray[np.bool_]:
    """Which (N, O) of ``others`` may hide something of what lies around ``discs``.

    The rings about a disc, brought down to the plane of the board, and another disc's shadow both lie within circles
    about the middles of their shadows.
    """
    far = np.linalg.norm(discs.centres[:, None] - others.centres[None], axis=2)
    middles, reaches = [], []
    for solids, beyond in ((discs, STEPS * STEP_MM - INSIDE_MM), (others, 0.0)):
        high, grow = _shadow_ends(view, solids)
        half = np.linalg.norm(high - solids.centres, axis=1) / 2
        middles.append((high + solids.centres) / 2)
        reaches.append((solids.radius + beyond) * grow + half)
    apart = np.linalg.norm(middles[0][:, None] - middles[1][None], axis=2)
    near = (far < 3.5 * discs.radius[:, None] + others.radius) & (apart < reaches[0][:, None] + reaches[1])
    return np.asarray(near & (far > discs.radius[:, None] / 3), dtype=np.bool_)


def hidden(view: BoardView, x: Array, y: Array, discs: Cylinders, others: Cylinders) -> NDArray[np.bool_]:
    """Which (N, M) of the points x, y (N, M) around ``discs`` show one of ``others`` instead, front to back.

    The points lie on the plane of the board. A disc nearer to the camera hides what lies behind it; one farther away
    counts only where the disc itself doesn't hide it. A disc is never hidden by itself (others within a third of a
    radius are taken for it).
    """
    out = np.zeros(x.shape, bool)
    if not len(others):
        return out
    eye = view.camera.centre[:2]
    away, others_away = (np.linalg.norm(d.centres - eye, axis=1) for d in (discs, others))
    for i, near in enumerate(_may_hide(view, discs, others)):
        which = np.nonzero(near)[0]
        if not len(which):
            continue
        cover = _in_shadow(view, x[i], y[i], others, which)
        behind = others_away[which] >= away[i]
        if behind.any():
            cover[behind] &= ~_in_shadow(view, x[i], y[i], discs, np.array([i]))
        out[i] = cover.any(0)
    return out


def hidden_ground(view: BoardView, ground: Array, others: Cylinders, margin: float) -> NDArray[np.bool_]:
    """Which points (N, M, 2) of the board's surface lie behind one of ``others`` or within ``margin`` mm of it.

    The M points of a row lie near each other, next to the disc's size.
    """
    out = np.zeros(ground.shape[:2], bool)
    middle = ground[:, ground.shape[1] // 2]
    for k in range(len(others)):
        rows = np.nonzero(np.linalg.norm(middle - others.centres[k], axis=1) < 6 * others.radius[k])[0]
        x, y = ground[rows].reshape(-1, 2).T
        out[rows] |= _in_shadow(view, x, y, others, np.array([k]), margin).reshape(len(rows), ground.shape[1])
    return out


def patches(image: NDArray[np.uint8], factor: float, view: BoardView, discs: Cylinders, others: Cylinders) -> Patches:
    """Patches (N, CHANNELS, ANGLES, STEPS) of ``discs`` in a picture reduced by ``factor`` (see ``prepare``).

    Channels, all uint8: square-root blue, green, red of the upper ring, then of the lower ring; what hides the upper
    and the lower ring (neighbours, the picture's edge); how much of a step is painted line, upper and lower; and two
    constants: tangent of the view angle (times 128) and pixels per millimetre (times 80).
    """
    n = len(discs)
    out = np.zeros((n, CHANNELS, ANGLES, STEPS), np.uint8)
    if not n:
        return out
    eye = view.camera.centre
    x, y = _rings(view, discs)
    root = np.round(np.sqrt(np.arange(256) * 255.0)).astype(np.uint8)
    feet = np.full(n, discs.base)
    for k, (height, shift) in enumerate(((discs.base + discs.height, discs.shift), (feet, (0.0, 0.0)))):
        there_x, there_y = x + shift[0], y + shift[1]
        u, v = view.camera.pixels_of(there_x, there_y, height[:, None, None])
        small_u, small_v = (resized_px(c, factor).astype(np.float32).reshape(-1, STEPS) for c in (u, v))
        colour = cv2.remap(image, small_u, small_v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        out[:, 3 * k : 3 * k + 3] = cv2.LUT(colour, root).reshape(n, ANGLES, STEPS, 3).transpose(0, 3, 1, 2)
        # where the rays through the ring meet the plane of the board
        share = ((eye[2] - discs.base) / (eye[2] - height))[:, None, None]
        down_x, down_y = eye[0] + (there_x - eye[0]) * share, eye[1] + (there_y - eye[1]) * share
        masked = (u < 0) | (v < 0) | (u > view.camera.width - 1) | (v > view.camera.height - 1)
        masked |= hidden(view, down_x.reshape(n, -1), down_y.reshape(n, -1), discs, others).reshape(masked.shape)
        out[:, 6 + k] = masked * np.uint8(255)
        if discs.base == 0.0:
            out[:, 8 + k] = np.round(255 * _painted(view, np.sqrt(down_x * down_x + down_y * down_y)))
    tangent = np.linalg.norm(discs.centres - eye[:2], axis=1) / eye[2]
    detail = view.scales(discs.centres) * factor
    constants = np.column_stack([128 * tangent, 80 * detail])
    out[:, 10:12] = np.clip(np.round(constants), 0, 255).astype(np.uint8)[:, :, None, None]
    return out


def _painted(view: BoardView, rho: Array) -> Array:
    """Share in 0..1 of a step at each distance ``rho`` in mm from the board's centre that is painted line."""
    cover = np.zeros(rho.shape)
    for low, high in zip(view.board.inner_edges, view.board.outer_edges, strict=True):
        edge = np.minimum(rho, high - STEP_MM / 2) - np.maximum(rho, low + STEP_MM / 2)
        cover += np.clip(edge / STEP_MM + 1, 0, 1)
    return np.clip(cover, 0, 1)

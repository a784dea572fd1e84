"""Frames: pixels with their source and time, upright and with square pixels, from picture files.

A :class:`Frame` is what every reader looks at. It may have fewer pixels than the picture as shown (very large pictures
are reduced), and they are square even where the file's are not; :meth:`Frame.to_shown` leads back.
"""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.camera import Array
from vision.formats import WORKING_PIXELS, Decoded, Pixels, decode, open_header
from vision.picture_files import opened

ASPECT_RANGE = (0.5, 2.0)
"""Believable ratios of a pixel's width to its height (video knows 0.89 to 2); others are errors in the file."""

ASPECT_TOLERANCE = 0.004
"""Densities in whole numbers a metre or an inch differ by up to this share through rounding."""

FILM_DIAGONAL_MM = 43.27
"""Diagonal of the 36 x 24 mm frame, to which EXIF's 35 mm equivalent focal length refers (CIPA DCG-001)."""

CROP_TOLERANCE = 0.02
"""A picture was cropped if its shape differs by more from the one EXIF gives: its focal length is then void."""

TURNS: dict[int, tuple[int | None, int | None]] = {
    1: (None, None),
    2: (None, 1),
    3: (cv2.ROTATE_180, None),
    4: (None, 0),
    5: (cv2.ROTATE_90_CLOCKWISE, 1),
    6: (cv2.ROTATE_90_CLOCKWISE, None),
    7: (cv2.ROTATE_90_COUNTERCLOCKWISE, 1),
    8: (cv2.ROTATE_90_COUNTERCLOCKWISE, None),
}
"""EXIF orientation -> (rotation, then flip) that makes the stored raster upright."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture, ready to be read.

    ``pixels``: BGR (H, W, 3) uint8, upright, square pixels. ``width``, ``height``: of the picture as shown, in its own
    pixels (upright raster of the file). ``scale``: (x, y) pixels as shown for one pixel here. ``timestamp``: seconds
    in the source. ``focal_px``: focal length in pixels *of this frame* from EXIF, None without. ``real``: the rectangle
    (x0, y0, x1, y1) of ``pixels``, ends excluded, that was in the file; None where all was (it wasn't cut off).
    """

    pixels: Pixels = field(repr=False)
    source: str
    sha256: str
    width: int
    height: int
    scale: tuple[float, float] = (1.0, 1.0)
    timestamp: float = 0.0
    focal_px: float | None = None
    real: tuple[int, int, int, int] | None = None
    warnings: tuple[str, ...] = ()

    def to_shown(self, points: Array) -> Array:
        """Points (N, 2) in pixels of this frame -> pixels of the picture as shown (centres at integers)."""
        points = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        return np.asarray((points + 0.5) * np.array(self.scale) - 0.5)

    def from_shown(self, points: Array) -> Array:
        """Points (N, 2) in pixels of the picture as shown -> pixels of this frame."""
        points = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        return np.asarray((points + 0.5) / np.array(self.scale) - 0.5)

    def holds(self, points: Array) -> bool:
        """Whether points (N, 2) in pixels of this frame all lie in the part that was in the file."""
        if self.real is None:
            return True
        x0, y0, x1, y1 = self.real
        inside = (points >= (x0, y0)) & (points <= (x1 - 1, y1 - 1))
        return bool(inside.all())


def frame_of_pixels(pixels: Pixels, source: str, timestamp: float = 0.0) -> Frame:
    """Wrap BGR pixels (H, W, 3) uint8 that are already upright and square (a video's, a test's)."""
    height, width = pixels.shape[:2]
    digest = hashlib.sha256(np.ascontiguousarray(pixels).data).hexdigest()
    return Frame(pixels, source, digest, width, height, timestamp=timestamp)


def load_picture(path: Path | str) -> Frame:
    """Read a picture of any supported kind (JPEG, PNG, WebP, TIFF, BMP, GIF, AVIF; HEIC with its extra).

    Raises UnusableInputError with the code unreadable_input, unsupported_format or too_large and one clear line.
    """
    path = Path(path)
    with opened(path) as file:
        digest = hashlib.file_digest(file.stream, "sha256").hexdigest()
        file.stream.seek(0)
        header, image = open_header(file)
        decoded = decode(file, header, image)
    orientation = header.orientation
    stored = (header.width, header.height)
    if image is None:
        stored = (decoded.pixels.shape[1], decoded.pixels.shape[0])
    elif header.format in ("TIFF", "HEIF", "AVIF"):  # turned by the decoder, which then says so
        orientation, stored = int(image.getexif().get(0x0112, 1) or 1), image.size
    turn, flip = TURNS.get(orientation, (None, None))
    sideways = orientation in (5, 6, 7, 8)
    width, height = stored[::-1] if sideways else stored
    aspect, notes = _believed(1 / header.aspect if sideways else header.aspect, decoded.notes)
    pixels = _turned(decoded.pixels, turn, flip)
    squared = square_size(width, height, aspect)
    if (pixels.shape[1], pixels.shape[0]) != squared:
        smaller = squared[0] * squared[1] <= pixels.shape[0] * pixels.shape[1]
        method = cv2.INTER_AREA if smaller else cv2.INTER_CUBIC
        pixels = np.asarray(cv2.resize(pixels, squared, interpolation=method), dtype=np.uint8)
    h, w = pixels.shape[:2]
    root = float(np.sqrt(aspect))
    return Frame(
        np.ascontiguousarray(pixels),
        str(path),
        digest,
        width,
        height,
        (width / w, height / h),
        focal_px=exif_focal(header.exif, (width * root, height / root), float(np.hypot(w, h))),
        real=_real_part(decoded, turn, flip, (w, h)),
        warnings=notes,
    )


def _turned(pixels: Pixels, turn: int | None, flip: int | None) -> Pixels:
    if turn is not None:
        pixels = np.asarray(cv2.rotate(pixels, turn), dtype=np.uint8)
    return pixels if flip is None else np.asarray(cv2.flip(pixels, flip), dtype=np.uint8)


def _believed(aspect: float, notes: tuple[str, ...]) -> tuple[float, tuple[str, ...]]:
    if ASPECT_RANGE[0] <= aspect <= ASPECT_RANGE[1]:
        return aspect, notes
    return 1.0, (*notes, f"the file claims pixels {aspect:.2f} times as wide as high; taken as square")


def _real_part(
    decoded: Decoded, turn: int | None, flip: int | None, size: tuple[int, int]
) -> tuple[int, int, int, int] | None:
    """Where the decoded rows came to lie in the frame of ``size`` (w, h); None when none is missing."""
    if decoded.rows == (0, len(decoded.pixels)):
        return None
    mask = np.zeros(decoded.pixels.shape[:2], np.uint8)
    mask[slice(*decoded.rows)] = 1
    x, y, w, h = cv2.boundingRect(_turned(mask, turn, flip))
    fx, fy = ((size[0], size[1]) / np.array(_turned(mask, turn, flip).shape[::-1])).tolist()
    return int(x * fx), int(y * fy), int((x + w) * fx), int((y + h) * fy)


def square_size(width: int, height: int, aspect: float) -> tuple[int, int]:
    """Return the size (w, h) to work at: square pixels, one axis enlarged to that end, not above WORKING_PIXELS."""
    w, h = float(width), float(height)
    if abs(aspect - 1) > ASPECT_TOLERANCE:
        w, h = (w * aspect, h) if aspect > 1 else (w, h / aspect)
    shrink = min(1.0, float(np.sqrt(WORKING_PIXELS / (w * h))))
    return max(1, round(w * shrink)), max(1, round(h * shrink))


def exif_focal(exif: dict[int, Any], shape: tuple[float, float], diagonal_px: float) -> float | None:
    """Focal length in pixels of a frame ``diagonal_px`` across, from EXIF's 35 mm equivalent; None without one.

    ``shape``: width and height of the picture with square pixels, to see whether it was cropped.
    """
    try:
        equivalent = float(exif.get(0xA405, 0) or 0)
        made = sorted(float(exif.get(tag, 0) or 0) for tag in (0xA002, 0xA003))
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    if not np.isfinite(equivalent) or not 8 <= equivalent <= 800:  # no lens for a table is shorter or longer
        return None
    if made[0] > 0 and abs(made[1] / made[0] * min(shape) / max(shape) - 1) > CROP_TOLERANCE:
        return None
    return equivalent / FILM_DIAGONAL_MM * diagonal_px

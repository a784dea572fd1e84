"""Decodes picture files of every kind to 8-bit BGR, within bounds of memory, or says in one line why it can't.

Plain 8-bit files go through OpenCV's decoders, which are fast and reduce while reading. What those show wrongly (alpha,
CMYK, palettes with transparency) goes through Pillow, and so does every look at a header.
"""

import math
import struct
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFile, UnidentifiedImageError

from calibration.errors import UnusableInputError
from vision.picture_files import PictureFile, refuse_foreign, unreadable

Pixels = NDArray[np.uint8]

FORMATS = ("JPEG", "MPO", "PNG", "WEBP", "TIFF", "BMP", "DIB", "GIF", "PPM", "AVIF")
"""Formats that Pillow is asked to open: pictures of cameras and screens, none that runs another program (EPS, PDF)."""

WORKING_PIXELS = 16_000_000
"""Larger pictures are reduced to this: 0.2 mm a pixel over a board, finer than lenses resolve, and 48 MB as BGR."""

MAX_PIXELS_REDUCIBLE = 400_000_000
"""Limit of formats that are reduced while they are decoded (JPEG): at most 100 MP appear in memory, in 1/2 or less."""

MAX_DECODED_BYTES = 410_000_000
"""Limit for formats that a decoder unfolds at full size: with the program's own 100 MB it stays within 500 MB."""

DEEP_RANGE_USED = 1 / 4
"""16-bit pictures whose brightest pixel stays below this share of the range hold 10 to 14 bits, and are stretched."""

EXIF_IFD = 0x8769

WHOLE_FILE_BYTES = 32_000_000
"""Larger files are decoded from the disk: their bytes would need as much memory as their pixels."""

BAND_ROWS = 512
"""Rows of the reduced picture converted at once, so that no second copy of a large picture is made."""

DECODER_ERRORS = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    IndexError,
    KeyError,
    TypeError,
    MemoryError,
    struct.error,
)
"""What Pillow's decoders raise on damaged data."""

_pillow_lock = threading.Lock()


@dataclass(frozen=True)
class Decoded:
    """Pixels BGR (H, W, 3) uint8 as stored; ``rows`` (first, end) that were really in the file; notes for people."""

    pixels: Pixels
    rows: tuple[int, int]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Header:
    """What a picture's header says.

    ``width``, ``height``: of the raster as stored; ``aspect``: width of a pixel over its height; ``orientation``: the
    EXIF number 1-8; ``whole``: nothing is missing at the end of the file; ``special``: transparent or animated, which
    OpenCV shows wrongly.
    """

    format: str
    mode: str
    width: int
    height: int
    aspect: float
    orientation: int
    exif: dict[int, Any]
    whole: bool
    special: bool


def open_header(file: PictureFile) -> tuple[Header, Image.Image | None]:
    """Look at a picture without decoding it; the Pillow image is None for TIFFs that only OpenCV understands.

    Raises UnusableInputError (unreadable_input, unsupported_format, too_large).
    """
    refuse_foreign(file)
    name = file.name
    with _pillow():
        try:
            Image.init()
            heif = ("HEIF",) if "HEIF" in Image.OPEN else ()
            image = Image.open(file.stream, formats=[f for f in (*FORMATS, *heif) if f in Image.OPEN])
            header = _header(image, file)
        except UnidentifiedImageError as error:
            if file.head[:4] in (b"II*\x00", b"MM\x00*"):
                return _deep_tiff(file), None
            raise unreadable(name, "this is not a picture (or its beginning is damaged)") from error
        except (OSError, ValueError, SyntaxError, KeyError, TypeError, OverflowError, EOFError) as error:
            raise unreadable(name, f"the picture's header is damaged ({error})") from error
    check_size(header, name)
    return header, image


def _deep_tiff(file: PictureFile) -> Header:
    """Read the size of a TIFF whose pixels Pillow has no mode for (16-bit colour, floating point)."""
    from PIL import TiffImagePlugin  # noqa: PLC0415  (one kind of file only)

    try:
        tags = TiffImagePlugin.ImageFileDirectory_v2(file.head[:8])
        file.stream.seek(tags.next)
        tags.load(file.stream)
        width, height = int(tags[256]), int(tags[257])
    except (KeyError, ValueError, TypeError, SyntaxError, OSError, struct.error) as error:
        raise unreadable(file.name, f"the picture's header is damaged ({error})") from error
    header = Header("TIFF", "deep16", width, height, 1.0, 1, {}, True, False)
    check_size(header, file.name)
    return header


def check_size(header: Header, name: str) -> None:
    """Raise UnusableInputError(too_large) when decoding would take more memory than is allowed."""
    pixels = header.width * header.height
    depth = 2 if "16" in header.mode else 4 if header.mode in ("I", "F") else 1
    channels = 1 if header.mode in ("1", "L", "P", "I", "F") or header.mode.startswith("I;16") else 3
    reducible = header.format in ("JPEG", "MPO")
    bytes_each = depth * (channels if opencv_reads(header) else 1 if channels == 1 else 4)
    if pixels > MAX_PIXELS_REDUCIBLE or (not reducible and pixels * bytes_each > MAX_DECODED_BYTES):
        size = f"{header.width} x {header.height}, {pixels / 1e6:.0f} megapixels"
        raise UnusableInputError(f"{name}: the picture is too large ({size}); reduce it first", code="too_large")


def _header(image: Image.Image, file: PictureFile) -> Header:
    kind = image.format or ""
    found = image.getexif() if kind != "PNG" or "exif" in image.info else Image.Exif()  # else a PNG is decoded for it
    exif = dict(found)
    exif.update(found.get_ifd(EXIF_IFD))
    orientation = exif.get(0x0112, 1)
    info = image.info
    if kind in ("JPEG", "MPO"):
        dx, dy = info.get("jfif_density", (1, 1))
        aspect = dy / dx if dx and dy else 1.0
    elif kind == "PNG" and "aspect" in info:
        dx, dy = info["aspect"]
        aspect = dy / dx if dx and dy else 1.0
    elif kind in ("PNG", "TIFF", "BMP"):
        dx, dy = (float(v) for v in info.get("dpi", (1, 1)))
        aspect = dy / dx if dx > 0 and dy > 0 else 1.0
    else:
        aspect = 1.0
    return Header(
        kind,
        image.mode,
        image.width,
        image.height,
        float(aspect),
        orientation if isinstance(orientation, int) and 1 <= orientation <= 8 else 1,
        exif,
        _seems_whole(kind, file),
        "transparency" in info or image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or _moves(image),
    )


def _moves(image: Image.Image) -> bool:
    return image.format in ("WEBP", "PNG") and bool(getattr(image, "is_animated", False))


def _seems_whole(kind: str, file: PictureFile) -> bool:
    """Whether the end of the file shows that nothing is missing; if not, it is decoded with care."""
    if kind in ("JPEG", "MPO"):
        return file.tail.rstrip(b"\x00")[-2:] == b"\xff\xd9"
    if kind == "PNG":
        return b"IEND" in file.tail[-64:]
    if kind == "WEBP":
        return file.size >= int.from_bytes(file.head[4:8], "little") + 8
    return False


def opencv_reads(header: Header) -> bool:
    """Whether OpenCV's decoder shows this file as any viewer does."""
    if header.special:
        return False
    plain = {
        "JPEG": ("RGB", "L"),
        "MPO": ("RGB", "L"),
        "PNG": ("RGB", "L", "P", "1"),
        "WEBP": ("RGB",),
        "TIFF": ("RGB", "L"),
    }
    deep = header.mode.startswith("I;16") and header.format in ("PNG", "TIFF")
    return deep or header.mode == "deep16" or header.mode in plain.get(header.format, ())


def decode(file: PictureFile, header: Header, image: Image.Image | None) -> Decoded:
    """Decode to BGR (H, W, 3) uint8 as stored (not turned), reduced towards :data:`WORKING_PIXELS`.

    Raises UnusableInputError(unreadable_input) when nothing of the picture can be decoded.
    """
    step = reduction(header.width * header.height)
    if image is None or (opencv_reads(header) and (header.whole or header.mode.startswith("I;16"))):
        pixels = _by_opencv(file, header, step)
        return Decoded(pixels, (0, len(pixels)))
    try:
        with _pillow():
            if header.format in ("JPEG", "MPO") and step > 1:
                image.draft(None, (image.width // step, image.height // step))
            image.load()
            pixels = _reduced_bgr(image, coarse_reduction(header) if image.width == header.width else 1)
    except DECODER_ERRORS as error:
        return _what_is_left(file, header, str(error) or type(error).__name__)
    return Decoded(pixels, (0, len(pixels)))


def reduction(pixels: int) -> int:
    """Return the integer reduction (1, 2, 4, 8) that leaves at least :data:`WORKING_PIXELS` of ``pixels``."""
    return max(n for n in (1, 2, 4, 8) if n == 1 or pixels >= WORKING_PIXELS * n * n)


def coarse_reduction(header: Header) -> int:
    """Return the least integer reduction that stays below :data:`WORKING_PIXELS`; 1 up to four times as many.

    For decoders that unfold the whole picture: the memory that is left doesn't hold much more.
    """
    excess = header.width * header.height / WORKING_PIXELS
    return 1 if excess <= 4 else int(np.ceil(np.sqrt(excess)))


def _by_opencv(file: PictureFile, header: Header, step: int) -> Pixels:
    reduced = {1: cv2.IMREAD_COLOR, 2: cv2.IMREAD_REDUCED_COLOR_2, 4: cv2.IMREAD_REDUCED_COLOR_4}
    flags = reduced.get(step, cv2.IMREAD_REDUCED_COLOR_8)
    if header.mode == "deep16" or header.mode.startswith("I;16"):
        flags = cv2.IMREAD_UNCHANGED
    flags |= cv2.IMREAD_IGNORE_ORIENTATION
    try:
        found: Any = None
        if file.size > WHOLE_FILE_BYTES:
            found = cv2.imread(str(file.path), flags)  # None also where OpenCV can't spell the path
        if found is None:
            found = cv2.imdecode(np.frombuffer(file.read(), np.uint8), flags)
    except cv2.error as error:
        raise unreadable(file.name, f"the picture can't be decoded ({error.err})") from error
    if found is None:
        raise unreadable(file.name, "the picture is damaged and can't be decoded")
    return _eight_bit(found)


def _eight_bit(values: NDArray[Any]) -> Pixels:
    """Bring decoded values of any depth, with 1, 3 or 4 channels, to BGR uint8."""
    if values.dtype != np.uint8:
        finite = np.nan_to_num(values.astype(np.float32))
        top = float(finite.max(initial=0.0))
        full = float(np.iinfo(values.dtype).max) if np.issubdtype(values.dtype, np.integer) else 1.0
        if top < DEEP_RANGE_USED * full or top > full:
            full = max(top, 1e-6)
        values = np.clip(finite * (255.0 / full), 0, 255).astype(np.uint8)
    if values.ndim == 2:
        return np.asarray(cv2.cvtColor(values, cv2.COLOR_GRAY2BGR), dtype=np.uint8)
    if values.shape[2] == 4:
        return np.asarray(cv2.cvtColor(values, cv2.COLOR_BGRA2BGR), dtype=np.uint8)
    return np.ascontiguousarray(values, dtype=np.uint8)


def _reduced_bgr(image: Image.Image, step: int) -> Pixels:
    """Reduce a decoded image by averaging ``step`` x ``step`` pixels and convert it, band by band, to BGR."""
    if step == 1 or image.mode in ("P", "1") or image.mode.startswith("I;"):
        return to_bgr(image)
    out = np.empty((-(-image.height // step), -(-image.width // step), 3), np.uint8)
    for y in range(0, len(out), BAND_ROWS):
        box = (0, y * step, image.width, min((y + BAND_ROWS) * step, image.height))
        out[y : y + BAND_ROWS] = to_bgr(image.reduce(step, box))
    return out


def to_bgr(image: Image.Image) -> Pixels:
    """Convert a decoded Pillow image of any mode to BGR (H, W, 3) uint8; alpha is shown over white."""
    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        return _eight_bit(np.asarray(image).astype(np.uint16 if image.mode.startswith("I;16") else np.float32))
    if image.mode == "P" and "transparency" not in image.info:
        image = image.convert("RGB")
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa", "P") or "transparency" in image.info:
        rgba = image.convert("RGBA")
        image = Image.new("RGB", image.size, "white")
        image.paste(rgba, mask=rgba.getchannel("A"))
    if image.mode != "RGB":
        image = image.convert("RGB")
    return np.asarray(cv2.cvtColor(np.asarray(image), cv2.COLOR_RGB2BGR), dtype=np.uint8)


@contextmanager
def _pillow(lenient: bool = False) -> Iterator[None]:
    """Replace Pillow's own limits by those of this module, within this block only.

    ``lenient``: decode what is left of a file that was cut off. Both are global settings of Pillow, hence the lock.
    """
    with _pillow_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd EXIF blocks
        before = Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES
        Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES = None, lenient
        try:
            yield
        finally:
            Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES = before


def _what_is_left(file: PictureFile, header: Header, reason: str) -> Decoded:
    """Decode what is left of a file that was cut off; ``reason`` is what the strict decoder said."""
    try:
        with _pillow(lenient=True):
            file.stream.seek(0)
            again = Image.open(file.stream, formats=[header.format])
            again.load()
            pixels = _reduced_bgr(again, coarse_reduction(header))
    except DECODER_ERRORS as error:
        message = f"the picture is cut off or damaged ({reason}), nothing of it can be shown"
        raise unreadable(file.name, message) from error
    rows = real_rows(pixels)
    if rows[1] == 0:
        raise unreadable(file.name, f"the picture is cut off ({reason}) and nothing of it is left")
    share = math.floor(100 * (rows[1] - rows[0]) / len(pixels))
    left = f"{min(share, 99)} % of the picture's rows are left"
    return Decoded(pixels, rows, (f"the file is cut off: {left}",))


def real_rows(pixels: Pixels) -> tuple[int, int]:
    """Find the rows (first, end) that were in the file: a decoder fills the missing ones with one colour.

    They are missing at the bottom, or at the top in files stored from the bottom upwards.
    """
    plain = np.all(pixels == pixels[:, :1], axis=(1, 2))
    varied = np.flatnonzero(~plain)
    return (int(varied[0]), int(varied[-1]) + 1) if len(varied) else (0, 0)

"""Picture files on the disk: opened with care, and refused in one line if they aren't pictures."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from calibration.errors import UnusableInputError

MAX_FILE_BYTES = 400_000_000
"""No camera writes a larger still; above it a file is refused before it is read."""

PEEK_BYTES = 4096

UNSUPPORTED = (
    (b"%PDF", "a PDF"),
    (b"8BPS", "a Photoshop file"),
    (b"\x00\x00\x00\x0cJXL ", "a JPEG XL picture"),
    (b"\xff\x0a", "a JPEG XL picture"),
    (b"\x00\x00\x00\x0cjP  ", "a JPEG 2000 picture"),
    (b"\xff\x4f\xff\x51", "a JPEG 2000 picture"),
    (b"<svg", "an SVG drawing"),
    (b"\x1aE\xdf\xa3", "a Matroska or WebM video"),
    (b"\x00\x00\x01\xba", "an MPEG video"),
    (b"FUJIFILM", "a raw camera file"),
)
"""First bytes of files that are well formed, but not pictures that can be read here."""

HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")


@dataclass(frozen=True)
class PictureFile:
    """An open picture file, read only as far as needed: its first and last :data:`PEEK_BYTES` and its size."""

    stream: BufferedReader
    path: Path
    size: int
    head: bytes
    tail: bytes

    @property
    def name(self) -> str:
        """The path, for messages."""
        return str(self.path)

    def read(self) -> bytes:
        """All bytes of the file."""
        self.stream.seek(0)
        return self.stream.read()


def unreadable(name: str, why: str) -> UnusableInputError:
    """Return the error of a file that is no usable picture: one line, what and why."""
    return UnusableInputError(f"{name}: {why}", code="unreadable_input")


@contextmanager
def opened(path: Path) -> Iterator[PictureFile]:
    """Open a file; raises UnusableInputError in one line for whatever isn't a readable one."""
    name = str(path)
    try:
        if path.is_dir():
            raise unreadable(name, "this is a folder; name a picture in it")
        if not path.exists():
            raise unreadable(name, "there is no such file")
        if not path.is_file():
            raise unreadable(name, "this is not an ordinary file")
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise UnusableInputError(f"{name}: the file is too large for a picture", code="too_large")
        with path.open("rb") as stream:
            head = stream.read(PEEK_BYTES)
            stream.seek(max(0, size - PEEK_BYTES))
            tail = stream.read(PEEK_BYTES)
            stream.seek(0)
            yield PictureFile(stream, path, size, head, tail)
    except PermissionError as error:
        raise unreadable(name, "no permission to read this file") from error
    except (OSError, ValueError) as error:
        raise unreadable(name, f"can't be read ({getattr(error, 'strerror', None) or error})") from error


def refuse_foreign(file: PictureFile) -> None:
    """Raise UnusableInputError for files known not to be readable pictures; HEIC gets its reader plugged in."""
    name, data = file.name, file.head
    if not data:
        raise unreadable(name, "the file is empty")
    head = data[:64].lstrip()
    for magic, what in UNSUPPORTED:
        if data.startswith(magic) or (magic.startswith(b"<") and magic in data[:1024].lower()):
            raise UnusableInputError(f"{name}: {what} can't be read; save it as JPEG or PNG", code="unsupported_format")
    if head[4:8] == b"ftyp":
        if head[8:12] in HEIF_BRANDS:
            _register_heif(name)
        elif head[8:11] != b"avi":
            raise UnusableInputError(f"{name}: this is a video, not a picture", code="unsupported_format")
    if head.startswith(b"RIFF") and head[8:11] == b"AVI":
        raise UnusableInputError(f"{name}: this is a video, not a picture", code="unsupported_format")


def _register_heif(name: str) -> None:
    try:
        import pillow_heif  # noqa: PLC0415  (an optional extra, needed for this kind of file only)
    except ImportError as error:
        raise UnusableInputError(
            f"{name}: HEIC pictures need one more package: pip install 'table-referee[heic]' (or save it as JPEG)",
            code="unsupported_format",
        ) from error
    pillow_heif.register_heif_opener()

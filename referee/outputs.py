"""Where a command may write: into existing folders, over none of its inputs, one output to a file.

Every command checks this before any work.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from calibration.errors import UnusableInputError

PICTURES = (".png", ".jpg", ".jpeg", ".webp")
VIDEOS = (".mp4", ".m4v", ".mov", ".mkv", ".avi", ".ts", ".mpg", ".3gp")


def require_outputs(outputs: Mapping[str, Path | None], inputs: Sequence[tuple[str, Path | str | None]] = ()) -> None:
    """Refuse what can't be written, or would destroy an input or another output; raises UnusableInputError.

    ``outputs``: by option; ``inputs``: files by a word for each ("the video"). Links are followed. What isn't a file on
    the disk, such as /dev/null, may be named twice.
    """
    kept: dict[str, Path] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        if path.is_dir():
            raise UnusableInputError(f"{path}: is a folder; {option} is written to a file")
        if not path.parent.is_dir():
            raise UnusableInputError(f"{path}: the folder {path.parent} doesn't exist")
        for what, source in inputs:
            if source is not None and same_file(path, Path(source)):
                raise UnusableInputError(f"{path}: that is {what} to be read; write {option} to another file")
        for other, taken in kept.items():
            if same_file(path, taken):
                raise UnusableInputError(f"{path}: both {other} and {option} would be written there; name two files")
        kept[option] = path


def require_suffix(option: str, path: Path | None, suffixes: Sequence[str], what: str) -> None:
    """Refuse a name whose end tells no format that is written; raises UnusableInputError."""
    if path is not None and path.suffix.lower() not in suffixes:
        known = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
        raise UnusableInputError(f"{path}: {what} are written as {known}; end the name for {option} so")


def same_file(a: Path, b: Path) -> bool:
    """Whether two names lead to one file of the disk, there already or not yet."""
    try:
        if a.exists() and b.exists():
            return a.is_file() and a.samefile(b)
        return a.resolve() == b.resolve()
    except (OSError, RuntimeError):  # a link that leads to itself
        return a.absolute() == b.absolute()

"""An audit's folder: the evidence as data, the reports, the pictures, and a manifest with the hash of every file."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from calibration.errors import UnusableInputError
from referee import __version__
from referee.audit_source import hash_file

EVIDENCE_SCHEMA = "evidence/1"
MANIFEST_SCHEMA = "manifest/1"
EVIDENCE, MANIFEST, REPORT_PDF, REPORT_HTML = "evidence.json", "manifest.json", "report.pdf", "report.html"


@dataclass(frozen=True)
class Audited:
    """A folder as it was read back."""

    folder: Path
    manifest: dict[str, Any]
    evidence: dict[str, Any]

    @property
    def hash(self) -> str:
        """What a log keeps of this evidence: the manifest's SHA-256, since it names the hash of everything else."""
        return hash_file(self.folder / MANIFEST)[0]


def require_free(folder: Path) -> None:
    """Refuse a folder that holds something: evidence is never written over other files. Raises UnusableInputError."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UnusableInputError(f"{folder}: is there already and not empty; evidence gets a folder of its own")


def make_folder(folder: Path) -> None:
    """Make the folder of an audit; raises UnusableInputError."""
    require_free(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusableInputError(f"{folder}: can't be made ({error.strerror or error})") from error


def write_bytes(path: Path, data: bytes) -> None:
    """Write one file, with the folders above it; raises UnusableInputError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise UnusableInputError(f"{path}: can't be written ({error.strerror or error})") from error


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write data so that the same data gives the same bytes."""
    write_bytes(path, (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode())


def write_manifest(folder: Path, original: Mapping[str, Any]) -> str:
    """Hash everything in the folder; written last, so that a folder without it is known to be unfinished.

    Returns the manifest's own hash, which stands for all of the evidence.
    """
    files = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p != folder / MANIFEST):
        digest, size = hash_file(path)
        files[path.relative_to(folder).as_posix()] = {"sha256": digest, "bytes": size}
    data = {
        "schema": MANIFEST_SCHEMA,
        "software": {"name": "Table Referee", "version": __version__},
        "original": dict(original),
        "files": files,
    }
    write_json(folder / MANIFEST, data)
    return hash_file(folder / MANIFEST)[0]


def read_folder(folder: Path) -> Audited:
    """Read an audit's folder; raises UnusableInputError where it isn't one, or is damaged."""
    manifest = _read(folder / MANIFEST, MANIFEST_SCHEMA)
    files, original = manifest.get("files"), manifest.get("original")
    if not isinstance(files, dict) or not isinstance(original, dict) or not isinstance(original.get("sha256"), str):
        raise _bad(folder / MANIFEST, "fields are missing")
    for name, about in files.items():
        if not _inside(name):
            raise _bad(folder / MANIFEST, f"{name!r} isn't a file of the folder")
        if not isinstance(about, dict) or not isinstance(about.get("sha256"), str):
            raise _bad(folder / MANIFEST, f"{name!r} has no hash")
    evidence = _read(folder / EVIDENCE, EVIDENCE_SCHEMA)
    wrong = _fault(evidence)
    if wrong:
        raise _bad(folder / EVIDENCE, wrong)
    return Audited(folder, manifest, evidence)


def _fault(evidence: Mapping[str, Any]) -> str:
    """What keeps evidence from being read, in words; "" where nothing does."""
    calls, source = evidence.get("calls"), evidence.get("source")
    if not isinstance(calls, list) or not calls or not isinstance(source, dict):
        return "fields are missing"
    places = [source.get(name) for name in ("path", "from_folder", "copy", "frame_sha256")]
    if not isinstance(source.get("sha256"), str) or not all(p is None or isinstance(p, str) for p in places):
        return "what it says of the original can't be"
    if not _number(source.get("seconds"), optional=True):
        return "the video's moment is no number"
    for call in calls:
        numbers = [call.get(n) for n in ("gap_mm", "sigma_mm", "p_touching")] if isinstance(call, dict) else [None]
        if not all(_number(n) for n in numbers) or not isinstance(call.get("disc"), dict):
            return "a call has no numbers"
        at = call["disc"].get("mm")
        if not isinstance(at, list) or len(at) != 2 or not all(_number(n) for n in at):
            return "a call's disc lies nowhere"
    return _fault_of_settings(evidence.get("settings"))


def _fault_of_settings(settings: Any) -> str:
    files = settings.get("files", {}) if isinstance(settings, dict) else None
    if not isinstance(files, dict):
        return "its settings are missing"
    for name, kept in files.items():
        if not isinstance(kept, str) or not _inside(kept):
            return f"the setting {name!r} isn't a file of the folder"
    if not isinstance(settings.get("board"), str | None):
        return "the board has no name"
    if not all(_number(settings.get(name), optional=True) for name in ("shooting-line", "disc-mm")):
        return "a length is no number"
    return ""


def _number(value: Any, optional: bool = False) -> bool:
    if value is None:
        return optional
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _inside(name: str) -> bool:
    """Whether a name leads to a file of the folder itself, on any system."""
    parts = PurePosixPath(name)
    return not (parts.is_absolute() or ".." in parts.parts or "\\" in name or ":" in name)


def _read(path: Path, schema: str) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        what = "an unfinished audit" if path.parent.is_dir() and any(path.parent.iterdir()) else "no audit"
        raise UnusableInputError(f"{path.parent}: {what}: {path.name} is missing", code="bad_evidence") from None
    except OSError as error:
        raise UnusableInputError(f"{path}: can't be read ({error.strerror})", code="unreadable_input") from error
    except (ValueError, RecursionError) as error:
        raise _bad(path, f"is no JSON ({error})") from error
    if not isinstance(data, dict) or data.get("schema") != schema:
        raise _bad(path, f"its schema isn't {schema}")
    return data


def _bad(path: Path, why: str) -> UnusableInputError:
    return UnusableInputError(f"{path}: damaged, or not written by 'referee audit': {why}", code="bad_evidence")


def sha256(data: bytes) -> str:
    """Hash of bytes in memory."""
    return hashlib.sha256(data).hexdigest()

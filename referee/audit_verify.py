"""An audit's folder checked: every hash computed again and, where the original is at hand, every gap measured again."""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibration.errors import TableError, UnusableInputError
from referee import __version__
from referee.audit_files import EVIDENCE, MANIFEST, Audited
from referee.audit_source import Source, Target, hash_file, load
from referee.crokinole_reader import CrokinoleReading

SAME_GAP_MM = 0.02
"""Tolerance of a gap and of its standard uncertainty: other processors and library versions round differently."""

SAME_PLACE_MM = 3.0
"""The same disc measured again lies within this of where it lay: discs are 25 mm across and more."""

Measure = Callable[[Source], CrokinoleReading]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked. ``ok``: None where it couldn't be, no fault; ``foreign``: not the audit's."""

    ok: bool | None
    words: str
    foreign: bool = False


def verify(audited: Audited, original: Path | None, measure: Measure) -> list[Finding]:
    """Check a folder; ``original``: where the original is now, if not where it was; ``measure`` reads it again."""
    found = check_files(audited)
    whole = all(f.ok is not False for f in found)
    source, said = find_original(audited, original)
    found += said
    if source is None:
        found.append(Finding(None, "the gaps were not measured again: there is no original to measure"))
    elif not whole or any(f.ok is False for f in said):
        found.append(Finding(None, "the gaps were not measured again: what they would be compared with has changed"))
    else:
        found += compare(audited.evidence, source, measure)
    return found


def check_files(audited: Audited) -> list[Finding]:
    """Compare the folder's files with the manifest."""
    folder, listed = audited.folder, audited.manifest["files"]
    found, same = [], 0
    for name, about in listed.items():
        path = folder / name
        if not path.is_file():
            found.append(Finding(False, f"{name}: missing"))
        elif hash_file(path)[0] != about["sha256"]:
            found.append(Finding(False, f"{name}: changed, its SHA-256 is another"))
        else:
            same += 1
    if EVIDENCE not in listed:
        found.append(Finding(False, f"{EVIDENCE}: the manifest doesn't name it"))
    if audited.manifest["original"] != audited.evidence["source"]:
        found.append(Finding(False, f"{MANIFEST} and {EVIDENCE} name different originals"))
    found += [Finding(None, f"{name}: not part of the audit", foreign=True) for name in foreign_to(audited)]
    return [Finding(True, f"{same} of {len(listed)} files have the hash that the manifest names"), *found]


def foreign_to(audited: Audited) -> list[str]:
    """What lies in the folder besides the audit: files, links, and folders that hold nothing."""
    folder, own = audited.folder, {MANIFEST, *audited.manifest["files"]}
    names = []
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        holds = path.is_dir() and not path.is_symlink() and any(path.iterdir())  # what it holds is named instead
        if name not in own and not holds:
            names.append(name)
    return sorted(names)


def find_original(audited: Audited, given: Path | None) -> tuple[Source | None, list[Finding]]:
    """Load the original, or the frame of a video that the folder holds; and what is to be said about it."""
    about, folder = audited.evidence["source"], audited.folder
    places = [given] if given is not None else []
    if not places:
        names = [about.get("copy"), about.get("from_folder")]
        places = [Path(os.path.normpath(folder / name)) for name in names if name] + [Path(str(about.get("path")))]
    for path in places:
        if path is None or not path.is_file():
            continue
        if hash_file(path)[0] != about["sha256"]:
            return None, [Finding(False, f"{path}: not the original, or changed since: its SHA-256 is another")]
        source = load(Target(path, about.get("seconds")))
        said = [Finding(True, f"{path}: the original, unchanged")]
        if source.kind == "video" and source.frame.sha256 != about.get("frame_sha256"):
            said.append(Finding(False, f"{path}: decodes to another frame at {about['seconds']} s"))
        return source, said
    if given is not None:
        return None, [Finding(False, f"{given}: there is no such file")]
    said = [Finding(None, "the original isn't where it was; --original FILE names its place")]
    frame = folder / "frame.png"
    if about.get("kind") == "video" and frame.is_file():
        said.append(Finding(None, "measured again from the frame that the folder holds"))
        return load(Target(frame)), said
    return None, said


def compare(evidence: dict[str, Any], source: Source, measure: Measure) -> list[Finding]:
    """Measure again, and compare each call within SAME_GAP_MM."""
    written = str(evidence.get("software", {}).get("version"))
    found = []
    if written != __version__:
        found.append(Finding(None, f"measured with version {written}, compared with {__version__}"))
    try:
        reading = measure(source)
    except TableError as error:
        return [*found, Finding(False, f"it can't be measured again: {error}")]
    for call in evidence["calls"]:
        found.append(_compared(call, reading))
    return found


def _compared(call: dict[str, Any], reading: CrokinoleReading) -> Finding:
    disc, line = call["disc"], call.get("line")
    what = f"disc {disc.get('id')}, {line}"
    near = min(reading.discs, key=lambda d: math.dist(d.mm, disc["mm"]), default=None)
    if near is None or math.dist(near.mm, disc["mm"]) > SAME_PLACE_MM:
        return Finding(False, f"{what}: no disc is found there any more")
    again = next((c for c in near.lines if c.line == line), None)
    if again is None:
        return Finding(False, f"{what}: the disc isn't beside that line any more")
    told = f"gap {call['gap_mm']:+.3f} mm, again {again.gap_mm:+.3f} mm"
    differs = []
    if abs(again.gap_mm - call["gap_mm"]) > SAME_GAP_MM:
        differs.append("the gap")
    if abs(again.sigma_mm - call["sigma_mm"]) > SAME_GAP_MM:
        differs.append(f"its standard uncertainty ({call['sigma_mm']:.3f} mm, again {again.sigma_mm:.3f} mm)")
    if again.verdict != call.get("verdict"):
        differs.append(f"the verdict ({call.get('verdict')}, again {again.verdict})")
    if differs:
        return Finding(False, f"{what}: {told}; {' and '.join(differs)} differ by more than {SAME_GAP_MM:g} mm allows")
    return Finding(True, f"{what}: {told}; the same within {SAME_GAP_MM:g} mm")


def require_whole(audited: Audited) -> None:
    """Refuse evidence whose files aren't as they were written; raises UnusableInputError."""
    wrong = [f.words for f in check_files(audited) if f.ok is False]
    if wrong:
        raise UnusableInputError(
            f"{audited.folder}: {wrong[0]}; a ruling needs the evidence as it was written", code="bad_evidence"
        )

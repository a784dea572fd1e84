"""Evidence for line calls: measure, draw, report, and keep all of it together with its hashes in one folder."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.errors import UnusableInputError
from referee import __version__
from referee.audit_call import COVERAGE, VALUES, Call, calls_of, find_disc, shares
from referee.audit_files import (
    EVIDENCE,
    EVIDENCE_SCHEMA,
    REPORT_HTML,
    REPORT_PDF,
    make_folder,
    write_bytes,
    write_json,
    write_manifest,
)
from referee.audit_html import write_html
from referee.audit_pdf import write_pdf
from referee.audit_pictures import Enlarged, drawn_crop, from_above, reduced, solved_lines, window_of
from referee.audit_source import Source, path_from, write_clip
from referee.audit_words import Page, page_of
from referee.crokinole_json import disc_json, line_json, number, points, reading_json
from referee.crokinole_reader import CrokinoleReading
from vision.formats import Pixels

JPEG = (
    cv2.IMWRITE_JPEG_QUALITY,
    94,
    cv2.IMWRITE_JPEG_SAMPLING_FACTOR,
    cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444,
)
"""Colour at full size: thin coloured lines must stay thin."""


@dataclass(frozen=True)
class Asked:
    """Which calls are wanted: a disc's, by its number or a point of the picture as shown, or all near a line."""

    disc: int | None = None
    at: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class DrawnCall:
    """One call with its page and its JPEG pictures by name; ``window``: what of the frame its crop shows."""

    call: Call
    page: Page
    window: Enlarged
    pictures: dict[str, bytes]


@dataclass(frozen=True, eq=False)
class Audit:
    """The calls of one picture, measured, drawn and put into words; nothing is written yet.

    ``settings``: the options that were given, by name, for the record; ``files``: those of them that are files.
    """

    source: Source
    reading: CrokinoleReading
    asked: Asked
    drawn: tuple[DrawnCall, ...]
    settings: Mapping[str, Any]
    files: Mapping[str, Path]

    @property
    def pages(self) -> list[Page]:
        """The pages of the report."""
        return [d.page for d in self.drawn]

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls as evidence.json has them."""
        return [call_json(self.reading, d.call, d.page, d.window) for d in self.drawn]

    def write(self, folder: Path, *, copy_original: bool = False) -> str:
        """Write the audit's folder; returns the evidence's hash. Raises UnusableInputError where writing fails."""
        make_folder(folder)
        source, pixels = self.source, self.reading.frame.pixels
        for d in self.drawn:
            for name, data in d.pictures.items():
                write_bytes(folder / d.call.name / f"{name}.jpg", data)
            write_bytes(folder / d.call.name / "pixels.png", _png(d.window.source(pixels)))
        kept = {name: _keep(folder, f"settings/{name}{path.suffix}", path) for name, path in sorted(self.files.items())}
        if source.kind == "video":
            write_bytes(folder / "frame.png", _png(pixels))
            write_clip(source, folder)
        copied = _keep(folder, f"original/{source.path.name}", source.path) if copy_original else None
        pictures = {d.call.name: d.pictures for d in self.drawn}
        write_pdf(folder / REPORT_PDF, self.pages, pictures, source.taken)
        write_html(folder / REPORT_HTML, self.pages, pictures)
        original = original_json(source, folder, copied)
        write_json(folder / EVIDENCE, self._evidence(original, kept))
        return write_manifest(folder, original)

    def _evidence(self, original: Mapping[str, Any], kept: Mapping[str, str]) -> dict[str, Any]:
        asked = self.asked
        said = reading_json(self.reading, 0.0)
        return {
            "schema": EVIDENCE_SCHEMA,
            "software": software_json(),
            "source": original,
            "asked": {"disc": asked.disc, "at": None if asked.at is None else list(asked.at)},
            "settings": {**self.settings, "files": kept},
            "calls": self.calls,
            "reading": {name: item for name, item in said.items() if name not in ("elapsed_ms", "stages_ms")},
        }


def build_audit(
    source: Source,
    reading: CrokinoleReading,
    asked: Asked,
    *,
    settings: Mapping[str, Any] | None = None,
    files: Mapping[str, Path] | None = None,
) -> Audit:
    """Draw the calls that were asked for and put them into words; arguments as in :class:`Audit`.

    Raises NotFoundError (no_disc, no_call).
    """
    settings = dict(settings or {})
    small, small_view = reduced(reading)
    drawn = []
    for call in calls_of(reading, find_disc(reading, asked.disc, asked.at)):
        window = window_of(reading.view, call)
        plain = window.pixels(reading.frame.pixels)
        pictures = {
            "crop_drawn": _jpeg(drawn_crop(reading.view, call, window, plain)),
            "crop": _jpeg(plain),
            "from_above": _jpeg(from_above(small, small_view, call)),
            "solved_lines": _jpeg(solved_lines(small, small_view, call)),
        }
        page = page_of(source, reading, call, settings, window.factor)
        drawn.append(DrawnCall(call, page, window, pictures))
    return Audit(source, reading, asked, tuple(drawn), settings, dict(files or {}))


def software_json() -> dict[str, str]:
    """What measured: this program and the libraries that its numbers hang on."""
    return {"name": "Table Referee", "version": __version__, "opencv": cv2.__version__, "numpy": np.__version__}


def original_json(source: Source, folder: Path, copied: str | None) -> dict[str, Any]:
    """The original: what it is, where it was, its hash."""
    return {
        "kind": source.kind,
        "path": source.path.as_posix(),
        "from_folder": path_from(folder, source.path),
        "copy": copied,
        "sha256": source.sha256,
        "bytes": source.size,
        "taken": source.taken,
        "seconds": source.seconds,
        "frame_sha256": source.frame.sha256 if source.kind == "video" else None,
    }


def call_json(reading: CrokinoleReading, call: Call, page: Page, window: Enlarged) -> dict[str, Any]:
    """One call: verdict, numbers, budget, outlines in mm and the crop's window in pixels of the picture as shown."""
    inside, on = VALUES[call.contact.line]
    lines, frame = call.outlines, reading.frame
    corner = frame.to_shown(np.array([[window.left, window.top]]))
    return {
        "name": call.name,
        "disc": disc_json(call.disc, frame.to_shown(np.array([call.disc.px]))[0]),
        **line_json(call.contact),
        "verdict_words": page.verdict,
        "reason": page.reason,
        "counts": {"clear": inside, "touching": on},
        "probable": call.probable,
        "expanded_mm": number(call.expanded),
        "k": COVERAGE,
        "decidable_mm": number(call.decidable),
        "shares": {name: number(s) for (name, _), s in zip(call.parts, shares(call.parts), strict=True)},
        "clauses": dict(page.clauses),
        "advice": list(page.advice),
        "notes": list(page.notes),
        "px_per_mm": number(call.px_per_mm),
        "view_angle_deg": number(call.view_angle_deg, 2),
        "glare": number(call.glare),
        "hidden": call.hidden,
        "outlines_mm": {
            "centre": points(lines.centre)[0],
            "radius": number(lines.radius),
            "height": number(lines.height, 3),
            "shift": points(lines.shift)[0],
            "touch": points(lines.touch)[0],
            "line_point": points(lines.line_point)[0],
            "line_inner_edge": points(lines.edge(lines.inner)[::20]),
        },
        "crop": {"corner_px": points(corner)[0], "enlargement": number(window.factor)},
        "pictures": {
            name: f"{call.name}/{name}.{'png' if name == 'pixels' else 'jpg'}"
            for name in ("crop_drawn", "crop", "pixels", "from_above", "solved_lines")
        },
    }


def _keep(folder: Path, name: str, path: Path) -> str:
    target = folder / name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    except OSError as error:
        raise UnusableInputError(f"{target}: can't be written ({error.strerror or error})") from error
    return name


def _jpeg(pixels: Pixels) -> bytes:
    return bytes(cv2.imencode(".jpg", pixels, JPEG)[1].tobytes())


def _png(pixels: Pixels) -> bytes:
    return bytes(cv2.imencode(".png", pixels, (cv2.IMWRITE_PNG_COMPRESSION, 4))[1].tobytes())

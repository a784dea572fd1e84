"""The machine's view of a crokinole reading: ``reading/1`` as the documentation describes it."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee import __version__
from referee.crokinole_reader import CrokinoleReading, shown_view
from vision.readings import Cover, Disc, LineContact

SCHEMA = "reading/1"


def number(value: float | None, digits: int = 4) -> float | None:
    """Round for printing; what isn't a finite number is None."""
    return None if value is None or not math.isfinite(value) else round(float(value), digits)


def points(array: NDArray[np.float64], digits: int = 3) -> list[list[float | None]]:
    """Points (N, 2) as nested lists."""
    return [[number(x, digits), number(y, digits)] for x, y in np.asarray(array, dtype=np.float64).reshape(-1, 2)]


def line_json(contact: LineContact) -> dict[str, Any]:
    """One line beside a disc."""
    return {
        "line": contact.line,
        "gap_mm": number(contact.gap_mm),
        "sigma_mm": number(contact.sigma_mm),
        "p_touching": number(contact.p_touching, 6),
        "verdict": contact.verdict,
        "inner_gap_mm": number(contact.inner_gap_mm),
        "parts_mm": {name: number(v) for name, v in contact.parts},
    }


def disc_json(disc: Disc, px: NDArray[np.float64]) -> dict[str, Any]:
    """One disc; ``px`` (2,) is its point in the picture as shown.

    Its ``confidence`` is that the disc is there and has this value; that of a :class:`Disc` is of the first alone.
    """
    return {
        "id": disc.id,
        "colour": disc.colour,
        "px": points(px)[0],
        "mm": points(np.array(disc.mm))[0],
        "sigma_mm": number(disc.sigma_mm),
        "state": disc.state,
        "value": disc.value,
        "confidence": number(disc.confidence * (disc.values[0][1] if disc.values else 1.0)),
        "values": [[value, number(p)] for value, p in disc.values],
        "lines": [line_json(c) for c in disc.lines],
    }


def cover_json(reading: CrokinoleReading, cover: Cover) -> dict[str, Any]:
    """What covers a part of the surface, its outline in the picture as shown."""
    outline = reading.frame.to_shown(reading.view.to_px(np.array(cover.outline)))
    return {"mm": points(np.array(cover.mm))[0], "outline_px": points(outline, 1), "values": list(cover.values)}


def board_json(reading: CrokinoleReading) -> dict[str, Any]:
    """The fields ``board`` and ``camera``, in pixels of the picture as shown.

    Line widths and the discs' diameter are those that the gaps were measured with, unless the diameter was given; where
    no gap was measured, the board model's.
    """
    view = shown_view(reading.frame, reading.view)
    board, camera = view.board, view.camera
    radii = {"shooting": board.shooting, "10": board.ten, "15": board.fifteen, "hole": board.hole}
    circles = {
        name: [] if r is None else points(reading.frame.to_shown(reading.view.circle_px(r)), 2)
        for name, r in radii.items()
    }
    measured = reading.measured
    painted = board.line_widths if measured is None or measured.lines is None else [x.width for x in measured.lines]
    widths = dict(zip(("15", "10", "shooting"), painted, strict=True))
    radius = board.disc_radius if measured is None or view.discs_given else measured.shared.radius
    return {
        "board": {
            "model": board.name,
            "scale_from": view.scale.detail,
            "radii_mm": {name: number(r, 3) for name, r in radii.items()},
            "line_widths_mm": {name: number(w, 3) for name, w in widths.items()},
            "disc_diameter_mm": number(2 * radius, 3),
            "residual_px": number(view.residual_px),
            "circles_px": circles,
        },
        "camera": {
            "K": [[number(v) for v in row] for row in camera.K],
            "dist": [number(v, 8) for v in camera.dist],
            "rvec": [number(v, 8) for v in camera.rvec],
            "tvec": [number(v, 5) for v in camera.tvec],
            "tilt_deg": number(camera.tilt_deg, 3),
            "sigma": {name: number(v) for name, v in camera.sigma.items()},
            "assumed": list(camera.assumed),
            "calibrated": camera.calibrated,
        },
    }


def reading_json(reading: CrokinoleReading, elapsed_ms: float) -> dict[str, Any]:
    """Return the whole reading, ready for ``json.dumps``."""
    frame, score = reading.frame, reading.score
    px = frame.to_shown(np.array([d.px for d in reading.discs], dtype=np.float64))
    return {
        "schema": SCHEMA,
        "game": "crokinole",
        "image": {"path": frame.source, "width": frame.width, "height": frame.height, "sha256": frame.sha256},
        "software": {"version": __version__},
        "elapsed_ms": round(elapsed_ms, 1),
        "stages_ms": {name: round(v, 1) for name, v in reading.stages_ms.items()},
        "warnings": list(reading.warnings),
        **board_json(reading),
        "discs": [disc_json(d, p) for d, p in zip(reading.discs, px, strict=True)],
        "score": dict(score.points),
        "score_sure": score.sure,
        "score_probability": number(score.probability),
        "score_range": {colour: list(ends) for colour, ends in score.ranges.items()},
        "covers": [cover_json(reading, cover) for cover in reading.covers],
        "doubts": [{"disc": d.disc, "values": list(d.values), "why": d.why} for d in score.doubts],
    }

"""Yacht's dice and Krakatoa's dodecas from one picture, as the reading that programs get."""

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from referee import __version__
from referee.rules.krakatoa import SETS, ValueTable
from vision.dice import read_dice
from vision.dice_overlay import Mark, draw_marks
from vision.dodecas import DodecaColours, read_dodecas
from vision.formats import Pixels
from vision.frames import Frame
from vision.readings import Dodeca

SCHEMA = "reading/1"
DICE, A_SET = 5, 3
"""Dice of Yacht (Y1) and dodecas of a set (K1)."""


@dataclass(frozen=True)
class DiceReading:
    """What was read: the game's own fields, warnings for people, one line for each piece, milliseconds."""

    game: str
    frame: Frame
    fields: dict[str, Any]
    warnings: tuple[str, ...]
    lines: tuple[str, ...]
    marks: tuple[Mark, ...]
    elapsed_ms: float

    def as_json(self) -> dict[str, Any]:
        """``reading/1`` as the documentation describes it."""
        frame = self.frame
        return {
            "schema": SCHEMA,
            "game": self.game,
            "image": {"path": frame.source, "width": frame.width, "height": frame.height, "sha256": frame.sha256},
            "software": {"version": __version__},
            "elapsed_ms": round(self.elapsed_ms, 1),
            "warnings": [*frame.warnings, *self.warnings],
            **self.fields,
        }


def read_game(frame: Frame, game: str, started: float, known: DodecaColours | None = None) -> DiceReading:
    """Read ``yacht`` or ``krakatoa``; ``started``: time.perf_counter() when the work on this picture began.

    ``known``: what the dodecas look like here, from a profile.
    """
    fields, warnings, marks = _yacht(frame) if game == "yacht" else _krakatoa(frame, known)
    lines = tuple(m.words for m in marks) or (f"no {'dice' if game == 'yacht' else 'dodecas'}",)
    elapsed = 1000 * (time.perf_counter() - started)
    return DiceReading(game, frame, fields, tuple(warnings), lines, tuple(marks), elapsed)


def drawn(reading: DiceReading) -> Pixels:
    """Return the picture with each piece's mark beside its point."""
    frame = reading.frame
    return draw_marks(frame.pixels, [_mark_here(frame, m) for m in reading.marks])


def _mark_here(frame: Frame, mark: Mark) -> Mark:
    """The mark in pixels of the frame instead of the picture as shown."""
    x, y = frame.from_shown(np.array([mark.px]))[0].tolist()
    return replace(mark, px=(x, y), size=mark.size / frame.scale[0])


def _point(px: tuple[float, float]) -> list[float]:
    return [round(px[0], 2), round(px[1], 2)]


def _yacht(frame: Frame) -> tuple[dict[str, Any], list[str], list[Mark]]:
    dice = read_dice(frame)
    warnings = []
    if dice and len(dice) != DICE:
        seen = "1 die" if len(dice) == 1 else f"{len(dice)} dice"
        warnings.append(f"{seen} in view, Yacht is played with {DICE}")
    cocked = sum(d.state == "cocked" for d in dice)
    unknown = sum(d.value is None for d in dice) - cocked
    if cocked:
        warnings.append(f"{cocked} cocked: no value until re-rolled or ruled")
    if unknown:
        warnings.append(f"{unknown} can't be read")
    entries = [
        {"value": d.value, "px": _point(d.px), "state": d.state, "body": d.body, "confidence": d.confidence,
         "edge_px": round(d.edge_px, 2)}
        for d in dice
    ]  # fmt: skip
    marks = []
    for d in dice:
        told = "cocked" if d.state == "cocked" else str(d.value or "?")
        marks.append(Mark(f"{told}   {d.body}", told, d.px, d.edge_px, d.value is not None))
    return {"dice": entries}, warnings, marks


def _krakatoa(frame: Frame, known: DodecaColours | None) -> tuple[dict[str, Any], list[str], list[Mark]]:
    dodecas = read_dodecas(frame, known)
    score = {name: set_value(name, dodecas) for name in SETS}
    warnings = []
    for name in SETS:
        count = sum(d.set == name for d in dodecas)
        if dodecas and count != A_SET:
            seen = "1 dodeca" if count == 1 else f"{count} dodecas"
            warnings.append(f"{seen} of {name} in view, a set has {A_SET}")
    unknown = sum(d.set is None or d.colour is None for d in dodecas)
    if unknown:
        warnings.append(f"{unknown} can't be read")
    entries = [
        {"set": d.set, "colour": d.colour, "px": _point(d.px), "confidence": d.confidence,
         "across_px": round(d.across_px, 2)}
        for d in dodecas
    ]  # fmt: skip
    marks = []
    for d in dodecas:
        told = f"{d.set or '?'} {d.colour or '?'}"
        marks.append(Mark(told, told, d.px, d.across_px, "?" not in told))
    return {"dodecas": entries, "score": score}, warnings, marks


def set_value(name: str, dodecas: tuple[Dodeca, ...]) -> int | None:
    """Value of a set by K8; None unless exactly three dodecas of it lie there and each colour is known."""
    colours = [d.colour for d in dodecas if d.set == name]
    if len(colours) != A_SET or None in colours:
        return None
    return ValueTable().value("".join(c[0].upper() for c in colours if c is not None))

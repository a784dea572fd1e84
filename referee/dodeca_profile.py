"""What Krakatoa's dodecas look like on one table: measured from a picture of all nine, and handed to the reader."""

import numpy as np

from calibration.errors import NotFoundError
from calibration.profiles import DodecaFile, Rgb
from vision.dodecas import COLOURS, SETS, DodecaColours, Floats, looks_at, read_dodecas
from vision.frames import Frame

ALL, A_SET = 9, 3
"""Dodecas of the game, and of a set (K1)."""


def measure(frame: Frame, across_mm: float) -> DodecaFile:
    """The profile of nine dodecas in a frame; raises NotFoundError(no_dodecas) where they aren't all told."""
    looks, told = looks_at(frame), read_dodecas(frame)
    if len(looks) != ALL:
        raise NotFoundError(f"{frame.source}: {len(looks)} dodecas in view, all nine are needed", code="no_dodecas")
    looks = sorted(looks, key=lambda one: (one.y, one.x))  # the order of read_dodecas
    for name in SETS:
        count = sum(d.set == name for d in told)
        if count != A_SET:
            why = f"{count} dodecas told as {name}, there are three; lay them apart, in even light"
            raise NotFoundError(f"{frame.source}: {why}", code="no_dodecas")
    missing = [colour for colour in COLOURS if all(d.colour != colour for d in told)]
    if missing:
        why = f"no {' and no '.join(missing)} spot on top; turn one of the dodecas"
        raise NotFoundError(f"{frame.source}: {why}", code="no_dodecas")
    bodies = {n: _rgb([k.body for k, d in zip(looks, told, strict=True) if d.set == n]) for n in SETS}
    spots = {c: _rgb([k.spot for k, d in zip(looks, told, strict=True) if d.colour == c]) for c in COLOURS}
    if not sum(bodies["steam"]) > sum(bodies["ash"]) > sum(bodies["lava"]):
        why = "the white ones aren't the brightest, or the black ones not the darkest: use more even light"
        raise NotFoundError(f"{frame.source}: {why}", code="no_dodecas")
    return DodecaFile.model_validate({"across_mm": across_mm, **bodies, **spots, "picture_sha256": frame.sha256})


def known_colours(profile: DodecaFile) -> DodecaColours:
    """The colours of a profile as the reader takes them."""
    return DodecaColours(
        np.array([getattr(profile, name) for name in SETS])[:, ::-1],
        np.array([getattr(profile, name) for name in COLOURS])[:, ::-1],
    )


def _rgb(bgr: list[Floats]) -> Rgb:
    """Median colour as RGB, one decimal."""
    b, g, r = (round(float(v), 1) for v in np.nanmedian(np.array(bgr), axis=0))
    return r, g, b

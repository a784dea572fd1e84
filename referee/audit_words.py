"""What a report says about a call, in words and figures; the PDF and the HTML page only set it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee import __version__
from referee.audit_call import COVERAGE, PART_WORDS, VALUES, Call, shares
from referee.audit_source import Source, moment_text
from referee.crokinole_reader import CrokinoleReading, shown_view
from referee.rules.clauses import clause
from vision.contact_patch import DETAIL_PX_PER_MM
from vision.disc_values import GUARD_SIGMAS
from vision.doubts import DiscDoubt

MINUS = "\u2212"

BEST_SIGMA_MM = 0.12
"""The best standard uncertainty of single pictures: smaller gaps stay a matter for a ruling (C26)."""

STEEP_DEG = 15.0
"""Nearer to the vertical than this, a disc hides its own foot, and its wall tells nothing."""

OBLIQUE_DEG = 30.0
"""From here on the disc's height matters so much that a view from higher up helps."""

GLARE_SHARE = 0.02
"""With a larger share of burnt-out pixels around the contact, the light is worth changing."""

WORTH_SHARE = 0.1
"""Parts with less than this share of the variance are not worth an effort."""

NAME_LONGEST = 48
ADVICE_MOST = 4
DOUBTS_MOST = 3


@dataclass(frozen=True)
class Page:
    """All text of one call's page.

    ``figures`` and ``facts``: (label, value); ``clauses``: (number, words); ``budget``: (part, standard uncertainty in
    mm, share of the variance).
    """

    name: str
    place: str
    verdict: str
    reason: str
    sure: bool
    figures: tuple[tuple[str, str], ...]
    budget: tuple[tuple[str, float, float], ...]
    combined: tuple[tuple[str, str], ...]
    advice: tuple[str, ...]
    notes: tuple[str, ...]
    clauses: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    crop_caption: str
    plain_caption: str
    above_caption: str
    lines_caption: str


def page_of(source: Source, reading: CrokinoleReading, call: Call, settings: Mapping[str, Any], factor: float) -> Page:
    """Put a call into words; ``factor`` is the enlargement of its crop in pixels of the crop for one of the picture."""
    contact = call.contact
    sure = contact.verdict != "too_close"
    parts = tuple(
        (PART_WORDS.get(name, name), value, share)
        for (name, value), share in zip(call.parts, shares(call.parts), strict=True)
    )
    view = shown_view(reading.frame, reading.view)
    return Page(
        name=call.name,
        place=f"{_short(source.path.name)} \u00b7 disc {call.disc.id}, {call.disc.colour} \u00b7 {call.line_words}",
        verdict=verdict_words(call),
        reason=reason_words(call),
        sure=sure,
        figures=(
            ("gap to the line's inner edge", gap_words(call)),
            ("probability of touching", chance(contact.p_touching)),
            ("smallest gap decidable", f"{call.decidable:.2f} mm"),
            ("disc on the board, x and y", f"{signed(call.disc.mm[0], 1)}, {signed(call.disc.mm[1], 1)} mm"),
        ),
        budget=parts,
        combined=(
            ("combined standard uncertainty", f"{contact.sigma_mm:.3f} mm"),
            (f"expanded (k = {COVERAGE:g}, about 95 %)", f"{call.expanded:.2f} mm"),
        ),
        advice=() if sure else advice(reading, call),
        notes=notes(reading, call),
        clauses=tuple((number, clause("crokinole", number)) for number in clause_numbers(call)),
        facts=facts(source, reading, settings),
        crop_caption=f"enlarged {factor:.0f} times; between the arrows: the gap",
        plain_caption="the same place, nothing drawn",
        above_caption="the board from straight above",
        lines_caption=f"the solved lines; edges fit to {view.residual_px:.2f} px (RMS)",
    )


def _short(name: str) -> str:
    """A file's name, shortened in the middle if it is longer than a line; the facts have all of it."""
    return name if len(name) <= NAME_LONGEST else f"{name[: NAME_LONGEST // 2]}\u2026{name[-NAME_LONGEST // 2 + 1 :]}"


def signed(value: float, digits: int) -> str:
    """A number with its sign, a true minus before negative ones."""
    return f"{value:+.{digits}f}".replace("-", MINUS)


def gap_words(call: Call) -> str:
    """The gap with its expanded uncertainty."""
    return f"{signed(call.contact.gap_mm, 2)} mm \u00b1 {call.expanded:.2f} mm (k = {COVERAGE:g})"


def chance(p: float) -> str:
    """A probability in per cent, never 0 or 100."""
    if p < 0.0001 or p > 0.9999:
        return "less than 0.01 %" if p < 0.5 else "more than 99.99 %"
    return f"{100 * p:.2f} %" if min(p, 1 - p) < 0.01 else f"{100 * p:.1f} %"


def verdict_words(call: Call) -> str:
    """The verdict and what the disc counts."""
    inside, on = VALUES[call.contact.line]
    if call.contact.verdict == "too_close":
        return f"Too close to call: {inside} or {on}"
    if call.contact.verdict == "clear":
        return f"Clear of {call.line_words}: counts {inside}"
    verb = "Lies beyond" if call.beyond else "Touches"
    return f"{verb} {call.line_words}: " + ("goes to the ditch, counts 0" if on == 0 else f"counts {on}")


def reason_words(call: Call) -> str:
    """Why the verdict is what it is, in a sentence or two."""
    contact = call.contact
    where = f"ends {contact.gap_mm:.2f} mm before" if contact.gap_mm > 0 else f"reaches {-contact.gap_mm:.2f} mm over"
    measured = f"Seen straight from above, the disc's outline {where} the inner painted edge of {call.line_words}"
    times = abs(contact.gap_mm) / contact.sigma_mm
    if contact.verdict != "too_close":
        other = min(contact.p_touching, 1 - contact.p_touching)
        return (
            f"{measured}: {times:.1f} times the standard uncertainty. The other verdict has a probability of "
            f"{chance(other)}; below 5 % a call is made."
        )
    largest, _ = call.parts[0] if call.parts else ("edge", 0.0)
    likely = max(contact.p_touching, 1 - contact.p_touching)
    return (
        f"{measured}, but only gaps of {call.decidable:.2f} mm or more can be decided here, mostly because of "
        f"{PART_WORDS.get(largest, largest)}. {call.probable} is the more probable value ({chance(likely)}); "
        "below 95 % it is left to a ruling."
    )


def clause_numbers(call: Call) -> tuple[str, ...]:
    """The clauses that the call rests on."""
    numbers = ["C16"]
    if call.contact.line == "shooting":
        numbers.append("C10")
    if call.contact.verdict == "too_close":
        numbers.append("C26")
    return tuple(numbers)


def notes(reading: CrokinoleReading, call: Call) -> tuple[str, ...]:
    """What else a judge should know: doubts about the disc itself, warnings about the picture."""
    covered = "the disc covers the place itself: outline and line are carried on from where they are seen"
    about = [covered] if call.hidden else []
    about += [d.words for d in call.disc.why if d.kind is not DiscDoubt.GAP][:DOUBTS_MOST]
    if call.disc.state != "board":
        about.insert(0, f"the disc is read as: {call.disc.state}")
    return (*about, *reading.warnings)


def advice(reading: CrokinoleReading, call: Call) -> tuple[str, ...]:
    """What would decide the call, with numbers, what helps most first."""
    sigma = call.contact.sigma_mm
    needed = abs(call.contact.gap_mm) / GUARD_SIGMAS
    out = []
    if needed < BEST_SIGMA_MM:
        out.append(
            f"So small a gap needs a standard uncertainty of {max(needed, 0.001):.3f} mm; "
            f"pictures reach {BEST_SIGMA_MM:g} mm at best. A better one may move the gap, else a ruling decides (C26)."
        )
    else:
        out.append(f"It takes a standard uncertainty of {needed:.2f} mm or less; here it is {sigma:.2f} mm.")
    for names, value in _efforts(call):
        if value**2 < WORTH_SHARE * sigma**2 or len(out) == ADVICE_MOST:
            break
        others = math.sqrt(max(sigma**2 - value**2, 0.0))
        room = math.sqrt(needed**2 - others**2) if needed > others else None
        what = " and ".join(PART_WORDS.get(name, name) for name in names)
        without = f"without that, gaps from {GUARD_SIGMAS * others:.2f} mm on could be decided"
        out.append(f"{_help(reading, call, names[0], value, room)} ({what}: {value:.2f} mm; {without}).")
    if call.glare > GLARE_SHARE:
        out.append(f"Less glare: {100 * call.glare:.0f} % of the pixels around the place are burnt out.")
    return tuple(out)


def _efforts(call: Call) -> list[tuple[list[str], float]]:
    """Groups of parts that one and the same effort reduces, with their joint size in mm, largest first."""
    together: dict[str, list[tuple[str, float]]] = {}
    for name, value in call.parts:
        seen = {"line": "edge", "height": "pose"}.get(name, name)
        together.setdefault(seen, []).append((name, value))
    efforts = [([name for name, _ in parts], math.hypot(*(v for _, v in parts))) for parts in together.values()]
    return sorted(efforts, key=lambda effort: -effort[1])


def _help(reading: CrokinoleReading, call: Call, name: str, value: float, room: float | None) -> str:
    """What reduces a part; ``room``: how many mm it may keep to decide the call, None: it alone isn't enough."""
    angle = call.view_angle_deg
    if name in ("pose", "height"):
        return _help_pose(reading, angle, value, room)
    if name == "radius":
        return "The discs' true diameter, by calliper: --disc-mm"
    if call.px_per_mm < 0.95 * DETAIL_PX_PER_MM:
        wanted = DETAIL_PX_PER_MM if room is None else max(call.px_per_mm * value / room, 1.2 * call.px_per_mm)
        beyond = "" if wanted < DETAIL_PX_PER_MM else ", more are of no use"
        return (
            f"Nearer: {call.px_per_mm:.2f} pixels a millimetre at this disc now, "
            f"{min(wanted, DETAIL_PX_PER_MM):.1f} would help{beyond}"
        )
    if name == "edge" and angle < STEEP_DEG:
        return f"More from the side: seen {angle:.0f} degrees from the vertical now, 20 to 40 show more of its foot"
    return "A sharper picture: the camera at rest, more and softer light"


def _help_pose(reading: CrokinoleReading, angle: float, value: float, room: float | None) -> str:
    """What reduces the share of pose and height: a known camera, and less parallax."""
    known = "" if reading.view.camera.calibrated else "a calibrated camera ('referee calibrate camera', then --camera)"
    if angle < OBLIQUE_DEG:
        return known[:1].upper() + known[1:] if known else "A camera measured in place ('referee calibrate board')"
    enough = OBLIQUE_DEG if room is None else math.degrees(math.atan(math.tan(math.radians(angle)) * room / value))
    above = (
        f"More from above over this disc: seen {angle:.0f} degrees from the vertical now, "
        f"{max(STEEP_DEG, min(enough, OBLIQUE_DEG)):.0f} would do better"
    )
    return f"{above}; or {known}" if known else above


def facts(source: Source, reading: CrokinoleReading, settings: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What the page rests on: file, hash, time, camera, software, settings."""
    view = shown_view(reading.frame, reading.view)
    camera = view.camera
    size = f"{reading.frame.width} \u00d7 {reading.frame.height}"
    out = [
        (
            "original",
            f"{source.path.name}, {source.size:,} bytes, {size} pixels",
        ),
        ("SHA-256", f"{source.sha256[:32]} {source.sha256[32:]}"),
    ]
    if source.seconds is not None:
        out.append(("frame", f"at {moment_text(source.seconds)}, pixels' SHA-256 {reading.frame.sha256[:16]}\u2026"))
    clock = "recorded" if source.kind == "video" else "taken"
    out.append((clock, source.taken or "the file doesn't say when"))
    focal = camera.sigma.get("focal_px")
    spread = "" if not focal else f" \u00b1 {focal:.0f}"
    lens = f"focal length {camera.K[0, 0]:.0f}{spread} px (standard uncertainty)"
    out += [
        ("camera", f"tilt {camera.tilt_deg:.1f}\u00b0, {lens}"),
        ("millimetres from", view.scale.detail),
    ]
    if camera.assumed:
        out.append(("assumed", "; ".join(camera.assumed)))
    given = ", ".join(f"--{name} {value}" for name, value in settings.items() if value is not None)
    out += [("settings", given or "none given"), ("software", f"Table Referee {__version__}")]
    return tuple(out)

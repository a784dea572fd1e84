"""Points of a crokinole position from its discs, and whether the score is sure.

Pure functions of a reading's discs. The most probable value of each counts, the other possible ones become a range, and
every disc that leaves the score open is named with the reason.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from vision.doubts import DiscDoubt, doubt
from vision.readings import Cover, Disc

SURE_PROBABILITY = 0.8
"""The score is called sure if, by the computed probabilities, all sides' points are right with at least this one, and
no line call that they depend on is open. Set by hand, with 20 photographed and 80 rendered positions in view. Computed
probabilities are timid: of 27 positions above it none was wrong, of 25 between 0.6 and 0.8 four."""

POSSIBLE = 0.005
"""A value less probable than this is not worth naming: for 24 discs all such together stay below 12 %, and the discs'
probabilities themselves are known only to about that."""

RANGE_POSSIBLE = 0.001
"""Once there is a doubt, the range holds every value at least this probable: a wide range is an honest one."""

UNSEEN_MOST = 0.25
"""Share of the shooting line that may lie outside the picture. Beyond it, discs there aren't seen and the rest of the
lines gives no sure camera (with a third cut off, a gap was read 2 mm off at a sigma of 0.4)."""

EVERY_VALUE = (0, 5, 10, 15, 20)

SIDE_DISCS = 12
"""Discs of a side in play (C4); spares stay off the board."""

MOST_SIDES = 3
"""Sides of any game of crokinole (C14, C21-C23)."""

LONE_SURE = 0.97
"""A side's only disc beside two other sides is asked about if it is less surely a disc than this: prints look so."""

DISC_POSSIBLE = 0.01
"""A disc may or may not be there if its probability lies between this and 1 minus this."""


@dataclass(frozen=True, slots=True)
class OpenPoints:
    """A disc whose points are open: its id (None: not listed), its possible points, the counted first, and why."""

    disc: int | None
    values: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Score:
    """Points by colour, whether they are sure, the range of each side, and what leaves them open."""

    points: Mapping[str, int]
    sure: bool
    ranges: Mapping[str, tuple[int, int]]
    probability: float
    doubts: tuple[OpenPoints, ...] = field(default=())


def alternatives(disc: Disc) -> dict[int, float]:
    """Points that the disc may give its side, with probabilities: its values, and 0 if it may not be there."""
    if not disc.values:
        return {}
    out: dict[int, float] = {}
    for value, probability in disc.values:
        out[value] = out.get(value, 0.0) + probability * disc.confidence
    if disc.confidence < 1:
        out[0] = out.get(0, 0.0) + 1 - disc.confidence
    return out


def score_position(
    discs: Iterable[Disc], maybe: Iterable[Disc] = (), unseen: float = 0.0, covers: Sequence[Cover] = ()
) -> Score:
    """Add up a position.

    ``unseen``: share of the board that isn't in the picture; ``covers``: what may hide discs of any side. A disc
    without a value counts 0, makes the score unsure, and ranges over all values. ``maybe`` are things too doubtful to
    be listed: they count nothing, but each may yet count. Discs in the ditch raise no doubt.
    """
    discs = tuple(discs)
    points: dict[str, int] = {}
    low: dict[str, int] = {}
    high: dict[str, int] = {}
    certain: list[float] = []
    doubts: list[OpenPoints] = []
    known = True
    for listed, disc in [*((True, d) for d in discs), *((False, d) for d in maybe)]:
        chances = alternatives(disc)
        if not chances:
            known = known and not listed
            chances = dict.fromkeys(EVERY_VALUE, 1 / len(EVERY_VALUE))
        likely = (disc.value or 0) if listed else 0
        certain.append(chances.get(likely, 0.0))
        possible = {v for v, p in chances.items() if p >= RANGE_POSSIBLE} | {likely}
        if listed or len(possible) > 1:
            points[disc.colour] = points.get(disc.colour, 0) + likely
            low[disc.colour] = low.get(disc.colour, 0) + min(possible)
            high[disc.colour] = high.get(disc.colour, 0) + max(possible)
        others = disc.colours[1:] if listed and possible != {0} else ()
        if others:
            certain.append(1 - sum(share for _, share in others))
            low[disc.colour] -= min(possible)
            for other, _ in others:
                points.setdefault(other, 0)
                low.setdefault(other, 0)
                high[other] = high.get(other, 0) + max(possible)
            named_others = " or ".join(f"{other} ({100 * share:.0f} %)" for other, share in others)
            words = f"it may be {named_others}, its face lies between the sides' colours"
            doubts.append(OpenPoints(disc.id, (likely,), words))
        named = sorted((v for v, p in chances.items() if p >= POSSIBLE and v != likely), key=lambda v: -chances[v])
        if named:
            doubts.append(OpenPoints(disc.id if listed else None, (likely, *named), why(disc, likely, listed)))
    probability = prod(certain)
    in_play = [d for d in discs if d.state != "ditch"]
    for open_points, sides in against_the_rules(in_play):
        known = False
        doubts.append(open_points)
        for colour in sides:
            low[colour] = 0
            high.update({other: high[other] + points[colour] for other in points if other != colour})
    if unseen > UNSEEN_MOST:
        known = False
        doubts.append(OpenPoints(None, (), f"{100 * unseen:.0f} % of the shooting line lies outside the picture"))
    for cover in covers:
        known = False
        doubts.append(OpenPoints(None, (), covered(cover)))
    hidden = sorted((v for cover in covers for v in cover.values), reverse=True)
    counts = Counter(d.colour for d in in_play)
    for colour in points if hidden else ():
        high[colour] += sum(hidden[: max(SIDE_DISCS - counts[colour], 0)])
    if probability >= SURE_PROBABILITY and known and not undecided(discs):
        return Score(points, True, {c: (p, p) for c, p in points.items()}, probability)
    return Score(points, False, {c: (low[c], high[c]) for c in points}, probability, tuple(doubts))


def covered(cover: Cover) -> str:
    """Say in one line what a cover may hide."""
    x, y = cover.mm
    most = len(cover.values)
    beneath = "a disc" if most == 1 else f"up to {most} discs"
    return f"what covers the board about {x:.0f}, {y:.0f} mm may hide {beneath}"


def undecided(discs: Sequence[Disc]) -> bool:
    """Whether a line call that the points depend on is too close: no score is sure while one is."""
    return any(c.verdict == "too_close" for d in discs if d.state == "board" and len(d.values) > 1 for c in d.lines)


def against_the_rules(discs: Sequence[Disc]) -> list[tuple[OpenPoints, tuple[str, ...]]]:
    """Find what a position can't or hardly hold (the ditch left out), and the sides whose points that leaves open.

    It is never corrected here: somebody has to look.
    """
    out: list[tuple[OpenPoints, tuple[str, ...]]] = []
    counts = Counter(d.colour for d in discs)
    for colour, count in counts.items():
        if count > SIDE_DISCS:
            out.append((OpenPoints(None, (), f"{count} {colour} discs; a side has {SIDE_DISCS}"), (colour,)))
    if len(counts) > MOST_SIDES:
        fewest = min(counts, key=lambda colour: counts[colour])
        out.append(
            (OpenPoints(None, (), f"{len(counts)} colours of discs; there are {MOST_SIDES} sides at most"), (fewest,))
        )
    if len(counts) == MOST_SIDES:
        doubted = {d.colour for d in discs if d.confidence < LONE_SURE}
        for colour in (c for c, count in counts.items() if count == 1 and c in doubted):
            words = f"a single {colour} disc beside two other sides may be a print or another thing"
            out.append((OpenPoints(None, (), words), (colour,)))
    sunk = [d for d in discs if d.state == "hole"]
    if len(sunk) > 1:
        names = " and ".join(f"#{d.id}" for d in sunk)
        out.append((OpenPoints(None, (), f"discs {names} can't both lie in the hole"), tuple({d.colour for d in sunk})))
    return out


def why(disc: Disc, likely: int, listed: bool = True) -> str:
    """Say in one line what leaves a disc's points open; the disc's own reasons come first."""
    if not listed:
        x, y = disc.mm
        return f"at {x:.0f}, {y:.0f} mm there may be a {disc.colour} disc ({100 * disc.confidence:.0f} %)"
    if disc.why:
        return "; ".join(d.words for d in disc.why)
    close = [c for c in disc.lines if c.verdict == "too_close"]
    if close:
        return "; ".join(doubt(DiscDoubt.GAP, line=c.line, gap=c.gap_mm, sigma=c.sigma_mm).words for c in close)
    if not disc.values:
        return "its place could not be measured"
    if disc.confidence < 1 - DISC_POSSIBLE:
        return doubt(DiscDoubt.EXISTENCE, chance=disc.confidence).words
    return f"{likely} points with a probability of {alternatives(disc).get(likely, 0.0):.2f}"

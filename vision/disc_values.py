"""What a disc's place is worth, with its alternatives: rings by the outermost reach (C16), the hole (C9), the lines.

A first, plain measure of the gaps to the circle lines; ``vision.contacts`` sharpens them where they are close.
"""

import math
from dataclasses import replace

from calibration.boards import LINE_NAMES, BoardModel
from vision.doubts import DiscDoubt, Doubt, doubt
from vision.readings import Disc, DiscState, LineContact, Verdict

RING_VALUES = (15, 10, 5, 0)
"""Worth of the rings from the inside out; the last lies on and beyond the shooting line (C10)."""
HOLE_VALUE, LEANING_VALUE = 20, 15
NEAR_MM = 8.0
"""Lines within this distance of a disc's outline are listed, here and by ``vision.contacts``."""
GUARD, GUARD_SIGMAS = 0.05, 1.6449
"""A verdict is given where its opposite is less probable than the first; that takes a gap of as many sigmas as the
second."""
LINE_SIGMA_MM = 0.25
"""Standard uncertainty of a line's inner edge, in mm, while only the board as a whole has been measured."""
NEGLIGIBLE = 1e-4
"""Alternatives less probable than this are not named."""
HOLE_PLACE_MM = 2.5
"""Uncertainty of a place over the hole, where it isn't known which plane is seen."""
HOLE_OVER_DISC = 1.1
"""Radius of the hole over a disc's, where it wasn't measured (C3: 1 3/8 in to 1 1/4 in)."""
STATE_WORDS: dict[DiscState, str] = {
    "board": "on the surface",
    "hole": "flat in the hole",
    "leaning": "leaning into the hole",
    "ditch": "in the ditch",
}
NAMED = 0.02
"""Alternatives at least this probable are put into words."""


def hole_radius(board: BoardModel, radius: float) -> float:
    """Radius of the hole in mm: as measured, or else what is usual for discs of ``radius`` mm."""
    return board.hole or HOLE_OVER_DISC * radius


def p_touching(gap: float, sigma: float) -> float:
    """Probability that a gap measured with standard uncertainty ``sigma`` is 0 or less."""
    return 0.5 * math.erfc(gap / max(sigma, 1e-6) / math.sqrt(2))


def verdict_of(p: float) -> Verdict:
    """Verdict with its guard band for a probability of touching."""
    if p < GUARD:
        return "clear"
    return "touching" if p > 1 - GUARD else "too_close"


def plain_contacts(
    mm: tuple[float, float], sigma_mm: float, radius: float, radius_sigma: float, board: BoardModel
) -> tuple[LineContact, ...]:
    """All circle lines within :data:`NEAR_MM` of a disc's outline, from its place and radius in mm alone."""
    out: list[LineContact] = []
    distance = math.hypot(*mm)
    for name, inner, outer in zip(LINE_NAMES, board.inner_edges, board.outer_edges, strict=True):
        gap, inner_gap = inner - distance - radius, distance - radius - outer
        if gap > NEAR_MM or inner_gap > NEAR_MM:
            continue
        parts = (("place", sigma_mm), ("radius", radius_sigma), ("line", LINE_SIGMA_MM))
        sigma = math.sqrt(sum(v * v for _, v in parts))
        p = p_touching(gap, sigma)
        out.append(LineContact(name, gap, sigma, p, verdict_of(p), inner_gap, parts))
    return tuple(out)


def ring_chances(disc: Disc, radius: float, board: BoardModel) -> dict[int, float]:
    """Probability of each ring's worth for a disc that lies flat on the surface."""
    measured = {c.line: c.p_touching for c in disc.lines}
    reach = math.hypot(*disc.mm) + radius
    touching = [
        measured.get(name, 1.0 if reach >= edge else 0.0)
        for name, edge in zip(LINE_NAMES, board.inner_edges, strict=True)
    ]
    beyond = [1.0]
    for p in touching:
        beyond.append(min(beyond[-1], p))
    beyond.append(0.0)
    return {v: max(0.0, beyond[k] - beyond[k + 1]) for k, v in enumerate(RING_VALUES)}


def standing(disc: Disc, board: BoardModel, radius: float) -> Disc:
    """The disc with its states as mechanics allows them (:func:`possible`)."""
    if disc.state == "ditch":
        return disc
    return with_states(disc, possible(dict(disc.states or ((disc.state, 1.0),)), math.hypot(*disc.mm), board, radius))


def possible(chances: dict[DiscState, float], away: float, board: BoardModel, radius: float) -> dict[DiscState, float]:
    """Probabilities of the states of a disc ``away`` mm from the board's centre, as mechanics allows them.

    A disc tips into the hole where its centre is nearer to the hole's than sqrt(hole^2 - disc^2), and one that lies
    flat in the hole lies in its middle; places over the hole are measured to within HOLE_PLACE_MM.
    """
    hole = hole_radius(board, radius)
    tips = math.sqrt(max(hole * hole - radius * radius, 0.0))
    if away > tips + HOLE_PLACE_MM:
        return chances | {"hole": 0.0, "leaning": 0.0, "board": max(chances.get("board", 0.0), 0.01)}
    if away < tips - HOLE_PLACE_MM:
        return chances | {"board": 0.0, "hole": max(chances.get("hole", 0.0), 0.01)}
    return chances


def with_states(disc: Disc, chances: dict[DiscState, float]) -> Disc:
    """The disc with other chances of its states, in any measure."""
    total = sum(chances.values())
    states = tuple(sorted(((s, p / total) for s, p in chances.items() if p > 0), key=lambda t: -t[1]))
    return replace(disc, state=states[0][0], state_confidence=states[0][1], states=states)


def valued(disc: Disc, radius: float, board: BoardModel) -> Disc:
    """Return the disc with its possible values and what leaves them open, from its states and lines."""
    chances: dict[int, float] = {}
    given: dict[int, dict[DiscState, float]] = {}
    rings = ring_chances(disc, radius, board)
    for state, p in disc.states or ((disc.state, 1.0),):
        worth = {"hole": {HOLE_VALUE: 1.0}, "leaning": {LEANING_VALUE: 1.0}, "ditch": {0: 1.0}}.get(state, rings)
        for v, q in worth.items():
            chances[v] = chances.get(v, 0.0) + p * q
            given.setdefault(v, {})[state] = p * q
    total = sum(chances.values())
    kept = sorted(((v, p / total) for v, p in chances.items() if p / total > NEGLIGIBLE), key=lambda t: (-t[1], t[0]))
    by_state = given[kept[0][0]]
    state = max(by_state, key=lambda s: by_state[s])  # the state that speaks most for the value
    why: list[Doubt] = []
    others = [STATE_WORDS[s] for s, p in disc.states if p >= NAMED and s != state]
    if others:
        why.append(doubt(DiscDoubt.STATE, state=STATE_WORDS[state], others=" or ".join(others)))
    if state == "board":
        for c in disc.lines:
            if NAMED < c.p_touching < 1 - NAMED:
                why.append(doubt(DiscDoubt.GAP, line=c.line, gap=c.gap_mm, sigma=c.sigma_mm))
    if disc.confidence < 1 - NAMED:
        why.append(doubt(DiscDoubt.EXISTENCE, chance=disc.confidence))
    sure = dict(disc.states).get(state, disc.state_confidence)
    return replace(disc, state=state, state_confidence=sure, values=tuple(kept), why=tuple(why))

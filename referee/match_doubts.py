"""What a person should look at in a match: the doubts that the rules add, and those about the discs of a shot."""

from collections.abc import Sequence
from dataclasses import dataclass

from vision.disc_values import GUARD_SIGMAS, STATE_WORDS
from vision.doubts import Doubt, DoubtKind, ShotDoubt, doubt
from vision.readings import Disc

STATE_DOUBT = 0.12
"""A state this probable beside the most probable one is a doubt (flat in the hole, leaning, on the surface)."""
LISTED = 0.4
"""A disc below this probability is a doubt until it is seen better or taken off as expected."""


class MatchDoubt(DoubtKind):
    """What doesn't fit, or isn't sure, when a shot is held against the rules, the turn and what players do."""

    COLOUR_BY_TURN = "the colour of the disc that was shot is not clear; it is taken to be the side on turn"
    TWICE = "the same side shot twice in a row: a shot before it may be missing"
    TRACELESS = "the same side shot next, and this left nothing behind: there may have been no such shot"
    BARELY_SEEN = "only a glimpse of this shot was seen: the turn says that it was one"
    TOUCHED = "it isn't clear whether disc {discs} was touched"
    DOES_NOT_FIT = "what was seen doesn't fit: {rules}"
    FAINT = "disc {discs} is seen with a probability of {chance:.2f} only"
    STATE = "disc {discs} lies {where}, or {others}"
    AT_LINE = "disc {discs} is {gap:+.2f} mm from the {line} line (sigma {sigma:.2f})"
    INNER_LINE = "disc {discs} may touch the inner line from outside ({gap:+.2f} mm)"
    ELSEWHERE = "the board changed while the camera showed something else"
    LEFT_THERE = "the players leave disc {discs} on the board"
    TAKEN = "a hand took disc {discs} off, which the rules leave there"
    TOO_MANY = "disc {disc} of a side that has {most}"
    CLEARED = "the board was cleared after {shots} shots"
    TAKEN_AS_WHOLE = "a round of {count} discs a side is taken as whole; say --discs if it isn't"
    VALUE_AT_LINE = "#{discs} is {gap:+.2f} mm from the {line} line"
    SINCE = "what the players did since says that a disc lay otherwise"


REJUDGED = (MatchDoubt.COLOUR_BY_TURN, MatchDoubt.TWICE, MatchDoubt.TRACELESS, ShotDoubt.SIDE_UNSEEN)
"""Doubts that go away when a disc turns out to be of the other side."""


@dataclass(frozen=True, slots=True)
class Review:
    """A moment that a person should look at. ``shot``: its number in the match, None for none."""

    shot: int | None
    round: int
    at: float
    doubt: Doubt

    @property
    def key(self) -> tuple[int | None, Doubt]:
        """What makes it the same question as another: it is asked once."""
        return self.shot, self.doubt


def deferred_doubts(disc_id: int, disc: Disc, open_board: bool) -> list[Doubt]:
    """Doubts about a disc that the rules take off, or might; ``open_board``: C7 decides.

    What the players do with it next settles them, or contradicts the call.
    """
    out: list[Doubt] = []
    if disc.confidence < LISTED:
        out.append(doubt(MatchDoubt.FAINT, disc_id, chance=disc.confidence))
    odd = [s for s, p in disc.states if p > STATE_DOUBT and s != disc.state]
    if odd and "hole" in (*odd, disc.state):
        others = " or ".join(STATE_WORDS[s] for s in odd)
        out.append(doubt(MatchDoubt.STATE, disc_id, where=STATE_WORDS[disc.state], others=others))
    for c in disc.lines if disc.state == "board" else ():
        if c.line == "shooting" and c.verdict == "too_close":
            out.append(doubt(MatchDoubt.AT_LINE, disc_id, gap=c.gap_mm, line=c.line, sigma=c.sigma_mm))
        elif open_board and c.line == "15/10" and abs(c.inner_gap_mm) < GUARD_SIGMAS * c.sigma_mm:
            out.append(doubt(MatchDoubt.INNER_LINE, disc_id, gap=c.inner_gap_mm))
    return out


def value_doubts(disc_id: int, disc: Disc) -> list[Doubt]:
    """Doubts about the value of a disc that lies on the board when the round is counted."""
    return [
        doubt(MatchDoubt.AT_LINE, disc_id, gap=c.gap_mm, line=c.line, sigma=c.sigma_mm)
        for c in (disc.lines if disc.state == "board" else ()) if c.verdict == "too_close"
    ]  # fmt: skip


def touch_doubt(ids: Sequence[int]) -> Doubt:
    """The doubt whether discs were touched."""
    return doubt(MatchDoubt.TOUCHED, *ids)

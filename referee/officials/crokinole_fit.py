"""Makes a shot that the log can't take fit: the game goes on, and a person is asked.

One wrong call must not make the rules refuse every shot after it. Discs that the log doesn't know (any more) are left
out of the shot, and the question says so.
"""

from dataclasses import dataclass, replace

from referee.officials import Answer
from referee.rules.crokinole import Shot, State
from referee.rules.crokinole.shots import shoot
from referee.rules.protocol import RuleError

MISSED, WHOLE = "it touched none", "with the discs that the log has off the board"


@dataclass(frozen=True, slots=True)
class Fitting:
    """``event`` is what the rules take; ``why``: what they refused, None where nothing; ``others``: other answers."""

    event: Shot
    why: str | None = None
    clause: str | None = None
    others: tuple[Answer, ...] = ()


def fitting(state: State, event: Shot, valid: bool | None) -> Fitting:
    """The shot as the log can take it. ``valid``: whether it was valid by what the camera sees on the board."""
    try:
        shoot(state, event)
        return Fitting(event)
    except RuleError as error:
        refused = error
    known = {d.id for d in state.board} | {event.disc}
    touched = None if event.touched is None else tuple(i for i in event.touched if i in known)
    less = replace(event, touched=touched, rests=tuple(rest for rest in event.rests if rest.id in known))
    try:
        after = shoot(state, less)
    except RuleError:
        return Fitting(event)  # nothing of it fits: the rules' own words are asked about
    # once an earlier shot is put right, the whole of this one may fit
    others: tuple[Answer, ...] = (Answer(WHOLE, event),)
    fault = refused.faults[0] if refused.faults else None
    if valid and touched != event.touched and after.outcome is not None and after.outcome.rule == "missed_opponent":
        # what it touched is a disc that the log doesn't know; one that it knows stands for it
        me = state.setup.side_of[state.setup.seats.index(event.seat)]
        stands = next(d.id for d in state.board if d.side != me)
        others = (*others, Answer(MISSED, less))
        less = replace(less, touched=(*(touched or ()), stands))
    return Fitting(less, str(fault or refused), None if fault is None else fault.clause, others)

"""Makes a shot that the log can't take fit: the game goes on, and a person is asked.

One wrong call must not make the rules refuse every shot after it. Discs that the log doesn't know (any more) are left
out of the shot, a shot out of turn is taken in the likeliest way that the rules allow, and the question says so.
"""

from dataclasses import dataclass, replace

from referee.officials import Answer
from referee.rules.crokinole import Shot, State
from referee.rules.crokinole.shots import shoot
from referee.rules.protocol import RuleError

MISSED, WHOLE = "it touched none", "with the discs that the log has off the board"
OUT_OF_TURN = "{side} shot, but it was {turn}'s turn"
OPENED, UNSEEN, OTHERS = "{side} begins this round", "a shot by {turn} before it was missed", "{turn} made this shot"
"""A shot out of turn, and what it may have been; the fields are sides, with the seat where a side has several."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """``event`` is what the rules take; ``why``: what they refused, None where nothing; ``others``: other answers.

    ``words``: what ``event`` means, where that isn't simply how the shot was read.
    """

    event: Shot
    why: str | None = None
    clause: str | None = None
    others: tuple[Answer, ...] = ()
    words: str | None = None


def fitting(state: State, event: Shot, valid: bool | None) -> Fitting:
    """The shot as the log can take it. ``valid``: whether it was valid by what the camera sees on the board."""
    whose, *others = turns(state, event)
    fits = _with_known_discs(state, whose.event, valid)
    if not whose.words:
        return fits
    why = OUT_OF_TURN.format(**_names(state, event))
    known = {"touched": fits.event.touched, "rests": fits.event.rests}
    return Fitting(
        fits.event,
        why if fits.why is None else f"{why}; {fits.why}",
        state.setup.turn_clause,
        (*fits.others, *(Answer(other.words, replace(other.event, **known)) for other in others)),
        whose.words,
    )


def turns(state: State, event: Shot) -> list[Answer]:
    """The shot as the turn (C14, C21-C23) allows it, the likeliest first; without words where it was on turn.

    At the start of a round the players began otherwise than the rules had it, later a shot was missed, or it was the
    other side's after all.
    """
    due = state.shots < state.stop and not state.over and not state.undecided
    if not due or event.seat in state.on_turn or event.seat not in state.setup.seats:
        return [Answer("", event)]
    names = _names(state, event)
    found = []
    if state.shots == 0:
        found.append(Answer(OPENED.format(**names), replace(event, opens=True)))
    place = state.setup.seats.index(event.seat)
    ahead = range(state.shots + 1, min(state.stop, state.shots + len(state.cycle)))
    missed = [i - state.shots for i in ahead if state.cycle[i % len(state.cycle)] == place]
    if missed:
        found.append(Answer(UNSEEN.format(**names), replace(event, unseen=missed[0])))
    return [*found, Answer(OTHERS.format(**names), replace(event, seat=state.on_turn[0]))]


def _names(state: State, event: Shot) -> dict[str, str]:
    """Whose shot it was and whose turn."""
    setup = state.setup
    sides = {seat: setup.sides[owner] for seat, owner in zip(setup.seats, setup.side_of, strict=True)}
    if len(sides) > len(setup.sides):
        sides = {seat: f"{side} ({seat})" for seat, side in sides.items()}
    return {"side": sides[event.seat], "turn": sides[state.on_turn[0]]}


def _with_known_discs(state: State, event: Shot, valid: bool | None) -> Fitting:
    """The shot without discs that the log doesn't have on the board."""
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
        me = state.setup.side_at(event.seat)
        stands = next(d.id for d in state.board if d.side != me)
        others = (*others, Answer(MISSED, less))
        less = replace(less, touched=(*(touched or ()), stands))
    return Fitting(less, str(fault or refused), None if fault is None else fault.clause, others)

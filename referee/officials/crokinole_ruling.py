"""What a correction of one disc means for the log: the event that then holds, and which entry it replaces.

A correction is about the reading after the last shot, so it is a ruling on that shot, even once its round is recorded.
A disc that nobody saw is one that the shot seemed to take off the board, or a shot that was missed.
"""

from dataclasses import replace

from calibration.errors import UnusableInputError
from referee.log import Entry, MatchLog
from referee.match_judging import rest_of
from referee.officials import Correction, Ruled
from referee.officials.crokinole_numbers import free_number
from referee.rules.crokinole import Crokinole, Lying, Rest, Result, Shot, State
from vision.readings import Disc


def ruling(
    log: MatchLog, correction: Correction, number: int | None, disc: Disc | None, cleared: bool = False
) -> Ruled:
    """The event that then holds. ``number``: the disc's in the log; ``disc``: as it then lies, None for gone.

    ``cleared``: none of the log's discs lies on the board any more. Raises UnusableInputError (``no_shot``) where no
    shot can have brought it about.
    """
    last, state = shown(log)
    if number is None and correction.there:
        return _added(log, correction, disc, cleared)
    if last is None:
        return Ruled(None, None, number)
    entry, event = last
    if not isinstance(event, Shot) or number is None:
        return Ruled(event, entry.number, number)  # the game knows no such disc: only the word is kept
    if correction.side is not None and correction.side != _side(state, event, number):
        return _recoloured(log, (entry, event), state, correction.side, number)
    rests = with_rests(event, rest_of(number, disc))
    return Ruled(replace(event, rests=rests), entry.number, number)


def shown(log: MatchLog) -> tuple[tuple[Entry, Shot | Result] | None, State]:
    """What brought about the board as it lies, and the state after it; recording a round moves no disc."""
    for entry, event, state in reversed(list(log.history())):
        if isinstance(event, Shot | Result):
            return (entry, event), state
    return None, log.state


def with_rests(shot: Shot, *rests: Rest) -> tuple[Rest, ...]:
    """The shot's rests with others in place of those of the same discs."""
    named = {rest.id for rest in rests}
    return (*(rest for rest in shot.rests if rest.id not in named), *rests)


def _side(state: State, shot: Shot, number: int) -> str:
    known = next((d.side for d in state.board if d.id == number), None)
    return _side_of_gone(state, shot, number) if known is None else state.setup.sides[known]


def _added(log: MatchLog, correction: Correction, disc: Disc | None, cleared: bool) -> Ruled:
    """A disc that the camera doesn't see: one that the last shot seemed to take off the board, or a missed shot."""
    last, after = shown(log)
    state: State = log.state
    engine: Crokinole = log.engine
    counted = len(state.played) > len(after.played)  # the last shot's round
    setup = state.setup
    if correction.side is None:
        raise UnusableInputError("the game doesn't know that disc; say whose it is", code="bad_request")
    if correction.side not in setup.sides:
        raise UnusableInputError(f"side {correction.side!r} is none of {', '.join(setup.sides)}", code="bad_request")
    if last is not None and isinstance(last[1], Shot) and not (counted and cleared and not state.over):
        entry, shot = last[0], last[1]
        number = _off(after, shot, correction.side)
        if number is not None:
            return Ruled(replace(shot, rests=with_rests(shot, rest_of(number, disc))), entry.number, number)
        if counted:
            words = f"the last shot of the recorded round took no disc of {correction.side} off; correct an earlier one"
            raise UnusableInputError(words, code="no_shot")
    me = setup.sides.index(correction.side)
    due = engine.legal(state).get("seats", ())
    seat = next((seat for seat in due if setup.side_at(seat) == me), None)
    if seat is None:
        words = f"it isn't {correction.side}'s turn; put the shot that is missing in before the last one"
        raise UnusableInputError(words, code="no_shot")
    number = free_number(state)
    touched = None if any(d.side != me for d in state.board) else ()
    return Ruled(Shot(seat, number, touched, (rest_of(number, disc),)), None, number)


def _off(state: State, shot: Shot, side: str) -> int | None:
    """A disc of a side that the last shot took off the surface, the one that was shot first."""
    lying = {d.id for d in state.board}
    off = [rest.id for rest in shot.rests if rest.id not in lying and rest.state != "hole"]
    off.sort(key=lambda i: i != shot.disc)
    return next((i for i in off if _side_of_gone(state, shot, i) == side), None)


def _side_of_gone(state: State, shot: Shot, number: int) -> str:
    """The side of a disc that isn't on the board any more: the shooter's for the shot disc, else the other one's.

    With more than two sides the log's earlier state would have to say; there only the shot disc is looked at.
    """
    setup = state.setup
    me = setup.side_at(shot.seat)
    if number == shot.disc:
        return setup.sides[me]
    return setup.sides[1 - me] if len(setup.sides) == 2 else ""


def _recoloured(log: MatchLog, last: tuple[Entry, Shot], state: State, side: str, number: int) -> Ruled:
    """What lies there is of another side: a disc that seemed to have left, or the shot was another seat's."""
    setup = state.setup
    if side not in setup.sides:
        raise UnusableInputError(f"side {side!r} is none of {', '.join(setup.sides)}", code="bad_request")
    entry, shot = last
    other = _off(state, shot, side)
    lies = next((d for d in state.board if d.id == number), None)
    if other is not None and lies is not None:
        rests = with_rests(shot, _as_rest(lies, other), Rest(number, "ditch"))
        return Ruled(replace(shot, rests=rests), entry.number, other)
    history = [(done, event) for done, event, _ in log.history()]
    for earlier, event in reversed(history[: history.index(last) + 1]):
        if isinstance(event, Shot) and event.disc == number:
            seat = next(s for s, owner in zip(setup.seats, setup.side_of, strict=True) if setup.sides[owner] == side)
            return Ruled(replace(event, seat=seat), earlier.number, number)
        if not isinstance(event, Shot):
            break
    raise UnusableInputError(f"no disc of {side} can lie there; correct the shot that brought it", code="no_shot")


def _as_rest(lies: Lying, number: int) -> Rest:
    """Where a disc lies, told of another one."""
    if lies.state != "board":
        return Rest(number, lies.state)  # type: ignore[arg-type]  # the engine's states are those of a rest
    return Rest(number, "board", lies.value, lies.inner if lies.value in (10, None) else None, lies.maybe)

"""One shot: which facts can't be, whether it was valid, what it takes off the board (C5-C12, C25, C26)."""

from collections.abc import Iterable

from referee.rules.crokinole.setup import Setup
from referee.rules.crokinole.table import Lying, Outcome, Rest, Shot, State, position
from referee.rules.protocol import Fault, RuleError

# C9, C11: a disc that isn't flat on the surface has one value only
_FIXED_VALUE = {"hole": 20, "leaning": 15, "ditch": 0, "bounced": 0}
_BOARD_VALUES = (0, 5, 10, 15)


def shoot(state: State, shot: Shot) -> State:
    """Return the state after a shot; raises RuleError naming every fact that can't be.

    Where the consequence hangs on something that isn't known, the state stays before the shot and its
    ``undecided`` says what must be ruled; the same shot with those facts settled then follows (C26).
    """
    setup, turn = state.setup, state.shots + shot.unseen
    if turn == 0 and (setup.first is None or shot.opens) and shot.seat in setup.seats:
        setup, order = setup.opened_by(shot.seat, state.round)
        state = state._replace(setup=setup, cycle=order)
    cycle = state.cycle
    seat = cycle[turn % len(cycle)]
    if setup.seats[seat] != shot.seat and turn == 1 and _may_swap(setup, state, shot.seat):
        # C22 leaves open which partner follows when the third player opens: whoever shoots sets the order
        cycle = (cycle[0], cycle[3], cycle[2], cycle[1])
        seat = cycle[1]
    board = {disc.id: disc for disc in state.board}
    rests = {rest.id: rest for rest in shot.rests}
    faults = _faults(state, shot, seat, board, rests)
    if faults:
        raise RuleError(position(state), *faults)

    me = setup.side_of[seat]
    for gone in shot.disturbed:
        rests.pop(gone, None)
    lying = board  # from here on as it is after the shot
    for i, rest in rests.items():
        lying[i] = _lay(rest, lying[i].side if i in lying else me)
    valid, rule, void, questions = _judge(setup, shot, me, state.board, lying)
    questions = questions or _line_questions(lying, rests, void)
    if questions:
        waiting = Outcome(shot.seat, shot.disc, valid, rule, foul=shot.foul, undecided=tuple(questions))
        return state._replace(outcome=waiting)

    removed, ditched, sunk = _clear(lying, dict.fromkeys((*rests, *void)) if void else rests, void)
    outcome = Outcome(shot.seat, shot.disc, valid, rule, tuple(removed), tuple(ditched), tuple(sunk), shot.foul)
    twenties = state.twenties
    if sunk:
        owners = [side for _, side in sunk]
        twenties = tuple(n + owners.count(side) for side, n in enumerate(twenties))
    return State(
        setup,
        state.round,
        cycle,
        turn + 1,
        state.stop,
        tuple(lying.values()),
        (*state.out, *[i for i, _ in sunk], *removed, *ditched),
        twenties,
        outcome,
        state.score,
        state.match_twenties,
        state.played,
        False,
        None,
    )


def _may_swap(setup: Setup, state: State, seat: str) -> bool:
    return setup.players == "2v1" and setup.side_of[state.cycle[0]] == 1 and setup.seats[state.cycle[3]] == seat


def _clear(
    lying: dict[int, Lying], changed: Iterable[int], void: tuple[int, ...]
) -> tuple[list[int], list[int], list[tuple[int, int]]]:
    """Take off what C7-C11 take off; returns ids removed, ids that left by themselves, (id, side) of twenties."""
    removed, ditched, sunk = [], [], []
    for i in changed:
        disc = lying[i]
        if disc.state == "ditch":
            ditched.append(i)
        elif i in void or disc.value == 0:  # C10, and C11 for what bounced back
            removed.append(i)
        elif disc.state == "hole":
            sunk.append((i, disc.side))
        else:
            continue
        del lying[i]
    return removed, ditched, sunk


def _lay(rest: Rest, side: int) -> Lying:
    """The disc as it lies, with what follows from its state and value filled in."""
    value = _FIXED_VALUE.get(rest.state, rest.value)
    inner, maybe = rest.inner, rest.maybe
    if value is not None:
        if value != 10:
            inner = value >= 15
    elif inner is None and maybe:
        # every value that it may have decides C7 alike, or it stays unknown
        if all(v >= 15 for v in maybe):
            inner = True
        elif all(v <= 5 for v in maybe):
            inner = False
    return Lying(rest.id, side, rest.state, value, inner, maybe)


def _judge(
    setup: Setup, shot: Shot, me: int, before: tuple[Lying, ...], lying: dict[int, Lying]
) -> tuple[bool | None, str | None, tuple[int, ...], list[str]]:
    """C7, C8 and C25: (valid, rule broken, ids that it voids, questions that are open)."""
    touched = shot.touched
    open_board = True
    for disc in before:
        if disc.side != me:
            open_board = False
            break
    if touched is None:
        if not before:
            touched = ()  # nothing lay there that could have been touched
        elif open_board and lying[shot.disc].inner and not (shot.foul and setup.preset == "nca"):
            return True, None, (), []  # C7: the shot disc alone makes it valid, whatever else it touched
        else:
            return None, None, (), [f"{'C7' if open_board else 'C8'}: which discs did disc {shot.disc} touch?"]
    mine = (shot.disc, *[i for i in touched if lying[i].side == me])
    rule: str | None = None
    valid: bool | None = True
    if open_board:
        reach = [lying[i].inner for i in mine]
        if True not in reach:
            doubtful = [i for i in mine if lying[i].inner is None]
            if doubtful:
                questions = [f"C7: does disc {i} lie inside the 15 circle or touch its line?" for i in doubtful]
                return None, None, (), questions
            valid, rule = False, "open_board_outside_15"
    elif len(mine) == len(touched) + 1:  # the shot disc and own ones only
        valid, rule = False, "missed_opponent"
        # C9: on a shot that missed, no disc of the shooter's side counts in the hole, however it got there
        mine = (*mine, *[i for i, disc in lying.items() if disc.state == "hole" and disc.side == me])
    if setup.preset == "nca" and (not valid or shot.foul):
        return valid, rule, (*mine, *touched), []  # C25: every disc it struck, whosever
    return valid, rule, () if valid else mine, []


def _line_questions(lying: dict[int, Lying], rests: dict[int, Rest], void: tuple[int, ...]) -> list[str]:
    """C9 and C10 act at once, so a disc that may lie in the hole or on the shooting line must be ruled now."""
    questions = []
    for i in rests:
        disc = lying[i]
        if disc.value is None and i not in void:
            if not disc.maybe or 0 in disc.maybe:
                questions.append(f"C10: does disc {i} touch the shooting line?")
            if 20 in disc.maybe:
                questions.append(f"C9: does disc {i} lie flat in the hole?")
    return questions


def _faults(state: State, shot: Shot, seat: int, board: dict[int, Lying], rests: dict[int, Rest]) -> list[Fault]:
    """Everything about the shot that can't have happened in this position."""
    faults = _turn_faults(state, shot, seat)
    if shot.disc in board:
        faults.append(Fault("C5", f"disc {shot.disc} shot from the surface", "a disc that has not been shot yet"))
    if shot.disc in state.out:
        faults.append(Fault("C12", f"disc {shot.disc} shot again", "a disc that has not been out in this round"))
    if shot.disc not in rests:
        faults.append(Fault("C5", f"no place for the shot disc {shot.disc}", "where it came to rest"))
    for rest in rests.values():
        if rest.id not in board and rest.id != shot.disc:
            faults.append(_not_there(state, rest.id, "at rest", "C6"))
        if rest.state != "board" or rest.value not in _BOARD_VALUES or rest.inner is not None or rest.maybe:
            _check_rest(rest, faults)
    for i in shot.touched or ():
        if i == shot.disc:
            faults.append(Fault("C8", f"disc {i} touched by itself", "the other discs that it touched"))
        elif i not in board:
            faults.append(_not_there(state, i, "touched", "C8"))
    if len(rests) != len(shot.rests) or shot.disturbed:
        _check_lists(state, shot, board, rests, faults)
    return faults


def _turn_faults(state: State, shot: Shot, seat: int) -> list[Fault]:
    setup, waiting = state.setup, state.outcome
    faults = []
    if shot.unseen < 0:
        faults.append(Fault(setup.turn_clause, f"{shot.unseen} shots before it unseen", "a number from 0"))
    if shot.opens and (state.shots or shot.unseen):
        faults.append(Fault(setup.turn_clause, f"a round opened by shot {state.shots + 1}", "its first shot"))
    if state.over:
        faults.append(Fault(setup.end_clause, f"a shot by {shot.seat} after the game", "no more shots"))
    elif state.shots + shot.unseen >= state.stop:
        faults.append(Fault("C15", f"a shot by {shot.seat} after the last disc", "the round to be recorded first"))
    elif setup.seats[seat] != shot.seat:
        faults.append(Fault(setup.turn_clause, f"a shot by {shot.seat}", f"a shot by {setup.seats[seat]}"))
    if waiting and waiting.undecided and (waiting.disc, waiting.seat) != (shot.disc, shot.seat):
        faults.append(Fault("C26", f"disc {shot.disc} shot by {shot.seat}", f"a ruling first: {waiting.undecided[0]}"))
    return faults


def _not_there(state: State, disc: int, what: str, clause: str) -> Fault:
    if disc in state.out:
        return Fault("C12", f"disc {disc} {what}, which is out since an earlier shot", "discs still in this round")
    on_board = ", ".join(str(d.id) for d in state.board) or "none"
    return Fault(clause, f"disc {disc} {what}, which was not on the surface", f"discs on the surface ({on_board})")


def _check_rest(rest: Rest, faults: list[Fault]) -> None:
    fixed = _FIXED_VALUE.get(rest.state)
    if fixed is not None:
        clause = "C9" if fixed else "C11"
        if rest.value not in (None, fixed):
            faults.append(Fault(clause, f"disc {rest.id} {rest.state} worth {rest.value}", f"worth {fixed}"))
        if rest.inner is not None and rest.inner != (fixed >= 15):
            faults.append(Fault("C7", f"disc {rest.id} {rest.state}, inner {rest.inner}", f"inner {fixed >= 15}"))
        if rest.maybe:
            faults.append(Fault(clause, f"disc {rest.id} {rest.state} with a doubtful value", f"worth {fixed}"))
        return
    if rest.value is not None:
        if rest.value == 20:
            faults.append(Fault("C9", f"disc {rest.id} on the board worth 20", "20 only flat in the hole"))
        elif rest.value not in _BOARD_VALUES:
            faults.append(Fault("C16", f"disc {rest.id} worth {rest.value}", "15, 10, 5 or 0"))
        elif rest.value != 10 and rest.inner is not None and rest.inner != (rest.value == 15):
            faults.append(
                Fault("C7", f"disc {rest.id} worth {rest.value}, inner {rest.inner}", f"inner {rest.value == 15}")
            )
        if rest.maybe:
            faults.append(Fault("C26", f"disc {rest.id} both worth {rest.value} and doubtful", "one of the two"))
    elif any(v not in (*_BOARD_VALUES, 20) for v in rest.maybe) or len(set(rest.maybe)) == 1:
        faults.append(Fault("C26", f"disc {rest.id} doubtful among {rest.maybe}", "two or more of 0, 5, 10, 15, 20"))
    elif rest.maybe and rest.inner is not None and not any(v >= 10 if rest.inner else v <= 10 for v in rest.maybe):
        wrong = f"disc {rest.id} doubtful among {rest.maybe}, inner {rest.inner}"
        faults.append(Fault("C7", wrong, f"inner {not rest.inner}"))


def _check_lists(
    state: State, shot: Shot, board: dict[int, Lying], rests: dict[int, Rest], faults: list[Fault]
) -> None:
    seen: set[int] = set()
    for rest in shot.rests:
        if rest.id in seen:
            faults.append(Fault("C16", f"disc {rest.id} at two places", "one place of rest for a disc"))
        seen.add(rest.id)
    if shot.disturbed and not any(rest.state == "bounced" for rest in rests.values()):
        faults.append(Fault("C11", "discs disturbed, but none bounced back", "the disc that bounced back"))
    for i in shot.disturbed:
        if i == shot.disc:
            faults.append(Fault("C11", f"disc {i} disturbed by its own shot", "discs that lay on the surface"))
        elif i not in board:
            faults.append(_not_there(state, i, "disturbed", "C11"))
        elif i in rests and rests[i].state == "bounced":
            faults.append(Fault("C11", f"disc {i} disturbed and bounced back itself", "one of the two"))

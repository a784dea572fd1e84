"""A round's end: counting, recording, the match score and who has won (C15-C20, C23-C26)."""

from referee.rules.crokinole.setup import Setup
from referee.rules.crokinole.table import Recorded, Result, RoundResult, State, ended, position
from referee.rules.protocol import Fault, RuleError


def fresh_round(state: State) -> State:
    """The state at the start of the next round: an empty board, the next seat to open (C14, C21-C23)."""
    number = len(state.played) + 1
    return state._replace(
        round=number,
        cycle=state.setup.cycle(number),
        shots=0,
        stop=state.setup.shots_a_round,
        board=(),
        out=(),
        twenties=(0,) * len(state.setup.sides),
        outcome=None,
    )


def board_points(state: State, agreed: dict[int, int] | None = None) -> tuple[int, ...] | None:
    """C17: each side's discs on the board and 20 for each of its twenties; None while a value is open."""
    points = [20 * n for n in state.twenties]
    for disc in state.board:
        value = disc.value if disc.value is not None else (agreed or {}).get(disc.id)
        if value is None:
            return None
        points[disc.side] += value
    return tuple(points)


def hammer(state: State) -> str:
    """The seat that shoots last in this round (C24), before any time-out."""
    return state.setup.seats[state.cycle[(state.setup.shots_a_round - 1) % len(state.cycle)]]


def gains(setup: Setup, points: tuple[int, ...]) -> tuple[int, ...]:
    """What each side adds to its score for a round with these points (C18, C20, C23, C24)."""
    if setup.players == "3":
        return _gains_of_three(points)
    best = max(points)
    if setup.preset == "family":
        difference = best - min(points)
        return tuple(difference if p == best else 0 for p in points)
    if min(points) == best:
        return (1, 1)
    return tuple(2 if p == best else 0 for p in points)


def _gains_of_three(points: tuple[int, ...]) -> tuple[int, ...]:
    ranks = [sum(other > p for other in points) for p in points]
    first = ranks.count(0)
    if first == 3:
        return (0, 0, 0)
    if first == 2:
        return tuple(1 if rank == 0 else 0 for rank in ranks)
    # two tied for second have rank 1 both, and get nothing
    second = 1 if ranks.count(1) == 1 else 0
    return tuple((2, second, 0)[rank] for rank in ranks)


def record(state: State, event: Recorded) -> State:
    """C15: close a round whose shots were followed; values too close to call are settled here (C26)."""
    faults = _not_countable(state)
    agreed = {counted.id: counted.value for counted in event.values}
    lying = {disc.id: disc for disc in state.board}
    for i, value in agreed.items():
        disc = lying.get(i)
        if disc is None:
            faults.append(Fault("C15", f"disc {i} counted, which is not on the board", "the discs as they lay"))
        elif disc.value is not None and disc.value != value:
            faults.append(Fault("C15", f"disc {i} counted as {value}", f"{disc.value}, as it lay after the last shot"))
        elif disc.value is None and value not in disc.maybe:
            faults.append(Fault("C26", f"disc {i} counted as {value}", f"one of {disc.maybe}"))
    for disc in state.board:
        if disc.value is None and disc.id not in agreed:
            faults.append(Fault("C26", f"the value of disc {disc.id} is open", "a ruling on it"))
    points = board_points(state, agreed)
    if not faults and event.points not in (None, points):
        faults.append(Fault("C17", f"points {event.points}", f"{points}, as the board shows"))
    if faults:
        raise RuleError(position(state), *faults)
    assert points is not None
    return _close(state, points, state.twenties, by_hand=False)


def take_result(state: State, event: Result) -> State:
    """A round kept by hand: points before subtracting and twenties of each side (C9, C17)."""
    setup = state.setup
    faults = []
    if state.over:
        faults.append(Fault(setup.end_clause, "a round after the game", "no more rounds"))
    if state.shots or state.outcome:
        faults.append(Fault("C15", "a result by hand in a round with shots", "the round recorded from its board"))
    for name, given in (("points", event.points), ("twenties", event.twenties)):
        if len(given) != len(setup.sides):
            faults.append(Fault("C17", f"{name} for {len(given)} sides", f"one number for each of {len(setup.sides)}"))
    # a wrong number of sides is named above; what can be paired is checked all the same
    for side, (points, twenties) in enumerate(zip(event.points, event.twenties, strict=False)):
        if side < len(setup.sides):
            faults += _result_faults(setup, side, points, twenties)
    if faults:
        raise RuleError(position(state), *faults)
    return _close(state, event.points, event.twenties, by_hand=True)


def _result_faults(setup: Setup, side: int, points: int, twenties: int) -> list[Fault]:
    name, discs = setup.sides[side], setup.side_discs(side)
    faults = []
    if not 0 <= twenties <= discs:
        faults.append(Fault("C9", f"{twenties} twenties for {name}", f"0 to {discs}, as many as it has discs"))
    if points % 5:
        faults.append(Fault("C17", f"{points} points for {name}", "a multiple of 5"))
    low, high = 20 * twenties, 20 * twenties + 15 * (discs - twenties)
    if not low <= points <= high:
        faults.append(Fault("C17", f"{points} points with {twenties} twenties for {name}", f"{low} to {high}"))
    return faults


def time_out(state: State) -> State:
    """C25: the side with fewer shots gets one more; with equal shots the round is over."""
    setup = state.setup
    faults = []
    if setup.preset != "nca":
        faults.append(Fault("C25", f"a time-out in the preset {setup.preset}", "time-outs in the preset nca only"))
    if state.over:
        faults.append(Fault("C24", "a time-out after the game", "no more events"))
    elif state.shots >= state.stop:
        faults.append(Fault("C15", "a time-out after the last disc", "the round to be recorded first"))
    elif state.stop < setup.shots_a_round:
        faults.append(Fault("C25", "a second time-out in one round", "one more shot, then the count"))
    if state.undecided:
        faults.append(Fault("C26", "a time-out before a ruling", state.undecided[0]))
    if faults:
        raise RuleError(position(state), *faults)
    # the sides shoot by turns, so after an odd number of shots the one on turn has one fewer
    return state._replace(stop=state.shots + state.shots % 2)


def _not_countable(state: State) -> list[Fault]:
    if state.over:
        return [Fault(state.setup.end_clause, "a round recorded after the game", "no more rounds")]
    if state.undecided:
        return [Fault("C26", "a round recorded before a ruling", state.undecided[0])]
    if state.shots < state.stop:
        return [Fault("C15", f"a round recorded after {state.shots} shots", f"all {state.stop} shots first")]
    return []


def _close(state: State, points: tuple[int, ...], twenties: tuple[int, ...], by_hand: bool) -> State:
    setup = state.setup
    gained = gains(setup, points)
    score = tuple(a + b for a, b in zip(state.score, gained, strict=True))
    match_twenties = tuple(a + b for a, b in zip(state.match_twenties, twenties, strict=True))
    result = RoundResult(
        number=state.round,
        first=setup.seats[state.cycle[0]],
        hammer=hammer(state),
        points=points,
        twenties=twenties,
        gained=gained,
        deciding=state.deciding,
        timed_out=state.stop < setup.shots_a_round,
        by_hand=by_hand,
    )
    played = (*state.played, result)
    over, winner = _verdict(setup, score, match_twenties, len(played))
    after = state._replace(score=score, match_twenties=match_twenties, played=played, over=over, winner=winner)
    # the last board stays to be looked at; its twenties are in the match's now
    return after._replace(twenties=(0,) * len(score), outcome=None) if over else fresh_round(after)


def _verdict(setup: Setup, score: tuple[int, ...], twenties: tuple[int, ...], played: int) -> tuple[bool, int | None]:
    """(over, winner): C19, C20 and C23 play on while the best are level, C24 counts twenties, then draws."""
    if not ended(setup, score, played):
        return False, None
    best = max(score)
    leaders = [side for side, points in enumerate(score) if points == best]
    if len(leaders) > 1 and setup.preset == "nca":
        most = max(twenties)
        leaders = [side for side in leaders if twenties[side] == most]
        return True, leaders[0] if len(leaders) == 1 else None
    return (True, leaders[0]) if len(leaders) == 1 else (False, None)

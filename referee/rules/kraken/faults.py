"""Why an event can't have happened in Kraken: each check returns all faults that it finds, with their clauses."""

from collections import Counter

from referee.rules.kraken.cards import DECK, combination, in_order, run_index
from referee.rules.kraken.events import SEATS, Deal, Declare, Laid
from referee.rules.kraken.state import Round, State
from referee.rules.protocol import Fault, RuleError

KNOWN_CARDS = frozenset(DECK)
KNOWN_SEATS = frozenset(SEATS)


def refuse(state: State, faults: list[Fault]) -> None:
    """Raise a RuleError with the position if there are faults."""
    if faults:
        raise RuleError(position(state), *faults)


def position(state: State) -> str:
    """Return in words where the game stands."""
    rnd = state.round
    if rnd is None:
        return "the game is over" if state.over else f"before the deal of round {len(state.results) + 1}"
    if rnd.trump is None:
        return f"round {rnd.number}, {rnd.maker} to name trump"
    where = f"round {rnd.number}, trump {rnd.trump}"
    if rnd.finished:
        return f"{where}, eight tricks played, to be recorded"
    lies = f", on the table {' '.join(rnd.table)}" if rnd.table else ""
    return f"{where}, trick {rnd.trick_number}, {rnd.on_turn} on turn{lies}"


def open_round(state: State, what: str) -> Round:
    """Return the round on the table; raises RuleError where none has been dealt."""
    if state.round is None:
        refuse(state, [Fault("R1", f"{what} outside a round", "a deal first")])
    assert state.round is not None
    return state.round


def seat_faults(seat: str) -> list[Fault]:
    """Return the fault of a seat that doesn't exist (R1)."""
    return [] if seat in KNOWN_SEATS else [Fault("R1", f"the seat {seat!r}", "one of N, E, S, W")]


def trump_faults(rnd: Round) -> list[Fault]:
    """Return the fault of a round in which trump hasn't been named yet (R3)."""
    return [] if rnd.trump is not None else [Fault("R3", "no trump named yet", f"{rnd.maker} to name it first")]


def hand_faults(event: Deal) -> list[Fault]:
    """Return what is wrong with the dealt hands that are known (R1)."""
    faults = []
    for seat, times in Counter(seat for seat, _ in event.hands).items():
        faults += seat_faults(seat)
        if times > 1:
            faults.append(Fault("R1", f"{times} hands for {seat}", "one hand a seat"))
    for seat, hand in event.hands:
        if len(hand) != 8:
            faults.append(Fault("R1", f"{len(hand)} cards dealt to {seat}", "8 cards"))
    dealt = Counter(card for _, hand in event.hands for card in hand)
    faults += [Fault("R1", f"no such card: {card!r}", "cards of the 32") for card in dealt if card not in KNOWN_CARDS]
    faults += [Fault("R17", f"{card} dealt {n} times", "each card once") for card, n in dealt.items() if n > 1]
    return faults


def combination_faults(rnd: Round, event: Declare) -> list[Fault]:
    """Return why these cards are no combination, or one that the seat has declared already (R10)."""
    unknown = [card for card in event.cards if card not in KNOWN_CARDS]
    if unknown:
        return [Fault("R1", f"no such card: {', '.join(map(repr, unknown))}", "cards of the 32")]
    made = combination(event.cards)
    said = " ".join(event.cards)
    if made is None:
        return [Fault("R10", f"{said or 'nothing'} declared", "a run of three or more in a suit, or a four")]
    faults = []
    for other in (one.combination for one in rnd.declared if one.seat == event.seat):
        if made.cards == other.cards:
            faults.append(Fault("R10", f"{said} declared again", "each combination once"))
        elif made.is_run and other.is_run and _parts_of_one_run(made.cards, other.cards):
            faults.append(Fault("R10", f"{said} beside {' '.join(other.cards)}", "a run once, whole"))
    return faults


def _parts_of_one_run(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two runs overlap or touch, so that they are one run said in parts (R10)."""
    return (
        one[0][1] == other[0][1]
        and run_index(one[0]) <= run_index(other[-1]) + 1
        and run_index(other[0]) <= run_index(one[-1]) + 1
    )


def card_faults(state: State, event: Laid) -> list[Fault]:
    """Return why this card can't have been laid: turn, an unknown card, one seen before, a ninth one, not dealt."""
    rnd = state.round
    faults = seat_faults(event.seat)
    if event.card not in KNOWN_CARDS:
        faults.append(Fault("R1", f"no such card: {event.card!r}", "a card of the 32"))
    if rnd is None:
        return [*faults, Fault("R1", "a card laid outside a round", "a deal first")]
    faults += trump_faults(rnd)
    if rnd.trump is not None and event.seat in KNOWN_SEATS and not rnd.finished and event.seat != rnd.on_turn:
        # The winner of a trick leads (R7), the maker the first one (R3), the others follow clockwise (R1).
        clause = "R1" if rnd.table else "R7" if rnd.tricks else "R3"
        faults.append(Fault(clause, f"{event.seat} plays out of turn", f"a card of {rnd.on_turn}"))
    seen = [trick.number for trick in rnd.tricks if event.card in trick.cards]
    if event.card in rnd.table:
        seen.append(rnd.trick_number)
    faults += [Fault("R17", f"{event.card} seen twice", f"a card not played in trick {trick}") for trick in seen]
    if rnd.finished or (len(rnd.tricks) == 7 and event.seat in rnd.laid_by):
        faults.append(Fault("R17", f"a ninth card of {event.seat}", "eight cards each, then the round recorded"))
    if event.card in KNOWN_CARDS and event.seat in KNOWN_SEATS:
        faults += _dealt_faults(rnd, event)
    return faults


def _dealt_faults(rnd: Round, event: Laid) -> list[Fault]:
    """Return the fault of a card that isn't among the seat's dealt cards, or is among another's (R1)."""
    for seat in SEATS:
        hand = rnd.hand(seat)
        if hand is None:
            continue
        if seat == event.seat and event.card not in hand:
            dealt = " ".join(in_order(hand))
            return [Fault("R1", f"{event.card} was not dealt to {seat}", f"a card of {dealt}")]
        if seat != event.seat and event.card in hand:
            return [Fault("R1", f"{event.card} was dealt to {seat}", f"a card that {event.seat} can hold")]
    return []

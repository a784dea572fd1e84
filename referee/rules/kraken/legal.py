"""What may happen next in Kraken, as plain data."""

from typing import Any

from referee.rules.kraken.cards import DECK, SUITS, combinations_in, due_cards, in_order
from referee.rules.kraken.events import CHALLENGES, SEATS, TEAMS
from referee.rules.kraken.proof import known_hand, remaining, royal_pair, wrong_plays
from referee.rules.kraken.state import Round, State, left_of, team_of

_DETAILS = ("stake", "deal", "trump", "challenge", "declare", "declare_pair", "claim", "laid", "record")


def legal_events(state: State) -> dict[str, Any]:
    """Return the phase, the kinds of event possible and what fits each; see KrakenEngine.legal for the form."""
    found = _by_kind(state)
    return {**found, "events": [kind for kind in _DETAILS if kind in found]}


def _by_kind(state: State) -> dict[str, Any]:
    rnd = state.round
    if rnd is None:
        if state.over:
            return {"phase": "over"}
        dealers = [left_of(state.results[-1].dealer)] if state.results else list(SEATS)
        found: dict[str, Any] = {"phase": "deal", "deal": {"dealers": dealers}}
        if not state.results:
            found["stake"] = True
        return found
    if rnd.trump is None:
        return {"phase": "trump", "trump": {"seat": rnd.maker, "suits": list(SUITS)}}
    found = {"phase": "tricks"}
    if not rnd.challenge_time_over:
        found |= _challenge(rnd)
    if not rnd.tricks and not rnd.table:
        found["declare"] = _declarations(rnd)
    if pairs := _pair_seats(rnd):
        found["declare_pair"] = {"seats": pairs}
    if claimable(rnd):
        trick = rnd.tricks[-1]
        found["claim"] = {"team": TEAMS[team_of(trick.winner)], "points": trick.bonus}
    if rnd.finished:
        return found | {"phase": "record", "record": True}
    return found | {"laid": _cards(rnd)}


def challengers(rnd: Round) -> tuple[str, ...]:
    """Return the seats that may speak the next challenge: the side that did not speak last, maker's left first (R4)."""
    if len(rnd.challenges) == len(CHALLENGES):
        return ()
    first = 1 if len(rnd.challenges) % 2 == 0 else 0
    return left_of(rnd.maker, first), left_of(rnd.maker, first + 2)


def claimable(rnd: Round) -> bool:
    """Whether the last trick has a bonus that can still be claimed (R8)."""
    return bool(rnd.tricks and not rnd.table and rnd.tricks[-1].bonus and not rnd.tricks[-1].claimed)


def pair_players(rnd: Round) -> list[str]:
    """Return who has just played the king or queen of trump and may say to have had both (R11).

    "When it is played" lasts like a claim: until the first card of the next trick.
    """
    if rnd.table or not rnd.tricks:
        leader, cards = rnd.leader, rnd.table
    else:
        leader, cards = rnd.tricks[-1].leader, rnd.tricks[-1].cards
    return [left_of(leader, i) for i, card in enumerate(cards) if card in royal_pair(rnd)]


def _pair_seats(rnd: Round) -> list[str]:
    """Return who may say it and, by what is known, with truth and for the first time (R11)."""
    royal = royal_pair(rnd)
    owners = rnd.owners()
    return [
        seat
        for seat in pair_players(rnd)
        if seat not in rnd.pairs
        and all(owners.get(card, seat) == seat for card in royal)
        and set(royal) <= set(rnd.hand(seat) or royal)
    ]


def _challenge(rnd: Round) -> dict[str, Any]:
    seats = challengers(rnd)
    return {"challenge": {"word": CHALLENGES[len(rnd.challenges)], "seats": list(seats)}} if seats else {}


def _declarations(rnd: Round) -> dict[str, Any]:
    """Return by seat the combinations of a dealt hand, None for a hand that isn't known (R10)."""
    found: dict[str, Any] = {}
    for seat in SEATS:
        hand = rnd.hand(seat)
        made = {one.combination.cards for one in rnd.declared if one.seat == seat}
        combinations = combinations_in(hand) if hand is not None else ()
        still = [{"cards": list(c.cards), "points": c.value} for c in combinations if c.cards not in made]
        found[seat] = still if hand is not None else None
    return found


def _cards(rnd: Round) -> dict[str, Any]:
    """Return the cards that the seat on turn may play, given what is known of its hand (R6).

    With an unknown hand these are the cards not yet seen elsewhere that would not be a revoke by what is known;
    ``proving`` are those among them that would prove an earlier revoke (R17).
    """
    assert rnd.trump is not None
    seat = rnd.on_turn
    hand = remaining(rnd, seat)
    if rnd.hand(seat) is not None or len(known_hand(rnd, seat)) == 8:
        due = due_cards(hand, rnd.table, rnd.trump)
        return {"seat": seat, "known": True, "clause": due.clause, "cards": list(in_order(due.cards)), "proving": []}
    gone = set(rnd.played())
    gone |= {card for other in SEATS if other != seat for card in known_hand(rnd, other)}
    cards, proving = [], []
    for card in DECK:
        if card in gone:
            continue
        if card not in due_cards({*hand, card}, rnd.table, rnd.trump).cards:
            continue
        cards.append(card)
        if card not in hand and _proves(rnd, seat, card):
            proving.append(card)
    return {"seat": seat, "known": False, "clause": "R6", "cards": list(in_order(cards)), "proving": proving}


def _proves(rnd: Round, seat: str, card: str) -> bool:
    """Whether an earlier play of the seat would turn out wrong if it held this card."""
    return len(wrong_plays(rnd, seat, (card,))) > len(wrong_plays(rnd, seat))

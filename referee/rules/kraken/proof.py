"""What the cards on the table prove about the hands: revokes and false declarations (R17, R10, R11).

Hands are as a rule unknown; a hand is known by its dealt cards, or piece by piece by the cards that it has played
or declared. More knowledge can only add to what should have been played: a card that is wrong for the known part
of a hand is wrong for the whole hand (having one more card never makes another one legal), so that a revoke once
proven stays proven, though clause and due cards may change.
"""

from collections import Counter
from dataclasses import replace

from referee.rules.kraken.cards import Due, due_cards, in_order
from referee.rules.kraken.events import SEATS
from referee.rules.kraken.state import FalseDeclaration, Play, Report, Revoke, Round, in_turn


def seat_plays(rnd: Round, seat: str) -> list[Play]:
    """Return the cards that one seat has played, in order."""
    found = []
    for trick in rnd.tricks:
        i = in_turn(trick.leader).index(seat)
        found.append(Play(trick.number, seat, trick.cards[:i], trick.cards[i]))
    if seat in rnd.laid_by:
        i = rnd.laid_by.index(seat)
        found.append(Play(rnd.trick_number, seat, rnd.table[:i], rnd.table[i]))
    return found


def royal_pair(rnd: Round) -> tuple[str, str]:
    """Return queen and king of trump (R11)."""
    return f"Q{rnd.trump}", f"K{rnd.trump}"


def declarations(rnd: Round) -> list[tuple[str, tuple[str, ...], str]]:
    """Return seat, cards and clause of everything declared, in R10's and R11's form alike."""
    made = [(declared.seat, declared.combination.cards, "R10") for declared in rnd.declared]
    return made + [(seat, royal_pair(rnd), "R11") for seat in rnd.pairs]


def false_declarations(rnd: Round) -> tuple[FalseDeclaration, ...]:
    """Return the declarations that the cards known so far disprove."""
    if not rnd.declared and not rnd.pairs:
        return ()
    owner = rnd.owners()
    complete = Counter(owner.values())
    return tuple(
        FalseDeclaration(rnd.number, seat, cards, clause)
        for seat, cards, clause in declarations(rnd)
        # A card in another hand, or missing from a hand of which all eight cards are known.
        if any(owner.get(card, seat) != seat or (card not in owner and complete[seat] == 8) for card in cards)
    )


def remaining(rnd: Round, seat: str) -> tuple[str, ...]:
    """Return the cards known to be in a seat's hand now: what is left of its dealt hand, else of its declarations.

    A declaration counts while nothing speaks against it; a card that two seats declare is nobody's for the time being.
    """
    known = rnd.hand(seat)
    if known is None:
        known = _declared_cards(rnd, seat)
    if not known:
        return ()
    played = {play.card for play in seat_plays(rnd, seat)}
    return tuple(card for card in known if card not in played)


def _declared_cards(rnd: Round, seat: str) -> tuple[str, ...]:
    """Return the cards that a seat, and no other one, has declared and that nothing disproves."""
    disproved = {(false.seat, false.cards) for false in rnd.false}
    standing = [(who, cards) for who, cards, _ in declarations(rnd) if (who, cards) not in disproved]
    others = {card for who, cards in standing if who != seat for card in cards}
    mine = [card for who, cards in standing if who == seat for card in cards if card not in others]
    return tuple(dict.fromkeys(mine))


def known_hand(rnd: Round, seat: str) -> tuple[str, ...]:
    """Return all cards known to have been dealt to a seat: those played and those known to remain."""
    return (*(play.card for play in seat_plays(rnd, seat)), *remaining(rnd, seat))


def wrong_plays(rnd: Round, seat: str, also: tuple[str, ...] = ()) -> list[tuple[Play, Due, tuple[str, ...]]]:
    """Return the seat's plays against R6, with what was due and the cards known to be held, by what is known now.

    ``also`` are cards to be taken as held still, to ask what they would prove.
    """
    assert rnd.trump is not None
    held = [*remaining(rnd, seat), *also]
    found = []
    for play in reversed(seat_plays(rnd, seat)):
        held.append(play.card)
        # A leader is free, and a plain suit followed is followed with any card.
        if not play.before or (play.card[1] == play.before[0][1] != rnd.trump):
            continue
        due = due_cards(held, play.before, rnd.trump)
        if play.card not in due.cards:
            found.append((play, due, tuple(held)))
    return found[::-1]


def examine(rnd: Round, seat: str, news: str | None = None) -> tuple[Round, tuple[Report, ...]]:
    """Return the round with a seat's revokes as they are known now, and what is new to report.

    ``news`` is the card by which more has become known of the hand, if it was one.
    """
    stated = {revoke.trick: revoke for revoke in rnd.revokes if revoke.seat == seat}
    reports: list[Report] = []
    for play, due, held in wrong_plays(rnd, seat):
        before = stated.pop(play.trick, None)
        cards = in_order(due.cards)
        if before is not None and (before.clause, before.due) == (due.clause, cards):
            continue
        proof = news if news in cards else cards[0]
        reports.append(
            Revoke(
                round=rnd.number,
                trick=play.trick,
                seat=seat,
                card=play.card,
                clause=due.clause,
                due=cards,
                held=in_order(held),
                proof=proof,
                source=_source(rnd, seat, proof),
                seen_in=_trick_on_table(rnd),
                status="proven" if before is None else "restated",
            )
        )
    # What is left had been stated by a declaration that has turned out false.
    gone = tuple(stated.values())
    reports += [replace(revoke, status="withdrawn", seen_in=_trick_on_table(rnd)) for revoke in gone]
    if not reports:
        return rnd, ()
    renewed = {(r.trick, r.seat): r for r in rnd.revokes if r not in gone}
    renewed |= {(r.trick, r.seat): r for r in reports if isinstance(r, Revoke) and r.status != "withdrawn"}
    return replace(rnd, revokes=tuple(sorted(renewed.values(), key=lambda r: (r.trick, _turn(rnd, r))))), tuple(reports)


def learn(rnd: Round, seat: str, news: str | None, everyone: bool = False) -> tuple[Round, tuple[Report, ...]]:
    """Return the round after more is known of a seat's hand, with all that this proves.

    Only that seat's plays are looked at again, unless a declaration turned out false or ``everyone`` asks for all.
    """
    false = false_declarations(rnd)
    reports: list[Report] = []
    if false != rnd.false:
        reports += [one for one in false if one not in rnd.false]
        rnd = replace(rnd, false=false)
        everyone = True
    for one in SEATS if everyone else seat:
        rnd, more = examine(rnd, one, news if one == seat else None)
        reports += more
    return rnd, tuple(reports)


def _source(rnd: Round, seat: str, card: str) -> str:
    """Return how it is known that the seat held the card."""
    if rnd.hand(seat) is not None:
        return "dealt"
    return "played" if any(play.card == card for play in seat_plays(rnd, seat)) else "declared"


def _trick_on_table(rnd: Round) -> int:
    """Return the number of the trick last played to."""
    return rnd.trick_number if rnd.table else len(rnd.tricks)


def _turn(rnd: Round, revoke: Revoke) -> int:
    """Return a revoke's place among the cards of its trick, so that revokes are listed as they were played."""
    leader = rnd.tricks[revoke.trick - 1].leader if revoke.trick <= len(rnd.tricks) else rnd.leader
    return in_turn(leader).index(revoke.seat)

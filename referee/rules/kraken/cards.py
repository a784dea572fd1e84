"""Kraken's cards: their order, points and combinations, who wins a trick and what may be played (R2, R6-R8, R10).

A card is a string of rank and suit, ``"JS"`` for the jack of spades: ranks 7 8 9 T J Q K A, suits C D H S.
Everything here is a plain function of cards; seats, teams and the course of a round live elsewhere.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

SUITS = "CDHS"
RANKS = "789TJQKA"
"""The order of runs, whatever the suit (R8)."""
DECK: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)

TRUMP_POINTS = {"J": 20, "9": 14, "A": 11, "T": 10, "K": 4, "Q": 3, "8": 0, "7": 0}
PLAIN_POINTS = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "9": 0, "8": 0, "7": 0}

_RUN_INDEX = {rank: i for i, rank in enumerate(RANKS)}
# Positions within a suit, lowest first; the two orders are those of the point tables above, read backwards (R2).
_TRUMP_STRENGTH = {rank: i for i, rank in enumerate("78QKTA9J")}
_PLAIN_STRENGTH = {rank: i for i, rank in enumerate("789JQKTA")}


def card_points(card: str, trump: str) -> int:
    """Return what the card is worth in a won trick (R2)."""
    return (TRUMP_POINTS if card[1] == trump else PLAIN_POINTS)[card[0]]


def run_index(card: str) -> int:
    """Return the card's place in run order, 0 for a seven to 7 for an ace (R8)."""
    return _RUN_INDEX[card[0]]


def in_order(cards: Iterable[str]) -> tuple[str, ...]:
    """Return the cards by suit and, within it, in run order: the one order in which lists of cards are shown."""
    return tuple(sorted(cards, key=lambda card: (card[1], _RUN_INDEX[card[0]])))


def winning_index(cards: Sequence[str], trump: str) -> int:
    """Return the place of the card that wins the trick so far: highest trump, else highest of the suit led (R7)."""
    best = 0
    for i in range(1, len(cards)):
        if _beats(cards[i], cards[best], trump):
            best = i
    return best


def _beats(card: str, top: str, trump: str) -> bool:
    """Whether a card laid later takes the trick from the one winning it; another plain suit never does."""
    if card[1] == trump:
        return top[1] != trump or _TRUMP_STRENGTH[card[0]] > _TRUMP_STRENGTH[top[0]]
    return card[1] == top[1] and _PLAIN_STRENGTH[card[0]] > _PLAIN_STRENGTH[top[0]]


@dataclass(frozen=True, slots=True)
class Due:
    """The cards of a hand that may be played, and the clause that says so."""

    clause: str
    cards: tuple[str, ...]


def due_cards(hand: Collection[str], trick: Sequence[str], trump: str) -> Due:
    """Return what a hand may add to a trick (R6, R6a-R6d), in the hand's own order.

    Players sit in turn, so the places in the trick of the same parity as one's own belong to one's own side.
    """
    if not trick:
        return Due("R6", tuple(hand))
    best = winning_index(trick, trump)
    top, led = trick[best], trick[0][1]
    suit = tuple(card for card in hand if card[1] == led)
    if led == trump:
        # Beat the highest trump, the partner's as well; else any trump; else anything.
        return Due("R6", tuple(card for card in suit if _beats(card, top, trump)) or suit or tuple(hand))
    if suit:
        return Due("R6", suit)
    if (len(trick) - best) % 2 == 0:
        return _due_behind_partner(tuple(hand), top, trump)
    higher = tuple(card for card in hand if card[1] == trump and _beats(card, top, trump))
    if higher:
        return Due("R6c", higher)
    return Due("R6d", tuple(card for card in hand if card[1] != trump) or tuple(hand))


def _due_behind_partner(hand: tuple[str, ...], top: str, trump: str) -> Due:
    """Return what may be played without the suit led while one's own side is winning with ``top`` (R6a, R6b)."""
    if top[1] != trump:
        return Due("R6a", hand)
    return Due("R6b", tuple(card for card in hand if card[1] != trump or _beats(card, top, trump)) or hand)


def trick_bonus(cards: Collection[str], trump: str) -> int:
    """Return the best reading of a trick's four cards (R8); 0 where it has none."""
    ranks = {card[0] for card in cards}
    if len(ranks) == 1:
        return _four_value(min(ranks))
    royal = {"K" + trump, "Q" + trump} <= set(cards)
    readings = [20 if royal else 0]
    for suit in SUITS:
        run = _longest_run(_RUN_INDEX[card[0]] for card in cards if card[1] == suit)
        if run >= 3:
            # Three of the four cards are the run's, so king and queen of trump, where both lie here, are in it.
            readings.append({3: 20, 4: 50}[run] + (20 if royal else 0))
    return max(readings)


def _longest_run(places: Iterable[int]) -> int:
    """Return the length of the longest run of consecutive places."""
    present = set(places)
    longest = 0
    for start in present:
        length = 1
        while start + length in present:
            length += 1
        longest = max(longest, length)
    return longest


def _four_value(rank: str) -> int:
    """Return what four cards of one rank are worth; fours below the ten (jacks apart) nothing (R8, R10)."""
    if rank == "J":
        return 200
    return 100 if rank in "AKQT" else 0


@dataclass(frozen=True, slots=True)
class Combination:
    """A run of three or more in one suit, or four of a kind, with its value (R10)."""

    cards: tuple[str, ...]
    value: int

    @property
    def is_run(self) -> bool:
        """Whether it is a run; else it is a four."""
        return self.cards[0][1] == self.cards[1][1]

    def rank(self, trump: str) -> tuple[int, int, int, bool]:
        """Return its height among combinations: value, length, top card in run order, trump suit (R10)."""
        top = max(map(run_index, self.cards))
        return self.value, len(self.cards), top, self.is_run and self.cards[0][1] == trump


def combination(cards: Collection[str]) -> Combination | None:
    """Return the combination that exactly these cards make, or None (R10)."""
    ordered = in_order(set(cards))
    if len(ordered) != len(cards):
        return None
    ranks = {card[0] for card in ordered}
    if len(ordered) == 4 and len(ranks) == 1:
        return Combination(ordered, _four_value(ordered[0][0]))
    one_suit = len({card[1] for card in ordered}) == 1
    if not one_suit or len(ordered) < 3 or run_index(ordered[-1]) - run_index(ordered[0]) != len(ordered) - 1:
        return None
    return Combination(ordered, {3: 20, 4: 50}.get(len(ordered), 100))


def combinations_in(hand: Collection[str]) -> tuple[Combination, ...]:
    """Return the combinations worth something in a hand: each run whole, and each four (R10)."""
    found: list[Combination | None] = []
    for suit in SUITS:
        run: list[str] = []
        # The sentinel behind the ace ends a run that reaches it.
        for rank in [*RANKS, ""]:
            if rank and rank + suit in hand:
                run.append(rank + suit)
                continue
            found.append(combination(run))
            run = []
    found += [combination([rank + suit for suit in SUITS]) for rank in "TJQKA" if all(rank + s in hand for s in SUITS)]
    return tuple(made for made in found if made is not None)

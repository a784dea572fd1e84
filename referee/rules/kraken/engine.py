"""The Kraken engine: what each event does to the game, and why it may be impossible."""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from referee.rules.kraken.cards import SUITS, card_points, combination, trick_bonus, winning_index
from referee.rules.kraken.events import (
    CHALLENGES,
    KINDS,
    SEATS,
    TEAMS,
    Challenge,
    Claim,
    Deal,
    Declare,
    DeclarePair,
    Event,
    Laid,
    Record,
    Stake,
    Trump,
)
from referee.rules.kraken.faults import (
    KNOWN_SEATS,
    card_faults,
    combination_faults,
    hand_faults,
    open_round,
    position,
    refuse,
    seat_faults,
    trump_faults,
)
from referee.rules.kraken.legal import challengers, claimable, legal_events, pair_players
from referee.rules.kraken.proof import learn, royal_pair
from referee.rules.kraken.scoring import Options, score_round
from referee.rules.kraken.state import ContraDuty, Declared, Report, Round, State, Trick, left_of, team_of
from referee.rules.protocol import Fault


class KrakenEngine:
    """Kraken, the betting variation (R1-R18), over :class:`State` and the events of ``kraken.events``.

    ``challenge_won`` (R12), ``bonuses`` (R13) and ``last_trick`` (R16) are the settings of :class:`Options`.
    Hands may stay unknown or be dealt with the ``deal`` event. A revoke, a false declaration and contras still
    owed never stop the game: they are in ``state.reports``, in the order in which they became known.
    """

    game = "kraken"
    kinds = KINDS

    def __init__(self, *, challenge_won: str = "winner", bonuses: str = "own", last_trick: int = 0) -> None:
        self.settings = Options(challenge_won, bonuses, last_trick)

    def options(self) -> dict[str, Any]:
        """Return the options, all written out, that make this engine again."""
        return asdict(self.settings)

    def start(self) -> State:
        """Return the game before the stake is set and the first cards are dealt."""
        return State()

    def apply(self, state: State, event: Event) -> State:
        """Return the game after ``event``; raises RuleError when it can't have happened."""
        try:
            handler = _HANDLERS[type(event)]
        except KeyError:
            raise TypeError(f"{event!r} is no event of Kraken") from None
        return handler(self, state, event)

    def legal(self, state: State) -> dict[str, Any]:
        """Return what may happen next: ``phase``, ``events`` (the kinds possible) and for each of these an entry.

        Phases are ``deal``, ``trump``, ``tricks``, ``record`` and ``over``. Entries: ``stake`` (true), ``deal``
        (dealers), ``trump`` (seat, suits), ``challenge`` (word, seats), ``declare`` (by seat the combinations of a
        dealt hand, null for an unknown one), ``declare_pair`` (seats), ``claim`` (team, points), ``record`` (true)
        and ``laid``: seat, cards, the clause that says so, whether the hand is known, and ``proving``: those
        cards that would prove an earlier revoke.
        """
        return legal_events(state)

    def score(self, state: State) -> dict[str, int]:
        """Return the points of the recorded rounds by team (R13)."""
        return dict(zip(TEAMS, state.scores, strict=True))

    def over(self, state: State) -> bool:
        """Return whether all sixteen rounds are recorded (R1)."""
        return state.over

    def winners(self, state: State) -> list[str] | None:
        """Return who has won once the game is over, both teams at a tie (R14a), else None."""
        return list(state.winners) if state.over else None

    def position(self, state: State) -> str:
        """Return in words where the game stands."""
        return position(state)

    def sheet(self, state: State) -> list[list[str | int]]:
        """Return the score sheet: a line for each recorded round with points and crosses, and the totals."""
        rows: list[list[str | int]] = [["round", "trump", "challenge", *TEAMS, *(f"crosses {team}" for team in TEAMS)]]
        rows += [[r.number, r.trump, r.challenge or "", *r.score, *r.crosses] for r in state.results]
        return [*rows, ["total", "", "", *state.scores, *state.crosses]]

    def event_to_json(self, event: Event) -> dict[str, Any]:
        """Return the event as JSON data with its ``kind``."""
        return KINDS.to_json(event)

    def event_from_json(self, data: dict[str, Any]) -> Event:
        """Return the event from JSON data; raises ValueError naming the wrong field."""
        event: Event = KINDS.from_json(data)
        return event

    def _stake(self, state: State, event: Stake) -> State:
        faults = []
        if state.round is not None or state.results:
            faults.append(Fault("R1", "a stake set after the first deal", "the stake before the game"))
        if event.amount <= 0:
            faults.append(Fault("R1", f"a stake of {event.amount}", "an amount above 0"))
        refuse(state, faults)
        return replace(state, stake=event.amount)

    def _deal(self, state: State, event: Deal) -> State:
        faults = []
        if state.over:
            faults.append(Fault("R1", "a deal after round 16", "no further event"))
        elif state.round is not None:
            faults.append(Fault("R1", "a deal during a round", f"round {state.round.number} recorded first"))
        unknown = seat_faults(event.dealer)
        faults += unknown
        if not unknown and state.results and state.round is None and not state.over:
            expected = left_of(state.results[-1].dealer)
            if event.dealer != expected:
                faults.append(Fault("R1", f"{event.dealer} deals", f"the deal to pass to the left, to {expected}"))
        faults += hand_faults(event)
        refuse(state, faults)
        hands = dict(event.hands)
        rnd = Round(len(state.results) + 1, event.dealer, tuple(hands.get(seat) for seat in SEATS))
        return replace(state, round=replace(rnd, leader=rnd.maker))

    def _trump(self, state: State, event: Trump) -> State:
        rnd = open_round(state, "trump named")
        faults = seat_faults(event.seat)
        if rnd.trump is not None:
            faults.append(Fault("R3", "trump named again", f"{rnd.trump} to stay trump"))
        elif not faults and event.seat != rnd.maker:
            faults.append(Fault("R3", f"{event.seat} names trump", f"{rnd.maker}, left of the dealer"))
        if event.suit not in tuple(SUITS):
            faults.append(Fault("R3", f"the suit {event.suit!r}", "one of C, D, H, S"))
        refuse(state, faults)
        return replace(state, round=replace(rnd, trump=event.suit))

    def _challenge(self, state: State, event: Challenge) -> State:
        rnd = open_round(state, "a challenge")
        faults = seat_faults(event.seat) + trump_faults(rnd)
        if rnd.challenge_time_over:
            faults.append(Fault("R4", f"{event.word} after the first declaration or card", "no more challenges"))
        seats = challengers(rnd)
        expected = f"{CHALLENGES[len(rnd.challenges)]} by {' or '.join(seats)}" if seats else "no more challenges"
        if not seats or event.word != CHALLENGES[len(rnd.challenges)]:
            faults.append(Fault("R4", f"{event.word!r}", expected))
        if seats and event.seat in KNOWN_SEATS and event.seat not in seats:
            faults.append(Fault("R4", f"{event.seat} challenges", expected))
        refuse(state, faults)
        return replace(state, round=replace(rnd, challenges=(*rnd.challenges, event)))

    def _declare(self, state: State, event: Declare) -> State:
        rnd = open_round(state, "a declaration")
        faults = seat_faults(event.seat) + trump_faults(rnd)
        if rnd.table or rnd.tricks:
            faults.append(Fault("R10", "a declaration after the first card", "declarations before the first trick"))
        faults += combination_faults(rnd, event)
        refuse(state, faults)
        made = combination(event.cards)
        assert made is not None
        declared = replace(rnd, declared=(*rnd.declared, Declared(event.seat, made)))
        return _after(state, *learn(declared, event.seat, None))

    def _declare_pair(self, state: State, event: DeclarePair) -> State:
        rnd = open_round(state, "king and queen of trump declared")
        faults = seat_faults(event.seat) + trump_faults(rnd)
        if not faults and event.seat in rnd.pairs:
            faults.append(Fault("R11", f"{event.seat} declares king and queen of trump again", "it once a round"))
        elif not faults and event.seat not in pair_players(rnd):
            faults.append(
                Fault("R11", f"{event.seat} declares king and queen of trump", "it when one of them is played")
            )
        refuse(state, faults)
        news = next((card for card in royal_pair(rnd) if card not in rnd.played()), None)
        # Another seat's declaration of the same card falls into doubt with this one, so all hands are looked at.
        rnd, reports = learn(replace(rnd, pairs=(*rnd.pairs, event.seat)), event.seat, news, everyone=True)
        return replace(state, round=rnd, reports=state.reports + reports)

    def _laid(self, state: State, event: Laid) -> State:
        rnd = state.round
        refuse(state, card_faults(state, event))
        assert rnd is not None and rnd.trump is not None
        table = (*rnd.table, event.card)
        if len(table) < 4:
            after = replace(rnd, table=table)
        else:
            winner = left_of(rnd.leader, winning_index(table, rnd.trump))
            points = sum(card_points(card, rnd.trump) for card in table)
            trick = Trick(rnd.trick_number, rnd.leader, table, winner, points, trick_bonus(table, rnd.trump))
            after = replace(rnd, tricks=(*rnd.tricks, trick), leader=winner, table=())
        return _after(state, *learn(after, event.seat, event.card))

    def _claim(self, state: State, event: Claim) -> State:
        rnd = open_round(state, "a claim")
        faults = []
        if event.team not in TEAMS:
            faults.append(Fault("R8", f"the team {event.team!r}", "NS or EW"))
        if not rnd.tricks or rnd.table:
            faults.append(Fault("R8", "a claim with no trick just made", "it before the next trick's first card"))
        elif rnd.tricks[-1].claimed:
            faults.append(Fault("R8", f"trick {rnd.tricks[-1].number} claimed again", "one claim a trick"))
        elif not claimable(rnd):
            faults.append(Fault("R8", f"a claim for trick {rnd.tricks[-1].number}", "a trick that earns a bonus"))
        if rnd.tricks and event.team in TEAMS and event.team != (team := TEAMS[team_of(rnd.tricks[-1].winner)]):
            faults.append(Fault("R8", f"a claim by {event.team}", f"{team}, who won trick {rnd.tricks[-1].number}"))
        refuse(state, faults)
        tricks = (*rnd.tricks[:-1], replace(rnd.tricks[-1], claimed=True))
        return replace(state, round=replace(rnd, tricks=tricks))

    def _record(self, state: State, event: Record) -> State:
        rnd = open_round(state, "a round recorded")
        if not rnd.finished:
            refuse(state, [Fault("R1", f"recorded after {len(rnd.tricks)} tricks", "eight tricks first")])
        state = replace(state, results=(*state.results, score_round(rnd, self.settings)), round=None)
        if not state.over:
            return state
        owed = [(team, *state.duty(i)) for i, team in enumerate(TEAMS)]
        breaches = tuple(ContraDuty(rnd.number, team, "breach", due, left) for team, due, left in owed if due)
        return replace(state, reports=state.reports + breaches)


def _after(state: State, rnd: Round, reports: tuple[Report, ...]) -> State:
    """Return the game with the round as it is now; a defence let pass is held against the contras owed (R5)."""
    assert state.round is not None
    after = replace(state, round=rnd, reports=state.reports + reports)
    if state.round.challenge_time_over or rnd.challenges:
        return after
    team = 1 - rnd.declarers
    owed, left = after.duty(team)
    status = {0: "equal", -1: "fewer"}.get(left - owed) if owed else None
    if status is None:
        return after
    return replace(after, reports=(*after.reports, ContraDuty(rnd.number, TEAMS[team], status, owed, left)))


_HANDLERS: dict[type, Callable[[KrakenEngine, State, Any], State]] = {
    Stake: KrakenEngine._stake,
    Deal: KrakenEngine._deal,
    Trump: KrakenEngine._trump,
    Challenge: KrakenEngine._challenge,
    Declare: KrakenEngine._declare,
    DeclarePair: KrakenEngine._declare_pair,
    Laid: KrakenEngine._laid,
    Claim: KrakenEngine._claim,
    Record: KrakenEngine._record,
}

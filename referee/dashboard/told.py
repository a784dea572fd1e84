"""What happened, in words: one sentence an event, with the clause of the rules that it hangs on."""

import unicodedata
from dataclasses import dataclass
from typing import Any

from referee.dashboard.texts import Texts
from referee.log import MatchLog
from referee.rules.clauses import clauses
from referee.rules.crokinole import Recorded, Result, Setup, Shot, State, TimeOut
from referee.rules.krakatoa import Ruling, Throw, ThrowOff
from referee.rules.kraken.events import SEATS, TEAMS
from referee.rules.yacht import Fill, Roll

SUIT_SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
RULE_CLAUSE = {"missed_opponent": "C8", "open_board_outside_15": "C7"}


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words, and the number of the clause that they hang on."""

    words: str
    clause: str | None = None


def clause_text(game: str, number: str | None) -> str | None:
    """The clause in the rules' own words (in English, as the rules are kept)."""
    return None if number is None else clauses(game).get(number)


def card_text(card: str) -> str:
    """A card as players write it: 10♠."""
    return card[:-1].replace("T", "10") + SUIT_SIGNS.get(card[-1:], card[-1:])


def names_of(log: MatchLog, keys: list[str]) -> dict[str, str]:
    """The name that is shown for each side or player."""
    return {key: log.name_of(key) for key in keys}


def in_sentences(names: dict[str, str]) -> dict[str, str]:
    """The names as they stand in sentences: one that is written from right to left doesn't turn what follows it."""
    return {key: f"\u2068{name}\u2069" if any(map(_leftwards, name)) else name for key, name in names.items()}


def _leftwards(character: str) -> bool:
    return unicodedata.bidirectional(character) in ("R", "AL", "AN")


def tell(engine: Any, event: Any, state: Any, names: dict[str, str], t: Texts) -> Sentence:
    """An event in words. ``state``: after it; None where it doesn't count, so only what was seen is told."""
    tellers = {"crokinole": _crokinole, "yacht": _yacht, "krakatoa": _krakatoa, "kraken": _kraken}
    return tellers[engine.game](engine, event, state, names, t)


def _crokinole(engine: Any, event: Any, state: Any, names: dict[str, str], t: Texts) -> Sentence:
    setup = engine.setup
    if isinstance(event, TimeOut):
        return Sentence(t("said.time_out"), "C25")
    if isinstance(event, Recorded | Result):
        if state is None or not state.played:
            return Sentence(t("act.whole_round"), "C17")
        done = state.played[-1]
        points = ", ".join(f"{names[s]} {p}" for s, p in zip(setup.sides, done.points, strict=True))
        gained = ", ".join(f"{names[s]} +{g}" for s, g in zip(setup.sides, done.gained, strict=True) if g)
        words = t("said.recorded", round=done.number, points=points, gained=gained or t("said.tie"))
        return Sentence(words, {"match-play": "C20", "nca": "C24"}.get(setup.preset, "C18"))
    assert isinstance(event, Shot)
    return _shot(setup, event, state, names, t)


def _shot(setup: Setup, event: Shot, state: State | None, names: dict[str, str], t: Texts) -> Sentence:
    outcome = None if state is None else state.outcome
    side = setup.side_named(event.seat) if event.seat in setup.seats else event.seat
    own = [rest for rest in event.rests if rest.id == event.disc]
    parts = [t("said.shot", name=names.get(side, side), where=place(own[0], t) if own else "–")]
    clause = None
    opened = state is not None and setup.first is None and state.shots == 1 and not state.played
    if event.opens or opened:
        parts.append(t("said.opens"))
    if event.unseen:
        parts.append(t("said.unseen", count=event.unseen))
    if outcome is None:
        return Sentence("; ".join(parts))
    if outcome.undecided:
        return Sentence("; ".join([*parts, t("said.undecided", what="; ".join(outcome.undecided))]), "C26")
    for disc, owner in outcome.twenties:
        clause = "C9"
        if disc != event.disc:
            parts.append(t("said.twenty", name=names[setup.sides[owner]]))
    if outcome.ditched:
        clause = "C11"
        if outcome.ditched != (event.disc,):
            parts.append(t("said.ditched", discs=_ids(outcome.ditched)))
    if outcome.rule:
        clause = RULE_CLAUSE[outcome.rule]
        parts.append(t(f"said.{clause.lower()}"))
    elif outcome.removed:
        clause = "C10"
    if outcome.removed:
        parts.append(t("said.removed", discs=_ids(outcome.removed)))
    elif event.touched:
        parts.append(t("said.touched", discs=_ids(event.touched)))
    return Sentence("; ".join(parts), clause or ("C8" if event.touched else "C7"))


def _ids(numbers: tuple[int, ...]) -> str:
    return ", ".join(f"#{n}" for n in numbers)


def place(rest: Any, t: Texts) -> str:
    """Where a disc of crokinole came to rest."""
    if rest.state != "board":
        return t(f"place.{rest.state}")
    if rest.value is None:
        return t("place.open")
    return t("place.v10_inner" if rest.value == 10 and rest.inner else f"place.v{rest.value}")


def _yacht(engine: Any, event: Any, state: Any, names: dict[str, str], t: Texts) -> Sentence:
    if isinstance(event, Roll):
        dice = " ".join("?" if v is None else str(v) for v in event.dice)
        if event.kept:
            kept = " ".join(map(str, event.kept))
            return Sentence(t("said.roll_kept", name=names[event.player], kept=kept, dice=dice), "Y2")
        return Sentence(t("said.roll", name=names[event.player], dice=dice), "Y2")
    assert isinstance(event, Fill)
    category = t.known("category." + event.category.replace(" ", "_"), event.category)
    row = [] if state is None else state.sheet[engine.players.index(event.player)]
    points = next((n for name, n in row if name == event.category), "–")
    return Sentence(t("said.fill", name=names[event.player], category=category, points=points), "Y4")


def _krakatoa(engine: Any, event: Any, state: Any, names: dict[str, str], t: Texts) -> Sentence:
    if isinstance(event, Ruling):
        word = {"stands": "act.stands", "again": "act.again", "nothing": "act.nothing"}[event.decision]
        return Sentence(t("said.ruling", decision=t(word)), "K17")
    name = names.get(event.player, event.player)
    if state is not None and state.pending is not None:
        return Sentence(t("said.waits", name=name, why="; ".join(state.pending.reasons)), "K17")
    if isinstance(event, ThrowOff):
        where = t.known(f"set.{event.set}", event.set)
        return Sentence(t("said.throw_off", name=name, set=where, colours=event.colours), "K3")
    assert isinstance(event, Throw)
    seen = " ".join(event.sets)
    if state is None or not state.throws:
        return Sentence(f"{name}: {seen}", "K7")
    done = state.throws[-1]
    parts = [t("said.throw", name=name, points=done.points, total=done.total), seen]
    if done.scratch:
        parts.append(t("said.scratch"))
    if done.why:
        parts.append(t("said.bonus", why=done.why, mark=" ".join(filter(None, (done.bonus, done.second)))))
    return Sentence("; ".join(parts), "K6" if done.scratch else "K9" if done.why else "K7")


def _kraken(engine: Any, event: Any, state: Any, names: dict[str, str], t: Texts) -> Sentence:
    kind = engine.event_to_json(event)["kind"]
    seat = names.get(getattr(event, "seat", ""), getattr(event, "seat", ""))
    clause = {"stake": "R1", "deal": "R1", "trump": "R3", "challenge": "R4", "declare": "R10", "declare_pair": "R11"}
    if kind == "deal":
        return Sentence(t("said.deal", seat=names[event.dealer]), "R1")
    if kind == "record":
        if state is None or not state.results:
            return Sentence(t("live.record"), "R12")
        done = state.results[-1]
        points = ", ".join(f"{names[team]} {done.tallies[i]}" for i, team in enumerate(TEAMS))
        gained = ", ".join(f"{names[team]} +{done.score[i]}" for i, team in enumerate(TEAMS))
        return Sentence(t("said.recorded", round=done.number, points=points, gained=gained), "R13")
    if kind == "claim":
        return Sentence(t("said.claim", team=names[event.team]), "R8")
    if kind == "laid":
        words = t("said.laid", seat=seat, card=card_text(event.card))
        rnd = getattr(state, "round", None)
        trick = rnd.tricks[-1] if rnd is not None and rnd.tricks and not rnd.table else None
        if trick is not None:
            words += "; " + t("said.trick", seat=names[trick.winner], points=trick.points)
        return Sentence(words, "R6" if trick is None else "R7")
    words = {
        "stake": lambda: t("said.stake", amount=event.amount),
        "trump": lambda: t("said.trump", seat=seat, suit=SUIT_SIGNS.get(event.suit, event.suit)),
        "challenge": lambda: t("said.challenge", seat=seat, word=event.word),
        "declare": lambda: t("said.declare", seat=seat, cards=" ".join(map(card_text, event.cards))),
        "declare_pair": lambda: t("said.declare_pair", seat=seat),
    }[kind]()
    return Sentence(words, clause[kind])


__all__ = ["SEATS", "Sentence", "card_text", "clause_text", "names_of", "place", "tell"]

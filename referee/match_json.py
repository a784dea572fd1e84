"""A scored video as ``match/1`` for programs, as the documentation describes it, and as the match's log."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee import __version__
from referee.crokinole_json import line_json, number
from referee.crokinole_match import Ledger
from referee.log import Entry, MatchLog
from referee.match_judging import JudgedShot, Seating, seats_of
from referee.rules.crokinole import Crokinole, Recorded, Shot
from referee.rules.protocol import RuleError
from vision.shot_seen import OnTable
from vision.video import VideoInfo

SCHEMA = "match/1"
WHO = "camera"


def points_after_shots(data: Mapping[str, Any]) -> list[dict[str, int]]:
    """Points of the round by side after each shot of a ``match/1``, as they would count: board and twenties."""
    out: list[dict[str, int]] = []
    twenties: dict[str, int] = {}
    round_ = None
    for shot in data["shots"]:
        if shot["round"] != round_:
            round_, twenties = shot["round"], dict.fromkeys(data["score"], 0)
        for colour in shot["twenties"].values():
            twenties[colour] += 1
        board = shot["board_after"]
        out.append({s: 20 * n + sum(d["value"] or 0 for d in board if d["colour"] == s) for s, n in twenties.items()})
    return out


@dataclass(frozen=True)
class Agreed:
    """What was agreed before the match, as far as options tell it; None: found from the video where possible."""

    players: str | None = None
    preset: str | None = None
    first: str | None = None
    discs: int | None = None


@dataclass(frozen=True)
class MatchResult:
    """A video judged as a whole. ``words``: the sides' colours by group; ``engine``: with the setup that was found.

    ``warnings``: which parts of the setup are guesses.
    """

    ledger: Ledger
    words: tuple[str, ...]
    engine: Crokinole
    warnings: tuple[str, ...] = ()


def conclude(ledger: Ledger, words: tuple[str, ...], agreed: Agreed) -> MatchResult:
    """Work out seats and setup from all shots together."""
    groups = 3 if agreed.players == "3" else max(2, len(words))
    words = (*words, *[w for w in ("black", "natural", "red") if w not in words][: groups - len(words)])
    shots = ledger.shots
    seating = seats_of(shots, groups, agreed.players)
    players, seats, order = seating.players, seating.seats, seating.order
    warnings = [guessed(seating)] if shots and players in ("3", "2v1") and len(seating.seen) < len(seats) else []
    options: dict[str, Any] = {"players": players, "seats": list(seats), "sides": [words[g] for g in order]}
    if agreed.preset is not None:
        options["preset"] = agreed.preset
    discs = ledger.side_discs()
    if players in ("4", "2v1") and discs % 2:
        discs += 1
    if discs and (agreed.discs or any(r.complete for r in ledger.rounds)):
        options["discs"] = discs
    first = agreed.first or (shots[0].seat if shots else None)
    if first in seats:
        options["first"] = first
    elif agreed.first is not None and shots:
        warnings.append(f"--first {first}: nobody was seen to sit there, the seats are {', '.join(seats)}")
    if not shots:
        warnings.append("no shot was seen: there is nothing to score")
    return MatchResult(ledger, words[:groups], Crokinole(options), tuple(warnings))


def match_json(result: MatchResult, info: VideoInfo, path: str, warnings: list[str]) -> dict[str, Any]:
    """Return the whole result, ready for ``json.dumps``."""
    ledger, words = result.ledger, result.words
    colours: dict[int, str] = {}
    for shot in ledger.shots:
        for d in shot.settled:
            colours[d.id] = words[d.group]
        colours[shot.seen.disc] = words[shot.group]
        for a in shot.seen.after:
            colours[a.id] = words[a.group]
    played = {s.group for s in ledger.shots} | {d.group for s in ledger.shots for d in s.settled}
    shown = [g for g in range(len(words)) if g in played or (len(words) <= 2 and ledger.shots)]
    score = ledger.score(result.engine.setup)
    return {
        "schema": SCHEMA,
        "game": "crokinole",
        "software": {"version": __version__},
        "video": {"path": path, "width": info.width, "height": info.height, "duration_s": number(info.duration_s, 3)},
        "setup": {"players": result.engine.setup.players, "preset": result.engine.setup.preset,
                  "seats": list(result.engine.setup.seats), "discs": result.engine.setup.side_discs(0)},
        "discs": [{"id": i, "colour": colours[i]} for i in sorted(colours)],
        "shots": [shot_json(s, words) for s in ledger.shots],
        "rounds": [
            {
                "number": r.number,
                "complete": r.complete,
                "points": {words[g]: r.points[g] for g in shown} if r.points else None,
                "twenties": {words[g]: r.twenties[g] for g in shown} if r.twenties else None,
            }
            for r in ledger.rounds if r.shots
        ],
        "score": {words[g]: score[g] for g in shown},
        "review": [
            {"shot": v.shot, "round": v.round, "time_s": number(v.at, 2), "why": v.doubt.words} for v in ledger.reviews
        ],
        "warnings": warnings,
    }  # fmt: skip


def shot_json(shot: JudgedShot, words: tuple[str, ...]) -> dict[str, Any]:
    """One shot."""
    seen, outcome = shot.seen, shot.outcome
    unknown = bool(seen.maybe_touched) and not seen.touched
    return {
        "number": shot.number,
        "round": shot.round,
        "start_s": number(seen.start_s, 3),
        "settled_s": number(seen.settled_s, 3),
        "colour": words[shot.group],
        "seat": shot.seat,
        "disc": seen.disc,
        "valid": outcome.valid,
        "rule": outcome.rule,
        "touched": None if unknown else list(seen.touched),
        "removed": list(outcome.removed),
        "ditched": list(outcome.ditched),
        "twenties": {str(i): words[g] for i, g in outcome.twenties},
        "twenty": bool(outcome.twenties),
        "board_after": [disc_json(d, words[d.group]) for d in shot.board],
        "confidence": number(shot.confidence, 3),
        "start_seen": seen.start_seen,
    }


def disc_json(lies: OnTable, colour: str) -> dict[str, Any]:
    """One disc on the board after a shot."""
    disc = lies.disc
    return {
        "id": lies.id,
        "colour": colour,
        "mm": [number(v, 2) for v in disc.mm],
        "value": disc.value,
        "state": disc.state,
        "lines": [line_json(c) for c in disc.lines],
    }


def guessed(seating: Seating) -> str:
    """What is a guess about three players of whom fewer were seen to shoot, in words."""
    guess = "who sits where" + (", and which side is the pair," if seating.players == "2v1" else "")
    where = f"from {'seat' if len(seating.seen) == 1 else 'seats'} {' and '.join(seating.seen)} only"
    came = f"shots were seen {where}" if seating.seen else "no shot was seen to start"
    return f"--players {seating.players}: {came}; {guess} is a guess"


def _a_seat(result: MatchResult, group: int) -> str:
    """A seat of a side, for a shot of which nobody saw where it came from."""
    setup = result.engine.setup
    return setup.seats[setup.side_of.index(setup.sides.index(result.words[group]))]


def match_log(result: MatchResult, about: dict[str, Any]) -> MatchLog:
    """The log: every shot as it was observed; where one doesn't fit the rules, what follows waits for a ruling."""
    entries: list[Entry] = []
    engine = result.engine
    state = engine.start()
    stuck = False

    def put(event: Shot | Recorded, at: float) -> None:
        nonlocal state, stuck
        entries.append(Entry(len(entries) + 1, round(at, 3), WHO, "observed", event))
        if not stuck:
            try:
                state = engine.apply(state, event)
            except RuleError:
                stuck = True

    for round_ in result.ledger.rounds:
        for shot in round_.shots:
            event = shot.event
            seat = shot.seat or _a_seat(result, shot.group)
            put(Shot(seat, event.disc, event.touched, event.rests), shot.seen.settled_s)
        if round_.complete and round_.shots:
            put(Recorded(), round_.ended if round_.ended is not None else round_.shots[-1].seen.settled_s)
    return MatchLog(engine, entries, about)

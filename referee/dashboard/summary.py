"""A match as the screen shows it: one JSON object (``state/1``), the same for the page, the stream and programs."""

import json
from typing import Any

from referee.dashboard.reasons import reason
from referee.dashboard.sheets import sheet
from referee.dashboard.sides import headline, name_keys, sides
from referee.dashboard.texts import Texts
from referee.dashboard.told import clause_text, in_sentences, names_of, tell
from referee.desk import OpenMatch, title_of
from referee.live import LiveTable, TableState
from referee.log import REDO, UNDO, Entry, MatchLog
from referee.questions import OpenQuestion
from referee.rules.codec import to_json

SCHEMA = "state/1"
EVENTS_SHOWN = 80
ROUND_ENDS = ("recorded", "result", "record")


def summary(match: OpenMatch, table: LiveTable | None, t: Texts, now: float = 0.0) -> dict[str, Any]:
    """The whole object; ``now``: the time of the match's source."""
    log = match.log
    engine, state = log.engine, log.state
    names = names_of(log, name_keys(engine))
    winners = engine.winners(state)
    questions, clips = match.beside()
    spoken = in_sentences(names)
    told = _events(log, spoken, t, clips)
    last = next((item for item in reversed(told) if item["counts"]), None)
    return {
        "schema": SCHEMA,
        "id": match.id,
        "game": engine.game,
        "language": t.language,
        "title": title_of(log),
        "revision": len(log.entries),
        "version": match.version,
        "names": names,
        "sides": sides(engine, state, names, log.about, t, {} if table is None else table.colours),
        "head": headline(engine, state, spoken, t),
        "last": last,
        "events": told[-EVENTS_SHOWN:],
        "sheet": sheet(log, names, t),
        "legal": json.loads(json.dumps(engine.legal(state), default=to_json)),
        "table": _board(engine, state, names),
        "clock": clock(log, now),
        "reports": [str(report) for report in getattr(state, "reports", ())] or list(getattr(state, "flags", ())),
        "over": winners is not None,
        "winners": None if winners is None else [names[w] for w in winners],
        "result": result_words(winners, spoken, t),
        "stuck": None
        if log.stuck is None
        else {"entry": log.stuck.number, "text": t("live.stuck", number=log.stuck.number, why=log.stuck.error)},
        "can_undo": log.undoable is not None,
        "can_redo": log.redoable is not None,
        "questions": [question(q, match, spoken, t) for q in questions],
        "provisional": None if table is None else table.state.provisional,
        "camera": None if table is None else camera(table.state, t),
    }


def all_events(match: OpenMatch, t: Texts) -> dict[str, Any]:
    """Every event of the match in words; :func:`summary` holds the newest."""
    log = match.log
    names = in_sentences(names_of(log, name_keys(log.engine)))
    told = _events(log, names, t, match.beside()[1])
    return {"revision": len(log.entries), "events": told}


def clock(log: MatchLog, now: float) -> float | None:
    """Seconds that are left of the round, if it is played by the clock (``about``: ``clock_minutes``)."""
    minutes = log.about.get("clock_minutes")
    if not isinstance(minutes, int | float) or log.engine.winners(log.state):
        return None
    begun = None
    for entry, event, _ in log.history():
        ended = log.engine.event_to_json(event)["kind"] in ROUND_ENDS
        begun = None if ended else entry.at if begun is None else begun
    return round(60 * minutes if begun is None else max(0.0, 60 * minutes - (now - begun)), 1)


def result_words(winners: list[str] | None, names: dict[str, str], t: Texts) -> str | None:
    """Who has won, in words."""
    if not winners:
        return None
    key = "app.won" if len(winners) == 1 else "app.shared"
    return t(key, names=", ".join(names[w] for w in winners))


def _events(log: MatchLog, names: dict[str, str], t: Texts, clips: dict[int, str]) -> list[dict[str, Any]]:
    """Everything that counts, in the order of the game, and what was taken back, each in words."""
    counted = {entry.number: (event, state) for entry, event, state in log.history()}
    by_place = {entry.target: entry.number for entry in log.entries if entry.kind == "ruled" and entry.target}
    out = []
    for entry in log.entries:
        counts = entry.number in counted
        clause, words = None, _other_words(entry, log, t)
        if entry.event is not None:
            said = tell(log.engine, entry.event, counted[entry.number][1] if counts else None, names, t)
            words, clause = said.words, said.clause
        out.append(
            {
                "number": entry.number,
                "kind": entry.kind,
                "event": None if entry.event is None else log.engine.event_to_json(entry.event),
                "words": words,
                "clause": clause,
                "clause_text": clause_text(log.engine.game, clause),
                "who": t.known("said." + entry.who, entry.who),
                "at": entry.at,
                "counts": counts,
                "ruled_by": by_place.get(entry.number),
                "target": entry.target,
                "why": reason(entry.why, t, names) if entry.why and entry.why not in (UNDO, REDO) else None,
                "picture": entry.evidence,
                "clip": clips.get(entry.number),
            }
        )
    return out


def _other_words(entry: Entry, log: MatchLog, t: Texts) -> str:
    if entry.kind == "ruled":
        return t("said.struck")
    back = entry.target is not None and log.entries[entry.target - 1].kind == "taken_back"
    number = log.entries[entry.target - 1].target if back and entry.target else entry.target
    return t("said.brought_back" if back else "said.took_back", number=number)


def question(asked: OpenQuestion, match: OpenMatch, names: dict[str, str], t: Texts) -> dict[str, Any]:
    """An open question; ``refused``: for each answer, why the rules don't take it as the match stands, or None."""
    game = match.log.engine.game
    gap = None
    if asked.gap_mm is not None and asked.sigma_mm is not None:
        gap = t("doubt.gap", gap=f"{asked.gap_mm:+.2f}", sigma=f"{asked.sigma_mm:.2f}")
    return {
        "key": asked.key,
        "doubt": asked.doubt,
        "title": t.known(f"doubt.{asked.doubt}", asked.doubt),
        "why": reason(asked.why, t, names),
        "gap": gap,
        "gap_mm": asked.gap_mm,
        "sigma_mm": asked.sigma_mm,
        "clause": asked.clause,
        "clause_text": clause_text(game, asked.clause),
        "entry": asked.entry,
        "at": asked.at,
        "picture": asked.picture,
        "answers": [reason(c.words, t, names) for c in asked.answers],
        "refused": list(match.refused(asked)),
    }


def camera(state: TableState, t: Texts) -> dict[str, Any]:
    """How the camera does, in words, and how bad that is (``good``, ``note``, ``bad``)."""
    condition = state.condition
    if state.unstored:
        words, level = t("camera.unstored", count=state.unstored), "bad"
    elif condition.condition != "running":
        words = t("camera." + condition.condition, source=state.source)
        level = "bad" if condition.condition == "lost" else "note"
    elif state.look != "good":
        words, level = t("camera." + state.look), "bad" if state.look in ("dark", "moved") else "note"
    else:
        words, level = t("camera." + state.table), "note" if state.table == "looking" else "good"
    return {
        "source": state.source,
        "condition": condition.condition,
        "look": state.look,
        "table": state.table,
        "words": words,
        "level": level,
        "why": condition.why,
        "frames": condition.frames,
        "dropped": condition.dropped,
        "reopened": condition.reopened,
        "retry_in": None if condition.retry_in is None else round(condition.retry_in, 1),
    }


def _board(engine: Any, state: Any, names: dict[str, str]) -> dict[str, Any]:
    """What lies on the table, for the entry forms."""
    if engine.game == "crokinole":
        sides_ = engine.setup.sides
        discs = [{"id": d.id, "side": sides_[d.side], "value": d.value, "state": d.state} for d in state.board]
        seats = list(engine.setup.seats)
        owners = {seat: names[sides_[engine.setup.side_of[i]]] for i, seat in enumerate(seats)}
        told = {seat: f"{owners[seat]} ({seat})" if len(seats) > len(sides_) else owners[seat] for seat in seats}
        return {"discs": discs, "seats": seats, "seat_names": told, "next": state.shots + 1}
    if engine.game == "kraken":
        rnd = state.round
        return {"trick": list(rnd.table) if rnd else [], "laid_by": list(rnd.laid_by) if rnd else []}
    if engine.game == "krakatoa":
        return {"sets": list(state.table)}
    return {"dice": list(state.dice)}

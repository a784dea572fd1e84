"""What stands beside each side on the screen, game by game: score, turn, and a few facts; and the line above them."""

from collections.abc import Mapping
from typing import Any

from referee.dashboard.texts import Texts
from referee.rules.crokinole import hammer
from referee.rules.kraken.events import SEATS, TEAMS
from referee.rules.kraken.state import team_of

Facts = list[dict[str, Any]]


def side_keys(engine: Any) -> list[str]:
    """The sides or players, in the order in which they are shown."""
    return list(engine.score(engine.start()))


def name_keys(engine: Any) -> list[str]:
    """Everything that may have a name: sides, players, seats."""
    return [*side_keys(engine), *(getattr(engine, "players", ())), *(SEATS if engine.game == "kraken" else ())]


def sides(
    engine: Any, state: Any, names: dict[str, str], about: dict[str, Any], t: Texts, seen: Mapping[str, str]
) -> list[dict[str, Any]]:
    """One object a side: key, name, colour, score, turn, winner, facts (label and value).

    ``seen``: the colour of a side's discs, where the camera has seen it and nobody has chosen one.
    """
    score: dict[str, int] = engine.score(state)
    won = engine.winners(state) or []
    turn = on_turn(engine, state)
    facts = {"crokinole": _crokinole, "yacht": _none, "krakatoa": _krakatoa, "kraken": _kraken}[engine.game]
    colours = about.get("colours") if isinstance(about.get("colours"), dict) else {}
    told: list[dict[str, Any]] = []
    for index, key in enumerate(score):
        told.append(
            {
                "key": key,
                "name": names[key],
                "colour": str((colours or {}).get(key) or seen.get(key) or key) if engine.game == "crokinole" else "",
                "score": score[key],
                "turn": key in turn,
                "winner": key in won,
                "facts": facts(engine, state, index, t),
            }
        )
    return told


def on_turn(engine: Any, state: Any) -> list[str]:
    """The sides on turn."""
    todo = engine.legal(state)
    if engine.game == "crokinole":
        return [todo["side"]] if todo.get("side") else []
    if engine.game == "kraken":
        seat = kraken_seat(state, todo)
        return [TEAMS[team_of(seat)]] if seat else []
    if engine.game == "krakatoa":
        if "side" in todo:
            return [todo["side"]]
        players = todo.get("players", [])
        return [s for s in engine.score(state) if any(p == s or p in s.split("+") for p in players)]
    return [todo["player"]] if "player" in todo else []


def kraken_seat(state: Any, todo: dict[str, Any]) -> str | None:
    """The seat that acts next in Kraken, if it is one."""
    rnd = state.round
    if rnd is None or todo["phase"] not in ("trump", "tricks"):
        return None
    seat: str = rnd.maker if todo["phase"] == "trump" else rnd.on_turn
    return seat


def _fact(label: str, value: object) -> dict[str, Any]:
    return {"label": label, "value": str(value)}


def _none(engine: Any, state: Any, index: int, t: Texts) -> Facts:
    return []


def _crokinole(engine: Any, state: Any, index: int, t: Texts) -> Facts:
    setup = engine.setup
    shot = [setup.side_of[state.cycle[i % len(state.cycle)]] for i in range(state.shots)].count(index)
    points = 20 * state.twenties[index] + sum(d.value or 0 for d in state.board if d.side == index)
    twenties = _fact(t("live.twenties"), state.match_twenties[index] + (0 if state.over else state.twenties[index]))
    if state.over:
        return [twenties]
    left = _fact(t("live.discs_left"), max(0, setup.side_discs(index) - shot))
    facts = [_fact(t("live.this_round"), points) | {"round": True}, left, twenties]
    if not state.anyone_opens and setup.side_at(hammer(state)) == index:
        facts.append({"label": t("live.hammer"), "value": "", "flag": True})
    return facts


def _krakatoa(engine: Any, state: Any, index: int, t: Texts) -> Facts:
    mark = ("", "x", "xx")[min(2, state.lines[index].marks[0])]
    return [_fact(t("live.mark"), mark)] if mark else []


def _kraken(engine: Any, state: Any, index: int, t: Texts) -> Facts:
    owed, _ = state.duty(index)
    return [_fact(t("live.crosses"), state.crosses[index]), _fact(t("live.contra_owed"), max(0, owed))]


def headline(engine: Any, state: Any, names: dict[str, str], t: Texts) -> dict[str, str | None]:
    """Where the match stands (``where``), who acts (``who``), what is due (``task``) and by which clause."""
    if engine.winners(state):
        return {"where": t("live.over"), "who": None, "task": None, "clause": None}
    todo = engine.legal(state)
    told = {"crokinole": _head_crokinole, "yacht": _head_yacht, "krakatoa": _head_krakatoa, "kraken": _head_kraken}
    where, who, task, clause = told[engine.game](state, todo, names, t)
    return {"where": where, "who": who, "task": task, "clause": clause}


Head = tuple[str, str | None, str | None, str | None]


def _head_crokinole(state: Any, todo: dict[str, Any], names: dict[str, str], t: Texts) -> Head:
    deciding = t("live.deciding") + " · " if todo.get("deciding") else ""
    if "seats" not in todo:
        return deciding + t("live.round_done", round=todo["round"]), t("live.record"), None, "C15"
    where = deciding + t("live.round_shot", round=todo["round"], shot=todo["shot"], of=todo["of"])
    task = t("live.must_touch" if todo["must"] == "C8" else "live.must_inside")
    if todo["rule"]:
        task = t("said.undecided", what=todo["rule"][0])
    who = t("live.shoots", name=names[todo["side"]]) if todo["side"] else t("live.first_shot_opens")
    return where, who, task, "C26" if todo["rule"] else todo["must"]


def _head_yacht(state: Any, todo: dict[str, Any], names: dict[str, str], t: Texts) -> Head:
    where = t("live.turn_rolls", turn=todo["turn"], left=todo["rolls_left"])
    return where, t("live.rolls", name=names[todo["player"]]), todo["doubt"], "Y7" if todo["doubt"] else "Y2"


def _head_krakatoa(state: Any, todo: dict[str, Any], names: dict[str, str], t: Texts) -> Head:
    if "ruling" in todo:
        return t("doubt.ruling"), None, "; ".join(todo["ruling"]), "K17"
    if not state.round:
        return t("live.throw_off"), t("live.throws", name=", ".join(names[p] for p in todo["players"])), None, "K3"
    where = t("live.round_throw", round=todo["round"], throw=todo["throw"])
    return where, t("live.throws", name=names[todo["player"]]), None, "K5"


def _head_kraken(state: Any, todo: dict[str, Any], names: dict[str, str], t: Texts) -> Head:
    number = len(state.results) + 1
    seat = kraken_seat(state, todo)
    if todo["phase"] == "deal":
        return t("live.round_n", round=number), t("live.deals"), None, "R1"
    if todo["phase"] == "record":
        return t("live.round_n", round=number), t("live.record"), None, "R12"
    where = t("live.round_trick", round=number, trick=state.round.trick_number)
    if todo["phase"] == "trump":
        return where, t("live.names_trump", name=names[seat or ""]), None, "R3"
    return where, t("live.plays", name=names[seat or ""]), None, todo.get("laid", {}).get("clause") or "R6"

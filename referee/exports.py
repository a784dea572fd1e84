"""A match in other people's forms: CSV of the score sheet, and Crokinole Match Notation in and out.

JSON lines of the log are the log's own form, see ``logfile.to_text``. Crokinole Match Notation (CMN,
1.0-draft) records the result of a match between two teams. Its field ``hammer`` is the team that shot *first*,
while players (and C24) call it the hammer to shoot *last*: here the two are ``shot_first`` and ``shot_last``,
never "hammer", and what is exported says both beside CMN's own field.
"""

import csv
import io
import json
import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from calibration.errors import UnusableInputError
from referee import __version__
from referee.log import MatchLog
from referee.rules.crokinole import Crokinole, Result, RoundResult

CMN_VERSIONS = ("1.0", "1.0-draft")


def score_sheet(log: MatchLog) -> list[list[str | int]]:
    """The score sheet as a table; a game without a sheet of its own lists the score after each entry."""
    if hasattr(log.engine, "sheet"):
        table: list[list[str | int]] = log.engine.sheet(log.state)
        return table
    rows: list[list[str | int]] = [["entry", "event", *log.engine.score(log.engine.start())]]
    for entry, event, state in log.history():
        rows.append([entry.number, log.engine.event_to_json(event)["kind"], *log.engine.score(state).values()])
    return rows


def to_csv(log: MatchLog) -> str:
    """The score sheet as CSV (RFC 4180), under the names that the sides were given."""
    out = io.StringIO()
    csv.writer(out).writerows([[_plain(cell) for cell in row] for row in named_sheet(log)])
    return out.getvalue()


def named_sheet(log: MatchLog) -> list[list[str | int]]:
    """The score sheet with the sides' names, where they were given any, in its headings."""
    heads, *rows = score_sheet(log)
    return [[_named(log, str(head)) for head in heads], *rows]


def _named(log: MatchLog, head: str) -> str:
    """A heading of the sheet (``points black``, ``crosses NS``, ``NS``) with the side's name."""
    what, _, key = head.rpartition(" ")
    for side in log.score:
        if side == head:
            return log.name_of(side)
        if side == key:
            return f"{what} {log.name_of(side)}"
    return head


def _plain(cell: str | int) -> str | int:
    # a name that starts like a formula would be run by a spreadsheet
    return "'" + cell if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


@dataclass(frozen=True, slots=True)
class CmnGame:
    """One round of a CMN match. ``winner``, ``shot_first``: team 0 or 1, None for a tie or where not recorded."""

    winner: int | None
    shot_first: int | None
    scores: tuple[int, ...] | None
    twenties: tuple[int, ...] | None

    @property
    def shot_last(self) -> int | None:
        """The team that had the hammer in the players' sense (C24)."""
        return None if self.shot_first is None else 1 - self.shot_first


@dataclass(frozen=True, slots=True)
class CmnMatch:
    """A match read from CMN; ``document`` is the whole record as it was read, unknown fields and all."""

    id: str
    date: str
    doubles: bool
    teams: tuple[tuple[str, ...], ...]
    games: tuple[CmnGame, ...]
    winner: int | None
    rounds: int | None = None
    target: int | None = None
    document: dict[str, Any] = field(default_factory=dict)


def to_cmn(
    log: MatchLog,
    *,
    record_id: str,
    date: str,
    teams: tuple[tuple[str, ...], ...] | None = None,
    base: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A finished match as a CMN record.

    ``date``: when it was played, UTC, ending in Z. ``teams``: the players' names, side by side (default: the
    sides' names, two seats each in doubles). ``base``: a record whose other fields are kept.
    """
    engine = log.engine
    if not isinstance(engine, Crokinole) or engine.setup.players not in ("2", "4"):
        raise UnusableInputError("CMN is for crokinole between two teams, singles or doubles")
    setup, state = engine.setup, log.state
    if not state.over:
        raise UnusableInputError(f"CMN is for a match that is over: {setup.end_clause} asks for more rounds")
    _check_id(record_id)
    _check_date(date)
    size = len(setup.seats) // 2
    if teams is None:
        teams = tuple((side,) if size == 1 else (f"{side} 1", f"{side} 2") for side in setup.sides)
    if [len(team) for team in teams] != [size, size]:
        raise UnusableInputError(f"teams are {teams!r}, expected two of {size} players")
    if setup.rounds is not None:
        game_format = {"type": "fixed", "count": setup.rounds}
    else:
        game_format = {"type": "first_to", "target": setup.target}
    base = dict(base or {})
    match: dict[str, Any] = dict(base.get("match") or {})
    old_teams = match.get("teams") or [{}, {}]
    match.update(
        date=date,
        format="singles" if size == 1 else "doubles",
        teams=[_team(team, old) for team, old in zip(teams, old_teams, strict=True)],
        gameFormat={**(match.get("gameFormat") or {}), **game_format},
        games=_games(setup.side_of, setup.seats, state.played, match.get("games") or []),
        winner=state.winner,
    )
    source = {**(base.get("source") or {}), "app": "table-referee", "version": __version__}
    return {**base, "cmn": "1.0", "id": record_id, "match": match, "source": source}


def _team(names: tuple[str, ...], old: dict[str, Any]) -> dict[str, Any]:
    known = {player.get("name"): player for player in old.get("players", [])}
    return {**old, "players": [{**known.get(name, {}), "name": name} for name in names]}


def _games(
    side_of: tuple[int, ...], seats: tuple[str, ...], played: tuple[RoundResult, ...], old: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    games = []
    for index, done in enumerate(played):
        a, b = done.points
        first = side_of[seats.index(done.first)]
        games.append(
            {
                **(old[index] if index < len(old) else {}),
                "winner": None if a == b else int(b > a),
                "hammer": first,
                "shotFirst": first,
                "shotLast": side_of[seats.index(done.hammer)],
                "scores": [a, b],
                "twenties": list(done.twenties),
            }
        )
    return games


def read_cmn(text: str, name: str = "CMN") -> list[CmnMatch]:
    """Read a CMN record or batch; raises UnusableInputError naming the field that is wrong."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnusableInputError(f"{name}: not JSON ({error})", code="bad_cmn") from error
    record = _object(data, name)
    if record.get("cmn") not in CMN_VERSIONS:
        raise _bad(name, "cmn", record.get("cmn"), " or ".join(CMN_VERSIONS))
    if not record.get("batch"):
        return [_match(record, name)]
    shared: dict[str, Any] = {key: record[key] for key in ("event", "source") if key in record}
    entries = record.get("matches")
    if not isinstance(entries, list):
        raise _bad(name, "matches", entries, "a list of matches")
    head: dict[str, Any] = {"cmn": record["cmn"]}
    return [
        _match({**head, **shared, **_object(entry, f"{name}: matches[{i}]")}, f"{name}: matches[{i}]")
        for i, entry in enumerate(entries)
    ]


def log_of_cmn(match: CmnMatch, engine_options: dict[str, Any] | None = None) -> MatchLog:
    """A log with one hand-kept round for each game; needs the scores and twenties of every game.

    Rounds count 2, 1 and 0 as CMN's games do, so the preset is ``nca`` unless ``engine_options`` say otherwise.
    Raises RuleError where a round's numbers can't have happened.
    """
    for i, game in enumerate(match.games):
        for what in ("scores", "twenties"):
            if getattr(game, what) is None:
                raise UnusableInputError(f"games[{i}].{what} is missing, a log needs it of every round", code="bad_cmn")
        assert game.scores is not None
        a, b = game.scores
        if game.winner != (None if a == b else int(b > a)):
            raise UnusableInputError(f"games[{i}].winner is {game.winner}, its scores say otherwise", code="bad_cmn")
    options: dict[str, Any] = {"preset": "nca", "players": "4" if match.doubles else "2"}
    names = tuple(" and ".join(team) for team in match.teams)
    if names[0] != names[1]:
        options["sides"] = list(names)
    if match.target is not None:
        options["target"] = match.target
    elif match.rounds or match.games:
        options["rounds"] = match.rounds or len(match.games)
    if match.games and match.games[0].shot_first is not None:
        options["first"] = ("A", "B" if match.doubles else "C")[match.games[0].shot_first]
    log = MatchLog(Crokinole({**options, **(engine_options or {})}), (), {"cmn": match.document})
    at = datetime.fromisoformat(match.date).timestamp()
    for game in match.games:
        assert game.scores is not None and game.twenties is not None
        log.observe(Result(game.scores, game.twenties), at, "CMN")
    return log


def _match(record: dict[str, Any], name: str) -> CmnMatch:
    match = _object(record.get("match"), f"{name}: match")
    identifier = record.get("id")
    if not isinstance(identifier, str) or not identifier:
        raise _bad(name, "id", identifier, "a text, best a UUID")
    if not isinstance(match.get("date"), str):
        raise _bad(name, "match.date", match.get("date"), "a date in UTC ending in Z")
    _check_date(match["date"])
    if match.get("format") not in ("singles", "doubles"):
        raise _bad(name, "match.format", match.get("format"), "singles or doubles")
    doubles = match["format"] == "doubles"
    games = match.get("games")
    if not isinstance(games, list):
        raise _bad(name, "match.games", games, "a list of games")
    if "winner" not in match:
        raise _bad(name, "match.winner", "missing", "0, 1 or null")
    rounds, target = _game_format(match.get("gameFormat"), name)
    return CmnMatch(
        id=identifier,
        date=match["date"],
        doubles=doubles,
        teams=_teams(match.get("teams"), 2 if doubles else 1, name),
        games=tuple(_game(game, f"{name}: match.games[{i}]") for i, game in enumerate(games)),
        winner=_team_index(match["winner"], name, "match.winner"),
        rounds=rounds,
        target=target,
        document=record,
    )


def _teams(teams: Any, size: int, name: str) -> tuple[tuple[str, ...], ...]:
    if not isinstance(teams, list) or len(teams) != 2:
        raise _bad(name, "match.teams", teams, "exactly two teams")
    found = []
    for i, team in enumerate(teams):
        players = _object(team, f"{name}: match.teams[{i}]").get("players")
        if not isinstance(players, list) or len(players) != size:
            raise _bad(name, f"match.teams[{i}].players", players, f"{size} players")
        names = [
            _object(player, f"{name}: match.teams[{i}].players[{k}]").get("name") for k, player in enumerate(players)
        ]
        if not all(isinstance(text, str) and text for text in names):
            raise _bad(name, f"match.teams[{i}].players", players, "a name for each player")
        found.append(tuple(str(text) for text in names))
    return tuple(found)


def _game(data: Any, name: str) -> CmnGame:
    game = _object(data, name)
    if "winner" not in game:
        raise _bad(name, "winner", "missing", "0, 1 or null")
    return CmnGame(
        winner=_team_index(game["winner"], name, "winner"),
        shot_first=_team_index(game.get("hammer"), name, "hammer"),
        scores=_pair(game.get("scores"), name, "scores"),
        twenties=_pair(game.get("twenties"), name, "twenties"),
    )


def _game_format(data: Any, name: str) -> tuple[int | None, int | None]:
    """(rounds, target)"""
    if data is None:
        return None, None
    form = _object(data, f"{name}: match.gameFormat")
    key = {"fixed": "count", "first_to": "target"}.get(str(form.get("type")))
    if key is None:
        raise _bad(name, "match.gameFormat.type", form.get("type"), "fixed or first_to")
    number = form.get(key)
    if type(number) is not int or number < 1:
        raise _bad(name, f"match.gameFormat.{key}", number, "a whole number from 1")
    return (number, None) if key == "count" else (None, number)


def _team_index(value: Any, name: str, where: str) -> int | None:
    if value is not None and (type(value) is not int or value not in (0, 1)):
        raise _bad(name, where, value, "0, 1 or null")
    return value


def _pair(value: Any, name: str, where: str) -> tuple[int, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2 or any(type(v) is not int or v < 0 for v in value):
        raise _bad(name, where, value, "two whole numbers")
    return tuple(value)


def _object(data: Any, name: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise UnusableInputError(f"{name} is {str(data)[:40]!r}, expected an object", code="bad_cmn")
    return data


def _check_id(record_id: str) -> None:
    try:
        uuid.UUID(record_id)
    except ValueError as error:
        raise UnusableInputError(f"id is {record_id!r}, expected a UUID", code="bad_cmn") from error


def _check_date(date: str) -> None:
    try:
        datetime.fromisoformat(date)
    except ValueError as error:
        raise UnusableInputError(f"date is {date!r}: {error}", code="bad_cmn") from error
    if not date.endswith("Z"):
        raise UnusableInputError(f"date is {date!r}, expected UTC, ending in Z", code="bad_cmn")


def _bad(name: str, where: str, value: Any, expected: str) -> UnusableInputError:
    return UnusableInputError(f"{name}: {where} is {str(value)[:40]!r}, expected {expected}", code="bad_cmn")

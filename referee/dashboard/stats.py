"""Counts over the stored matches: who played, won, shot, and how well."""

from collections import defaultdict
from typing import Any

from calibration.errors import UnusableInputError
from referee.dashboard.sides import side_keys
from referee.dashboard.told import names_of
from referee.desk import Desk
from referee.log import MatchLog
from referee.rules.crokinole import Shot

MATCHES_COUNTED = 500


def statistics(desk: Desk) -> dict[str, Any]:
    """``games``: by game, each player's row; ``left_out``: how many matches can't be read."""
    games: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(float)))
    left_out = 0
    for row in desk.rows(limit=MATCHES_COUNTED):
        try:
            log = desk.open(row.id).log
        except UnusableInputError:  # damaged, or written by a newer version: the others count
            left_out += 1
            continue
        names = names_of(log, side_keys(log.engine))
        winners = log.engine.winners(log.state)
        for key, score in log.score.items():
            counts = games[log.engine.game][names[key]]
            counts["played"] += winners is not None
            counts["won"] += bool(winners and key in winners)
            counts["best"] = max(counts["best"], score)
        if log.engine.game == "crokinole":
            _crokinole(log, names, games[log.engine.game])
    return {
        "games": {
            game: [{"name": name, **dict(counts)} for name, counts in sorted(players.items())]
            for game, players in games.items()
        },
        "left_out": left_out,
    }


def _crokinole(log: MatchLog, names: dict[str, str], players: dict[str, dict[str, float]]) -> None:
    setup = log.engine.setup
    for _, event, state in log.history():
        if isinstance(event, Shot) and state.outcome is not None and state.outcome.valid is not None:
            counts = players[names[setup.side_named(event.seat)]]
            counts["shots"] += 1
            counts["valid"] += state.outcome.valid
    for done in log.state.played:
        for side, points, twenties in zip(setup.sides, done.points, done.twenties, strict=True):
            counts = players[names[side]]
            counts["rounds"] += 1
            counts["points"] += points
            counts["twenties"] += twenties

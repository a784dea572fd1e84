"""Which official follows which game; each is imported when a camera of its game is opened."""

import importlib
import importlib.util
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from referee.desk import OpenMatch
    from referee.officials import Official

_WHERE = {
    "crokinole": ("referee.officials.crokinole", "CrokinoleOfficial"),
    "krakatoa": ("referee.officials.krakatoa", "KrakatoaOfficial"),
    "kraken": ("referee.officials.kraken", "KrakenOfficial"),
    "yacht": ("referee.officials.yacht", "YachtOfficial"),
}


def has_official(game: str) -> bool:
    """Whether a camera can follow this game."""
    return game in _WHERE and importlib.util.find_spec(_WHERE[game][0]) is not None


def official_for(match: "OpenMatch") -> "Official | None":
    """The official of a match from where it stands; None where the game is shown, but not read, by a camera."""
    engine = match.log.engine
    if not has_official(engine.game):
        return None
    where, name = _WHERE[engine.game]
    module = importlib.import_module(where)
    if engine.game == "crokinole":
        official = module.official(engine.setup)
        official.follow(match.log.state)
        return cast("Official", official)
    return cast("Official", getattr(module, name)(engine, match.log.state))

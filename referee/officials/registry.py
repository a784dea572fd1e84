"""Which official follows which game; each is imported when a camera of its game is opened."""

import importlib
import importlib.util
from pathlib import Path
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


def official_for(match: "OpenMatch", dodecas: str = "") -> "Official | None":
    """The official of a match from where it stands; None where the game is shown, but not read, by a camera.

    ``dodecas``: the file of a profile of Krakatoa's dodecas, where there is one.
    """
    engine = match.log.engine
    if not has_official(engine.game):
        return None
    where, name = _WHERE[engine.game]
    module = importlib.import_module(where)
    if engine.game == "crokinole":
        official = module.official(engine.setup)
        official.follow(match.log.state)
        return cast("Official", official)
    if engine.game == "krakatoa" and dodecas:
        return cast("Official", module.official_with(engine, match.log.state, Path(dodecas)))
    return cast("Official", getattr(module, name)(engine, match.log.state))

"""Which official follows which game; each is imported when a camera of its game is opened."""

import importlib
from typing import TYPE_CHECKING

from referee.settings import Settings

if TYPE_CHECKING:
    from referee.desk import OpenMatch
    from referee.officials import Official

MODULES = {
    "crokinole": "referee.officials.crokinole",
    "krakatoa": "referee.officials.krakatoa",
    "yacht": "referee.officials.yacht",
}
"""Where the officials live; each module has ``official_for(engine, state, settings)``."""


def official_for(match: "OpenMatch", settings: Settings | None = None) -> "Official | None":
    """The official of a match from where it stands; None where the game is shown, but not read, by a camera.

    Raises UnusableInputError where a setting names a profile that can't be used.
    """
    engine = match.log.engine
    if engine.game not in MODULES:
        return None
    module = importlib.import_module(MODULES[engine.game])
    official: Official = module.official_for(engine, match.log.state, settings or Settings())
    return official

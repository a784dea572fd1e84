"""How a person tells a match by keyboard: what may be typed in each game, and which event it means."""

import importlib
from typing import Any

from referee.keyboard.words import Words

_SPECIAL = {"crokinole": "CrokinoleWords", "krakatoa": "KrakatoaWords", "kraken": "KrakenWords", "yacht": "YachtWords"}


def words_for(engine: Any) -> Words:
    """The typed language for an engine's game."""
    if engine.game not in _SPECIAL:
        return Words(engine)
    module = importlib.import_module(f"referee.keyboard.{engine.game}")
    words: Words = getattr(module, _SPECIAL[engine.game])(engine)
    return words

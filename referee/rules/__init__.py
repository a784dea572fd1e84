"""The four games as rules engines, each imported only when it is asked for.

The engines know no pictures, no clock and no randomness, and import the standard library alone.
"""

import importlib
import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

_WHERE = {
    "crokinole": ("referee.rules.crokinole", "Crokinole"),
    "krakatoa": ("referee.rules.krakatoa", "KrakatoaEngine"),
    "kraken": ("referee.rules.kraken", "KrakenEngine"),
    "yacht": ("referee.rules.yacht", "Yacht"),
}


def _engine(game: str, options: Mapping[str, Any]) -> Any:
    module, name = _WHERE[game]
    engine = getattr(importlib.import_module(module), name)
    known = inspect.signature(engine).parameters
    if "options" in known:
        return engine(options)
    for option in options:
        if option not in known:
            raise ValueError(f"option {option!r} is unknown; known are {', '.join(known)}")
    return engine(**options)


GAMES: dict[str, Callable[[Mapping[str, Any]], Any]] = {game: partial(_engine, game) for game in _WHERE}
"""Name of the game -> function that makes its engine from options; ValueError names a wrong option."""

"""The four games as rules engines, each imported only when it is asked for.

The engines know no pictures, no clock and no randomness, and import the standard library alone.
"""

import importlib
from collections.abc import Callable, Mapping
from typing import Any

_WHERE = {
    "crokinole": ("referee.rules.crokinole", "Crokinole"),
    "krakatoa": ("referee.rules.krakatoa", "Krakatoa"),
    "kraken": ("referee.rules.kraken", "Kraken"),
    "yacht": ("referee.rules.yacht", "Yacht"),
}


def _factory(module: str, name: str) -> Callable[[Mapping[str, Any]], Any]:
    def make(options: Mapping[str, Any]) -> Any:
        return getattr(importlib.import_module(module), name)(options)

    return make


GAMES: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    game: _factory(module, name) for game, (module, name) in _WHERE.items()
}
"""Name of the game -> function that makes its engine from options; ValueError names a wrong option."""

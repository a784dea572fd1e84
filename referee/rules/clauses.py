"""The rules in words, clause by clause, as they are packed with the program."""

import re
from functools import cache
from importlib import resources

from referee.rules import GAMES

_CLAUSE = re.compile(r"([CKRY]\d+[a-z]?)\. (.*)")


@cache
def clauses(game: str) -> dict[str, str]:
    """The clauses of a game in order, number -> text; raises ValueError for a game that isn't known."""
    if game not in GAMES:
        raise ValueError(f"game {game!r} is unknown; known are {', '.join(GAMES)}")
    text = resources.files("referee.rules").joinpath("texts", f"{game}.md").read_text(encoding="utf-8")
    return {match[1]: match[2] for match in map(_CLAUSE.fullmatch, text.splitlines()) if match}


def clause(game: str, number: str) -> str:
    """The text of one clause, however its number is capitalised; raises ValueError naming those there are."""
    found = {known.lower(): text for known, text in clauses(game).items()}
    if number.lower() not in found:
        raise ValueError(f"{game} has no clause {number!r}; it has {', '.join(clauses(game))}")
    return found[number.lower()]

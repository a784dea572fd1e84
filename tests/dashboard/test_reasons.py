"""Officials' reasons are told in the page's language, every one of them."""

import ast
import re
import string
from pathlib import Path

import pytest

from referee.dashboard.reasons import reason
from referee.dashboard.texts import LANGUAGES, Texts
from referee.match_doubts import MatchDoubt
from vision.doubts import ShotDoubt, doubt

ROOT = Path(__file__).parents[2]
SOURCES = ("referee/officials/krakatoa.py", "referee/officials/yacht.py")
"""Officials that word their reasons themselves."""
SAID_BY = {"ask", "append", "Question"}
"""Calls that are given reasons as they are."""
WORD = re.compile(r"\b[a-z]+\b")
LEAST_WORDS = 4
"""Names of files, keys and buttons are shorter."""


def as_said(node: ast.expr) -> str | None:
    """A text as it might be said, with numbers for what is put in; None for what is no text."""
    if isinstance(node, ast.Constant):
        return node.value.replace("{}", "7") if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(str(p.value) if isinstance(p, ast.Constant) else "7" for p in node.values)
    return None


def texts_of(node: ast.AST) -> list[ast.expr]:
    """What a statement or call says: arguments, constants with names, reasons that are returned or assigned."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        return list(node.args) if name in SAID_BY else []
    if isinstance(node, ast.Assign):
        named = any(isinstance(t, ast.Name) and (t.id.isupper() or t.id == "why") for t in node.targets)
        values = [node.value.body, node.value.orelse] if isinstance(node.value, ast.IfExp) else [node.value]
        return values if named else []
    if isinstance(node, ast.Return) and node.value is not None:
        return [node.value.elt] if isinstance(node.value, ast.ListComp) else [node.value]
    return []


def worded_there() -> list[str]:
    found = []
    for name in SOURCES:
        for node in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8"))):
            found += [
                said for text in texts_of(node) if (said := as_said(text)) and len(WORD.findall(said)) >= LEAST_WORDS
            ]
    return found


def with_sevens(sentence: str) -> str:
    """A doubt's sentence with a number in each of its fields."""
    return "".join(text + ("" if field is None else "7") for text, field, _, _ in string.Formatter().parse(sentence))


def is_in_the_catalogue(said: str) -> bool:
    told = {language: reason(said, Texts(language), {}) for language in LANGUAGES}
    return told.pop("en") == said and said not in told.values()


@pytest.mark.parametrize("kind", [*ShotDoubt, *MatchDoubt])
def test_every_doubt_is_in_the_catalogue(kind: ShotDoubt | MatchDoubt) -> None:
    assert is_in_the_catalogue(with_sevens(kind.value))


def test_every_reason_of_the_other_games_is_in_the_catalogue() -> None:
    reasons = worded_there()
    assert len(reasons) > 3
    for words in reasons:
        # dice that can't be read are told with their place
        said = f"{words} (at 3, 4)" if words.endswith("be read for sure") else words
        assert is_in_the_catalogue(said), said


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "disc 3 is -0.21 mm from the 15/10 line (sigma 0.97); the players leave disc 4, 5 on the board",
            "el disco 3 está a -0.21 mm de la línea 15/10 (sigma 0.97); los jugadores dejan el disco 4, 5 en el"
            " tablero",
        ),
        (
            "disc 3 lies flat in the hole, or leaning into the hole or on the surface",
            "el disco 3 está plano en el agujero, o apoyado en el borde del agujero o en la superficie",
        ),
        (
            f"{doubt(ShotDoubt.NOT_FOUND).words}; {doubt(ShotDoubt.UNSEEN_LOSS, 2, 6).words}",
            "el disco lanzado no se vio en reposo; se supone que salió del tablero; el disco 2, 6 ya no está, y no se"
            " vio salir del tablero todo lo que falta",
        ),
        ("which set was thrown wasn't seen: ash was thrown", "no se vio qué juego se tiró: ash was thrown"),
        ("Ana says so; #3 is +0.10 mm from the 10/5 line", "Ana says so; n.º 3 está a +0.10 mm de la línea 10/5"),
        ("Ana says so", "Ana says so"),
    ],
)
def test_reasons_are_told_piece_by_piece_and_what_is_unknown_stays(said: str, told: str) -> None:
    assert reason(said, Texts("es"), {}) == told

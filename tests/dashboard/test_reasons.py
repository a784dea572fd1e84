"""Officials' reasons are told in the page's language, every one of them."""

import ast
import re
from pathlib import Path

import pytest

from referee.dashboard.reasons import reason
from referee.dashboard.texts import LANGUAGES, Texts
from vision.shots import NOT_FOUND, UNSEEN_LOSS

ROOT = Path(__file__).parents[2]
SOURCES = (
    "vision/shots.py",
    "referee/crokinole_match.py",
    "referee/match_judging.py",
    "referee/officials/crokinole_doubts.py",
    "referee/officials/krakatoa.py",
    "referee/officials/yacht.py",
)
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


def all_reasons() -> list[str]:
    found = []
    for name in SOURCES:
        for node in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8"))):
            found += [
                said for text in texts_of(node) if (said := as_said(text)) and len(WORD.findall(said)) >= LEAST_WORDS
            ]
    return found


def test_every_reason_is_in_the_catalogue() -> None:
    reasons = all_reasons()
    assert len(reasons) > 28
    for words in reasons:
        # dice that can't be read are told with their place
        said = f"{words} (at 3, 4)" if words.endswith("be read for sure") else words
        for language in set(LANGUAGES) - {"en"}:
            assert reason(said, Texts(language)) != said, (language, said)
        assert reason(said, Texts("en")) == said


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
            f"{NOT_FOUND}; {UNSEEN_LOSS.format('2, 6')}",
            "el disco lanzado no se vio en reposo; se supone que salió del tablero; el disco 2, 6 ya no está, y no se"
            " vio salir del tablero todo lo que falta",
        ),
        ("which set was thrown wasn't seen: ash was thrown", "no se vio qué juego se tiró: ash was thrown"),
        ("Ana says so; #3 is +0.10 mm from the 10/5 line", "Ana says so; n.º 3 está a +0.10 mm de la línea 10/5"),
        ("Ana says so", "Ana says so"),
    ],
)
def test_reasons_are_told_piece_by_piece_and_what_is_unknown_stays(said: str, told: str) -> None:
    assert reason(said, Texts("es")) == told

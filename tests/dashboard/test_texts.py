"""The catalogue: no text is missing in any language, no text is asked for that isn't there."""

import re
import string
from pathlib import Path

import pytest

from referee.dashboard.texts import LANGUAGES, Texts, catalogue, choose

FOLDER = Path(__file__).parents[2] / "referee" / "dashboard"
FIELDS = string.Formatter()


def words_of(text: str) -> set[str]:
    return {name for _, name, _, _ in FIELDS.parse(text) if name}


def test_no_text_is_missing_and_each_holds_the_same_words() -> None:
    for key, texts in catalogue().items():
        assert set(texts) == set(LANGUAGES), key
        for language, text in texts.items():
            assert text.strip(), (key, language)
            assert words_of(text) == words_of(texts["en"]), (key, language)


def test_every_text_that_is_asked_for_is_there() -> None:
    asked = set()
    for path in [*FOLDER.rglob("*.py"), *FOLDER.rglob("*.html"), *FOLDER.rglob("*.js")]:
        asked |= set(re.findall(r"""\bt\(\s*["']([a-z_]+\.[a-z0-9_]+)["']""", path.read_text(encoding="utf-8")))
    assert len(asked) > 150
    assert not asked - set(catalogue())


def test_keys_that_are_put_together_are_there() -> None:
    known = set(catalogue())
    for name in ("hole", "leaning", "ditch", "bounced", "v15", "v10", "v5", "v0", "open"):
        assert f"place.{name}" in known
    for name in ("opening", "running", "lost", "ended", "closed", "dark", "blurred", "exposure", "covered", "moved"):
        assert f"camera.{name}" in known
    for name in ("looking", "resting", "moving", "settling", "hand", "none"):
        assert f"camera.{name}" in known
    for name in ("too_close", "hidden", "unexpected", "ruling"):
        assert f"doubt.{name}" in known


@pytest.mark.parametrize(
    ("wanted", "setting", "expected"),
    [
        (["es-MX", "en"], "auto", "es"),
        (["fr", "ko-KR"], "auto", "ko"),
        (["fr"], "auto", "en"),
        ([], "gl", "gl"),
        (["fr"], "es", "es"),
        (["en-GB"], "auto", "en"),
    ],
)
def test_the_language_is_chosen(wanted: list[str], setting: str, expected: str) -> None:
    assert choose(wanted, setting) == expected


def test_an_unknown_key_is_an_error_and_a_foreign_word_stays() -> None:
    t = Texts("gl")
    with pytest.raises(KeyError):
        t("nothing.here")
    assert t.known("colour.mauve", "mauve") == "mauve"
    assert t("live.shoots", name="Uxía") == "Tira Uxía"
    assert Texts("xx").language == "en"

"""The dashboard's texts in its languages, from the one catalogue ``texts.toml``."""

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any

LANGUAGES = ("en", "es", "ko", "gl")
NAMES = {"en": "English", "es": "Español", "ko": "한국어", "gl": "Galego"}


@cache
def catalogue() -> dict[str, dict[str, str]]:
    """All texts: ``group.name`` -> language -> text."""
    raw = resources.files("referee.dashboard").joinpath("texts.toml").read_text(encoding="utf-8")
    groups: dict[str, dict[str, dict[str, str]]] = tomllib.loads(raw)
    return {f"{group}.{name}": texts for group, names in groups.items() for name, texts in names.items()}


class Texts:
    """The texts in one language: ``t("live.shoots", name="Ana")``."""

    def __init__(self, language: str) -> None:
        self.language = language if language in LANGUAGES else "en"

    def __call__(self, key: str, /, **words: Any) -> str:
        """The text; raises KeyError for one that isn't in the catalogue."""
        return catalogue()[key][self.language].format(**words)

    def known(self, key: str, fallback: str) -> str:
        """The text, or ``fallback`` for what isn't in the catalogue (a colour or a name that people gave)."""
        return self(key) if key in catalogue() else fallback

    def group(self, *names: str) -> dict[str, str]:
        """All texts of some groups, unformatted, for the browser."""
        return {k: v[self.language] for k, v in catalogue().items() if k.partition(".")[0] in names}


def choose(wanted: Iterable[str], setting: str = "auto") -> str:
    """The first of the languages asked for that there is (``es-MX`` is ``es``), the setting's, or English."""
    for tag in wanted:
        short = tag.split("-")[0].lower()
        if short in LANGUAGES:
            return short
    return setting if setting in LANGUAGES else "en"

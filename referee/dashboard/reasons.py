"""Officials' reasons in the language of the page; the log keeps them in English, and only as text.

They are recognised by the English texts in the catalogue's group ``why``, the only place where wording is parsed. Text
that fits none of these (the words of the rules, what people wrote) is shown as it is.
"""

import re
import string
from collections.abc import Mapping
from functools import cache

from referee.dashboard.texts import Texts, catalogue
from referee.live import AS_SEEN, NOTHING
from referee.officials.crokinole_fit import MISSED, WHOLE
from referee.officials.crokinole_questions import AS_READ, NO_SHOT

PHRASES = {
    AS_SEEN: "doubt.as_seen",
    AS_READ: "doubt.as_seen",
    NOTHING: "doubt.nothing",
    NO_SHOT: "doubt.nothing",
    MISSED: "doubt.missed",
    WHOLE: "doubt.whole",
}
"""Answers that officials word alike."""
PARTS = "; "
"""Between several reasons of one question."""
ANSWER = ": "
"""Between a question and the answer that a person gave."""
OR = " or "
PLACES = ("where", "others")
"""Fields that hold places in words, of the group ``lies``."""
SIDES = ("side", "turn")
"""Fields that hold a side, with its seat in brackets where it has several."""


@cache
def patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Keys of reasons with what their English words look like, the longest first."""
    english = {key: texts["en"] for key, texts in catalogue().items() if key.startswith("why.")}
    return tuple((key, _pattern(english[key])) for key in sorted(english, key=lambda k: -len(english[k])))


def _pattern(text: str) -> re.Pattern[str]:
    parts = [
        re.escape(plain) + (f"(?P<{name}>.+?)" if name else "") for plain, name, _, _ in string.Formatter().parse(text)
    ]
    # a reason ends with the words, before the next one, or before the answer that a person gave
    return re.compile("".join(parts) + f"(?=$|{PARTS}|{ANSWER})")


def reason(words: str, t: Texts, names: Mapping[str, str]) -> str:
    """Why an official asks, or asked, or an answer, in the language of ``t``; ``names``: those of the sides."""
    if words in PHRASES:
        return t(PHRASES[words])
    for key, pattern in patterns():
        found = pattern.match(words)
        if found is None:
            continue
        given = {name: _shown(name, value, t, names) for name, value in found.groupdict().items()}
        rest = words[found.end() :]
        between = next((b for b in (PARTS, ANSWER) if rest.startswith(b)), "")
        more = between + reason(rest.removeprefix(between), t, names) if between else rest
        return t(key, **given) + more
    head, between, rest = words.partition(PARTS)
    return head + between + (reason(rest, t, names) if between else "")


def _shown(field: str, value: str, t: Texts, names: Mapping[str, str]) -> str:
    if field in PLACES:
        return _place(value, t)
    if field in SIDES:
        seat = re.search(r" \([A-D]\)$|$", value)
        assert seat is not None
        side = value[: seat.start()]
        return names.get(value) or names.get(side, side) + seat[0]
    return value


def _place(words: str, t: Texts) -> str:
    named = {texts["en"]: key for key, texts in catalogue().items() if key.startswith("lies.")}
    separator = t("lies.or")
    return separator.join(t(named[part]) if part in named else part for part in words.split(OR))

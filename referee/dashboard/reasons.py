"""Officials' reasons in the language of the page; the log keeps them in English, and only as text.

They are recognised by the English texts in the catalogue's group ``why``, the only place where wording is parsed. Text
that fits none of these (the words of the rules, what people wrote) is shown as it is.
"""

import re
import string
from functools import cache

from referee.dashboard.texts import Texts, catalogue

PARTS = "; "
"""Between several reasons of one question."""
OR = " or "
PLACES = ("where", "others")
"""Fields that hold places in words, of the group ``lies``."""


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
    return re.compile("".join(parts) + f"(?=$|{PARTS}|: )")


def reason(words: str, t: Texts) -> str:
    """Why an official asks, or asked, in the language of ``t``."""
    for key, pattern in patterns():
        found = pattern.match(words)
        if found is None:
            continue
        given = {name: _place(value, t) if name in PLACES else value for name, value in found.groupdict().items()}
        rest = words[found.end() :]
        more = PARTS + reason(rest.removeprefix(PARTS), t) if rest.startswith(PARTS) else rest
        return t(key, **given) + more
    head, between, rest = words.partition(PARTS)
    return head + between + (reason(rest, t) if between else "")


def _place(words: str, t: Texts) -> str:
    named = {texts["en"]: key for key, texts in catalogue().items() if key.startswith("lies.")}
    separator = t("lies.or")
    return separator.join(t(named[part]) if part in named else part for part in words.split(OR))

"""What docs/json.md names, and which fields of an answer it doesn't."""

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"

BY_NAME = (
    "score",
    "score_range",
    "points",
    "radii_mm",
    "line_widths_mm",
    "circles_px",
    "sigma",
    "parts_mm",
    "stages_ms",
)
"""Fields whose own fields are names of sides, circles, parts or stages."""


def named() -> set[str]:
    """All words that stand in code in docs/json.md."""
    text = (DOCS / "json.md").read_text(encoding="utf-8")
    blocks = [line for line in text.splitlines() if line.startswith("    ")]
    return set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", text) + blocks)))


def fields(data: Any) -> set[str]:
    """The names of all fields at any depth."""
    if isinstance(data, list):
        return {name for item in data for name in fields(item)}
    if not isinstance(data, dict):
        return set()
    inner = {name for key, item in data.items() if key not in BY_NAME for name in fields(item)}
    return set(data) | inner


def undocumented(data: Any) -> set[str]:
    """Fields that the documentation doesn't name."""
    return {name for name in fields(data) - named() if not name.isdigit()}

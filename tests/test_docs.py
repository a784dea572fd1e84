"""The documentation: what it must name, and that its links lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_every_environment_variable_of_the_tests_is_documented() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    used = set(re.findall(r"""os\.environ\.get\(\s*"([A-Z_]+)\"""", text))
    page = (ROOT / "docs" / "tests.md").read_text(encoding="utf-8")
    assert used and not {name for name in used if f"`{name}`" not in page}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), target

"""Fixtures that all tests share."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of shared test data: REFEREE_DATA, or ../shared beside the checkout."""
    folder = Path(os.environ.get("REFEREE_DATA", Path(__file__).parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder} (set REFEREE_DATA)")
    return folder


@pytest.fixture(scope="session")
def shared_file(shared_data: Path) -> Callable[[str], Path]:
    """Finds a file or folder of the shared data; a test of one that isn't there is skipped."""

    def find(name: str) -> Path:
        path = shared_data / name
        if not path.exists():
            pytest.skip(f"no {path} (set REFEREE_DATA)")
        return path

    return find

"""Fixtures that all tests share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of shared test data: REFEREE_DATA, or ../shared beside the checkout."""
    folder = Path(os.environ.get("REFEREE_DATA", Path(__file__).parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder} (set REFEREE_DATA)")
    return folder

"""The dashboard's fixtures."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.room import Room


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(tmp_path)
    yield made
    made.close()


@pytest.fixture
def open_room(tmp_path: Path) -> Iterator[Room]:
    """A dashboard that other machines may call."""
    made = Room(tmp_path, host="0.0.0.0", allowed_hosts="table.local")
    yield made
    made.close()

"""What the tests of live tables share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.desk import Desk
from referee.store import Store


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    store = Store(f"sqlite:///{tmp_path / 'm.sqlite'}")
    yield Desk(store)
    store.close()

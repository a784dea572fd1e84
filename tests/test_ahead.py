"""Frames decoded ahead: the same ones in the same order, however fast they are taken."""

import threading
import time
from collections.abc import Iterator

import pytest

from vision.ahead import ahead


def test_everything_comes_in_order() -> None:
    assert list(ahead(iter(range(100)), 4)) == list(range(100))
    assert list(ahead(iter(()), 4)) == []


def test_what_is_raised_comes_after_what_was_yielded() -> None:
    def failing() -> Iterator[int]:
        yield from range(3)
        raise ValueError("a fault")

    taken: list[int] = []
    with pytest.raises(ValueError, match="a fault"):
        taken.extend(iter(ahead(failing(), 10)))
    assert taken == [0, 1, 2]


def test_it_works_ahead_but_no_farther_than_it_may() -> None:
    made: list[int] = []
    enough = threading.Event()

    def counted() -> Iterator[int]:
        for k in range(100):
            made.append(k)
            if k == 4:
                enough.set()
            yield k

    items = ahead(counted(), 4)
    assert next(items) == 0
    assert enough.wait(5.0), "nobody asked for it yet"
    time.sleep(0.05)
    assert len(made) <= 6, "four that wait, the one that was taken, and one in hand"
    items.close()


def test_closed_early_it_waits_for_its_thread() -> None:
    before = set(threading.enumerate())
    items = ahead(iter(range(1_000_000)), 2)
    assert next(items) == 0
    items.close()
    assert not set(threading.enumerate()) - before

"""Works ahead of whoever takes the items: frames are decoded in a thread of their own while others are looked at."""

import queue
import threading
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")

ASKED_EVERY_S = 0.1
"""While it waits for room, the thread checks this often whether its items are still wanted."""


@dataclass(frozen=True)
class _End:
    """There are no more items; ``error``: what was raised in place of another."""

    error: BaseException | None = None


def ahead(items: Iterator[Item], most: int) -> Generator[Item]:
    """Yield what an iterator yields, in order, while a thread works up to ``most`` items ahead.

    An exception of the iterator is raised here, after everything that it yielded before. When this generator is closed
    early it waits for the thread, so that whatever the iterator reads from may be closed then.
    """
    waiting: queue.Queue[Item | _End] = queue.Queue(most)
    unwanted = threading.Event()

    def put(item: Item | _End) -> None:
        while not unwanted.is_set():
            try:
                waiting.put(item, timeout=ASKED_EVERY_S)
            except queue.Full:
                continue
            return

    def work() -> None:
        try:
            for item in items:
                put(item)
                if unwanted.is_set():
                    return
            put(_End())
        except BaseException as error:  # noqa: BLE001 (raised where the items are taken)
            put(_End(error))

    thread = threading.Thread(target=work, name="ahead", daemon=True)
    thread.start()
    try:
        while True:
            item = waiting.get()
            if isinstance(item, _End):
                break
            yield item
        if item.error is not None:
            raise item.error
    finally:
        unwanted.set()
        thread.join()

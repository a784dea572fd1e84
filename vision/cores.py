"""How the processor's cores are shared while a recording is followed: one thread looks at its frames, one reads the
rests, and the others decode."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import cv2


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


@contextmanager
def shared_cores() -> Iterator[int]:
    """Yield how many threads are to decode; meanwhile OpenCV takes the cores that are left beside the others.

    With more threads than cores the same takes longer: on two cores decoding H.264 a seventh, reading a board a fifth.
    """
    count, before = cores(), cv2.getNumThreads()
    cv2.setNumThreads(max(count - 2, 1))
    try:
        yield max(count - 1, 1)
    finally:
        cv2.setNumThreads(before)

"""How the processor's cores are divided up while a recording is followed.

One thread looks at its frames, one reads the rests, and the others decode.
"""

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
    """Yield how many threads are to decode; meanwhile OpenCV uses the cores that are left.

    More threads than cores are slower: on two cores H.264 decodes a seventh slower and a board is read a fifth slower.
    """
    count, before = cores(), cv2.getNumThreads()
    cv2.setNumThreads(max(count - 2, 1))
    try:
        yield max(count - 1, 1)
    finally:
        cv2.setNumThreads(before)

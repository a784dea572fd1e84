"""The networks that come with the package: read when they are first needed, run by OpenCV."""

from importlib.resources import as_file, files
from pathlib import Path
from threading import Lock
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

AT_ONCE = 16
"""Inputs that a network takes in one go at most: those that look at single places are exported for this many."""

_networks: dict[str, cv2.dnn.Net] = {}
_running, _reading = Lock(), Lock()
"""A network keeps its last input, so one thread uses it at a time; one lock serves all, as each takes every core."""


def network(name: str) -> cv2.dnn.Net:
    """Network by the name of its weights, ``weights/NAME.onnx``."""
    with _reading:
        if name not in _networks:
            with as_file(files("vision").joinpath(f"weights/{name}.onnx")) as path:
                _networks[name] = read_network(path)
        return _networks[name]


def read_network(path: Path) -> cv2.dnn.Net:
    """The network in a file.

    OpenCV 5 runs ours up to a third faster in its older engine, with the same figures (to 1e-5); it only lets one
    choose where it reads the file itself.
    """
    older = getattr(cv2.dnn, "ENGINE_CLASSIC", None)
    engine = {} if older is None else {"engine": older}  # OpenCV 4 has but the one
    return cv2.dnn.readNetFromONNX(str(path), **engine)


def answer(name: str, given: NDArray[np.float32]) -> NDArray[Any]:
    """The output of a network, by its name, for an input; safe to call from several threads."""
    return run(network(name), given)


def answers(name: str, given: NDArray[np.float32]) -> NDArray[np.float32]:
    """The outputs (N, M) of a network, by its name, for inputs (N, ...), at most :data:`AT_ONCE` of them at a time."""
    parts = [
        answer(name, np.ascontiguousarray(given[i : i + AT_ONCE])).reshape(len(given[i : i + AT_ONCE]), -1)
        for i in range(0, len(given), AT_ONCE)
    ]
    return np.concatenate(parts) if parts else np.zeros((0, 0), np.float32)


def run(net: cv2.dnn.Net, given: NDArray[np.float32]) -> NDArray[Any]:
    """What a network makes of its input; safe to call from several threads."""
    with _running:
        net.setInput(given)
        return np.array(net.forward())


def use_network(given: cv2.dnn.Net, name: str) -> None:
    """Take another network in place of a shipped one (while training and judging)."""
    _networks[name] = given

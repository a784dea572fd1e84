"""The networks that come with the package, read when they are first wanted and run by OpenCV."""

from importlib.resources import as_file, files
from threading import Lock
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

OLDER_ENGINE = ("dice_", "dodeca_")
"""Networks that OpenCV 5 runs a sixth faster, and to the same figures, in the engine that it had before."""

_networks: dict[str, cv2.dnn.Net] = {}
_running = Lock()
"""A network holds what it was given last: one thread at a time. One lock for all: each takes every core anyway."""


def network(name: str) -> cv2.dnn.Net:
    """Network by the name of its weights, ``weights/NAME.onnx``."""
    if name not in _networks:
        weights = files("vision").joinpath(f"weights/{name}.onnx")
        older = getattr(cv2.dnn, "ENGINE_CLASSIC", None) if name.startswith(OLDER_ENGINE) else None
        if older is None:
            _networks[name] = cv2.dnn.readNetFromONNX(np.frombuffer(weights.read_bytes(), np.uint8))
        else:  # OpenCV 5 heeds the engine only where it reads a file
            with as_file(weights) as path:
                _networks[name] = cv2.dnn.readNetFromONNX(str(path), engine=older)
    return _networks[name]


def answer(name: str, given: NDArray[np.float32]) -> NDArray[Any]:
    """What the network of a name makes of its input; safe to call from several threads."""
    with _running:
        net = network(name)
        net.setInput(given)
        return np.array(net.forward())


def use_network(given: cv2.dnn.Net, name: str) -> None:
    """Take another network in place of a shipped one (while training and judging)."""
    _networks[name] = given

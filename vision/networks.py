"""The networks that come with the package, read when they are first wanted and run by OpenCV."""

from importlib.resources import files

import cv2
import numpy as np

_networks: dict[str, cv2.dnn.Net] = {}


def network(name: str) -> cv2.dnn.Net:
    """Network by the name of its weights, ``weights/NAME.onnx``."""
    if name not in _networks:
        weights = files("vision").joinpath(f"weights/{name}.onnx").read_bytes()
        _networks[name] = cv2.dnn.readNetFromONNX(np.frombuffer(weights, np.uint8))
    return _networks[name]


def use_network(given: cv2.dnn.Net, name: str) -> None:
    """Take another network in place of a shipped one (while training and judging)."""
    _networks[name] = given

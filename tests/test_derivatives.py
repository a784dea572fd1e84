"""The camera's derivatives against small steps of the camera itself."""

import numpy as np
import pytest

from calibration.adjust import CAMERA_NAMES, move
from calibration.camera import Camera
from calibration.derivatives import radii_seen

STEPS = dict(zip(CAMERA_NAMES, [1e-6] * 8 + [1e-3] * 2, strict=True))


@pytest.mark.parametrize("dist", [np.zeros(5), np.array([-0.12, 0.03, 0.002, -0.001, 0.004])])
def test_derivatives_are_those_of_small_steps(dist: np.ndarray) -> None:
    K = np.array([[1500.0, 0, 950], [0, 1490, 560], [0, 0, 1]])
    cam = Camera(K, dist, np.array([2.3, 0.4, -0.1]), np.array([30.0, -20.0, 1200.0]), 1920, 1080)
    turn = np.arange(40) * (np.pi / 20)
    reach = np.where(np.arange(40) % 2, 300.0, 100.0)
    px = cam.project(np.column_stack([reach * np.cos(turn), reach * np.sin(turn), 0 * turn]))
    radius, said = radii_seen(cam, px)
    assert radius == pytest.approx(reach, abs=1e-5)
    for k, name in enumerate(CAMERA_NAMES):
        x = np.zeros(len(CAMERA_NAMES))
        x[k] = STEPS[name]
        ahead, behind = (np.linalg.norm(move(cam, way * x).to_plane(px), axis=1) for way in (1, -1))
        assert said[:, k] == pytest.approx((ahead - behind) / (2 * STEPS[name]), rel=1e-4, abs=1e-3), name

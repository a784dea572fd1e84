"""The focal length from straight above: the same from wherever the search begins, and no surer than it is."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.adjust import Observations, Priors, adjust
from calibration.camera import Camera
from calibration.focal import settled

RADII = np.array([304.8, 203.2, 101.6])
FIXED = np.array([True, False, False])
TYPICAL = 0.92


def looking_down(focal: float, tilt_deg: float) -> Camera:
    """A camera of 1920 x 1080 pixels that sees the board at one size whatever its focal length."""
    K = np.array([[focal, 0, 959.5], [0, focal, 539.5], [0, 0, 1.0]])
    rvec = cv2.Rodrigues(np.diag([1.0, -1.0, -1.0]))[0].ravel()
    turned = cv2.Rodrigues(np.array([np.radians(tilt_deg), 0, 0]))[0] @ cv2.Rodrigues(rvec)[0]
    return Camera(K, np.zeros(5), cv2.Rodrigues(turned)[0].ravel(), np.array([10.0, -5, focal / 1.1]), 1920, 1080)


def seen_by(camera: Camera, noise: float) -> Observations:
    """Places along the three circles, with noise in pixels."""
    turn = np.arange(180) * np.pi / 90
    board = np.concatenate([np.column_stack([r * np.cos(turn), r * np.sin(turn), 0 * turn]) for r in RADII])
    px = camera.project(board) + np.random.default_rng(3).normal(0, noise, (len(board), 2))
    n = len(board)
    return Observations(px, np.repeat([0, 1, 2], len(turn)), np.full(n, 1.1), np.ones(n))


def priors() -> Priors:
    """What is known of any camera over a tournament board."""
    spread = np.where(FIXED, 0.0, 0.5)
    return Priors(float(np.log(TYPICAL * 1920)), 0.25, RADII, spread, 0.05, 0.02, 11.0)


@pytest.mark.parametrize("tilt", [0.4, 1.5, 7.0])
def test_the_same_focal_length_from_every_start(tilt: float) -> None:
    true = looking_down(0.75 * 1920, tilt)
    obs, known = seen_by(true, 0.05), priors()
    found = []
    for k in (0.85, 1.0, 1.2):
        start = replace(true, K=true.K * [[k], [k], [1.0]], tvec=true.tvec * [1, 1, k])
        fit = settled(adjust(start, RADII, obs, known), obs, known)
        found.append(float(fit.camera.K[0, 0]) / 1920)
    assert max(found) / min(found) < 1.05
    sigma = np.sqrt(fit.covariance[fit.free.index("log_focal"), fit.free.index("log_focal")])
    assert abs(np.log(found[0] / 0.75)) < 2.5 * sigma
    assert sigma < 0.26  # no wider than what is known of all cameras


def test_straight_above_nothing_but_the_prior_speaks() -> None:
    obs, known = seen_by(looking_down(1.3 * 1920, 0.0), 0.05), priors()
    fit = settled(adjust(looking_down(1.3 * 1920, 0.0), RADII, obs, known), obs, known)
    assert float(fit.camera.K[0, 0]) / 1920 == pytest.approx(TYPICAL, rel=0.05)

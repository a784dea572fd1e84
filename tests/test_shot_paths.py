"""What tracks say about shots: what left the surface, and what was never one thing."""

from types import SimpleNamespace

import pytest

from vision.shot_paths import leaves
from vision.tracks import Start, Track, pieces, shot_start

OFF_QUICKLY = [(1.0, 0.0, -200.0), (1.04, 10.0, -100.0), (1.08, 20.0, 0.0), (1.12, 30.0, 100.0), (1.2, 50.0, 310.0)]
HAND_S_SHADOW = [(1.0, -190.0, -65.0), (1.13, 66.0, 312.0), (1.17, 65.0, 301.0)]
STAYS = [(1.0, 0.0, -200.0), (1.04, 10.0, -100.0), (1.08, 20.0, 0.0)]


@pytest.mark.parametrize(
    ("points", "left"), [(OFF_QUICKLY, True), (HAND_S_SHADOW, False), (STAYS, False), (OFF_QUICKLY[:1], False)]
)
def test_only_what_is_seen_to_go_leaves(points: list[tuple[float, float, float]], left: bool) -> None:
    track = Track(points)
    board = SimpleNamespace(shooting=304.8)
    reading = SimpleNamespace(rest=SimpleNamespace(view=SimpleNamespace(board=board), tracks=(track,)))
    weak = Start(0.9, (0.0, -300.0), Track([(0.95, 0.0, -290.0)]))
    assert leaves(reading, weak) is left  # type: ignore[arg-type]


def test_a_track_that_leaps_is_no_shot_but_what_follows_may_be_one() -> None:
    shadow = [(1.0, 249.0, -267.0), (1.13, 104.0, 55.0), (1.2, 101.0, 97.0), (1.23, 102.0, 97.0), (1.26, 102.0, 97.0)]
    assert len(pieces(Track(shadow))) == 2
    assert shot_start(Track(shadow), 304.8) is None
    shot = [(1.3 + 0.04 * k, 10.0, -260.0 + 60.0 * k) for k in range(6)]
    start = shot_start(Track([(1.0, 10.0, -520.0), *shot]), 304.8)
    assert start is not None and start.strong and start.xy[1] == pytest.approx(-304.6, abs=1.0)

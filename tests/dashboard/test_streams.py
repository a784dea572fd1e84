"""The moving picture as it is sent to browsers."""

import importlib
import itertools
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from referee.dashboard.context import Context
from referee.desk import OpenMatch
from referee.live_picture import LivePicture
from vision.frames import frame_of_pixels

streams = importlib.import_module("referee.dashboard.streams")  # in the package that name is the blueprint


class Never:
    """An event that isn't set."""

    def is_set(self) -> bool:
        return False


def sent(picture: LivePicture, looks: int) -> list[bytes]:
    """What a browser is sent that goes away after so many looks for news."""
    settings = SimpleNamespace(number=lambda name: 1000.0)
    hall = SimpleNamespace(table=lambda match: SimpleNamespace(picture=picture), settings=settings)
    ctx = SimpleNamespace(stopping=Never(), hall=hall)
    polls = itertools.count()
    gone = lambda: next(polls) >= looks  # noqa: E731
    return list(streams._pictures(cast(Context, ctx), cast(OpenMatch, None), True, gone))


def test_the_newest_picture_is_sent_once_more_if_none_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "WAIT_SECONDS", 0.01)
    picture = LivePicture(64)
    assert sent(picture, 3) == []
    picture.show(frame_of_pixels(np.full((48, 64, 3), 90, np.uint8), "still"), None)
    one, again = sent(picture, 5)
    assert one == again and b"Content-Type: image/jpeg" in one

"""An official that tells a match recorded before at the times of its video: for the shipped sample, and for tests."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.boards import BUILT_IN
from calibration.camera import Camera
from calibration.view import BoardView
from referee.log import MatchLog
from referee.logfile import read_log
from referee.officials import Answer, Evidence, Proposal, Question, Seen
from vision.frames import Frame
from vision.readings import Disc

CROP_PX = 110
SURE = 1.0
JUST_CHANGED_SECONDS = 0.9


class RecordedOfficial:
    """Replays ``NAME.log.jsonl`` over ``NAME.discs.json``; ``done``: how many of its events are kept already."""

    def __init__(self, base: Path, done: int = 0) -> None:
        self.log: MatchLog = read_log(base.with_name(base.name + ".log.jsonl")).log
        self.game: str = self.log.engine.game
        data = json.loads(base.with_name(base.name + ".discs.json").read_text(encoding="utf-8"))
        self._boards: list[dict[str, Any]] = data["boards"]
        self._questions: list[dict[str, Any]] = data.get("questions", [])
        self._size = (int(data["video"]["width"]), int(data["video"]["height"]))
        self._camera = data["camera"]
        self._left = list(self.log.entries[done:])
        self._seen = Seen()

    @property
    def seen(self) -> Seen:
        """The discs as recorded for the time of the last frame."""
        return self._seen

    def feed(self, frame: Frame) -> Sequence[Proposal | Question]:
        """What the record says has happened by the time of this frame."""
        self._look(frame)
        told: list[Proposal | Question] = []
        while self._left and self._left[0].at <= frame.timestamp:
            entry = self._left.pop(0)
            proposal = Proposal(entry.event, entry.at, evidence=self._picture(frame))
            asked = [q for q in self._questions if abs(q["at"] - entry.at) < 0.01]
            told.append(self._question(asked[0], proposal, frame) if asked else proposal)
        return told

    def finish(self) -> Sequence[Proposal | Question]:
        """Whatever the record still holds."""
        left, self._left = self._left, []
        return [Proposal(entry.event, entry.at) for entry in left]

    def follow(self, state: Any) -> None:
        """A record goes on whatever is ruled."""

    def board_moved(self) -> None:
        """The record knows where the board lies."""

    def _look(self, frame: Frame) -> None:
        at = frame.timestamp
        now = [board for board in self._boards if board["at"] <= at][-1:]
        discs = now[0]["discs"] if now else []
        since = at - now[0]["at"] if now else 0.0
        view = self._view(frame)
        self._seen = Seen(
            "moving" if since < JUST_CHANGED_SECONDS and now and now[0]["at"] else "resting",
            view,
            tuple(_disc(view, d) for d in discs),
        )

    def _view(self, frame: Frame) -> BoardView:
        height, width = frame.pixels.shape[:2]
        scale = width / self._size[0]
        K = np.array(self._camera["K"], dtype=np.float64)
        K[:2] *= scale
        camera = Camera(
            K=K,
            dist=np.array(self._camera["dist"], dtype=np.float64),
            width=width,
            height=height,
            rvec=np.array(self._camera["rvec"], dtype=np.float64),
            tvec=np.array(self._camera["tvec"], dtype=np.float64),
        )
        return BoardView(camera, BUILT_IN["nca"], "recorded", 0.0)

    def _picture(self, frame: Frame) -> Evidence:
        return Evidence(_jpeg(frame.pixels), "the table after this")

    def _question(self, data: dict[str, Any], proposal: Proposal, frame: Frame) -> Question:
        x, y = self._view(frame).to_px(np.array(data["mm"]))[0]
        half = CROP_PX / 2 * frame.pixels.shape[1] / self._size[0]
        height, width = frame.pixels.shape[:2]
        left, top = max(0, int(x - half)), max(0, int(y - half))
        crop = frame.pixels[top : min(height, int(y + half)), left : min(width, int(x + half))]
        crop = np.asarray(cv2.resize(crop, (480, 480), interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
        answers = tuple(Answer(str(a["words"]), self.log.engine.event_from_json(a["event"])) for a in data["answers"])
        return Question(
            key=f"recorded {data['at']}",
            doubt="too_close",
            why=data["why"],
            at=proposal.at,
            answers=answers,
            proposal=proposal,
            gap_mm=data["gap_mm"],
            sigma_mm=data["sigma_mm"],
            clause=data["clause"],
            evidence=Evidence(_jpeg(crop), data["why"]),
        )


def _disc(view: BoardView, data: dict[str, Any]) -> Disc:
    x, y = data["mm"]
    px = view.to_px(np.array([[x, y]]), view.board.disc_height)[0]
    value = 20 if data["state"] == "hole" else data["value"]
    return Disc(
        id=data["id"],
        colour=data["colour"],
        px=(float(px[0]), float(px[1])),
        mm=(x, y),
        sigma_mm=0.1,
        state=data["state"],
        confidence=SURE,
        state_confidence=SURE,
        values=((value, SURE),),
    )


def _jpeg(pixels: Any) -> bytes:
    done, data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, 85])
    assert done
    return bytes(data.tobytes())

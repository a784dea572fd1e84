"""Walks the open questions of a scored video one by one; what a person rules goes to the log."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2

from referee.log import MatchLog
from referee.rules.crokinole import Rest, Shot
from referee.rules.protocol import RuleError
from vision.video import VideoFile

WHO = "reviewer"
HELP = """enter        it is as it was read
touched 4 7  the shot disc touched these discs (none: just 'touched')
value 4 10   disc 4 came to rest worth 10 (20, 15, 10, 5, 0)
strike       there was no such shot
stop         look at the rest another time"""


def pictures_for(video: Path, data: Mapping[str, Any], folder: Path) -> Iterator[tuple[Mapping[str, Any], Path]]:
    """Yield each question with a picture of its moment, written into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for k, question in enumerate(data["review"], 1):
        path = folder / f"{video.stem}.question{k}.jpg"
        at = question["time_s"]
        shots = {s["number"]: s for s in data["shots"]}
        if question["shot"] in shots and shots[question["shot"]]["settled_s"] is not None:
            at = max(at, shots[question["shot"]]["settled_s"])
        with VideoFile(video) as file:
            for frame in file.frames(max(at - 0.1, 0.0)):
                if frame.timestamp >= at:
                    cv2.imwrite(str(path), frame.pixels)
                    break
        yield question, path


def entry_of(log: MatchLog, shot: int) -> int | None:
    """The log's entry of the match's n-th shot."""
    numbers = [e.number for e in log.entries if e.kind == "observed" and isinstance(e.event, Shot)]
    return numbers[shot - 1] if 0 < shot <= len(numbers) else None


def rule(log: MatchLog, shot: int, answer: str, at: float) -> str:
    """Carry out an answer on a shot; returns in words what it changed. Raises ValueError for what isn't understood."""
    entry = entry_of(log, shot)
    if entry is None:
        raise ValueError(f"shot {shot} isn't in the log")
    words = answer.split()
    event = log.entries[entry - 1].event
    assert isinstance(event, Shot)
    ruled: Shot | None
    if words[0] == "strike":
        ruled = None
    elif words[0] == "touched":
        ruled = replace(event, touched=tuple(int(w) for w in words[1:]))
    elif words[0] == "value" and len(words) == 3:
        disc, value = int(words[1]), int(words[2])
        rest = Rest(disc, "hole") if value == 20 else Rest(disc, "board", value, value >= 15 if value != 10 else None)
        others = tuple(r for r in event.rests if r.id != disc)
        ruled = replace(event, rests=(*others, rest))
    else:
        raise ValueError(f"{answer!r} isn't understood")
    return str(log.rule(ruled, at, WHO, target=entry, why="reviewed from the video"))


def walk(
    video: Path, data: Mapping[str, Any], log: MatchLog, folder: Path,
    ask: Callable[[str], str], tell: Callable[[str], None],
) -> int:  # fmt: skip
    """Ask about every open question; returns how many rulings were made."""
    made = 0
    for question, picture in pictures_for(video, data, folder):
        where = f"shot {question['shot']}" if question["shot"] is not None else f"round {question['round']}"
        tell(f"{question['time_s']:.1f} s, {where}: {question['why']}\n  picture: {picture}")
        while True:
            answer = ask("ruling (enter: as read, ? for help)").strip()
            if answer == "?":
                tell(HELP)
                continue
            if answer in ("", "stop") or question["shot"] is None:
                break
            try:
                tell(rule(log, question["shot"], answer, question["time_s"]))
                made += 1
                break
            except (ValueError, RuleError) as error:
                tell(f"that can't be: {error}")
        if answer == "stop":
            break
    return made

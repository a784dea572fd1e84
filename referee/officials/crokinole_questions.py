"""Questions about shots: what may differ from the reading, as answers to choose from, with a crop of the place.

A doubt often shows only later, when the next shot finds a disc that the rules had taken off. The question is then about
the earlier shot, and its answers replace that shot.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import cv2
import numpy as np

from referee.match_doubts import MatchDoubt, Review
from referee.match_judging import JudgedShot, rest_of
from referee.officials import Answer, Evidence, Proposal, Question
from referee.officials.crokinole_fit import Fitting
from referee.officials.crokinole_numbers import Numbers
from referee.officials.crokinole_ruling import with_rests
from referee.rules.crokinole import Rest, Shot
from vision.disc_values import GUARD_SIGMAS
from vision.doubts import Doubt, doubt
from vision.readings import Disc, LineContact
from vision.shot_seen import DiscAfter
from vision.table import TableReading

OPEN = 0.05
"""A value this probable beside the most probable one is offered as an answer (the guard band of a line call)."""
OPEN_DISCS = 2
"""Discs of one shot whose values are asked about together; answers are all their combinations."""
CROP_RADII, CROP_SIDE, CROP_QUALITY = 3.5, 480, 88
"""Half the crop's side in disc radii, its side in pixels, and how well it is kept."""
AS_READ, NO_SHOT = "as it was read", "no shot"
KEY_WORDS = 80
"""The stored key of a question about an earlier shot holds this many characters of its words."""


@dataclass(frozen=True, slots=True)
class Open:
    """A disc whose place is open: its possible rests with words for a button, and the line call that leaves it open."""

    number: int
    disc: Disc
    rests: tuple[tuple[str, Rest], ...]
    line: LineContact | None


@dataclass(frozen=True, slots=True)
class Told:
    """A shot as it was told: when, as which event, and what was open about it."""

    at: float
    event: Shot
    opens: tuple[Open, ...]
    crop: Evidence | None


class Rejudged(NamedTuple):
    """How a told shot is judged by now: the values of the discs that lay differently, by the log's numbers."""

    values: tuple[tuple[int, int | None], ...]
    event: Shot

    @property
    def answer(self) -> Answer:
        """The same as an answer to choose."""
        return Answer(", ".join(f"#{number}: {value}" for number, value in self.values), self.event)


class ShotQuestions:
    """The questions about one match's shots; remembers what it told of each shot."""

    def __init__(self) -> None:
        self._told: dict[int, Told] = {}
        self._offered: set[tuple[int, tuple[tuple[int, int | None], ...]]] = set()

    def ask(
        self,
        shot: JudgedShot,
        fits: Fitting,
        evidence: Evidence,
        fresh: Sequence[Review],
        numbers: Numbers,
        reading: TableReading,
        last: bool,
        known: Sequence[JudgedShot],
    ) -> list[Proposal | Question]:
        """The shot as a proposal, with a question where something of it is open, and those about earlier shots.

        ``last``: it ends the round, so that every value counts now; ``known``: all shots as they are judged by now.
        """
        opens = tuple(open_place(n, d.disc) for d in shot.settled if (n := numbers.of(d.id)) is not None)
        opens = tuple(sorted((o for o in opens if len(o.rests) > 1), key=lambda o: o.line is None))
        told = Told(shot.seen.settled_s, fits.event, opens, _crop(reading, opens))
        self._told[shot.number] = told
        earlier: dict[int, list[Doubt]] = {number: [] for number in sorted(self._told) if number != shot.number}
        mine: list[Doubt] = []
        for r in fresh:
            (mine if r.shot is None else earlier.get(r.shot, mine)).append(r.doubt)
        questions: list[Proposal | Question] = []
        for number, doubts in earlier.items():
            since = [a for s in known if s.number == number for a in s.seen.after]
            rejudged = judged_since(self._told[number], since, numbers)
            offered = rejudged is None or (number, rejudged.values) in self._offered
            if rejudged is not None:
                self._offered.add((number, rejudged.values))
            if doubts or not offered:
                words = _sentences(doubts or [doubt(MatchDoubt.SINCE)])
                others = () if rejudged is None else (rejudged.answer,)
                questions.append(_question(number, self._told[number], words, None, others=others))
        if last:
            mine += [_value_doubt(o.number, o.line) for o in opens if o.line is not None]
        words = _sentences(dict.fromkeys(mine), *(() if fits.why is None else (fits.why,)))
        proposal = Proposal(fits.event, told.at, shot.confidence, evidence)
        if not words:
            return [proposal, *questions]
        return [_question(shot.number, told, words, proposal, fits), *questions]


def _question(
    number: int,
    told: Told,
    words: str,
    proposal: Proposal | None,
    fits: Fitting | None = None,
    others: Sequence[Answer] = (),
) -> Question:
    line = next((o.line for o in told.opens if o.line is not None), None)
    found = [*_answers(told), *others, *(() if fits is None else fits.others)]
    distinct = [a for i, a in enumerate(found) if all(a.event != b.event for b in found[:i])]
    return Question(
        key=f"shot {number} {told.at:.2f}" + ("" if proposal is not None else f" {words[:KEY_WORDS]}"),
        doubt="too_close" if line is not None and (fits is None or fits.why is None) else "unexpected",
        why=words,
        at=told.at,
        answers=(Answer((fits and fits.words) or AS_READ, told.event), *distinct, Answer(NO_SHOT)),
        proposal=proposal,
        gap_mm=None if line is None else line.gap_mm,
        sigma_mm=None if line is None else line.sigma_mm,
        clause=fits.clause if fits is not None and fits.why is not None else "C16" if line is not None else None,
        evidence=told.crop or (None if proposal is None else proposal.evidence),
        about=told.at if proposal is None else None,
    )


def _sentences(doubts: Iterable[Doubt], *more: str) -> str:
    """Doubts in words, one after another, and what else is to be said."""
    return "; ".join([*(d.words for d in doubts), *more])


def _answers(told: Told) -> list[Answer]:
    """The shot with every other combination of the places that are open."""
    found = []
    for places in product(*(o.rests for o in told.opens[:OPEN_DISCS])):
        event = replace(told.event, rests=with_rests(told.event, *(rest for _, rest in places)))
        if set(event.rests) != set(told.event.rests):
            found.append(Answer(", ".join(words for words, _ in places), event))
    return found


def judged_since(told: Told, after: Sequence[DiscAfter], numbers: Numbers) -> Rejudged | None:
    """How the shot is judged by now, from where its discs are taken to lie since; None while nothing has changed."""
    before = {rest.id: rest for rest in told.event.rests}
    new = [(n, a.disc) for a in after if (n := numbers.of(a.id)) is not None and n in before]
    changed = [(n, disc) for n, disc in new if rest_of(n, disc).state != before[n].state]
    if not changed:
        return None
    values = tuple((n, 0 if disc is None else disc.value) for n, disc in changed)
    rests = with_rests(told.event, *(rest_of(n, disc) for n, disc in changed))
    return Rejudged(values, replace(told.event, rests=rests))


def open_place(number: int, disc: Disc) -> Open:
    """How a disc may lie other than it was read; ``number``: the log's."""
    states = dict(disc.states)
    rests = []
    for value, p in disc.values:
        if p < OPEN:
            continue
        if value == 20:
            rests.append((f"#{number}: 20", Rest(number, "hole")))
        elif value == 15 and states.get("leaning", 0.0) > states.get("board", 0.0):
            rests.append((f"#{number}: 15", Rest(number, "leaning")))
        else:
            rests += [
                (f"#{number}: {word}", Rest(number, "board", value, inner)) for word, inner in _inner(disc, value)
            ]
    close = [c for c in disc.lines if c.verdict == "too_close"] if disc.state == "board" else []
    return Open(number, disc, tuple(rests), min(close, key=lambda c: abs(c.gap_mm) / c.sigma_mm, default=None))


def _inner(disc: Disc, value: int) -> list[tuple[str, bool | None]]:
    """Whether a disc worth 10 touches the 15 line from outside (C7), the likelier first; both where that is open."""
    if value != 10:
        return [(str(value), None)]
    line = next((c for c in disc.lines if c.line == "15/10"), None)
    touches = line is not None and line.inner_gap_mm <= 0
    words = {True: "10·15", False: "10"}
    is_open = line is not None and abs(line.inner_gap_mm) < GUARD_SIGMAS * line.sigma_mm
    return [(words[t], t) for t in ((touches, not touches) if is_open else (touches,))]


def _value_doubt(number: int, line: LineContact) -> Doubt:
    """The doubt about the value of a disc, named by the log's ``number``, that is too close to a line."""
    return doubt(MatchDoubt.VALUE_AT_LINE, number, gap=line.gap_mm, line=line.line)


def _crop(reading: TableReading, opens: Sequence[Open]) -> Evidence | None:
    """The place of the first disc that is open, enlarged."""
    if not opens:
        return None
    view, pixels = reading.rest.view, reading.rest.frame.pixels
    mm = np.array(opens[0].disc.mm)
    x, y = view.to_px(mm[None], view.board.disc_height)[0]
    half = CROP_RADII * view.board.disc_radius * view.px_per_mm(mm)
    height, width = pixels.shape[:2]
    left, top = max(0, int(x - half)), max(0, int(y - half))
    part = pixels[top : min(height, int(y + half) + 1), left : min(width, int(x + half) + 1)]
    if min(part.shape[:2]) < 2:
        return None
    part = cv2.resize(part, (CROP_SIDE, CROP_SIDE), interpolation=cv2.INTER_CUBIC)  # type: ignore[assignment]
    _, data = cv2.imencode(".jpg", part, [cv2.IMWRITE_JPEG_QUALITY, CROP_QUALITY])
    return Evidence(data.tobytes(), f"the place of disc #{opens[0].number}")

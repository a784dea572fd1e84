"""The official for crokinole: watches the board, follows shots from rest to rest, and proposes them.

Live tables and recorded matches share this code: it is fed frames with the timestamps of their source.
"""

import math
import statistics
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from calibration.boards import DISC_DIAMETER_MM
from calibration.hints import BoardHints
from calibration.scale import Scale
from referee.crokinole_match import Ledger
from referee.match_doubts import MatchDoubt
from referee.match_judging import GUESSED_GROUP, SEAT_AZIMUTHS, SEAT_WIDTH_DEG, JudgedShot, side_near
from referee.officials import Correction, Evidence, Lain, Proposal, Question, Ruled, Seen
from referee.officials.crokinole_fit import Fitting, fitting
from referee.officials.crokinole_hand import Hand
from referee.officials.crokinole_numbers import Numbers
from referee.officials.crokinole_pictures import birds_eye, evidence_of
from referee.officials.crokinole_questions import ShotQuestions
from referee.rules.crokinole import Crokinole, Recorded, Shot, State
from referee.rules.protocol import RuleError
from referee.settings import Settings
from vision.doubts import Doubt, ShotDoubt, doubt
from vision.rest import Rest
from vision.shot_seen import Handled, Lying
from vision.shot_seen import Shot as ShotSeen
from vision.shots import TableFollower
from vision.sides import Sides
from vision.table import TableReading, disc_radius
from vision.table_reader import TableReader
from vision.tracks import Start, Track, scaled_track
from vision.watch import TableWatch

if TYPE_CHECKING:
    from calibration.view import BoardView
    from referee.log import MatchLog
    from vision.frames import Frame

SIZED_DISCS, SIZED_RESTS = 2, 7
"""A single disc's rim may be blurred or in a shadow: where at least this many discs lie, their size is measured again,
this many times."""


@dataclass(frozen=True, slots=True)
class Board:
    """What lay on the board from ``at`` seconds on, and the view that showed it."""

    at: float
    view: "BoardView"
    lying: Lying


class CrokinoleOfficial:
    """Follows one match. ``discs``: discs a side where it is known; ``sides``: 3 where each of three plays alone.

    ``prompt``: the match is being played, and people wait for the score.
    """

    game = "crokinole"

    def __init__(
        self, discs: int | None = None, sides: int = 2, hints: BoardHints | None = None, prompt: bool = False
    ) -> None:
        self.watch = TableWatch(hints, drafts=prompt)
        self.follower = TableFollower(Sides(sides))
        self.ledger = Ledger(sides, discs)
        self.pictures: dict[int, bytes] = {}
        self.boards: list[Board] = []
        self._numbers = Numbers()
        self._questions = ShotQuestions()
        self._hand = Hand(self.follower, self.ledger, self._numbers)
        self._live: State | None = None
        self._engine = Crokinole()
        self._asked: set[tuple[int | None, Doubt]] = set()
        self._at = 0.0
        self._prompt = prompt
        self._reader = TableReader()
        self._waiting: Rest | None = None
        self._began = False
        self._sized = False
        self._sizes: list[tuple[float, float]] = []
        self._hints = hints or BoardHints()

    @property
    def seen(self) -> Seen:
        """What was seen last, for the screen."""
        seems, view = self.watch.seems, self.watch.view
        if seems == "looking":
            return Seen()
        return Seen(seems, view, tuple(replace(d.disc, id=d.id) for d in self.follower.lying))

    def use(self, view: "BoardView", frame: "Frame") -> None:
        """Take a saved set-up's view instead of looking for the board."""
        self.watch.use(view, frame)

    def board_moved(self) -> None:
        """Look for the board anew."""
        self.watch.board_moved()

    def follow(self, state: State) -> None:
        """The match now stands at ``state``: questions answered by people are settled."""
        self._live = state
        self.ledger.turns_kept = True
        self._numbers.follow(state)
        done = state.outcome
        if done is not None and not done.undecided:
            off = {*done.removed, *[i for i, _ in done.twenties]}
            self.follower.leaving = {i for i in self.follower.table if self._numbers.of(i) in off}

    def lain(self) -> Sequence[Lain]:
        """What it takes to lie on the table now."""
        return self._hand.lain()

    def ruling(self, log: "MatchLog", correction: Correction) -> Ruled:
        """What a correction means for the log."""
        return self._hand.ruling(log, correction, self.watch.view)

    def correct(self, entry: int, correction: Correction, number: int | None) -> None:
        """Go on from what people said of a disc."""
        assert self._live is not None
        self._hand.correct(entry, correction, number, self.watch.view, self._live.setup)

    def corrections_in_force(self, entries: Collection[int]) -> None:
        """Let go what was taken back, hold again what was brought back."""
        self._hand.in_force(entries)

    def colours(self) -> dict[str, str]:
        """The colour of the discs of each side whose shots were seen, in a word."""
        words = self.follower.sides.words()
        return {side: words[group] for side, group in self._hand.groups.items() if group < len(words)}

    def glance(self) -> dict[str, int] | None:
        """Points of the round as the discs seem to lie, before the rules take any off; None until they were read."""
        drafted, reading, state = self.watch.drafted, self._reader.ready(), self._live
        side_of = {group: side for side, group in self._hand.groups.items()}
        if drafted is None or reading is None or reading.rest.frame is not drafted.frame or state is None:
            return None
        setup = state.setup
        turn = setup.side_named(state.on_turn[0])
        points = {side: 20 * n for side, n in zip(setup.sides, state.twenties, strict=True)}
        leaving = [self.follower.table[i].mm for i in self.follower.leaving if i in self.follower.table]
        radius = drafted.view.board.disc_radius
        for seen in (s for s in reading.discs if s.sure and s.disc.state != "ditch"):
            if all(math.dist(seen.disc.mm, mm) >= radius for mm in leaving):
                group = self.follower.sides.nearest(seen)
                points[turn if group is None else side_of.get(group, turn)] += seen.disc.value or 0
        return points

    def feed(self, frame: "Frame") -> Sequence[Proposal | Question]:
        """Look at the next frame."""
        self._at = frame.timestamp
        out = self._caught_up() if self._reader.ready() is not None else []
        for rest in self.watch.feed(frame):
            out += self._caught_up()
            if self._can_wait(rest):
                self._waiting = rest
                self._reader.begin(rest, self.follower.radius)
            else:
                out += self._rest(rest)
        drafted = self.watch.drafted
        if drafted is not None and not self._reader.begun(drafted, self.follower.radius):
            self._reader.begin(drafted, self.follower.radius, patient=False)
        return out

    def finish(self) -> Sequence[Proposal | Question]:
        """The source has ended."""
        out = self._caught_up()
        for rest in self.watch.finish():
            out += self._rest(rest)
        self.ledger.finish(self._at)
        return out or self._recorded(self._at)

    def _likely(self, start: Start | None) -> int | None:
        """The side that a shot's start and the turn suggest; None where they say nothing or contradict each other."""
        by_place = None if start is None else side_near(start.xy, self.ledger.shots)
        return by_place if by_place is not None else self.ledger.expected_group()

    def _can_wait(self, rest: Rest) -> bool:
        """Whether frames after a rest can be looked at while it is being read.

        The reading only matters to them where a disc was hidden, or where the first disc gives the board its size.
        People who wait for the score are told it with the frame that shows the rest.
        """
        return not self._prompt and self._sized and not self.follower.hidden(rest)

    def _caught_up(self) -> list[Proposal | Question]:
        """Go on from the rest that is being read, if any; waits for its reading."""
        rest, self._waiting = self._waiting, None
        return [] if rest is None else self._rest(rest)

    def __getstate__(self) -> dict[str, Any]:
        """What is kept when a job is put aside: all that was seen until then, read."""
        self._caught_up()
        return self.__dict__

    def _rest(self, rest: Rest) -> list[Proposal | Question]:
        first = not self._began
        reading = self._read(rest)
        if not self._sized and any(s.measurable for s in reading.discs):
            rest = self._size_discs(rest, reading)
            reading = self._read(rest)
        elif self.follower.size_known and rest.view.scale.known and len(self._sizes) < SIZED_RESTS:
            self._size_again(reading)
        before = self.follower.lying
        leaving = set(self.follower.leaving)
        glimpses = list(self.follower.glimpses)
        outcome = self.follower.observe(reading, self._likely)
        self._began = True
        self.boards.append(Board(rest.settled, rest.view, self.follower.lying))
        self.watch.untold(self.follower.untold)
        self._unmasked()
        self.ledger.regroup(self.follower.regrouped)
        self.follower.regrouped.clear()
        if isinstance(outcome, Handled):
            return self._hands(outcome, leaving, first)
        return self._shot(outcome, reading, tuple(d for d in before if d.id not in leaving), leaving, glimpses)

    def _read(self, rest: Rest) -> TableReading:
        return self._reader.read(rest, self.follower.radius)

    def _unmasked(self) -> None:
        """Remove what turned out to be no disc from the account, and from what the rules take off because of it."""
        if not self.follower.phantoms:
            return
        self.ledger.never_there(self.follower.phantoms)
        self.follower.phantoms = set()
        last = self.ledger.last
        if last is not None and self._live is None:
            self.follower.leaving &= {*last.outcome.removed, *[i for i, _ in last.outcome.twenties]}

    def _size_discs(self, rest: Rest, reading: TableReading) -> Rest:
        """Measure the first discs: they give the discs' size, and a board of unknown size its millimetres."""
        self._sized = True
        view = rest.view
        if view.scale.source in ("nca", "board"):
            return rest
        radius = disc_radius(reading)
        real = (self._hints.disc_mm or DISC_DIAMETER_MM) / 2
        factor = 1.0 if view.scale.known else real / radius[0]
        scale = view.scale if view.scale.known else Scale("disc", detail=f"disc diameter {2 * real:g} mm")
        self.watch.rescale(factor, radius[0] * factor, scale)
        self.follower.radius = (radius[0] * factor, radius[1] * factor)
        self.follower.size_known = True
        assert self.watch.view is not None and self.watch.lens is not None
        self._reader.rescale(self.watch.view)
        tracks = tuple(scaled_track(t, factor) for t in rest.tracks)
        shots = tuple(
            Start(s.at, (s.xy[0] * factor, s.xy[1] * factor), scaled_track(s.track, factor)) for s in rest.shots
        )
        return replace(rest, view=self.watch.view, lens=self.watch.lens, tracks=tracks, shots=shots)

    def _size_again(self, reading: TableReading) -> None:
        """Measure the discs' size again, now that more lie there; the median of several measures is better."""
        if sum(s.sure and s.disc.state == "board" for s in reading.discs) < SIZED_DISCS:
            return
        self._sizes.append(disc_radius(reading))
        radius = statistics.median(r for r, _ in self._sizes)
        self.follower.radius = (radius, min(sigma for _, sigma in self._sizes))

    def _hands(self, outcome: Handled, leaving: set[int], first: bool) -> list[Proposal | Question]:
        if first:
            if outcome.lying:
                self.ledger.begin(outcome.lying)
                if self._live is not None:
                    self._hand.groups |= self._numbers.adopt(outcome.lying, self._live)
            return []
        self.ledger.settled([i for i in outcome.taken if i in leaving])
        if outcome.elsewhere:
            if outcome.came or [i for i in outcome.taken if i not in leaving]:
                self.ledger.changed_meanwhile(outcome.at, outcome.lying)
            return []
        unasked = [i for i in outcome.taken if i not in leaving]
        if unasked:
            self.ledger.hands(outcome.at, unasked, outcome.lying)
        return self._recorded(outcome.at) if unasked else []

    def _shot(
        self, outcome: ShotSeen, reading: TableReading, before: Lying, leaving: set[int], glimpses: list[Track]
    ) -> list[Proposal | Question]:
        back = [d.id for d in outcome.back]
        stubborn = sorted(i for i in leaving & set(self.follower.table) if i not in (*outcome.hidden, *back))
        if stubborn or back:
            stayed = [d for d in self.follower.lying if d.id in stubborn]
            self.ledger.still_there([*stubborn, *back], outcome.start_s, (*stayed, *outcome.back))
            self.follower.leaving -= set(stubborn)
        waits = self._recorded(outcome.start_s)
        missed = self._overlooked(outcome, before, [*glimpses, *self.follower.glimpses])
        if missed is not None and self._live is not None:
            waits += self._told(missed, reading)
        self.follower.glimpses.clear()
        shot = self.ledger.add(outcome, not before)
        off = {*shot.outcome.removed, *[i for i, _ in shot.outcome.twenties]}
        self.follower.leaving |= off & set(self.follower.table)
        if self._live is None:  # of a match that is being played the evidence is kept
            self.pictures[shot.number] = birds_eye(reading)
        return [*waits, *self._told(shot, reading)]

    def _overlooked(self, outcome: ShotSeen, before: Lying, glimpses: list[Track]) -> JudgedShot | None:
        """A side shot twice in a row and something left the board in between: that was the other side's shot."""
        turn = self.ledger.expected_group()
        if turn is None or outcome.group == turn or outcome.group_sure < GUESSED_GROUP:
            return None
        if self.ledger.begins_round(outcome, not before):
            return None
        for track in glimpses:
            if side_near(track.start_mm, self.ledger.shots) in (turn, None):
                self.ledger.add(self.follower.glimpsed(track, turn, before), not before)
                last = self.ledger.last
                assert last is not None
                self.ledger.ask(last.number, last.seen.start_s, doubt(MatchDoubt.BARELY_SEEN))
                return last
        return None

    def _recorded(self, at: float) -> list[Proposal | Question]:
        """Record a round whose discs were all shot, before anything of the next one is told (C15)."""
        state = self._live
        if state is None or state.over or state.shots < state.stop or state.undecided:
            return []
        self._foresee(Recorded())
        return [Proposal(Recorded(), at)]

    def _foresee(self, event: Shot | Recorded) -> None:
        """Go on from an event that is being told: what is told with it comes after it."""
        if self._live is not None:
            with suppress(RuleError):  # it will be asked about
                self._live = self._engine.apply(self._live, event)

    def _told(self, shot: JudgedShot, reading: TableReading) -> list[Proposal | Question]:
        """The shot as a proposal, and a question for everything about it that is open; none once the game is over."""
        if self._live is not None and self._live.over:
            return []
        fits = Fitting(self._with_seat(shot))
        if self._live is not None:
            fits = fitting(self._live, fits.event, shot.outcome.valid)
        # of a recording the evidence is the recording
        evidence = Evidence(b"") if self._live is None else evidence_of(reading, f"after shot {shot.number}")
        # the ledger takes some back when it judges a round anew: they can't be told by their place in its list
        fresh = [r for r in self.ledger.reviews if r.key not in self._asked]
        self._asked |= {r.key for r in fresh}
        if self._live is not None:  # the log knows whose turn it was
            fresh = [r for r in fresh if r.doubt.kind is not ShotDoubt.SIDE_UNSEEN]
        last = self._live is not None and self._live.shots + fits.event.unseen + 1 >= self._live.stop
        self._foresee(fits.event)
        return self._questions.ask(shot, fits, evidence, fresh, self._numbers, reading, last, self.ledger.shots)

    def _with_seat(self, shot: JudgedShot) -> Shot:
        """The event with a player's seat: by the edge that the disc came from, else who is on turn.

        Only the seats of the side come into question that chose the disc's colour, where one did.
        """
        state = self._live
        event = shot.event
        if state is None:
            return event
        setup = state.setup
        side = chosen_side(setup.sides, self.follower.sides.words(), shot.group)
        seats = [s for s, k in zip(setup.seats, setup.side_of, strict=True) if side in (None, setup.sides[k])]
        on_turn = state.on_turn[0]
        seat = on_turn if on_turn in seats else seats[0]
        start = shot.seen.start_mm
        if start is not None:
            azimuth = math.degrees(math.atan2(start[1], start[0]))
            nearest = min(seats, key=lambda s: abs((azimuth - SEAT_AZIMUTHS[s] + 180) % 360 - 180))
            if abs((azimuth - SEAT_AZIMUTHS[nearest] + 180) % 360 - 180) < SEAT_WIDTH_DEG:
                seat = nearest
        self._hand.groups[setup.side_named(seat)] = shot.group
        return self._numbers.told(replace(event, seat=seat), state)


def chosen_side(sides: Sequence[str], words: Sequence[str], group: int) -> str | None:
    """The side whose chosen colour is that of a group of discs, by the words for the groups' colours; None: open.

    Of two sides the one is known where the other is.
    """
    if group >= len(words):
        return None
    if words[group] in sides:
        return words[group]
    left = [s for s in sides if s not in words]
    return left[0] if len(left) == 1 and len(sides) == len(words) else None


def official_for(engine: Crokinole, state: State, settings: Settings) -> CrokinoleOfficial:
    """The official of a match that is being played, from where it stands."""
    setup = engine.setup
    official = CrokinoleOfficial(setup.side_discs(0), len(setup.sides), prompt=True)
    official.follow(state)
    return official

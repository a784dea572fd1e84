"""What was seen of a crokinole match, judged shot by shot: consequences, rounds, score, and what to look at.

Sides are groups of one colour, numbered as they were first seen; who sits where is worked out from all shots together.
The rules are used to notice what can't be (a side twice in a row, a thirteenth disc) and to ask, never to invent.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from referee.rules.crokinole import Crokinole, Lying, Rest, Setup, Shot, State
from referee.rules.crokinole.rounds import board_points, gains
from referee.rules.crokinole.table import Outcome
from referee.rules.protocol import RuleError
from vision.readings import Disc
from vision.shots import Shot as ShotSeen

SEAT_AZIMUTHS = {"A": -90.0, "B": 180.0, "C": 90.0, "D": 0.0}
"""Where the seats are, in degrees on the board, clockwise as seen from above."""
TWO_PLACES = 0.5
"""Mean resultant length of a side's starting places below which it shoots from two sides of the table."""
FEWEST_FOR_SEATS = 4
GUARD = 1.645
"""A gap of fewer sigmas than this is too close to call (ISO 10576: the other verdict has 5 % or more)."""
STATE_DOUBT = 0.12
"""A state this probable beside the most probable one is a question (flat in the hole, leaning, on the surface)."""
LISTED = 0.4
"""A disc below this probability is a question, until it is seen better or taken off as expected."""
GUESSED_GROUP = 0.75
COLOUR_UNCLEAR = "the colour of the disc that was shot is not clear; it is taken to be the side on turn"
TWICE = "the same side shot twice in a row: a shot before it may be missing"
REJUDGED = (COLOUR_UNCLEAR, TWICE)
"""Questions that go away when a disc turns out to be of the other side."""
USUAL_DISCS = (12, 8, 6)
"""Discs a side that are played with (C14, C24); other numbers are possible, and looked at twice."""


@dataclass(frozen=True, slots=True)
class Review:
    """A moment that a person should look at. ``shot``: its number in the match, None for none."""

    shot: int | None
    round: int
    at: float
    why: str


@dataclass(slots=True)
class JudgedShot:
    """A shot with what the rules make of it. ``board``: (id, group, disc) on the surface once they were applied.

    ``settled``: the same when everything lay still. ``event``: by side's seats ("A", "C" ...), not by those of the
    players.
    """

    number: int
    round: int
    seen: ShotSeen
    group: int
    event: Shot
    outcome: Outcome
    board: tuple[tuple[int, int, Disc], ...]
    settled: tuple[tuple[int, int, Disc], ...]
    confidence: float
    seat: str | None = None


@dataclass(slots=True)
class JudgedRound:
    """A round. ``points`` and ``twenties`` by group; ``ended``: seconds when it was seen to be over, None if it wasn't;
    ``start``: the position before its first shot.
    """

    number: int
    shots: list[JudgedShot] = field(default_factory=list)
    start: State | None = None
    points: tuple[int, ...] = ()
    twenties: tuple[int, ...] = ()
    ended: float | None = None
    complete: bool = False


def internal_engine(groups: int) -> Crokinole:
    """An engine for judging single shots of ``groups`` sides, however many discs and seats there are."""
    return Crokinole({"players": "2" if groups <= 2 else "3", "discs": 99})


def on_turn(state: State, group: int) -> State:
    """The state with the side ``group`` on turn: whose turn it is by the rules is looked at elsewhere."""
    return state._replace(cycle=(group,), shots=0)


def rest_of(disc_id: int, disc: Disc | None) -> Rest:
    """Where a disc came to rest, in the words of the rules, by what is most probable."""
    if disc is None or disc.state == "ditch":
        return Rest(disc_id, "ditch")
    if disc.state in ("hole", "leaning"):
        return Rest(disc_id, disc.state)
    value = disc.value
    inner = None
    if value == 10:
        inner = any(c.line == "15/10" and c.inner_gap_mm <= 0 for c in disc.lines)
    return Rest(disc_id, "board", value, inner)


def lying_of(disc_id: int, group: int, disc: Disc) -> Lying:
    """A disc on the surface in the engine's words."""
    rest = rest_of(disc_id, disc)
    value = 15 if rest.state == "leaning" else rest.value
    inner = rest.inner if value == 10 or value is None else value >= 15
    return Lying(disc_id, group, rest.state, value, inner, ())


def deferred_doubts(disc_id: int, disc: Disc, open_board: bool) -> list[str]:
    """What can't be told for sure about a disc that the rules take off, or would take off; ``open_board``: C7 decides.

    What the players do with it next settles it, or contradicts the call.
    """
    out: list[str] = []
    if disc.confidence < LISTED:
        out.append(f"disc {disc_id} is seen with a probability of {disc.confidence:.2f} only")
    odd = [s for s, p in disc.states if p > STATE_DOUBT and s != disc.state]
    if odd and "hole" in (*odd, disc.state):
        out.append(f"disc {disc_id} lies {_where(disc.state)}, or {' or '.join(_where(s) for s in odd)}")
    for c in disc.lines if disc.state == "board" else ():
        if c.line == "shooting" and c.verdict == "too_close":
            out.append(f"disc {disc_id} is {c.gap_mm:+.2f} mm from the shooting line (sigma {c.sigma_mm:.2f})")
        elif open_board and c.line == "15/10" and abs(c.inner_gap_mm) < GUARD * c.sigma_mm:
            out.append(f"disc {disc_id} may touch the inner line from outside ({c.inner_gap_mm:+.2f} mm)")
    return out


def value_doubts(disc_id: int, disc: Disc) -> list[str]:
    """Which values of a disc that lies on the board when the round is counted can't be told for sure."""
    return [
        f"disc {disc_id} is {c.gap_mm:+.2f} mm from the {c.line} line (sigma {c.sigma_mm:.2f})"
        for c in (disc.lines if disc.state == "board" else ()) if c.verdict == "too_close"
    ]  # fmt: skip


def _where(state: str) -> str:
    return {"hole": "flat in the hole", "leaning": "leaning into the hole", "ditch": "in the ditch"}.get(
        state, "on the surface"
    )


def judge(state: State, engine: Crokinole, seen: ShotSeen, group: int) -> tuple[State, Shot, Outcome]:
    """Apply a shot as it was seen; raises RuleError when it can't have happened in this position."""
    rests = tuple(rest_of(a.id, a.disc) for a in seen.after)
    known = {lying.id for lying in state.board}
    touched = tuple(i for i in seen.touched if i in known)
    rests = tuple(r for r in rests if r.id in known or r.id == seen.disc)
    event = Shot(engine.setup.seats[group], seen.disc, touched, rests)
    after = engine.apply(on_turn(state, group), event)
    assert after.outcome is not None
    return after, event, after.outcome


def seats_of(shots: Sequence[JudgedShot], groups: int, players: str | None) -> tuple[str, tuple[str, ...]]:
    """Who sits where: (players, seats taken in clockwise order); fills in ``seat`` of every shot."""
    towards: dict[int, list[complex]] = {g: [] for g in range(groups)}
    for s in shots:
        if s.seen.start_mm is not None:
            place = complex(*s.seen.start_mm)
            towards[s.group].append(place / max(abs(place), 1e-6))
    if players is None:
        spread = (abs(np.mean(found)) for found in towards.values() if len(found) >= FEWEST_FOR_SEATS)
        players = "4" if any(length < TWO_PLACES for length in spread) else "2"
    of_group = _pairs_of_seats(towards) if players == "4" else _single_seats(towards, players == "2")
    for s in shots:
        options = of_group[s.group]
        if len(options) == 1:
            s.seat = options[0]
        elif s.seen.start_mm is not None:
            s.seat = _nearest_seat(complex(*s.seen.start_mm), options)
    return players, tuple(sorted({seat for options in of_group.values() for seat in options}))


def _pairs_of_seats(towards: Mapping[int, list[complex]]) -> dict[int, tuple[str, ...]]:
    """Partners sit opposite each other: a side's starting places lie along one of the two axes."""
    upright = {g: sum(abs(z.imag) - abs(z.real) for z in found) for g, found in towards.items()}
    first = max(upright, key=lambda g: upright[g])
    return {g: ("A", "C") if g == first else ("B", "D") for g in towards}


def _single_seats(towards: Mapping[int, list[complex]], opposite: bool) -> dict[int, tuple[str, ...]]:
    """One seat a side; two players sit ``opposite`` each other."""
    if not opposite:
        usual = dict(enumerate("ABC"))
        return {g: (_nearest_seat(sum(z), tuple(SEAT_AZIMUTHS)) if z else usual[g],) for g, z in towards.items()}
    axis = sum(towards.get(0, [])) - sum(towards.get(1, []))
    seat = _nearest_seat(axis, tuple(SEAT_AZIMUTHS)) if axis else "A"
    return {g: (seat if g == 0 else _opposite(seat),) for g in towards}


def _opposite(seat: str) -> str:
    return "ABCD"[("ABCD".index(seat) + 2) % 4]


def _nearest_seat(place: complex, options: tuple[str, ...]) -> str:
    """The seat whose direction from the board's centre is nearest to that of ``place`` (x + iy)."""
    return min(options, key=lambda s: abs(np.angle(place * np.exp(-1j * math.radians(SEAT_AZIMUTHS[s])))))


def _most(round_: JudgedRound) -> int:
    """The most shots of a side in a round."""
    return max((sum(s.group == g for s in round_.shots) for g in range(2)), default=0)


class Ledger:
    """The account of a match as it is seen: judged shots, rounds, and the list of what to look at."""

    def __init__(self, groups: int = 2, discs: int | None = None) -> None:
        self.engine = internal_engine(groups)
        self.discs = discs
        self.state: State = self.engine.start()
        self.rounds: list[JudgedRound] = []
        self.reviews: list[Review] = []
        self._taken: list[int] = []
        self._waiting: dict[int, tuple[int, float, str]] = {}
        self._groups: dict[int, int] = {}
        self._asked: set[tuple[int | None, str]] = set()

    @property
    def shots(self) -> list[JudgedShot]:
        """All shots, in order."""
        return [s for r in self.rounds for s in r.shots]

    @property
    def last(self) -> JudgedShot | None:
        """The last shot."""
        return self.rounds[-1].shots[-1] if self.rounds and self.rounds[-1].shots else None

    def begin(self, lying: Sequence[tuple[int, int, Disc]]) -> None:
        """The video begins with discs on the board: a round is under way."""
        self._new_round()
        self._put(lying)
        self.rounds[-1].start = self.state

    def ask(self, shot: int | None, at: float, why: str) -> None:
        """Name something for a person to look at, once."""
        number = self.rounds[-1].number if self.rounds else 1
        if (shot, why) not in self._asked:
            self._asked.add((shot, why))
            self.reviews.append(Review(shot, number, at, why))

    def expected_group(self) -> int | None:
        """The side whose turn it is, where two sides take turns; None where it isn't known."""
        if self.engine.setup.players != "2" or self.last is None:
            return None
        return 1 - self.last.group

    def add(self, seen: ShotSeen, board_empty: bool) -> JudgedShot:
        """Take in a shot; ``board_empty``: nothing lay on the board when it was made."""
        if not self.rounds:
            self._new_round()
        if self._round_is_over(seen, board_empty):
            self._close(seen.start_s)
            self._new_round()
        elif self._taken:
            self._explain_taken(seen.start_s)
        self._taken = []
        self._ask_waiting(seen.lying)
        return self._apply(seen)

    def regroup(self, sides: Mapping[int, int]) -> None:
        """Discs turned out to be of other sides (id -> group): the round is judged anew."""
        if not sides or not self.rounds:
            return
        self._groups.update(sides)
        round_ = self.rounds[-1]
        if round_.start is None:
            return
        shots, round_.shots, self.state = round_.shots, [], round_.start
        first = 1 + sum(len(r.shots) for r in self.rounds[:-1])
        self.reviews = [r for r in self.reviews if r.shot is None or r.shot < first or r.why not in REJUDGED]
        for shot in shots:
            self._apply(shot.seen)

    def _apply(self, seen: ShotSeen) -> JudgedShot:
        seen = replace(
            seen,
            group=self._groups.get(seen.disc, seen.group),
            group_sure=1.0 if seen.disc in self._groups else seen.group_sure,
            after=tuple(replace(a, group=self._groups.get(a.id, a.group)) for a in seen.after),
            lying=tuple((i, self._groups.get(i, g), d) for i, g, d in seen.lying),
        )
        round_ = self.rounds[-1]
        number = len(self.shots) + 1
        group = seen.group
        expected = self.expected_group() if round_.shots else None
        confidence = seen.group_sure
        if expected is not None and expected != group:
            if seen.group_sure < GUESSED_GROUP:
                group = expected
                self.ask(number, seen.start_s, COLOUR_UNCLEAR)
            else:
                self.ask(number, seen.start_s, TWICE)
        before = self.state
        self._absent(seen)
        try:
            after, event, outcome = judge(self.state, self.engine, seen, group)
        except RuleError as error:
            self.ask(number, seen.start_s, f"what was seen doesn't fit: {error}")
            after, event, outcome = self._forced(seen, group)
        self.state = after
        open_board = not any(lying.side != group for lying in before.board)
        words = list(seen.doubts)
        for a in seen.after:
            for why in () if a.disc is None else deferred_doubts(a.id, a.disc, open_board):
                self._waiting[a.id] = (number, seen.start_s, why)
        if seen.maybe_touched:
            words.append(f"it isn't clear whether disc {', '.join(map(str, seen.maybe_touched))} was touched")
        for why in words:
            confidence *= 0.7
            self.ask(number, seen.start_s, why)
        settled = tuple(seen.lying)
        off = {*outcome.removed, *outcome.ditched, *[i for i, _ in outcome.twenties]}
        board = tuple(d for d in settled if d[0] not in off)
        shot = JudgedShot(number, round_.number, seen, group, event, outcome, board, settled, min(confidence, 0.99))
        round_.shots.append(shot)
        self._count(group, number, seen.start_s)
        return shot

    def settled(self, ids: Sequence[int]) -> None:
        """Hands took off what the rules take off: the players see it as it was called."""
        for i in ids:
            self._waiting.pop(i, None)

    def hands(self, at: float, taken: Sequence[int], lying: Sequence[tuple[int, int, Disc]]) -> None:
        """Hands took discs off that the rules leave there: a round's end, or a sign of a wrong call."""
        self._taken += list(taken)
        if self._taken and not lying and self.rounds and self.rounds[-1].ended is None:
            self.rounds[-1].ended = at

    def changed_meanwhile(self, at: float, lying: Sequence[tuple[int, int, Disc]]) -> None:
        """The board lies otherwise than before the camera showed something else: go on from what lies there now."""
        if not self.rounds:
            self._new_round()
        last = self.last
        self.ask(None if last is None else last.number, at, "the board changed while the camera showed something else")
        there = {i for i, _, _ in lying}
        self.state = self.state._replace(board=tuple(d for d in self.state.board if d.id in there))
        self._put(lying)

    def still_there(self, ids: Sequence[int], at: float, lying: Sequence[tuple[int, int, Disc]]) -> None:
        """Discs that the rules take off still lie there at the next shot: the call before may be wrong."""
        last = self.last
        if last is not None:
            self.ask(last.number, at, f"the players leave disc {', '.join(map(str, ids))} on the board")
        back = [d for d in lying if d[0] in ids and d[2].state != "hole"]
        self._put(back)

    def finish(self, at: float) -> None:
        """The video has ended."""
        if self.rounds and self.rounds[-1].shots:
            self._close(at)

    def side_discs(self) -> int:
        """Discs a side: as told, or the most that a side shot in a round."""
        if self.discs is not None:
            return self.discs
        counts = [sum(s.group == g for s in r.shots) for r in self.rounds for g in range(2)]
        return max(counts, default=0)

    def score(self, setup: Setup) -> tuple[int, ...]:
        """Match score by group for all complete rounds, by the preset of ``setup``."""
        total = [0] * len(setup.sides)
        for r in self.rounds:
            if r.complete:
                for g, n in enumerate(gains(setup, r.points)):
                    total[g] += n
        return tuple(total)

    def _ask_waiting(self, lying: Sequence[tuple[int, int, Disc]]) -> None:
        """Doubts about discs that should have been taken off, or not, and that the next shot finds unsettled."""
        last = self.last
        off = set() if last is None else {*last.outcome.removed, *[i for i, _ in last.outcome.twenties]}
        now = {i: d for i, _, d in lying}
        for i, (number, at, why) in self._waiting.items():
            seen_well = i in now and now[i].confidence >= LISTED and "probability" in why
            if not seen_well and (i in off or i in {d.id for d in self.state.board}):
                self.ask(number, at, why)
        self._waiting.clear()

    def _new_round(self) -> None:
        self.rounds.append(JudgedRound(len(self.rounds) + 1))
        fresh = self.engine.start()
        self.state = fresh._replace(round=len(self.rounds))
        self.rounds[-1].start = self.state

    def _put(self, lying: Sequence[tuple[int, int, Disc]]) -> None:
        """Discs that lie on the board without a shot that was seen."""
        known = {d.id for d in self.state.board}
        board = list(self.state.board)
        board += [lying_of(i, g, d) for i, g, d in lying if i not in known and d.state in ("board", "leaning")]
        back = {i for i, _, _ in lying}
        self.state = self.state._replace(board=tuple(board), out=tuple(i for i in self.state.out if i not in back))

    def _absent(self, seen: ShotSeen) -> None:
        """Bring the engine's board to what was seen to lie there before the shot."""
        there = {a.id for a in seen.after} | {i for i, _, _ in seen.lying} | set(seen.hidden)
        self.state = self.state._replace(board=tuple(d for d in self.state.board if d.id in there))
        mine = {d.id for d in self.state.board} | {seen.disc}
        new = [d for d in seen.lying if d[0] not in mine and d[0] not in self.state.out]
        self._put(new)

    def _forced(self, seen: ShotSeen, group: int) -> tuple[State, Shot, Outcome]:
        """A shot that the rules refuse, judged all the same with what fits of it, for the account to go on."""
        known = {d.id for d in self.state.board}
        self.state = self.state._replace(out=tuple(i for i in self.state.out if i != seen.disc))
        after = tuple(a for a in seen.after if a.id in known or a.id == seen.disc)
        return judge(self.state, self.engine, replace(seen, after=after), group)

    def _round_is_over(self, seen: ShotSeen, board_empty: bool) -> bool:
        round_ = self.rounds[-1]
        if not round_.shots or not board_empty:
            return False
        counts = [sum(s.group == g for s in round_.shots) for g in range(2)]
        wanted = self.discs or max((_most(r) for r in self.rounds[:-1]), default=0)
        whole = counts[0] == counts[1] >= (wanted or min(USUAL_DISCS))
        last = self.last
        again = last is not None and seen.group == last.group
        # within a round the sides take turns; who shot last opens the next one (C14, C21)
        if self._taken:
            return again or (bool(wanted) and whole)
        # nothing lay there to be cleared away: the number of discs, and the turn, say that a round has ended
        return whole and (again or bool(wanted))

    def _explain_taken(self, at: float) -> None:
        last = self.last
        ids = ", ".join(map(str, self._taken))
        self.ask(None if last is None else last.number, at, f"a hand took disc {ids} off, which the rules leave there")
        self.state = self.state._replace(board=tuple(d for d in self.state.board if d.id not in self._taken))

    def _count(self, group: int, number: int, at: float) -> None:
        if self.discs is None:
            return
        shot = sum(s.group == group for s in self.rounds[-1].shots)
        if shot > self.discs:
            self.ask(number, at, f"disc {shot} of a side that has {self.discs}")

    def _close(self, at: float) -> None:
        round_ = self.rounds[-1]
        points = board_points(self.state)
        assert points is not None
        round_.points, round_.twenties = points, self.state.twenties
        last = round_.shots[-1]
        for i, _, disc in last.board:
            for why in value_doubts(i, disc):
                self.ask(last.number, at, why)
        counts = [sum(s.group == g for s in round_.shots) for g in range(2)]
        wanted = self.discs
        if wanted is not None:
            round_.complete = counts[0] == counts[1] == wanted
        else:
            round_.complete = counts[0] == counts[1]
        if round_.ended is not None and not round_.complete:
            round_.complete = True
            self.ask(self.shots[-1].number, at, f"the board was cleared after {counts[0]} and {counts[1]} shots")
        elif round_.complete and wanted is None and counts[0] not in USUAL_DISCS and len(self.rounds) == 1:
            self.ask(None, at, f"a round of {counts[0]} discs a side is taken as whole; say --discs if it isn't")

"""A crokinole match judged shot by shot as it was seen: consequences, rounds, score, and what to look at.

The rules are used to notice what can't be (a side twice in a row, a thirteenth disc) and to ask, never to invent.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from referee.match_doubts import LISTED, REJUDGED, MatchDoubt, Review, deferred_doubts, touch_doubt, value_doubts
from referee.match_judging import (
    GUESSED_GROUP,
    SUNK_BY_HAND,
    USUAL_DISCS,
    JudgedRound,
    JudgedShot,
    in_state,
    internal_engine,
    judge,
    lying_of,
    side_near,
    touched_as_taken,
    with_state,
    without,
)
from referee.rules.crokinole import Setup, Shot, State
from referee.rules.crokinole.rounds import board_points, gains
from referee.rules.crokinole.table import Outcome
from referee.rules.protocol import RuleError
from vision.doubts import Doubt, ShotDoubt, doubt
from vision.readings import DiscState
from vision.shot_seen import OnTable
from vision.shot_seen import Shot as ShotSeen
from vision.shot_sides import UNKNOWN_SURE


class Waiting(NamedTuple):
    """A doubt about a disc of a shot. Nobody is asked yet: what happens next may settle it."""

    shot: int
    at: float
    doubt: Doubt


class Ledger:
    """The account of a match as it is seen: judged shots, rounds, and the list of what to look at.

    ``turns_kept``: another account (a live match's log) keeps track of turns and discs left, and asks about them.
    """

    def __init__(self, groups: int = 2, discs: int | None = None) -> None:
        self.turns_kept = False
        self.groups = groups
        self.engine = internal_engine(groups)
        self.discs = discs
        self.state: State = self.engine.start()
        self.rounds: list[JudgedRound] = []
        self.reviews: list[Review] = []
        self._taken: list[int] = []
        self._waiting: dict[int, Waiting] = {}
        self._groups: dict[int, int] = {}
        self._asked: set[tuple[int | None, Doubt]] = set()

    @property
    def shots(self) -> list[JudgedShot]:
        """All shots, in order."""
        return [s for r in self.rounds for s in r.shots]

    @property
    def last(self) -> JudgedShot | None:
        """The last shot."""
        return self.rounds[-1].shots[-1] if self.rounds and self.rounds[-1].shots else None

    def begin(self, lying: Sequence[OnTable]) -> None:
        """The video begins with discs on the board: a round is under way."""
        self._new_round()
        self._put(lying)
        self.rounds[-1].start = self.state

    def ask(self, shot: int | None, at: float, about: Doubt) -> None:
        """Name something for a person to look at, once."""
        review = Review(shot, self.rounds[-1].number if self.rounds else 1, at, about)
        if review.key not in self._asked:
            self._asked.add(review.key)
            self.reviews.append(review)

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
        self._apply(seen)
        self._find_sides()
        return self.rounds[-1].shots[-1]

    def begins_round(self, seen: ShotSeen, board_empty: bool) -> bool:
        """Whether a shot opens a round; ``board_empty``: nothing lay on the board when it was made."""
        return not self.rounds or self._round_is_over(seen, board_empty)

    def _find_sides(self) -> None:
        """Tell whose the shots of this round were that didn't show it: by where they came from, if the turn agrees."""
        shots = self.rounds[-1].shots
        found: dict[int, int] = {}
        for shot, following in pairwise(shots):
            if shot.seen.group_sure > UNKNOWN_SURE or shot.seen.start_mm is None or self.engine.setup.players != "2":
                continue
            if following.seen.group_sure < GUESSED_GROUP or following.seen.start_mm is None:
                continue
            turn = 1 - following.group
            if side_near(shot.seen.start_mm, self.shots, shot) in (turn, None):
                found[shot.seen.disc] = turn
        self.regroup(found)

    def regroup(self, sides: Mapping[int, int]) -> None:
        """Discs belong to other sides than was told (id -> group): judge the round anew."""
        if not sides or not self.rounds:
            return
        self._groups.update(sides)
        self._judge_anew([s.seen for s in self.rounds[-1].shots])

    def never_there(self, ids: Set[int]) -> None:
        """Some of what was taken for discs is part of the board: judge the round anew without it."""
        if not ids or not self.rounds:
            return
        round_ = self.rounds[-1]
        if round_.start is not None:
            round_.start = round_.start._replace(board=tuple(d for d in round_.start.board if d.id not in ids))
        self.state = self.state._replace(board=tuple(d for d in self.state.board if d.id not in ids))
        self._judge_anew([without(s.seen, ids) for s in round_.shots])

    def _judge_anew(self, seen: Sequence[ShotSeen]) -> None:
        """Judge the current round once more, from what is now known of its shots."""
        round_ = self.rounds[-1]
        if round_.start is None:
            return
        first = 1 + sum(len(r.shots) for r in self.rounds[:-1])
        gone = [r for r in self.reviews if r.shot is not None and r.shot >= first and r.doubt.kind in REJUDGED]
        self.reviews = [r for r in self.reviews if r not in gone]
        self._asked -= {r.key for r in gone}
        waiting = self._waiting
        round_.shots, self.state = [], round_.start
        for shot in seen:
            self._waiting = {}
            self._apply(shot)
        # doubts that were settled by what came later stay settled
        self._waiting = {i: w for i, w in self._waiting.items() if i in waiting}

    def _touched_as_taken(self, shot: JudgedShot, disc_id: int) -> None:
        """Hands took off a disc that may have been touched: it was, if the rules then take it off (C7, C8)."""
        seen = touched_as_taken(shot.seen, disc_id)
        sides = {d.id: d.group for d in seen.lying}
        if sides.get(disc_id) != shot.group or shot.outcome.valid:
            return
        settled = (shot.number, touch_doubt(shot.seen.maybe_touched))
        self.reviews = [r for r in self.reviews if r.key != settled]
        self._taken.remove(disc_id)
        self._judge_anew([seen if s.number == shot.number else s.seen for s in self.rounds[-1].shots])

    def _retold(self, number: int, disc_id: int, state: DiscState) -> None:
        """A disc of a shot of this round was in another state than was read: judge the round anew."""
        self._judge_anew(
            [with_state(s.seen, disc_id, state) if s.number == number else s.seen for s in self.rounds[-1].shots]
        )

    def _apply(self, seen: ShotSeen) -> JudgedShot:
        seen = replace(
            seen,
            group=self._groups.get(seen.disc, seen.group),
            group_sure=1.0 if seen.disc in self._groups else seen.group_sure,
            after=tuple(replace(a, group=self._groups.get(a.id, a.group)) for a in seen.after),
            lying=tuple(replace(d, group=self._groups.get(d.id, d.group)) for d in seen.lying),
            doubts=tuple(
                d for d in seen.doubts if d.kind is not ShotDoubt.SIDE_UNSEEN or seen.disc not in self._groups
            ),
        )
        round_ = self.rounds[-1]
        number = len(self.shots) + 1
        group = seen.group
        expected = self.expected_group() if round_.shots else None
        confidence = seen.group_sure
        if expected is not None and expected != group:
            if seen.group_sure < GUESSED_GROUP:
                group = expected
                self.ask(number, seen.start_s, doubt(MatchDoubt.COLOUR_BY_TURN))
            elif not self.turns_kept:
                self.ask(number, seen.start_s, doubt(MatchDoubt.TWICE))
                before_it = round_.shots[-1]
                stays = {d.id for d in before_it.settled}
                if before_it.seen.disc not in stays and not before_it.event.touched:
                    self.ask(before_it.number, before_it.seen.start_s, doubt(MatchDoubt.TRACELESS))
        before = self.state
        self._absent(seen)
        try:
            after, event, outcome = judge(self.state, self.engine, seen, group)
        except RuleError as error:
            self.ask(number, seen.start_s, doubt(MatchDoubt.DOES_NOT_FIT, rules=str(error)))
            after, event, outcome = self._forced(seen, group)
        self.state = after
        open_board = not any(lying.side != group for lying in before.board)
        doubts = list(seen.doubts)
        for a in seen.after:
            for deferred in () if a.disc is None else deferred_doubts(a.id, a.disc, open_board):
                self._waiting[a.id] = Waiting(number, seen.start_s, deferred)
        if seen.maybe_touched:
            doubts.append(touch_doubt(seen.maybe_touched))
        for about in doubts:
            confidence *= 0.7
            self.ask(number, seen.start_s, about)
        settled = seen.lying
        off = {*outcome.removed, *outcome.ditched, *[i for i, _ in outcome.twenties]}
        board = tuple(d for d in settled if d.id not in off)
        shot = JudgedShot(number, round_.number, seen, group, event, outcome, board, settled, min(confidence, 0.99))
        round_.shots.append(shot)
        self._count(group, number, seen.start_s)
        return shot

    def settled(self, ids: Sequence[int]) -> None:
        """Hands took off discs that the rules take off: the players agree with the call."""
        for i in ids:
            self._waiting.pop(i, None)

    def hands(self, at: float, taken: Sequence[int], lying: Sequence[OnTable]) -> None:
        """Hands took off discs that the rules leave there: the round has ended, or a call was wrong."""
        self._taken += list(taken)
        if self._taken and not lying and self.rounds and self.rounds[-1].ended is None:
            self.rounds[-1].ended = at

    def changed_meanwhile(self, at: float, lying: Sequence[OnTable]) -> None:
        """The discs lie differently after the camera showed something else: go on from what lies there now."""
        if not self.rounds:
            self._new_round()
        last = self.last
        self.ask(None if last is None else last.number, at, doubt(MatchDoubt.ELSEWHERE))
        there = {d.id for d in lying}
        self.state = self.state._replace(board=tuple(d for d in self.state.board if d.id in there))
        self._put(lying)

    def still_there(self, ids: Sequence[int], at: float, lying: Sequence[OnTable]) -> None:
        """Discs that the rules take off still lie there at the next shot: the call before may be wrong.

        A disc called a twenty that is left there wasn't flat in the hole (C9).
        """
        last = self.last
        if last is not None:
            self.ask(last.number, at, doubt(MatchDoubt.LEFT_THERE, *ids))
            for i in {i for i, _ in last.outcome.twenties} & set(ids):
                self._retold(last.number, i, "leaning")
                lying = [replace(d, disc=in_state(d.disc, "leaning")) if d.id == i else d for d in lying]
        back = [d for d in lying if d.id in ids and d.disc.state != "hole"]
        self._put(back)

    def corrected(self, lying: Sequence[OnTable]) -> None:
        """People say what lies on the board: go on from that."""
        there = {d.id for d in lying if d.disc.state in ("board", "leaning")}
        board = tuple(lying_of(d) for d in lying if d.id in there)
        self.state = self.state._replace(board=board, out=tuple(i for i in self.state.out if i not in there))
        for i in there:
            self._waiting.pop(i, None)

    def finish(self, at: float) -> None:
        """The video has ended."""
        if self.rounds and self.rounds[-1].shots:
            self._close(at)

    def side_discs(self) -> int:
        """Discs a side: as told, or the most that a side shot in a round."""
        if self.discs is not None:
            return self.discs
        return self._most(self.rounds)

    def score(self, setup: Setup) -> tuple[int, ...]:
        """Match score by group for all complete rounds, by the preset of ``setup``."""
        total = [0] * len(setup.sides)
        for r in self.rounds:
            if r.complete:
                for g, n in enumerate(gains(setup, r.points)):
                    total[g] += n
        return tuple(total)

    def _ask_waiting(self, lying: Sequence[OnTable]) -> None:
        """Ask the doubts about discs, taken off or not, that are still open at the next shot."""
        last = self.last
        off = set() if last is None else {*last.outcome.removed, *[i for i, _ in last.outcome.twenties]}
        now = {d.id: d.disc for d in lying}
        for i, waiting in self._waiting.items():
            seen_well = i in now and now[i].confidence >= LISTED and waiting.doubt.kind is MatchDoubt.FAINT
            if not seen_well and (i in off or i in {d.id for d in self.state.board}):
                self.ask(waiting.shot, waiting.at, waiting.doubt)
        self._waiting.clear()

    def _most(self, rounds: Sequence[JudgedRound]) -> int:
        """The most shots of one side in any of the rounds."""
        return max((max(r.counts(self.groups)) for r in rounds), default=0)

    def _new_round(self) -> None:
        self.rounds.append(JudgedRound(len(self.rounds) + 1))
        fresh = self.engine.start()
        self.state = fresh._replace(round=len(self.rounds))
        self.rounds[-1].start = self.state

    def _put(self, lying: Sequence[OnTable]) -> None:
        """Discs that lie on the board without a shot that was seen."""
        known = {d.id for d in self.state.board}
        board = list(self.state.board)
        board += [lying_of(d) for d in lying if d.id not in known and d.disc.state in ("board", "leaning")]
        back = {d.id for d in lying}
        self.state = self.state._replace(board=tuple(board), out=tuple(i for i in self.state.out if i not in back))

    def _absent(self, seen: ShotSeen) -> None:
        """Bring the engine's board to what was seen to lie there before the shot."""
        there = {a.id for a in seen.after} | {d.id for d in seen.lying} | set(seen.hidden)
        self.state = self.state._replace(board=tuple(d for d in self.state.board if d.id in there))
        mine = {d.id for d in self.state.board} | {seen.disc}
        new = [d for d in seen.lying if d.id not in mine and d.id not in self.state.out]
        self._put(new)

    def _forced(self, seen: ShotSeen, group: int) -> tuple[State, Shot, Outcome]:
        """Judge a shot that the rules refuse by the part of it that fits, so that the account goes on."""
        known = {d.id for d in self.state.board}
        board = tuple(d for d in self.state.board if d.id != seen.disc)
        self.state = self.state._replace(board=board, out=tuple(i for i in self.state.out if i != seen.disc))
        after = tuple(a for a in seen.after if a.id in known or a.id == seen.disc)
        return judge(self.state, self.engine, replace(seen, after=after), group)

    def _round_is_over(self, seen: ShotSeen, board_empty: bool) -> bool:
        round_ = self.rounds[-1]
        if not round_.shots or not board_empty:
            return False
        counts = round_.counts(self.groups)
        wanted = self.discs or self._most(self.rounds[:-1])
        whole = max(counts) == min(counts) >= (wanted or min(USUAL_DISCS))
        # within a round the sides take turns; the next one isn't opened by who would be on turn then (C14, C21, C23)
        again = round_.out_of_turn(seen.group, self.groups)
        if self._taken:
            return again or (bool(wanted) and whole)
        # nothing lay there to be cleared away: the number of discs, and the turn, say that a round has ended
        return whole and (again or bool(wanted))

    def _explain_taken(self, at: float) -> None:
        """Use what hands took off to settle open points of the last shot, or else ask about it."""
        last = self.last
        if last is not None:
            for i in list(self._taken):
                disc = next((d.disc for d in last.settled if d.id == i), None)
                if i in last.seen.maybe_touched:
                    self._touched_as_taken(last, i)
                elif disc is None or disc.state == "hole" or len(self._taken) > 1:
                    continue
                elif dict(disc.states).get("hole", 0.0) >= SUNK_BY_HAND:
                    self._waiting.pop(i, None)
                    self._taken.remove(i)
                    self._retold(last.number, i, "hole")
        if not self._taken:
            return
        self.ask(None if last is None else last.number, at, doubt(MatchDoubt.TAKEN, *self._taken))
        self.state = self.state._replace(board=tuple(d for d in self.state.board if d.id not in self._taken))

    def _count(self, group: int, number: int, at: float) -> None:
        if self.discs is None or self.turns_kept:
            return
        shot = sum(s.group == group for s in self.rounds[-1].shots)
        if shot > self.discs:
            self.ask(number, at, doubt(MatchDoubt.TOO_MANY, disc=shot, most=self.discs))

    def _close(self, at: float) -> None:
        round_ = self.rounds[-1]
        self._ask_waiting(round_.shots[-1].settled)
        points = board_points(self.state)
        assert points is not None
        round_.points, round_.twenties = points, self.state.twenties
        last = round_.shots[-1]
        for d in () if self.turns_kept else last.board:
            for about in value_doubts(d.id, d.disc):
                self.ask(last.number, at, about)
        counts = round_.counts(self.groups)
        wanted = self.discs
        round_.complete = set(counts) == {counts[0] if wanted is None else wanted}
        if round_.ended is not None and not round_.complete:
            round_.complete = True
            if not self.turns_kept:
                shots = " + ".join(map(str, counts))
                self.ask(self.shots[-1].number, at, doubt(MatchDoubt.CLEARED, shots=shots))
        elif round_.complete and wanted is None and counts[0] not in USUAL_DISCS and len(self.rounds) == 1:
            self.ask(None, at, doubt(MatchDoubt.TAKEN_AS_WHOLE, count=counts[0]))

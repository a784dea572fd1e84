"""Matches the camera's numbers of discs with the log's.

A camera counts on through the evening, while the log begins anew each round. People enter shots as well, and a camera
started in the middle of a round never saw the ones before; so each keeps its own numbers, and here they meet.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

from referee.rules.crokinole import Lying, Shot, State
from vision.shot_seen import OnTable


def free_number(state: State) -> int:
    """The number of the next disc: shots are counted, and a number is given once a round."""
    used = {d.id for d in state.board} | set(state.out)
    if state.outcome is not None and state.undecided:
        used.add(state.outcome.disc)  # its shot waits for a ruling
    number = state.shots + 1
    while number in used:
        number += 1
    return number


class Numbers:
    """The log's number of each disc that the camera follows, round by round.

    ``round``: the one whose discs lie on the board; those of a recorded round do until the next one's first shot.
    """

    def __init__(self) -> None:
        self.round = 0
        self._rounds: dict[int, dict[int, int]] = {}

    @property
    def _of(self) -> dict[int, int]:
        return self._rounds.setdefault(self.round, {})

    def follow(self, state: State) -> None:
        """The match stands here now: with a new round's first shot the numbers begin anew."""
        between = state.shots == 0 and state.round > 1
        self.round = state.round - 1 if between else state.round

    def of(self, disc: int) -> int | None:
        """The log's number of the camera's disc; None for one that the log doesn't know."""
        return self._of.get(disc)

    def earlier(self, disc: int) -> bool:
        """Whether the camera's disc belongs to a round before this one."""
        return disc not in self._of and any(disc in of for number, of in self._rounds.items() if number < self.round)

    def give(self, disc: int, number: int, of_round: int | None = None) -> None:
        """The camera's disc is the log's ``number`` from now on; another that had it loses it."""
        of = self._of if of_round is None else self._rounds.setdefault(of_round, {})
        for other in [d for d, n in of.items() if n == number]:
            del of[other]
        of[disc] = number

    def told(self, shot: Shot, state: State) -> Shot:
        """A shot in the log's numbers. What the log doesn't know keeps a number that the rules will ask about."""
        self.round = state.round
        if self._of.get(shot.disc) is None:
            self.give(shot.disc, free_number(state))
        unknown = max((*self._of.values(), state.shots, 0)) + 1

        def of(disc: int) -> int:
            return self._of.get(disc, unknown + disc)

        touched = None if shot.touched is None else tuple(of(i) for i in shot.touched)
        rests = tuple(replace(rest, id=of(rest.id)) for rest in shot.rests)
        return replace(shot, disc=of(shot.disc), touched=touched, rests=rests)

    def adopt(self, lying: Sequence[OnTable], state: State) -> dict[str, int]:
        """Match the log's discs with those that lie there when the camera begins in mid-round; return side -> group.

        Groups are given to the sides so that most discs agree in value; within a side, discs of one value are
        interchangeable for the score.
        """
        groups = sorted({d.group for d in lying})
        best: list[tuple[int, int]] = []
        best_sides: dict[int, int] = {}
        for sides in permutations(range(len(state.setup.sides)), len(groups)):
            of_group = dict(zip(groups, sides, strict=True))
            pairs = _pairs(lying, state.board, of_group)
            if len(pairs) > len(best):
                best, best_sides = pairs, of_group
        for disc, number in best:
            self.give(disc, number)
        return {state.setup.sides[side]: group for group, side in best_sides.items()}


def _pairs(lying: Sequence[OnTable], board: Sequence[Lying], of_group: dict[int, int]) -> list[tuple[int, int]]:
    """(camera's disc, log's number) of those that agree in side and value."""
    left = list(board)
    out = []
    for d in lying:
        for known in left:
            if known.side == of_group[d.group] and known.value == d.disc.value:
                out.append((d.id, known.id))
                left.remove(known)
                break
    return out

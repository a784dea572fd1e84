"""The official of Yacht: follows the dice from roll to roll and asks where it can't be sure.

A roll is a rest of the dice that differs from the one before. Dice that stayed where they lay while the others were
taken up were kept (Y2); a die taken up, cocked or lost is never counted silently (Y7). Which category is filled is
the player's word, not the camera's.
"""

from collections.abc import Sequence
from typing import Any

from referee.officials import Answer, Proposal, Question, Seen
from referee.rules.yacht import DICE, Roll, State, Yacht
from referee.settings import Settings
from vision.dice import read_dice
from vision.dice_rest import DiceWatch, Rest, matched, moved
from vision.frames import Frame
from vision.readings import Die

STAYED = 0.5
"""A die that moved less than this many edges counts as left there: hands nudge kept dice, thrown ones go further."""
DOUBTFUL = 0.8
"""Confidence in a die's value below which a person is asked."""
ALTERNATIVES = 3
"""Values offered for a die that can't be read, the likeliest first."""


class YachtOfficial:
    """Follows one game of Yacht through one camera."""

    game = "yacht"

    def __init__(self, engine: Yacht, state: State | None = None) -> None:
        self._engine = engine
        self._state = engine.start() if state is None else state
        self._watch = DiceWatch(read_dice)
        self._lay: tuple[Die, ...] = ()
        self._left: tuple[Die, ...] | None = None
        self._still = False

    @property
    def seen(self) -> Seen:
        """Whether the dice lie still."""
        return Seen("resting" if self._still else "moving")

    def follow(self, state: State) -> None:
        """Go on from here; a filled category ends the turn, and all dice are taken up."""
        if state.turn != self._state.turn:
            self._left = ()
        self._state = state

    def board_moved(self) -> None:
        """Nothing hangs on where the table lies."""

    def finish(self) -> Sequence[Proposal | Question]:
        """A roll that never came to rest isn't told."""
        return ()

    def feed(self, frame: Frame) -> Sequence[Proposal | Question]:
        """Look at the next frame; return the roll that came to rest with it, or what must be asked."""
        rest = self._watch.push(frame)
        self._still = self._watch.still
        return () if rest is None or self._engine.over(self._state) else self.rested(rest)

    def rested(self, rest: Rest[Die]) -> Sequence[Proposal | Question]:
        """What a rest means for the game."""
        dice = rest.dice
        if len(dice) > DICE:
            why = f"{len(dice)} dice in view, Yacht is played with {DICE}"
            return [Question(f"dice {rest.start_s:.2f}", "unexpected", why, rest.seen_s, (), clause="Y1")]
        stayed = self._stayed(dice)
        if len(dice) < DICE and len(stayed) == len(dice):
            self._left = dice  # the others are in a hand or in the cup
            return ()
        if len(dice) == DICE and self._left is None and moved(self._lay, dice) <= STAYED:
            return ()
        before = self._lay if self._left is None else self._left
        kept = self._stayed(dice, before) if self._state.rolls else []
        self._lay, self._left = dice, None
        return [self._told(rest, tuple(d.value for d in kept if d.value is not None))]

    def _stayed(self, dice: Sequence[Die], before: Sequence[Die] | None = None) -> list[Die]:
        """Those of the dice that lay there before, hardly moved, with the same face."""
        pairs, _, _ = matched(self._lay if before is None else before, dice)
        return [b for a, b in pairs if moved([a], [b]) <= STAYED]

    def _told(self, rest: Rest[Die], kept: tuple[int, ...]) -> Proposal | Question:
        player = self._engine.player(self._state)
        roll = Roll(player, tuple(d.value for d in rest.dice), kept)
        worst = min(rest.dice, key=lambda d: d.confidence if d.state == "flat" and d.value else 0.0)
        proposal = Proposal(roll, rest.start_s, float(min(d.confidence for d in rest.dice)))
        unread = [
            i for i, d in enumerate(rest.dice) if d.state == "flat" and (d.value is None or d.confidence < DOUBTFUL)
        ]
        if not unread:
            return proposal
        why = f"{len(unread)} dice can't be read for sure" if len(unread) > 1 else "a die can't be read for sure"
        answers = tuple(_answers(roll, rest.dice, unread[0])) if len(unread) == 1 else ()
        x, y = worst.px
        return Question(
            f"die {rest.start_s:.2f}", "hidden", f"{why} (at {x:.0f}, {y:.0f})", rest.seen_s, answers, clause="Y7"
        )


def _answers(roll: Roll, dice: Sequence[Die], which: int) -> list[Answer]:
    """The roll with the likeliest values of one die, and with none."""
    shares = dice[which].values
    order = sorted(range(len(shares)), key=lambda k: -shares[k])[:ALTERNATIVES]
    found = []
    for value in [k + 1 for k in order]:
        shown = (*roll.dice[:which], value, *roll.dice[which + 1 :])
        found.append(Answer(f"it shows {value}", Roll(roll.player, shown, roll.kept)))
    nothing: tuple[Any, ...] = (*roll.dice[:which], None, *roll.dice[which + 1 :])
    return [*found, Answer("it is cocked", Roll(roll.player, nothing, roll.kept))]


def official_for(engine: Yacht, state: State | None, settings: Settings) -> YachtOfficial:
    """The official of a match from where it stands."""
    return YachtOfficial(engine, state)

"""The official of Krakatoa: which set was thrown, whether it hit (K6), what must be announced (K17).

The dodecas themselves give lengths on the table, since their size across flats is known. A distance is measured in
sizes of the dodecas at its two ends; at any tilt that is exact enough for the hit test if they are near each other.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from calibration.profiles import DodecaFile, load
from referee.dodeca_profile import known_colours
from referee.officials import Answer, Proposal, Question, Seen
from referee.rules.krakatoa import SETS, KrakatoaEngine, State, Throw, ThrowOff
from referee.rules.krakatoa.state import HIT_MM, UNREAD
from referee.settings import Settings
from vision.dice_rest import DiceWatch, Rest, matched
from vision.dodecas import DodecaColours, read_dodecas
from vision.frames import Frame
from vision.readings import Dodeca

ACROSS_MM = 18.0
"""Size of a dodeca across flats, unless a table profile or a setting says otherwise."""
ALL, A_SET = 9, 3
LIES_MM = 2.5
"""A dodeca that moved less than this many mm counts as untouched: readings at rest repeat within about 1 mm."""
STANDS_BY = 0.7
"""Confidence in a dodeca's set and colour below which its face is told as unread."""


class KrakatoaOfficial:
    """Follows one game of Krakatoa through one camera.

    ``across_mm``: size of the dodecas across flats; ``known``: what they look like here.
    """

    game = "krakatoa"

    def __init__(
        self,
        engine: KrakatoaEngine,
        state: State | None = None,
        across_mm: float = ACROSS_MM,
        known: DodecaColours | None = None,
    ) -> None:
        self._engine = engine
        self._state = engine.start() if state is None else state
        self._across_mm = across_mm
        self._watch = DiceWatch(partial(read_dodecas, known=known))
        self._lay: tuple[Dodeca, ...] = ()
        self._taken: set[str] = set()
        self._still = False

    @property
    def seen(self) -> Seen:
        """Whether the dodecas lie still."""
        return Seen("resting" if self._still else "moving")

    def follow(self, state: State) -> None:
        """Go on from here."""
        self._state = state

    def board_moved(self) -> None:
        """Nothing hangs on where the table lies."""

    def finish(self) -> Sequence[Proposal | Question]:
        """A throw that never came to rest isn't told."""
        return ()

    def feed(self, frame: Frame) -> Sequence[Proposal | Question]:
        """Look at the next frame; return the throw that came to rest with it, or what must be asked."""
        rest = self._watch.push(frame)
        self._still = self._watch.still
        return () if rest is None or self._engine.over(self._state) else self.rested(rest)

    def rested(self, rest: Rest[Dodeca]) -> Sequence[Proposal | Question]:
        """What a rest means for the game."""
        dice = rest.dice
        if any(sum(d.set == name for d in dice) > A_SET for name in SETS):
            why = "more than three dodecas of one set in view"
            return [Question(f"dodecas {rest.start_s:.2f}", "unexpected", why, rest.seen_s, (), clause="K1")]
        if not self._state.round:
            return self._thrown_off(rest)
        if len(dice) < ALL and self._untouched(dice):
            _, gone, _ = matched(self._lay, dice)
            self._taken |= {d.set for d in gone if d.set is not None}  # in a hand or in the cup
            return ()
        thrown = tuple(n for n in SETS if n in self._taken) or self._thrown(dice)
        colours = {name: told(dice, name) for name in SETS}
        throw = Throw(
            self._due["player"], colours["steam"], colours["ash"], colours["lava"], thrown,
            moved_mm=self._way_mm(dice, thrown),
        )  # fmt: skip
        self._lay, self._taken = dice, set()
        return [self._proposal(throw, rest)]

    @property
    def _due(self) -> dict[str, Any]:
        """What may be thrown, were there no throw that waits for a ruling."""
        return self._engine.legal(replace(self._state, pending=None))

    def _proposal(self, throw: Throw, rest: Rest[Dodeca]) -> Proposal | Question:
        proposal = Proposal(throw, rest.start_s, float(min(d.confidence for d in rest.dice)))
        if throw.thrown:
            return proposal
        answers = tuple(
            Answer(f"{name} was thrown", Throw(throw.player, *throw.sets, (name,), moved_mm=throw.moved_mm))
            for name in SETS
        )
        return Question(
            f"thrown {rest.start_s:.2f}",
            "hidden",
            "which set was thrown wasn't seen",
            rest.seen_s,
            answers,
            clause="K5",
        )

    def _thrown_off(self, rest: Rest[Dodeca]) -> Sequence[Proposal | Question]:
        """A throw of the throw-off (K3): the one set of which three lie there."""
        whole = [name for name in SETS if sum(d.set == name for d in rest.dice) == A_SET]
        if len(whole) != 1 or len(rest.dice) != A_SET:
            return ()
        players = self._due["players"]
        event = ThrowOff(players[0], whole[0], told(rest.dice, whole[0]))
        self._lay = rest.dice
        return [Proposal(event, rest.start_s, float(min(d.confidence for d in rest.dice)))]

    def _untouched(self, dice: Sequence[Dodeca]) -> bool:
        """Whether all of these lay there before, where they lie now.

        Their sets aren't asked: with the white ones gone, the grey ones are the brightest.
        """
        pairs, _, new = matched(self._lay, dice)
        same = all(None in (a.colour, b.colour) or a.colour == b.colour for a, b in pairs)
        return not new and same and all(self._mm(a, b) <= LIES_MM for a, b in pairs)

    def _thrown(self, dice: Sequence[Dodeca]) -> tuple[str, ...]:
        """The sets of the due throw that moved as a whole, where just one choice did; else nothing."""
        whole = {name for name in SETS if self._all_moved(dice, name)}
        due = [tuple(names) for names in self._due["sets"]]
        if self._state.before is not None and whole == set(SETS):
            return SETS
        fitting = [names for names in due if set(names) <= whole]
        return fitting[0] if len(fitting) == 1 and set(fitting[0]) == whole else ()

    def _all_moved(self, dice: Sequence[Dodeca], name: str) -> bool:
        """Whether no dodeca of the set lies where one lay before."""
        before = [d for d in self._lay if d.set == name]
        return all(self._mm(a, b) >= HIT_MM for a in before for b in dice if b.set == name)

    def _way_mm(self, dice: Sequence[Dodeca], thrown: tuple[str, ...]) -> float | None:
        """The longest way of a dodeca that was left on the table; None where that can't be told."""
        stayed = [name for name in SETS if name not in thrown]
        longest: float | None = None
        for name in stayed:
            pairs, gone, new = matched([d for d in self._lay if d.set == name], [d for d in dice if d.set == name])
            if gone or new:
                return None
            longest = max([longest or 0.0, *(self._mm(a, b) for a, b in pairs)])
        return longest

    def _mm(self, a: Dodeca, b: Dodeca) -> float:
        """Way between two places on the table in mm, by the sizes of the dodecas there."""
        away = float(np.hypot(a.px[0] - b.px[0], a.px[1] - b.px[1]))
        return away / float(np.sqrt(a.across_px * b.across_px)) * self._across_mm


def official_for(engine: KrakatoaEngine, state: State | None, settings: Settings) -> KrakatoaOfficial:
    """The official of a match from where it stands; it knows the dodecas from the profile that the settings name.

    Raises UnusableInputError(bad_profile).
    """
    if not settings.text("dodecas"):
        return KrakatoaOfficial(engine, state)
    dodecas = load(Path(settings.text("dodecas")), DodecaFile)
    return KrakatoaOfficial(engine, state, dodecas.across_mm, known_colours(dodecas))


def told(dice: Sequence[Dodeca], name: str) -> str:
    """The colours of a set as the rules write them, ``?`` for a face that can't be read."""
    return "".join(
        UNREAD if d.colour is None or d.confidence < STANDS_BY else d.colour[0].upper() for d in dice if d.set == name
    )

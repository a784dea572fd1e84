"""What leaves this floor: frozen, typed readings of the pieces on a table. No rules, no scores.

Units and frames: board points in millimetres, origin at the centre of the board, z up. Image points in pixels, centres
at integers, x right, y down: a :class:`Disc`'s in those of the frame that it was read in (as its BoardView's), dice's
and dodecas' in those of the picture as shown; :meth:`vision.frames.Frame.to_shown` leads from the first to the second.
What could not be measured is None.
"""

from dataclasses import dataclass
from typing import Literal

from calibration.boards import LineName
from vision.doubts import Doubt

DiscState = Literal["board", "hole", "leaning", "ditch"]
"""Flat on the surface (also overhanging the hole), flat in the hole, tilted into the hole, out of play."""

Verdict = Literal["clear", "touching", "too_close"]


@dataclass(frozen=True, slots=True)
class LineContact:
    """One circle line near a disc, as seen straight from above.

    ``gap_mm`` is the line's inner-edge radius beside the disc minus the disc's outermost reach: positive where the
    disc is inside the circle and clear of the line. ``sigma_mm`` is its standard uncertainty, ``p_touching`` the
    probability that the gap is 0 or less, ``inner_gap_mm`` the disc's innermost reach minus the line's outer-edge
    radius. ``parts`` names what the uncertainty is made of, in mm (``edge``, ``pose``, ``line``, ``radius`` ...).
    """

    line: LineName
    gap_mm: float
    sigma_mm: float
    p_touching: float
    verdict: Verdict
    inner_gap_mm: float
    parts: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Disc:
    """One disc at rest.

    ``px`` is the centre of its upper face as it appears, in pixels of the frame; ``mm`` the centre of the disc on the
    board with the standard uncertainty ``sigma_mm`` per direction. ``confidence`` is the probability that there is such
    a disc at all, ``state_confidence`` that its state is the one named, given that it is there; ``states`` holds all
    states with their probabilities, the most probable first. ``values`` holds the points that its place may be worth
    with their probabilities (they sum to 1), the most probable first; ``why`` says what leaves more than one of them,
    or its existence, open. ``colours`` holds the sides that it may belong to with their probabilities where more than
    one comes into question.
    """

    id: int
    colour: str
    px: tuple[float, float]
    mm: tuple[float, float]
    sigma_mm: float
    state: DiscState
    confidence: float
    state_confidence: float
    states: tuple[tuple[DiscState, float], ...] = ()
    lines: tuple[LineContact, ...] = ()
    values: tuple[tuple[int, float], ...] = ()
    why: tuple[Doubt, ...] = ()
    colours: tuple[tuple[str, float], ...] = ()

    @property
    def value(self) -> int | None:
        """The most probable value of the disc's place; None while its values are not known."""
        return self.values[0][0] if self.values else None


@dataclass(frozen=True, slots=True)
class Cover:
    """Something that is no part of the game lies over the surface and may hide discs.

    ``mm`` is the middle of where it hides most, ``outline`` the corners around it, both on the board; ``values`` holds
    the most that discs beneath it may be worth, one by one, the highest first.
    """

    mm: tuple[float, float]
    outline: tuple[tuple[float, float], ...]
    values: tuple[int, ...]

    def scaled(self, factor: float) -> "Cover":
        """The same with all lengths multiplied."""
        around = tuple((x * factor, y * factor) for x, y in self.outline)
        return Cover((self.mm[0] * factor, self.mm[1] * factor), around, self.values)


@dataclass(frozen=True, slots=True)
class DiscsSeen:
    """All discs of one picture.

    ``disc_radius_mm`` is the radius measured over all discs jointly (that of the board's model where none could be
    measured), ``disc_radius_sigma_mm`` its standard uncertainty; ``colours`` are the sides' words. ``maybe`` holds
    what is probably no disc but might be one: not part of the reading, but a reason to doubt a score. ``covers`` are
    looked for in single pictures only; whoever follows a table sees them come.
    """

    discs: tuple[Disc, ...]
    disc_radius_mm: float
    disc_radius_sigma_mm: float
    colours: tuple[str, ...] = ()
    maybe: tuple[Disc, ...] = ()
    warnings: tuple[str, ...] = ()
    covers: tuple[Cover, ...] = ()


@dataclass(frozen=True, slots=True)
class Die:
    """One six-sided die with pips, at rest.

    ``px`` is the centre of its uppermost face as it appears, in pixels of the picture as shown, ``edge_px`` the length
    of an edge there. ``value`` is None where it can't be told or the die leans (``state`` is then ``cocked``). ``body``
    is a plain English colour word, ``confidence`` the probability of what is said; ``values`` the probabilities of 1 to
    6, given that it is a die.
    """

    value: int | None
    px: tuple[float, float]
    edge_px: float
    state: Literal["flat", "cocked"]
    body: str
    confidence: float
    values: tuple[float, ...] = ()

    @property
    def size_px(self) -> float:
        """The same as ``edge_px``."""
        return self.edge_px

    @property
    def says(self) -> tuple[object, ...]:
        """What was read of it."""
        return self.value, self.state


DodecaSet = Literal["steam", "ash", "lava"]
"""White, grey and black twelve-sided dice."""

SpotColour = Literal["yellow", "red", "blue"]


@dataclass(frozen=True, slots=True)
class Dodeca:
    """One twelve-sided die with a coloured spot on each face, at rest.

    ``px`` is the centre of the top face's spot, in pixels of the picture as shown, ``across_px`` the die's size across
    flats there. ``set`` and ``colour`` are None where they can't be told; ``confidence`` is the probability of both
    together.
    """

    set: DodecaSet | None
    colour: SpotColour | None
    px: tuple[float, float]
    across_px: float
    confidence: float

    @property
    def size_px(self) -> float:
        """The same as ``across_px``."""
        return self.across_px

    @property
    def says(self) -> tuple[object, ...]:
        """What was read of it."""
        return self.set, self.colour

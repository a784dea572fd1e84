"""Doubts as data: what kind of doubt, and what it is about. Words are made of one only where people read it.

A doubt is made where it arises, and is compared, filtered and asked once by its kind and contents, never by its
wording. Readings of single discs and shots have their kinds here; what the rules make of a match adds its own.
"""

from dataclasses import dataclass
from enum import Enum


class DoubtKind(Enum):
    """A kind of doubt; its value is the sentence for people, with a field for everything that a doubt names."""


class DiscDoubt(DoubtKind):
    """What leaves open how many points a disc is worth."""

    STATE = "it seems to lie {state}, but may be {others}"
    GAP = "gap to the {line} line {gap:.2f} mm with sigma {sigma:.2f} mm"
    EXISTENCE = "it is a disc with a probability of {chance:.2f} only"


class ShotDoubt(DoubtKind):
    """What isn't sure about a shot as it was seen."""

    CUT_SHORT = "the camera turned away before everything lay still"
    HOLE_FILLED = "the hole looks as if a disc had fallen in, which is neither read there nor was seen to"
    TWO_SHOTS = "two shots seem to have been made without a rest between them"
    NOT_FOUND = "the disc that was shot wasn't seen at rest; it is taken to have left the board"
    UNSEEN_LOSS = "disc {discs} lies nowhere any more, and not all that is gone was seen to leave the board"
    NOBODYS = "a disc came to lie on the board that nobody is known to have shot"
    TOO_MANY_CAME = "more discs came than one shot can bring"
    COLOUR_UNCLEAR = "the colour of the disc that was shot is not clear"
    SIDE_UNSEEN = "which side shot wasn't seen"


@dataclass(frozen=True, slots=True)
class Doubt:
    """One doubt. ``discs``: the ids of those that it names; ``facts``: what else its sentence names, by field."""

    kind: DoubtKind
    discs: tuple[int, ...] = ()
    facts: tuple[tuple[str, float | str], ...] = ()

    @property
    def words(self) -> str:
        """The doubt as a sentence, for people."""
        sentence: str = self.kind.value
        return sentence.format(discs=", ".join(map(str, self.discs)), **dict(self.facts))


def doubt(kind: DoubtKind, *discs: int, **facts: float | str) -> Doubt:
    """A doubt of a kind; numbers are kept to hundredths, as they are told: what reads the same is the same doubt."""
    kept = {name: fact if isinstance(fact, int | str) else round(float(fact), 2) for name, fact in facts.items()}
    return Doubt(kind, discs, tuple(kept.items()))

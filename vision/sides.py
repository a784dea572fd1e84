"""The sides of a match by the colours of their discs, as these are seen from rest to rest."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vision.disc_colours import LAB_WEIGHTS, THIRD_SIDE, TWO_SIDES, words_for
from vision.table import Lab, SeenDisc

COLOUR_RATE = 0.15
"""Weight of each new face in a side's colour, so that it follows the light as that changes in the course of an
evening."""
FOUNDS = 0.6
"""A disc at least this probable may show a side that wasn't known before."""


@dataclass
class Sides:
    """The sides' colours as they are seen in the course of a match; sides are numbered groups of faces."""

    most: int = 2
    middles: list[Lab] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)

    def nearest(self, seen: SeenDisc) -> int | None:
        """The known group that a disc's face is most like; None while none is known."""
        if not self.middles:
            return None
        return int(np.argmin([self._gap(seen.lab, m) for m in self.middles]))

    def group(self, seen: SeenDisc, light: Lab | None = None, new: bool = False) -> tuple[int, float]:
        """Group of a disc by its face, and how sure that is (0..1); a new group where it is unlike all known ones.

        ``light`` (3,): by how much known discs now differ from their groups' colours. ``new``: something surely came to
        lie there, so that only whether it is a disc was in doubt.
        """
        face = seen.lab if light is None else seen.lab - light
        founds = new or seen.disc.confidence >= FOUNDS
        if not self.middles:
            return (self._found(face), 1.0) if founds else (0, 0.5)
        gaps = [self._gap(face, m) for m in self.middles]
        order = np.argsort(gaps)
        nearest = int(order[0])
        limit = TWO_SIDES if len(self.middles) == 1 else THIRD_SIDE
        if founds and len(self.middles) < self.most and gaps[nearest] >= limit:
            return self._found(face), 0.9
        if len(self.middles) == 1:
            return nearest, float(np.clip(1.5 - gaps[nearest] / TWO_SIDES, 0.5, 1.0))
        ratio = gaps[nearest] / max(gaps[nearest] + gaps[int(order[1])], 1e-6)
        return nearest, float(np.clip(1.25 - 1.5 * ratio, 0.5, 1.0))

    def gap(self, lab: Lab, group: int, light: Lab | None = None) -> float:
        """Weighted Lab distance of a face (3,) from its group's colour; 0 where no disc of that was seen yet."""
        if group >= len(self.middles):
            return 0.0
        return self._gap(lab if light is None else lab - light, self.middles[group])

    def learn(self, group: int, lab: Lab) -> None:
        """A face with Lab (3,) was seen that surely belongs to ``group``."""
        if group >= len(self.middles):
            return
        self.counts[group] += 1
        rate = max(COLOUR_RATE, 1 / (self.counts[group] + 1))
        self.middles[group] = self.middles[group] + rate * (lab - self.middles[group])

    def refound(self, group: int, faces: Sequence[Lab]) -> None:
        """What founded a side was no disc of it: its colour becomes that of these ``faces``, Lab (3,) each."""
        self.middles[group] = np.asarray(np.median(np.array(faces), axis=0))
        self.counts[group] = len(faces)

    def words(self) -> tuple[str, ...]:
        """Plain colour words of the groups."""
        return words_for(np.array(self.middles)) if self.middles else ()

    def _found(self, lab: Lab) -> int:
        self.middles.append(np.array(lab, dtype=np.float64))
        self.counts.append(0)
        return len(self.middles) - 1

    @staticmethod
    def _gap(a: Lab, b: Lab) -> float:
        return float(np.linalg.norm((a - b) * LAB_WEIGHTS))

"""How the board at one rest differs from the rest before, disc by disc: by the readings and by the pixels.

Where the pixels are unchanged, the disc that lay there still lies there, whatever the reading says. Where they look as
they did when nothing lay there, nothing lies there now. Lengths in mm on the board.
"""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from vision.board_looks import BARE_STEP, LIKE, QUIET_STEP, BoardLooks, looks_after
from vision.change_clues import (
    COVERED,
    SAME_PLACE_MM,
    SURELY,
    TRACK_END_MM,
    Place,
    Unclaimed,
    covered,
    explained,
    hole_told,
    other_side,
    struck_track,
)
from vision.disc_colours import TWO_SIDES
from vision.sides import Sides
from vision.table import SeenDisc, TableReading, face_lab, hole_disc
from vision.table_discs import Change, Moved, Stayed, TableDisc
from vision.tracks import STRONG_POINTS

MOVED_MM = 0.5
"""A disc whose pixels have shifted this far was moved: unmoved discs are found again within 0.2 mm."""
MAYBE_MOVED_MM = 0.3
"""Between this and MOVED_MM a person is asked."""
MOVED_BY_READING_MM = 4.0
"""Where pixels can't be compared (another camera, a shadow), a disc was moved if its two readings lie this far apart
..."""
MAYBE_BY_READING_MM = 1.6
"""... and may have been moved from this distance on."""
PLAIN_STEP = 6.0
"""From this many grey levels on, a change confirms as a disc what the reading only suspects to be one."""
PLACING_MM = 25.0
"""A disc that appears nearer to the shooting line than this, or beyond it, without a shot is being placed."""
AT_LINE_MM, PLACING_HAND_MM = 3.0, 120.0
"""At first sight, a disc that reaches past the shooting line by more than the first is being placed if a hand is within
the second of it: no disc stays there (C10)."""
FIRST, HOLE_AT_FIRST, LINE_AT_FIRST = 0.6, 0.95, 0.95
"""Probability from which a disc is believed at first sight: on the board, in the hole, on the line."""
LEAVES_MM = 60.0
"""A track at least this long shows where a disc went."""
IN_HOLE_MM = 20.0
"""... and within this of the middle where the disc fell into the hole, about a disc's radius and the hole's play."""
ARRIVED = 0.15
"""Something faint is believed from this probability on where a track ended, unless it was read there before ..."""
ARRIVED_SURE = 0.5
"""... and from this one on where the pixels show no disc (natural discs on bare wood have little contrast)."""
READ_BEFORE = 0.5
"""What was already read at the last rest, with at least this share of its present probability, where no disc was known,
is a print or a stain."""
HOLE_TRACK_MM = 40.0
"""A track that ends this near to the hole's middle may have ended in it: it follows the front edge or the shadow."""
PIECE_MM, PIECE_POINTS = 15.0, 3
"""Least path in mm, and number of points, of a piece of a track."""
BORNE_OUT = 0.6
"""Least probability given to a disc, however faintly read, where the pixels say that something came to lie."""
SUNK_LIKE, SUNK_ENDED_LIKE = 0.6, 0.8
"""With a disc in it the hole correlates with the empty one by less than the first; where a track ended in it, by less
than the second."""
SUNK_STEP = 8.0
"""A disc that falls in changes the hole by at least this many grey levels: its floor lies in the shade, a face less
so."""
HOLE: Place = (0.0, 0.0)
"""The hole's middle, in mm."""


class BoardMemory:
    """Remembers what was read at the last rest, and how the board looked then."""

    def __init__(self) -> None:
        self._looks: BoardLooks | None = None
        self._read: tuple[SeenDisc, ...] = ()
        self._filled = False

    @property
    def empty(self) -> bool:
        """Whether nothing was seen yet."""
        return self._looks is None

    @property
    def scene(self) -> int:
        """Number of the view through which the board was seen last; -1 before it was."""
        return -1 if self._looks is None else self._looks.scene

    def _shown_in(self, reading: TableReading) -> BoardLooks | None:
        """How the board looked at the last rest, if a reading can be compared with that: through the same view."""
        return self._looks if self._looks is not None and self._looks.shown_in(reading) else None

    def compare(
        self, reading: TableReading, table: Mapping[int, TableDisc], sides: Sides, leaving: Set[int] = frozenset()
    ) -> Change:
        """How the board differs from the last rest, when ``table`` lay there; hands are to take off ``leaving``."""
        unclaimed = Unclaimed(s for s in reading.discs if s.disc.state != "ditch")
        stayed: list[Stayed] = []
        moved: list[Moved] = []
        gone: list[TableDisc] = []
        hidden: list[TableDisc] = []
        for d in table.values():
            if covered(reading.rest, d.mm) > COVERED:
                hidden.append(d)
                unclaimed.take(d.mm)
                continue
            fate = self._fate(reading, d, unclaimed, sides, d.id in leaving)
            if fate is None:
                gone.append(d)
            elif isinstance(fate, Moved):
                moved.append(fate)
            else:
                stayed.append(fate)
        struck = struck_track(reading, [d for d in (*gone, *(m.disc for m in moved if m.sure)) if d.id not in leaving])
        fresh = [s for s in unclaimed.left if self._is_new(reading, s, struck is not None, [d.mm for d in gone])]
        after = [s.disc.mm for s in fresh] + [m.mm for m in moved]
        before = [d.mm for d in gone] + [m.disc.mm for m in moved]
        told = hole_told([s.disc.mm for s in stayed], before, after)
        # a shot brings one disc: once that is found, its track ended where it struck another
        least = ARRIVED_SURE if fresh else ARRIVED
        fresh += self._arrived(reading, [s for s in unclaimed.left if s not in fresh], after, told, least)
        new = [self._borne_out(reading, s) for s in fresh]
        told = hole_told([s.disc.mm for s in stayed], before, [*after, *[s.disc.mm for s in new]])
        if told and (sunk := self._sunk_unseen(reading)) is not None:
            new.append(sunk)
        places = [*after, *[s.disc.mm for s in new], *[s.disc.mm for s in stayed], *[d.mm for d in hidden]]
        self._filled = told and all(math.hypot(*mm) > IN_HOLE_MM for mm in places) and self._hole_filled(reading)
        filled = self._filled and (struck is not None or bool(reading.rest.shots))
        if filled:
            new.append(hole_disc(reading))
        return Change(tuple(stayed), tuple(moved), tuple(gone), tuple(hidden), tuple(new), struck, filled)

    def _fate(
        self, reading: TableReading, d: TableDisc, unclaimed: Unclaimed, sides: Sides, leaving: bool
    ) -> Stayed | Moved | None:
        """What became of a disc that isn't hidden: it stayed, it moved, or (None) it is gone.

        ``leaving``: hands were to take it off.
        """
        looks = self._shown_in(reading)
        if looks is None:
            return self._fate_by_reading(reading, d, unclaimed, sides)
        like = looks.likeness(reading, d.mm, follow_from=QUIET_STEP)
        unread = unclaimed.at(d.mm) is None
        # a blue disc on a red ring leaves behind the same luma
        quiet = like.step < QUIET_STEP and not (unread and looks.recoloured(reading, d.mm))
        if not quiet and (
            looks.is_bare(reading, d.mm) or (unread and (leaving or self._lost_its_face(reading, d, sides)))
        ):
            return None
        if quiet or (like.same >= LIKE and like.far < MAYBE_MOVED_MM):
            near = unclaimed.at(d.mm)
            if near is not None and like.step >= PLAIN_STEP and other_side(d, near, sides):
                return None
            return Stayed(d, unclaimed.take(d.mm))
        if like.moved >= LIKE:
            at = (d.mm[0] + like.shift[0], d.mm[1] + like.shift[1])
            seen = unclaimed.take(at)
            return Stayed(d, seen) if like.far < MAYBE_MOVED_MM else Moved(d, at, seen, like.far >= MOVED_MM)
        return self._fate_by_reading(reading, d, unclaimed, sides)

    def _lost_its_face(self, reading: TableReading, d: TableDisc, sides: Sides) -> bool:
        """Whether a place where no disc is read any more no longer has the side's colour; luma alone may not tell."""
        face = face_lab(reading.rest.frame.pixels, reading.rest.view, d.disc)
        return sides.gap(face, d.group) > TWO_SIDES

    def _fate_by_reading(
        self, reading: TableReading, d: TableDisc, unclaimed: Unclaimed, sides: Sides
    ) -> Stayed | Moved | None:
        """What became of a disc by the readings alone, where the pixels can't tell."""
        seen = unclaimed.at(d.mm)
        if seen is None or not seen.sure or other_side(d, seen, sides):
            return Stayed(d, None) if d.held else None
        unclaimed.take(d.mm)
        far = math.dist(seen.disc.mm, d.mm)
        if far < MAYBE_BY_READING_MM or self._shown_in(reading) is None:
            return Stayed(d, seen)
        return Moved(d, seen.disc.mm, seen, far >= MOVED_BY_READING_MM)

    def _arrived(
        self, reading: TableReading, doubtful: Sequence[SeenDisc], after: list[Place], told: bool, faintest: float
    ) -> list[SeenDisc]:
        """Those discs, of which neither reading nor pixels are sure, at which a disc's track ended.

        ``after`` (mm): where discs surely came to lie; a track that ends there is explained. ``told``: whether the
        hole's look tells what is in it; ``faintest``: the least probability that is believed where the shot disc's
        track ended.
        """
        out: list[SeenDisc] = []
        if self._looks is None or not reading.rest.shots:
            return out
        ends = [(s.track.end_mm, faintest) for s in reading.rest.shots if s.strong]
        ends += [
            (t.end_mm, ARRIVED_SURE)
            for t in reading.rest.tracks
            if t.path >= LEAVES_MM and len(t.points) >= STRONG_POINTS
        ]
        for end, least in ends:
            if any(math.dist(mm, end) < TRACK_END_MM for mm in after):
                continue
            found = [s for s in doubtful if s.disc.confidence >= least and self._may_end_at(reading, s, end, told)]
            if found:
                best = max(found, key=lambda s: s.disc.confidence)
                out.append(best)
                after = [*after, best.disc.mm]
        return out

    def _may_end_at(self, reading: TableReading, seen: SeenDisc, end: Place, told: bool) -> bool:
        """Whether a track that ends at a place (mm) may be that of a disc that is read faintly near it.

        ``told``: whether the hole's look tells what is in it.
        """
        mm, state, faint = seen.disc.mm, seen.disc.state, seen.disc.confidence < ARRIVED_SURE
        reach = IN_HOLE_MM if state == "hole" else TRACK_END_MM
        if math.dist(mm, end) > reach or math.hypot(*mm) > reading.rest.view.board.shooting:
            return False
        if covered(reading.rest, mm) > COVERED or self._read_before(seen):
            return False
        looks = self._shown_in(reading)
        if looks is not None and state in ("hole", "leaning") and looks.is_bare(reading, mm):
            return False  # the hole's floor, from which a disc has left
        if state == "hole" and faint and not told:
            return False
        return not (faint and looks is not None and looks.likeness(reading, mm).step < QUIET_STEP)

    def _read_before(self, seen: SeenDisc) -> bool:
        """Whether it was read at the last rest too, where no disc was known to lie."""
        return any(
            math.dist(s.disc.mm, seen.disc.mm) < SAME_PLACE_MM
            and s.disc.confidence >= READ_BEFORE * seen.disc.confidence
            for s in self._read
        )

    def _is_new(self, reading: TableReading, seen: SeenDisc, struck: bool, gone: Sequence[Place]) -> bool:
        """Whether a disc that is read where none lay has really come to lie there.

        ``struck``: a struck disc shows that a shot was made; ``gone`` (mm): places that discs have left.
        """
        mm, board = seen.disc.mm, reading.rest.view.board
        away = math.hypot(*mm)
        in_hole = seen.disc.state in ("hole", "leaning")
        if covered(reading.rest, mm) > COVERED:
            return False
        if self._looks is None:
            return self._at_first(reading, seen)
        shot = struck or bool(reading.rest.shots)
        placed = away > board.shooting - PLACING_MM and not shot
        looks = self._shown_in(reading)
        if looks is None:
            return not placed and (seen.disc.confidence >= HOLE_AT_FIRST if in_hole else seen.sure)
        if looks.was_unseen(reading, mm):
            return not placed and seen.sure and away < board.shooting
        like = looks.likeness(reading, mm)
        same = like.step < QUIET_STEP or like.same >= LIKE
        bare = looks.is_bare(reading, mm)
        # where another disc has left, a change of colour tells nothing
        left = bare and any(math.dist(mm, at) < SAME_PLACE_MM for at in gone)
        recoloured = seen.disc.confidence >= SURELY and looks.recoloured(reading, mm)
        unchanged = (same or bare) and not recoloured
        if placed or left or unchanged or explained(reading, seen):
            return False
        return seen.sure or (shot and like.step >= PLAIN_STEP)

    def _at_first(self, reading: TableReading, seen: SeenDisc) -> bool:
        """Whether a disc read at first sight is believed, when hands can't be told from the board yet."""
        board = reading.rest.view.board
        chance = seen.disc.confidence
        if seen.disc.state in ("hole", "leaning"):  # the hole's floor passes for a disc too easily
            return chance >= HOLE_AT_FIRST
        if math.hypot(*seen.disc.mm) <= board.shooting - board.disc_radius + AT_LINE_MM:
            return chance >= FIRST
        return chance >= LINE_AT_FIRST and covered(reading.rest, seen.disc.mm, PLACING_HAND_MM) == 0

    def _borne_out(self, reading: TableReading, seen: SeenDisc) -> SeenDisc:
        """A new disc, made surer where its place has changed beyond recognition."""
        looks = self._shown_in(reading)
        if seen.disc.confidence >= BORNE_OUT or looks is None:
            return seen
        like = looks.likeness(reading, seen.disc.mm)
        if like.same >= SUNK_LIKE or like.step < BARE_STEP:
            return seen
        return replace(seen, disc=replace(seen.disc, confidence=BORNE_OUT))

    def _sunk_unseen(self, reading: TableReading) -> SeenDisc | None:
        """A disc in the hole that isn't read: a track ended there, and the hole looks as it never did."""
        rest, looks = reading.rest, self._shown_in(reading)
        if not rest.shots or looks is None:
            return None
        nearest = min((math.hypot(*t.end_mm) for t in rest.tracks if t.reach > LEAVES_MM), default=math.inf)
        # a disc that strikes another, or gets lost on the hole's dark floor, is followed in pieces
        pieces = [t for t in rest.tracks if t.path >= PIECE_MM and len(t.points) >= PIECE_POINTS]
        piece = min((math.hypot(*t.end_mm) for t in pieces), default=math.inf)
        if min(nearest, piece) > HOLE_TRACK_MM:
            return None
        if nearest > HOLE_TRACK_MM:
            return hole_disc(reading) if self._hole_filled(reading) else None
        if covered(rest, HOLE) > COVERED or looks.is_bare(reading, HOLE):
            return None
        like = looks.likeness(reading, HOLE)
        limit = SUNK_ENDED_LIKE if nearest < IN_HOLE_MM else SUNK_LIKE
        return hole_disc(reading) if like.same < limit and like.step >= SUNK_STEP else None

    def _hole_filled(self, reading: TableReading) -> bool:
        """Whether the hole looks nothing like it did empty, and nothing like it did at the last rest."""
        looks = self._shown_in(reading)
        if looks is None or covered(reading.rest, HOLE) > 0 or not looks.knows_bare(reading, HOLE):
            return False
        likes = (looks.bare_likeness(reading, HOLE), looks.likeness(reading, HOLE))
        return all(like.same < SUNK_LIKE and like.step >= SUNK_STEP for like in likes)

    def keep(self, reading: TableReading, table: Mapping[int, TableDisc]) -> None:
        """Remember this rest, at which ``table`` lies there."""
        lying = [d.mm for d in table.values()]
        self._looks = looks_after(self._looks, reading, [*lying, HOLE] if self._filled else lying)
        self._read = tuple(s for s in reading.discs if all(math.dist(s.disc.mm, mm) > SAME_PLACE_MM for mm in lying))

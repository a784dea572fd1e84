"""How the board at one rest differs from the rest before, disc by disc: by the readings and by the pixels.

Where the pixels are unchanged, the disc that lay there still lies there, whatever the reading says. Where they look as
they did when nothing lay there, nothing lies there now. Lengths in mm on the board.
"""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change_clues import (
    COVERED,
    SAME_PLACE_MM,
    SURELY,
    TRACK_END_MM,
    Place,
    covered,
    explained,
    hole_told,
    nearest_of,
    other_side,
    struck_track,
    take,
)
from vision.disc_canonical import PX_PER_MM
from vision.disc_colours import LAB_WEIGHTS, TWO_SIDES
from vision.discs import face
from vision.lens import Gray
from vision.likeness import likeness
from vision.sides import Sides
from vision.table import SeenDisc, TableReading, face_lab, hole_disc
from vision.table_discs import Change, Moved, Stayed, TableDisc
from vision.tracks import STRONG_POINTS

MOVED_MM = 0.5
"""A disc whose pixels have shifted this far was moved: unmoved discs are found again within 0.2 mm."""
MAYBE_MOVED_MM = 0.3
"""Between this and MOVED_MM a person is asked."""
MOVED_BY_READING_MM = 4.0
"""Where the pixels don't tell (another camera, a shadow), a disc was moved if the places read differ by this ..."""
MAYBE_BY_READING_MM = 1.6
"""... and are doubtful from here on."""
LIKE = 0.8
"""Correlation from which a patch is the same one."""
QUIET_STEP = 3.0
"""Below this many grey levels nothing has changed, whatever the correlation: bare wood has little to correlate."""
PLAIN_STEP = 6.0
"""From this many grey levels on, a change confirms as a disc what the reading only suspects to be one."""
PLACING_MM = 25.0
"""A disc that appears nearer to the shooting line than this, or beyond it, without a shot is being placed."""
AT_LINE_MM, PLACING_HAND_MM = 3.0, 120.0
"""At first sight, a disc that reaches past the shooting line by more than the first is being placed if a hand is within
the second of it: no disc stays there (C10)."""
FIRST, HOLE_AT_FIRST, LINE_AT_FIRST = 0.6, 0.95, 0.95
"""Probability from which a disc is believed at first sight: on the board, in the hole, on the line."""
BARE_STEP = 10.0
"""A shadow or other light may change the bare look of a place by this many grey levels."""
KNOWN_BARE = 0.8
"""This share of a place must have been seen bare before it can be called bare again."""
SHADOW_MM = 9.0
"""Beside a disc the board isn't bare: its shadow and, at a tilt, its body."""
LEAVES_MM = 60.0
"""A track this long tells where a disc went."""
IN_HOLE_MM = 20.0
"""... and within this of the middle where the disc fell into the hole, about a disc's radius and the hole's play."""
ARRIVED = 0.15
"""Something faint is believed from this probability on where a track ended, unless it was read there before ..."""
ARRIVED_SURE = 0.5
"""... and from this one on where the pixels show no disc (natural discs on bare wood have little contrast)."""
READ_BEFORE = 0.5
"""Something read before, with this share of its probability, where no disc was known is a print or a stain."""
HOLE_TRACK_MM = 40.0
"""A track that ends this near to the hole's middle may have ended in it: it follows the front edge or the shadow."""
PIECE_MM, PIECE_POINTS = 15.0, 3
"""A piece of a track is this long and was seen this often at least."""
BORNE_OUT = 0.6
"""Least probability given to a disc, however faintly read, where the pixels say that something came to lie."""
SUNK_LIKE, SUNK_ENDED_LIKE = 0.6, 0.8
"""With a disc in it the hole correlates with the empty one by less than the first; where a track ended in it, by less
than the second."""
SUNK_STEP = 8.0
"""A disc that falls in changes the hole by at least this many grey levels: its floor lies in the shade, a face less
so."""


class BoardMemory:
    """Remembers how the board looked at the last rest, and how it looks where nothing lies."""

    def __init__(self) -> None:
        self.scene = -1
        self._last: Gray | None = None
        self._unknown: NDArray[np.uint8] | None = None
        self._bare: Gray | None = None
        self._bare_known: NDArray[np.uint8] | None = None
        self._read: tuple[SeenDisc, ...] = ()
        self._filled = False
        self._colours: NDArray[np.uint8] | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing was seen yet."""
        return self._last is None

    def compare(
        self, reading: TableReading, table: Mapping[int, TableDisc], sides: Sides, leaving: Set[int] = frozenset()
    ) -> Change:
        """How the board differs from the last rest, when ``table`` lay there; hands are to take off ``leaving``."""
        on_board = [s for s in reading.discs if s.disc.state != "ditch"]
        free = set(range(len(on_board)))
        stayed: list[Stayed] = []
        moved: list[Moved] = []
        gone: list[TableDisc] = []
        hidden: list[TableDisc] = []
        for d in table.values():
            if covered(reading.rest, d.mm) > COVERED:
                hidden.append(d)
                take(on_board, free, d.mm)
                continue
            fate = self._fate(reading, d, on_board, free, sides, d.id in leaving)
            if fate is None:
                gone.append(d)
            elif isinstance(fate, Moved):
                moved.append(fate)
            else:
                stayed.append(fate)
        struck = struck_track(reading, [d for d in (*gone, *(m.disc for m in moved if m.sure)) if d.id not in leaving])
        rest_of = [on_board[k] for k in sorted(free)]
        fresh = [s for s in rest_of if self._is_new(reading, s, struck is not None, [d.mm for d in gone])]
        after = [s.disc.mm for s in fresh] + [m.mm for m in moved]
        before = [d.mm for d in gone] + [m.disc.mm for m in moved]
        told = hole_told([s.disc.mm for s in stayed], before, after)
        # a shot brings one disc: once that is found, its track ended where it struck another
        least = ARRIVED_SURE if fresh else ARRIVED
        fresh += self._arrived(reading, [s for s in rest_of if s not in fresh], after, told, least)
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
        self, reading: TableReading, d: TableDisc, on_board: Sequence[SeenDisc], free: set[int], sides: Sides,
        leaving: bool = False,
    ) -> Stayed | Moved | None:  # fmt: skip
        """What became of a disc that isn't hidden: it stayed, it moved, or (None) it is gone.

        ``leaving``: hands were to take it off.
        """
        if self._last is not None and reading.rest.scene == self.scene:
            radius = reading.rest.view.board.disc_radius
            like = likeness(self._last, reading.fine, reading.lens, d.mm, radius, QUIET_STEP)
            unread = nearest_of(on_board, free, d.mm) is None
            # a blue disc on a red ring leaves behind the same luma
            quiet = like.step < QUIET_STEP and not (unread and self._recoloured(reading, d.mm))
            if not quiet and self._looks_bare(reading, d.mm):
                return None
            unread = unread and not quiet
            if unread and (leaving or self._lost_its_face(reading, d, sides)):
                return None
            if quiet or (like.same >= LIKE and like.far < MAYBE_MOVED_MM):
                near = nearest_of(on_board, free, d.mm)
                if near is not None and like.step >= PLAIN_STEP and other_side(d, on_board[near], sides):
                    return None
                return Stayed(d, take(on_board, free, d.mm))
            if like.moved >= LIKE:
                at = (d.mm[0] + like.shift[0], d.mm[1] + like.shift[1])
                seen = take(on_board, free, at)
                return Stayed(d, seen) if like.far < MAYBE_MOVED_MM else Moved(d, at, seen, like.far >= MOVED_MM)
        return self._fate_by_reading(reading, d, on_board, free, sides)

    def _lost_its_face(self, reading: TableReading, d: TableDisc, sides: Sides) -> bool:
        """Whether a place where no disc is read any more no longer has the side's colour; luma alone may not tell."""
        face = face_lab(reading.rest.frame.pixels, reading.rest.view, d.disc)
        return sides.gap(face, d.group) > TWO_SIDES

    def _fate_by_reading(
        self, reading: TableReading, d: TableDisc, on_board: Sequence[SeenDisc], free: set[int], sides: Sides
    ) -> Stayed | Moved | None:
        """The same where the pixels don't tell."""
        near = nearest_of(on_board, free, d.mm)
        if near is None or not on_board[near].sure or other_side(d, on_board[near], sides):
            return Stayed(d, None) if d.held else None
        free.discard(near)
        seen = on_board[near]
        far = math.dist(seen.disc.mm, d.mm)
        if far < MAYBE_BY_READING_MM or reading.rest.scene != self.scene:
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
        board, same_scene = reading.rest.view.board, reading.rest.scene == self.scene
        if self._last is None or not reading.rest.shots:
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
            found: list[SeenDisc] = []
            for s in doubtful:
                mm, chance = s.disc.mm, s.disc.confidence
                reach = IN_HOLE_MM if s.disc.state == "hole" else TRACK_END_MM
                if math.dist(mm, end) > reach or chance < least or math.hypot(*mm) > board.shooting:
                    continue
                if covered(reading.rest, mm) > COVERED or self._read_before(s):
                    continue
                if s.disc.state in ("hole", "leaning") and self._looks_bare(reading, mm):
                    continue  # its floor, from which a disc has left
                if s.disc.state == "hole" and chance < ARRIVED_SURE and not told:
                    continue
                if chance < ARRIVED_SURE and same_scene:
                    like = likeness(self._last, reading.fine, reading.lens, mm, board.disc_radius)
                    if like.step < QUIET_STEP:
                        continue
                found.append(s)
            if found:
                best = max(found, key=lambda s: s.disc.confidence)
                out.append(best)
                after = [*after, best.disc.mm]
        return out

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
        if self._last is None:
            return self._at_first(reading, seen)
        shot = struck or bool(reading.rest.shots)
        placed = away > board.shooting - PLACING_MM and not shot
        if reading.rest.scene != self.scene:
            return not placed and (seen.disc.confidence >= HOLE_AT_FIRST if in_hole else seen.sure)
        if self._was_unknown(reading, mm):
            return not placed and seen.sure and away < board.shooting
        like = likeness(self._last, reading.fine, reading.lens, mm, board.disc_radius)
        same = like.step < QUIET_STEP or like.same >= LIKE
        bare = self._looks_bare(reading, mm)
        # where another disc has left, a change of colour tells nothing
        left = bare and any(math.dist(mm, at) < SAME_PLACE_MM for at in gone)
        recoloured = seen.disc.confidence >= SURELY and self._recoloured(reading, mm)
        unchanged = (same or bare) and not recoloured
        if placed or left or unchanged or explained(reading, seen):
            return False
        return seen.sure or (shot and like.step >= PLAIN_STEP)

    def _recoloured(self, reading: TableReading, mm: Place) -> bool:
        """Whether a disc's place (mm) has another colour than at the last rest.

        Luma alone can miss it: a blue disc on a dark board, across a pale line, looks like what was there before.
        """
        if self._colours is None or reading.known is None:
            return False
        looks, board = reading.known.looks, reading.rest.view.board
        frame, at = looks.frame, looks.frame.from_board(np.array([mm]))[0]
        radius, height = board.disc_radius / frame.scale * PX_PER_MM, board.disc_height / frame.scale
        before, now = (face(p, frame, (at[0], at[1]), radius, height) for p in (self._colours, looks.now))
        return bool(np.linalg.norm((now - before) * LAB_WEIGHTS) >= TWO_SIDES)

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
        if seen.disc.confidence >= BORNE_OUT or self._last is None or reading.rest.scene != self.scene:
            return seen
        like = likeness(self._last, reading.fine, reading.lens, seen.disc.mm, reading.rest.view.board.disc_radius)
        if like.same >= SUNK_LIKE or like.step < BARE_STEP:
            return seen
        return replace(seen, disc=replace(seen.disc, confidence=BORNE_OUT))

    def _sunk_unseen(self, reading: TableReading) -> SeenDisc | None:
        """A disc in the hole that isn't read: a track ended there, and the hole looks as it never did."""
        rest = reading.rest
        if not rest.shots or self._last is None or rest.scene != self.scene:
            return None
        nearest = min((math.hypot(*t.end_mm) for t in rest.tracks if t.reach > LEAVES_MM), default=math.inf)
        # a disc that strikes another, or gets lost on the hole's dark floor, is followed in pieces
        pieces = [t for t in rest.tracks if t.path >= PIECE_MM and len(t.points) >= PIECE_POINTS]
        piece = min((math.hypot(*t.end_mm) for t in pieces), default=math.inf)
        if min(nearest, piece) > HOLE_TRACK_MM:
            return None
        if nearest > HOLE_TRACK_MM:
            return hole_disc(reading) if self._hole_filled(reading) else None
        if covered(reading.rest, (0.0, 0.0)) > COVERED or self._looks_bare(reading, (0.0, 0.0)):
            return None
        like = likeness(self._last, reading.fine, reading.lens, (0.0, 0.0), rest.view.board.disc_radius)
        limit = SUNK_ENDED_LIKE if nearest < IN_HOLE_MM else SUNK_LIKE
        return hole_disc(reading) if like.same < limit and like.step >= SUNK_STEP else None

    def _hole_filled(self, reading: TableReading) -> bool:
        """Whether the hole looks nothing like it did empty, and nothing like it did at the last rest."""
        if self._last is None or reading.rest.scene != self.scene or covered(reading.rest, (0.0, 0.0)) > 0:
            return False
        if not self._known_bare(reading, (0.0, 0.0)):
            return False
        assert self._bare is not None
        radius = reading.rest.view.board.disc_radius
        looks = (likeness(p, reading.fine, reading.lens, (0.0, 0.0), radius) for p in (self._bare, self._last))
        return all(like.same < SUNK_LIKE and like.step >= SUNK_STEP for like in looks)

    def _looks_bare(self, reading: TableReading, mm: tuple[float, float]) -> bool:
        """Whether a place looks as it did when nothing lay there; False if it was never seen so."""
        if not self._known_bare(reading, mm):
            return False
        assert self._bare is not None
        like = likeness(self._bare, reading.fine, reading.lens, mm, reading.rest.view.board.disc_radius)
        return like.step < QUIET_STEP or (like.same >= LIKE and like.step < BARE_STEP)

    def _known_bare(self, reading: TableReading, mm: Place) -> bool:
        """Whether this camera, as it stands, has seen a place with nothing on it."""
        if self._bare is None or self._bare_known is None or reading.rest.scene != self.scene:
            return False
        face = reading.lens.disc_mask(mm, reading.rest.view.board.disc_radius) > 0
        return bool(face.any() and self._bare_known[face].mean() >= KNOWN_BARE)

    def _was_unknown(self, reading: TableReading, mm: tuple[float, float]) -> bool:
        """Whether a hand hid a place at all rests until now."""
        if self._unknown is None:
            return False
        face = reading.rest.lens.disc_mask(mm, reading.rest.view.board.disc_radius) > 0
        return bool(face.any() and self._unknown[face].mean() > COVERED)

    def keep(self, reading: TableReading, table: Mapping[int, TableDisc]) -> None:
        """Remember this rest, at which ``table`` lies there."""
        size = (reading.lens.size, reading.lens.size)
        hidden = np.asarray(cv2.resize(reading.rest.hidden, size, interpolation=cv2.INTER_NEAREST), dtype=np.uint8)
        radius = reading.rest.view.board.disc_radius + SHADOW_MM
        free = (hidden == 0).astype(np.uint8)
        for s in reading.discs:
            if s.sure:
                reading.lens.draw_disc(free, s.disc.mm, radius, 0)
        for mm in [*(d.mm for d in table.values()), *([(0.0, 0.0)] if self._filled else [])]:
            reading.lens.draw_disc(free, mm, radius, 0)
        again = reading.rest.scene == self.scene
        if again and self._bare is not None and self._bare_known is not None:
            self._bare = np.where(free > 0, reading.fine, self._bare)
            self._bare_known = self._bare_known | free
        else:
            self._bare, self._bare_known = reading.fine.copy(), free
        if again and self._last is not None and self._unknown is not None:
            self._last = np.where(hidden > 0, self._last, reading.fine)
            self._unknown = self._unknown & reading.rest.hidden
        else:
            self._last, self._unknown = reading.fine, reading.rest.hidden.copy()
        lying = [d.mm for d in table.values()]
        self._read = tuple(s for s in reading.discs if all(math.dist(s.disc.mm, mm) > SAME_PLACE_MM for mm in lying))
        self._colours = None if reading.known is None else reading.known.looks.now
        self.scene = reading.rest.scene

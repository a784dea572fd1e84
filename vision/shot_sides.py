"""Which side shot, told by the discs that came to lie on the board and those that are missing since the last rest."""

from collections.abc import Sequence
from typing import NamedTuple

from vision.change_clues import GROUP_SURE
from vision.doubts import Doubt, ShotDoubt, doubt
from vision.shot_seen import Newcomer
from vision.table_discs import TableDisc

UNKNOWN_SURE = 0.5
"""How sure it is which side shot, where nothing says so."""


class SideShot(NamedTuple):
    """The side that shot, by the number of its group, how sure that is (0..1), and why it isn't clear."""

    group: int
    sure: float
    doubts: tuple[Doubt, ...] = ()


def extra_discs(missing: Sequence[TableDisc], newcomers: Sequence[Newcomer]) -> dict[int, int]:
    """How many more discs came than are missing, for each group of which any came."""
    return {
        g: sum(n.group == g for n in newcomers) - sum(d.group == g for d in missing)
        for g in {n.group for n in newcomers}
    }


def left_there(
    taken: Sequence[TableDisc], missing: Sequence[TableDisc], newcomers: Sequence[Newcomer], suggested: int | None
) -> list[TableDisc]:
    """Discs that should have been taken off but weren't: gone only now, while more came than one shot brings.

    ``taken``: those gone that were to be taken off; ``missing``: the others; ``suggested``: the side on turn.
    """
    out: list[TableDisc] = []
    extra = extra_discs(missing, newcomers)
    for d in taken:
        more = sum(n for n in extra.values() if n > 0)
        if more > 1 and extra.get(d.group, 0) > (1 if d.group == suggested else 0):
            extra[d.group] -= 1
            out.append(d)
    return out


def who_shot(
    missing: Sequence[TableDisc], newcomers: Sequence[Newcomer], ditched: Sequence[int], suggested: int | None
) -> SideShot:
    """The side that shot: the one with a disc more than before, or else the one suggested by turn and start.

    ``ditched``: groups of the discs that are new in the ditch.
    """
    more = {g: n for g, n in extra_discs(missing, newcomers).items() if n > 0}
    if len(more) == 1 and max(more.values()) == 1:
        group = next(iter(more))
        sure = min(n.sure for n in newcomers if n.group == group)
        unclear = suggested is not None and suggested != group and sure < GROUP_SURE
        return SideShot(group, sure, (doubt(ShotDoubt.COLOUR_UNCLEAR),) if unclear else ())
    if more:
        group = suggested if suggested is not None and suggested in more else min(more)
        return SideShot(group, UNKNOWN_SURE, (doubt(ShotDoubt.TOO_MANY_CAME),))
    if suggested is not None:
        return SideShot(suggested, 1.0)
    if ditched:
        return SideShot(ditched[0], 1.0)
    return SideShot(0, UNKNOWN_SURE, (doubt(ShotDoubt.SIDE_UNSEEN),))

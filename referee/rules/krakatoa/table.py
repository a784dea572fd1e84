"""The dodecas before and after a throw: did it hit (K6), can every face be read (K17)?"""

from referee.rules.krakatoa.state import HIT_MM, UNREAD, Ruling, State, Throw, ThrowOff
from referee.rules.krakatoa.values import SETS, in_order


def readable(colours: str) -> bool:
    """Whether all three dodecas of a set lie there and show a face that can be read."""
    return len(colours) == 3 and UNREAD not in colours


def ruled_off(flagged: ThrowOff, ruling: Ruling) -> str:
    """Return the colours of a flagged throw-off with those ruled in their place (K17)."""
    return ruling.sets[SETS.index(flagged.set)] or flagged.colours


def ruled_sets(flagged: Throw, ruling: Ruling) -> tuple[str, str, str]:
    """Return the sets of a flagged throw with those ruled in their place (K17)."""
    return ruling.steam or flagged.steam, ruling.ash or flagged.ash, ruling.lava or flagged.lava


def faces_changed(state: State, event: Throw) -> bool:
    """Whether a set that was left on the table shows other colours than before the throw (K6).

    Dodecas that turned to another face of the same colour can't be told from these, which is what ``hit`` is for.
    """
    return any(
        before is not None and readable(after) and in_order(after) != before
        for name, before, after in zip(SETS, state.table, event.sets, strict=True)
        if name not in event.thrown
    )


def must_hit(state: State, event: Throw) -> bool:
    """Whether the throw has to hit: all but the first one and its rethrow (K5, K6)."""
    return state.throw > 1 and not (state.before is not None and event.all_nine)


def hit_unknown(state: State, event: Throw) -> bool:
    """Whether nothing tells if a throw that has to hit did (K6)."""
    return must_hit(state, event) and event.hit is None and event.moved_mm is None and not faces_changed(state, event)


def is_scratch(state: State, event: Throw) -> bool:
    """Whether the throw was seen to have missed (K6)."""
    if not must_hit(state, event) or event.hit or faces_changed(state, event):
        return False
    return event.hit is False or (event.moved_mm is not None and event.moved_mm < HIT_MM)

"""Why an event can't have happened in Krakatoa, and what of a throw must be ruled before it counts (K17)."""

from referee.rules.krakatoa.state import HIT_MM, UNREAD, Ruling, State, Throw, ThrowOff
from referee.rules.krakatoa.table import faces_changed, hit_unknown, must_hit, readable, ruled_off, ruled_sets
from referee.rules.krakatoa.values import COLOURS, SETS
from referee.rules.protocol import Fault


def throw_off_faults(state: State, event: ThrowOff, throwers: tuple[str, ...]) -> list[Fault]:
    """Return why this throw can't have been one of the throw-off (K3)."""
    faults = _turn_faults(state, event.player, throwers, "K3")
    if state.round and not state.over:
        faults.append(Fault("K3", "a throw-off during the game", "a throw"))
    faults += _set_faults((event.set,)) + _colour_faults(event.colours)
    return faults


def throw_faults(state: State, event: Throw, throwers: tuple[str, ...]) -> list[Fault]:
    """Return why this throw can't have been the one that is due (K1, K4-K6)."""
    faults = _turn_faults(state, event.player, throwers, "K4")
    if not state.round:
        faults.append(Fault("K3", "a throw before the throw-off is decided", "a throw-off"))
    faults += _set_faults(event.thrown)
    for colours in event.sets:
        faults += _colour_faults(colours)
    if event.moved_mm is not None and not event.moved_mm >= 0:
        faults.append(Fault("K6", f"a movement of {event.moved_mm} mm", "0 mm or more"))
    if faults:
        # Whether it hit can only be asked of a throw that makes sense.
        return faults
    if must_hit(state, event) and event.hit is False:
        if faces_changed(state, event):
            faults.append(Fault("K6", "no hit, though a set left on the table shows other faces", "a hit"))
        if event.moved_mm is not None and event.moved_mm >= HIT_MM:
            faults.append(Fault("K6", f"no hit, though a dodeca moved by {event.moved_mm} mm", "a hit"))
    return faults


def ruling_faults(state: State, event: Ruling) -> list[Fault]:
    """Return why this ruling can't be made (K17)."""
    if state.pending is None:
        return [Fault("K17", "a ruling where no throw waits for one", "a throw")]
    flagged = state.pending.event
    faults = []
    for colours in event.sets:
        if colours is not None:
            faults += _colour_faults(colours)
            if not readable(colours):
                faults.append(Fault("K17", f"{colours!r} ruled", "three colours that are known"))
    if isinstance(flagged, ThrowOff):
        ruled: tuple[str, ...] = (ruled_off(flagged, event),)
        if event.decision == "nothing":
            faults.append(Fault("K17", "a throw-off ruled to count nothing", "stands or again"))
    else:
        ruled = ruled_sets(flagged, event)
    if event.decision == "stands" and not all(map(readable, ruled)):
        faults.append(Fault("K17", f"colours still unknown: {' '.join(ruled)}", "all colours, to let it stand"))
    return faults


def flags_of_throw_off(event: ThrowOff) -> tuple[str, ...]:
    """Return what of a throw-off must be ruled before it counts (K17)."""
    return _unread(event.set, event.colours)


def flags_of(state: State, event: Throw) -> tuple[str, ...]:
    """Return what of a throw must be ruled before it counts: the wrong set, dodecas missing or unread (K5, K6, K17)."""
    found: tuple[str, ...] = ()
    rethrow = state.before is not None and event.all_nine
    if not rethrow and not any(set(event.thrown) == set(names) for names in state.due_sets):
        due = " or ".join("all nine" if names == SETS else names[0] for names in state.due_sets)
        found += (f"{' and '.join(event.thrown)} thrown, expected {due} (K5)",)
    for name, colours in zip(SETS, event.sets, strict=True):
        found += _unread(name, colours)
    if hit_unknown(state, event):
        found += ("not known whether it hit (K6)",)
    return found


def _unread(name: str, colours: str) -> tuple[str, ...]:
    found: tuple[str, ...] = ()
    if len(colours) < 3:
        found += (f"{3 - len(colours)} of {name} missing or off the table (K17)",)
    if UNREAD in colours:
        found += (f"{colours.count(UNREAD)} of {name} can't be read (K17)",)
    return found


def _turn_faults(state: State, player: str, throwers: tuple[str, ...], clause: str) -> list[Fault]:
    if state.over:
        return [Fault("K4", f"{player} throws after the last round", "no further event")]
    faults = []
    if state.pending is not None:
        faults.append(Fault("K17", "a throw while another waits for a ruling", "a ruling"))
    if player not in throwers:
        faults.append(Fault(clause, f"{player} throws out of turn", " or ".join(throwers)))
    return faults


def _set_faults(names: tuple[str, ...]) -> list[Fault]:
    faults = [Fault("K1", f"no such set: {name!r}", "steam, ash or lava") for name in names if name not in SETS]
    if not names:
        faults.append(Fault("K5", "nothing thrown", "at least one set"))
    if len(set(names)) != len(names):
        faults.append(Fault("K1", f"a set thrown twice: {', '.join(names)}", "each set once"))
    return faults


def _colour_faults(colours: str) -> list[Fault]:
    faults = []
    if len(colours) > 3:
        faults.append(Fault("K1", f"{len(colours)} dodecas in a set: {colours}", "three"))
    wrong = sorted(set(colours) - set(COLOURS + UNREAD))
    if wrong:
        faults.append(Fault("K1", f"no such colour: {', '.join(map(repr, wrong))}", "Y, R or B"))
    return faults

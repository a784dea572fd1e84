"""Who sits where in a scored video, and what is said where the film shows less than the match that was named."""

import numpy as np
import pytest
from test_match_ledger import IN_15, SEATS, Table, disc

from referee.crokinole_match import Ledger
from referee.match_json import Agreed, conclude, match_log
from referee.match_judging import SEAT_AZIMUTHS

WORDS = ("black", "natural")


def place(seat: str) -> tuple[float, float]:
    a = np.radians(SEAT_AZIMUTHS[seat])
    return 304.8 * float(np.cos(a)), 304.8 * float(np.sin(a))


def played(monkeypatch: pytest.MonkeyPatch, *shots: tuple[int, str | None], groups: int = 2) -> Ledger:
    """A ledger of shots told as (side, seat)."""
    table = Table(groups)
    for group, seat in shots:
        if seat is not None:
            monkeypatch.setitem(SEATS, group, place(seat))
        table.shoot(group, disc(IN_15) if seat else None, sure=1.0 if seat else 0.0)
    return table.ledger


@pytest.mark.parametrize("players", ["3", "2v1"])
@pytest.mark.parametrize("seats", ["AC", "BD", "AB", "AA"])
def test_three_players_of_which_a_film_shows_two_seats_still_have_a_score(
    players: str, seats: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = played(
        monkeypatch, *[(0, seats[0]), (1, seats[1])] * 3, groups=3 if players == "3" else 2
    )  # fmt: skip
    result = conclude(ledger, WORDS, Agreed(players))
    setup = result.engine.setup
    assert len(setup.seats) == 3 and len(ledger.score(setup)) == len(setup.sides)
    assert len(result.warnings) == 1 and f"--players {players}: shots were seen from" in result.warnings[0]
    match_log(result, {})


def test_two_against_one_is_seated_by_where_shots_come_from(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = played(monkeypatch, (0, "B"), (1, "A"), (0, "B"), (1, "C"), (0, "B"), (1, "A"), (0, "B"), (1, None))
    result = conclude(ledger, WORDS, Agreed("2v1"))
    setup = result.engine.setup
    assert setup.seats == ("A", "B", "C") and setup.sides == ("natural", "black") and setup.side_of == (0, 1, 0)
    assert [s.seat for s in ledger.shots[:4]] == ["B", "A", "B", "C"] and result.warnings == ()
    assert match_log(result, {}).entries[-1].event.seat in ("A", "C")  # of a shot that nobody saw start


def test_three_alone_are_seated_by_where_shots_come_from(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = played(monkeypatch, *[(0, "D"), (1, "B"), (2, "A")] * 2, groups=3)
    result = conclude(ledger, (*WORDS, "red"), Agreed("3"))
    setup = result.engine.setup
    assert setup.seats == ("A", "B", "D") and setup.sides == ("red", "natural", "black") and result.warnings == ()
    assert {s.group: s.seat for s in ledger.shots} == {0: "D", 1: "B", 2: "A"}


def test_a_seat_that_opens_but_that_nobody_took_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = played(monkeypatch, *[(0, "B"), (1, "D")] * 2)
    assert conclude(ledger, WORDS, Agreed(first="B")).warnings == ()
    (said,) = conclude(ledger, WORDS, Agreed(first="A")).warnings
    assert "--first A" in said and "B, D" in said

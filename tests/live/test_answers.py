"""Every answer that is offered works: played at random, all games, with what the rules can't take mixed in."""

import random
from itertools import repeat
from typing import Any

import pytest

from live.sources import NAME, Scripted
from referee.desk import Desk, OpenMatch
from referee.live import LiveTable
from referee.officials import Proposal, Question
from referee.officials.crokinole_fit import fitting
from referee.officials.crokinole_numbers import free_number
from referee.officials.crokinole_questions import Told, _question
from referee.officials.krakatoa import KrakatoaOfficial
from referee.officials.yacht import YachtOfficial
from referee.rules.crokinole import Recorded, Rest, Shot, State
from referee.rules.krakatoa import Ruling
from referee.rules.kraken.events import SEATS, Deal, Laid, Stake
from referee.rules.yacht import CATEGORIES, DICE, Fill
from referee.watchdog import WatchedSource
from vision.dice_rest import Rest as DiceRest
from vision.readings import Die, Dodeca

STEPS = 60


class Follower:
    """What a table needs of an official that is asked nothing."""

    def follow(self, _state: Any) -> None:
        """Nothing follows."""


def crokinole(match: OpenMatch, at: float, pick: random.Random) -> list[Proposal | Question]:
    """A shot by any seat, with discs that the log may not know."""
    state: State = match.log.state
    if state.shots >= state.stop:
        return [Proposal(Recorded(), at)]
    number = free_number(state)
    known = [d.id for d in state.board] + [90]
    touched = tuple(pick.sample(known, pick.randint(0, len(known))))
    rests = (Rest(number, "board", pick.choice((5, 15))), *(Rest(i, "ditch") for i in touched))
    seats = (*state.on_turn * 3, *state.setup.seats)
    shot = Shot(pick.choice(seats), number, None if pick.random() < 0.1 else touched, rests)
    fits = fitting(state, shot, pick.random() < 0.5)
    told = Told(at, fits.event, (), None)
    proposal = Proposal(fits.event, at)
    return [proposal if fits.why is None else _question(1, told, fits.why, proposal, fits)]


def yacht(match: OpenMatch, at: float, pick: random.Random) -> list[Proposal | Question]:
    """Dice of which some can't be read, any number of rolls; now and then a category is filled."""
    state = match.log.state
    official = YachtOfficial(match.log.engine, state)
    open_ones = [c for c in CATEGORIES if c not in dict(state.sheet[state.turn % len(state.sheet)])]
    if pick.random() < 0.3:
        return [Proposal(Fill(official._engine.player(state), pick.choice(open_ones or CATEGORIES)), at)]
    dice = tuple(
        Die(pick.randint(1, 6), (100.0 * i, 100.0 * pick.randint(0, 9)), 40.0, "flat", "white", pick.choice((0.5, 0.9)),
            tuple(pick.random() for _ in range(6)))
        for i in range(pick.choice((DICE, DICE, DICE + 1)))
    )  # fmt: skip
    return list(official.rested(DiceRest(at, at, dice)))


def krakatoa(match: OpenMatch, at: float, pick: random.Random) -> list[Proposal | Question]:
    """Dodecas thrown or hardly moved, some faces unread; what waits for a ruling is ruled now and then."""
    state = match.log.state
    if state.pending is not None and pick.random() < 0.5:
        return [Proposal(Ruling("again"), at)]
    official = KrakatoaOfficial(match.log.engine, state)
    names: tuple[Any, ...] = ("steam", "ash", "lava") if state.round else ("steam",)
    places = [(name, 100.0 * k, 100.0 * row) for row, name in enumerate(names) for k in range(3)]
    official._lay = tuple(Dodeca(name, "red", (x, y), 36.0, 0.99) for name, x, y in places)
    moved = {name: pick.choice((0.0, 5.0, 500.0)) for name in names}
    colours: tuple[Any, ...] = ("yellow", "red", "blue", None)
    dice = tuple(Dodeca(n, pick.choice(colours), (x + moved[n], y), 36.0, 0.99) for n, x, y in places)
    return list(official.rested(DiceRest(at, at, dice)))


def kraken(match: OpenMatch, at: float, pick: random.Random) -> list[Proposal | Question]:
    """Cards laid by anybody at any time: no camera follows this game, but what is told may be refused."""
    seat = pick.choice(SEATS)
    return [Proposal(pick.choice((Stake(5), Deal(seat), Laid(seat, pick.choice("789TJQKA") + "S"))), at)]


GAMES: dict[str, tuple[Any, dict[str, Any]]] = {
    "crokinole": (crokinole, {"discs": 3}),
    "crokinole, A begins": (crokinole, {"discs": 3, "first": "A"}),
    "crokinole of four": (crokinole, {"discs": 4, "players": "4"}),
    "crokinole, two against one": (crokinole, {"discs": 4, "players": "2v1", "first": "B"}),
    "yacht": (yacht, {"players": ["Ana", "Bo"]}),
    "krakatoa": (krakatoa, {"players": ["Ana", "Bo"]}),
    "kraken": (kraken, {}),
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_every_answer_that_is_offered_is_taken(desk: Desk, game: str, seed: int) -> None:
    telling, options = GAMES[game]
    pick = random.Random(seed)
    match = desk.create(game.partition(",")[0].partition(" ")[0], options, {})
    table = LiveTable(match, WatchedSource(NAME, opener=lambda _name: Scripted(repeat(None))), None)
    asked = 0
    for step in range(STEPS):
        if match.log.engine.winners(match.log.state) is not None:
            break
        table._take(telling(match, float(step), pick))
        for question in match.questions.all_open():
            offered = [i for i, refused in enumerate(match.refused(question)) if refused is None]
            if offered and pick.random() < 0.6:
                match.answer(question.key, pick.choice(offered), float(step), "Ana")
                asked += 1
            if match.log.stuck is not None:  # what follows an answer may no longer fit: taken back
                match.undo(float(step), "Ana")
    assert asked > 0
    table.close()

"""Kraken, the betting variation: cards, events, state, scoring and the engine over them (R1-R18)."""

from referee.rules.kraken.engine import KrakenEngine
from referee.rules.kraken.events import (
    SEATS,
    TEAMS,
    Challenge,
    Claim,
    Deal,
    Declare,
    DeclarePair,
    Event,
    Laid,
    Record,
    Stake,
    Trump,
)
from referee.rules.kraken.state import State

__all__ = [
    "SEATS",
    "TEAMS",
    "Challenge",
    "Claim",
    "Deal",
    "Declare",
    "DeclarePair",
    "Event",
    "KrakenEngine",
    "Laid",
    "Record",
    "Stake",
    "State",
    "Trump",
]

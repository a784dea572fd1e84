"""Krakatoa: values and bonuses, events and state, and the engine over them (K1-K17)."""

from referee.rules.krakatoa.engine import KrakatoaEngine
from referee.rules.krakatoa.state import Event, Ruling, State, Throw, ThrowOff
from referee.rules.krakatoa.values import SETS, VALUE_TABLES, ValueTable

__all__ = ["SETS", "VALUE_TABLES", "Event", "KrakatoaEngine", "Ruling", "State", "Throw", "ThrowOff", "ValueTable"]

"""Frozen dataclasses to JSON data and back, checked field by field, with the standard library alone.

Every game's events are small dataclasses; this is the one place that knows how they are written down.
Reading is strict: a wrong type, a missing or an unknown field raises ValueError that names the field.
"""

import types
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from math import isfinite
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


def to_json(value: Any) -> Any:
    """Return ``value`` as JSON data; dataclasses become objects without the fields left at their default."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name)) for f in fields(value) if getattr(value, f.name) != f.default}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (frozenset, set)):
        return [to_json(item) for item in sorted(value)]
    if isinstance(value, (tuple, list)):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): to_json(item) for key, item in value.items()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{type(value).__name__} can't be written as JSON")


def from_json(kind: Any, data: Any, where: str = "") -> Any:
    """Return ``data`` as a value of the type ``kind``; ``where`` names the field in the message of a ValueError."""
    if kind is Any:
        return data
    if isinstance(kind, type) and is_dataclass(kind):
        return _object(kind, data, where)
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _union(get_args(kind), data, where)
    if origin is Literal:
        # bool is an int and True == 1, so that the type counts as well as the value
        if not any(type(data) is type(choice) and data == choice for choice in get_args(kind)):
            raise _wrong(where, "one of " + ", ".join(repr(c) for c in get_args(kind)), data)
        return data
    if origin in (tuple, frozenset, list):
        return _sequence(origin, get_args(kind), data, where)
    return _mapping(get_args(kind), data, where) if origin is dict else _scalar(kind, data, where)


def _mapping(kinds: tuple[Any, ...], data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise _wrong(where, "an object", data)
    key_kind, item_kind = kinds
    return {from_json(key_kind, k, where): from_json(item_kind, v, f"{where}.{k}") for k, v in data.items()}


def _scalar(kind: Any, data: Any, where: str) -> Any:
    if isinstance(kind, type) and issubclass(kind, Enum):
        try:
            return kind(data)
        except ValueError:
            raise _wrong(where, "one of " + ", ".join(repr(c.value) for c in kind), data) from None
    if kind is float and type(data) in (int, float) and isfinite(data):
        return float(data)
    expected = {int: "a whole number", str: "a text", bool: "true or false", float: "a number", type(None): "null"}
    if kind not in expected:
        raise TypeError(f"{kind} has no JSON form")
    if type(data) is not kind or kind is float:
        raise _wrong(where, expected[kind], data)
    return data


def _union(kinds: tuple[Any, ...], data: Any, where: str) -> Any:
    problem: ValueError | None = None
    for kind in kinds:
        try:
            return from_json(kind, data, where)
        except ValueError as error:
            # the first alternative is the value itself, a later one mostly None: its message says more
            problem = problem or error
    assert problem is not None
    raise problem


def _sequence(origin: Any, kinds: tuple[Any, ...], data: Any, where: str) -> Any:
    if not isinstance(data, (list, tuple)):
        raise _wrong(where, "a list", data)
    if origin is tuple and (len(kinds) < 2 or kinds[1] is not Ellipsis):
        if len(data) != len(kinds):
            raise _wrong(where, f"a list of {len(kinds)}", data)
        return tuple(from_json(k, item, f"{where}[{i}]") for i, (k, item) in enumerate(zip(kinds, data, strict=True)))
    return origin(from_json(kinds[0], item, f"{where}[{i}]") for i, item in enumerate(data))


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _object(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise _wrong(where, "an object", data)
    known = {f.name: f for f in fields(kind)}
    for name in data:
        if name not in known:
            raise ValueError(f"unknown field {_path(where, str(name))!r}; known are {', '.join(known) or 'none'}")
    values: dict[str, Any] = {}
    for name, field in known.items():
        if name in data:
            values[name] = from_json(_hints(kind)[name], data[name], _path(where, name))
        elif field.default is MISSING and field.default_factory is MISSING:
            raise ValueError(f"field {_path(where, name)!r} is missing")
    return kind(**values)


def _path(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _wrong(where: str, expected: str, data: Any) -> ValueError:
    shown = repr(data)
    return ValueError(f"field {where or 'value'!r} is {shown[:60]}, expected {expected}")


class Kinds:
    """The events of one game by the word in their ``kind``: ``Kinds(shot=Shot, round=Round)``."""

    def __init__(self, **classes: type) -> None:
        self.classes = classes
        self._names = {cls: name for name, cls in classes.items()}

    def to_json(self, event: Any) -> dict[str, Any]:
        """Return the event as a JSON object with its ``kind`` first."""
        name = self._names.get(type(event))
        if name is None:
            raise TypeError(f"{type(event).__name__} is no event of this game")
        return {"kind": name, **to_json(event)}

    def from_json(self, data: Any) -> Any:
        """Return the event that ``data`` describes; raises ValueError naming the wrong field."""
        if not isinstance(data, dict):
            raise _wrong("event", "an object", data)
        kind = data.get("kind")
        cls = self.classes.get(kind) if isinstance(kind, str) else None
        if cls is None:
            raise _wrong("kind", "one of " + ", ".join(self.classes), kind)
        return from_json(cls, {name: item for name, item in data.items() if name != "kind"})

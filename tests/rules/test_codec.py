"""Dataclasses to JSON and back, strictly."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

import pytest

from referee.rules.codec import Kinds, from_json, to_json


class Suit(Enum):
    CLUBS = "C"
    HEARTS = "H"


@dataclass(frozen=True)
class Inner:
    id: int
    place: Literal["board", "hole"] = "board"
    mm: float | None = None


@dataclass(frozen=True)
class Outer:
    name: str
    inner: tuple[Inner, ...] = ()
    pair: tuple[int, str] | None = None
    kept: frozenset[int] = frozenset()
    sure: bool = True
    hands: dict[str, tuple[int, ...]] = field(default_factory=dict)
    suit: Suit | None = None
    extra: Any = None
    level: Literal[1, "x"] = 1
    row: list[int] = field(default_factory=list)


FULL = Outer("a", (Inner(1), Inner(2, "hole", 0.5)), (3, "b"), frozenset({2, 1}), False, {"N": (1, 2)}, Suit.HEARTS,
             [1, {"z": None}], "x", [4])  # fmt: skip
DATA = {
    "name": "a",
    "inner": [{"id": 1}, {"id": 2, "place": "hole", "mm": 0.5}],
    "pair": [3, "b"],
    "kept": [1, 2],
    "sure": False,
    "hands": {"N": [1, 2]},
    "suit": "H",
    "extra": [1, {"z": None}],
    "level": "x",
    "row": [4],
}


def test_there_and_back() -> None:
    assert to_json(FULL) == DATA
    assert from_json(Outer, DATA) == FULL
    assert from_json(Outer, {"name": "a"}) == Outer("a")


def test_fields_at_their_default_are_left_out() -> None:
    assert to_json(Outer("a", hands={"N": ()})) == {"name": "a", "hands": {"N": []}, "row": []}


def test_a_whole_number_is_a_number() -> None:
    value = from_json(Inner, {"id": 1, "mm": 2})
    assert value == Inner(1, mm=2.0)
    assert type(value.mm) is float


def test_keys_become_texts_and_sets_are_sorted() -> None:
    assert to_json({1: {3, 2}}) == {"1": [2, 3]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 3}, "field 'name' is 3, expected a text"),
        ({"name": None}, "field 'name' is None, expected a text"),
        ({"inner": 3}, "field 'inner' is 3, expected a list"),
        ({"inner": "ab"}, "field 'inner' is 'ab', expected a list"),
        ({"inner": [{}]}, "field 'inner[0].id' is missing"),
        ({"inner": [3]}, "field 'inner[0]' is 3, expected an object"),
        ({"inner": [{"id": 1, "x": 2}]}, "unknown field 'inner[0].x'; known are id, place, mm"),
        ({"inner": [{"id": 1}, {"id": True}]}, "field 'inner[1].id' is True, expected a whole number"),
        ({"inner": [{"id": 1.0}]}, "field 'inner[0].id' is 1.0, expected a whole number"),
        ({"inner": [{"id": 1, "place": "air"}]}, "field 'inner[0].place' is 'air', expected one of 'board', 'hole'"),
        ({"inner": [{"id": 1, "mm": "1"}]}, "field 'inner[0].mm' is '1', expected a number"),
        ({"inner": [{"id": 1, "mm": True}]}, "field 'inner[0].mm' is True, expected a number"),
        ({"inner": [{"id": 1, "mm": float("nan")}]}, "field 'inner[0].mm' is nan, expected a number"),
        ({"inner": [{"id": 1, "mm": float("inf")}]}, "field 'inner[0].mm' is inf, expected a number"),
        ({"pair": [3]}, "field 'pair' is [3], expected a list of 2"),
        ({"pair": [3, 4]}, "field 'pair[1]' is 4, expected a text"),
        ({"kept": [1, "2"]}, "field 'kept[1]' is '2', expected a whole number"),
        ({"sure": 1}, "field 'sure' is 1, expected true or false"),
        ({"hands": []}, "field 'hands' is [], expected an object"),
        ({"hands": {"N": 3}}, "field 'hands.N' is 3, expected a list"),
        ({"hands": {3: []}}, "field 'hands' is 3, expected a text"),
        ({"suit": "X"}, "field 'suit' is 'X', expected one of 'C', 'H'"),
        ({"level": True}, "field 'level' is True, expected one of 1, 'x'"),
        ({"row": 3}, "field 'row' is 3, expected a list"),
        ({"row": "x" * 100}, "field 'row' is '" + "x" * 59 + ", expected a list"),
        (
            {"other": 3},
            "unknown field 'other'; known are name, inner, pair, kept, sure, hands, suit, extra, level, row",
        ),
    ],
)
def test_wrong_fields_are_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        from_json(Outer, {**DATA, **change})
    assert str(caught.value) == message


def test_what_is_not_inside_a_field() -> None:
    with pytest.raises(ValueError, match=r"^field 'value' is 'x', expected a whole number$"):
        from_json(int, "x")
    with pytest.raises(ValueError, match=r"^field 'value' is 3, expected an object$"):
        from_json(Inner, 3)
    assert from_json(type(None), None) is None
    with pytest.raises(ValueError, match="expected null"):
        from_json(type(None), 0)


def test_types_without_a_json_form_are_programming_errors() -> None:
    with pytest.raises(TypeError, match=r"^complex can't be written as JSON$"):
        to_json(1j)
    with pytest.raises(TypeError, match=r"^type can't be written as JSON$"):
        to_json(Inner)
    with pytest.raises(TypeError, match=r"^<class 'complex'> has no JSON form$"):
        from_json(complex, 1)


@dataclass(frozen=True)
class Empty:
    pass


def test_kinds_name_events_and_refuse_others() -> None:
    kinds = Kinds(inner=Inner, empty=Empty)
    assert kinds.classes == {"inner": Inner, "empty": Empty}
    assert kinds.to_json(Inner(1)) == {"kind": "inner", "id": 1}
    assert next(iter(kinds.to_json(Inner(1)))) == "kind"
    assert kinds.from_json({"kind": "inner", "id": 1}) == Inner(1)
    assert kinds.from_json({"kind": "empty"}) == Empty()
    with pytest.raises(TypeError, match=r"^Outer is no event of this game$"):
        kinds.to_json(Outer("a"))
    for data, message in (
        (3, "field 'event' is 3, expected an object"),
        ({}, "field 'kind' is None, expected one of inner, empty"),
        ({"kind": "x"}, "field 'kind' is 'x', expected one of inner, empty"),
        ({"kind": ["inner"]}, "field 'kind' is ['inner'], expected one of inner, empty"),
        ({"kind": "inner"}, "field 'id' is missing"),
        ({"kind": "empty", "a": 1}, "unknown field 'a'; known are none"),
    ):
        with pytest.raises(ValueError) as caught:
            kinds.from_json(data)
        assert str(caught.value) == message

"""Documents of the state: what they say, and what becomes of those of other versions and of other texts."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from ordermade.errors import StateDamaged, StateNewer
from ordermade.state.documents import Fields, JsonFields, Upgrade, tuple_of
from ordermade.state.table import Table


@dataclass(frozen=True, slots=True)
class Part:
    of: str
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    id: int
    kind: str
    name: str = ""
    parts: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    weight: float | None = None
    made_of: tuple[Part, ...] = ()


def a_document(*upgrades: Upgrade) -> JsonFields:
    return JsonFields("thing", "said", frozenset({"id"}), {"made_of": tuple_of(Part)}, upgrades)


def test_a_document_says_what_has_no_column_and_is_not_empty() -> None:
    document = a_document()
    said = document.fields(Thing(id=1, kind="", name="状態", parts=("a", "b"), weight=0.0))
    assert said == {"kind": "", "name": "状態", "parts": ("a", "b"), "weight": 0.0}
    text = document.text(said)
    assert text == '{"version":1,"kind":"","name":"状態","parts":["a","b"],"weight":0.0}'
    assert document.read(text) == {"kind": "", "name": "状態", "parts": ["a", "b"], "weight": 0.0}
    with pytest.raises(ValueError, match="JSON"):
        document.text({"weight": float("inf")})


def test_the_record_of_a_row_is_what_was_stored() -> None:
    things = Table("things", Thing, document=a_document())
    assert things.columns == ("id", "said")
    thing = Thing(id=1, kind="a", name="状態", parts=("a", "b"), counts={"x": 1}, made_of=(Part("b", 2), Part("c")))
    values = things.values_of(thing)
    assert things.made(tuple(values[each] for each in things.columns)) == thing
    nothing = things.made((2, '{"version":1}'))
    assert (nothing.kind, nothing.parts, nothing.made_of) == (None, (), ())


def least_k(said: Fields) -> Fields:
    """Version 2 calls `k` the least k."""
    return {"least_k" if name == "k" else name: value for name, value in said.items()}


def without_unit(said: Fields) -> Fields:
    """Version 3 has no unit."""
    return {name: value for name, value in said.items() if name != "unit"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"version":1,"k":5,"unit":"row"}', {"least_k": 5}),
        ('{"version":2,"least_k":5,"unit":"row"}', {"least_k": 5}),
        ('{"version":3,"least_k":5}', {"least_k": 5}),
    ],
)
def test_a_document_of_any_earlier_version_is_read_as_of_this_one(text: str, said: Fields) -> None:
    assert a_document(least_k, without_unit).read(text) == said


def test_a_document_of_a_later_version_is_refused() -> None:
    with pytest.raises(StateNewer, match="a thing of this state was written by a later ordermade"):
        a_document().read('{"version":2,"k":5}')


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"version":"1"}', '{"version":0}', '{"version":1', "1"])
def test_what_is_no_document_is_damage_that_is_named(text: str) -> None:
    with pytest.raises(StateDamaged, match="the document of a thing"):
        a_document().read(text)

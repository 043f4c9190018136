"""Documents of the state: what they say, and what becomes of those of other versions and of other texts."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from ordermade.errors import StateDamaged, StateNewer
from ordermade.state.documents import Document, Fields


@dataclass(frozen=True, slots=True)
class Thing:
    id: int
    name: str = ""
    parts: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    weight: float | None = None


def test_a_document_says_what_has_no_column_and_is_not_empty() -> None:
    document = Document("thing", in_columns=frozenset({"id"}))
    said = document.fields(Thing(1, "状態", ("a", "b"), {}, 0.0))
    assert said == {"name": "状態", "parts": ("a", "b"), "weight": 0.0}
    text = document.text(said)
    assert text == '{"version":1,"name":"状態","parts":["a","b"],"weight":0.0}'
    assert document.read(text) == {"name": "状態", "parts": ["a", "b"], "weight": 0.0}
    with pytest.raises(ValueError, match="JSON"):
        document.text({"weight": float("inf")})


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
    assert Document("thing", upgrades=(least_k, without_unit)).read(text) == said


def test_a_document_of_a_later_version_is_refused() -> None:
    with pytest.raises(StateNewer, match="a thing of this state was written by a later ordermade"):
        Document("thing").read('{"version":2,"k":5}')


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"version":"1"}', '{"version":0}', '{"version":1', "1"])
def test_what_is_no_document_is_damage_that_is_named(text: str) -> None:
    with pytest.raises(StateDamaged, match="the document of a thing"):
        Document("thing").read(text)

"""Readings of messy texts give the same values in every kind of source; profiles count as Python does."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from decimal import Decimal

import pytest

from ordermade.counting.dataset import relation
from ordermade.counting.profile import column_profiles
from ordermade.drafts.text_column import Dialect, ReadingContext
from ordermade.drafts.text_formats import FORMS
from ordermade.drafts.text_parsers import dataset_query, reading_of
from ordermade.errors import OrdermadeError
from ordermade.requests.dataset_query import parse_dataset_query
from ordermade.sources.backend import Backend, qualified
from ordermade.sources.executor import Purpose
from tests.conformance.backends import Made, Table, dataset, opened, the_table
from tests.messy_texts import KINDS, column_of

Make = Callable[[Table], Made]
DIALECTS: dict[str, Dialect] = {"sqlite": "sqlite", "postgresql": "postgres", "mysql": "mysql"}
ROWS = 60


def answer(backend: Backend, query: str) -> list[tuple[object, ...]]:
    tree = qualified(backend, parse_dataset_query(query))
    return backend.executor.rows(Purpose.CATALOG, relation(tree, None))


def comparable(value: object) -> object:
    """The value, a number as one that equals it in any type."""
    return Decimal(repr(value)) if isinstance(value, float) else value


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_reading_gives_the_values_that_texts_are_written_for(make: Make, seed: int) -> None:
    columns = {kind: column_of(kind, ROWS, seed) for kind in KINDS}
    rows = list(zip(range(ROWS), *([text for text, _ in pairs] for pairs in columns.values()), strict=True))
    made = make(Table("messy", {"id": "INTEGER", **dict.fromkeys(columns, "VARCHAR")}, rows))
    with opened(made) as backend:
        found = dataset(backend)
        profiles = column_profiles(found, forms=FORMS)
        readings = [reading_of(each, ReadingContext(DIALECTS.get(made.kind, "duckdb"))) for each in profiles]
        assert [each.column for each in readings if each is not None] == list(columns)
        query = dataset_query(
            the_table(backend).name,
            [each.name for each in found.columns],
            [each for each in readings if each is not None],
        )
        answered = sorted(answer(backend, query), key=lambda row: str(row[0]).zfill(9))
    for place, (kind, pairs) in enumerate(columns.items(), 1):
        assert [comparable(row[place]) for row in answered] == [value for _, value in pairs], kind


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["thousands", "dollars", "day"])
def test_a_text_that_is_none_of_the_form_is_an_error(make: Make, kind: str) -> None:
    texts = [text for text, _ in column_of(kind, ROWS, 0)]
    made = make(Table("messy", {"c": "VARCHAR"}, [(text,) for text in texts]))
    with opened(made) as backend:
        (profile,) = column_profiles(dataset(backend), forms=FORMS)
    reading = reading_of(profile, ReadingContext(DIALECTS.get(made.kind, "duckdb")))
    assert reading is not None
    later = make(Table("messy", {"c": "VARCHAR"}, [*((text,) for text in texts), ("twelve",)]))
    with opened(later) as backend, pytest.raises(OrdermadeError) as error:
        answer(backend, dataset_query(the_table(backend).name, ["c"], [reading]))
    assert "twelve" not in str(error.value)


@pytest.mark.slow
def test_a_profile_counts_as_python_does(make: Make) -> None:
    chosen = random.Random(4)
    types = {
        "few": "INTEGER",
        "many": "INTEGER",
        "text": "VARCHAR",
        "fraction": "DOUBLE",
        "none": "VARCHAR",
        'a "b': "VARCHAR",
    }
    rows = [
        (
            chosen.choice([1, 2, 3, None]),
            chosen.randrange(10**6),
            chosen.choice(["x", "y z", "zz", None, "東京 都"]),
            chosen.choice([0.5, 1.25, -3.0]),
            None,
            chosen.choice(["é", "e"]),
        )
        for _ in range(500)
    ]
    with opened(make(Table("t", types, rows))) as backend:
        profiles = column_profiles(dataset(backend))
    for profile, values in zip(profiles, zip(*rows, strict=True), strict=True):
        counts = Counter(each for each in values if each is not None)
        assert (profile.rows, profile.nulls) == (500, sum(each is None for each in values))
        assert profile.distinct == len(counts)
        assert profile.single == sum(n == 1 for n in counts.values())
        assert [each.rows for each in profile.values] == sorted(counts.values(), reverse=True)[: len(profile.values)]
        ordered = sorted(counts.elements())
        if profile.quantiles:
            exact = [ordered[min(max(-(-place * len(ordered) // 40) - 1, 0), len(ordered) - 1)] for place in range(41)]
            assert list(profile.quantiles) == [Decimal(str(each)) for each in exact]
        if profile.shortest is not None:
            assert (profile.shortest, profile.longest) == (min(map(len, counts)), max(map(len, counts)))
            words = sum(n * (1 + each.count(" ")) for each, n in counts.items()) / counts.total()
            assert profile.words == pytest.approx(words)
    assert profiles[1].lists_all is False
    assert len(profiles[1].values) == 200

"""The least k of a dataset: which counts are shown, which k and which filters a request may ask for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ordermade.counting.coverage import CoverageFit, require_coverage
from ordermade.errors import HierarchyError, RequestError
from ordermade.privacy.least_k import DEFAULT_TERMS, NO_TERMS, DatasetTerms, in_words, numbered, shown, too_few
from ordermade.requests.read import read_request
from ordermade.requests.resolve_microaggregation import resolve_microaggregation

COLUMNS = {"age": "INTEGER", "sex": "VARCHAR", "member": "INTEGER"}
REQUEST = """\
dataset: people
method: microaggregation
k: {k}
where: "{where}"
attributes: {{age: }}
release: {{to: out.csv}}
"""


def test_a_count_below_the_least_k_is_the_same_whichever_it_is() -> None:
    assert {shown(count, 5) for count in range(5)} == {None}
    assert {in_words(count, 5) for count in range(5)} == {"fewer than 5"}
    assert (shown(5, 5), in_words(1_234, 5)) == (5, "1,234")
    assert (shown(0, 0), in_words(0, 0)) == (0, "0")  # of a table that nobody registered every count is shown


def test_words_fit_their_number() -> None:
    assert [numbered(n, "row has", "rows have") for n in (0, 1, 1_200)] == [
        "0 rows have",
        "1 row has",
        "1,200 rows have",
    ]
    assert {numbered(n, "row has", "rows have", 5) for n in range(5)} == {"fewer than 5 rows have"}


def test_one_message_for_none_and_for_fewer_than_k() -> None:
    assert {too_few(20, units) for units in range(20)} == {"fewer than 20 rows remain, so nothing can be released"}
    assert too_few(20, 3, "persons") == "fewer than 20 persons remain, so nothing can be released"
    assert too_few(20, 20) is None


def problems(terms: DatasetTerms, k: int = 20, where: str = "age >= 18") -> str:
    """The mistakes of a request under these terms; empty if it has none."""
    try:
        resolve_microaggregation(read_request(REQUEST.format(k=k, where=where)), COLUMNS, {}, None, terms)  # type: ignore[arg-type]
    except RequestError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("where", ["age >= 18", "AGE >= 18 AND sex = 'f'", "member = 3 OR sex = 'm'"])
def test_no_terms_allow_every_filter(where: str) -> None:
    assert problems(NO_TERMS, 2, where) == ""
    assert problems(DEFAULT_TERMS, 5, where) == ""


def test_a_k_below_the_least_k_is_a_mistake_of_its_field() -> None:
    assert "request:3: k: k of 4 is less than 5, the least k of the dataset 'people'; write a k of 5 or more" in (
        problems(DEFAULT_TERMS, 4)
    )
    assert problems(DatasetTerms(least_k=2), 2) == ""


def test_a_filter_by_another_column_is_a_mistake_that_names_it_and_those_allowed() -> None:
    terms = DatasetTerms(where_columns=("age", "sex"))
    assert problems(terms, 20, "Age >= 18 AND sex = 'f'") == ""
    told = problems(terms, 20, "age >= 18 AND member = 3")
    assert "request:4: where: the dataset 'people' is not filtered by 'member'; filter by 'age', 'sex' alone" in told


def test_where_no_filter_is_taken_any_is_a_mistake() -> None:
    told = problems(DatasetTerms(where_columns=()), 20, "age >= 18")
    assert "request:4: where: the dataset 'people' takes no row filter by 'age'; leave the filter out" in told


def test_mistakes_of_both_terms_are_named_at_once() -> None:
    told = problems(DatasetTerms(least_k=50, where_columns=()), 20)
    assert "the least k of the dataset" in told
    assert "takes no row filter" in told


@pytest.mark.parametrize("left", range(5))
def test_the_rows_that_a_hierarchy_covers_follow_from_no_message(left: int) -> None:
    """Of 600 rows, 0 to 4 are covered: whoever knows that there are 600 reads the same words of each."""
    attribute: Any = SimpleNamespace(column="age", hierarchy=SimpleNamespace(name="age"))
    found = CoverageFit(29, 600 - left, 0, 600, 30, 0.0)
    with pytest.raises(HierarchyError, match=r"29 values of the column, in 596 rows or more, are not in the hierarchy"):
        require_coverage(found, attribute, 5)

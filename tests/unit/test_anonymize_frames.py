"""`anonymize` and `measure` on frames and files, and hierarchies as Python has them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ordermade import HierarchyError, InputError, OrdermadeError, Refused, anonymize, measure
from ordermade.anonymization.anonymized import ComparedRelease

ROWS = 60


def made() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [20 + number % 20 for number in range(ROWS)],
            "town": ["Kyoto", "Otsu", "Uji"] * (ROWS // 3),
            "ill": ["flu", "cold", "gout", "none"] * (ROWS // 4),
            "thing": [{number} for number in range(ROWS)],
        }
    )


TENS: dict[str, Any] = {
    "mapping": {age: f"{age // 10 * 10}s" for age in range(20, 40)},
    "labels of two levels": {age: [f"{age // 10 * 10}s", "*"] for age in range(20, 40)},
    "pandas": pd.DataFrame({"age": range(20, 40), "tens": [f"{age // 10 * 10}s" for age in range(20, 40)]}),
    "polars": pl.DataFrame({"age": range(20, 40), "tens": [f"{age // 10 * 10}s" for age in range(20, 40)]}),
    "function": lambda age: f"{age // 10 * 10}s",
    "functions": [lambda age: f"{age // 10 * 10}s", lambda _: "*"],
    "rule": {"intervals": {"origin": 0, "levels": [{"width": 10}]}},
    "text": "intervals:\n  origin: 0\n  levels: [{width: 10}]\n",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [pytest.param(each, marks=() if each in ("mapping", "functions") else pytest.mark.thorough) for each in TENS],
)
def test_a_hierarchy_is_given_as_python_has_it(given: str) -> None:
    release = anonymize(made(), k=30, quasi_identifiers=["age"], hierarchies={"age": TENS[given]})
    labels = {"[20, 30)", "[30, 40)"} if given in ("rule", "text") else {"20s", "30s"}
    assert set(release.frame()["age"]) == labels
    assert release.k == 30


@pytest.mark.slow
def test_the_methods_compared_are_shown_with_their_loss() -> None:
    release = anonymize(made(), k=30, quasi_identifiers=["age"], hierarchies={"age": TENS["mapping"]})
    assert "compared" not in repr(release)

    compared = (
        ComparedRelease("full-domain", 0.25, 0),
        ComparedRelease("local", 0.125, None),
        ComparedRelease("mondrian", None, None, "no"),
    )
    shown = repr(replace(release, compared=compared))
    assert "full-domain 0.25, local 0.125, mondrian -" in shown
    assert shown.startswith(repr(release).splitlines()[0])


@pytest.mark.slow
def test_texts_that_are_read_otherwise_are_said() -> None:
    table = pd.DataFrame(
        {"town": ["Kyoto", "Kyoto "] * 10, "date": ["2024-01-05", "2024/1/6"] * 10, "left": [" "] * 20}
    )
    release = anonymize(table, k=5, quasi_identifiers=["town"], sensitive=["date"])
    assert set(release.frame()["town"]) == {"Kyoto"}
    assert [each.split(", in")[0].rstrip(".") for each in release.result.warnings] == [
        "the column 'town' is not in all as it was: it is read as texts with blanks before or after them",
        "the column 'date' is not in all as it was: it is read as dates",
    ]
    assert "Kyoto" not in " ".join(release.result.warnings)


@pytest.mark.slow
def test_persons_are_told_apart_as_they_are_written() -> None:
    persons = [f"{number}{blank}" for number in range(10) for blank in ("", " ")]
    table = pd.DataFrame({"person": persons, "sex": ["f", "f", "m", "m"] * 5})
    release = anonymize(
        table, k=8, quasi_identifiers=["sex"], entity="person", hierarchies={"sex": {"f": "*", "m": "*"}}
    )
    assert release.k == 10
    assert release.result.levels == {"sex": 0}
    assert release.result.warnings == ()


@pytest.mark.parametrize("texts", [["a\rb", "c\nd"], ["\r", "\r\n"], ['"', "',"]], ids=["lines", "ends", "quotes"])
def test_a_mapping_lists_any_text(texts: list[str]) -> None:
    table = pd.DataFrame({"text": texts * 10, "number": pd.Series([1, None] * 10, dtype="Int64")})
    numbers: dict[Any, str] = {1: "*", pd.NA: "*"}
    release = anonymize(
        table,
        k=5,
        quasi_identifiers=["text", "number"],
        hierarchies={"text": dict.fromkeys(texts, "*"), "number": numbers},
    )
    assert set(release.frame()["text"]) == set(texts)
    assert release.frame()["number"].isna().sum() == 10


@pytest.mark.parametrize("role", ["quasi_identifiers", "keep"])
def test_a_missing_value_in_a_dictionary_is_one(role: str) -> None:
    part = pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(["a", None]))
    table = pa.table({"town": ["Uji"] * 30, "kind": pa.chunked_array([part] * 10)})
    roles: dict[str, Any] = {"quasi_identifiers": ["town"]} | {role: ["kind"]}
    back = anonymize(table, k=5, **roles).frame()["kind"]
    assert back.type == table["kind"].type
    assert sorted(back.to_pylist(), key=str) == [None] * 20 + ["a"] * 10


@pytest.mark.slow
def test_functions_are_called_once_for_each_different_value() -> None:
    seen: list[int] = []

    def tens(age: int) -> str:
        seen.append(age)
        return str(age // 10)

    anonymize(made(), k=5, quasi_identifiers=["age"], hierarchies={"age": tens})
    assert sorted(seen) == list(range(20, 40))


class Unprintable:
    """An object that fails when its text is asked for."""

    def __str__(self) -> str:
        raise RuntimeError


def _half(age: int) -> str:
    return str(age // 3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hierarchy", "what"),
    [
        ([lambda age: age // 10, _half], "function 2 (_half) gives two labels to values that function 1 gives one"),
        (lambda age: [age], "function 1 gives a list, which is no label"),
        (lambda _: None, "function 1 gives nothing for a value"),
        (lambda age: 1 / (age - 20), "function 1 fails with ZeroDivisionError"),
        ({20: ["a", "b"], 21: ["a"]}, "labels of different number"),
        ({20: None}, "a label is missing or empty"),
        (pd.DataFrame({"age": [20]}), "the frame has no column of labels"),
        (7, "an int is no hierarchy"),
        (lambda age: b"x", "function 1 gives a bytes, which is no label"),
        (lambda age: iter([age]), "function 1 gives a list_iterator, which is no label"),
        (lambda age: chr(0xD800), "a label holds a character that no text has"),
        ({20: "a" + chr(0)}, "a label holds a character that no text has"),
        (lambda _: Unprintable(), "function 1 fails with RuntimeError"),
        (pd.DataFrame({"age": [20, 20], "label": ["a", "b"]}), "1 value is listed twice"),
        ("intervals:\n  levels: 5", "the hierarchy of 'age':2"),
    ],
    ids=range(15),
)
def test_a_hierarchy_that_is_none_is_named_without_values(hierarchy: Any, what: str) -> None:
    with pytest.raises(HierarchyError) as refused:
        anonymize(made(), k=5, quasi_identifiers=["age"], hierarchies={"age": hierarchy})
    assert what in str(refused.value)
    assert refused.value.next_step
    assert "the hierarchy of 'age'" in str(refused.value)


@pytest.mark.slow
def test_columns_without_a_name_are_left_out_and_models_hold() -> None:
    release = anonymize(made(), k=5, quasi_identifiers=["town"], sensitive={"ill": "distinct_l 3"})
    assert list(release.frame().columns) == ["town", "ill"]
    assert release.frame().groupby("town")["ill"].nunique().min() >= 3


@pytest.mark.slow
def test_without_roles_the_call_to_give_is_proposed() -> None:
    frame = made().drop(columns="thing")
    with pytest.raises(InputError, match="accept_roles=True") as refused:
        anonymize(frame, k=5)
    assert "quasi_identifiers=['age'" in str(refused.value)
    assert anonymize(frame, k=5, accept_roles=True).k >= 5


@pytest.mark.slow
def test_a_file_comes_back_as_a_frame_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    made().drop(columns="thing").to_csv(path, index=False)
    release = anonymize(path, k=5, quasi_identifiers=["age"], keep=["town"])
    assert len(release.frame()) == ROWS
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.slow
def test_periods_and_intervals_that_are_generalised_come_back_as_labels() -> None:
    months = [f"2020-{1 + number % 12:02}" for number in range(120)]
    frame = pd.DataFrame(
        {
            "month": pd.PeriodIndex(months, freq="M"),
            "span": pd.IntervalIndex.from_breaks(range(13)).take([number % 12 for number in range(120)]),
            "other": pd.PeriodIndex(months, freq="M"),
        }
    )
    halves = {
        str(each): f"half {place // 6}"
        for column in ("month", "span")
        for place, each in enumerate(sorted(frame[column].unique()))
    }
    released = anonymize(
        frame,
        k=20,
        quasi_identifiers=["month", "span"],
        keep=["other"],
        hierarchies={"month": halves, "span": halves},
    ).frame()
    assert set(released["month"]) == {"half 0", "half 1"} == set(released["span"])
    assert released["other"].dtype == frame["other"].dtype


@pytest.mark.thorough
def test_further_keys_of_a_request_count() -> None:
    release = anonymize(made(), k=5, quasi_identifiers=["town"], release={"shape": "table"})
    assert list(release.frame().columns) == ["town", "count"]


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["local", "mondrian", "microaggregation"])
def test_every_method_gives_a_frame_back(method: str) -> None:
    release = anonymize(pl.from_pandas(made().drop(columns="thing")), k=5, quasi_identifiers=["age"], method=method)
    frame = release.frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame.group_by("age").len()["len"].min() >= 5


@pytest.mark.thorough
def test_histories_give_a_frame_back() -> None:
    frame = made().assign(day=pd.Timestamp("2020-01-01"), price=1.5)
    history = {"customer": "age", "when": "day", "item": "town", "numbers": ["price"]}
    release = anonymize(frame, k=2, method="history", history=history)
    assert "customer" in release.frame().columns


@pytest.mark.parametrize(
    ("arguments", "error", "what"),
    [
        ({"quasi_identifiers": ["agee"]}, InputError, "quasi_identifiers: there is no column 'agee'"),
        ({"quasi_identifiers": ["age"], "method": "best of all"}, InputError, "method: there is no method"),
        ({"quasi_identifiers": ["age"], "keep": ["thing"]}, InputError, "the column 'thing' holds objects of the type"),
        ({"quasi_identifiers": ["age"], "k": 61}, InputError, "the frame has fewer rows than k"),
        ({"quasi_identifiers": ["age"], "k": 1}, InputError, "k is a whole number from 2 to"),
        ({"quasi_identifiers": []}, InputError, "there is no quasi-identifier"),
        ({"quasi_identifiers": "age"}, InputError, "the argument 'quasi_identifiers' is a str. Give a list"),
        ({"quasi_identifiers": [3]}, InputError, "the argument 'quasi_identifiers' holds an int. Give a text"),
        ({"quasi_identifiers": ["age"], "keep": "town"}, InputError, "the argument 'keep' is a str. Give a list"),
        ({"k": "5"}, InputError, "the argument 'k' is a str. Give a whole number"),
        ({"suppression_limit": "some"}, InputError, "the argument 'suppression_limit' is a str. Give a number"),
        ({"hierarchies": {3: {"a": "b"}}}, InputError, "the argument 'hierarchies' has an int among its keys"),
        ({"quasi_identifiers": ["age"], "release": 5}, OrdermadeError, "release: expected a mapping, not 5"),
        ({"quasi_identifiers": ["age"], "table": "t"}, InputError, "the argument 'table' is for files"),
        ({"data": made()["age"]}, InputError, "this is no frame but a Series"),
        ({"quasi_identifiers": ["age"], "sensitive": {"ill": "nothing 3"}}, InputError, "there is no model"),
    ],
    ids=range(16),
)
def test_what_cannot_be_is_said_in_the_words_of_python(
    arguments: dict[str, Any], error: type[OrdermadeError], what: str
) -> None:
    with pytest.raises(error) as refused:
        anonymize(**{"data": made(), "k": 5, **arguments})
    assert what in str(refused.value)
    assert "--" not in str(refused.value)


@pytest.mark.slow
def test_columns_are_named_by_any_list_of_texts() -> None:
    frame = made()
    release = anonymize(frame, k=5, quasi_identifiers=frame.columns[frame.columns == "town"], keep=("ill",))
    assert list(release.frame().columns) == ["town", "ill"]


@pytest.mark.slow
def test_only_options_are_given_as_arguments_are_called(tmp_path: Path) -> None:
    path = tmp_path / "a--k b.csv"
    with pytest.raises(InputError) as refused:
        anonymize(path, k=5)
    assert str(path) in str(refused.value)


@pytest.mark.thorough
def test_a_refusal_is_an_error() -> None:
    with pytest.raises(Refused):
        anonymize(made(), k=5, quasi_identifiers=["age"], sensitive={"ill": "distinct_l 5"})


@pytest.mark.parametrize("convert", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_a_frame_is_measured(convert: Any) -> None:
    found = measure(convert(made().drop(columns="thing")), ["town"], ["ill"])
    assert (found.k, found.classes.rows) == (20, ROWS)


def test_a_frame_is_measured_without_what_it_cannot_read() -> None:
    assert measure(made(), ["town"]).k == 20
    with pytest.raises(InputError, match="the column 'thing' holds"):
        measure(made(), ["thing"])
    with pytest.raises(InputError, match="quasi_identifiers: there is no column"):
        measure(made(), ["towns"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "unused",
    [
        {"method": "history", "quasi_identifiers": ["age"]},
        {"method": "history", "entity": "age"},
        {"method": "history", "suppression_limit": 0.1},
        {"header": True},
        {"table": "people"},
    ],
    ids=str,
)
def test_an_argument_that_would_be_ignored_is_refused(unused: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=rf"the argument '{list(unused)[-1]}' is for"):
        anonymize(made(), k=2, accept_roles="method" not in unused, **unused)


@pytest.mark.slow
def test_a_table_of_classes_with_a_title_comes_back() -> None:
    found = anonymize(
        made(), k=5, quasi_identifiers=["age", "town"], title="By place", shape="table", report="provider"
    )
    frame = found.frame()

    assert "title: By place" in found.request
    assert found.report is not None
    assert (found.report.title, found.report.shape) == ("By place", "table")
    assert list(frame.columns)[-1] == "count"
    assert frame["count"].min() >= 5

"""Profiles of columns of values that are hard to count, to order or to write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from ordermade.catalogue.any_table import AnyTable
from ordermade.counting import profile as profiles
from ordermade.counting.dataset import Dataset
from ordermade.counting.profile import column_profiles
from ordermade.drafts.profile import ColumnProfile, ValueCount
from ordermade.drafts.text_formats import FORMS
from ordermade.sources.limits import Limits
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile


@contextmanager
def table(folder: Path, select: str) -> Iterator[Dataset]:
    """The answer of a SELECT as a table of a DuckDB file."""
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t AS {select}")
    with AnyTable(str(folder / "t.duckdb")).dataset(StateFile(folder / "none.sqlite", SHELL), Limits()) as (dataset, _):
        yield dataset


def profile(folder: Path, select: str) -> ColumnProfile:
    """The profile of the one column that a SELECT answers."""
    with table(folder, select) as dataset:
        (found,) = column_profiles(dataset, forms=FORMS)
    return found


@pytest.mark.slow
def test_a_table_without_rows_has_profiles(tmp_path: Path) -> None:
    with table(tmp_path, "SELECT 1 AS a, 'x' AS b, DATE '2020-01-01' AS c LIMIT 0") as dataset:
        for found in column_profiles(dataset, forms=FORMS):
            assert (found.rows, found.nulls, found.distinct, found.values, found.quantiles) == (0, 0, 0, (), ())
            assert found.lists_all


@pytest.mark.slow
def test_a_column_of_null_has_no_values(tmp_path: Path) -> None:
    found = profile(tmp_path, "SELECT CAST(NULL AS DOUBLE) AS a FROM range(7)")
    assert (found.rows, found.nulls, found.distinct, found.quantiles) == (7, 7, 0, ())


def test_numbers_that_are_none_have_no_quantile(tmp_path: Path) -> None:
    found = profile(tmp_path, "SELECT unnest([1.5, 2.5, 'nan'::DOUBLE, 'inf'::DOUBLE, '-inf'::DOUBLE, NULL]) AS a")
    assert (found.rows, found.nulls, found.distinct) == (6, 1, 5)
    assert set(found.quantiles) == {Decimal("1.5"), Decimal("2.5")}


def test_numbers_of_38_digits_stay_exact(tmp_path: Path) -> None:
    digits = "12345678901234567890123456789012345678"
    found = profile(tmp_path, f"SELECT CAST('{digits}' AS DECIMAL(38,0)) AS a")
    assert found.values == (ValueCount(digits, 1),)
    assert found.quantiles == (Decimal(digits),) * 41


def test_a_number_that_looks_like_a_day_is_a_number(tmp_path: Path) -> None:
    assert profile(tmp_path, "SELECT 20240105 AS a").quantiles[0] == Decimal(20240105)


@pytest.mark.parametrize(
    ("select", "expected"),
    [
        ("SELECT TIMESTAMP '2024-01-05 10:30:00' AS a", (date(2024, 1, 5),) * 41),
        ("SELECT DATE 'infinity' AS a", ()),
        ("SELECT DATE '0044-03-15 (BC)' AS a", ()),
        ("SELECT DATE '12024-03-15' AS a", ()),
    ],
)
def test_days_beyond_the_years_of_python_have_no_quantile(tmp_path: Path, select: str, expected: object) -> None:
    assert profile(tmp_path, select).quantiles == expected


@pytest.mark.parametrize(
    "value",
    ["true", "'\\x00\\xff'::BLOB", "[1, 2]", "{'a': 1}", "MAP {'a': 1}", "'01'::BIT", "INTERVAL 1 DAY", "TIME '10:00'"],
)
def test_values_of_other_types_are_counted(tmp_path: Path, value: str) -> None:
    found = profile(tmp_path, f"SELECT {value} AS a FROM range(3)")
    assert (found.rows, found.distinct, found.single, len(found.values)) == (3, 1, 0, 1)
    assert found.quantiles == ()


@pytest.mark.slow
def test_columns_are_chosen_by_name_and_quoted(tmp_path: Path) -> None:
    with table(tmp_path, """SELECT 1 AS "a ""b'", 2 AS "SELECT" FROM range(2)""") as dataset:
        (found,) = column_profiles(dataset, ["a \"b'"])
        assert len(column_profiles(dataset)) == 2
    assert (found.name, found.rows) == ("a \"b'", 2)


@pytest.mark.slow
def test_values_that_repeat_are_listed_and_others_in_part(tmp_path: Path) -> None:
    with table(
        tmp_path, "SELECT range % 4000 AS a, range AS b, (range % 6000)::VARCHAR AS c FROM range(8000)"
    ) as dataset:
        often, once, most = column_profiles(dataset, forms=FORMS)
    assert (len(often.values), often.lists_all, often.single) == (4000, True, 0)
    assert (len(once.values), once.lists_all, once.single) == (200, False, 8000)
    assert (len(most.values), most.distinct, most.single) == (200, 6000, 4000)


def test_forms_are_counted_in_all_rows(tmp_path: Path) -> None:
    select = "SELECT CASE WHEN range = 999 THEN 'n/a' ELSE format('{:,}', 5000 + range * 7) END AS a FROM range(1000)"
    found = profile(tmp_path, select)
    assert found.lists_all is False
    assert found.forms["whole numbers without unit"] == 0.999
    assert found.forms["whole numbers without unit or missing"] == 1.0


COLUMNS_OF_TEXTS = (
    ["Male", "Female"],
    ["12 kg", "13 kg", " n/a "],
    ["2024-01-05", "2024/1/6", "\u3000"],
    ["unknown", "?"],
    ["12", "x"],
    ["a@b.org", "c@d.org"],
    ["１２", "-"],
)


@pytest.mark.parametrize("texts", COLUMNS_OF_TEXTS, ids=str)
def test_a_second_form_is_passed_over_only_where_no_text_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: list[str]
) -> None:
    (tmp_path / "every").mkdir()
    listed = f"SELECT unnest({texts!r}) AS a"
    found = profile(tmp_path, listed).forms
    monkeypatch.setattr(profiles, "OR_MISSING", " of another name")  # every form is tried
    assert found == profile(tmp_path / "every", listed).forms

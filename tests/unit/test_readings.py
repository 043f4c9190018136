"""Readings of messy texts: what is recognised, what is left as text, and what the expression makes of each text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

import duckdb
import pytest

from ordermade.drafts import text_formats
from ordermade.drafts.missing_values import said_values
from ordermade.drafts.profile import ValueCount
from ordermade.drafts.reading_options import DateFormat, ReadingOptions
from ordermade.drafts.text_column import ColumnReading, ReadingContext, Unread
from ordermade.drafts.text_formats import FORMS
from ordermade.drafts.text_parsers import dataset_query, examined, reading_of
from ordermade.errors import InputError
from ordermade.requests.dataset_query import parse_dataset_query
from tests.messy_texts import profile_of


def read(texts: Sequence[str | None]) -> tuple[ColumnReading, list[object]]:
    """The reading of a column, and its values in DuckDB."""
    reading = reading_of(profile_of('the "column"', texts))
    assert reading is not None
    query = dataset_query("t", ['the "column"'], [reading])
    parse_dataset_query(query)
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE t ("the ""column""" VARCHAR)')
        connection.executemany("INSERT INTO t VALUES (?)", [[each] for each in texts])
        return reading, [row[0] for row in connection.execute(query).fetchall()]


NUMBERS: dict[str, tuple[list[str | None], str, list[object]]] = {
    "thousands": (["12,345", "800", "1,200,300", None], "BIGINT", [12345, 800, 1200300, None]),
    "yen": (["¥1,200", "1200円", "￥300", "-"], "BIGINT", [1200, 1200, 300, None]),
    "dollars": (["$1,200.50", "$3", "($5.25)"], "DECIMAL(18,2)", [Decimal("1200.50"), Decimal(3), Decimal("-5.25")]),
    "euros": (["€12,50", "1.200,00 €", "€3"], "DECIMAL(18,2)", [Decimal("12.50"), Decimal(1200), Decimal(3)]),
    "years": (["54歳", "５４歳", "7才", "不明"], "BIGINT", [54, 54, 7, None]),
    "years in English": (["54 years old", "3 yrs", "20"], "BIGINT", [54, 3, 20]),
    "per cent": (["12.5%", "3 %", "１００％"], "DECIMAL(18,1)", [Decimal("12.5"), Decimal(3), Decimal(100)]),
    "full width": (["１２３", "45"], "BIGINT", [123, 45]),
    "negative": (["△1,200", "300", "(45)", "-7"], "BIGINT", [-1200, 300, -45, -7]),
    "blanks": ([" 12", "7 ", "　130"], "BIGINT", [12, 7, 130]),
    "plain": (["9", "54", "100"], "BIGINT", [9, 54, 100]),
    "laboratory": (["120 mg/dL", "95mg/dL"], "BIGINT", [120, 95]),
    "missing": (["7", "", "N/A", "12"], "BIGINT", [7, None, None, 12]),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_numbers_are_read(case: str) -> None:
    texts, kind, expected = NUMBERS[case]
    reading, values = read(texts)
    assert (reading.type, values) == (kind, expected)


DATES: dict[str, tuple[list[str | None], list[date | None]]] = {
    "ISO": (["2024-01-05", None], [date(2024, 1, 5), None]),
    "slashes": (["2024/1/5", "2023/12/31"], [date(2024, 1, 5), date(2023, 12, 31)]),
    "points, day first": (["5.1.2024", "3.2.2023"], [date(2024, 1, 5), date(2023, 2, 3)]),
    "day first": (["13/05/2024", "03/02/2023"], [date(2024, 5, 13), date(2023, 2, 3)]),
    "month first": (["05/13/2024", "03/02/2023"], [date(2024, 5, 13), date(2023, 3, 2)]),
    "day first and ISO": (["13/05/2024", "2023-02-03"], [date(2024, 5, 13), date(2023, 2, 3)]),
    "without separators": (["20240105", "19991231"], [date(2024, 1, 5), date(1999, 12, 31)]),
    "in Japanese": (["2024年1月5日", "２０２３年１２月３１日"], [date(2024, 1, 5), date(2023, 12, 31)]),
    "mixed": (["2024/1/5", "R5.4.1", "20240105", "-"], [date(2024, 1, 5), date(2023, 4, 1), date(2024, 1, 5), None]),
}


@pytest.mark.parametrize("case", DATES)
def test_dates_are_read(case: str) -> None:
    texts, expected = DATES[case]
    reading, values = read(texts)
    assert (reading.type, values) == ("DATE", expected)


def test_eras_begin_and_end_on_their_days() -> None:
    days = {
        "明治45年7月29日": date(1912, 7, 29),
        "大正元年7月30日": date(1912, 7, 30),
        "大正15年12月24日": date(1926, 12, 24),
        "昭和元年12月25日": date(1926, 12, 25),
        "昭和64年1月7日": date(1989, 1, 7),
        "平成元年1月8日": date(1989, 1, 8),
        "H31.4.30": date(2019, 4, 30),
        "平成31年4月30日": date(2019, 4, 30),
        "令和元年5月1日": date(2019, 5, 1),
        "R1.5.1": date(2019, 5, 1),
        "令和５年４月１日": date(2023, 4, 1),
        "S20-8-15": date(1945, 8, 15),
        "T9/10/1": date(1920, 10, 1),
        "M6.1.1": date(1873, 1, 1),
    }
    assert read(list(days))[1] == list(days.values())


@pytest.mark.parametrize("text", ["R0.5.1", "令和0年5月1日", "令和００年5月1日", "H00/1/8"])
def test_an_era_has_no_year_nought(text: str) -> None:
    assert reading_of(profile_of("day", [text, "令和2年5月1日"])) is None


def test_dates_with_a_time_are_read() -> None:
    reading, values = read(["2024/01/05 10:30", "2023-12-31T23:59:59"])
    assert reading.type == "TIMESTAMP"
    assert values == [datetime(2024, 1, 5, 10, 30), datetime(2023, 12, 31, 23, 59, 59)]


def test_texts_keep_what_they_are_but_for_blanks_and_widths() -> None:
    assert read([" a", "b ", "c"])[1] == ["a", "b", "c"]
    assert read(["００７", "012"])[1] == ["007", "012"]
    assert read(["123-4567", "1234567", "〒１２３－４５６７"])[1] == ["1234567"] * 3


LEFT = {
    "codes with zeros": ["007", "012"],
    "codes of one length": ["10234", "99321"],
    "postcodes of one spelling": ["123-4567", "765-4321"],
    "ZIP codes": ["02139", "02139-1234"],
    "two currencies": ["$3", "€4"],
    "two units": ["170cm", "1.7m"],
    "a number and a word": ["12", "twelve"],
    "missing alone": ["-", "N/A"],
    "more digits than a number of 8 bytes": ["1234567890123456789012", "3"],
    "no such month": ["2024-13-01"],
    "words": ["Tokyo", "Osaka"],
}


@pytest.mark.parametrize("case", LEFT)
def test_other_texts_are_left_as_they_are(case: str) -> None:
    assert reading_of(profile_of("c", LEFT[case])) is None


@pytest.mark.parametrize("texts", [["05/01/2024", "03/02/2023"], ["€1.234", "€5.600"]])
def test_ambiguous_texts_are_left_with_the_reason(texts: list[str]) -> None:
    assert isinstance(found := examined(profile_of("c", texts)), Unread)
    assert "left as text" in found.reason


def test_a_reading_covers_rows_that_are_not_listed() -> None:
    profile = replace(profile_of("c", ["1,200", "3,400"]), rows=1000, distinct=900)
    assert reading_of(profile) is None
    form = "whole numbers without unit"
    assert reading_of(replace(profile, forms={form: 0.999})) is None
    covered = reading_of(replace(profile, forms={form: 0.99, f"{form} or missing": 1.0}))
    assert covered is not None
    assert "10 rows that say that there is no value become NULL" in covered.reason


def test_a_reason_has_no_count_below_k_and_no_value() -> None:
    profile = profile_of("c", ["1,200"] * 20 + ["N/A"] * 3)
    reading = reading_of(profile, ReadingContext(least_k=5))
    assert reading is not None
    assert "fewer than 5 rows" in reading.reason
    assert "1,200" not in reading.reason


def test_whole_numbers_that_are_days_are_read() -> None:
    texts = ["20240105", "19991231", "19700101", "20010911", "19450815"]
    reading = reading_of(profile_of("born", texts, "BIGINT"))
    assert reading is not None
    assert reading.type == "DATE"
    assert reading_of(profile_of("amount", [*texts, "20240000"], "BIGINT")) is None


def test_sqlite_has_no_decimal_numbers() -> None:
    reading = reading_of(profile_of("c", ["$1.50"]), ReadingContext("sqlite"))
    assert reading is not None
    assert reading.type == "DOUBLE"


def test_the_query_names_other_columns_as_they_are() -> None:
    reading = reading_of(profile_of("it's", ["¥1"]))
    assert reading is not None
    query = dataset_query("members", ["a b", "it's"], [reading])
    assert query == "SELECT \"a b\", CAST(REPLACE(\"it's\", '¥', '') AS BIGINT) AS \"it's\" FROM members"


@pytest.mark.slow
def test_forms_mean_the_same_to_python_and_to_the_database() -> None:
    texts = [
        *(text for texts, *_ in (*NUMBERS.values(), *DATES.values()) for text in texts if text is not None),
        *(text for texts in LEFT.values() for text in texts),
        *(
            "a@example.com",
            "03-1234-5678",
            "０３－１２３４－５６７８",
            "+81 90 1234 5678",
            "(03) 1234-5678",
            "12:30:45",
            "\n",
            "1\n",
        ),
    ]
    with duckdb.connect() as connection:
        for name, form in FORMS.items():
            rows = connection.execute("SELECT regexp_full_match(unnest($1), $2)", [texts, form]).fetchall()
            assert [row[0] for row in rows] == [re.fullmatch(form, each) is not None for each in texts], name


def test_a_profile_that_lists_one_value_is_no_number_without_it() -> None:
    assert reading_of(replace(profile_of("c", ["-"]), values=(ValueCount("-", 1),))) is None


SAID: dict[str, tuple[list[str | None], ReadingOptions, list[object]]] = {
    "day first": (
        ["1/2/2024", "3/4/2023"],
        ReadingOptions(dates={None: DateFormat("dmy")}),
        [date(2024, 2, 1), date(2023, 4, 3)],
    ),
    "month first": (
        ["1/2/2024", "3/4/2023"],
        ReadingOptions(dates={"c": DateFormat("mdy")}),
        [date(2024, 1, 2), date(2023, 3, 4)],
    ),
    "short years": (
        ["1.2.25", "31.12.24", "5.6.07"],
        ReadingOptions(dates={None: DateFormat("dmy", 1925)}),
        [date(1925, 2, 1), date(2024, 12, 31), date(2007, 6, 5)],
    ),
    "short years of names": (
        ["01-JAN-80", "2 März 07"],
        ReadingOptions(dates={None: DateFormat("dmy", 1930)}),
        [date(1980, 1, 1), date(2007, 3, 2)],
    ),
    "thousands": (["1.500", "2.300"], ReadingOptions(decimals={None: "comma"}), [1500, 2300]),
    "decimals": (["1.500", "2.300"], ReadingOptions(decimals={None: "point"}), [Decimal("1.500"), Decimal("2.300")]),
}


@pytest.mark.parametrize("case", SAID)
def test_what_is_said_decides(case: str) -> None:
    texts, options, expected = SAID[case]
    assert values_of(texts, options) == expected
    assert isinstance(examined(profile_of("c", texts)), Unread)


OF_THEMSELVES: dict[str, tuple[list[str | None], list[object]]] = {
    "names of months": (
        ["12. März 2020", "1-MAY-2021", "03 janv. 1999"],
        [date(2020, 3, 12), date(2021, 5, 1), date(1999, 1, 3)],
    ),
    "zones": (
        ["2024-01-05T10:00:00Z", "2024-07-05 10:00:00.25+02:00"],
        [datetime(2024, 1, 5, 10), datetime(2024, 7, 5, 10)],
    ),
    "moments, day first": (
        ["31.12.2024 7:05", "1.2.2024, 17:05"],
        [datetime(2024, 12, 31, 7, 5), datetime(2024, 2, 1, 17, 5)],
    ),
    "powers of ten": (["1.5E+03", "2"], [1500.0, 2.0]),
    "thin blanks": (["1\u202f234,50 €", "7 €"], [Decimal("1234.50"), Decimal(7)]),
    "apostrophes": (["CHF 1’234.50", "CHF 7"], [Decimal("1234.50"), Decimal(7)]),
    "two points": (["1.234.567", "12"], [1234567, 12]),
}


@pytest.mark.parametrize("case", OF_THEMSELVES)
def test_further_spellings_are_read(case: str) -> None:
    texts, expected = OF_THEMSELVES[case]
    assert values_of(texts, ReadingOptions()) == expected


def values_of(texts: Sequence[str | None], options: ReadingOptions) -> list[object]:
    """The values of a column in DuckDB, by what is said of it."""
    reading = reading_of(profile_of("c", texts), ReadingContext(options=options))
    assert reading is not None
    query = dataset_query("t", ["c"], [reading])
    parse_dataset_query(query)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (c VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?)", [[each] for each in texts])
        return [row[0] for row in connection.execute(query).fetchall()]


def test_the_months_of_a_language_are_twelve() -> None:
    assert set(text_formats.MONTHS.values()) == set(range(1, 13))


@pytest.mark.parametrize("text", ["dym", "dmy:85", "mdy:3025", ""])
def test_a_format_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="dmy"):
        DateFormat.of(text)


def test_a_marker_of_one_column_is_none_of_another() -> None:
    options = ReadingOptions(missing={None: ("?",), "age": ("-9",)})
    assert (options.of("age").missing, options.of("income").missing) == (("?", "-9"), ("?",))
    assert said_values("income", "BIGINT", options.of("income")) is None
    assert said_values("age", "BIGINT", options.of("age")) is not None

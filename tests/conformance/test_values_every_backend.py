"""Values that databases treat differently: each is counted as often as in Python, in every kind of source."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from ordermade.counting.coverage import encode_counted
from ordermade.counting.dataset import version
from ordermade.counting.encoding import EncodedColumn, encode_column, marginal_statement
from ordermade.counting.frequency_set import count_in_source
from ordermade.hierarchies.read import parse_yaml
from ordermade.sources.backend import row_count
from ordermade.sources.executor import Purpose
from tests.conformance.backends import BACKENDS, CLUSTERS, SERVERS, Made, Row, Table, dataset, opened, the_table
from tests.made import new_engine, write_hierarchy

Make = Callable[[Table], Made]
SUPPRESSED, _ = parse_yaml("mapping:\n  '0': ['*']\n", "value", where="value")
"""A hierarchy by which values are counted, and nothing else is done with them."""
LONG = "x" * 99_999

TEXTS = (
    "",
    " ",
    "  ",
    "Bob",
    "Bob ",
    "Bob  ",
    " Bob",
    "bob",
    "Ann",
    "ann",
    "ANN",
    "é",
    "e\u0301",
    "e",
    "É",
    "ñ",
    "n",
    "😀",
    "😁",
    "👨‍👩‍👧",
    "ß",
    "ss",
    "ſ",
    "s",
    "İ",
    "i",
    "ﬁ",
    "fi",
    "東京",
    "ﾄ",
    "ト",
    "\u200b",
    "\ufeff",
    "\u00a0",
    "\ue000",
    "\U0010ffff",
    "a\\b",
    "a\\\\b",
    "it's",
    '"',
    "NULL",
    "%",
    "_",
    "tab\t",
    "new\nline",
    "return\r\n",
    "\r",
    LONG + "x",
    LONG + "y",
    LONG,
)
INTEGERS = (0, 1, -1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 2, 2**63 - 1, -(2**63) + 1, -(2**63))
DECIMALS = tuple(
    Decimal(each)
    for each in (
        "0", "-0.0000000001", "0.0000000001", "9999999999999999999999999999.9999999999",
        "9999999999999999999999999999.9999999998", "-9999999999999999999999999999.9999999999", "1.5", "1.50",
    )
)  # fmt: skip
WHOLE = (*(Decimal(10**38 - each) for each in (1, 2, 3)), Decimal(1 - 10**38), Decimal(0))
FRACTIONS = (0.0, -0.0, 0.1, 1 / 3, 1e308, 1e-300, 2.0**53, 1e16, 0.1 + 0.2, 0.3, -1.5)
SMALLEST = (0.0, 5e-324, 1e-310, -5e-324)
INFINITE = (math.inf, -math.inf, math.nan, -math.nan, 0.0, -0.0)
SINGLES = (0.0, -0.0, 0.5, 16777216.0, -1.5)
DAYS = tuple(
    date(*each)
    for each in (
        (1000, 1, 1), (1500, 2, 28), (1582, 10, 4), (1582, 10, 15), (1752, 9, 3), (1899, 12, 31), (1900, 2, 28),
        (1969, 12, 31), (2000, 2, 29), (9999, 12, 31),
    )
)  # fmt: skip
MOMENTS = (
    *(datetime(each.year, each.month, each.day) for each in DAYS),
    datetime(1969, 12, 31, 23, 59, 59),
    datetime(2020, 3, 29, 2, 30),
)
FINE = (
    datetime(1969, 12, 31, 23, 59, 59, 999999),
    datetime(9999, 12, 31, 23, 59, 59, 999999),
    datetime(1000, 1, 1, 0, 0, 0, 1),
)
INSTANTS = tuple(
    each.replace(tzinfo=UTC)
    for each in (
        datetime(2020, 3, 29, 0, 30),
        datetime(2020, 3, 29, 1, 30),
        datetime(2020, 10, 25, 0, 30),
        datetime(2020, 10, 25, 1, 30),
        datetime(1970, 1, 2),
        datetime(2037, 12, 31, 23, 59, 59, 999999),
    )
)
TIMES = (time(0, 0), time(2, 30), time(23, 59, 59, 999999))

VALUES: Mapping[str, tuple[str, Sequence[Any]]] = {
    "texts": ("VARCHAR", TEXTS),
    "booleans": ("BOOLEAN", (True, False)),
    "integers": ("BIGINT", INTEGERS),
    "decimals": ("DECIMAL(38,10)", DECIMALS),
    "whole": ("DECIMAL(38,0)", WHOLE),
    "fractions": ("DOUBLE", FRACTIONS),
    "smallest": ("DOUBLE", SMALLEST),
    "infinite": ("DOUBLE", INFINITE),
    "singles": ("FLOAT", SINGLES),
    "days": ("DATE", DAYS),
    "moments": ("TIMESTAMP", MOMENTS),
    "fine": ("TIMESTAMP", FINE),
    "instants": ("TIMESTAMPTZ", INSTANTS),
    "times": ("TIME", TIMES),
    "nothing": ("VARCHAR", ()),
    "one": ("BIGINT", (7,)),
}
"""The values of each case, and DuckDB's type for them."""

_NO_DECIMALS = "SQLite has no decimals: numbers of more than 64 bits become fractions there"
_GUESSED = "a CSV file has no types: DuckDB reads such numbers as fractions of 8 bytes"
_FLOATS = "a workbook holds every number as a fraction of 8 bytes"
GAPS: Mapping[tuple[str, str], str] = {
    ("sqlite", "decimals"): _NO_DECIMALS,
    ("sqlite", "whole"): _NO_DECIMALS,
    ("sqlite", "infinite"): "SQLite stores NaN as NULL",
    ("sqlite", "fine"): "SQLite's points in time have seconds",
    ("sqlite", "instants"): "SQLite has no time zones",
    ("sqlite", "times"): "SQLite has no times of the day: they are texts",
    ("csv", "texts"): "a CSV file has one spelling for '' and NULL",
    ("csv", "decimals"): _GUESSED,
    ("csv", "whole"): _GUESSED,
    ("csv", "fractions"): "a CSV file has no types: fractions that no short decimal number is are read as texts",
    ("csv", "smallest"): "a CSV file has no types: DuckDB reads the smallest of fractions as texts",
    ("csv", "infinite"): "a CSV file has no types: DuckDB reads infinity and NaN among zeros as texts",
    ("csv", "times"): "a CSV file has no types: DuckDB reads times of the day as texts",
    ("csv", "nothing"): "a CSV file without rows has no types",
    ("workbook", "texts"): "a workbook has one spelling for '' and NULL, and cells of at most 32,767 characters",
    ("workbook", "integers"): _FLOATS,
    ("workbook", "decimals"): _FLOATS,
    ("workbook", "whole"): _FLOATS,
    ("workbook", "infinite"): "a workbook has neither infinity nor NaN",
    ("workbook", "days"): "a workbook has no days before 1900",
    ("workbook", "moments"): "a workbook has no days before 1900",
    ("workbook", "fine"): "a workbook has no days before 1900, and its points in time have milliseconds",
    ("workbook", "instants"): "a workbook has no time zones",
    ("workbook", "times"): "a workbook's times of the day have milliseconds",
    ("workbook", "nothing"): "a sheet without rows has no types",
    ("mariadb", "infinite"): "MariaDB has neither infinity nor NaN",
    ("mariadb", "times"): "MariaDB's TIME is a duration of up to 838 hours, and read as a text",
    ("spark", "times"): "Spark reads no times of the day from Parquet files",
}
"""The cases that a kind of source lacks, with the reason. `csv-glob` lacks those of `csv`."""

FAMILIES = {"csv-glob": "csv"}


def cases() -> list[Any]:
    """Every case in every kind of source that has it."""
    made = []
    for kind in (*BACKENDS, *SERVERS, *CLUSTERS):
        for case in VALUES:
            marks = [pytest.mark.services] if kind in SERVERS else []
            if kind in CLUSTERS:
                marks.append(pytest.mark.spark)
            elif kind not in SERVERS and kind not in ("duckdb", "sqlite", "csv"):
                marks.append(pytest.mark.whole)
            if (FAMILIES.get(kind, kind), case) not in GAPS:
                made.append(pytest.param(kind, case, id=f"{kind}-{case}", marks=marks))
    return made


def table_of(case: str) -> Table:
    """A table of a column of each value twice and one NULL more, beside one that numbers the rows."""
    kind, values = VALUES[case]
    rows = [] if case == "nothing" else [*values, *values[::2], None]
    if case == "one":
        rows = list(values)
    return Table("of values", {"nr": "BIGINT", "value": kind}, [(i, each) for i, each in enumerate(rows)])


def key(value: Any) -> Any:
    """What values have in common that are one: numbers their value, NaN itself, texts and points their own."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    return value


def counted_alone(made: Made, column: str = "value") -> Counter[Any]:
    """How often each value of a column occurs, as the source counts it."""
    with opened(made) as backend:
        asked = dataset(backend)
        attribute = encode_column(asked, 1, column, SUPPRESSED, 0)
        backend.keep(Purpose.COVERAGE, "marginal_1", marginal_statement(asked, attribute), part="counted")
        rows = backend.connection.execute("SELECT key, n FROM marginal_1").fetchall()
    found = Counter({key(value): n for value, n in rows})
    assert len(found) == len(rows)
    return found


def in_python(rows: Iterable[Row], place: int = 1) -> Counter[Any]:
    """The same, counted in Python."""
    return Counter(key(row[place]) for row in rows)


@pytest.mark.parametrize(("make", "case"), cases(), indirect=["make"])
def test_every_value_is_counted_by_itself(make: Make, case: str) -> None:
    table = table_of(case)
    found = counted_alone(make(table))
    if VALUES[case][0] == "TIMESTAMPTZ":
        found = Counter({None if each is None else datetime.fromisoformat(each): n for each, n in found.items()})
    assert found == in_python(table.rows)


@pytest.mark.parametrize(
    ("make", "case"),
    [each for each in cases() if each.values[1] in ("texts", "nothing", "one", "days")],
    indirect=["make"],
)
def test_rows_versions_and_frequency_sets_are_of_the_same_values(make: Make, case: str) -> None:
    table = table_of(case)
    with opened(make(table)) as backend:
        asked = dataset(backend)
        assert row_count(backend, asked.relation) == len(table.rows)
        first = version(asked)
        assert first == version(asked)
        assert first.rows == len(table.rows)
        if not table.rows:
            return
        attributes = [_grounded(asked, case)]
        count_in_source(asked, attributes)
        sizes = backend.connection.execute("SELECT n FROM frequency_set").fetchall()
    assert Counter(n for (n,) in sizes) == Counter(in_python(table.rows).values())


def _grounded(asked: Any, case: str) -> EncodedColumn:
    rules = {"texts": "prefix:\n  keep: [3, 1]\n", "nothing": "prefix:\n  keep: [2, 1]\n"}
    rules |= {"one": "intervals:\n  levels:\n    - {width: 5}\n", "days": "date: [month, year]\n"}
    hierarchy, _ = parse_yaml(rules[case], "value", where="value")
    return encode_counted(asked, 1, "value", hierarchy, 0)


@pytest.mark.parametrize("method", [{}, {"method": "mondrian", "mondrian": {"labels": "set"}}], ids=["levels", "sets"])
def test_a_zero_is_released_with_one_sign(make: Make, tmp_path: Path, method: dict[str, Any]) -> None:
    rows = [(each, each) for each in (-0.0, *[0.0] * 4, *[1.5] * 5)]
    made = make(Table("zeros", {"value": "DOUBLE", "kept": "DOUBLE"}, rows))
    engine = new_engine(tmp_path, use_cache=False)
    engine.sources.add("s", made.location)
    with opened(made) as backend:
        table = the_table(backend).name
    engine.datasets.add("d", "s", table=table, least_k=2)
    engine.hierarchies.add("value", write_hierarchy(tmp_path / "h.csv", ("value", "top"), [("0", "*"), ("1.5", "*")]))
    split: dict[str, Any] = {} if method else {"hierarchy": "value"}
    out = tmp_path / "out.csv"
    asked = {"dataset": "d", "k": 5, "quasi_identifiers": {"value": split}, "keep": ["kept"], **method}
    engine.run({**asked, "release": {"to": str(out)}})
    shown = Counter(tuple(map(float, each.split(","))) for each in out.read_text().splitlines()[1:])
    assert shown == {(0.0, 0.0): 5, (1.5, 1.5): 5}
    assert "-0" not in out.read_text()

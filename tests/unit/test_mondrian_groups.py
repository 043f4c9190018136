"""What is released for groups that were split, as `DECISIONS` has it, against the same told row by row in Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from statistics import mean, median
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from ordermade.counting.counts import ground_sensitive, units
from ordermade.counting.dataset import Dataset, relation
from ordermade.errors import ReleaseMismatch
from ordermade.methods.mondrian import answer
from ordermade.methods.mondrian.algorithm.domains import Nested
from ordermade.methods.mondrian.algorithm.partition import Partition
from ordermade.methods.mondrian.answer import decide, fail_together, too_long
from ordermade.methods.mondrian.labels import released
from ordermade.methods.mondrian.open_request import PlannedColumn
from ordermade.methods.mondrian.records import MondrianRecords
from ordermade.privacy.models import DistinctL
from ordermade.release.plan import DECISIONS, Plan
from ordermade.release.rows import count_release
from ordermade.requests.mondrian import Labels
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.limits import Limits
from tests.microdata import grounded, to_14_digits

pytestmark = pytest.mark.slow

JOBS = "mapping:\n  nurse: [care, '*']\n  smith: [craft, '*']\n  carer: [care, '*']\n"
BORN = "date: [month, year]\n"
SIZES = "mapping:\n  1: [odd, '*']\n  2: [even, '*']\n  3: [odd, '*']\n"
TABLE = """
CREATE TABLE persons AS
SELECT
  i AS id,
  i // 2 AS person,
  CASE WHEN i >= 24 THEN NULL WHEN i < 6 OR i % 3 = 0 THEN 'nurse' WHEN i < 12 THEN 'carer' ELSE 'smith' END AS job,
  DATE '2001-01-20' + CAST(i * 3 - CASE WHEN i < 6 THEN i * 3 ELSE 0 END AS INTEGER) AS born,
  CAST(1 + i // 6 % 3 AS SMALLINT) AS size,
  CAST(999999.99 - i * 37 % 20 * 0.49 AS DECIMAL(16, 2)) AS price,
  CAST(CASE WHEN i < 6 THEN [0.0, -0.0][1 + i % 2] ELSE i * 7 % 10 * 0.1 END AS FLOAT) AS narrow,
  TIMESTAMP '2001-12-31 23:59:58' + i % 6 * INTERVAL 1 SECOND AS seen,
  ['a;b', '{x}', 'say "so"', '', '*', 'plain']
    [1 + CASE WHEN i < 6 THEN 5 WHEN i < 12 THEN 4 ELSE i % (i // 6 + 2) END] AS word,
  CASE WHEN i >= 24 THEN NULL WHEN i < 6 OR i % 3 = 0 THEN 'nurse' ELSE 'smith' END AS trade,
  'k' || i % 3 AS keep
FROM range(30) AS t(i)
"""
COLUMNS = ("job", "born", "size", "price", "narrow", "seen", "word", "trade")
CUT = ("price", "narrow", "seen")
CARE = {"carer": "care", "nurse": "care", "smith": "craft", None: None}
WORDS = ["", "*", "a;b", "plain", 'say "so"', "{x}"]
QUOTED = {"": "", "*": '"*"', "a;b": '"a;b"', "{x}": '"{x}"', 'say "so"': '"say ""so"""'}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dataset]:
    path = tmp_path_factory.mktemp("mondrian") / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLE)
    backend = DuckDBFile(path, writable=False, limits=Limits("256MB", 1))
    (table,) = backend.tables()
    yield Dataset("persons", backend, relation(table.reference, None), table.columns)
    backend.close()


def wanted(asked: Dataset) -> tuple[PlannedColumn, ...]:
    found = [
        PlannedColumn("job", "VARCHAR", "nested", grounded(asked, 1, "job", JOBS)),
        PlannedColumn("born", "DATE", "nested", grounded(asked, 2, "born", BORN)),
        PlannedColumn("size", "SMALLINT", "nested", grounded(asked, 3, "size", SIZES)),
    ]
    found += [PlannedColumn(column, asked.type_of(column), "ordered") for column in CUT]
    found += [PlannedColumn("word", "VARCHAR", "unordered")]
    return (*found, PlannedColumn("trade", "VARCHAR", "tree", grounded(asked, 8, "trade", JOBS)))


def plan_of(asked: Dataset, **besides: Any) -> Plan:
    kept = besides.pop("kept", ())
    return Plan(asked, (), (), kept, "rows", k=2, aggregated=COLUMNS, **besides)


def sixes(records: MondrianRecords) -> Partition:
    """Records as they stand in groups of six, in hierarchies at the lowest level that holds a group."""
    order = np.arange(records.rows, dtype=np.int32)
    starts = np.arange(0, records.rows + 1, 6, dtype=np.int64)
    levels = np.full((starts.size - 1, len(records.columns)), -1, dtype=np.int8)
    for place, domain in enumerate(records.domains):
        for group, start in enumerate(starts[:-1]):
            if isinstance(domain, Nested):
                found = domain.classes[:, records.codes[start : start + 6, place]]
                alike = np.flatnonzero((found == found[:, :1]).all(axis=1))
                levels[group, place] = alike[0] if alike.size else domain.top
    return Partition(order, starts, levels, 0, 0)


def by_hand(rows: Sequence[dict[str, Any]], labels: Labels) -> tuple[Any, ...]:
    """What one group releases: of jobs, dates, sizes, then of what is cut, then of words and trades."""
    jobs, days = {row["job"] for row in rows}, {row["born"] for row in rows}
    above = {CARE[job] for job in jobs}
    job = jobs.pop() if len(jobs) == 1 else above.pop() if len(above) == 1 else "*"
    months, years = {f"{day:%Y-%m}" for day in days}, {f"{day:%Y}" for day in days}
    told = [str(days.pop())] if len(days) == 1 else [*months] if len(months) == 1 else [*years, "*"]
    numbers = [_cut(rows, column, labels) for column in CUT]
    words = sorted({row["word"] for row in rows}, key=WORDS.index)
    trades = sorted({row["trade"] for row in rows}, key=lambda trade: (trade is None, trade))
    word = "*" if len(words) == len(WORDS) else _set(words)
    return (job, told[0], rows[0]["size"], *numbers, word, _set(trades))


def _cut(rows: Sequence[dict[str, Any]], column: str, labels: Labels) -> Any:
    ordered = sorted({row[column] for row in rows})
    texts = {row[column]: row[f"{column}_text"].replace("-0.0", "0.0") for row in rows}
    match labels:
        case "interval":
            ends = texts[ordered[0]], texts[ordered[-1]]
            return ends[0] if len(ordered) == 1 else f"[{', '.join(ends)}]"
        case "set":
            return texts[ordered[0]] if len(ordered) == 1 else f"{{{', '.join(texts[each] for each in ordered)}}}"
    values = [row[column] for row in rows]
    if column != "seen":
        exact = [Fraction(value) for value in values]
        return to_14_digits(float(mean(exact) if labels == "mean" else median(exact)))
    earliest = min(values)
    later = [(value - earliest) // timedelta(microseconds=1) for value in values]
    middle = Fraction(sum(later), len(later)) if labels == "mean" else median(later)
    return earliest + timedelta(microseconds=int(middle))


def _set(values: Sequence[str | None]) -> str | None:
    if len(values) == 1:
        return values[0] and QUOTED.get(values[0], values[0])
    within = ["" if each is None else QUOTED.get(each, each) or '""' for each in values]
    return f"{{{', '.join(within)}}}"


def rows_of(asked: Dataset) -> list[dict[str, Any]]:
    texts = ", ".join(f"CAST({column} AS VARCHAR) AS {column}_text" for column in CUT)
    answer = asked.backend.connection.execute(f"SELECT *, {texts} FROM s.persons ORDER BY id")
    names = [each[0] for each in answer.description or ()]
    return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


@pytest.mark.parametrize("labels", ["interval", "set", "mean", "median"])
def test_what_is_decided_is_what_python_tells_of_each_group(asked: Dataset, labels: Labels) -> None:
    rows, run = rows_of(asked), asked.backend.connection.execute
    groups = [rows[start : start + 6] for start in range(0, 30, 6)]
    for kept in ((), ("keep",)):
        plan, columns = plan_of(asked, kept=kept), wanted(asked)
        records = MondrianRecords.stored(plan, columns, ordered=False)
        decide(records, sixes(records), released(records, sixes(records), labels))
        found: Counter[tuple[Any, ...]] = Counter()
        for *values, n, suppressed in run(f"FROM {DECISIONS}").fetchall():
            found[tuple(map(to_14_digits, values))] += n
            assert not suppressed
        expected = Counter(
            (*by_hand(group, labels), *(row[each] for each in kept)) for group in groups for row in group
        )
        assert found == expected
        types = [row[1] for row in run(f"DESCRIBE {DECISIONS}").fetchall()][:8]
        cut = ["DOUBLE", "DOUBLE", "TIMESTAMP"] if labels in ("mean", "median") else ["VARCHAR"] * 3
        assert types == ["VARCHAR", "VARCHAR", "SMALLINT", *cut, "VARCHAR", "VARCHAR"]
        assert (count_release(plan).rows, count_release(plan).classes.divisions) == (30, 5)


def test_means_of_dates_and_time_stamps_are_rounded_down_also_before_1970(tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT DATE '1969-12-28' + CAST(i AS INTEGER) AS day, "
            "CAST(TIMESTAMP '2001-01-01' + i * INTERVAL 1 SECOND AS TIMESTAMP_S) AS second, "
            "CAST(TIMESTAMP '1969-12-31' + i * INTERVAL 1 MILLISECOND AS TIMESTAMP_MS) AS milli FROM range(6) AS r(i)"
        )
    backend = DuckDBFile(path, writable=False, limits=Limits("256MB", 1))
    try:
        (table,) = backend.tables()
        dataset = Dataset("t", backend, relation(table.reference, None), table.columns)
        names = ("day", "second", "milli")
        plan = Plan(dataset, (), (), (), "rows", k=2, aggregated=names)
        columns = tuple(PlannedColumn(each, dataset.type_of(each), "ordered") for each in names)
        records = MondrianRecords.stored(plan, columns, ordered=True)
        for labels in ("mean", "median"):
            given = released(records, sixes(records), labels)
            decide(records, sixes(records), given)
            second, milli = datetime(2001, 1, 1, 0, 0, 2), datetime(1969, 12, 31, microsecond=2_000)
            found = backend.connection.execute(f"SELECT v1, v2, v3 FROM {DECISIONS}").fetchall()
            assert found == [(date(1969, 12, 30), second, milli)]
            assert given[0].numbers is not None
            assert given[0].numbers.tolist() == [-2.0]
    finally:
        backend.close()


def test_persons_pseudonyms_and_sensitive_values_go_with_their_records(asked: Dataset) -> None:
    held = replace(asked, entity="person")
    units(held)
    columns = wanted(held)
    plan = plan_of(
        held,
        kept=("id",),
        sensitive=(ground_sensitive(held, 9, "keep", (DistinctL(3),)),),
        entity="person",
        pseudonym="who",
    )
    records = MondrianRecords.stored(plan, columns, ordered=True, target="keep")
    partition = sixes(records)
    decide(records, partition, released(records, partition))
    settled = count_release(plan)
    assert (settled.rows, settled.persons) == (30, 15)

    run = held.backend.connection.execute
    rows = run("SELECT v9, v10, v11 FROM released_sorted").fetchall()
    assert {row[:2] for row in rows} == {(f"k{number % 3}", number) for number in range(30)}
    people: defaultdict[int, set[int]] = defaultdict(set)
    for _, number, pseudonym in rows:
        people[number // 2].add(pseudonym)
    assert {len(each) for each in people.values()} == {1}
    assert len(set.union(*people.values())) == 15


def test_classes_that_cannot_be_measured_again_are_counted_before_they_are_released(asked: Dataset) -> None:
    held = replace(asked, entity="person")
    units(held)
    columns = wanted(held)
    for least, k in ((3, 3), (4, 3), (3, 4)):
        keep = ground_sensitive(held, 9, "keep", (DistinctL(least),))
        plan = replace(plan_of(held, sensitive=(keep,), entity="person"), k=k)
        records = MondrianRecords.stored(plan, columns, ordered=False)
        partition = sixes(records)
        decide(records, partition, released(records, partition))
        if (least, k) == (3, 3):
            assert fail_together(plan, partition) is None
            assert count_release(plan).classes.k == 3
            continue
        with pytest.raises(ReleaseMismatch, match="smaller than k, or fail a model"):
            fail_together(plan, partition)


def test_labels_that_would_be_more_text_than_anybody_reads_are_told(
    asked: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = wanted(asked)
    records = MondrianRecords.stored(plan_of(asked), columns, ordered=False)
    partition = sixes(records)
    given = released(records, partition, "set")
    assert too_long(records.plan, partition, given) is None
    assert given[COLUMNS.index("word")].shown.type == pa.large_string()  # so that 2 GiB of sets are told, not a fault
    in_rows = {
        column: sum(len((text or "").encode()) * 6 for text in each.shown.to_pylist())
        for column, each in zip(records.plan.aggregated, given, strict=True)
        if each.form == "texts"
    }
    longest = max(in_rows, key=lambda column: in_rows[column])
    monkeypatch.setattr(answer, "MAX_TEXT", in_rows[longest] - 1)
    told = too_long(records.plan, partition, given)
    assert told is not None
    assert told.startswith(f"the labels of column '{longest}' would be 0 GiB of text")
    assert too_long(replace(records.plan, shape="table"), partition, given) is None

"""Rules over pulled columns: what values they mean, which classes they meet, and what share of a class they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import duckdb
import numpy as np
import pytest

from ordermade.counting.dataset import Dataset, relation
from ordermade.errors import InputError
from ordermade.methods.mondrian import rules as rules_of_columns
from ordermade.methods.mondrian.algorithm.rules import Guide, NestedReach, OrderedReach, ValuesReach
from ordermade.methods.mondrian.open_request import MondrianColumn, PlannedColumn
from ordermade.methods.mondrian.records import MondrianRecords
from ordermade.methods.mondrian.rules import CheckedRule, checked_rules, guide_of
from ordermade.release.plan import Plan
from ordermade.requests.resolve_mondrian import Kind
from ordermade.requests.resolve_rules import resolve_rules
from ordermade.requests.rules import read_rules
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.limits import Limits
from tests.microdata import grounded

TABLE = """
CREATE TABLE persons AS
SELECT
  CASE WHEN i % 2 = 0 THEN 'male' ELSE 'female' END AS sex,
  CAST(DATE '1960-06-01' + CAST(i * 137 AS INTEGER) AS DATE) AS birth,
  CAST(140 + i % 51 AS INTEGER) AS height,
  CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN 'nurse' WHEN 2 THEN 'carer' ELSE 'smith' END AS job,
  CAST(i * 0.25 AS DECIMAL(6, 2)) AS weight,
  CAST(i AS FLOAT) / 10 AS score,
  TIMESTAMP '1970-01-01 12:00:00' + INTERVAL (i) HOUR AS seen,
  CAST(i AS HUGEINT) AS wide,
  i % 3 = 0 AS smokes,
  LPAD(CAST(i AS VARCHAR), 3, '0') AS postcode
FROM range(102) AS t(i)
"""
HIERARCHIES: Mapping[str, str] = {
    "sex": "mapping: {male: ['*'], female: ['*']}",
    "birth": "date: [year, decade]",
    "height": "intervals: {levels: [{width: 10}]}",
    "job": "mapping: {nurse: [care, '*'], carer: [care, '*'], smith: [craft, '*'], unheard: [craft, '*']}",
    "weight": "intervals: {levels: [{width: 0.5}, {width: 10}]}",
    "score": "intervals: {levels: [{width: 1}]}",
    "seen": "date: [day, month]",
    "wide": "intervals: {levels: [{width: 10}]}",
    "postcode": "prefix: {keep: [2, 1]}",
}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dataset]:
    path = tmp_path_factory.mktemp("rules") / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLE)
    backend = DuckDBFile(path, writable=False, limits=Limits("256MB", 1))
    (table,) = backend.tables()
    yield Dataset("persons", backend, relation(table.reference, None), table.columns)
    backend.close()


def pulled(asked: Dataset, kinds: Mapping[str, Kind], finest: int = 0) -> MondrianRecords:
    """The records with these columns; those of kinds that take one have their hierarchy."""
    wanted = [
        PlannedColumn(
            column,
            asked.type_of(column),
            kind,
            grounded(asked, place, column, HIERARCHIES[column]) if kind in ("nested", "tree") else None,
            finest if kind == "nested" else 0,
        )
        for place, (column, kind) in enumerate(kinds.items())
    ]
    plan = Plan(asked, (), (), (), "rows", k=2, aggregated=tuple(kinds))
    return MondrianRecords.stored(plan, wanted, ordered=True)


def guide(columns: tuple[MondrianColumn, ...], *when: str) -> Guide:
    return guide_of(resolved(columns, *when), columns)


def resolved(columns: tuple[MondrianColumn, ...], *when: str):
    text = "rules:\n" + "".join(f"  - {{item: a{place}, when: {each}}}\n" for place, each in enumerate(when))
    about = [(each.column, each.column_type, each.grounded and each.grounded.hierarchy) for each in columns]
    return resolve_rules(read_rules(text), about)


def nested(asked: Dataset, column: str, *asks: str) -> tuple[NestedReach, MondrianColumn]:
    """The reach of rules that ask this of one column."""
    (found,) = pulled(asked, {column: "nested"}).columns
    (reach,) = guide((found,), *(f"{{{column}: {each}}}" for each in asks)).reaches
    assert isinstance(reach, NestedReach)
    assert [each.shape for each in reach.inside] == [each.shape for each in reach.meets]
    return reach, found


def of_class(
    reach: NestedReach, column: MondrianColumn, level: int, label: str | None
) -> tuple[list[int], list[float]]:
    """Whether each rule meets the class, and the share of it that it means."""
    at = column.labels[level].tolist().index(label)
    return reach.meets[level][:, at].tolist(), reach.inside[level][:, at].tolist()


def test_a_class_of_whole_numbers_has_all_of_them(asked: Dataset) -> None:
    reach, height = nested(asked, "height", "[165, 171]", "[167, null]", "170", "[null, 139]")
    assert of_class(reach, height, 1, "[160, 170)") == ([1, 1, 0, 0], [0.5, 0.3, 0, 0])
    assert of_class(reach, height, 1, "[170, 180)") == ([1, 1, 1, 0], [0.2, 1, 0.1, 0])
    # `*` has the numbers from 140 to 190 and meets even the rule that means none of them.
    assert reach.meets[2].tolist() == [[1]] * 4
    assert reach.inside[2][:, 0].tolist() == [7 / 51, 24 / 51, 1 / 51, 0]
    assert reach.means.sum(axis=1).tolist() == [7, 24, 1, 0]
    assert height.values[reach.means[0]].tolist() == list(range(165, 172))


def test_a_class_of_dates_has_all_its_days(asked: Dataset) -> None:
    reach, birth = nested(asked, "birth", "[1974-01-01, 1979-12-31]", "[1977-02-01, 1977-02-03]")
    assert not reach.means[1].any()  # nobody is born then, but the decade has the days
    assert of_class(reach, birth, 2, "1970s") == ([1, 1], [2191 / 3652, 3 / 3652])
    assert of_class(reach, birth, 1, "1977") == ([1, 1], [1, 3 / 365])
    assert of_class(reach, birth, 1, "1973") == ([0, 0], [0, 0])


@pytest.mark.slow
def test_decimals_times_and_floats_count_by_length(asked: Dataset) -> None:
    reach, weight = nested(asked, "weight", "[0.1, 0.35]", "0.25")
    inside = of_class(reach, weight, 1, "[0.0, 0.5)")
    assert inside[0] == [1, 1]
    assert inside[1] == pytest.approx([0.5, 0])
    assert reach.means.sum(axis=1).tolist() == [1, 1]
    reach, seen = nested(asked, "seen", "[1970-01-01, 1970-01-02]", "['1970-01-02 06:00', null]")
    assert of_class(reach, seen, 1, "1970-01-03")[0] == [0, 1]  # a date is its whole day, and ends before the next
    assert of_class(reach, seen, 1, "1970-01-02")[1] == pytest.approx([1, 0.75])
    assert reach.means.sum(axis=1).tolist() == [36, 84]
    reach, score = nested(asked, "score", "[0.1, 0.5]")
    assert score.values[reach.means[0]] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])
    assert of_class(reach, score, 1, "[0, 1)")[1] == pytest.approx([0.4])
    reach, wide = nested(asked, "wide", "[5, 12]")
    assert of_class(reach, wide, 1, "[0, 10)") == ([1], [0.5])
    assert sorted(wide.values[reach.means[0]].tolist(), key=int) == list(map(str, range(5, 13)))


def test_names_are_those_of_the_coarsest_class(asked: Dataset) -> None:
    reach, job = nested(asked, "job", "craft", "[nurse, craft]", "unheard")
    assert of_class(reach, job, 1, "care") == ([0, 1, 0], [0, 0.5, 0])
    assert of_class(reach, job, 1, "craft") == ([1, 1, 1], [1, 1, 0.5])
    assert of_class(reach, job, 1, None) == ([0, 0, 0], [0, 0, 0])  # NULL is no value that a rule can name
    assert reach.inside[2][:, 0].tolist() == [2 / 4, 3 / 4, 1 / 4]
    reach, postcode = nested(asked, "postcode", "[01*, 0*]", "'099'", "unknown")
    assert of_class(reach, postcode, 2, "0*") == ([1, 1, 0], [1, 1 / 100, 0])
    assert of_class(reach, postcode, 1, "10*") == ([0, 0, 0], [0, 0, 0])


def test_columns_that_are_cut_and_sets_of_values(asked: Dataset) -> None:
    kinds: dict[str, Kind] = {"height": "ordered", "weight": "ordered", "job": "tree", "smokes": "unordered"}
    columns = pulled(asked, kinds).columns
    found = guide(
        columns, "{height: [165, 300], weight: [null, 0.6]}", "{job: care, smokes: true}", "{height: [141.5, 142.5]}"
    )
    height, weight, job, smokes = found.reaches
    assert isinstance(height, OrderedReach)
    assert isinstance(weight, OrderedReach)
    assert isinstance(job, ValuesReach)
    assert isinstance(smokes, ValuesReach)
    assert (height.step, weight.step) == (1, 0)
    assert height.first.tolist() == [25, 0, 2]
    assert height.last.tolist() == [50, 50, 2]
    assert (height.low[0], height.high[1], weight.low[0], weight.high[0]) == (165, np.inf, -np.inf, 0.6)
    assert (weight.first[0], weight.last[0]) == (0, 2)
    assert weight.points[:3].tolist() == [0, 0.25, 0.5]
    assert [columns[2].values[code] for code in np.flatnonzero(job.means[1])] == ["carer", "nurse"]
    assert smokes.means.tolist() == [[True, True], [False, True], [True, True]]
    assert found.asks.tolist() == [[True, True, False, False], [False, False, True, True], [True, False, False, False]]


def checked(asked: Dataset, kinds: Mapping[str, Kind], k: int, *when: str, finest: int = 0) -> tuple[CheckedRule, ...]:
    records = pulled(asked, kinds, finest)
    return checked_rules(resolved(records.columns, *when), records.columns, records.codes, k)


@pytest.mark.slow
def test_what_no_release_can_serve_is_told_with_the_reason(asked: Dataset) -> None:
    when = ("{birth: [1977-01-01, 1979-12-31]}", "{birth: [1974-01-01, 1979-12-31]}", "{birth: [2090-01-01, null]}")
    narrow, wide, nobody = checked(asked, {"birth": "nested"}, 5, *when, finest=2)
    assert narrow.meant == 8
    assert narrow.reasons == (
        (
            "no class of 'birth' from level decade up lies half inside it; "
            "accept a finer level, or ask for whole classes"
        ),
    )
    assert (wide.meant, wide.reasons) == (16, ())
    assert (nobody.meant, nobody.reasons) == (None, ())  # as of a rule that means a few
    both: dict[str, Kind] = {"birth": "nested", "job": "nested"}
    (years,) = checked(asked, both, 2, "{birth: [1974-01-01, 1979-12-31], job: nurse}", finest=1)
    assert years.reasons == ()  # whole years are meant
    kinds: dict[str, Kind] = {"height": "nested", "job": "nested"}
    (together,) = checked(asked, kinds, 2, "{height: [165, 171], job: nurse}", finest=1)
    assert together.reasons[0].startswith("each class may lie half inside it, but no combination of classes does")
    assert "no combination of classes does;" in together.reasons[0]


@pytest.mark.slow
def test_no_reason_tells_of_a_rule_that_means_fewer_than_k(asked: Dataset) -> None:
    kinds: dict[str, Kind] = {"height": "nested", "job": "nested"}
    when = "{height: [160, 169], job: smith}"
    # Half of the class craft is smiths; five rows of the 160s are in it. `*` is a quarter smiths.
    assert checked(asked, kinds, 5, when) == (CheckedRule("a0", 1.0, 5, ()),)
    assert checked(asked, kinds, 6, when) == (CheckedRule("a0", 1.0, None, ()),)  # a reason would tell of the five
    # Two rows have each height. [149, 151] is no more than half outside [150, 151], and so is [150, 152].
    kinds = {"height": "ordered", "job": "tree"}
    when = "{height: [150, 150]}", "{height: [150, 151]}"
    assert [each.reasons != () for each in checked(asked, kinds, 6, *when)] == [False, False]
    assert [each.reasons != () for each in checked(asked, kinds, 7, *when)] == [False, False]
    assert [each.reasons != () for each in checked(asked, kinds, 13, *when)] == [False, False]


def test_rules_over_more_values_than_fit_are_refused_with_what_to_do(
    asked: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules_of_columns, "MAX_PAIRS", 3)
    with pytest.raises(InputError, match=r"1 rules over the \d+ values of column 'birth' are \d+ pairs, more than 3"):
        checked(asked, {"birth": "nested"}, 2, "{birth: [1977-01-01, 1979-12-31]}")
    assert checked(asked, {"height": "ordered"}, 2, "{height: [165, 171]}")

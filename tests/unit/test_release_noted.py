"""What the state notes of a release, held against what it measures now."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest
from sqlglot import exp

from ordermade.counting.dataset import Version, Versioning
from ordermade.errors import ReleaseMismatch
from ordermade.lattice.observation import Observation
from ordermade.privacy.models import AlphaK, DistinctL, EntropyL, Model, RecursiveCL, TCloseness
from ordermade.release.into_source import IntoTable, table_written
from ordermade.release.measure import (
    ExpectedRelease,
    MeasuredRelease,
    ReadingPlan,
    ReleasedDistribution,
    SensitiveColumn,
    check_measured,
    measure_file,
)
from ordermade.release.verify import noted
from ordermade.state.records.requests import RequestRecord
from ordermade.state.releases import PrivacyFigure, ReleaseColumn, ReleaseRecord
from tests.decided import LIMITS
from tests.noted import a_release, a_request


def figure_of(model: Model, worst: float) -> PrivacyFigure:
    return PrivacyFigure("s", model.written, worst, model.name, model.given)


WRITTEN = "a,s,who\n1,flu,1\n1,ache,2\n1,flu,2\n2,flu,3\n2,ache,1\n*,*,*\n*,*,*\n"
COLUMNS = (
    ReleaseColumn("a", "quasi-identifier", 0, "value"),
    ReleaseColumn("s", "sensitive"),
    ReleaseColumn("who", "pseudonym"),
)
RELEASE = a_release(
    "r.csv",
    rows=7,
    k=2,
    divisions=2,
    suppressed_rows=2,
    persons=3,
    suppressed_persons=2,
    star_rows=2,
    columns=COLUMNS,
    privacy=(figure_of(DistinctL(2), 2.0), PrivacyFigure(None, "prosecutor risk", 0.5)),
)
REQUEST = a_request(entity_column="id")


def found(release: ReleaseRecord, file: Path, text: str = WRITTEN, request: RequestRecord = REQUEST) -> list[str]:
    file.write_text(text, encoding="utf-8")
    was = noted(release, request)
    return list(was.differences(measure_file(file, was.reading, LIMITS)))


def test_a_release_with_stars_a_pseudonym_and_a_model_is_as_it_was(tmp_path: Path) -> None:
    assert found(RELEASE, tmp_path / "r.csv") == []


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        (WRITTEN.replace("2,ache,1", "2,flu,1"), "distinct_l {l: 2} of column 's' fails in 1 class(es)"),
        (WRITTEN + "*,*,*\n", "suppressed rows as * are 3, noted were 2"),
        (WRITTEN.replace("*,*,*\n*,*,*\n", "*,*,1\n*,*,*\n"), "equivalence classes are 3, noted were 2"),
        (WRITTEN.replace("1,ache,2", "1,ache,4"), "persons are 4, noted were 3"),
        (WRITTEN.replace("2,flu,3", "2,flu,1"), "k is 1, the request has k = 2"),
        (WRITTEN.replace("1,flu,1\n", ""), "rows are 6, noted were 7"),
        (WRITTEN + "1,ache,1\n", "rows are 8, noted were 7"),
    ],
)
def test_what_was_changed_is_found(tmp_path: Path, text: str, finding: str) -> None:
    assert finding in found(RELEASE, tmp_path / "r.csv", text)


@pytest.mark.parametrize("k", [1, 3])
def test_a_k_that_is_greater_or_less_than_the_noted_one_is_found(tmp_path: Path, k: int) -> None:
    other = replace(RELEASE, k=k)
    assert found(other, tmp_path / "r.csv") == [f"k is 2, noted were {k}"]


def test_what_the_release_alone_cannot_tell_is_said() -> None:
    close = replace(RELEASE, privacy=(figure_of(TCloseness(Fraction(1, 5)), 0.1),))
    (untold,) = noted(close, REQUEST).untold
    assert untold.startswith("t_closeness {t: 0.2, distance: equal} of column 's': the release does not have")
    nobody = replace(RELEASE, columns=COLUMNS[:2])
    was = noted(nobody, REQUEST)
    assert was.reading.sensitive == ()
    assert [each.split(":")[0] for each in was.untold] == ["k and persons", "distinct_l {l"]


def test_a_release_of_an_older_engine_still_verifies(tmp_path: Path) -> None:
    old, request = a_release("r.csv", rows=5, k=2, divisions=2, columns=COLUMNS[:1]), a_request()
    assert noted(old, request).untold == ()
    assert found(old, tmp_path / "r.csv", "a\n1\n1\n1\n2\n2\n", request) == []
    assert found(old, tmp_path / "r.csv", "a\n1\n1\n1\n2\n", request) != []


def test_a_statistical_table_notes_how_many_persons_its_stars_stand_for(tmp_path: Path) -> None:
    figures = {"rows": 3, "suppressed_rows": 5, "suppressed_persons": 4, "star_rows": 5}
    release = replace(RELEASE, kind="file of classes", columns=COLUMNS[:1], privacy=(), **figures)
    request = a_request(shape="table", entity_column="id")
    assert found(release, tmp_path / "r.csv", "a,count\n1,2\n2,3\n*,4\n", request) == []
    assert found(release, tmp_path / "r.csv", "a,count\n1,2\n2,3\n*,5\n", request) == [
        "suppressed rows as * are 5, noted were 4"
    ]


@pytest.mark.parametrize(
    "model", [DistinctL(3), EntropyL(Fraction(5, 2)), RecursiveCL(Fraction(3), 2), AlphaK(Fraction(1, 2))]
)
def test_a_model_is_verified_by_its_name_and_parameters(model: Model) -> None:
    assert noted(replace(RELEASE, privacy=(figure_of(model, 0.5),)), REQUEST).reading.sensitive[0].models == (model,)


def test_a_model_of_another_engine_is_untold() -> None:
    other = PrivacyFigure("s", "delta {d: 1}", 0.5, "delta", {"d": "1"})
    was = noted(replace(RELEASE, privacy=(other,)), REQUEST)
    assert (was.reading.sensitive, [each.split(":")[0] for each in was.untold]) == ((), ["delta {d"])


def written(into: IntoTable, expected: ExpectedRelease) -> None:
    """Writes the table, measures it and commits it."""
    with table_written(into, expected, LIMITS) as commit:
        commit()


@pytest.mark.slow
def test_a_table_of_the_source_is_measured_with_its_stars_and_models_before_it_is_committed(tmp_path: Path) -> None:
    staged, database = tmp_path / "staged.parquet", tmp_path / "s.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE persons AS SELECT 1 AS id")
        rows = "('1', 'flu'), ('1', 'ache'), ('2', 'flu'), ('2', NULL), ('*', '*'), ('*', '*')"
        connection.execute(f"COPY (SELECT * FROM (VALUES {rows}) AS r(a, s)) TO '{staged}' (FORMAT parquet)")
    whole = ReleasedDistribution(["ache", "flu", None], [0, 1, 2], [2, 3, 1])
    told = SensitiveColumn("s", "VARCHAR", (TCloseness(Fraction(1, 2)),), whole)
    into = IntoTable(
        database=database,
        table="out",
        staged=staged,
        reading=ReadingPlan(("a",), "rows", ("a", "s"), sensitive=(told,)),
        versioning=Versioning(exp.select("COUNT(*)", "0").from_("persons")),
        version=Version(1, 0, ""),
        run="f0f0",
        replaces=False,
    )
    classes = Observation.from_histogram([(2, 2)])
    for wrong in (ExpectedRelease(classes, 2, 4, stars=3), ExpectedRelease(classes, 3, 4, stars=2)):
        with pytest.raises(ReleaseMismatch):
            written(into, wrong)
    strict = replace(told, models=(TCloseness(Fraction(1, 100)),))
    failing = replace(into, reading=replace(into.reading, sensitive=(strict,)))
    with pytest.raises(ReleaseMismatch, match="t_closeness"):
        written(failing, ExpectedRelease(classes, 2, 4, stars=2))
    written(into, ExpectedRelease(classes, 2, 4, stars=2))
    with duckdb.connect(str(database)) as connection:
        assert sorted(row[0] for row in connection.execute("SHOW TABLES").fetchall()) == ["out", "persons"]


def test_a_class_with_a_value_that_the_dataset_does_not_have_fails(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("a,s\n1,flu\n1,ache\n2,flew\n2,flew\n3,flu\n3,flew\n", encoding="utf-8")
    told = SensitiveColumn(
        "s", "VARCHAR", (TCloseness(Fraction(9, 10)),), ReleasedDistribution(["ache", "flu"], [0, 1], [2, 3])
    )
    measured = measure_file(tmp_path / "r.csv", ReadingPlan(("a",), "rows", sensitive=(told,)), LIMITS)
    assert [each.failing for each in measured.models] == [2]
    with pytest.raises(ReleaseMismatch, match="t_closeness"):
        check_measured(measured, ExpectedRelease(measured.classes, 2, 6), "here")


def test_what_is_measured_says_how_far_the_worst_class_is(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(WRITTEN, encoding="utf-8")
    # Persons: class 1 has flu {1, 2}, ache {2}; class 2 flu {3}, ache {1}. The dataset: flu 3, ache 2 of 5.
    told = SensitiveColumn(
        "s", "VARCHAR", (TCloseness(Fraction(1, 2)),), ReleasedDistribution(["ache", "flu"], [0, 1], [2, 3])
    )
    reading = ReadingPlan(("a",), "rows", ("a", "s", "who"), "who", (told,))
    measured: MeasuredRelease = measure_file(tmp_path / "r.csv", reading, LIMITS)
    # |1/3 - 2/5| = 1/15 and |1/2 - 2/5| = 1/10.
    assert measured.models[0].worst == pytest.approx(0.1, abs=1e-12)
    assert (measured.classes.sizes, measured.classes.rows, measured.rows, measured.star_rows) == (((2, 2),), 3, 5, 2)

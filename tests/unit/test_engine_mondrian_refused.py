"""Requests for Mondrian that cannot be answered, or only just: one clear error, or the stated release; nothing else."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import (
    HierarchyError,
    InputError,
    OrdermadeError,
    ReleaseMismatch,
    RequestError,
    SourceChanged,
)
from ordermade.lattice.observation import Observation
from ordermade.methods.mondrian import answer
from ordermade.methods.shared import publishing
from ordermade.release.measure import MeasuredRelease
from tests.label_parts import values_of
from tests.long import sampled
from tests.made import new_engine

pytestmark = pytest.mark.slow

TABLES = {
    "alike": "SELECT 5 AS a, 'x' AS b, 1.5::DOUBLE AS c, DATE '2001-02-03' AS d FROM RANGE(10)",
    "nobody": "SELECT 1 AS a, 'x' AS b WHERE FALSE",
    "one": "SELECT 1 AS a, 'x' AS b",
    "six": "SELECT i AS a, 'x' || i AS b FROM RANGE(6) AS t(i)",
    "holes": "SELECT CASE WHEN i > 1 THEN i END AS a, CASE WHEN i > 2 THEN 'x' || i % 2 END AS b, "
    "CASE i WHEN 1 THEN 'NaN'::DOUBLE WHEN 2 THEN '-Infinity'::DOUBLE ELSE i END AS c, "
    "CASE WHEN i < 4 THEN DATE 'infinity' ELSE DATE '2001-01-01' END AS d, "
    "CASE WHEN i > 0 THEN i % 9 END AS person, i % 2 = 0 AS e FROM RANGE(20) AS t(i)",
    "far": "SELECT CASE i % 4 WHEN 0 THEN -9223372036854775808 WHEN 1 THEN 9223372036854775807 ELSE i END AS a, "
    "CASE i % 4 WHEN 0 THEN DATE '0001-01-01' WHEN 1 THEN DATE '9999-12-31' ELSE DATE '1969-12-31' END AS d, "
    "CASE i % 4 WHEN 0 THEN -1.7e308 WHEN 1 THEN 1.7e308 ELSE 5e-324 END::DOUBLE AS c FROM RANGE(40) AS t(i)",
    "texts": "SELECT [';', ',', 'a}', '\"', '{a;b}', '[1, 2]', ' a', '', '*', 'NULL', 'a\nb', '語'][1 + i % 12] AS a, "
    "REPEAT('long', 20000) || i % 6 AS b FROM RANGE(24) AS t(i)",
    "twice": "SELECT i % 2 AS a, 'x' || i % 2 AS b FROM RANGE(40) AS t(i)",
    "ours": "SELECT i AS a, 'p' AS person, 'same' AS ill FROM RANGE(40) AS t(i)",
    "two": "SELECT i AS a, 'p' || i // 20 AS person, i % 3 AS ill FROM RANGE(40) AS t(i)",
    "jobs": "SELECT ['smith', 'nurse', 'Zqx'][1 + i % 3] AS job, i AS a FROM RANGE(30) AS t(i)",
    "near": "SELECT CASE WHEN g = 2 THEN 5 ELSE 9007199254740992 + g END AS a, "
    "CASE WHEN g = 2 THEN 6 + i ELSE i END AS person, "
    "CASE WHEN g < 2 AND (i < 3) = (g = 0) THEN 'hiv' ELSE 'ok' || i END AS ill "
    "FROM RANGE(6) AS t(i), RANGE(3) AS s(g)",
    "names": 'SELECT i AS "n", i * 7 % 40 AS "v1", i % 5 AS "count", i // 2 AS "person", i * 3 % 40 AS "a1", '
    'i * 11 % 40 AS "record", i % 3 AS "number", i % 4 AS "cell", i % 2 AS "target", i % 7 AS "suppressed", '
    'i % 6 AS "a ""b"" c", i * 13 % 40 AS "Ünï 語;", i % 8 AS "select", i % 9 AS " " FROM RANGE(40) AS t(i)',
}
JOBS = "mapping: {smith: [craft, '*'], nurse: [care, '*']}"
CROSSED = "intervals: {levels: [{width: 4}, {width: 6}]}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables in a database."""
    folder = tmp_path_factory.mktemp("refused")
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        for name, select in TABLES.items():
            connection.execute(f"CREATE TABLE {name} AS {select}")
    return folder


@pytest.fixture(scope="module")
def engine(folder: Path) -> Engine:
    """An engine on them; `persons_…`: the dataset in which `person` tells them apart."""
    engine = new_engine(folder)
    engine.sources.add("s", str(folder / "s.duckdb"), allow_inline=True)
    for name in TABLES:
        engine.datasets.add(name, "s", table=name, least_k=2)
    for name in ("holes", "ours", "two", "near", "names"):
        engine.datasets.add(f"persons_{name}", "s", table=name, entity="person", least_k=2)
    for name, text in (("job", JOBS), ("crossed", CROSSED)):
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        engine.hierarchies.add(name, folder / f"{name}.yaml")
    return engine


def asked(to: Path, dataset: str, columns: str | Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A request for columns that are named one by one, or with their hierarchies."""
    qis = {name: {} for name in columns.split()} if isinstance(columns, str) else columns
    release = {"replace": True, "to": str(to)} | more.pop("release", {})
    return {"dataset": dataset, "method": "mondrian", "k": 5, "quasi_identifiers": qis, "release": release} | more


def released(path: Path) -> list[tuple[Any, ...]]:
    """Every class with its rows."""
    return duckdb.sql(f"SELECT *, COUNT(*)::INTEGER FROM '{path}' GROUP BY ALL ORDER BY ALL").fetchall()


LEAVE_OUT = "Leave them out with `where"
NIGH = date(1969, 12, 31)
DISTINCT = {"ill": [{"model": "distinct_l", "l": 2}]}


@pytest.mark.parametrize(
    ("dataset", "columns", "kind", "told"),
    [
        ("holes", "a", InputError, f"a: 2 rows have no number: the column 'a' is NULL there. {LEAVE_OUT}"),
        ("holes", "b", InputError, f"b: 3 rows have no value: the column 'b' is NULL there. {LEAVE_OUT}"),
        ("holes", "e c", InputError, "c: 2 rows have no number: the column 'c' is NaN or an infinity there."),
        ("holes", "d", InputError, "d: 4 rows have no date: the column 'd' is an infinity there."),
        ("persons_holes", "e", InputError, "fewer than 2 rows have no person: the column 'person' is NULL there."),
        (
            "jobs",
            {"job": {"hierarchy": "job"}},
            HierarchyError,
            "fewer than 2 values of the column, in 10 rows, are not",
        ),
        ("jobs", "a gone", RequestError, "quasi_identifiers.gone: there is no column 'gone'"),
        ("jobs", {"a": {"hierarchy": "crossed"}}, RequestError, "the levels of the hierarchy 'crossed' do not nest"),
    ],
)
def test_what_cannot_be_split_is_one_error_that_counts(
    engine: Engine, tmp_path: Path, dataset: str, columns: Any, kind: type[OrdermadeError], told: str
) -> None:
    before = len(engine.requests.list())
    with pytest.raises(kind) as caught:
        engine.run(asked(tmp_path / "out.parquet", dataset, columns, mondrian={"variant": "hierarchy"}))
    assert told in str(caught.value)
    assert "Zqx" not in str(caught.value)
    assert not [*tmp_path.iterdir()]
    # What is asked of columns and persons that there are not is no request yet.
    noted = sorted(engine.requests.list(), key=lambda each: each.id)[before:]
    assert [each.status for each in noted] == ["failed"] * (kind is not RequestError and dataset != "persons_holes")


@pytest.mark.parametrize(
    ("when", "told"),
    [
        ({"gone": 1}, "'gone' is no quasi-identifier of the request"),
        ({"a": [5, 3]}, "the interval is empty"),
        ({"a": [3.2, 3.8]}, "no whole number is meant"),
        ({"job": ["smith", "baker"]}, "the hierarchy 'job' has no value and no class 'baker'"),
    ],
)
def test_a_rule_that_means_nothing_is_told_with_its_line(
    engine: Engine, tmp_path: Path, when: Mapping[str, Any], told: str
) -> None:
    to, columns = tmp_path / "out.parquet", {"job": {"hierarchy": "job"}, "a": {}}
    path = tmp_path / "rules.yaml"
    path.write_text(f"rules:\n  - item: it\n    when: {json.dumps(when)}\n", encoding="utf-8")
    before = len(engine.requests.list())
    with pytest.raises(RequestError) as caught:
        engine.run(asked(to, "jobs", columns, mondrian={"split": "tf-idf", "rules": str(path)}))
    assert len(caught.value.problems) == 1
    assert caught.value.problems[0].startswith(f"{path}:3: rules[0].when.")
    assert told in caught.value.problems[0]
    assert len(engine.requests.list()) == before
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(
    ("dataset", "more", "told"),
    [
        ("nobody", {}, "fewer than 5 rows remain"),
        ("one", {"k": 2}, "fewer than 2 rows remain"),
        ("six", {"k": 7}, "fewer than 7 rows remain"),
        ("persons_ours", {"k": 2}, "fewer than 2 persons remain"),
        ("ours", {"sensitive": DISTINCT}, "they fail distinct_l {l: 2} of column 'ill'"),
        (
            "persons_near",
            {
                "k": 3,
                "sensitive": {"ill": [{"model": "alpha_k", "alpha": 0.5}]},
                "mondrian": {"labels": "mean"},
                "allow_identifying": ["ill"],
            },
            "fewer than 2 class(es) are made of several whose labels are the same",
        ),
    ],
)
def test_what_no_class_passes_is_refused(
    engine: Engine, tmp_path: Path, dataset: str, more: Mapping[str, Any], told: str
) -> None:
    result = engine.run(asked(tmp_path / "out.parquet", dataset, "a", **more))
    assert (result.status, result.release, result.mondrian, result.recommendation) == ("refused", None, None, ())
    assert told in result.reason
    assert engine.requests.get(result.request).status == "refused"
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("labels", "classes"),
    sampled(
        [
            ({}, [("5", "x", "1.5", "2001-02-03", 10)]),
            ({"labels": "set", "variant": "hierarchy"}, [("5", "x", "1.5", "2001-02-03", 10)]),
            ({"labels": "mean", "strict": False, "split": "prec"}, [(5.0, "x", 1.5, date(2001, 2, 3), 10)]),
        ],
        2,
    ),
)
def test_rows_that_are_alike_are_one_class_that_loses_nothing(
    engine: Engine, tmp_path: Path, labels: Mapping[str, Any], classes: Sequence[Any]
) -> None:
    result = engine.run(asked(tmp_path / "out.parquet", "alike", "a b c d", mondrian=labels))
    assert released(tmp_path / "out.parquet") == classes
    assert (result.loss["loss"], result.loss["prec"], result.mondrian.made) == (0, 0, 0)


@pytest.mark.parametrize(
    ("dataset", "columns", "more", "classes"),
    sampled(
        [
            ("six", "a b", {"k": 6, "allow_identifying": ["b"]}, [("[0, 5]", "*", 6)]),
            ("twice", "a b", {}, [("0", "x0", 20), ("1", "x1", 20)]),
            ("twice", "a b", {"mondrian": {"strict": False}}, [("0", "x0", 20), ("1", "x1", 20)]),
            ("persons_two", "a", {"k": 2}, [("[0, 39]", 40)]),
            ("persons_two", "a", {"k": 2, "mondrian": {"strict": False}}, [("[0, 39]", 40)]),
            (
                "far",
                "a",
                {"k": 10, "mondrian": {"labels": "set"}},
                [
                    ("-9223372036854775808", 10),
                    ("9223372036854775807", 10),
                    ("{2, 3, 6, 7, 10, 11, 14, 15, 18, 19}", 10),
                    ("{22, 23, 26, 27, 30, 31, 34, 35, 38, 39}", 10),
                ],
            ),
            ("far", "c", {}, [("-1.7e+308", 10), ("1.7e+308", 10), ("5e-324", 20)]),
            ("far", "d", {}, [("0001-01-01", 10), ("1969-12-31", 20), ("9999-12-31", 10)]),
            (
                "far",
                "d",
                {"k": 15, "mondrian": {"labels": "mean"}},
                [(date.fromordinal(sum(10 * each.toordinal() for each in (date.min, NIGH, NIGH, date.max)) // 40), 40)],
            ),
        ],
        2,
    ),
)
def test_extremes_and_duplicates_are_released_as_they_are(
    engine: Engine, tmp_path: Path, dataset: str, columns: str, more: Mapping[str, Any], classes: Sequence[Any]
) -> None:
    engine.run(asked(tmp_path / "out.parquet", dataset, columns, **more))
    assert released(tmp_path / "out.parquet") == classes


@pytest.mark.parametrize(
    ("k", "ending"), sampled([(2, "parquet"), (4, "parquet"), (4, "csv"), (4, "csv.gz"), (4, "xlsx")], 2)
)
def test_texts_that_look_like_labels_are_told_apart(engine: Engine, tmp_path: Path, k: int, ending: str) -> None:
    """Alone and in sets, in files of every kind: read back they are the texts there were, as often."""
    done = engine.run(asked(tmp_path / f"out.{ending}", "texts", "a", k=k))
    if ending in ("parquet", "xlsx"):
        labels = done.to_arrow()["a"].to_pylist()
    else:
        reading = f"read_csv('{tmp_path / 'out'}.{ending}', all_varchar = true)"
        labels = [label for (label,) in duckdb.sql(f"SELECT a FROM {reading}").fetchall()]
    found = Counter("" if label is None else str(label) for label in labels)
    texts = Counter[str]()
    for label, n in found.items():
        of_set = values_of(label)
        for text in of_set:
            texts[text] += n // len(of_set)
    with duckdb.connect() as connection:
        assert texts == Counter(text for (text,) in connection.execute(f"SELECT a FROM ({TABLES['texts']})").fetchall())


def test_long_texts_are_values_as_others(engine: Engine, tmp_path: Path) -> None:
    engine.run(asked(tmp_path / "out.parquet", "texts", "b", k=4))
    assert released(tmp_path / "out.parquet") == [("long" * 20000 + str(each), 4) for each in range(6)]


NAMES = ("n", "v1", "count", "person", "a1", "record", "number", "cell", "target", "suppressed")
ODD = ('a "b" c', "Ünï 語;", "select", " ")


@pytest.mark.parametrize("split", [NAMES[:5], pytest.param(NAMES[5:], marks=pytest.mark.whole), ODD])
def test_columns_called_as_tables_of_the_engine_are_columns(
    engine: Engine, tmp_path: Path, split: tuple[str, ...]
) -> None:
    """Split or kept, with persons and models: the rows that are released are those of the table."""
    every = [*NAMES, *ODD]
    kept = [each for each in every if each not in split and each not in ("person", "number")]
    for dataset, more in (
        ("names", {"keep": [*kept, *({"person", "number"} - {*split})]}),
        ("persons_names", {"keep": kept, "sensitive": {"number": [{"model": "distinct_l", "l": 2}]}}),
    ):
        columns = {each: {} for each in split if dataset == "names" or each not in ("person", "number")}
        to = tmp_path / f"{dataset}.parquet"
        shown = sorted({*more["keep"], *more.get("sensitive", ())})
        more["allow_identifying"] = shown
        result = engine.run(asked(to, dataset, columns, mondrian={"strict": False, "labels": "set"}, **more))
        names = ", ".join('"' + each.replace('"', '""') + '"' for each in shown)
        with duckdb.connect() as connection:
            original = connection.execute(f"SELECT {names} FROM ({TABLES['names']})").fetchall()
        assert Counter(duckdb.sql(f"SELECT {names} FROM '{to}'").fetchall()) == Counter(original)
        assert result.k >= 5
        assert result.divisions > 1


def test_what_goes_wrong_on_the_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that does not measure as it must, a source that changes, somebody who stops it."""
    file = tmp_path / "people.csv"
    engine, decide = new_engine(tmp_path), answer.decide
    (tmp_path / "out").mkdir()
    file.write_text("a\n" + "\n".join(str(number) for number in range(30)), encoding="utf-8")
    engine.sources.add("s", str(file))
    engine.datasets.add("people", "s", table="people", least_k=2)
    request = asked(tmp_path / "out" / "out.parquet", "people", "a")

    def changed(*given: Any) -> None:
        file.write_text("a\n1\n", encoding="utf-8")
        decide(*given)

    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    wrong = MeasuredRelease(Observation.from_histogram([(2, 15)]), 30)
    for place, name, instead, expected in (
        (publishing, "measure_file", lambda *_, **__: wrong, ReleaseMismatch),
        (answer, "decide", stopped, KeyboardInterrupt),
        (answer, "decide", changed, SourceChanged),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, instead)
            with pytest.raises(expected):
                engine.run(request)
        assert not [*(tmp_path / "out").iterdir()]
    assert [each.status for each in engine.requests.list()] == ["failed"] * 3

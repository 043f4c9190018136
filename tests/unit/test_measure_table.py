"""A table measured as it is: ten rows by hand, in every kind of file; what has no figures is refused."""

from __future__ import annotations

import gzip
import math
import sqlite3
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade.catalogue.any_table import AnyTable
from ordermade.counting import any_table
from ordermade.counting.table_figures import MeasuredTable
from ordermade.errors import FilterError, InputError, SourceFault, UnknownName
from ordermade.sources.limits import Limits
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from tests.made import new_engine

HEADER = ("zone", "sex", "disease", "income", "person")
ROWS: Sequence[tuple[Any, ...]] = (
    ("n", "f", "flu", 10, "p1"),  # class A: four rows, three persons
    ("n", "f", "flu", 20, "p1"),
    ("n", "f", "cold", 20, "p2"),
    ("n", "f", None, 40, "p3"),
    ("n", "m", "flu", 10, "p4"),  # class B: four rows, three persons
    ("n", "m", "cold", 10, "p4"),
    ("n", "m", "flu", 30, "p5"),
    ("n", "m", "flu", 30, "p6"),
    ("s", "f", "cold", 20, "p1"),  # class C: two rows, two persons
    ("s", "f", "hiv", 40, "p7"),
)
"""Ten rows, seven persons. Of ten rows flu has 5, cold 3, hiv 1, NULL 1; 10 and 20 have 3, 30 and 40 have 2."""


def write_csv(path: Path, rows: Sequence[tuple[Any, ...]] = ROWS, header: Sequence[str] = HEADER) -> Path:
    lines = [",".join(header), *(",".join("" if value is None else str(value) for value in row) for row in rows)]
    text = "\n".join(lines) + "\n"
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


def measure(named: Path | str, *columns: str, table: str | None = None, **options: Any) -> MeasuredTable:
    """The table measured without any state."""
    nowhere = StateFile(Path("nowhere") / "state.sqlite", SHELL)
    found = AnyTable(str(named), table).measured(nowhere, Limits(), columns or ("zone", "sex"), **options)
    assert not nowhere.path.parent.exists()
    return found


@pytest.fixture
def ten(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "ten.csv")


def test_the_classes_of_ten_rows(ten: Path) -> None:
    found = measure(ten)
    assert (found.rows, found.units, found.unit, found.k) == (10, 10, "rows", 2)
    assert found.classes.sizes == ((2, 1), (4, 2))
    assert (found.classes.divisions, found.largest_class, found.classes_of_one) == (3, 4, 0)
    assert found.average_class == pytest.approx(10 / 3)
    assert [(each.k, each.classes, each.units, each.share) for each in found.below((2, 3, 4, 5))] == [
        (2, 0, 0, 0.0),
        (3, 1, 2, 0.2),
        (4, 1, 2, 0.2),
        (5, 3, 10, 1.0),
    ]
    assert [(each.name, each.values, each.nulls) for each in found.quasi_identifiers] == [("zone", 2, 0), ("sex", 2, 0)]


def test_a_sensitive_text_of_ten_rows(ten: Path) -> None:
    (disease,) = measure(ten, sensitive=["disease"]).sensitive
    assert (disease.column.values, disease.column.nulls) == (4, 1)  # NULL is a value
    assert disease.distinct_l == 2  # A 3, B 2, C 2
    # B: 3/4 and 1/4, H = ln 4 - 3/4 ln 3; A: 1.5 ln 2; C: ln 2
    assert disease.entropy_l == pytest.approx(4 / 3**0.75, abs=1e-12)
    assert disease.recursive_c == ((2, 3.0),)  # B: 3 / 1; A: 2 / (1 + 1); C: 1 / 1
    # A: (0 + .05 + .1 + .15) / 2 = .15; B: (.25 + .05 + .1 + .1) / 2 = .25; C: (.5 + .2 + .4 + .1) / 2 = .6
    assert disease.t_equal == pytest.approx(0.6, abs=1e-12)
    assert disease.t_ordered is None
    assert disease.t == disease.t_equal
    assert disease.alpha == 0.75  # flu in B
    assert disease.beta_basic == pytest.approx(4.0)  # hiv: 1 of 10, in C 1 of 2: (.5 - .1) / .1
    assert disease.beta_enhanced is None  # 4 > -ln .1 = 2.3
    assert disease.delta == pytest.approx(math.log(5))  # hiv again


@pytest.mark.slow
def test_a_sensitive_number_of_ten_rows(ten: Path) -> None:
    (income,) = measure(ten, sensitive=["income"]).sensitive
    assert income.distinct_l == 2
    # Shares up to each rank, of all: .3 .6 .8. A: .25 .75 .75, B: .5 .5 1, C: 0 .5 .5: .25, .5 and .7 apart, / 3 steps
    assert income.t_ordered == pytest.approx(0.7 / 3, abs=1e-12)
    assert income.t == income.t_ordered
    assert income.t_equal == pytest.approx(0.5, abs=1e-12)  # C: (.3 + .2 + .2 + .3) / 2
    assert income.alpha == 0.5
    assert income.recursive_c == ((2, 1.0),)
    assert income.beta_basic == pytest.approx(1.5)  # 30 in B: (.5 - .2) / .2
    assert income.beta_enhanced == pytest.approx(1.5)  # <= -ln .2 = 1.609
    assert income.delta == pytest.approx(math.log(2.5))


@pytest.mark.slow
def test_the_risks_of_ten_rows(ten: Path) -> None:
    found = measure(ten)
    prosecutor = found.risks()
    assert (prosecutor.highest, prosecutor.average) == (Fraction(1, 2), Fraction(3, 10))
    assert [share for _, share in prosecutor.above] == [1.0, 1.0]  # 1/4 and 1/2 are above .05 and .2
    # 8 rows have 1/4, 2 have 1/2
    assert [risk for _, risk in prosecutor.percentiles] == [Fraction(1, 4)] * 4 + [Fraction(1, 2)]
    journalist = found.risks(Fraction(1, 2))
    assert (journalist.highest, journalist.average) == (Fraction(1, 4), Fraction(3, 20))
    assert [share for _, share in journalist.above] == [1.0, 0.2]  # 1/8 is not above .2
    assert found.marketer(Fraction(1, 2)) == Fraction(3, 20)


def test_a_risk_on_the_threshold_is_not_above_it(tmp_path: Path) -> None:
    found = measure(write_csv(tmp_path / "five.csv", [("n",)] * 5, ["zone"]), "zone")
    assert [share for _, share in found.risks().above] == [1.0, 0.0]  # 1/5


@pytest.mark.slow
def test_persons_are_counted_once_in_a_class_and_at_their_smallest_class(ten: Path) -> None:
    found = measure(ten, entity="person", sensitive=["disease"])
    assert (found.rows, found.units, found.unit, found.k) == (10, 7, "persons", 2)
    assert found.classes.sizes == ((2, 1), (3, 2))
    assert found.units_by_size == ((2, 2), (3, 5))  # p1 is in A too, but C is smaller
    assert [(each.classes, each.units) for each in found.below((3, 4))] == [(1, 2), (3, 7)]
    assert found.risks().average == (Fraction(2, 2) + Fraction(5, 3)) / 7
    # Each person's chance to be linked rightly, in the class that tells most: 2 of 1/2, 5 of 1/3.
    assert found.marketer() == Fraction(8, 21)
    (disease,) = found.sensitive
    # Persons of values. A: flu 1, cold 1, NULL 1; B: flu 3, cold 1 (p4 has both); C: cold 1, hiv 1
    assert disease.alpha == 1.0  # all three persons of B have flu
    assert disease.entropy_l == pytest.approx(4 / 3**0.75, abs=1e-12)
    assert disease.t_equal == pytest.approx(5 / 9, abs=1e-12)  # of all: flu 4, cold 3, hiv 1, NULL 1; C differs most


def test_every_l_up_to_the_distinct_one_has_its_c(tmp_path: Path) -> None:
    values = "a" * 5 + "b" * 3 + "c" * 2
    path = write_csv(tmp_path / "one.csv", [("n", value) for value in values], ["zone", "value"])
    (value,) = measure(path, "zone", sensitive=["value"]).sensitive
    assert value.recursive_c == ((2, 1.0), (3, 2.5))  # 5 / (3 + 2), 5 / 2
    assert (value.t_equal, value.beta_basic, value.delta) == (0.0, 0.0, 0.0)  # one class, which is the table


def test_a_class_of_one_value_says_so_in_every_figure(tmp_path: Path) -> None:
    rows = [("n", "a"), ("n", "a"), ("s", "a"), ("s", "b"), ("e", "b")]
    (value,) = measure(write_csv(tmp_path / "one.csv", rows, ["zone", "value"]), "zone", sensitive=["value"]).sensitive
    assert (value.distinct_l, value.entropy_l, value.alpha, value.recursive_c) == (1, 1.0, 1.0, ())
    assert value.t_equal == pytest.approx(0.6)  # the class e: b is 2 of 5
    assert value.beta_basic == pytest.approx(1.5)


@pytest.mark.slow
def test_classes_that_one_integer_cannot_hold_are_the_same(ten: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = ("zone", "sex", "income", "disease")
    expected = measure(ten, *columns, entity="person")
    monkeypatch.setattr(any_table, "LARGEST_CLASS_NUMBER", 5)
    assert measure(ten, *columns, entity="person") == expected
    assert expected.classes.divisions == 9  # two persons of B are alike


@pytest.mark.slow
@pytest.mark.parametrize("columns", [("zone", "sex", "income", "disease"), ("disease",)])
@pytest.mark.parametrize("entity", [None, "person"])
def test_classes_grouped_by_their_values_are_the_same(
    ten: Path, monkeypatch: pytest.MonkeyPatch, columns: tuple[str, ...], entity: str | None
) -> None:
    sensitive = [] if "income" in columns else ["income"]
    expected = measure(ten, *columns, sensitive=sensitive, entity=entity)
    monkeypatch.setattr(any_table, "MOST_JOINED", 1)
    assert measure(ten, *columns, sensitive=sensitive, entity=entity) == expected


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_a_table_of_220_columns(tmp_path: Path, kind: str) -> None:
    """No statement joins as many tables, which SQLite would refuse and DuckDB has no memory for."""
    columns = [f"c{place}" for place in range(220)]
    rows = [tuple(row % (2 + place % 7) for place in range(220)) for row in (*range(60), *range(40))]
    path = tmp_path / f"wide.{kind}"
    connection: Any = duckdb.connect(str(path)) if kind == "duckdb" else sqlite3.connect(path)
    connection.execute(f"CREATE TABLE wide ({', '.join(f'{each} INTEGER' for each in columns)})")
    connection.executemany(f"INSERT INTO wide VALUES ({', '.join('?' * 220)})", rows)
    connection.commit()
    connection.close()
    found = measure(path, *columns[:-1], sensitive=columns[-1:])
    assert found.classes.sizes == ((1, 20), (2, 40))
    assert [each.values for each in found.quasi_identifiers] == [2 + place % 7 for place in range(219)]
    assert [each.distinct_l for each in found.sensitive] == [1]


@pytest.mark.slow
def test_the_same_table_in_every_kind_of_file(ten: Path, tmp_path: Path) -> None:
    expected = measure(ten, sensitive=["disease", "income"])
    parts = tmp_path / "parts"
    (parts / "zone=s").mkdir(parents=True)
    (tmp_path / "[odd] folder").mkdir()
    with duckdb.connect(str(tmp_path / "ten.duckdb")) as connection:
        connection.execute("CREATE TABLE ten AS SELECT * FROM read_csv($1)", [str(ten)])
        connection.execute(f"COPY ten TO '{tmp_path / 'ten.parquet'}'")
        connection.execute(f"COPY ten TO '{tmp_path / 'hive'}' (FORMAT parquet, PARTITION_BY (zone))")
        connection.execute(f"COPY ten TO '{tmp_path / '[odd] folder' / 'ten.parquet'}'")
        connection.execute("CREATE TABLE other AS SELECT 1 AS one")
    write_csv(parts / "1.csv", ROWS[:3])
    write_csv(parts / "zone=s" / "2.csv", ROWS[3:])
    kinds = {
        "gz": write_csv(tmp_path / "ten.csv.gz"),
        "parquet": tmp_path / "ten.parquet",
        "hive": tmp_path / "hive",
        "folder": tmp_path / "[odd] folder",
        "csv folder": parts,
        "glob": tmp_path / "*.parquet",
        "duckdb": tmp_path / "ten.duckdb",
    }
    for kind, path in kinds.items():
        found = measure(path, table="ten" if kind == "duckdb" else None, sensitive=["disease", "income"])
        assert found.classes == expected.classes, kind
        for one, other in zip(found.sensitive, expected.sensitive, strict=True):
            assert (one.distinct_l, one.recursive_c, one.t_equal, one.t_ordered, one.alpha) == (
                other.distinct_l,
                other.recursive_c,
                other.t_equal,
                other.t_ordered,
                other.alpha,
            ), kind


@pytest.mark.slow
def test_a_table_of_a_registered_source(ten: Path, tmp_path: Path) -> None:
    engine = new_engine(tmp_path)
    engine.sources.add("shop", str(ten))
    engine.sources.add("shop.north", str(ten))
    expected = measure(ten)
    for named in ("shop.ten", "shop", "shop.main.ten", "shop.north.ten"):
        assert engine.measure(named, ["zone", "sex"]).classes == expected.classes
    with pytest.raises(UnknownName, match="there is no table 'tan'"):
        engine.measure("shop.tan", ["zone"])
    with pytest.raises(InputError, match="neither a file or folder nor a registered source"):
        engine.measure("stop.ten", ["zone"])


@pytest.mark.slow
def test_a_filter_measures_fewer_rows_and_is_told_in_its_one_spelling(ten: Path) -> None:
    found = measure(ten, where="ZONE='n' and income<=20")
    assert (found.rows, found.classes.sizes) == (5, ((2, 1), (3, 1)))
    assert found.filter == '"zone" = \'n\' AND "income" <= 20'


@pytest.mark.slow
def test_names_in_any_case_and_with_odd_characters(tmp_path: Path) -> None:
    header = ['"last, first"', "Été", '"a ""quoted"" name"', "n", "class", "value_1"]
    path = write_csv(tmp_path / "odd.csv", [(1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 7)], header)
    found = measure(path, "LAST, first", "été", 'a "quoted" name', "N", sensitive=["Class", "value_1"])
    assert [each.name for each in found.quasi_identifiers] == ["last, first", "Été", 'a "quoted" name', "n"]
    assert [each.distinct_l for each in found.sensitive] == [1, 2]


def test_null_is_a_value_of_a_quasi_identifier(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "null.csv", [("n", 1), (None, 2), (None, 3)], ["zone", "id"])
    assert measure(path, "zone").classes.sizes == ((1, 1), (2, 1))


@pytest.mark.parametrize(
    ("columns", "options", "kind", "told"),
    [
        (("zoen",), {}, UnknownName, "--quasi-identifiers: there is no column 'zoen'. Did you mean 'zone'?"),
        (("zone",), {"sensitive": ["desease"]}, UnknownName, "--sensitive: there is no column 'desease'"),
        (("zone",), {"sensitive": ["ZONE"]}, InputError, "--sensitive: 'zone' is named in --quasi-identifiers too"),
        (("zone", "zone"), {}, InputError, "--quasi-identifiers: 'zone' is named twice"),
        (("zone",), {"entity": "sex", "sensitive": ["sex"]}, InputError, "--entity: 'sex' is named in --sensitive too"),
        (("zone",), {"entity": "disease"}, InputError, "--entity: 1 row has no person: 'disease' is NULL there"),
        (("zone",), {"where": "income > 99"}, InputError, "--where: no row passes the filter"),
        (("zone",), {"where": "incme > 99"}, FilterError, "--where: there is no column 'incme'. Did you mean 'income'"),
        (("zone",), {"where": "1; DROP TABLE x"}, FilterError, "--where: "),
        (("zone",), {"table": "eleven"}, UnknownName, "there is no table 'eleven'"),
    ],
)
def test_what_is_asked_wrongly(
    ten: Path, columns: tuple[str, ...], options: dict[str, Any], kind: type[InputError], told: str
) -> None:
    with pytest.raises(kind) as raised:
        measure(ten, *columns, **options)
    assert told in str(raised.value)


@pytest.mark.slow
def test_what_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "both").mkdir()
    write_csv(tmp_path / "both" / "one.csv")
    (tmp_path / "both" / "two.parquet").write_bytes(b"PAR1")
    (tmp_path / "picture.png").write_bytes(b"x")
    (tmp_path / "no.parquet").write_text("not at all", encoding="utf-8")
    write_csv(tmp_path / "header.csv", [])
    with duckdb.connect(str(tmp_path / "two.duckdb")) as connection:
        connection.execute("CREATE TABLE one AS SELECT 1 AS zone; CREATE TABLE two AS SELECT 2 AS zone")
    with duckdb.connect(str(tmp_path / "none.duckdb")):
        pass
    for name, kind, told in (
        ("away.csv", InputError, "neither a file or folder nor a registered source"),
        ("away", InputError, "neither a file or folder nor a registered source"),
        ("away/*.csv", SourceFault, "there is no such file"),
        ("picture.png", InputError, "the ending of the path does not say what it is"),
        ("empty", InputError, "the folder holds no Parquet or CSV files"),
        ("both", InputError, "the folder holds files of several kinds: .csv, .parquet"),
        ("no.parquet", SourceFault, "could not answer"),
        ("header.csv", InputError, "there are no rows to measure"),
        ("two.duckdb", InputError, "there are 2 tables in it. Say which with --table. Known: 'one', 'two'."),
        ("none.duckdb", InputError, "there is no table in it"),
    ):
        with pytest.raises(kind) as raised:
            measure(tmp_path / name, "zone")
        assert told in str(raised.value), name


def test_a_password_in_the_url_of_a_table_is_refused() -> None:
    with pytest.raises(InputError, match="must not hold a password"):
        measure("postgresql://user:secret@host/db", "zone")

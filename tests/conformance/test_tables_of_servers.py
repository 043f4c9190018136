"""Tables that only servers have: counted as their rows are, or refused by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pytest
from sqlglot import exp

from ordermade import sql
from ordermade.counting.dataset import Dataset, relation, version
from ordermade.counting.encoding import encode_column, marginal_statement
from ordermade.errors import OrdermadeError, SourceFault, UnfitValue
from ordermade.sources import postgresql
from ordermade.sources.backend import Backend, columns_of, find_table, row_count
from ordermade.sources.executor import Purpose
from tests.conformance.backends import Made, opened
from tests.conformance.test_values_every_backend import SUPPRESSED
from tests.made import new_engine
from tests.services.servers import POSTGRES, Schema
from tests.services.throwaway import Throwaway
from tests.unit.test_types_by_token import office, read


def of_schema(schema: Schema, url: str = "") -> Made:
    """The whole schema as a source."""
    if schema.server.kind is not POSTGRES:
        return Made(schema.url, "mysql", (), schema)
    options = quote_plus(f"-csearch_path={schema.name}")
    return Made(f"{url or schema.server.url}?options={options}", "postgresql", (), schema)


@contextmanager
def holding(schema: Schema, *statements: str, url: str = "") -> Iterator[Backend]:
    """The schema as an open source, after these statements."""
    for each in statements:
        schema.run(each)
    with opened(of_schema(schema, url)) as backend:
        yield backend


def dataset(backend: Backend, table: str) -> Dataset:
    """A table as a dataset."""
    rows = relation(find_table(backend, table).reference, None)
    return Dataset(table, backend, rows, columns_of(backend, rows))


def counted(backend: Backend, table: str, column: str) -> dict[str | None, int]:
    """How often each value of a column occurs, by its text in DuckDB."""
    asked = dataset(backend, table)
    attribute = encode_column(asked, 1, column, SUPPRESSED, 0)
    backend.keep(Purpose.COVERAGE, "marginal_1", marginal_statement(asked, attribute), part="counted")
    return dict(backend.connection.execute("SELECT CAST(key AS VARCHAR), n FROM marginal_1").fetchall())


def in_duckdb(backend: Backend, kind: str, texts: Sequence[str | None]) -> dict[str | None, int]:
    """The texts of values of a type in DuckDB, each once."""
    written = backend.connection.execute(f"SELECT CAST(CAST(UNNEST(?) AS {kind}) AS VARCHAR)", [list(texts)]).fetchall()
    return {text: 1 for (text,) in written}


@pytest.mark.parametrize(
    ("kind", "there", "here"),
    [
        ("date", ["infinity", "-infinity", "0044-03-15 BC", "10000-01-01", "0001-01-01", "294247-01-01"],
         ["infinity", "-infinity", "0044-03-15 (BC)", "10000-01-01", "0001-01-01", "294247-01-01"]),
        ("timestamp", ["infinity", "-infinity", "0044-03-15 10:30:00 BC", "12020-01-01 00:00:00.000001"],
         ["infinity", "-infinity", "0044-03-15 (BC) 10:30:00", "12020-01-01 00:00:00.000001"]),
        ("timestamptz",
         ["infinity", "2020-03-29 02:30:00 Europe/Berlin", "2020-10-25 02:30:00+01", "12020-01-01 00:00:00.5+00"],
         ["infinity", "2020-03-29 01:30:00+00", "2020-10-25 01:30:00+00", "12020-01-01 00:00:00.5+00"]),
        ("double precision", ["Infinity", "-Infinity", "NaN", "-0", "0.1"], ["inf", "-inf", "nan", "0.0", "0.1"]),
    ],
)  # fmt: skip
def test_points_and_numbers_beyond_pythons_are_those_of_duckdb(
    postgres_schema: Schema, kind: str, there: list[str], here: list[str]
) -> None:
    made = ", ".join(f"('{each}')" for each in there)
    with holding(postgres_schema, f"CREATE TABLE t (v {kind})", f"INSERT INTO t VALUES {made}") as backend:
        right = in_duckdb(backend, kind.replace(" precision", "").upper(), here)
        found = counted(backend, "t", "v")
        assert {"0.0" if each == "-0.0" else each: n for each, n in found.items()} == right


NUMBERS = "CREATE TABLE t (id int, v numeric, w numeric)"


def test_numbers_without_digits_have_as_many_decimals_as_their_values(postgres_schema: Schema) -> None:
    rows = "INSERT INTO t VALUES (1, 1.5, 7), (2, 1.50, 7.000), (3, -1234.567, NULL), (4, NULL, 100)"
    with holding(postgres_schema, NUMBERS, rows) as backend:
        assert counted(backend, "t", "v") == {"1.500": 2, "-1234.567": 1, None: 1}
        assert counted(backend, "t", "w") == {"7": 2, None: 1, "100": 1}
        types = {each.name: each.type for each in dataset(backend, "t").columns}
        assert types == {"id": "INTEGER", "v": "DECIMAL(38,3)", "w": "DECIMAL(38,0)"}
        assert version(dataset(backend, "t")).rows == 4


def test_numbers_without_digits_of_no_row_are_whole(postgres_schema: Schema) -> None:
    with holding(postgres_schema, NUMBERS) as backend:
        assert [each.type for each in dataset(backend, "t").columns] == ["INTEGER", "DECIMAL(38,0)", "DECIMAL(38,0)"]
        assert counted(backend, "t", "v") == {}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("'NaN'", "stores NaN or infinity"),
        ("'Infinity'", "stores NaN or infinity"),
        ("1e38", "stores numbers of more than 38 digits"),
        ("1e20 + 1e-19", "stores numbers of more than 38 digits"),
    ],
)
def test_numbers_that_no_decimal_has_are_refused_where_they_are_used(
    postgres_schema: Schema, value: str, reason: str
) -> None:
    with holding(postgres_schema, NUMBERS, f"INSERT INTO t VALUES (1, {value}, 2)") as backend:
        with pytest.raises(SourceFault, match=f"the column 'v' of 't' {reason}"):
            counted(backend, "t", "v")
        assert counted(backend, "t", "w") == {"2": 1}
        assert counted(backend, "t", "id") == {"1": 1}


def test_a_user_reads_the_same_of_numbers_without_digits_whatever_they_are(
    postgres_schema: Schema, tmp_path: Path
) -> None:
    found = []
    for value in ("1.5", "1.123456789", "'NaN'", "'Infinity'", "1e36", "1e38"):
        postgres_schema.run("DROP TABLE IF EXISTS t")
        postgres_schema.run("CREATE TABLE t (age int, plan text, n numeric)")
        postgres_schema.run("INSERT INTO t SELECT 30 + i % 2, 'p', 5 + i % 3 FROM generate_series(1, 40) AS s (i)")
        postgres_schema.run(f"INSERT INTO t VALUES (30, 'p', {value})")
        folder = tmp_path / str(len(found))
        folder.mkdir()
        found.append(read(office(folder, of_schema(postgres_schema).location, "t")))
    assert len({each[0] for each in found[0]}) > 1
    for each in found[1:]:
        assert each == found[0]


def test_numbers_without_digits_are_not_read_where_another_table_is_asked_of(postgres_schema: Schema) -> None:
    with holding(postgres_schema, NUMBERS, "CREATE TABLE u (v int)") as backend:
        before = len(backend.executor.ledger)
        counted(backend, "u", "v")
        assert not any("MIN_SCALE" in each.text for each in backend.executor.ledger[before:])


ODD_OF_POSTGRESQL = (
    "CREATE TYPE mood AS ENUM ('sad', 'Sad', 'happy ')",
    "CREATE DOMAIN zip AS varchar(5) CHECK (VALUE <> 'x')",
    "CREATE DOMAIN price AS numeric(8, 2)",
    "CREATE DOMAIN of_zip AS zip",
    """CREATE TABLE t (
      id int, mood mood, zip of_zip, price price, took interval, fixed char(4), one "char", key uuid, at inet,
      listed int[], doc json, bin jsonb, place point, bits bit(3), money money, range int4range,
      twice int GENERATED ALWAYS AS (id * 2) STORED
    )""",
    """INSERT INTO t VALUES
      (1, 'sad', '0001', 1.5, '1 day', 'a', 'x', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '10.0.0.1',
       '{1,2}', '{}', '{}', '(1,2)', '101', 1, '[1,2)'),
      (2, 'Sad', '0001', 1.50, '24 hours', 'a  ', 'x', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', '10.0.0.1/32',
       NULL, NULL, NULL, NULL, NULL, NULL, NULL)""",
)  # fmt: skip


def test_types_of_postgresql_are_counted_by_their_texts(postgres_schema: Schema) -> None:
    with holding(postgres_schema, *ODD_OF_POSTGRESQL) as backend:
        assert counted(backend, "t", "mood") == {"sad": 1, "Sad": 1}
        assert counted(backend, "t", "zip") == {"0001": 2}
        assert counted(backend, "t", "price") == {"1.50": 2}
        assert counted(backend, "t", "fixed") == {"a": 2}
        assert counted(backend, "t", "one") == {"x": 2}
        assert counted(backend, "t", "key") == {"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11": 2}
        assert counted(backend, "t", "at") == {"10.0.0.1/32": 2}
        assert counted(backend, "t", "twice") == {"2": 1, "4": 1}


@pytest.mark.parametrize(
    ("kind", "values", "texts"),
    [
        ("int[]", ["{1,2}", "{ 1, 2 }", "{2,1}"], {"{1,2}": 2, "{2,1}": 1}),
        ("text[]", ['{a,"b c"}', "{NULL}", "{}"], {'{a,"b c"}': 1, "{NULL}": 1, "{}": 1}),
        ("date[]", ["{2026-11-28}"], {"{2026-11-28}": 1}),
        ("jsonb", ['{"b": 1, "a": [true]}', '{"a":[true],"b":1}'], {'{"a": [true], "b": 1}': 2}),
        ("json", ['{"a":1}', '{"a": 1}'], {'{"a":1}': 1, '{"a": 1}': 1}),
        ("int4range", ["[1,9]", "[1,10)", "empty"], {"[1,10)": 2, "empty": 1}),
        ("daterange", ["[2026-01-01,2026-01-31]", "[2026-01-01,)"], {"[2026-01-01,2026-02-01)": 1, "[2026-01-01,)": 1}),
        ("numrange", ["[1.5,2)"], {"[1.5,2)": 1}),
    ],
)
def test_documents_arrays_and_ranges_are_counted_by_their_texts(
    postgres_schema: Schema, kind: str, values: list[str], texts: dict[str, int]
) -> None:
    rows = ", ".join(f"('{each}')" for each in values)
    with holding(postgres_schema, f"CREATE TABLE t (v {kind})", f"INSERT INTO t VALUES {rows}, (NULL)") as backend:
        assert counted(backend, "t", "v") == {**texts, None: 1}
        assert version(dataset(backend, "t")).rows == len(values) + 1


@pytest.mark.parametrize("column", ["place", "bits", "money", "took"])
def test_types_without_classes_are_refused_by_name_where_they_are_used(postgres_schema: Schema, column: str) -> None:
    with holding(postgres_schema, *ODD_OF_POSTGRESQL) as backend:
        with pytest.raises(SourceFault, match=f"the column '{column}' of 't' is of the type") as caught:
            counted(backend, "t", column)
        assert "leaves the column out" in caught.value.next_step
        assert version(dataset(backend, "t")).rows == 2
        assert row_count(backend, dataset(backend, "t").relation) == 2


ODD_OF_MARIADB = (
    """CREATE TABLE t (
      id int, mood enum('sad', 'happy '), tags set('a', 'b'), small tinyint(1), tiny tinyint, most bigint unsigned,
      born year, took time, fixed char(4), bin varbinary(4), doc json, place point, bits bit(3), wide decimal(65, 30),
      twice int AS (id * 2), kept int AS (id * 3) PERSISTENT, ci varchar(10) COLLATE utf8mb4_general_ci,
      latin varchar(10) CHARACTER SET latin1
    )""",
    """INSERT INTO t
      (id, mood, tags, small, tiny, most, born, took, fixed, bin, doc, place, bits, wide, ci, latin)
    VALUES
      (1, 'sad', 'a,b', 1, 2, 18446744073709551615, 1999, '-838:59:59', 'a', 'a', '{}', POINT(1, 2), 1, 1.5, 'Ann',
       'é'),
      (2, 'happy', 'b,a', 0, -1, 18446744073709551614, 2155, '00:00:01', 'a  ', 'A', '{}', NULL, NULL, NULL, 'ann ',
       'e')""",
)  # fmt: skip


def test_types_of_mariadb_are_counted_by_their_values(mariadb_schema: Schema) -> None:
    with holding(mariadb_schema, *ODD_OF_MARIADB) as backend:
        assert counted(backend, "t", "mood") == {"sad": 1, "happy": 1}
        assert counted(backend, "t", "tags") == {"a,b": 2}
        assert counted(backend, "t", "small") == {"true": 1, "false": 1}
        assert counted(backend, "t", "tiny") == {"2": 1, "-1": 1}
        assert counted(backend, "t", "most") == {"18446744073709551615": 1, "18446744073709551614": 1}
        assert counted(backend, "t", "born") == {"1999": 1, "2155": 1}
        assert counted(backend, "t", "took") == {"-838:59:59": 1, "00:00:01": 1}
        assert counted(backend, "t", "fixed") == {"a": 2}
        assert counted(backend, "t", "doc") == {"{}": 2}
        assert counted(backend, "t", "twice") == {"2": 1, "4": 1}
        assert counted(backend, "t", "kept") == {"3": 1, "6": 1}
        assert counted(backend, "t", "ci") == {"Ann": 1, "ann ": 1}
        assert counted(backend, "t", "latin") == {"é": 1, "e": 1}
        assert version(dataset(backend, "t")).rows == 2


@pytest.mark.parametrize("column", ["place", "bits", "wide"])
def test_types_without_classes_of_mariadb_are_refused_by_name(mariadb_schema: Schema, column: str) -> None:
    refused = pytest.raises(SourceFault, match=f"the column '{column}' of 't' is of the type")
    with holding(mariadb_schema, *ODD_OF_MARIADB) as backend, refused:
        counted(backend, "t", column)


@pytest.mark.parametrize(("kind", "zero"), [("date", "0000-00-00"), ("datetime", "0000-00-00"), ("date", "2020-00-00")])
def test_zero_dates_are_refused_with_the_name_of_their_column(mariadb_schema: Schema, kind: str, zero: str) -> None:
    mode = "SET STATEMENT sql_mode = '' FOR"
    rows = f"{mode} INSERT INTO t VALUES (1, '{zero}'), (2, '2020-01-01')"
    with holding(mariadb_schema, f"CREATE TABLE t (id int, born {kind})", rows) as backend:
        with pytest.raises(UnfitValue, match="the column 'born' stores zero dates"):
            counted(backend, "t", "born")
        assert counted(backend, "t", "id") == {"1": 1, "2": 1}


def test_a_zero_date_is_named_in_the_message_of_a_request(mariadb_schema: Schema, tmp_path: Path) -> None:
    mariadb_schema.run("CREATE TABLE t (id int, born date)")
    mariadb_schema.run("SET STATEMENT sql_mode = '' FOR INSERT INTO t VALUES (1, '0000-00-00'), (2, '2020-01-01')")
    with pytest.raises(OrdermadeError, match="born"):
        run(tmp_path, of_schema(mariadb_schema), "t", {"born": "date: [month, year]\n"})


def run(folder: Path, made: Made, table: str, rules: dict[str, str], **options: Any) -> Any:
    """The answer of a request for these columns of a table, at k = 2."""
    engine = new_engine(folder)
    engine.sources.add("s", made.location)
    engine.datasets.add("d", "s", table=table, least_k=2)
    for column, text in rules.items():
        (folder / f"{column}.yaml").write_text(text, encoding="utf-8")
        engine.hierarchies.add(column, folder / f"{column}.yaml")
    request = {
        "dataset": "d",
        "k": 2,
        "quasi_identifiers": {each: {"hierarchy": each} for each in rules},
        "release": {"replace": True, "to": str(folder / "out.csv")},
        **options,
    }
    return engine.run(request)


def test_a_request_leaves_columns_alone_that_it_cannot_use(postgres_schema: Schema, tmp_path: Path) -> None:
    postgres_schema.run("CREATE TABLE t (id int, doc json, price numeric, place point)")
    postgres_schema.run("INSERT INTO t SELECT i % 4, '{}', i % 3 + 0.25, '(1,2)' FROM generate_series(1, 60) AS i")
    rules = {"id": "intervals:\n  levels:\n    - {width: 2}\n", "price": "intervals:\n  levels:\n    - {width: 2}\n"}
    result = run(tmp_path, of_schema(postgres_schema), "t", rules)
    assert (result.status, result.k) == ("released", 5)
    assert run(tmp_path / "kept", of_schema(postgres_schema), "t", rules, keep=["doc"]).status == "released"
    with pytest.raises(OrdermadeError, match="place"):
        run(tmp_path / "second", of_schema(postgres_schema), "t", rules, keep=["place"])


WORDS = (
    "select",
    "Group",
    "user",
    "ORDER",
    "key",
    "código",
    'a "q"',
    "x;y",
    "it's",
    "with space",
    "%s",
    ":n",
    "tab\\n",
)


@pytest.mark.services
@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
def test_reserved_words_and_names_of_any_case_are_names(kind: str, request: pytest.FixtureRequest) -> None:
    schema: Schema = request.getfixturevalue(f"{kind}_schema")
    quote = '"' if kind == "postgres" else "`"

    def named(text: str) -> str:
        return quote + text.replace(quote, quote * 2) + quote

    columns = ", ".join(f"{named(each)} int" for each in WORDS)
    values = ", ".join(str(place) for place, _ in enumerate(WORDS))
    for table in ("Table", "table", "TABLE"):
        schema.run(f"CREATE TABLE {named(table)} ({columns}, {named('of ' + table)} int)")
        schema.run(f"INSERT INTO {named(table)} VALUES ({values}, {len(table)})")
    schema.run(f"INSERT INTO {named('table')} VALUES ({values}, 7)")
    with holding(schema) as backend:
        for table, rows in (("Table", 1), ("table", 2), ("TABLE", 1)):
            for place, column in enumerate(WORDS):
                assert counted(backend, table, column) == {str(place): rows}
            assert sum(counted(backend, table, f"of {table}").values()) == rows
            assert version(dataset(backend, table)).rows == rows


def test_columns_that_differ_by_case_alone_are_refused_by_name(postgres_schema: Schema) -> None:
    table = 'CREATE TABLE t (a int, "A" int, b int)'
    with holding(postgres_schema, table, "INSERT INTO t VALUES (1, 2, 3)") as backend:
        with pytest.raises(SourceFault, match=" of 't' is called like another one but for upper and lower case"):
            counted(backend, "t", dataset(backend, "t").columns[0].name)
        assert counted(backend, "t", "b") == {"3": 1}
        assert version(dataset(backend, "t")).rows == 1


def test_a_column_whose_name_begins_with_a_blank_is_no_column_of_mariadb(mariadb_schema: Schema) -> None:
    with holding(mariadb_schema, "CREATE TABLE t (` a` int, b int)", "INSERT INTO t VALUES (1, 2)") as backend:
        assert [each.name for each in dataset(backend, "t").columns] == ["b"]
        assert counted(backend, "t", "b") == {"2": 1}
        assert version(dataset(backend, "t")).rows == 1


PARENTS = (
    "CREATE TABLE parent (id int, v text)",
    "CREATE TABLE child (w int) INHERITS (parent)",
    "INSERT INTO parent VALUES (1, 'a'), (2, 'b')",
    "INSERT INTO child VALUES (3, 'a', 1)",
    "CREATE TABLE parted (id int, v text) PARTITION BY LIST (v)",
    "CREATE TABLE parted_a PARTITION OF parted FOR VALUES IN ('a')",
    "CREATE TABLE parted_rest PARTITION OF parted DEFAULT",
    "INSERT INTO parted VALUES (1, 'a'), (2, 'b'), (3, NULL)",
    "CREATE VIEW seen AS SELECT v, COUNT(*) AS n FROM parent GROUP BY v",
    "CREATE MATERIALIZED VIEW kept AS SELECT v FROM parent",
    "INSERT INTO parent VALUES (4, 'c')",
    "CREATE TABLE dropped (a int, gone int, v text)",
    "ALTER TABLE dropped DROP COLUMN gone",
    "INSERT INTO dropped VALUES (1, 'x')",
)


def test_views_partitions_and_inherited_tables_have_the_rows_that_a_query_of_them_has(postgres_schema: Schema) -> None:
    with holding(postgres_schema, *PARENTS) as backend:
        assert counted(backend, "parent", "v") == {"a": 2, "b": 1, "c": 1}
        assert counted(backend, "child", "v") == {"a": 1}
        assert counted(backend, "parted", "v") == {"a": 1, "b": 1, None: 1}
        assert counted(backend, "parted_a", "v") == {"a": 1}
        assert counted(backend, "seen", "n") == {"2": 1, "1": 2}
        assert counted(backend, "kept", "v") == {"a": 2, "b": 1}
        assert counted(backend, "dropped", "v") == {"x": 1}
        assert {each.name: each.is_view for each in backend.tables() if each.schema == postgres_schema.name} == {
            "parent": False, "child": False, "parted": False, "parted_a": False, "parted_rest": False,
            "seen": True, "kept": True, "dropped": False,
        }  # fmt: skip


def test_views_and_partitions_of_mariadb_have_the_rows_that_a_query_of_them_has(mariadb_schema: Schema) -> None:
    statements = (
        "CREATE TABLE parted (id int, v int) PARTITION BY HASH (id) PARTITIONS 3",
        "INSERT INTO parted VALUES (1, 1), (2, 1), (3, NULL)",
        "CREATE VIEW seen AS SELECT v, COUNT(*) AS n FROM parted GROUP BY v",
    )
    with holding(mariadb_schema, *statements) as backend:
        assert counted(backend, "parted", "v") == {"1": 2, None: 1}
        assert counted(backend, "seen", "n") == {"2": 1, "1": 1}
        assert {each.name: each.is_view for each in backend.tables()} == {"parted": False, "seen": True}


def test_tables_of_other_schemas_are_found_by_both_names(postgres_schema: Schema) -> None:
    other = f"{postgres_schema.name} of Others"
    postgres_schema.run(f'CREATE SCHEMA "{other}"')
    try:
        with holding(
            postgres_schema,
            "CREATE TABLE t (v int)",
            "INSERT INTO t VALUES (1)",
            f'CREATE TABLE "{other}".t (v int)',
            f'INSERT INTO "{other}".t VALUES (2), (2)',
        ) as backend:
            assert counted(backend, "t", "v") == {"1": 1}
            assert counted(backend, f"{other}.t", "v") == {"2": 2}
    finally:
        postgres_schema.run(f'DROP SCHEMA "{other}" CASCADE')


def test_row_level_security_leaves_the_rows_of_the_role(throwaway_postgres: Throwaway) -> None:
    role = "reader_of_rows"
    with_schema = (
        "CREATE TABLE policed (owner text, v int)",
        "INSERT INTO policed VALUES ('a', 1), ('a', 2), ('b', 3)",
        "ALTER TABLE policed ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY own ON policed USING (owner = 'a')",
        f"CREATE ROLE {role} LOGIN",
        f"GRANT SELECT ON policed TO {role}",
    )
    for each in with_schema:
        throwaway_postgres.run(each)
    try:
        at = throwaway_postgres.url
        user = at.split("://", 1)[1].split("@", 1)[0]
        made = Made(at.replace(f"//{user}@", f"//{role}@"), "postgresql", ())
        with opened(made) as backend:
            assert counted(backend, "policed", "v") == {"1": 1, "2": 1}
            assert version(dataset(backend, "policed")).rows == 2
    finally:
        throwaway_postgres.run("DROP TABLE policed")
        throwaway_postgres.run(f"DROP ROLE {role}")


def test_a_statement_of_all_columns_names_the_one_that_it_cannot_answer(postgres_schema: Schema) -> None:
    with holding(postgres_schema, "CREATE TABLE t (id int, place point)") as backend:
        asked = dataset(backend, "t")
        with pytest.raises(SourceFault, match="the column 'place' of 't' is of the type point"):
            backend.executor.rows(Purpose.RECORDS, asked.relation)
        ids = exp.Select(expressions=[sql.column("id")]).from_(asked.relation.subquery("dataset"))
        assert Counter(backend.executor.rows(Purpose.RECORDS, ids)) == Counter()


TEXTS = ["a\nb", '"', '""\n', "\n", ",", "", None, '"\r\n', "it's"]


@pytest.mark.parametrize("size", [1, 40, 1 << 22])
def test_an_answer_in_blocks_has_every_row_whole(
    postgres_schema: Schema, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(postgresql, "_BYTES", size)
    values = ", ".join("(NULL)" if each is None else f"('{each.replace(chr(39), chr(39) * 2)}')" for each in TEXTS)
    with holding(postgres_schema, "CREATE TABLE t (v text)", f"INSERT INTO t VALUES {values}") as backend:
        found = backend.executor.rows(Purpose.RECORDS, dataset(backend, "t").relation)
        assert [value for (value,) in found] == TEXTS


def test_an_error_after_many_rows_is_of_the_whole_answer(postgres_schema: Schema) -> None:
    failing = "CREATE VIEW t AS SELECT 1 / (n - 90000) AS v FROM generate_series(1, 100000) AS n"
    with holding(postgres_schema, failing) as backend:
        answer = backend.read(Purpose.RECORDS, dataset(backend, "t").relation)
        with pytest.raises(SourceFault, match=r"the records statement \(DivisionByZero, 22012\)"):
            answer.read_next_batch()
        with pytest.raises(SourceFault, match="InFailedSqlTransaction"):
            row_count(backend, dataset(backend, "t").relation)

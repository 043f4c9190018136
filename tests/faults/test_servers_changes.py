"""Tables that others write, alter or forbid meanwhile: one snapshot is answered, or nothing is; never a mix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from ordermade.errors import OrdermadeError, ReleaseMismatch, SourceChanged, SourceFault, UnknownName
from ordermade.files.file_reading import FileReading
from ordermade.sources.backend import find_table, row_count
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.open import open_source
from tests.faults.on_servers import CLASSES, At, Persons, classes, in_time, persons_on
from tests.services.servers import KINDS, Schema
from tests.services.throwaway import Throwaway

pytestmark = pytest.mark.services

TWICE = dict.fromkeys("1234", 12)
"""The classes after `DOUBLED`: each age has more than k persons."""
DOUBLED = "INSERT INTO persons SELECT * FROM persons"


@pytest.fixture(params=[kind.name for kind in KINDS])
def server(request: pytest.FixtureRequest) -> Throwaway:
    given: Throwaway = request.getfixturevalue(f"throwaway_{request.param}")
    return given


@pytest.fixture
def persons(server: Throwaway, tmp_path: Path) -> Iterator[Persons]:
    with persons_on(server, tmp_path) as made:
        yield made
        assert in_time(lambda: not made.sessions()), "a session is left"


@pytest.fixture
def postgres_persons(throwaway_postgres: Throwaway, tmp_path: Path) -> Iterator[Persons]:
    with persons_on(throwaway_postgres, tmp_path) as made:
        yield made


@pytest.fixture
def mariadb_persons(throwaway_mariadb: Throwaway, tmp_path: Path) -> Iterator[Persons]:
    with persons_on(throwaway_mariadb, tmp_path) as made:
        yield made


def outcome(persons: Persons, progress: At) -> dict[str, int] | OrdermadeError:
    """The classes of a release during which something happens; the error where there is none."""
    engine = persons.engine(progress=progress)
    try:
        result = engine.run(persons.request())
    except OrdermadeError as error:
        assert not (persons.folder / "out.csv").exists()
        return error
    finally:
        assert progress.done
    assert result.released
    return dict(classes(persons.folder / "out.csv"))


@pytest.mark.parametrize("change", [DOUBLED, "DELETE FROM persons", "UPDATE persons SET age = 5"])
def test_rows_that_change_meanwhile_are_not_seen(persons: Persons, change: str) -> None:
    changing = At(lambda: persons.run(change), after=Purpose.VERSION)
    assert outcome(persons, changing) == CLASSES
    if change == DOUBLED:
        assert outcome(persons, At(lambda: None, step="search")) == TWICE


ALTERED = (
    "TRUNCATE TABLE persons",
    "DROP TABLE persons",
    "ALTER TABLE persons DROP COLUMN age",
    "ALTER TABLE persons ADD COLUMN born INTEGER",
    "ALTER TABLE persons RENAME TO elsewhere",
)


@pytest.mark.parametrize("change", ALTERED)
def test_a_table_that_is_altered_once_it_was_read_waits_for_the_request(persons: Persons, change: str) -> None:
    with ThreadPoolExecutor() as beside:
        changing: list[Future[object]] = []
        assert (
            outcome(persons, At(lambda: changing.append(beside.submit(persons.run, change)), step="search")) == CLASSES
        )
        changing[0].result(10)


@pytest.mark.parametrize("change", ALTERED)
def test_a_table_that_is_altered_before_it_was_read_is_an_error_or_answered(persons: Persons, change: str) -> None:
    found = outcome(persons, At(lambda: persons.run(change), step="dataset version"))
    if "ADD COLUMN" in change:
        assert found == CLASSES
    else:
        assert isinstance(found, SourceFault)
        assert found.next_step


@pytest.mark.parametrize(
    "statements",
    [
        ("BEGIN", "TRUNCATE TABLE persons", "INSERT INTO persons SELECT 1, 'm' FROM generate_series(1, 24)", "COMMIT"),
        ("CREATE TABLE anew AS SELECT * FROM persons", "DROP TABLE persons", "ALTER TABLE anew RENAME TO persons"),
        ("ALTER TABLE persons RENAME TO old", "ALTER TABLE other RENAME TO persons"),
        ("ALTER TABLE persons ALTER COLUMN age TYPE BIGINT USING age % 2 + 1",),
    ],
    ids=["filled anew", "made anew", "swapped", "calculated anew"],
)  # fmt: skip
def test_a_table_that_is_another_than_in_the_snapshot_is_refused(
    postgres_persons: Persons, statements: tuple[str, ...]
) -> None:
    postgres_persons.run("CREATE TABLE other AS SELECT 1 AS age, sex FROM persons")

    def change() -> None:
        with closing(postgres_persons.schema.connect()) as other, closing(other.cursor()) as cursor:
            for each in statements:
                cursor.execute(each)

    found = outcome(postgres_persons, At(change, step="dataset version"))
    assert isinstance(found, SourceChanged)


def test_a_partition_that_is_attached_meanwhile_is_refused(postgres_persons: Persons) -> None:
    for statement in (
        "ALTER TABLE persons RENAME TO first",
        "DELETE FROM first WHERE age = 4",
        "CREATE TABLE persons (age INTEGER, sex VARCHAR(40)) PARTITION BY LIST (age)",
        "ALTER TABLE persons ATTACH PARTITION first FOR VALUES IN (1, 2, 3)",
        "CREATE TABLE second (age INTEGER, sex VARCHAR(40))",
        "INSERT INTO second SELECT 4, 'f' FROM generate_series(1, 9)",
    ):
        postgres_persons.run(statement)
    attach = "ALTER TABLE persons ATTACH PARTITION second FOR VALUES IN (4)"
    for step in ("dataset version", "coverage"):
        found = outcome(postgres_persons, At(lambda: postgres_persons.run(attach), step=step))
        assert isinstance(found, SourceChanged)
        postgres_persons.run("ALTER TABLE persons DETACH PARTITION second")


def test_a_table_altered_between_check_and_run(persons: Persons) -> None:
    engine = persons.engine()
    engine.check(persons.request())
    persons.run("ALTER TABLE persons DROP COLUMN age")
    with pytest.raises(OrdermadeError, match="age"):
        engine.run(persons.request())
    persons.run("DROP TABLE persons")
    with pytest.raises(UnknownName, match="there is no table 'persons'"):
        engine.run(persons.request())


def test_a_table_truncated_between_check_and_run_has_no_release(persons: Persons) -> None:
    engine = persons.engine()
    engine.check(persons.request())
    persons.run("TRUNCATE TABLE persons")
    assert not engine.run(persons.request()).released
    assert not (persons.folder / "out.csv").exists()


@pytest.mark.parametrize("change", [DOUBLED, "UPDATE persons SET age = 5 - age, sex = 'x'", "DELETE FROM persons"])
def test_a_table_without_transactions_that_changes_meanwhile_is_refused(mariadb_persons: Persons, change: str) -> None:
    for kind in ("MyISAM", "Aria"):
        mariadb_persons.run(f"CREATE OR REPLACE TABLE persons ENGINE={kind} AS SELECT 1 AS age, 'f' AS sex")
        mariadb_persons.run("TRUNCATE TABLE persons")
        mariadb_persons.run("INSERT INTO persons SELECT seq % 4 + 1, 'f' FROM seq_1_to_24")
        assert outcome(mariadb_persons, At(lambda: None, step="search")) == CLASSES
        (mariadb_persons.folder / "out.csv").unlink()
        found = outcome(mariadb_persons, At(lambda: mariadb_persons.run(change), step="search"))
        assert isinstance(found, SourceChanged | ReleaseMismatch)


def test_a_table_without_transactions_may_have_any_name(mariadb_schema: Schema) -> None:
    called = "50% off %s `of` it"
    quoted = "`" + called.replace("`", "``") + "`"
    mariadb_schema.run(f"CREATE TABLE {quoted} ENGINE=MyISAM AS SELECT seq % 2 AS half FROM seq_1_to_24")
    backend = open_source(mariadb_schema.url, "mysql", writable=False, reading=FileReading(), limits=Limits())
    with closing(backend):
        assert row_count(backend, find_table(backend, called).reference) == 24
        assert not backend.changed()
        mariadb_schema.run(f"DELETE FROM {quoted}")
        assert backend.changed()


ROLE = "ordermade_reader"


@pytest.fixture
def role(persons: Persons) -> Iterator[Callable[..., None]]:
    """A user who may read the table, and a function that gives and takes rights."""
    schema = persons.schema.name
    if persons.is_postgres:
        made = [f"CREATE ROLE {ROLE} LOGIN", f"GRANT USAGE ON SCHEMA {schema} TO {ROLE}"]
        made += ["REVOKE TEMPORARY ON DATABASE test FROM PUBLIC", f"GRANT SELECT ON persons TO {ROLE}"]
        gone: tuple[str, ...] = (
            f"DROP OWNED BY {ROLE}",
            f"DROP ROLE {ROLE}",
            "GRANT TEMPORARY ON DATABASE test TO PUBLIC",
        )
    else:
        made = [f"CREATE USER {ROLE}", f"GRANT SELECT ON {schema}.persons TO {ROLE}"]
        gone = [f"DROP USER {ROLE}"]
    for each in made:
        persons.run(each)

    def change(*statements: str) -> None:
        for each in statements:
            persons.run(each.format(role=ROLE, schema=schema))

    yield change
    change(*gone)


def test_a_role_that_may_read_and_make_no_temporary_tables_is_enough(
    persons: Persons, role: Callable[..., None]
) -> None:
    engine = persons.engine(persons.location(ROLE))
    assert engine.run(persons.request()).released
    assert classes(persons.folder / "out.csv") == CLASSES


def test_a_role_without_rights(persons: Persons, role: Callable[..., None]) -> None:
    engine = persons.engine(persons.location(ROLE))
    role("REVOKE SELECT ON {schema}.persons FROM {role}")
    unread = r"may not read the table .*GRANT SELECT ON" if persons.is_postgres else "right to use it"
    with pytest.raises(OrdermadeError, match=unread):
        engine.run(persons.request())
    role("GRANT SELECT (sex) ON {schema}.persons TO {role}")
    with pytest.raises(OrdermadeError, match="age"):
        engine.run(persons.request())
    role("GRANT SELECT (age) ON {schema}.persons TO {role}")
    assert engine.run(persons.request("columns.csv")).released
    if persons.is_postgres:
        role("REVOKE USAGE ON SCHEMA {schema} FROM {role}")
        with pytest.raises(OrdermadeError, match=r"may not read the table .*GRANT USAGE ON SCHEMA"):
            engine.run(persons.request())


def test_rights_that_are_taken_meanwhile(persons: Persons, role: Callable[..., None]) -> None:
    take = At(lambda: role("REVOKE SELECT ON {schema}.persons FROM {role}"), step="dataset version")
    engine = persons.engine(persons.location(ROLE), progress=take)
    with pytest.raises(SourceFault, match="Ask for the right to read it: GRANT SELECT"):
        engine.run(persons.request())
    assert take.done
    assert not (persons.folder / "out.csv").exists()

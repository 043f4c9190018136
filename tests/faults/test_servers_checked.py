"""`source show` and `source check` of servers: what the role may do, counted nowhere; row-level security is stated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ordermade import Engine
from ordermade.catalogue.sources import EstimatedTable, ServerDescription
from ordermade.errors import Refused, SourceFault
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.server_facts import TableRights, grants_writing, require_version
from ordermade.views.server import print_server, rows_of
from tests.faults.on_servers import PERSONS, At, Persons, persons_on
from tests.services.servers import KINDS
from tests.services.throwaway import Throwaway

ROLE = "ordermade_checked"


@pytest.fixture(params=[pytest.param(kind.name, marks=pytest.mark.services) for kind in KINDS])
def persons(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Persons]:
    server: Throwaway = request.getfixturevalue(f"throwaway_{request.param}")
    with persons_on(server, tmp_path) as made:
        made.run(f"CREATE ROLE {ROLE} LOGIN" if made.is_postgres else f"CREATE USER {ROLE}")
        if made.is_postgres:
            made.run(f"GRANT USAGE ON SCHEMA {made.schema.name} TO {ROLE}")
            made.run("REVOKE TEMPORARY ON DATABASE test FROM PUBLIC")
        made.run(f"GRANT SELECT (age) ON {made.schema.name}.persons TO {ROLE}")
        try:
            yield made
        finally:
            if made.is_postgres:
                made.run(f"DROP OWNED BY {ROLE}")
            made.run(f"DROP ROLE {ROLE}" if made.is_postgres else f"DROP USER {ROLE}")


def checked(engine: Engine) -> ServerDescription:
    found = engine.sources.check("s")
    assert isinstance(found, ServerDescription)
    return found


def of_persons(found: ServerDescription) -> TableRights:
    (table,) = (each for each in found.server.tables if each.name == "persons")
    return table


def test_tables_of_a_server_are_estimated_and_not_counted(persons: Persons) -> None:
    persons.run("ANALYZE persons" if persons.is_postgres else "ANALYZE TABLE persons")
    engine = persons.engine()
    with_table = next(each for each in engine.sources.show("s").tables if each.name == "persons")
    assert isinstance(with_table, EstimatedTable)
    assert (with_table.rows, with_table.about) == (None, PERSONS)
    assert rows_of(with_table) == f"about {PERSONS} rows"
    assert engine.sources.show("s").tables[0].schema == persons.schema.name


def test_a_request_of_more_rows_than_the_limit_is_refused_by_the_estimate(persons: Persons) -> None:
    persons.run("ANALYZE persons" if persons.is_postgres else "ANALYZE TABLE persons")
    engine = persons.engine()
    statements = At(lambda: None)
    limited = Engine(engine.state, limits=Limits(max_rows=PERSONS - 1), use_cache=False, progress=statements)
    with pytest.raises(Refused, match=f"about {PERSONS} rows, more than the {PERSONS - 1} of --max-rows"):
        limited.run(persons.request())
    assert statements.purposes == {Purpose.CATALOG}
    enough = Engine(engine.state, limits=Limits(max_rows=PERSONS), use_cache=False)
    assert enough.run(persons.request()).released


def test_the_rights_of_a_role(persons: Persons, capsys: pytest.CaptureFixture[str]) -> None:
    engine = persons.engine()
    found = checked(engine)
    assert of_persons(found).readable == of_persons(found).columns == 2
    assert found.server.writing_possible
    assert (found.server.tls, found.server.standby) == (None, False)
    assert found.server.encoding.lower() in ("utf8", "utf8mb4")
    engine.sources.add("t", persons.location(ROLE))
    as_role = engine.sources.check("t")
    assert isinstance(as_role, ServerDescription)
    assert (of_persons(as_role).readable, of_persons(as_role).writable) == (1, False)
    assert not as_role.server.writing_possible
    assert ROLE in as_role.server.user
    print_server("t", as_role.server)
    assert "not possible: the role has no right to" in capsys.readouterr().out


def test_check_prints_the_least_grants_and_the_rights_in_excess(
    persons: Persons, capsys: pytest.CaptureFixture[str]
) -> None:
    persons.run("CREATE TABLE payments (age INTEGER)")
    engine = persons.engine()
    engine.datasets.add("ages", "s", query="SELECT age FROM persons")
    found = checked(engine)
    assert found.rights is not None
    schema = persons.schema.name
    if persons.is_postgres:
        assert list(found.rights.needed) == [
            f'GRANT USAGE ON SCHEMA "{schema}" TO "postgres";',
            f'GRANT SELECT ON "{schema}"."persons" TO "postgres";',
        ]
        assert found.rights.beyond[0].startswith("SUPERUSER, BYPASSRLS, CREATEROLE, CREATEDB, REPLICATION")
    else:
        assert len(found.rights.needed) == 1
        assert found.rights.needed[0].startswith(f"GRANT SELECT ON `{schema}`.`persons` TO 'root'@")
        assert "ALL PRIVILEGES" in found.rights.beyond[0]
    assert any(each.startswith(f"writing to {schema}.pa") or "writing to" in each for each in found.rights.beyond)
    assert any("payments" in each and each.endswith(": no dataset does") for each in found.rights.beyond)
    assert not any("reading" in each and f"{schema}.persons" in each for each in found.rights.beyond)
    engine.sources.add("t", persons.location(ROLE))
    engine.datasets.add("as_role", "t", query="SELECT age FROM persons")
    as_role = engine.sources.check("t")
    assert isinstance(as_role, ServerDescription)
    assert as_role.rights is not None
    assert as_role.rights.beyond == ()
    for statement in as_role.rights.needed:
        persons.run(statement)
    assert of_persons(engine.sources.check("t")).readable == 2  # type: ignore[arg-type]
    print_server("s", found.server, found.rights)
    printed = capsys.readouterr().out
    assert "In excess: " in printed
    assert found.rights.needed[0] in printed


def test_a_role_or_server_that_is_set_to_read_only(persons: Persons) -> None:
    engine = persons.engine()
    if persons.is_postgres:
        options = f"-csearch_path={persons.schema.name} -cdefault_transaction_read_only=on"
        engine.sources.add("t", persons.location(options=options))
        found = engine.sources.check("t")
    else:
        persons.run("SET GLOBAL read_only = 1")
        try:
            found = checked(engine)
        finally:
            persons.run("SET GLOBAL read_only = 0")
    assert isinstance(found, ServerDescription)
    assert found.server.read_only
    assert not found.server.writing_possible


def test_row_level_security_is_stated_by_check_and_manifest(throwaway_postgres: Throwaway, tmp_path: Path) -> None:
    with persons_on(throwaway_postgres, tmp_path) as persons:
        persons.run("CREATE VIEW visible AS SELECT age FROM persons")
        persons.run("ALTER TABLE persons ENABLE ROW LEVEL SECURITY")
        persons.run("CREATE POLICY men ON persons USING (sex = 'm')")
        persons.run(f"CREATE ROLE {ROLE} LOGIN")
        persons.run(f"GRANT USAGE ON SCHEMA {persons.schema.name} TO {ROLE}")
        persons.run(f"GRANT SELECT ON persons, visible TO {ROLE}")
        try:
            engine = persons.engine(persons.location(ROLE))
            assert {each.name: each.row_security for each in checked(engine).server.tables} == {
                "persons": True,
                "visible": True,
            }
            result = engine.run(persons.request(k=6))
            manifest = json.loads((persons.folder / "out.csv.manifest.json").read_text(encoding="utf-8"))
            assert manifest["row_level_security"] == ["persons"]
            assert manifest["rows"] == PERSONS // 2
            assert any("row-level security" in each for each in result.warnings)
            owner = persons.engine()
            assert not of_persons(checked(owner)).row_security
            assert owner.run(persons.request("all.csv")).released
            manifest = json.loads((persons.folder / "all.csv.manifest.json").read_text(encoding="utf-8"))
            assert "row_level_security" not in manifest
        finally:
            persons.run(f"DROP OWNED BY {ROLE}")
            persons.run(f"DROP ROLE {ROLE}")


def test_a_table_without_a_snapshot_is_named(
    throwaway_mariadb: Throwaway, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with persons_on(throwaway_mariadb, tmp_path) as persons:
        persons.run("CREATE TABLE loose (age INTEGER) ENGINE=MyISAM")
        found = checked(persons.engine())
        assert {each.name: each.snapshot for each in found.server.tables} == {"loose": False, "persons": True}
        print_server("s", found.server)
        assert "no snapshot, as of MyISAM or Aria" in capsys.readouterr().out


def test_an_old_server_is_refused() -> None:
    for database, old, fit in (
        ("PostgreSQL", "12", "13"),
        ("MariaDB", "10.5.9-MariaDB", "10.6.1"),
        ("MySQL", "5.7", "8"),
    ):
        with pytest.raises(SourceFault, match=f"{database} .* is too old"):
            require_version(database, old, "here")
        require_version(database, fit, "here")


@pytest.mark.parametrize(
    ("grants", "writes"),
    [
        (["GRANT USAGE ON *.* TO `u`@`%`", "GRANT SELECT (`insert`), SHOW VIEW ON `d`.`t` TO `u`@`%`"], False),
        (["GRANT SELECT, INSERT ON `d`.* TO `u`@`%`"], True),
        (["GRANT ALL PRIVILEGES ON *.* TO `root`@`%` WITH GRANT OPTION"], True),
        (["GRANT `writer` TO `u`@`%`"], False),
    ],
)
def test_grants_of_mariadb_that_write(grants: list[str], writes: bool) -> None:
    assert grants_writing(grants) is writes

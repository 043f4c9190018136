"""Views of servers whose rows differ from one reading to the next, or come from elsewhere: refused by name."""

from __future__ import annotations

import pytest

from ordermade.errors import SourceFault
from ordermade.sources.backend import find_table, row_count
from tests.conformance.test_tables_of_servers import holding
from tests.services.servers import POSTGRES, Schema

POSTGRESQL = {
    "random()": "SELECT id, random() AS r FROM persons",
    "now()": "SELECT id FROM persons WHERE now() > '2020-01-01'",
    "current_timestamp()": "SELECT id, current_timestamp AS d FROM persons",
    "current_user()": "SELECT current_user AS u FROM persons",
    "current_setting()": "SELECT current_setting('TimeZone') AS t FROM persons",
    "gen_random_uuid()": "SELECT gen_random_uuid()::text AS u FROM persons",
    "drawn() (declared volatile)": "SELECT drawn(id) AS n FROM persons",
    "nextval()": "SELECT nextval('s') AS n FROM persons",
    "clock_timestamp()": "WITH RECURSIVE t AS (SELECT 1 AS n UNION SELECT n + 1 FROM t WHERE n < 3) "
    "SELECT n FROM t WHERE clock_timestamp() IS NOT NULL",
}
MARIADB = {
    "rand()": "SELECT id, RAND() AS r FROM persons",
    "current_timestamp()": "SELECT id FROM persons WHERE NOW() > '2020-01-01'",
    "curdate()": "SELECT id, CURRENT_DATE AS d FROM persons",
    "current_user()": "SELECT CURRENT_USER AS u FROM persons",
    "uuid()": "SELECT UUID() AS u FROM persons",
    "connection_id()": "SELECT CONNECTION_ID() AS u FROM persons",
    "sleep()": "SELECT id FROM persons WHERE SLEEP(0) = 0",
}
STABLE = "SELECT id + 1 AS n, lower(name) AS u, 'now() random(' AS t FROM persons WHERE id IN (SELECT id FROM persons)"


@pytest.mark.services
@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
def test_a_view_that_gives_other_rows_each_time_is_refused_by_name(kind: str, request: pytest.FixtureRequest) -> None:
    schema: Schema = request.getfixturevalue(f"{kind}_schema")
    is_postgresql = schema.server.kind is POSTGRES
    views = POSTGRESQL if is_postgresql else MARIADB
    before = ["CREATE TABLE persons (id INTEGER, name VARCHAR(20))", "INSERT INTO persons VALUES (1, 'A'), (2, 'B')"]
    if is_postgresql:
        before += [
            "CREATE SEQUENCE s",
            "CREATE FUNCTION drawn(n INTEGER) RETURNS INTEGER LANGUAGE SQL AS 'SELECT n'",
            "CREATE MATERIALIZED VIEW kept AS SELECT id, random() AS r FROM persons",
        ]
    for number, text in enumerate(views.values()):
        before += [f"CREATE VIEW v{number} AS {text}", f"CREATE VIEW w{number} AS SELECT * FROM v{number}"]
    with holding(schema, *before, f"CREATE VIEW stable AS {STABLE}") as backend:
        for number, what in enumerate(views):
            for table in (f"v{number}", f"w{number}"):
                with pytest.raises(SourceFault) as fault:
                    find_table(backend, table)
                assert what in str(fault.value), table
                assert f"'v{number}'" in str(fault.value), table
        for table in ("persons", "stable", *(["kept"] if is_postgresql else [])):
            assert row_count(backend, find_table(backend, table).reference) == 2


@pytest.mark.services
def test_a_foreign_table_is_refused_by_name_also_under_a_view(postgres_schema: Schema) -> None:
    wrapper = f"w_{postgres_schema.name}"
    try:
        postgres_schema.run(f"CREATE FOREIGN DATA WRAPPER {wrapper}")
    except Exception:  # noqa: BLE001 whatever the driver raises
        pytest.skip("the role may make no foreign data wrapper")
    try:
        made = (
            f"CREATE SERVER {wrapper} FOREIGN DATA WRAPPER {wrapper}",
            f"CREATE FOREIGN TABLE elsewhere (id INTEGER) SERVER {wrapper}",
            "CREATE VIEW seen AS SELECT id FROM elsewhere",
        )
        with holding(postgres_schema, *made) as backend:
            for table in ("elsewhere", "seen"):
                with pytest.raises(SourceFault, match=r"the foreign table 'elsewhere'.*--allow-external"):
                    find_table(backend, table)
            backend.allow_external = True  # type: ignore[attr-defined]
            assert find_table(backend, "seen").name == "seen"
    finally:
        postgres_schema.run(f"DROP FOREIGN DATA WRAPPER {wrapper} CASCADE")

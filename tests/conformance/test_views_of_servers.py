"""Views of servers whose rows differ from one reading to the next, or come from elsewhere: refused by name."""

from __future__ import annotations

import pytest

from ordermade.errors import SourceFault
from ordermade.sources.backend import find_table, row_count
from tests.conformance.backends import opened
from tests.conformance.test_tables_of_servers import holding, of_schema
from tests.services.servers import POSTGRES, Schema

POSTGRESQL = {
    "random()": "SELECT id, random() AS r FROM persons",
    "now()": "SELECT id FROM persons WHERE now() > '2020-01-01'",
    "current_timestamp()": "SELECT id, current_timestamp AS d FROM persons",
    "current_date()": "SELECT id, current_date AS d FROM persons",
    "current_user()": "SELECT current_user AS u FROM persons",
    "current_schema()": "SELECT current_schema AS u FROM persons",
    "current_setting()": "SELECT current_setting('TimeZone') AS t FROM persons",
    "set_config()": "SELECT set_config('a.b', name, FALSE) AS t FROM persons",
    "gen_random_uuid()": "SELECT gen_random_uuid()::text AS u FROM persons",
    "drawn() (declared volatile)": "SELECT drawn(id) AS n FROM persons",
    "looked() (declared stable)": "SELECT looked(id) AS n FROM persons",
    "alike() (declared volatile)": "SELECT id === 1 AS n FROM persons",
    "gathered()": "SELECT gathered(id) AS n FROM persons",
    "nextval()": "SELECT nextval('s') AS n FROM persons",
    "clock_timestamp()": "WITH RECURSIVE t AS (SELECT 1 AS n UNION SELECT n + 1 FROM t WHERE n < 3) "
    "SELECT n FROM t WHERE clock_timestamp() IS NOT NULL",
    "age()": "SELECT id, age(born) AS a FROM persons",
    "has_table_privilege()": "SELECT id FROM persons WHERE has_table_privilege('persons', 'SELECT')",
    "pg_read_file()": "SELECT pg_read_file('PG_VERSION') AS t FROM persons",
    "pg_sleep()": "SELECT id FROM persons, pg_sleep(0)",
    "read as date": "SELECT id, CAST('to' || 'day' AS text)::date AS d FROM persons",
    "read as timestamp with time zone": "SELECT word::timestamptz AS d FROM (SELECT 'now'::text AS word) AS t, persons",
    "read as timestamp without time zone": "SELECT id, coalesce(name, 'today')::timestamp AS d FROM persons",
    "read as daterange": "SELECT id, ('[' || name || ')')::daterange AS d FROM persons",
    "regclass()": "SELECT id, name::regclass AS d FROM persons",
    "read as date[]": "SELECT id, ('{' || name || '}')::date[] AS d FROM persons",
    "uses LIMIT": "SELECT id FROM persons ORDER BY name LIMIT 1",
    "LIMIT,": "SELECT id FROM persons ORDER BY name FETCH FIRST 1 ROW WITH TIES",
    "uses OFFSET": "SELECT id FROM persons OFFSET 1",
    "DISTINCT ON": "SELECT DISTINCT ON (name) name, id FROM persons ORDER BY name",
    "OVER (ORDER BY": "SELECT id, row_number() OVER (ORDER BY name) AS n FROM persons",
    "row_number()": "SELECT id, row_number() OVER () AS n FROM persons",
    "array_agg()": "SELECT name, array_agg(id) AS ids FROM persons GROUP BY name",
    "string_agg()": "SELECT string_agg(name, ',' ORDER BY id) AS names FROM persons",
    "mode()": "SELECT mode() WITHIN GROUP (ORDER BY name) AS n FROM persons",
    "ARRAY(SELECT": "SELECT ARRAY(SELECT id FROM persons) AS ids FROM persons",
    "a random sample": "SELECT id FROM persons TABLESAMPLE BERNOULLI (50)",
    "ctid": "SELECT ctid::text AS c FROM persons",
    "cast to a domain": "SELECT id::checked AS c FROM persons",
    "the server's own catalogue": "SELECT relname FROM pg_catalog.pg_class",
    "catalogue, which": "SELECT table_name FROM information_schema.tables",
}
POSTGRESQL_STABLE = """
SELECT id + 1 AS n, lower(name) AS u, 'now() random(' AS t FROM persons WHERE id IN (SELECT id FROM persons);
SELECT id, born::date AS d, to_char(born, 'TMMonth') AS m, date_trunc('month', born) AS f FROM persons;
SELECT id, nullif(left(day, 10), '')::date AS d, to_date(day, 'YYYY-MM-DD') AS e FROM persons;
SELECT id, CASE WHEN day = 'today' THEN NULL ELSE day || '' END::timestamptz AS d FROM persons;
SELECT id, (extract(year FROM born)::int || '-01-01')::date AS d, born > DATE '2000-01-01' AS c FROM persons;
SELECT name, string_agg(day, ',' ORDER BY day) AS s, array_agg(DISTINCT id) AS a, count(*) AS n, max(born) AS m
FROM persons GROUP BY GROUPING SETS ((name), (name, id));
SELECT id, count(*) OVER (PARTITION BY name) AS n, array[id, 2] AS a, (id, name) < (1, 'x') AS r, greatest(id, 3) AS g,
concat(name, id) AS c, format('n', id) AS f, name COLLATE "C" AS o, fixed(id) AS x FROM persons;
SELECT q.id, z.y, CAST(ARRAY['1', q.name] AS text[]) AS a FROM persons AS q JOIN persons AS p USING (id)
LEFT JOIN LATERAL (SELECT 1 AS y) AS z ON TRUE WHERE q.name IS DISTINCT FROM 'x' AND NOT (q.id = 5) IS UNKNOWN;
SELECT id FROM persons UNION ALL SELECT n FROM generate_series(1, 2) AS t(n) EXCEPT SELECT 9;
SELECT id, CASE id WHEN 1 THEN 2 ELSE 3 END AS n, name IN ('a', 'b', day) AS i, (persons).name AS w FROM persons
"""
MARIADB = {
    "rand()": "SELECT id, RAND() AS r FROM persons",
    "current_timestamp()": "SELECT id FROM persons WHERE NOW() > '2020-01-01'",
    "curdate()": "SELECT id, CURRENT_DATE AS d FROM persons",
    "current_user()": "SELECT CURRENT_USER AS u FROM persons",
    "uuid()": "SELECT UUID() AS u FROM persons",
    "connection_id()": "SELECT CONNECTION_ID() AS u FROM persons",
    "sleep()": "SELECT id FROM persons WHERE SLEEP(0) = 0",
}
MARIADB_STABLE = """
SELECT id + 1 AS n, lower(name) AS u, 'now() random(' AS t FROM persons WHERE id IN (SELECT id FROM persons)
"""


@pytest.mark.services
@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
def test_a_view_that_gives_other_rows_each_time_is_refused_by_name(kind: str, request: pytest.FixtureRequest) -> None:
    schema: Schema = request.getfixturevalue(f"{kind}_schema")
    is_postgresql = schema.server.kind is POSTGRES
    views = POSTGRESQL if is_postgresql else MARIADB
    stable = (POSTGRESQL_STABLE if is_postgresql else MARIADB_STABLE).split(";")
    moment = "TIMESTAMPTZ" if is_postgresql else "DATETIME"
    before = [
        f"CREATE TABLE persons (id INTEGER, name VARCHAR(20), born {moment}, day VARCHAR(20))",
        "INSERT INTO persons VALUES (1, 'A', '1990-01-31', '2000-01-01'), (2, 'B', '1991-12-31', '2001-01-01')",
    ]
    if is_postgresql:
        before += [
            "CREATE SEQUENCE s",
            "CREATE FUNCTION drawn(n INTEGER) RETURNS INTEGER LANGUAGE SQL AS 'SELECT n'",
            "CREATE FUNCTION looked(n INTEGER) RETURNS INTEGER STABLE SECURITY DEFINER LANGUAGE SQL AS 'SELECT n'",
            "CREATE FUNCTION fixed(n INTEGER) RETURNS INTEGER IMMUTABLE LANGUAGE SQL AS 'SELECT n'",
            "CREATE FUNCTION alike(n INTEGER, m INTEGER) RETURNS BOOLEAN LANGUAGE SQL AS 'SELECT n = m'",
            "CREATE OPERATOR === (FUNCTION = alike, LEFTARG = INTEGER, RIGHTARG = INTEGER)",
            "CREATE AGGREGATE gathered(INTEGER) (SFUNC = int4pl, STYPE = INTEGER)",
            "CREATE DOMAIN checked AS INTEGER CHECK (random() > 0.5 OR value > 0)",
            "CREATE MATERIALIZED VIEW kept AS SELECT id, random() AS r FROM persons",
        ]
    for number, text in enumerate(views.values()):
        before += [f"CREATE VIEW v{number} AS {text}", f"CREATE VIEW w{number} AS SELECT * FROM v{number}"]
    before += [f"CREATE VIEW stable{number} AS {text}" for number, text in enumerate(stable)]
    with holding(schema, *before) as backend:
        for number, what in enumerate(views):
            for table in (f"v{number}", f"w{number}"):
                with pytest.raises(SourceFault) as fault:
                    find_table(backend, table)
                assert what in str(fault.value), table
                assert f"'v{number}'" in str(fault.value), table
        for table in ("persons", *(["kept"] if is_postgresql else []), *(f"stable{n}" for n in range(len(stable)))):
            assert row_count(backend, find_table(backend, table).reference) > 0


@pytest.mark.services
def test_row_security_that_gives_other_rows_each_time_is_refused_also_under_a_view(postgres_schema: Schema) -> None:
    made = ["CREATE ROLE {0} LOGIN", "GRANT USAGE ON SCHEMA {0} TO {0}"]
    for number, condition in enumerate(("born < now()", "owner = current_user")):
        made += [
            f"CREATE TABLE t{number} (owner TEXT, born DATE)",
            f"INSERT INTO t{number} VALUES ('{{0}}', '2000-01-01')",
            f"ALTER TABLE t{number} ENABLE ROW LEVEL SECURITY",
            f"CREATE POLICY own ON t{number} USING ({condition})",
            f"CREATE VIEW v{number} AS SELECT born FROM t{number}",
        ]
    name = postgres_schema.name
    try:
        for each in (*made, "GRANT SELECT ON ALL TABLES IN SCHEMA {0} TO {0}"):
            postgres_schema.run(each.format(name))
        url = postgres_schema.server.url
        user = url.split("://", 1)[1].split("@", 1)[0]
        with opened(of_schema(postgres_schema, url.replace(f"//{user}@", f"//{name}@"))) as backend:
            for table in ("t0", "v0"):
                with pytest.raises(SourceFault, match="the policy 'own' of 't0', which differs"):
                    find_table(backend, table)
            for table in ("t1", "v1"):
                assert row_count(backend, find_table(backend, table).reference) == 1
        with opened(of_schema(postgres_schema)) as backend:  # the policies do not bind who owns the table
            assert row_count(backend, find_table(backend, "t0").reference) == 1
    finally:
        postgres_schema.run(f"DROP OWNED BY {name}")
        postgres_schema.run(f"DROP ROLE {name}")


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

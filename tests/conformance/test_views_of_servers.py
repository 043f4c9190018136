"""Views of servers whose rows differ from one reading to the next, or come from elsewhere: refused by name."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import quote_plus

import pytest
import sqlglot
from sqlglot import exp

from ordermade.counting.dataset import relation, version
from ordermade.errors import SourceFault
from ordermade.sources.backend import find_table, row_count
from ordermade.sources.executor import Purpose
from tests.conformance.backends import Made, opened
from tests.conformance.test_tables_of_servers import counted, dataset, holding, of_schema
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
    "the function tossed(), which": "SELECT tossed(id) AS n FROM persons",
    "the function tossed(), which the view": "SELECT twice(id) AS n FROM persons",
    "uses random(), which": "SELECT written(id) AS n FROM persons",
    "uses a table": "SELECT counting(id) AS n FROM persons",
    "a table, though": "SELECT counted(id) AS n FROM persons",
    "uses current_date()": "SELECT dated(id) AS n FROM persons",
    "the function tossed(), which the": "SELECT id =~ 1 AS n FROM persons",
    "the function looping(), which": "SELECT looping(id) AS n FROM persons",
    "the text 'today'": "SELECT id, word_of() AS d FROM persons",
    "text 'TODAY'": "SELECT id, dollar_of() AS d FROM persons",
    "made of cannot be read": "SELECT id, escaped_of() AS d FROM persons",
    "cannot be read": "SELECT id, spelt_of() AS d FROM persons",
    "'today', read as date": "SELECT id, read_of('today') AS d FROM persons",
    "as 'today', read as date": "SELECT id, call_of('today') AS d FROM persons",
    "read as date[],": "SELECT id, list_of('today') AS d FROM persons",
    "read as timestamptz": "SELECT id, made_of() AS d FROM persons",
    "uses timezone()": "SELECT id, born::timetz AT TIME ZONE 'Europe/Berlin' AS d FROM persons",
    "timezone(), which differs": "SELECT id, zone_of('10:00+01') AS d FROM persons",
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
    "the type regclass,": "SELECT id, kind::text AS c FROM objects",
    "the type regrole,": "SELECT 'of ' || owner AS c FROM objects",
    "the type regtype,": "SELECT kinds::text AS c FROM objects",
    "the type regnamespace,": "SELECT place::text AS c FROM objects",
    "the type regproc,": "SELECT concat(id, made) AS c FROM objects",
    "value of the type regclass": "SELECT format('%s', kind) AS c FROM objects",
    "the type regclass": "SELECT id::oid::regclass::varchar AS c FROM objects",
    "uses a value of the type": "SELECT to_json(objects) AS c FROM objects",
    "a value of the type reg": "SELECT ROW(id, kind)::text AS c FROM objects",
    "of the type regtype": "SELECT array_to_string(kinds, ',') AS c FROM objects",
    "of the type regrole": "SELECT id FROM objects WHERE owner::text = 'x'",
    "whose text": "SELECT r::text AS c FROM (SELECT owner, kind FROM objects) AS r",
    "the type aclitem": "SELECT rights::text AS c FROM objects",
    "uses GROUP BY of values": "SELECT word, count(*) AS n FROM spelt GROUP BY word",
    "uses DISTINCT of values": "SELECT DISTINCT n, word FROM spelt",
    "DISTINCT of values": "SELECT DISTINCT lower(name COLLATE loose) AS l FROM persons",
    "UNION, INTERSECT or EXCEPT of values": "SELECT word FROM spelt UNION SELECT 'x'",
    "max() of values": "SELECT max(word || '!') AS w FROM spelt",
    "min() of values": "SELECT min(word) OVER (PARTITION BY n) AS w FROM spelt",
    "array_agg() of values": "SELECT array_agg(DISTINCT word) AS w FROM spelt",
    "GROUP BY of values": "SELECT sum(n) AS n FROM (SELECT n, word AS w FROM spelt) AS t GROUP BY n, w",
    "GROUP BY of values that may be equal and differ, such as 1.0": "SELECT n::text AS t FROM forms GROUP BY n",
    "DISTINCT of values that may be equal and differ, such as 1.0": "SELECT t[1] AS n FROM (SELECT DISTINCT array[n] "
    "AS t FROM forms) AS q",
    "UNION, INTERSECT or EXCEPT of values that may be equal and differ, such as 1.0": "SELECT n FROM forms EXCEPT "
    "SELECT 3",
    "max() of values that may be equal and differ, such as 1.0": "SELECT max(n)::text AS n FROM forms",
    "sum() of values that may be equal and differ, such as 1.0": "SELECT sum(DISTINCT n)::text AS n FROM forms",
    "array_agg() of values that may be equal and differ, such as 1.0": "SELECT array_agg(n ORDER BY n) AS n FROM forms",
    "such as 1.0 and 1.00,": "SELECT coalesce(m, 0)::text AS n FROM forms GROUP BY coalesce(m, 0)",
    "DISTINCT of values that may be equal and differ, such as 1 month": "SELECT DISTINCT extract(month FROM i) AS n "
    "FROM (SELECT DISTINCT i FROM forms) AS q",
    "min() of values that may be equal and differ, such as 1 month": "SELECT extract(month FROM min(i)) AS n "
    "FROM forms",
    "percentile_disc() of values that may": "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY i)::text AS n "
    "FROM forms",
    "1.00 in JSON": "SELECT j::text AS n FROM forms GROUP BY j",
    "such as 'a' and 'a '": "SELECT p::text || '|' AS n FROM (SELECT DISTINCT p FROM forms) AS q",
    "such as 0 and -0": "SELECT f::text AS n FROM forms GROUP BY f",
    "such as 0 and -0,": "SELECT array_agg(DISTINCT f)::text AS n FROM forms",
    "DISTINCT of values that may be equal": "SELECT (q.r).n AS n FROM (SELECT DISTINCT forms AS r FROM forms) AS q",
    "such as 'a' and 'A'": "SELECT (q.r).word AS w FROM (SELECT DISTINCT s AS r FROM spelt AS s) AS q",
    "such as rows of": "SELECT (SELECT count(*) FROM (SELECT DISTINCT ROW(id, name) FROM persons) AS q) AS n",
    "range_agg() of values": "SELECT range_agg(numrange(n, 9))::text AS n FROM forms",
    "DISTINCT ON": "SELECT DISTINCT ON (name) name, id FROM persons ORDER BY name",
    "sum() of fractions": "SELECT id, sum(id::real) AS s FROM persons GROUP BY id",
    "avg() of fractions": "SELECT round(avg(id::float)) AS s FROM persons",
    "corr() of fractions": "SELECT corr(id, id) AS s FROM persons",
    "stddev() of fractions": "SELECT id, stddev(id / 3.0::float) OVER (PARTITION BY name) AS s FROM persons",
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
SELECT extract(year FROM born) AS y, round(n, 1) AS r, m, n::numeric(8, 2) AS c, round(m) AS w, f + 0.0 AS f,
f + 1 AS g, p::char(3) AS p, j::text AS j, CASE WHEN id > 1 THEN m ELSE m END AS e, coalesce(NULL, m) AS d,
'[1,2)'::int4range AS i
FROM forms JOIN persons ON TRUE GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12;
WITH w AS (SELECT extract(month FROM born) AS y FROM persons)
SELECT q.y, w.y AS z, count(*) AS n FROM (SELECT extract(year FROM born) AS y FROM persons) AS q, w GROUP BY q.y, w.y;
SELECT max(f) AS x, percentile_cont(0.5) WITHIN GROUP (ORDER BY f) AS c, sum(n) > 3 AS s, count(DISTINCT n) AS n,
max(m) AS m, sum(DISTINCT m) > 1 AS o, array_agg(DISTINCT extract(year FROM d)) AS y FROM forms;
SELECT DISTINCT s FROM (SELECT id, name AS s FROM persons) AS q;
SELECT id, CASE WHEN day = 'today' THEN NULL ELSE day || '' END::timestamptz AS d FROM persons;
SELECT id, (extract(year FROM born)::int || '-01-01')::date AS d, born > DATE '2000-01-01' AS c FROM persons;
SELECT name, string_agg(day, ',' ORDER BY day) AS s, array_agg(DISTINCT id) AS a, count(*) AS n, max(born) AS m
FROM persons GROUP BY GROUPING SETS ((name), (name, id));
SELECT id, count(*) OVER (PARTITION BY name) AS n, array[id, 2] AS a, (id, name) < (1, 'x') AS r, greatest(id, 3) AS g,
concat(name, id) AS c, format('n', id) AS f, name COLLATE "C" AS o,
firm(id) AS x, steady(id) AS y, plain_of(name, born) AS w, atomic(id) AS z FROM persons;
SELECT q.id, z.y, CAST(ARRAY['1', q.name] AS text[]) AS a FROM persons AS q JOIN persons AS p USING (id)
LEFT JOIN LATERAL (SELECT 1 AS y) AS z ON TRUE WHERE q.name IS DISTINCT FROM 'x' AND NOT (q.id = 5) IS UNKNOWN;
SELECT id FROM persons UNION ALL SELECT n FROM generate_series(1, 2) AS t(n) EXCEPT SELECT 9;
SELECT word COLLATE "C" AS w, count(DISTINCT word) AS c, min(word COLLATE "C") AS m FROM spelt
GROUP BY word COLLATE "C";
SELECT word, count(*) OVER (PARTITION BY word) AS n FROM spelt WHERE word = 'a' ORDER BY word;
SELECT n, count(*) AS c FROM spelt GROUP BY n UNION SELECT length(word), 1 FROM spelt UNION ALL SELECT DISTINCT 1, 2;
SELECT word FROM spelt UNION ALL SELECT name FROM persons;
SELECT avg(id) AS a, stddev(id) AS s, sum(id::float::numeric(9, 3)) AS n, max(id::float) AS m, regr_count(id, id) AS c,
percentile_cont(0.5) WITHIN GROUP (ORDER BY id::float) AS p FROM persons;
SELECT id, born::text AS b, '1'::money::text AS m, '{1}'::int[]::text AS a, ROW(id, born)::text AS r,
id::float::text AS f,
'1 day'::interval::text AS i, '[1,2)'::int4range::text AS g, persons::text AS p, 'sad'::mood::text AS e,
format('%I', name) AS q
FROM persons;
SELECT id, CASE id WHEN 1 THEN 2 ELSE 3 END AS n, name IN ('a', 'b', day) AS i, (persons).name AS w FROM persons
"""
MARIADB = {
    "rand()": "SELECT id, RAND() AS r FROM persons",
    "uses rand()": "SELECT id, RAND(3) AS r FROM persons",
    "current_timestamp()": "SELECT id FROM persons WHERE NOW() > '2020-01-01'",
    "current_date": "SELECT id, CURRENT_DATE AS d FROM persons",
    "current_user": "SELECT CURRENT_USER AS u FROM persons",
    "uses user()": "SELECT USER() AS u FROM persons",
    "uuid()": "SELECT UUID() AS u FROM persons",
    "uuid_short()": "SELECT UUID_SHORT() AS u FROM persons",
    "connection_id()": "SELECT CONNECTION_ID() AS u FROM persons",
    "sleep()": "SELECT id FROM persons WHERE SLEEP(0) = 0",
    "get_lock()": "SELECT GET_LOCK(name, 0) AS u FROM persons",
    "benchmark()": "SELECT BENCHMARK(1, id) AS u FROM persons",
    "sysdate()": "SELECT SYSDATE() AS u FROM persons",
    "utc_timestamp": "SELECT UTC_TIMESTAMP() AS u FROM persons",
    "unix_timestamp()": "SELECT UNIX_TIMESTAMP() AS u FROM persons",
    "last_insert_id()": "SELECT LAST_INSERT_ID() AS u FROM persons",
    "found_rows()": "SELECT FOUND_ROWS() AS u FROM persons",
    "load_file()": "SELECT LOAD_FILE(name) AS u FROM persons",
    "nextval()": "SELECT NEXTVAL(s) AS u FROM persons",
    "the sequence 's'": "SELECT next_not_cached_value AS u FROM s",
    "drawn() (not declared deterministic)": "SELECT drawn(id) AS u FROM persons",
    "rownum()": "SELECT ROWNUM() AS u FROM persons",
    "uses LIMIT": "SELECT id FROM persons ORDER BY name LIMIT 1",
    "row_number()": "SELECT id, ROW_NUMBER() OVER (ORDER BY name) AS n FROM persons",
    "group_concat()": "SELECT GROUP_CONCAT(name) AS n FROM persons",
    "json_arrayagg()": "SELECT JSON_ARRAYAGG(name) AS n FROM persons",
    "(id), which": "SELECT name, id FROM persons GROUP BY name",
    "uses GROUP BY of values": "SELECT name, COUNT(*) AS n FROM persons GROUP BY 1",
    "uses DISTINCT of values": "SELECT DISTINCT name FROM persons",
    "uses MIN of values": "SELECT MIN(CONCAT(name, '!')) AS n FROM persons",
    "MAX of values": "SELECT MAX(x) AS n FROM (SELECT UPPER(name) AS x FROM persons) AS t",
    "uses UNION of values": "SELECT name FROM persons UNION SELECT day FROM persons",
    "GROUP BY of values": "SELECT COUNT(*) AS n FROM persons GROUP BY id, name COLLATE utf8mb4_bin",
    "DISTINCT of values": "WITH t (x) AS (SELECT CAST(name AS CHAR(3)) FROM persons) SELECT DISTINCT x FROM t",
    "DISTINCT of value": "SELECT DISTINCT CONVERT(UNHEX(HEX(id)) USING utf8mb4) AS n FROM persons",
    "DISTINCT of valu": "SELECT DISTINCT CAST(BINARY name AS CHAR) AS n FROM persons",
    "DISTINCT of val": "SELECT DISTINCT CHAR(65 + id USING utf8mb4) AS n FROM persons",
    "DISTINCT of va": (
        "SELECT DISTINCT j.m FROM JSON_TABLE('[1]', '$[*]' COLUMNS (m VARCHAR(5) PATH '$')) AS j, persons AS p"
    ),
    "DISTINCT of v": "SELECT DISTINCT IF(id = 1, 'a', 'A') AS n FROM persons",
    "DISTINCT of ": "SELECT DISTINCT CONCAT(IF(id = 1, 'ab', 'a'), IF(id = 2, 'B', 'c')) AS n FROM persons",
    "DISTINCT of": "SELECT DISTINCT m FROM (SELECT 'a' AS m FROM persons UNION ALL SELECT 'a ') AS t",
    "DISTINCT o": "SELECT DISTINCT JSON_VALUE(JSON_OBJECT('a', id), '$.a') AS m FROM persons",
    "DISTINCT ": "SELECT DISTINCT CONVERT(m USING utf8mb4) AS m FROM (SELECT BINARY name AS m FROM persons) AS t",
    "GROUP BY of value": "SELECT firm(id) AS n, COUNT(*) AS c FROM persons GROUP BY firm(id)",
    "GROUP BY of valu": "SELECT COUNT(*) AS n FROM persons GROUP BY CASE WHEN id = 1 THEN 'é' ELSE 'e' END WITH ROLLUP",
    "MAX of value": "SELECT MAX(CONVERT(BINARY name USING utf8mb4)) AS n FROM persons",
    "UNION of": "SELECT 'a' AS m FROM persons UNION SELECT 'A'",
    "sum() of fractions": "SELECT SUM(height) AS s FROM persons",
    "avg() of fractions": "SELECT ROUND(AVG(x)) AS s FROM (SELECT SQRT(id) AS x FROM persons) AS t",
    "sum() of": "SELECT SUM(day) AS s FROM persons",
    "stddev_pop() of": "SELECT STD(id) AS s FROM persons",
    "the server's own catalogue": "SELECT id FROM information_schema.processlist",
    "kind LOCK": "SELECT id FROM persons FOR UPDATE",
}
MARIADB_STABLE = """
SELECT id + 1 AS n, lower(name) AS u, 'now() random(' AS t FROM persons WHERE id IN (SELECT id FROM persons);
SELECT IF(id = 1, 2, 3) AS a, IFNULL(name, 'x') AS b, CONCAT(name, 'a') AS c, CAST(day AS DATE) AS d, DATE(born) AS e,
YEAR(born) AS f, DATE_FORMAT(born, '%Y-%m') AS g, STR_TO_DATE(day, '%Y-%m-%d') AS h, DAYNAME(born) AS i
FROM persons;
SELECT SUBSTRING_INDEX(name, ' ', 1) AS a, LOCATE('a', name) AS b, CHAR_LENGTH(name) AS c, LPAD(name, 3, 'x') AS d,
TIMESTAMPDIFF(YEAR, born, '2020-01-01') AS e, DATE_ADD(born, INTERVAL 1 DAY) AS f, WEEKDAY(born) AS g FROM persons;
SELECT id, COUNT(*) AS n, AVG(id) AS a, SUM(id / 2) AS s, BIT_OR(id) AS o FROM persons GROUP BY id WITH ROLLUP;
SELECT name COLLATE utf8mb4_nopad_bin AS name, MIN(born) AS b, COUNT(DISTINCT name) AS c, MAX(BINARY name) AS m
FROM persons GROUP BY name COLLATE utf8mb4_nopad_bin;
SELECT DISTINCT id, name = 'a' AS a, LENGTH(name) AS l, CAST(name AS BINARY) AS n, kind FROM persons;
SELECT name FROM persons UNION ALL SELECT day FROM persons;
SELECT name REGEXP 'a' AS a, name COLLATE utf8mb4_bin AS b, ROUND(id, 1) AS c, id DIV 2 AS d, CONV(id, 10, 16) AS e,
MD5(name) AS f, ELT(id, 'a', 'b') AS g, UNIX_TIMESTAMP(born) AS h, FROM_UNIXTIME(id) AS i, HEX(name) AS j FROM persons;
SELECT id, COUNT(*) OVER (PARTITION BY name) AS n, firm(id) AS x FROM persons WHERE EXISTS (SELECT 1 FROM persons);
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT n FROM t;
SELECT CASE WHEN id < 2 THEN 'young' WHEN id < 3 THEN '男' ELSE '女' END AS a, COUNT(*) AS n FROM persons GROUP BY a;
SELECT DISTINCT CAST(id AS CHAR) AS a, DATE_FORMAT(born, '%Y') AS b, CONCAT('A-', id, '-a') AS c,
IF(id = 1, 1, NULL) AS d, COALESCE(kind, 'none') AS e, CAST(firm(id) AS SIGNED) AS f,
CONCAT(IF(id = 1, 'a', 'b'), id, 'A') AS g FROM persons;
SELECT 'men' AS a FROM persons UNION SELECT 'women';
SELECT SUM(seq) AS n FROM seq_1_to_5 UNION SELECT 9;
SELECT SUM(CAST(height AS DECIMAL(9, 3))) AS s, AVG(IF(id > 1, 1.5, 0)) AS a, SUM(name = 'A') AS n, MAX(height) AS m
FROM persons;
SELECT CASE name WHEN 'a' THEN 1 ELSE 2 END AS a, id <=> 2 AS g, COALESCE(name, day) AS h FROM persons AS p
"""


@pytest.mark.services
@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
def test_a_view_that_gives_other_rows_each_time_is_refused_by_name(kind: str, request: pytest.FixtureRequest) -> None:
    schema: Schema = request.getfixturevalue(f"{kind}_schema")
    is_postgresql = schema.server.kind is POSTGRES
    views = POSTGRESQL if is_postgresql else MARIADB
    stable = (POSTGRESQL_STABLE if is_postgresql else MARIADB_STABLE).split(";")
    moment, kind = ("TIMESTAMPTZ", "") if is_postgresql else ("DATETIME", ", kind ENUM ('a', 'b'), height DOUBLE")
    before = [
        f"CREATE TABLE persons (id INTEGER, name VARCHAR(20), born {moment}, day VARCHAR(20){kind})",
        "INSERT INTO persons (id, name, born, day) VALUES (1, 'A', '1990-01-31', '2000-01-01')",
        "INSERT INTO persons (id, name, born, day) VALUES (2, 'B', '1991-12-31', '2001-01-01')",
    ]
    if is_postgresql:
        before += [
            "CREATE SEQUENCE s",
            "CREATE FUNCTION drawn(n INTEGER) RETURNS INTEGER LANGUAGE SQL AS 'SELECT n'",
            "CREATE FUNCTION looked(n INTEGER) RETURNS INTEGER STABLE SECURITY DEFINER LANGUAGE SQL AS 'SELECT n'",
            "CREATE FUNCTION firm(n INTEGER) RETURNS INTEGER IMMUTABLE LANGUAGE SQL AS 'SELECT n'",
            "CREATE FUNCTION tossed(n INTEGER) RETURNS FLOAT IMMUTABLE LANGUAGE SQL AS 'SELECT random() + n'",
            "CREATE FUNCTION twice(n INTEGER) RETURNS FLOAT IMMUTABLE LANGUAGE SQL AS 'SELECT 2 * tossed(n)'",
            "CREATE FUNCTION written(n INTEGER) RETURNS FLOAT IMMUTABLE LANGUAGE SQL RETURN twice(n)",
            (
                "CREATE FUNCTION counting(n INTEGER) RETURNS BIGINT IMMUTABLE LANGUAGE SQL "
                "AS 'WITH t AS (SELECT * FROM persons) SELECT count(*) FROM t'"
            ),
            (
                "CREATE FUNCTION counted(n INTEGER) RETURNS BIGINT IMMUTABLE LANGUAGE SQL "
                "BEGIN ATOMIC SELECT count(*) FROM persons; END"
            ),
            "CREATE FUNCTION dated(n INTEGER) RETURNS DATE IMMUTABLE LANGUAGE SQL AS 'SELECT current_date + n'",
            (
                "CREATE FUNCTION alter(n INTEGER, m INTEGER) RETURNS BOOLEAN IMMUTABLE LANGUAGE SQL "
                "RETURN n = m AND tossed(n) > 0"
            ),
            "CREATE OPERATOR =~ (FUNCTION = alter, LEFTARG = INTEGER, RIGHTARG = INTEGER)",
            "CREATE FUNCTION looping(n INTEGER) RETURNS DATE IMMUTABLE LANGUAGE SQL AS 'SELECT NULL::date'",
            (
                "CREATE OR REPLACE FUNCTION looping(n INTEGER) RETURNS DATE IMMUTABLE LANGUAGE SQL "
                "AS 'SELECT CASE WHEN n < 0 THEN looping(n - 1) ELSE clock_timestamp()::date END'"
            ),
            "CREATE FUNCTION word_of() RETURNS DATE IMMUTABLE LANGUAGE SQL AS $f$ SELECT 'today'::date $f$",
            "CREATE FUNCTION dollar_of() RETURNS DATE IMMUTABLE LANGUAGE SQL AS $f$ SELECT $$ TODAY $$::date $f$",
            'CREATE FUNCTION escaped_of() RETURNS DATE IMMUTABLE LANGUAGE SQL AS $f$ SELECT U&"\\006eow"()::date $f$',
            "CREATE FUNCTION spelt_of() RETURNS DATE IMMUTABLE LANGUAGE SQL AS $f$ SELECT E'\\x74oday'::date $f$",
            "CREATE FUNCTION read_of(t TEXT) RETURNS DATE IMMUTABLE LANGUAGE SQL AS 'SELECT $1::date'",
            "CREATE FUNCTION call_of(t TEXT) RETURNS DATE IMMUTABLE LANGUAGE SQL AS 'SELECT pg_catalog.date(t)'",
            "CREATE FUNCTION list_of(t TEXT) RETURNS DATE[] IMMUTABLE LANGUAGE SQL AS 'SELECT ARRAY[t]::date[]'",
            (
                "CREATE FUNCTION made_of() RETURNS TIMESTAMPTZ IMMUTABLE LANGUAGE SQL "
                "AS $f$ SELECT CAST('tod' || 'ay' AS TIMESTAMPTZ) $f$"
            ),
            (
                "CREATE FUNCTION zone_of(t TIMETZ) RETURNS TIMETZ IMMUTABLE LANGUAGE SQL "
                "AS $f$ SELECT t AT TIME ZONE 'Europe/Berlin' $f$"
            ),
            (
                "CREATE FUNCTION plain_of(t TEXT, m TIMESTAMPTZ) RETURNS TEXT IMMUTABLE LANGUAGE SQL AS $f$ "
                "SELECT t::varchar(9)::text || (m AT TIME ZONE 'UTC') || DATE '2000-01-01' || '1'::int4 $f$"
            ),
            "CREATE FUNCTION steady(n INTEGER) RETURNS INTEGER IMMUTABLE LANGUAGE SQL AS 'SELECT n'",
            (
                "CREATE OR REPLACE FUNCTION steady(n INTEGER) RETURNS INTEGER IMMUTABLE LANGUAGE SQL "
                "AS 'SELECT CASE WHEN n < 0 THEN steady(firm(n + 1)) ELSE abs(n) END'"
            ),
            (
                "CREATE FUNCTION atomic(n INTEGER) RETURNS INTEGER IMMUTABLE LANGUAGE SQL "
                "BEGIN ATOMIC WITH t AS (SELECT steady(n) AS m) SELECT sum(m) FROM t; END"
            ),
            "CREATE FUNCTION alike(n INTEGER, m INTEGER) RETURNS BOOLEAN LANGUAGE SQL AS 'SELECT n = m'",
            "CREATE DOMAIN named AS REGNAMESPACE",
            "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = FALSE)",
            "CREATE TABLE spelt (n INTEGER, word TEXT COLLATE loose)",
            "CREATE TABLE forms (n NUMERIC, m NUMERIC(8, 2), i INTERVAL, j JSONB, p BPCHAR, f FLOAT, d DATE)",
            "INSERT INTO forms VALUES (1.0, 1, '1 month', '1', 'a', 0)",
            "INSERT INTO spelt VALUES (1, 'a'), (1, 'A')",
            "CREATE TYPE mood AS ENUM ('glad', 'sad')",
            "CREATE OPERATOR === (FUNCTION = alike, LEFTARG = INTEGER, RIGHTARG = INTEGER)",
            "CREATE AGGREGATE gathered(INTEGER) (SFUNC = int4pl, STYPE = INTEGER)",
            "CREATE DOMAIN checked AS INTEGER CHECK (random() > 0.5 OR value > 0)",
            (
                "CREATE TABLE objects (id INTEGER, kind REGCLASS, owner REGROLE, kinds REGTYPE[], place named, "
                "made REGPROC, rights ACLITEM)"
            ),
            "CREATE MATERIALIZED VIEW kept AS SELECT id, random() AS r FROM persons",
        ]
    else:
        before += [
            "CREATE SEQUENCE s",
            "CREATE FUNCTION drawn(n INTEGER) RETURNS INTEGER RETURN n",
            "CREATE FUNCTION firm(n INTEGER) RETURNS INTEGER DETERMINISTIC RETURN n",
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
def test_a_column_calculated_as_it_is_read_that_differs_each_time_is_refused_by_name(mariadb_schema: Schema) -> None:
    generated = {
        "uses rand()": "DOUBLE AS (RAND())",
        "uses current_timestamp()": "DATETIME AS (NOW())",
        "uses connection_id()": "BIGINT AS (CONNECTION_ID())",
        "uses user()": "VARCHAR(90) AS (USER())",
    }
    before = [
        "CREATE TABLE fine (id INTEGER DEFAULT (RAND()), name VARCHAR(9), g VARCHAR(99) AS (CONCAT(name, ' b\\'')))"
    ]
    for number, declared in enumerate(generated.values()):
        before += [
            f"CREATE TABLE t{number} (id INTEGER, g {declared})",
            f"CREATE VIEW v{number} AS SELECT id FROM t{number}",
        ]
    with holding(mariadb_schema, *before, "INSERT INTO fine (name) VALUES ('a')") as backend:
        for number, what in enumerate(generated):
            for table in (f"t{number}", f"v{number}"):
                with pytest.raises(SourceFault) as fault:
                    find_table(backend, table)
                assert f"the generated column 'g' of the table 't{number}' {what}" in str(fault.value), table
        assert row_count(backend, find_table(backend, "fine").reference) == 1


@pytest.mark.services
def test_a_time_of_day_as_a_moment_is_of_no_day_of_the_reading(mariadb_schema: Schema) -> None:
    made = (
        "CREATE TABLE shifts (begun TIME)",
        "INSERT INTO shifts VALUES ('10:11:00')",
        "CREATE VIEW moments AS SELECT CAST(begun AS DATETIME) AS at, DATE(MAKETIME(1, 2, 3)) AS day FROM shifts",
    )
    with holding(mariadb_schema, *made) as backend:
        read = backend.executor.rows(Purpose.RECORDS, dataset(backend, "moments").relation)
    assert [str(each) for each in read[0]] == ["1970-01-02 10:11:00", "1970-01-02"]


@pytest.mark.services
def test_a_view_is_refused_where_what_it_reads_cannot_be_seen(mariadb_schema: Schema) -> None:
    name = mariadb_schema.name
    made = (
        "CREATE TABLE persons (id INTEGER)",
        "INSERT INTO persons VALUES (1)",
        "CREATE VIEW drawn AS SELECT id, RAND() AS r FROM persons",
        "CREATE VIEW shown AS SELECT id FROM drawn",
        f"CREATE USER {name}",
        f"GRANT SELECT, SHOW VIEW ON shown TO {name}",
    )
    try:
        for each in made:
            mariadb_schema.run(each)
        user = mariadb_schema.url.split("://", 1)[1].split("@", 1)[0]
        reader = Made(mariadb_schema.url.replace(f"//{user}@", f"//{name}@"), "mysql", (), mariadb_schema)
        with opened(reader) as backend, pytest.raises(SourceFault, match=r"'drawn' is not there.*GRANT SHOW VIEW"):
            find_table(backend, "shown")
        mariadb_schema.run(f"GRANT SELECT, SHOW VIEW ON drawn TO {name}")
        with opened(reader) as backend, pytest.raises(SourceFault, match=r"the view 'drawn' uses rand\(\)"):
            find_table(backend, "shown")
    finally:
        mariadb_schema.run(f"DROP USER {name}")


@pytest.mark.services
def test_row_security_that_gives_other_rows_each_time_is_refused_also_under_a_view(postgres_schema: Schema) -> None:
    made = ["CREATE ROLE {0} LOGIN", "GRANT USAGE ON SCHEMA {0} TO {0}"]
    made += [
        "CREATE VIEW drawn AS SELECT random() AS r",
        "CREATE VIEW shown AS SELECT r FROM drawn",
        "CREATE TABLE plain AS SELECT 1 AS n",
        "CREATE FUNCTION tossed() RETURNS FLOAT IMMUTABLE LANGUAGE SQL AS 'SELECT random()'",
    ]
    conditions = {
        "the policy 'own' of 't0' uses now()": "born < now()",
        "": "owner = current_user AND EXISTS (SELECT 1 FROM plain)",
        "the view 'drawn' uses random()": "EXISTS (SELECT 1 FROM shown WHERE r > 2) OR owner = current_user",
        "the policy 'own' of 't0'": "EXISTS (SELECT 1 FROM t0)",
        "the function tossed(), which": "tossed() < 2",
    }
    for number, condition in enumerate(conditions.values()):
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
            for number, what in enumerate(conditions):
                for table in (f"t{number}", f"v{number}"):
                    if not what:
                        assert row_count(backend, find_table(backend, table).reference) == 1
                        continue
                    with pytest.raises(SourceFault) as fault:
                        find_table(backend, table)
                    assert what in str(fault.value), table
        with opened(of_schema(postgres_schema)) as backend:  # the policies do not bind who owns the table
            assert row_count(backend, find_table(backend, "t0").reference) == 1
    finally:
        postgres_schema.run(f"DROP OWNED BY {name}")
        postgres_schema.run(f"DROP ROLE {name}")


CITEXT = {
    "GROUP BY": "SELECT word, count(*) AS n FROM t GROUP BY word",
    "DISTINCT": "SELECT DISTINCT n, word FROM t",
    "EXCEPT": "SELECT word FROM t EXCEPT SELECT 'x'",
    "array_agg()": "SELECT array_agg(word ORDER BY word) AS w FROM t",
}


@pytest.mark.services
def test_values_that_a_type_of_others_takes_for_equal_are_not_shown_for_one_another(postgres_schema: Schema) -> None:
    try:
        postgres_schema.run(f"CREATE EXTENSION citext SCHEMA {postgres_schema.name}")
    except Exception:  # noqa: BLE001 whatever the driver raises
        pytest.skip("the server has no citext, or the role may not make it")
    made = ["CREATE TABLE t (word CITEXT, n INTEGER)", "INSERT INTO t VALUES ('a', 1), ('A', 2)"]
    made += [f"CREATE VIEW v{number} AS {text}" for number, text in enumerate(CITEXT.values())]
    fine = (
        'SELECT word::text COLLATE "C" AS w, count(DISTINCT word) AS c FROM t GROUP BY word::text COLLATE "C"',
        "SELECT word, count(*) OVER (PARTITION BY word) AS n FROM t WHERE word = 'a'",
    )
    made += [f"CREATE VIEW fine{number} AS {text}" for number, text in enumerate(fine)]
    with holding(postgres_schema, *made) as backend:
        for number, what in enumerate(CITEXT):
            with pytest.raises(SourceFault, match=f"{re.escape(what)} of values .* Write ::TEXT COLLATE"):
                find_table(backend, f"v{number}")
        for number in range(len(fine)):
            assert row_count(backend, find_table(backend, f"fine{number}").reference) == 2


SETTINGS = (
    *("TimeZone=Asia/Kolkata", "DateStyle=German", "IntervalStyle=iso_8601", "extra_float_digits=-5"),
    *("bytea_output=escape", "lc_monetary=C.UTF-8", "quote_all_identifiers=on", "timezone_abbreviations=India"),
)


@pytest.mark.services
def test_texts_of_values_do_not_depend_on_the_settings_of_the_role(postgres_schema: Schema) -> None:
    made = (
        "CREATE TABLE t (at TIMESTAMPTZ, words TEXT, f FLOAT, b BYTEA, i INTERVAL, m MONEY)",
        "INSERT INTO t VALUES ('2000-01-01 22:00+00', '2000-01-01 10:00 IST', 0.1, '\\xff', '1 day', '1.5')",
        """CREATE VIEW v AS SELECT at::text AS a, at::date AS d, words::timestamptz AS w, f::text AS f, b::text AS b,
        i::text AS i, m::text AS m, format('%I', words) AS q, format('%I', 'plain') AS p, to_char(at, 'HH TZ') AS z,
        ROW(at, b, i)::text AS r, quote_ident('plain') AS k FROM t""",
    )
    wanted = [
        *("2000-01-01 22:00:00+00", "2000-01-01", "2000-01-01 08:00:00+00:00", "0.1", "\\xff", "1 day", "$1.50"),
        *('"2000-01-01 10:00 IST"', "plain", "10 UTC", '("2000-01-01 22:00:00+00","\\\\xff","1 day")', "plain"),
    ]
    with holding(postgres_schema, *made) as backend:
        assert [
            str(each) for each in backend.executor.rows(Purpose.RECORDS, dataset(backend, "v").relation)[0]
        ] == wanted
    url = of_schema(postgres_schema).location + "".join(quote_plus(f" -c{each}") for each in SETTINGS)
    with opened(Made(url, "postgresql", (), postgres_schema)) as backend:
        assert [
            str(each) for each in backend.executor.rows(Purpose.RECORDS, dataset(backend, "v").relation)[0]
        ] == wanted


@pytest.mark.services
def test_a_query_makes_no_text_of_a_name_of_the_catalogue_either(postgres_schema: Schema) -> None:
    with holding(postgres_schema, "CREATE TABLE t (id INTEGER, kind REGCLASS, owner REGROLE[])") as backend:
        for column in ("kind", "owner"):
            query = sqlglot.parse_one(f"SELECT CAST({column} AS TEXT) AS x FROM t", into=exp.Select)
            query.find(exp.Table).replace(find_table(backend, "t").reference)  # type: ignore[union-attr]
            with pytest.raises(SourceFault, match=rf"the column '{column}' of 't' is of the type"):
                backend.executor.rows(Purpose.RECORDS, query)


@pytest.mark.services
def test_functions_and_operators_that_others_made_take_no_place_of_the_server_s_own(postgres_schema: Schema) -> None:
    raising = "LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''seen''; END'"
    made = (
        "CREATE TABLE persons (id INTEGER, name TEXT)",
        "INSERT INTO persons VALUES (1, 'A'), (2, 'B')",
        f"CREATE FUNCTION hashtextextended(TEXT, INTEGER) RETURNS BIGINT {raising}",
        f"CREATE FUNCTION less(INTEGER, INTEGER) RETURNS BOOLEAN {raising}",
        "CREATE OPERATOR < (FUNCTION = less, LEFTARG = INTEGER, RIGHTARG = INTEGER)",
        f"CREATE FUNCTION count(INTEGER) RETURNS INTEGER {raising}",
        "CREATE DOMAIN text AS pg_catalog.text CHECK (value IS NULL)",
    )
    with holding(postgres_schema, *made) as backend:
        persons = dataset(backend, "persons")
        filtered = replace(
            persons, relation=relation(find_table(backend, "persons").reference, exp.condition("id < 2"))
        )
        assert (version(persons).rows, version(filtered).rows) == (2, 1)
        assert counted(backend, "persons", "id") == {"1": 1, "2": 1}
        assert counted(backend, "persons", "name") == {"A": 1, "B": 1}


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
            "CREATE TABLE secured AS SELECT 1 AS id",
            "ALTER TABLE secured ENABLE ROW LEVEL SECURITY",
            "CREATE POLICY own ON secured USING (id IN (SELECT id FROM seen))",
            "CREATE VIEW over WITH (security_invoker) AS SELECT id FROM secured",
            "CREATE TABLE parts (id INTEGER) PARTITION BY RANGE (id)",
            f"CREATE FOREIGN TABLE part PARTITION OF parts FOR VALUES FROM (1) TO (2) SERVER {wrapper}",
        )
        with holding(postgres_schema, *made) as backend:
            for table in ("elsewhere", "seen", "over"):
                with pytest.raises(SourceFault, match=r"the foreign table 'elsewhere'.*--allow-external"):
                    find_table(backend, table)
            with pytest.raises(SourceFault, match=r"the foreign table 'part'"):
                find_table(backend, "parts")
            backend.allow_external = True  # type: ignore[attr-defined]
            assert find_table(backend, "seen").name == "seen"
    finally:
        postgres_schema.run(f"DROP FOREIGN DATA WRAPPER {wrapper} CASCADE")

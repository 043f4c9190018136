-- The state of an earlier version.

-- name: attach
-- Attaches a state of an earlier engine, a DuckDB file, to read it.
-- $path = 'state.duckdb'
ATTACH $path AS before (READ_ONLY);

-- name: migrations
-- The migrations that the earlier state has gone through. One row: a migration.
SELECT number, name, checksum FROM before.migrations ORDER BY number;

-- name: tables
-- The tables of the earlier state. One row: a table.
SELECT table_name
FROM duckdb_tables()
WHERE database_name = 'before' AND schema_name = 'main'
ORDER BY table_name;

-- name: rows
-- A table of the earlier state (stand-in: requests, and id for its key), in the order of its key. One row: a row of it.
SELECT * FROM before.requests ORDER BY id;

-- name: seals
-- The last seal of each row of a table of the earlier state, in the order of its key. One row: a seal with the key of its
-- row; NULL where the row was erased.
-- $table_name = 'requests'
SELECT owner, part, ARG_MAX_NULL(seal, number) AS seal
FROM before.seals
WHERE table_name = $table_name
GROUP BY owner, part
ORDER BY owner, part;

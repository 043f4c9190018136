-- The functions that somebody made in the source's database, and with them the names of DuckDB's own. One row is a form of
-- one. Nothing here is called but what DuckDB's own schema has.
SELECT listed.function_name, listed.internal
FROM system.main.duckdb_functions() AS listed

-- DuckDB as a source.

-- name: columns
-- The columns of a relation, with their types. One row is one column. Reads no data.
DESCRIBE SELECT * FROM dataset;

-- name: release_marks
-- The tables and views of the source, with their comments. One row is one table or view.
SELECT named.schema_name, named.table_name, named.comment
FROM (
  SELECT database_name, schema_name, table_name, comment FROM duckdb_tables()
  UNION ALL
  SELECT database_name, schema_name, view_name, comment FROM duckdb_views() WHERE NOT internal
) AS named
WHERE named.database_name = CURRENT_DATABASE()
ORDER BY named.schema_name, named.table_name;

-- name: functions_made
-- The functions that somebody made in the source's database, and with them the names of DuckDB's own. One row is a form of
-- one. Nothing here is called but what DuckDB's own schema has.
SELECT listed.function_name, listed.internal
FROM system.main.duckdb_functions() AS listed;

-- name: catalog
-- The source's tables and views, by name: no column is read and no view is looked into. One row is one table
-- or view, with the text that made it.
SELECT listed.database_name, listed.schema_name, listed.table_name, listed.is_view, listed.text
FROM (
  SELECT database_name, schema_name, table_name, 0 AS is_view, sql AS text FROM duckdb_tables() WHERE NOT internal
  UNION ALL
  SELECT database_name, schema_name, view_name, 1 AS is_view, sql AS text FROM duckdb_views() WHERE NOT internal
) AS listed
WHERE listed.database_name = CURRENT_DATABASE()
ORDER BY listed.schema_name, listed.table_name;

-- name: query_planned
-- How DuckDB would answer a query, in JSON: its functions with the types that they are given. Nothing of it is run. One row.
-- $query = 'SELECT 1'
SELECT JSON_SERIALIZE_PLAN(CAST($query AS VARCHAR)) AS planned;

-- name: spans
-- The columns of the source's tables and views that are spans of time, or have some in them. One row each.
SELECT described.schema_name, described.table_name, described.column_name
FROM duckdb_columns() AS described
WHERE described.database_name = CURRENT_DATABASE() AND described.data_type LIKE '%INTERVAL%'
ORDER BY described.schema_name, described.table_name, described.column_name;

-- name: generated_columns
-- The columns of a table that are calculated as it is read. One row: a column, and what it is calculated by.
-- $schema = 'main'
-- $table = 'members'
SELECT described.column_name, described.generation_expression
FROM duckdb_columns() AS described
WHERE described.database_name = CURRENT_DATABASE() AND described.schema_name = $schema AND described.table_name = $table
  AND described.is_generated
ORDER BY described.column_name;

-- name: view_parsed
-- The query of a view as DuckDB parses it, in JSON; nothing of it is run. One row.
-- $query = 'SELECT 1'
SELECT JSON_SERIALIZE_SQL(CAST($query AS VARCHAR)) AS parsed;

-- name: columns_named
-- The tables and views of the source that have a column of that name. One row is one of them.
-- $name = 'user'
SELECT DISTINCT described.table_name
FROM duckdb_columns() AS described
WHERE described.database_name = CURRENT_DATABASE() AND LOWER(described.column_name) = $name
ORDER BY described.table_name;

-- name: functions
-- The functions that may be called: their kind, whether they give the same each time, and what a macro stands for. One row
-- is one form of a function.
SELECT DISTINCT function_name, function_type, stability, internal, macro_definition
FROM duckdb_functions()
ORDER BY ALL;

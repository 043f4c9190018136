-- The source's tables and views, by name: no column is read and no view is looked into. One row is one table
-- or view, with the text that made it.
SELECT listed.database_name, listed.schema_name, listed.table_name, listed.is_view, listed.text
FROM (
  SELECT database_name, schema_name, table_name, 0 AS is_view, sql AS text FROM duckdb_tables() WHERE NOT internal
  UNION ALL
  SELECT database_name, schema_name, view_name, 1 AS is_view, sql AS text FROM duckdb_views() WHERE NOT internal
) AS listed
WHERE listed.database_name = CURRENT_DATABASE()
ORDER BY listed.schema_name, listed.table_name

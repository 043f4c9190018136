-- The tables and views of the source, with their comments. One row is one table or view.
SELECT named.schema_name, named.table_name, named.comment
FROM (
  SELECT database_name, schema_name, table_name, comment FROM duckdb_tables()
  UNION ALL
  SELECT database_name, schema_name, view_name, comment FROM duckdb_views() WHERE NOT internal
) AS named
WHERE named.database_name = CURRENT_DATABASE()
ORDER BY named.schema_name, named.table_name

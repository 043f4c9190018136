-- The source's tables and views that compare texts by a collation, with the texts that made them. One row each.
SELECT defined.schema, defined.name, defined.definition
FROM (
  SELECT schema_name AS schema, table_name AS name, sql AS definition
  FROM duckdb_tables()
  WHERE database_name = CURRENT_DATABASE()
  UNION ALL
  SELECT schema_name AS schema, view_name AS name, sql AS definition
  FROM duckdb_views()
  WHERE database_name = CURRENT_DATABASE() AND NOT internal
) AS defined
WHERE UPPER(defined.definition) LIKE '%COLLATE%'
ORDER BY defined.schema, defined.name

-- The columns of the source's tables and views. One row is one column of one table or view.
SELECT
  described.database_name,
  described.schema_name,
  described.table_name,
  CASE WHEN views.view_name IS NULL THEN 0 ELSE 1 END AS is_view,
  described.column_name,
  described.data_type
FROM duckdb_columns() AS described
LEFT JOIN duckdb_views() AS views
  ON views.database_name = described.database_name
  AND views.schema_name = described.schema_name
  AND views.view_name = described.table_name
WHERE described.database_name = CURRENT_DATABASE() AND NOT described.internal
ORDER BY described.schema_name, described.table_name, described.column_index

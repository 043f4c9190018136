-- The columns of the source's tables and views that are spans of time, or have some in them. One row each.
SELECT described.schema_name, described.table_name, described.column_name
FROM duckdb_columns() AS described
WHERE described.database_name = CURRENT_DATABASE() AND described.data_type LIKE '%INTERVAL%'
ORDER BY described.schema_name, described.table_name, described.column_name

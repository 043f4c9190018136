-- What is in the source? One row is one column of one table or view.
SELECT database_name, schema_name, table_name, column_name, data_type
FROM duckdb_columns()
WHERE database_name = CURRENT_DATABASE() AND NOT internal
ORDER BY schema_name, table_name, column_index

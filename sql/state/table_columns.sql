-- The columns of the tables of the open state, in order. One row: a column of a table, and its type.
SELECT table_name, column_name, data_type
FROM duckdb_columns()
WHERE database_name = CURRENT_DATABASE() AND schema_name = 'main'
ORDER BY table_name, column_index

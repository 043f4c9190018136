-- The columns of the earlier state. One row: a column with its table, in their order.
SELECT table_name, column_name, data_type
FROM duckdb_columns()
WHERE database_name = 'before' AND schema_name = 'main'
ORDER BY table_name, column_index

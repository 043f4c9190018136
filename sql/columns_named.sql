-- The tables and views of the source that have a column of that name. One row is one of them.
-- $name = 'user'
SELECT DISTINCT described.table_name
FROM duckdb_columns() AS described
WHERE described.database_name = CURRENT_DATABASE() AND LOWER(described.column_name) = $name
ORDER BY described.table_name

-- The tables of the open state that may hold rows. One row: a table.
SELECT table_name
FROM duckdb_tables()
WHERE database_name = CURRENT_DATABASE() AND schema_name = 'main' AND estimated_size > 0
ORDER BY table_name

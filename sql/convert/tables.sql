-- The tables of the earlier state. One row: a table.
SELECT table_name
FROM duckdb_tables()
WHERE database_name = 'before' AND schema_name = 'main'
ORDER BY table_name

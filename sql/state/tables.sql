-- The tables of the open state. One row: a table.
SELECT table_name FROM duckdb_tables() WHERE database_name = CURRENT_DATABASE() AND schema_name = 'main' ORDER BY table_name

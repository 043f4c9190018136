-- The columns of a table that are calculated as it is read. One row: a column, and what it is calculated by.
-- $schema = 'main'
-- $table = 'members'
SELECT described.column_name, described.generation_expression
FROM duckdb_columns() AS described
WHERE described.database_name = CURRENT_DATABASE() AND described.schema_name = $schema AND described.table_name = $table
  AND described.is_generated
ORDER BY described.column_name

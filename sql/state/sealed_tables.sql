-- The tables whose rows are or were sealed. One row: a table.
SELECT DISTINCT table_name FROM seals ORDER BY table_name

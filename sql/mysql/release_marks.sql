-- The comments of what has this name among the tables of a database; NULL for what is no table. One row is one table or view.
SELECT CASE WHEN tables.table_type = 'BASE TABLE' THEN tables.table_comment END AS mark
FROM information_schema.tables AS tables
WHERE tables.table_schema = $schema AND tables.table_name = $table

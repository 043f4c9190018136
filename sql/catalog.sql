-- What is in the source? One row is one column of one table or view.
SELECT table_catalog, table_schema, table_name, column_name, data_type
FROM information_schema.columns
WHERE table_catalog = CURRENT_DATABASE()
ORDER BY table_schema, table_name, ordinal_position

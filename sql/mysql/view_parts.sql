-- A table or view of a MariaDB or MySQL database: its engine, empty for a view, and the text of a view, NULL for a table
-- and empty where the user may not see it. One row.
SELECT COALESCE(tables.engine, '') AS engine, views.view_definition AS definition
FROM information_schema.tables AS tables
LEFT JOIN information_schema.views AS views
  ON views.table_schema = tables.table_schema AND views.table_name = tables.table_name
  AND BINARY views.table_name = BINARY tables.table_name
WHERE tables.table_schema = $schema AND tables.table_name = $table AND BINARY tables.table_name = BINARY $table

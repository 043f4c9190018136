-- A table or view of a MariaDB or MySQL database: its engine, empty for a view; its kind, for MariaDB lets a query read a
-- sequence as a table; and the text of a view, NULL for a table and empty where the user may not see it. With it a column
-- that MariaDB calculates as it is read, and of what: one row each, one without any. MySQL lets such a column be of what
-- gives the same each time alone.
SELECT COALESCE(tables.engine, '') AS engine, tables.table_type AS kind, views.view_definition AS definition,
       columns.column_name AS generated, columns.generation_expression AS expression
FROM information_schema.tables AS tables
LEFT JOIN information_schema.views AS views
  ON views.table_schema = tables.table_schema AND views.table_name = tables.table_name
  AND BINARY views.table_name = BINARY tables.table_name
LEFT JOIN information_schema.columns AS columns
  ON columns.table_schema = tables.table_schema AND columns.table_name = tables.table_name
  AND BINARY columns.table_name = BINARY tables.table_name
  AND columns.extra LIKE '%VIRTUAL%' AND VERSION() LIKE '%MariaDB%'
WHERE tables.table_schema = $schema AND tables.table_name = $table AND BINARY tables.table_name = BINARY $table

-- The tables and views of a MariaDB or MySQL database that the user has a right to, in order, without their columns: one row a
-- table. The catalogue's own collation takes names that differ by upper and lower case alone for one.
SELECT
  tables.table_schema AS `schema`,
  tables.table_name AS `table`,
  tables.table_type LIKE '%VIEW' AS is_view
FROM information_schema.tables AS tables
WHERE tables.table_schema NOT IN ('information_schema', 'performance_schema', 'mysql', 'sys')
  AND (DATABASE() IS NULL OR (tables.table_schema = DATABASE() AND BINARY tables.table_schema = BINARY DATABASE()))
ORDER BY tables.table_schema, tables.table_name

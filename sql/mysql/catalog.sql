-- The readable columns of every table and view of a MariaDB or MySQL database, in order: one row a column. Rows of an engine
-- without transactions are read as they are, not as they were when the transaction began. The catalogue's own collation
-- takes names that differ by upper and lower case alone for one.
SELECT
  columns.table_schema AS `schema`,
  columns.table_name AS `table`,
  tables.table_type LIKE '%VIEW' AS is_view,
  columns.column_name AS `column`,
  columns.data_type AS type,
  columns.column_type AS declared,
  columns.numeric_precision AS digits,
  columns.numeric_scale AS scale,
  columns.collation_name AS collation,
  COALESCE(engines.transactions, 'YES') = 'YES' AS has_snapshot
FROM information_schema.columns AS columns
JOIN information_schema.tables AS tables
  ON tables.table_schema = columns.table_schema AND tables.table_name = columns.table_name
  AND BINARY tables.table_schema = BINARY columns.table_schema
  AND BINARY tables.table_name = BINARY columns.table_name
LEFT JOIN information_schema.engines AS engines ON engines.engine = tables.engine
WHERE columns.table_schema NOT IN ('information_schema', 'performance_schema', 'mysql', 'sys')
  AND FIND_IN_SET('select', columns.privileges) > 0
  AND (DATABASE() IS NULL OR (columns.table_schema = DATABASE() AND BINARY columns.table_schema = BINARY DATABASE()))
ORDER BY columns.table_schema, columns.table_name, columns.ordinal_position

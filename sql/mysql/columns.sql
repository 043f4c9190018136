-- The columns of a table or view of a MariaDB or MySQL database, in order: one row a column; none of a view that cannot be
-- opened. Rows of an engine without transactions are read as they are, not as they were when the transaction began.
SELECT
  columns.column_name AS `column`,
  columns.data_type AS type,
  columns.column_type AS declared,
  columns.numeric_precision AS digits,
  columns.numeric_scale AS scale,
  columns.collation_name AS collation,
  COALESCE(engines.transactions, 'YES') = 'YES' AS has_snapshot,
  FIND_IN_SET('select', columns.privileges) > 0 AS may_read
FROM information_schema.columns AS columns
JOIN information_schema.tables AS tables
  ON tables.table_schema = $schema AND tables.table_name = $table
  AND BINARY tables.table_schema = BINARY columns.table_schema
  AND BINARY tables.table_name = BINARY columns.table_name
LEFT JOIN information_schema.engines AS engines ON engines.engine = tables.engine
WHERE columns.table_schema = $schema AND columns.table_name = $table
  AND BINARY columns.table_schema = BINARY $schema
  AND BINARY columns.table_name = BINARY $table
ORDER BY columns.ordinal_position

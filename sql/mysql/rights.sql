-- Every table and view of the database of the session, or of all where it has none, in order, with the columns that the user
-- may read, the server's estimate of its rows, and whether its rows have a snapshot: one row a table.
SELECT
  tables.table_schema AS `schema`,
  tables.table_name AS `table`,
  COUNT(*) AS columns,
  SUM(FIND_IN_SET('select', columns.privileges) > 0) AS readable,
  SUM(columns.privileges REGEXP 'insert|update') > 0 AS may_write,
  MAX(tables.table_rows) AS estimate,
  MIN(COALESCE(engines.transactions, 'YES') = 'YES') AS has_snapshot
FROM information_schema.tables AS tables
JOIN information_schema.columns AS columns
  ON columns.table_schema = tables.table_schema AND columns.table_name = tables.table_name
LEFT JOIN information_schema.engines AS engines ON engines.engine = tables.engine
WHERE tables.table_schema NOT IN ('information_schema', 'performance_schema', 'mysql', 'sys')
  AND (DATABASE() IS NULL OR tables.table_schema = DATABASE())
GROUP BY tables.table_schema, tables.table_name
ORDER BY tables.table_schema, tables.table_name

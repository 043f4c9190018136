-- The tables and views of a PostgreSQL database of which the role may read no column: one row a table, in order, with the role,
-- and whether the right to use its schema is there.
SELECT
  namespace.nspname::TEXT AS schema,
  class.relname::TEXT AS "table",
  current_user::TEXT AS role,
  has_schema_privilege(namespace.oid, 'USAGE') AS uses_schema
FROM pg_catalog.pg_class AS class
JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
WHERE class.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND namespace.nspname NOT LIKE 'pg\_%'
  AND namespace.nspname <> 'information_schema'
  AND NOT (has_schema_privilege(namespace.oid, 'USAGE') AND has_any_column_privilege(class.oid, 'SELECT'))
ORDER BY namespace.nspname, class.relname

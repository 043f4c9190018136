-- Every table and view of a PostgreSQL database, in order, with what the role may do with it and the server's estimate of its
-- rows, of a partitioned table the sum of its partitions', NULL where it has none: one row a table. A table that is dropped
-- meanwhile may be written by nobody.
WITH RECURSIVE parts AS (
  SELECT class.oid AS root, class.oid AS part
  FROM pg_catalog.pg_class AS class
  WHERE class.relkind IN ('r', 'p', 'm', 'f', 'v')
  UNION ALL
  SELECT parts.root, inherits.inhrelid
  FROM parts
  JOIN pg_catalog.pg_inherits AS inherits ON inherits.inhparent = parts.part
), estimates AS (
  SELECT parts.root, SUM(class.reltuples)::BIGINT AS estimate
  FROM parts
  JOIN pg_catalog.pg_class AS class ON class.oid = parts.part
  WHERE class.relkind IN ('r', 'm', 'f') AND class.reltuples >= 0
  GROUP BY parts.root
)
SELECT
  namespace.nspname::TEXT AS schema,
  class.relname::TEXT AS "table",
  COUNT(*) AS columns,
  COUNT(*) FILTER (
    WHERE has_schema_privilege(namespace.oid, 'USAGE') AND has_column_privilege(class.oid, attribute.attnum, 'SELECT')
  ) AS readable,
  COALESCE(
    has_schema_privilege(namespace.oid, 'USAGE')
      AND (has_table_privilege(class.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') OR has_any_column_privilege(class.oid, 'INSERT, UPDATE')),
    FALSE
  ) AS may_write,
  MAX(estimates.estimate) AS estimate,
  TRUE AS has_snapshot
FROM pg_catalog.pg_class AS class
JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid = class.oid
LEFT JOIN estimates ON estimates.root = class.oid
WHERE class.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND attribute.attnum > 0
  AND NOT attribute.attisdropped
  AND namespace.nspname NOT IN ('pg_catalog', 'information_schema')
  AND namespace.nspname NOT LIKE 'pg\_t%%'
GROUP BY namespace.nspname, namespace.oid, class.relname, class.oid
ORDER BY namespace.nspname, class.relname

-- The readable columns of every table and view of a PostgreSQL database, in order: one row a column, its domain resolved to
-- the type under it. Of a table with row security the role sees some rows, and so do views of it. `modifier` holds precision and scale of a numeric, -1 where there are none.
WITH RECURSIVE resolved AS (
  SELECT type.oid, type.oid AS base, -1 AS modifier FROM pg_catalog.pg_type AS type WHERE type.typtype <> 'd'
  UNION ALL
  SELECT domain.oid, resolved.base, CASE WHEN domain.typtypmod >= 0 THEN domain.typtypmod ELSE resolved.modifier END
  FROM pg_catalog.pg_type AS domain
  JOIN resolved ON domain.typbasetype = resolved.oid
  WHERE domain.typtype = 'd'
), reads AS (
  SELECT rewrite.ev_class AS view, depend.refobjid AS relation
  FROM pg_catalog.pg_rewrite AS rewrite
  JOIN pg_catalog.pg_depend AS depend
    ON depend.objid = rewrite.oid
    AND depend.classid = 'pg_catalog.pg_rewrite'::regclass
    AND depend.refclassid = 'pg_catalog.pg_class'::regclass
    AND depend.refobjid <> rewrite.ev_class
  WHERE rewrite.ev_class >= 16384
  UNION
  SELECT reads.view, depend.refobjid
  FROM reads
  JOIN pg_catalog.pg_rewrite AS rewrite ON rewrite.ev_class = reads.relation
  JOIN pg_catalog.pg_depend AS depend
    ON depend.objid = rewrite.oid
    AND depend.classid = 'pg_catalog.pg_rewrite'::regclass
    AND depend.refclassid = 'pg_catalog.pg_class'::regclass
    AND depend.refobjid <> rewrite.ev_class
)
SELECT
  namespace.nspname AS schema,
  class.relname AS "table",
  class.relkind IN ('v', 'm') AS is_view,
  CASE WHEN class.relkind IN ('v', 'm') THEN EXISTS (
    SELECT 1
    FROM reads
    JOIN pg_catalog.pg_class AS secured ON secured.oid = reads.relation
    WHERE reads.view = class.oid AND secured.relrowsecurity
  ) ELSE class.relrowsecurity AND pg_catalog.row_security_active(class.oid) END AS has_row_security,
  attribute.attname AS "column",
  base.typname AS type,
  base.typtype AS kind,
  CASE WHEN attribute.atttypmod >= 0 THEN attribute.atttypmod ELSE resolved.modifier END AS modifier
FROM pg_catalog.pg_class AS class
JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid = class.oid
JOIN resolved ON resolved.oid = attribute.atttypid
JOIN pg_catalog.pg_type AS base ON base.oid = resolved.base
WHERE class.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND attribute.attnum > 0
  AND NOT attribute.attisdropped
  AND namespace.nspname NOT IN ('pg_catalog', 'information_schema')
  AND namespace.nspname NOT LIKE 'pg\_t%'
  AND has_schema_privilege(namespace.oid, 'USAGE')
  AND has_column_privilege(class.oid, attribute.attnum, 'SELECT')
ORDER BY namespace.nspname, class.relname, attribute.attnum

-- The tables and views of a PostgreSQL database of which the role may read a column, in order, without their columns: one row a
-- table. Of a table with row security the role sees some rows, and so do views of it.
WITH RECURSIVE secured AS (
  SELECT class.oid FROM pg_catalog.pg_class AS class WHERE class.relrowsecurity
  UNION
  SELECT rewrite.ev_class
  FROM secured
  JOIN pg_catalog.pg_depend AS depend
    ON depend.refobjid = secured.oid
    AND depend.refclassid = 'pg_catalog.pg_class'::regclass
    AND depend.classid = 'pg_catalog.pg_rewrite'::regclass
  JOIN pg_catalog.pg_rewrite AS rewrite ON rewrite.oid = depend.objid
)
SELECT
  namespace.nspname AS schema,
  class.relname AS "table",
  class.relkind IN ('v', 'm') AS is_view,
  CASE
    WHEN class.relkind IN ('v', 'm') THEN class.oid IN (SELECT secured.oid FROM secured)
    ELSE class.relrowsecurity AND pg_catalog.row_security_active(class.oid)
  END AS has_row_security
FROM pg_catalog.pg_class AS class
JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
WHERE class.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND EXISTS (
    SELECT 1
    FROM pg_catalog.pg_attribute AS attribute
    WHERE attribute.attrelid = class.oid AND attribute.attnum > 0 AND NOT attribute.attisdropped
  )
  AND namespace.nspname NOT IN ('pg_catalog', 'information_schema')
  AND namespace.nspname NOT LIKE 'pg\_t%'
  AND has_schema_privilege(namespace.oid, 'USAGE')
  AND has_any_column_privilege(class.oid, 'SELECT')
ORDER BY namespace.nspname, class.relname

-- The columns of a table or view of a PostgreSQL database that the role may read, in order: one row a column, its domain resolved
-- to the type under it. `modifier` holds precision and scale of a numeric, -1 where there are none. No row of the table is read.
WITH RECURSIVE typed AS (
  SELECT attribute.attnum AS place, attribute.attname AS name, attribute.atttypid AS type, attribute.atttypmod AS modifier
  FROM pg_catalog.pg_class AS class
  JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
  JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid = class.oid
  WHERE namespace.nspname = $schema
    AND class.relname = $table
    AND class.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND attribute.attnum > 0
    AND NOT attribute.attisdropped
    AND has_schema_privilege(namespace.oid, 'USAGE')
    AND has_column_privilege(class.oid, attribute.attnum, 'SELECT')
  UNION ALL
  SELECT
    typed.place,
    typed.name,
    domain.typbasetype,
    CASE WHEN typed.modifier >= 0 THEN typed.modifier ELSE domain.typtypmod END
  FROM typed
  JOIN pg_catalog.pg_type AS domain ON domain.oid = typed.type
  WHERE domain.typtype = 'd'
)
SELECT typed.name AS "column", base.typname AS type, base.typtype AS kind, typed.modifier
FROM typed
JOIN pg_catalog.pg_type AS base ON base.oid = typed.type
WHERE base.typtype <> 'd'
ORDER BY typed.place

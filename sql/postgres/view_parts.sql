-- What a table or view of a PostgreSQL database is made of, itself included: one row a relation, with its kind and, of a
-- view, its text. What a materialized view stores is its own.
WITH RECURSIVE reads AS (
  SELECT class.oid
  FROM pg_catalog.pg_class AS class
  JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
  WHERE namespace.nspname = $schema AND class.relname = $table
  UNION
  SELECT inner_part.oid
  FROM reads
  JOIN LATERAL (
    SELECT depend.refobjid AS oid
    FROM pg_catalog.pg_rewrite AS rewrite
    JOIN pg_catalog.pg_class AS viewed ON viewed.oid = rewrite.ev_class AND viewed.relkind = 'v'
    JOIN pg_catalog.pg_depend AS depend
      ON depend.objid = rewrite.oid
      AND depend.classid = 'pg_catalog.pg_rewrite'::regclass
      AND depend.refclassid = 'pg_catalog.pg_class'::regclass
    WHERE rewrite.ev_class = reads.oid
    UNION ALL
    SELECT inherits.inhrelid FROM pg_catalog.pg_inherits AS inherits WHERE inherits.inhparent = reads.oid
  ) AS inner_part ON TRUE
)
SELECT
  class.relname::TEXT AS "table",
  class.relkind::TEXT AS kind,
  CASE WHEN class.relkind = 'v' THEN pg_catalog.pg_get_viewdef(class.oid) ELSE '' END AS definition
FROM reads
JOIN pg_catalog.pg_class AS class ON class.oid = reads.oid
ORDER BY class.relname

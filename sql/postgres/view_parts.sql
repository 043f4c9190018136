-- What a table or view of a PostgreSQL database is made of, itself included: one row a relation, with its kind and, of a
-- view, its query as the server parsed it; of a table with row security one more row a policy that selects rows, with its
-- condition. The relations that views and policies name are among them, and the children of a table. What a materialized
-- view stores is its own, and of the server's own views nothing is looked at.
WITH RECURSIVE reads AS (
  SELECT class.oid, TRUE AS is_first
  FROM pg_catalog.pg_class AS class
  JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
  WHERE namespace.nspname = $schema AND class.relname = $table
  UNION
  SELECT inner_part.oid, FALSE
  FROM reads
  JOIN LATERAL (
    SELECT depend.refobjid AS oid
    FROM (
      SELECT 'pg_catalog.pg_rewrite'::regclass AS catalogue, rewrite.oid
      FROM pg_catalog.pg_rewrite AS rewrite
      JOIN pg_catalog.pg_class AS viewed ON viewed.oid = rewrite.ev_class AND viewed.relkind = 'v'
      WHERE rewrite.ev_class = reads.oid AND rewrite.ev_type = '1'
      UNION ALL
      SELECT 'pg_catalog.pg_policy'::regclass, policy.oid
      FROM pg_catalog.pg_policy AS policy
      JOIN pg_catalog.pg_class AS secured ON secured.oid = policy.polrelid AND secured.relrowsecurity
      WHERE policy.polrelid = reads.oid
        AND policy.polcmd IN ('*', 'r')
        AND (NOT reads.is_first OR pg_catalog.row_security_active(policy.polrelid))
    ) AS condition
    JOIN pg_catalog.pg_depend AS depend
      ON depend.objid = condition.oid
      AND depend.classid = condition.catalogue
      AND depend.refclassid = 'pg_catalog.pg_class'::regclass
    WHERE depend.refobjid <> reads.oid
    UNION ALL
    SELECT inherits.inhrelid FROM pg_catalog.pg_inherits AS inherits WHERE inherits.inhparent = reads.oid
  ) AS inner_part ON TRUE
)
SELECT class.relname::TEXT AS "table", class.relkind::TEXT AS kind, '' AS policy, rewrite.ev_action::TEXT AS tree
FROM reads
JOIN pg_catalog.pg_class AS class ON class.oid = reads.oid
LEFT JOIN pg_catalog.pg_rewrite AS rewrite
  ON rewrite.ev_class = class.oid AND rewrite.ev_type = '1' AND class.relkind = 'v'
WHERE class.oid >= 16384
UNION ALL
SELECT class.relname::TEXT, class.relkind::TEXT, policy.polname::TEXT, policy.polqual::TEXT
FROM reads
JOIN pg_catalog.pg_class AS class ON class.oid = reads.oid AND class.relrowsecurity
JOIN pg_catalog.pg_policy AS policy ON policy.polrelid = class.oid AND policy.polcmd IN ('*', 'r')
WHERE policy.polqual IS NOT NULL
  AND (NOT reads.is_first OR pg_catalog.row_security_active(class.oid))
ORDER BY 1, 3

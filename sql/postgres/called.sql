-- What functions, and the functions of operators and of types that read texts, are declared to be: one row each, by what it
-- is found by. `stability`: i, s or v, as `pg_proc.provolatile`; `is_own`: it came with the server.
SELECT
  called.found_by,
  called.number,
  proc.proname::TEXT AS name,
  proc.provolatile::TEXT AS stability,
  proc.oid < 16384 AS is_own,
  proc.prokind::TEXT AS kind,
  called.type::TEXT AS type
FROM (
  SELECT 'function' AS found_by, found.oid::BIGINT AS number, found.oid AS function, '' AS type
  FROM pg_catalog.pg_proc AS found
  WHERE found.oid = ANY(CAST($functions AS OID[]))
  UNION ALL
  SELECT 'operator', found.oid::BIGINT, found.oprcode::OID, ''
  FROM pg_catalog.pg_operator AS found
  WHERE found.oid = ANY(CAST($operators AS OID[]))
  UNION ALL
  SELECT 'type', found.oid::BIGINT, found.typinput::OID, pg_catalog.format_type(found.oid, NULL)
  FROM pg_catalog.pg_type AS found
  WHERE found.oid = ANY(CAST($types AS OID[]))
) AS called
JOIN pg_catalog.pg_proc AS proc ON proc.oid = called.function
ORDER BY 1, 2

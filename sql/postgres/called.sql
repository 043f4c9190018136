-- What functions, and the functions of operators and of types that read texts, are declared to be: one row each, by what it
-- is found by: its number, or `$names` that a function's own text calls. `stability`: i, s or v, as `pg_proc.provolatile`;
-- `is_own`: it came with the server. A `text` is what writes the values of a type, or of a type that it is made of. Functions
-- of others in the language SQL have what they are written as: `body` as the server parsed it (PostgreSQL 14 or later), and
-- the text. `takes_fractions`: an argument is a fraction of 4 or 8 bytes.
WITH RECURSIVE written AS (
  SELECT found.oid FROM pg_catalog.pg_type AS found WHERE found.oid = ANY(CAST($written AS OID[]))
  UNION
  SELECT part.oid
  FROM written
  JOIN pg_catalog.pg_type AS whole ON whole.oid = written.oid
  JOIN LATERAL (
    SELECT whole.typelem AS oid
    UNION ALL
    SELECT whole.typbasetype
    UNION ALL
    SELECT ranged.rngsubtype FROM pg_catalog.pg_range AS ranged WHERE ranged.rngtypid = whole.oid
    UNION ALL
    SELECT attribute.atttypid
    FROM pg_catalog.pg_attribute AS attribute
    WHERE attribute.attrelid = whole.typrelid AND attribute.attnum > 0 AND NOT attribute.attisdropped
  ) AS part ON TRUE
)
SELECT
  called.found_by,
  called.number,
  proc.proname::TEXT AS name,
  proc.provolatile::TEXT AS stability,
  proc.oid < 16384 AS is_own,
  proc.prokind::TEXT AS kind,
  called.type::TEXT AS type,
  CASE WHEN proc.oid >= 16384 AND language.lanname = 'sql' THEN TO_JSONB(proc) ->> 'prosqlbody' END AS body,
  CASE WHEN proc.oid >= 16384 AND language.lanname = 'sql' THEN proc.prosrc END AS source,
  proc.proargtypes::OID[] && ARRAY[700, 701]::OID[] AS takes_fractions
FROM (
  SELECT 'function' AS found_by, found.oid::BIGINT AS number, found.oid AS function, '' AS type
  FROM pg_catalog.pg_proc AS found
  WHERE found.oid = ANY(CAST($functions AS OID[]))
  UNION ALL
  SELECT 'name', found.oid::BIGINT, found.oid, ''
  FROM pg_catalog.pg_proc AS found
  WHERE found.proname = ANY(CAST($names AS TEXT[]))
  UNION ALL
  SELECT 'operator', found.oid::BIGINT, found.oprcode::OID, ''
  FROM pg_catalog.pg_operator AS found
  WHERE found.oid = ANY(CAST($operators AS OID[]))
  UNION ALL
  SELECT 'type', found.oid::BIGINT, found.typinput::OID, pg_catalog.format_type(found.oid, NULL)
  FROM pg_catalog.pg_type AS found
  WHERE found.oid = ANY(CAST($types AS OID[]))
  UNION ALL
  SELECT 'text', found.oid::BIGINT, found.typoutput::OID, pg_catalog.format_type(found.oid, NULL)
  FROM written
  JOIN pg_catalog.pg_type AS found ON found.oid = written.oid
) AS called
JOIN pg_catalog.pg_proc AS proc ON proc.oid = called.function
JOIN pg_catalog.pg_language AS language ON language.oid = proc.prolang
ORDER BY 1, 2

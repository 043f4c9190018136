-- Of types of PostgreSQL, by their numbers, what is in them of which values may be equal and differ: numbers without a scale,
-- intervals, fractions (0 and -0), JSON, characters without a length, texts of a loose collation, whole rows. Looked for in
-- the elements of arrays, the fields of rows, what domains and ranges are of. One row each.
WITH RECURSIVE parts AS (
  SELECT found.oid AS whole, found.oid AS part, -1 AS modifier, CAST(0 AS OID) AS collation
  FROM pg_catalog.pg_type AS found
  WHERE found.oid = ANY(CAST($types AS OID[]))
  UNION
  SELECT parts.whole, part.oid, part.modifier, part.collation
  FROM parts
  JOIN pg_catalog.pg_type AS found ON found.oid = parts.part
  JOIN LATERAL (
    SELECT found.typelem AS oid, parts.modifier, parts.collation WHERE found.typlen = -1
    UNION ALL
    SELECT found.typbasetype, found.typtypmod, found.typcollation
    UNION ALL
    SELECT ranged.rngsubtype, -1, ranged.rngcollation
    FROM pg_catalog.pg_range AS ranged
    WHERE found.oid IN (ranged.rngtypid, CAST(TO_JSONB(ranged) ->> 'rngmultitypid' AS OID))
    UNION ALL
    SELECT attribute.atttypid, attribute.atttypmod, attribute.attcollation
    FROM pg_catalog.pg_attribute AS attribute
    WHERE attribute.attrelid = found.typrelid AND attribute.attnum > 0 AND NOT attribute.attisdropped
  ) AS part ON part.oid <> 0
)
SELECT DISTINCT
  parts.whole::BIGINT AS number,
  CASE WHEN loose.oid IS NULL THEN found.typname::TEXT ELSE 'text' END AS kind
FROM parts
JOIN pg_catalog.pg_type AS found ON found.oid = parts.part
LEFT JOIN pg_catalog.pg_collation AS loose ON loose.oid = parts.collation AND NOT loose.collisdeterministic
WHERE loose.oid IS NOT NULL
  OR found.typname IN ('interval', 'float4', 'float8', 'jsonb', 'record') AND found.oid < 16384
  OR found.typname IN ('numeric', 'bpchar') AND found.oid < 16384 AND parts.modifier < 0
ORDER BY 1, 2

-- The registered sources. One row: a source, by name.
-- after: source_insert
SELECT id, name, kind, location, writable, encoding, added_at, removed_at, header, allow_inline,
  COALESCE(allow_external, FALSE) AS "allow_external [BOOLEAN]"
FROM sources
WHERE removed_at IS NULL
ORDER BY name

-- A source by number, removed or not. One row: the source.
-- $id = 1
-- after: source_insert
SELECT id, name, kind, location, writable, encoding, added_at, removed_at, header, allow_inline,
  COALESCE(allow_external, FALSE) AS "allow_external [BOOLEAN]"
FROM sources
WHERE id = $id

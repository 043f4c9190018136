-- Registers a hierarchy. One row: its number.
-- $name = 'age'
-- $kind = 'explicit'
-- $content_hash = 'a0a0'
-- $added_at = TIMESTAMP '2025-01-31 12:00:00'
INSERT INTO hierarchies (name, kind, content_hash, added_at)
VALUES ($name, $kind, $content_hash, $added_at)
RETURNING id

-- The registered hierarchy of a name. One row: the hierarchy, without counts.
-- $name = 'age'
SELECT id, kind, content_hash FROM hierarchies WHERE removed_at IS NULL AND name = $name

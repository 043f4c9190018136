-- The content of the registered hierarchies. One row: the name and hash of a hierarchy.
-- $names = ['age']
SELECT name, content_hash FROM hierarchies WHERE removed_at IS NULL AND name IN (SELECT value FROM json_each($names)) ORDER BY name

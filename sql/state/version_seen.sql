-- Notes that a dataset version was seen again.
-- $id = 7
-- $seen_at = TIMESTAMP '2025-02-01 12:00:00'
-- after: version_insert
UPDATE dataset_versions SET last_seen_at = $seen_at WHERE id = $id

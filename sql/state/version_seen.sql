-- Notes that a dataset version was seen again, and its persons if they were not known.
-- $id = 7
-- $persons = NULL
-- $seen_at = TIMESTAMP '2025-02-01 12:00:00'
-- after: version_insert
UPDATE dataset_versions SET last_seen_at = $seen_at, persons = COALESCE(persons, $persons) WHERE id = $id

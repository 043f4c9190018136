-- Notes that a dataset version was seen again, its persons if they were not known, and its row filter if it was erased.
-- $id = 7
-- $filter = NULL
-- $persons = NULL
-- $seen_at = TIMESTAMP '2025-02-01 12:00:00'
-- after: version_insert
UPDATE dataset_versions
SET last_seen_at = $seen_at, persons = COALESCE(persons, $persons),
    filter = CASE WHEN filter = 'erased by policy' THEN $filter ELSE filter END
WHERE id = $id

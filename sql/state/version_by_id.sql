-- A dataset version by number. One row: the version.
-- $id = 7
-- after: version_insert
SELECT id, dataset_hash, dataset_id, filter, rows, hash_sum, columns_hash, first_seen_at, last_seen_at, persons,
       vouched_by
FROM dataset_versions
WHERE id = $id

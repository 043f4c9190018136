-- The versions of a registered dataset, under any row filter. One row: a dataset version, the last seen first; $most NULL:
-- all of them.
-- $dataset_id = 1
-- $most = NULL
SELECT v.id, v.dataset_hash, v.dataset_id, i.filter, v.rows, v.hash_sum, v.columns_hash, v.first_seen_at, v.last_seen_at,
       v.persons, v.vouched_by
FROM dataset_versions AS v
JOIN dataset_identities AS i ON i.dataset_hash = v.dataset_hash
WHERE i.dataset_id = $dataset_id
ORDER BY v.last_seen_at DESC, v.id
LIMIT COALESCE($most, -1)

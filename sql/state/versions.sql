-- The dataset versions. One row: a dataset version, the last seen first.
SELECT id, dataset_hash, dataset_id, filter, rows, hash_sum, columns_hash, first_seen_at, last_seen_at, persons,
       vouched_by
FROM dataset_versions
ORDER BY last_seen_at DESC, id

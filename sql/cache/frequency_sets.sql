-- The stored frequency sets. One row: a set, the least recently used first.
-- after: create_frequency_sets
SELECT id, dataset_version_id, source_rows, length, bytes, created_at, last_used_at
FROM ordermade_cache.main.frequency_sets
ORDER BY last_used_at, id

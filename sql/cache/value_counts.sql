-- The stored counts of values. One row: a column of a dataset version as it was counted, the least recently used first.
-- after: create_value_counts
SELECT id, dataset_version_id, column_name, hierarchy_hash, base_level, statement_hash, fingerprint, bytes,
       created_at, last_used_at
FROM ordermade_cache.main.value_counts
ORDER BY last_used_at, id

-- Notes stored counts of values.
-- $id = 1
-- $dataset_version_id = 7
-- $column_name = 'age'
-- $hierarchy_hash = 'a0a0'
-- $base_level = 0
-- $statement_hash = 'b1b1'
-- $fingerprint = '2 1000 77'
-- $bytes = 80
-- $at = TIMESTAMP '2025-01-31 12:00:00'
-- after: create_value_counts
INSERT INTO ordermade_cache.main.value_counts (id, dataset_version_id, column_name, hierarchy_hash, base_level,
                                               statement_hash, fingerprint, bytes, created_at, last_used_at)
VALUES ($id, $dataset_version_id, $column_name, $hierarchy_hash, $base_level, $statement_hash, $fingerprint, $bytes,
        $at, $at)

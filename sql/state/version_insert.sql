-- Notes a dataset version seen for the first time.
-- $id = 7
-- $dataset_hash = 'd1d1'
-- $dataset_id = 1
-- $filter = NULL
-- $rows = 1000
-- $hash_sum = 123456789012345678901234::HUGEINT
-- $columns_hash = 'c1c1'
-- $persons = NULL
-- $vouched_by = NULL
-- $seen_at = TIMESTAMP '2025-01-31 12:00:00'
-- after: dataset_insert
INSERT INTO dataset_versions (id, dataset_hash, dataset_id, filter, rows, hash_sum, columns_hash, first_seen_at, last_seen_at,
                              persons, vouched_by)
VALUES ($id, $dataset_hash, $dataset_id, $filter, $rows, $hash_sum, $columns_hash, $seen_at, $seen_at,
        $persons, $vouched_by)

-- Notes a stored set.
-- $id = 1
-- $dataset_version_id = 7
-- $source_rows = 1000
-- $length = 2
-- $bytes = 20
-- $at = TIMESTAMP '2025-01-31 12:00:00'
-- after: create_frequency_sets
INSERT INTO ordermade_cache.main.frequency_sets (id, dataset_version_id, source_rows, length, bytes, created_at, last_used_at)
VALUES ($id, $dataset_version_id, $source_rows, $length, $bytes, $at, $at)

-- Notes that the marginals of a dataset version were used.
-- $dataset_version_id = 7
-- $at = TIMESTAMP '2025-02-01 12:00:00'
-- after: marginals_insert
UPDATE ordermade_cache.main.marginals SET last_used_at = $at WHERE dataset_version_id = $dataset_version_id

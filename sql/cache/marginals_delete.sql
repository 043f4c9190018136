-- Forgets the marginals of a dataset version.
-- $dataset_version_id = 7
-- after: marginals_insert
DELETE FROM ordermade_cache.main.marginals WHERE dataset_version_id = $dataset_version_id

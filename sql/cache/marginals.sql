-- The marginals of a dataset version. One row: a level of a column with the histogram of its class sizes.
-- $dataset_version_id = 7
-- after: marginals_insert
SELECT column_name, level_hash, class_sizes, class_counts
FROM ordermade_cache.main.marginals
WHERE dataset_version_id = $dataset_version_id
ORDER BY column_name, level_hash

-- The dataset versions with stored marginals. One row: a version with its columns, its levels and the bytes they take,
-- the least recently used first.
-- after: create_marginals
SELECT dataset_version_id, LIST(DISTINCT column_name ORDER BY column_name) AS columns, COUNT(*) AS levels,
       SUM(STRLEN(column_name) + STRLEN(level_hash) + 16 * LENGTH(class_sizes)) AS bytes,
       MIN(created_at) AS created_at, MAX(last_used_at) AS last_used_at
FROM ordermade_cache.main.marginals
GROUP BY dataset_version_id
ORDER BY last_used_at, dataset_version_id

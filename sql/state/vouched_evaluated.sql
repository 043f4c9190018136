-- What a query vouched for when every column was evaluated in every row of a dataset. One row: what stands for its hashes.
-- $evaluated_over = 'd0d0'
-- $vouched_by = 'e1e1'
-- $columns_hash = 'c1c1'
SELECT DISTINCT v.hash_sum
FROM dataset_versions AS v
JOIN dataset_version_columns AS c ON c.dataset_version_id = v.id
WHERE c.evaluated_over = $evaluated_over AND v.vouched_by = $vouched_by AND v.columns_hash = $columns_hash

-- Table C of a dataset version. One row: a measured node's figures, by number.
-- $dataset_version_id = 7
-- after: observations_insert
SELECT id, rows, divisions, k, sum_of_squares, class_sizes, class_counts
FROM observations
WHERE dataset_version_id = $dataset_version_id
ORDER BY id

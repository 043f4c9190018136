-- Table C of a dataset version without the histograms, which are most of it. One row: the levels and figures of a measured node.
-- $dataset_version_id = 7
-- after: observations_insert
SELECT id, levels, rows, divisions, k, sum_of_squares
FROM observations
WHERE dataset_version_id = $dataset_version_id
ORDER BY id

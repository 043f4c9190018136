-- Table C of a dataset version without the histograms, which are most of it. One row: a measured node's figures, by number.
-- $dataset_version_id = 7
-- after: observations_insert
SELECT id, rows, divisions, k, sum_of_squares
FROM observations
WHERE dataset_version_id = $dataset_version_id
ORDER BY id

-- The selected observations, for a reader. One row: an observation, the latest first, so many at most (NULL: all).
-- $most = 30
-- after: observations_describe
SELECT observation, dataset, filter, dataset_version, is_latest, columns, levels, level_names, level_hashes, rows, divisions,
       k, sum_of_squares, request, measured_at
FROM described_observations
ORDER BY observation DESC
LIMIT $most

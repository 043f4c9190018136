-- The selected observations, to be exported. Makes a table. One row: an observation, in order.
-- after: observations_describe
CREATE OR REPLACE TEMPORARY TABLE exported AS
SELECT observation, dataset, dataset_hash, dataset_version, is_latest, node, COALESCE(LENGTH(columns), 0) AS attributes, rows,
       divisions, k, CAST(sum_of_squares AS DECIMAL(38, 0)) AS sum_of_squares, class_sizes, class_counts, request, measured_at
FROM described_observations
ORDER BY observation

-- Releases judged beside each other.

-- name: compared
-- The rows of a dataset with what every comparison of the releases' row filters is in them: 2 where it holds, 0 where it
-- does not, 1 where it is neither, as a value is missing. One row is one row of the dataset.
SELECT
  dataset.kept AS kept,
  CASE WHEN dataset.condition THEN 2 WHEN NOT (dataset.condition) THEN 0 ELSE 1 END AS truth
FROM dataset;

-- name: values
-- The values of a column by their numbers, as texts. One row is one value.
SELECT keys.cell, CAST(keys.key AS VARCHAR) AS label FROM keys;

-- The number of different values of each column that is released as it is. One row.
SELECT COUNT(DISTINCT dataset.kept) AS different FROM dataset

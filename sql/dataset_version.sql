-- The version of the dataset. One row: the number of rows, and the sum of one 64-bit hash per row over all columns,
-- which changes whenever a row does and does not depend on the order of the rows.
SELECT COUNT(*) AS n, COALESCE(SUM(HASH(dataset.qi)), 0) AS hash_sum FROM dataset

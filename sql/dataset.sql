-- Datasets.

-- name: distinct_values
-- The different values of a column. One row is one value, NULL among them.
SELECT DISTINCT dataset.qi FROM dataset;

-- name: row_count
-- The number of rows of a relation. One row.
SELECT COUNT(*) AS n FROM dataset;

-- name: fenced
-- A view or query that no row filter is pushed into, for the limit that no dataset reaches: what it calculates is
-- calculated of the same rows, whatever the filter around it. One row is one row of it.
SELECT * FROM dataset LIMIT 9223372036854775807;

-- name: filtered
-- A dataset with its row filter: a dataset of its own. One row is one row of the table or query that passes the filter.
SELECT * FROM dataset WHERE dataset.condition;

-- name: identifying
-- The number of different values of each column that is released as it is. One row.
SELECT COUNT(DISTINCT dataset.kept) AS different FROM dataset;

-- name: registered
-- The columns of a table or query that its dataset is registered with, where it has others by now. One row is one row of it.
SELECT dataset.qi FROM dataset;

-- name: version
-- The version of the dataset. One row: the number of rows, and the sum of one 64-bit hash per row over all columns,
-- which changes whenever a row does and does not depend on the order of the rows.
SELECT COUNT(*) AS n, COALESCE(SUM(HASH(dataset.qi)), 0) AS hash_sum FROM dataset;

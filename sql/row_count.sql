-- The number of rows of a relation. One row.
SELECT COUNT(*) AS n FROM dataset

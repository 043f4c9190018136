-- The different values of a column. One row is one value, NULL among them.
SELECT DISTINCT dataset.qi FROM dataset

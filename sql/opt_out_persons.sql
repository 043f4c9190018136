-- The persons of a dataset. One row is one person, NULL among them.
SELECT DISTINCT dataset.id AS key FROM dataset

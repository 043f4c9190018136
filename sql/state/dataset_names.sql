-- The names of datasets, removed ones included. One row: the number and name of a dataset.
-- after: dataset_insert
SELECT id, name FROM datasets ORDER BY id

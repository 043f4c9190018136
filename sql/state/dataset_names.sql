-- The names of datasets, removed ones included. One row: the number and name of a dataset, and its source.
-- after: dataset_insert
SELECT id, name, source_id FROM datasets ORDER BY id

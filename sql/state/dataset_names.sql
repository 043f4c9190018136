-- What are datasets called, and what were those called that were removed? One row: the number and name of a dataset.
-- after: dataset_insert
SELECT id, name FROM datasets ORDER BY id

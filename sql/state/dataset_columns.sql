-- The columns of a dataset as they were registered. One row: the names and types as JSON, NULL where they were never noted.
-- $id = 1
-- after: dataset_insert
SELECT columns FROM datasets WHERE id = $id

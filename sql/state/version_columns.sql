-- The columns of a dataset version. One row: a column with its type and what it was evaluated over, in order; none if they were never noted.
-- $dataset_version_id = 7
-- after: version_columns_insert
SELECT column_name, column_type, evaluated_over
FROM dataset_version_columns
WHERE dataset_version_id = $dataset_version_id
ORDER BY position

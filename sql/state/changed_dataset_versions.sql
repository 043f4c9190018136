-- Rows of `dataset_versions` that were changed, to seal them. One row: a row, every column.
-- $id = [1]
SELECT * FROM dataset_versions WHERE id IN (SELECT UNNEST(CAST($id AS BIGINT[])))

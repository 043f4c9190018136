-- Rows of `datasets` that were changed, to seal them. One row: a row, every column.
-- $id = [1]
SELECT * FROM datasets WHERE id IN (SELECT UNNEST(CAST($id AS BIGINT[])))

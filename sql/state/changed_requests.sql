-- Rows of `requests` that were changed, to seal them. One row: a row, every column.
-- $id = [1]
SELECT * FROM requests WHERE id IN (SELECT UNNEST(CAST($id AS BIGINT[])))

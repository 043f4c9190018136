-- Rows of `sources` that were changed, to seal them. One row: a row, every column.
-- $id = [1]
SELECT * FROM sources WHERE id IN (SELECT UNNEST(CAST($id AS BIGINT[])))

-- Rows of `releases` that were changed, to seal them. One row: a row, every column.
-- $id = [1]
SELECT * FROM releases WHERE id IN (SELECT UNNEST(CAST($id AS BIGINT[])))

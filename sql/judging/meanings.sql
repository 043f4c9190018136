-- The ways of writing a row that mean the same. The columns of days and numbers are there once for each. One row is one
-- way of writing a row, with the first that means the same.
SELECT
  contents.content,
  contents.item,
  contents.cell_1,
  contents.item_set,
  contents.low_1,
  contents.high_1,
  contents.written,
  MIN(contents.content) OVER (PARTITION BY contents.item_set, contents.low_1, contents.high_1) AS meaning
FROM contents

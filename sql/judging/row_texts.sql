-- The different rows of a release without their pseudonyms, as they are written, by number. The columns of days and
-- numbers are there once for each. One row is one way of writing a row, with how many rows are written so.
SELECT ROW_NUMBER() OVER () AS content, different.item, different.cell_1, different.rows
FROM (
  SELECT release_read.item, release_read.cell_1, COUNT(*) AS rows
  FROM release_read
  GROUP BY release_read.item, release_read.cell_1
) AS different

-- The number of counted rows. One row.
SELECT COALESCE(SUM(numbered.n), 0) AS row_count FROM numbered

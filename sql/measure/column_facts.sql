-- The counts of a column. One row: the number of different values (NULL is one), the rows in all, and the rows of NULL.
SELECT
  COUNT(*) AS different,
  COALESCE(SUM(sensitive.n), 0) AS row_count,
  COALESCE(SUM(CASE WHEN sensitive.key IS NULL THEN sensitive.n ELSE 0 END), 0) AS null_rows
FROM sensitive

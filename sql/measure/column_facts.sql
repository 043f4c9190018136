-- What values has a column? One row: how many different ones (NULL is one), the rows in all, and the rows of NULL.
SELECT
  COUNT(*) AS different,
  COALESCE(SUM(sensitive.n), 0) AS row_count,
  COALESCE(SUM(CASE WHEN sensitive.key IS NULL THEN sensitive.n ELSE 0 END), 0) AS null_rows
FROM sensitive

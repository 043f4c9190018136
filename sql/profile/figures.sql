-- The profile of a column whose values are counted. One row: rows, rows of NULL, different values, those of one row.
SELECT
  COALESCE(SUM(counted.n), 0) AS n,
  COALESCE(SUM(CASE WHEN counted.value IS NULL THEN counted.n ELSE 0 END), 0) AS nulls,
  COUNT(counted.value) AS different,
  SUM(CASE WHEN counted.n = 1 AND counted.value IS NOT NULL THEN 1 ELSE 0 END) AS single
FROM counted

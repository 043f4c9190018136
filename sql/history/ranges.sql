-- The range of each number, and how often it is below 0. One row.
SELECT
  COUNT(*) AS n,
  MIN(purchases.measured) AS low,
  MAX(purchases.measured) AS high,
  COALESCE(SUM(CASE WHEN purchases.measured < 0 THEN 1 ELSE 0 END), 0) AS negative
FROM purchases

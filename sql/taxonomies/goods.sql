-- The goods that each class of a taxonomy lists, those of them in the table, and their records. One row is one class at
-- a level, by its number.
SELECT
  keys.level AS class,
  COUNT(*) AS listed,
  COUNT(marginal.key) AS goods,
  COALESCE(SUM(marginal.n), 0) AS records
FROM keys
LEFT JOIN marginal ON marginal.key = keys.key
WHERE keys.key IS NOT NULL
GROUP BY keys.level
ORDER BY keys.level

-- How many goods does each class of a taxonomy list, how many of them are there, in how many records? One row is one
-- class at a level, by its number.
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

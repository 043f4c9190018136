-- The rows and values of each class of one attribute at one level. One row is one class. The statements of all levels
-- are joined by UNION ALL, each row marked with its level.
SELECT 0 AS level, keys.level AS class, SUM(marginal.n) AS n, SUM(marginal.leaves) AS leaves
FROM marginal
JOIN keys ON marginal.key IS NOT DISTINCT FROM keys.key
GROUP BY keys.level

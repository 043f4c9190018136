-- The number of the hierarchy's values that the column holds. One row.
SELECT COUNT(*) AS used
FROM keys
WHERE EXISTS (SELECT 1 FROM marginal WHERE marginal.key IS NOT DISTINCT FROM keys.key)

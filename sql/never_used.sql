-- How many values that the hierarchy lists does the column hold? One row.
SELECT COUNT(*) AS used
FROM keys
WHERE EXISTS (SELECT 1 FROM marginal WHERE marginal.key IS NOT DISTINCT FROM keys.key)

-- The values of a column that its hierarchy does not cover. One row is one value. Shown to the provider only on
-- request.
SELECT CAST(marginal.key AS VARCHAR) AS key, marginal.n
FROM marginal
WHERE NOT EXISTS (SELECT 1 FROM keys WHERE keys.key IS NOT DISTINCT FROM marginal.key)
ORDER BY marginal.n DESC, marginal.key
LIMIT 20

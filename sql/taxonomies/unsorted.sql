-- The items that a taxonomy does not list. One row is one item, the most frequent first. For the provider's eyes alone.
SELECT CAST(marginal.key AS VARCHAR) AS item, marginal.n
FROM marginal
WHERE marginal.key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM keys WHERE keys.key = marginal.key)
ORDER BY marginal.n DESC, item

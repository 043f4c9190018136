-- The values of one attribute (or a rule's codes of them) with the cell that its keys place each in, none where they do
-- not cover it. One row is one value. The statements of all attributes are joined by UNION ALL, each row marked with its
-- attribute.
SELECT 0 AS number, marginal.n, marginal.leaves, marginal.n_log_n, marginal.key IS NULL AS is_null, keys.cell
FROM marginal
LEFT JOIN keys ON marginal.key IS NOT DISTINCT FROM keys.key

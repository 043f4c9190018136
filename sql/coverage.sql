-- Is every value of a quasi-identifier covered by its hierarchy? One row: how many values and rows are not.
SELECT COUNT(*) AS missing_values, COALESCE(SUM(marginal.n), 0) AS missing_rows
FROM marginal
WHERE NOT EXISTS (SELECT 1 FROM keys WHERE keys.key IS NOT DISTINCT FROM marginal.key)

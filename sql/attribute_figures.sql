-- The fit of a hierarchy to a column, and the size of the column. One row: values (and their rows) that the hierarchy
-- does not cover, values it lists more than once, and of the column the rows, values and the sum of n ln n.
SELECT
  uncovered.missing_values,
  uncovered.missing_rows,
  twice.repeated,
  sums.n,
  sums.leaves,
  sums.n_log_n
FROM (
  SELECT COUNT(*) AS missing_values, COALESCE(SUM(marginal.n), 0) AS missing_rows
  FROM marginal
  WHERE NOT EXISTS (SELECT 1 FROM keys WHERE keys.key IS NOT DISTINCT FROM marginal.key)
) AS uncovered
CROSS JOIN (
  SELECT COUNT(*) AS repeated
  FROM (SELECT keys.key FROM keys GROUP BY keys.key HAVING COUNT(*) > 1) AS listed
) AS twice
CROSS JOIN (
  SELECT
    COALESCE(SUM(marginal.n), 0) AS n,
    COALESCE(SUM(marginal.leaves), 0) AS leaves,
    COALESCE(SUM(marginal.n_log_n), 0) AS n_log_n
  FROM marginal
) AS sums

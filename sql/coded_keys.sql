-- Every value that occurs, with its cell (the values in order, NULL last) and the class of that cell at each level: the
-- least cell of the class. One row is one value. For rules whose levels a request takes from level 0 up.
SELECT
  numbered.key,
  numbered.cell,
  MIN(numbered.cell) OVER (PARTITION BY code_classes.class) AS level
FROM (
  SELECT marginal.key, marginal.code, ROW_NUMBER() OVER (ORDER BY marginal.key NULLS LAST) - 1 AS cell
  FROM marginal
) AS numbered
JOIN code_classes ON numbered.code IS NOT DISTINCT FROM code_classes.code

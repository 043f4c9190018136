SELECT
  numbered.key,
  numbered.cell,
  numbered.cell AS q3_l0,
  MIN(numbered.cell) OVER (PARTITION BY code_classes."q3_l1") AS "q3_l1",
  code_classes.q3_l1 AS q3_g1,
  MIN(numbered.cell) OVER (PARTITION BY code_classes."q3_l2") AS "q3_l2",
  code_classes.q3_l2 AS q3_g2
FROM (
  SELECT
    marginal.key,
    marginal.code,
    ROW_NUMBER() OVER (ORDER BY marginal.key) - 1 AS cell
  FROM marginal_3 AS marginal
) AS numbered
JOIN codes_3 AS code_classes
  ON numbered.code IS NOT DISTINCT FROM code_classes."key";

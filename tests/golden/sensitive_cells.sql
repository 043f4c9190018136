SELECT
  marginal.key,
  CAST(ROW_NUMBER() OVER (ORDER BY marginal.key) - 1 AS UTINYINT) AS cell,
  marginal.n
FROM marginal_5 AS marginal;

SELECT
  packed.w0 & 536838399 AS w0,
  CAST(SUM(packed.n) AS BIGINT) AS n,
  BIT_OR(packed.v5_0) AS v5_0
FROM frequency_set_packed AS packed
GROUP BY
  packed.w0 & 536838399;

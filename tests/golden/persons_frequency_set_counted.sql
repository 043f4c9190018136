SELECT
  frequency_set.c1,
  frequency_set.c5,
  COUNT(*) AS n,
  CAST(SUM(frequency_set.n) AS BIGINT) AS rows
FROM frequency_set
GROUP BY
  frequency_set.c1,
  frequency_set.c5;

SELECT
  counted.code AS key,
  counted.code AS code,
  COUNT(*) AS leaves,
  SUM(counted.n) AS n,
  SUM(CAST(counted.n * LN(counted.n) AS DECIMAL(38, 9))) AS n_log_n
FROM (
  SELECT
    "dataset"."code" AS value,
    SUBSTRING("dataset"."code", 1, 2) AS code,
    COUNT(*) AS n
  FROM (
    SELECT
      *
    FROM "shop"."main"."persons" AS dataset
    WHERE
      "id" < 100
  ) AS dataset
  GROUP BY
    "dataset"."code",
    SUBSTRING("dataset"."code", 1, 2)
) AS counted
GROUP BY
  counted.code;

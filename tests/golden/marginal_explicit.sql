SELECT
  counted.key,
  counted.key AS code,
  1 AS leaves,
  counted.n,
  CAST(counted.n * LN(counted.n) AS DECIMAL(38, 9)) AS n_log_n
FROM (
  SELECT
    "dataset"."sex" AS key,
    COUNT(*) AS n
  FROM (
    SELECT
      *
    FROM "shop"."main"."persons" AS dataset
    WHERE
      "id" < 100
  ) AS dataset
  GROUP BY
    "dataset"."sex"
) AS counted;

SELECT
  coded.code AS key,
  coded.code AS code,
  COUNT(*) AS leaves,
  SUM(coded.n) AS n,
  SUM(CAST(coded.n * LN(coded.n) AS DECIMAL(38, 9))) AS n_log_n
FROM (
  SELECT
    SUBSTRING(counted.key, 1, 2) AS code,
    counted.n
  FROM (
    SELECT
      "dataset"."code" AS key,
      COUNT(*) AS n
    FROM (
      SELECT
        *
      FROM "shop"."main"."persons" AS dataset
      WHERE
        "id" < 100
    ) AS dataset
    GROUP BY
      "dataset"."code"
  ) AS counted
) AS coded
GROUP BY
  coded.code;

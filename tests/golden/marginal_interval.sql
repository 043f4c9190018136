SELECT
  counted.code AS key,
  counted.code AS code,
  COUNT(*) AS leaves,
  SUM(counted.n) AS n,
  SUM(CAST(counted.n * LN(counted.n) AS DECIMAL(38, 9))) AS n_log_n
FROM (
  SELECT
    "dataset"."age" AS value,
    CASE
      WHEN "dataset"."age" IS NULL
      THEN NULL
      WHEN ABS(CAST("dataset"."age" AS DOUBLE)) <= 9000000000000000.0
      THEN CAST(FLOOR(CAST("dataset"."age" AS DOUBLE) / 5.0) AS BIGINT)
      ELSE -9007199254740992
    END AS code,
    COUNT(*) AS n
  FROM (
    SELECT
      *
    FROM "shop"."main"."persons" AS dataset
    WHERE
      "id" < 100
  ) AS dataset
  GROUP BY
    "dataset"."age",
    CASE
      WHEN "dataset"."age" IS NULL
      THEN NULL
      WHEN ABS(CAST("dataset"."age" AS DOUBLE)) <= 9000000000000000.0
      THEN CAST(FLOOR(CAST("dataset"."age" AS DOUBLE) / 5.0) AS BIGINT)
      ELSE -9007199254740992
    END
) AS counted
GROUP BY
  counted.code;

SELECT
  coded.code AS key,
  coded.code AS code,
  COUNT(*) AS leaves,
  SUM(coded.n) AS n,
  SUM(CAST(coded.n * LN(coded.n) AS DECIMAL(38, 9))) AS n_log_n
FROM (
  SELECT
    CASE
      WHEN counted.key IS NULL
      THEN NULL
      WHEN ABS(CAST(counted.key AS DOUBLE)) <= 9000000000000000.0
      THEN CAST(FLOOR(CAST(counted.key AS DOUBLE) / 5.0) AS BIGINT)
      ELSE -9007199254740992
    END AS code,
    counted.n
  FROM (
    SELECT
      "dataset"."age" AS key,
      COUNT(*) AS n
    FROM (
      SELECT
        *
      FROM "shop"."main"."persons" AS dataset
      WHERE
        "id" < 100
    ) AS dataset
    GROUP BY
      "dataset"."age"
  ) AS counted
) AS coded
GROUP BY
  coded.code;

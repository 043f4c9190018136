SELECT
  counted.key,
  CASE
    WHEN counted.key IS NULL
    THEN NULL
    WHEN 1 <= EXTRACT(YEAR FROM counted.key) AND EXTRACT(YEAR FROM counted.key) <= 9999
    THEN CAST((
      EXTRACT(YEAR FROM counted.key) * 100
    ) + EXTRACT(MONTH FROM counted.key) AS BIGINT)
    ELSE -9007199254740992
  END AS code,
  1 AS leaves,
  counted.n,
  CAST(counted.n * LN(counted.n) AS DECIMAL(38, 9)) AS n_log_n
FROM (
  SELECT
    "dataset"."joined" AS key,
    COUNT(*) AS n
  FROM (
    SELECT
      *
    FROM "shop"."main"."persons" AS dataset
    WHERE
      "id" < 100
  ) AS dataset
  GROUP BY
    "dataset"."joined"
) AS counted;

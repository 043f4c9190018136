SELECT
  counted.key,
  counted.code,
  1 AS leaves,
  counted.n,
  CAST(counted.n * LN(counted.n) AS DECIMAL(38, 9)) AS n_log_n
FROM (
  SELECT
    "dataset"."joined" AS key,
    CASE
      WHEN "dataset"."joined" IS NULL
      THEN NULL
      WHEN 1 <= EXTRACT(YEAR FROM "dataset"."joined")
      AND EXTRACT(YEAR FROM "dataset"."joined") <= 9999
      THEN CAST((
        EXTRACT(YEAR FROM "dataset"."joined") * 100
      ) + EXTRACT(MONTH FROM "dataset"."joined") AS BIGINT)
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
    "dataset"."joined",
    CASE
      WHEN "dataset"."joined" IS NULL
      THEN NULL
      WHEN 1 <= EXTRACT(YEAR FROM "dataset"."joined")
      AND EXTRACT(YEAR FROM "dataset"."joined") <= 9999
      THEN CAST((
        EXTRACT(YEAR FROM "dataset"."joined") * 100
      ) + EXTRACT(MONTH FROM "dataset"."joined") AS BIGINT)
      ELSE -9007199254740992
    END
) AS counted;

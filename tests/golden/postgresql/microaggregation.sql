-- dataset version
SELECT
  COUNT(*) AS "n",
  COALESCE(
    CAST(SUM(
      CAST(HASHTEXTEXTENDED(
        CAST(ROW(
          "dataset"."who",
          "dataset"."sex",
          "dataset"."age",
          "dataset"."code",
          "dataset"."joined",
          "dataset"."height",
          "dataset"."ill",
          "dataset"."kept"
        ) AS TEXT),
        0
      ) AS DECIMAL)
    ) AS TEXT),
    '0'
  ) AS "hash_sum"
FROM (
  SELECT
    *
  FROM (
    SELECT
      "who" AS "who",
      "sex" COLLATE "C" AS "sex",
      "age" AS "age",
      "code" COLLATE "C" AS "code",
      "joined" AS "joined",
      "height" AS "height",
      "ill" COLLATE "C" AS "ill",
      "kept" AS "kept"
    FROM "shop"."t"
  ) AS "dataset"
) AS "dataset";

-- coverage: how often each value of sex occurs
SELECT
  "dataset"."sex" AS "key",
  COUNT(*) AS "n"
FROM (
  SELECT
    *
  FROM (
    SELECT
      "sex" COLLATE "C" AS "sex"
    FROM "shop"."t"
  ) AS "dataset"
) AS "dataset"
GROUP BY
  "dataset"."sex";

-- the records, in the order of their values
WITH "keys_1" AS (
  SELECT
    "listed"."c0" COLLATE "C" AS "key",
    CAST("listed"."c1" AS SMALLINT) AS "cell",
    CAST("listed"."c2" AS SMALLINT) AS "q1_l0"
  FROM UNNEST(CAST('{f,m,NULL}' AS TEXT[]), CAST('{0,1,2}' AS TEXT[]), CAST('{0,1,2}' AS TEXT[])) AS "listed"("c0", "c1", "c2")
)
SELECT
  CASE
    WHEN "dataset"."sex" IS NULL
    THEN (
      SELECT
        "keys_1"."q1_l0"
      FROM "keys_1"
      WHERE
        "keys_1"."key" IS NULL
    )
    ELSE "keys_1"."q1_l0"
  END AS "w1",
  "dataset"."age" AS "a1",
  "dataset"."height" AS "a2",
  "dataset"."kept" AS "v4"
FROM (
  SELECT
    *
  FROM (
    SELECT
      "sex" COLLATE "C" AS "sex",
      "age" AS "age",
      "height" AS "height",
      "kept" AS "kept"
    FROM "shop"."t"
  ) AS "dataset"
) AS "dataset"
LEFT JOIN "keys_1"
  ON "dataset"."sex" = "keys_1"."key"
ORDER BY
  CASE
    WHEN "dataset"."sex" IS NULL
    THEN (
      SELECT
        "keys_1"."q1_l0"
      FROM "keys_1"
      WHERE
        "keys_1"."key" IS NULL
    )
    ELSE "keys_1"."q1_l0"
  END,
  "dataset"."age",
  "dataset"."height",
  "dataset"."kept";

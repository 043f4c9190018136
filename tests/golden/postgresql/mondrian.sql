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

-- coverage: how often each value of code occurs
SELECT
  "dataset"."code" AS "key",
  COUNT(*) AS "n"
FROM (
  SELECT
    *
  FROM (
    SELECT
      "code" COLLATE "C" AS "code"
    FROM "shop"."t"
  ) AS "dataset"
) AS "dataset"
GROUP BY
  "dataset"."code";

-- the records
SELECT
  "dataset"."age" AS "a1",
  "dataset"."joined" AS "a2",
  CASE
    WHEN "dataset"."sex" IS NULL
    THEN (
      SELECT
        "keys_3"."cell"
      FROM "keys_3"
      WHERE
        "keys_3"."key" IS NULL
    )
    ELSE "keys_3"."cell"
  END AS "a3",
  CASE
    WHEN "dataset"."code" IS NULL
    THEN (
      SELECT
        "keys_4"."cell"
      FROM "keys_4"
      WHERE
        "keys_4"."key" IS NULL
    )
    ELSE "keys_4"."cell"
  END AS "a4",
  "dataset"."kept" AS "v5"
FROM (
  SELECT
    *
  FROM (
    SELECT
      "sex" COLLATE "C" AS "sex",
      "age" AS "age",
      "code" COLLATE "C" AS "code",
      "joined" AS "joined",
      "kept" AS "kept"
    FROM "shop"."t"
  ) AS "dataset"
) AS "dataset"
LEFT JOIN "keys_3"
  ON "dataset"."sex" = "keys_3"."key"
LEFT JOIN "keys_4"
  ON "dataset"."code" = "keys_4"."key";

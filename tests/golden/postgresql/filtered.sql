-- dataset version: every column, without the row filter
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
  WHERE
    "joined" >= CAST('2020-06-01' AS DATE) AND "ill" <> 'Flu' OR "kept"
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
      "sex" COLLATE "C" AS "sex",
      "joined" AS "joined",
      "ill" COLLATE "C" AS "ill",
      "kept" AS "kept"
    FROM "shop"."t"
  ) AS "dataset"
  WHERE
    "joined" >= CAST('2020-06-01' AS DATE) AND "ill" <> 'Flu' OR "kept"
) AS "dataset"
GROUP BY
  "dataset"."sex";

-- coverage: how often each value of age occurs
SELECT
  "dataset"."age" AS "key",
  COUNT(*) AS "n"
FROM (
  SELECT
    *
  FROM (
    SELECT
      "age" AS "age",
      "joined" AS "joined",
      "ill" COLLATE "C" AS "ill",
      "kept" AS "kept"
    FROM "shop"."t"
  ) AS "dataset"
  WHERE
    "joined" >= CAST('2020-06-01' AS DATE) AND "ill" <> 'Flu' OR "kept"
) AS "dataset"
GROUP BY
  "dataset"."age";

-- coverage: how often each value of code occurs
SELECT
  "dataset"."code" AS "key",
  COUNT(*) AS "n"
FROM (
  SELECT
    *
  FROM (
    SELECT
      "code" COLLATE "C" AS "code",
      "joined" AS "joined",
      "ill" COLLATE "C" AS "ill",
      "kept" AS "kept"
    FROM "shop"."t"
  ) AS "dataset"
  WHERE
    "joined" >= CAST('2020-06-01' AS DATE) AND "ill" <> 'Flu' OR "kept"
) AS "dataset"
GROUP BY
  "dataset"."code";

-- coverage: how often each value of joined occurs
SELECT
  "dataset"."joined" AS "key",
  COUNT(*) AS "n"
FROM (
  SELECT
    *
  FROM (
    SELECT
      "joined" AS "joined",
      "ill" COLLATE "C" AS "ill",
      "kept" AS "kept"
    FROM "shop"."t"
  ) AS "dataset"
  WHERE
    "joined" >= CAST('2020-06-01' AS DATE) AND "ill" <> 'Flu' OR "kept"
) AS "dataset"
GROUP BY
  "dataset"."joined";

-- frequency set
SELECT
  "dataset"."sex" AS "v1",
  "dataset"."age" AS "v2",
  "dataset"."code" AS "v3",
  "dataset"."joined" AS "v4",
  COUNT(*) AS "n"
FROM (
  SELECT
    *
  FROM (
    SELECT
      "sex" COLLATE "C" AS "sex",
      "age" AS "age",
      "code" COLLATE "C" AS "code",
      "joined" AS "joined",
      "ill" COLLATE "C" AS "ill",
      "kept" AS "kept"
    FROM "shop"."t"
  ) AS "dataset"
  WHERE
    "joined" >= CAST('2020-06-01' AS DATE) AND "ill" <> 'Flu' OR "kept"
) AS "dataset"
GROUP BY
  "dataset"."sex",
  "dataset"."age",
  "dataset"."code",
  "dataset"."joined";

-- release, counted
SELECT
  "dataset"."sex" AS "v1",
  "dataset"."age" AS "v2",
  "dataset"."code" AS "v3",
  "dataset"."joined" AS "v4"
FROM (
  SELECT
    *
  FROM (
    SELECT
      "sex" COLLATE "C" AS "sex",
      "age" AS "age",
      "code" COLLATE "C" AS "code",
      "joined" AS "joined",
      "ill" COLLATE "C" AS "ill",
      "kept" AS "kept"
    FROM "shop"."t"
  ) AS "dataset"
  WHERE
    "joined" >= CAST('2020-06-01' AS DATE) AND "ill" <> 'Flu' OR "kept"
) AS "dataset";

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

-- coverage: how often each value of age occurs
SELECT
  "dataset"."age" AS "key",
  COUNT(*) AS "n"
FROM (
  SELECT
    *
  FROM "shop"."t" AS "dataset"
) AS "dataset"
GROUP BY
  "dataset"."age";

-- how often each value of ill occurs
SELECT
  "dataset"."ill" AS "key",
  COUNT(*) AS "n"
FROM (
  SELECT
    *
  FROM (
    SELECT
      "ill" COLLATE "C" AS "ill"
    FROM "shop"."t"
  ) AS "dataset"
) AS "dataset"
GROUP BY
  "dataset"."ill";

-- frequency set
SELECT
  "dataset"."sex" AS "v1",
  "dataset"."age" AS "v2",
  "dataset"."ill" AS "v3",
  COUNT(*) AS "n"
FROM (
  SELECT
    *
  FROM (
    SELECT
      "sex" COLLATE "C" AS "sex",
      "age" AS "age",
      "ill" COLLATE "C" AS "ill"
    FROM "shop"."t"
  ) AS "dataset"
) AS "dataset"
GROUP BY
  "dataset"."sex",
  "dataset"."age",
  "dataset"."ill";

-- release, counted
SELECT
  "dataset"."sex" AS "v1",
  "dataset"."age" AS "v2",
  "dataset"."ill" AS "v3"
FROM (
  SELECT
    *
  FROM (
    SELECT
      "sex" COLLATE "C" AS "sex",
      "age" AS "age",
      "ill" COLLATE "C" AS "ill"
    FROM "shop"."t"
  ) AS "dataset"
) AS "dataset";

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

-- how often each value of age occurs
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

-- how often each value of joined occurs
SELECT
  "dataset"."joined" AS "key",
  COUNT(*) AS "n"
FROM (
  SELECT
    *
  FROM "shop"."t" AS "dataset"
) AS "dataset"
GROUP BY
  "dataset"."joined";

-- frequency set
SELECT
  "dataset"."sex" AS "v1",
  "dataset"."code" AS "v2",
  "dataset"."age" AS "v3",
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
      "joined" AS "joined"
    FROM "shop"."t"
  ) AS "dataset"
) AS "dataset"
GROUP BY
  "dataset"."sex",
  "dataset"."code",
  "dataset"."age",
  "dataset"."joined";

-- release, the rows of the source by class
WITH "keys_3" AS (
  SELECT
    "listed"."c0" COLLATE "C" AS "key",
    CAST("listed"."c1" AS SMALLINT) AS "cell",
    CAST("listed"."c2" AS SMALLINT) AS "q3_l0"
  FROM UNNEST(CAST('{f,m,NULL}' AS TEXT[]), CAST('{0,1,2}' AS TEXT[]), CAST('{0,1,2}' AS TEXT[])) AS "listed"("c0", "c1", "c2")
)
SELECT
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
  END AS "c3",
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
  END AS "c4",
  CASE
    WHEN "dataset"."age" IS NULL
    THEN (
      SELECT
        "keys_5"."cell"
      FROM "keys_5"
      WHERE
        "keys_5"."key" IS NULL
    )
    ELSE "keys_5"."cell"
  END AS "c5",
  CASE
    WHEN "dataset"."joined" IS NULL
    THEN (
      SELECT
        "keys_6"."cell"
      FROM "keys_6"
      WHERE
        "keys_6"."key" IS NULL
    )
    ELSE "keys_6"."cell"
  END AS "c6",
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
  ON "dataset"."code" = "keys_4"."key"
LEFT JOIN "keys_5"
  ON "dataset"."age" = "keys_5"."key"
LEFT JOIN "keys_6"
  ON "dataset"."joined" = "keys_6"."key";

SELECT
  keys_11.q11_l2 AS "w1",
  dataset."id" AS "a1",
  keys_12.cell AS "a2",
  dataset."plan" AS "v4"
FROM (
  SELECT
    *
  FROM "shop"."main"."persons" AS dataset
  WHERE
    "id" < 100
) AS dataset
LEFT JOIN keys_11
  ON CASE
    WHEN "dataset"."age" IS NULL
    THEN NULL
    WHEN ABS(CAST("dataset"."age" AS DOUBLE)) <= 9000000000000000.0
    THEN CAST(FLOOR(CAST("dataset"."age" AS DOUBLE) / 10.0) AS BIGINT)
    ELSE -9007199254740992
  END IS NOT DISTINCT FROM keys_11.key
LEFT JOIN keys_12
  ON "dataset"."sex" IS NOT DISTINCT FROM keys_12.key
ORDER BY
  keys_11.q11_l2,
  dataset."id",
  keys_12.cell,
  dataset."plan";

SELECT
  "dataset"."sex" AS "v1",
  labels_2.label AS "v2",
  labels_3.label AS "v3",
  '*' AS "v4",
  dataset."plan" AS "v5",
  "dataset"."id" AS "person",
  COUNT(*) AS n
FROM (
  SELECT
    *
  FROM "shop"."main"."persons" AS dataset
  WHERE
    "id" < 100
) AS dataset
LEFT JOIN labels_2
  ON CASE
    WHEN "dataset"."age" IS NULL
    THEN NULL
    WHEN ABS(CAST("dataset"."age" AS DOUBLE)) <= 9000000000000000.0
    THEN CAST(FLOOR(CAST("dataset"."age" AS DOUBLE) / 5.0) AS BIGINT)
    ELSE -9007199254740992
  END IS NOT DISTINCT FROM labels_2.key
LEFT JOIN labels_3
  ON "dataset"."joined" IS NOT DISTINCT FROM labels_3.key
GROUP BY
  "dataset"."sex",
  labels_2.label,
  labels_3.label,
  dataset."plan",
  "dataset"."id";

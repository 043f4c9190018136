SELECT
  dataset."id" AS "a1",
  keys_13.cell AS "a2",
  dataset."code" AS "a3"
FROM (
  SELECT
    *
  FROM "shop"."main"."persons" AS dataset
  WHERE
    "id" < 100
) AS dataset
LEFT JOIN keys_13
  ON "dataset"."sex" IS NOT DISTINCT FROM keys_13.key;

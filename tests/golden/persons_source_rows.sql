SELECT
  keys_1.q1_l0 AS q1_l0,
  keys_5.cell AS c5,
  "dataset"."joined" AS "person",
  COUNT(*) AS n
FROM (
  SELECT
    *
  FROM "shop"."main"."persons" AS dataset
  WHERE
    "id" < 100
) AS dataset
LEFT JOIN keys_1
  ON "dataset"."sex" IS NOT DISTINCT FROM keys_1.key
LEFT JOIN keys_5
  ON "dataset"."plan" IS NOT DISTINCT FROM keys_5.key
GROUP BY
  keys_1.q1_l0,
  keys_5.cell,
  "dataset"."joined";

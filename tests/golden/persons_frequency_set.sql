SELECT
  persons.code AS person,
  keys_1.cell AS c1,
  keys_5.cell AS c5,
  COUNT(*) AS n
FROM (
  SELECT
    *
  FROM "shop"."main"."persons" AS dataset
  WHERE
    "id" < 100
) AS dataset
JOIN persons
  ON "dataset"."joined" = persons.key
LEFT JOIN keys_1
  ON "dataset"."sex" IS NOT DISTINCT FROM keys_1.key
LEFT JOIN keys_5
  ON "dataset"."plan" IS NOT DISTINCT FROM keys_5.key
GROUP BY
  persons.code,
  keys_1.cell,
  keys_5.cell;
